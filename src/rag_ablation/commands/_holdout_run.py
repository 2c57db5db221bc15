"""A holdout in the order that the discipline asks for: check, note, score once, close, log, tell."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag_ablation.commands._holdout_check import Lost, check_witnesses, one_at_a_time, said_that_it_is_open, what_to_do
from rag_ablation.commands._holdout_folder import HoldoutRuns, holdout_folder, read_runs, write_runs
from rag_ablation.commands._holdout_log import log
from rag_ablation.commands._holdout_outcome import Asked, Keeping, Outcome
from rag_ablation.commands._holdout_report import write_outcome
from rag_ablation.commands._holdout_score import Scored, Under, Verdict, score, verdict, write_arms
from rag_ablation.commands._plan_check import changed_since, other_libraries
from rag_ablation.commands._plan_source import Source, source_of_plan
from rag_ablation.commands._plan_words import refuse_seen
from rag_ablation.commands.run import RUNS, OnStage, open_tracker
from rag_ablation.core.errors import HoldoutError
from rag_ablation.data.settled import REVIEWS, read_reviews
from rag_ablation.experiment.experiment import TrackingSettings
from rag_ablation.experiment.record import libraries
from rag_ablation.holdout.door import spent
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.ledger import Addition, Ledger
from rag_ablation.holdout.marks import Mark
from rag_ablation.holdout.opening import Allowed, State, Step, completable, marks_of, opened_details, state_of
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import add_entry, add_to_root, dataset_ledger, seen_before
from rag_ablation.tracking.files import is_whole
from rag_ablation.tracking.records import holdout_records


def open_holdout(plan: FrozenPlan, asked: Asked, root: Path) -> Outcome:
    """Open the holdout of a plan, or replay it.

    Args:
        plan: the plan.
        asked: how.
        root: folder under which everything is written.

    Raises:
        RagAblationError: something is not as it was frozen, the holdout is spent, or an arm fails.
    """
    source = source_of_plan(plan, root, asked.dataset)
    with one_at_a_time(source.place):
        changed = changed_since(plan, source)
        if changed:
            message = f"the plan {plan.name!r} cannot be run: not everything is as it was frozen\n  "
            raise HoldoutError(message + "\n  ".join([*changed, what_to_do(plan, source, changed)]))
        tracker = open_tracker(TrackingSettings(name=plan.tracking["name"], uri=asked.tracking_uri), root)
        lost = check_witnesses(plan, source.place, tracker, again=asked.again)
        ledger = dataset_ledger(source.place)
        state = state_of(ledger, plan, source.held_out(plan.split["fold"]), _allowed(asked))
        read_reviews(root / REVIEWS)  # one that is damaged is told before anything is opened
        folder = holdout_folder(plan.study, plan.name, root)
        keeping = Keeping(step=state.step, tracker=tracker, root=root, folder=folder)
        if state.opened is not None and state.closed is not None:
            return _replayed(plan, source, (state.opened, state.closed), keeping, asked.on_stage)
        if state.step is Step.REOPEN:
            _refuse_results(ledger, state, root)
        if state.step is Step.COMPLETE and state.opened is not None:
            opened = state.opened
        else:
            opened = _opened(plan, source, replace(state, times=state.times + lost.openings), asked, lost)
        _note_under_root(source.place, opened)
        with said_that_it_is_open(opened):
            scored = score(plan, source, Under.of(opened, root, asked.on_stage))
            marks = marks_of(plan, int(opened.details["times"]), int(opened.details["seen"]))
            outcome = closed_with(plan, source.place, opened, scored, replace(keeping, marks=marks))
        return replace(outcome, elsewhere=other_libraries(plan, libraries()))


def _allowed(asked: Asked) -> Allowed:
    return Allowed(reopen=asked.reason is not None, again=asked.again)


def _n_seen(plan: FrozenPlan, source: Source, state: State, asked: Asked) -> int:
    """How many of the questions had been looked at before they were opened.

    Raises:
        HoldoutError: more than may be overlooked, and nobody says why it goes on.
    """
    own = [plan.identity(), *completable(dataset_ledger(source.place), plan)]
    found = seen_before(source.place, source.held_out(plan.split["fold"]), leave_out=own)
    if state.step is not Step.REOPEN:
        refuse_seen(found, asked.reason if asked.again else None)
    return len(found.seen)


def _refuse_results(ledger: Ledger, state: State, root: Path) -> None:
    """Other code may complete an opening only where nobody can have seen what it gave.

    Raises:
        HoldoutError: results were written under it.
    """
    lineage, entry = set[str](), state.opened
    while entry is not None:
        lineage.add(entry.digest)
        entry = ledger.entry(str(entry.details.get("completes")))
    there = [record.id for record in holdout_records(root / RUNS) if record.holdout.get("opened") in lineage]
    if there:
        message = (
            f"the opening that was cut off has written results ({', '.join(there)}): other code cannot complete it any "
            'more. Bring the code back as it was, or go on with --spend-again --reason "…", and every table will say so'
        )
        raise HoldoutError(message)


def _opened(plan: FrozenPlan, source: Source, state: State, asked: Asked, lost: Lost) -> Entry:
    """The entry under which the arms are scored, on the disk.

    Raises:
        HoldoutError: more of the questions were seen than may be overlooked, or the ledger changed meanwhile.
    """
    questions = source.held_out(plan.split["fold"])
    details = opened_details(plan, state, reason=asked.reason, n_seen=_n_seen(plan, source, state, asked))
    details |= {"lost": list(lost.entries)} if lost.entries else {}
    kind = Kind.REOPENED if state.step is Step.REOPEN else Kind.OPENED

    def make(ledger: Ledger) -> Addition:
        if state_of(ledger, plan, questions, _allowed(asked)).step is not state.step:
            message = "the ledger changed while the holdout was being opened; try again"
            raise HoldoutError(message)
        return kind, questions, details

    ledger, _ = add_entry(source.place, make)
    return ledger.entries[-1]


def _note_under_root(place: Place, opened: Entry) -> None:
    """These questions are known by their texts from now on, wherever they are copied to."""

    def make(ledger: Ledger) -> Addition | None:
        if any(entry.details.get("entry") == opened.digest for entry in ledger.of(Kind.OPENED)):
            return None
        kept = {name: opened.details[name] for name in ("study", "name", "plan", "dataset", "split")}
        return Kind.OPENED, opened.questions, {**kept, "entry": opened.digest, "ledger": str(place.folder)}

    add_to_root(place.root, make)


def closed_with(
    plan: FrozenPlan, place: Place, opened: Entry, scored: Mapping[str, Scored], keeping: Keeping
) -> Outcome:
    """Write the results, note their digests in the ledger, then write their report, then log them.

    Args:
        plan: the plan.
        place: of its dataset.
        opened: the entry under which they were made.
        scored: the results by key of the arm.
        keeping: what is said of them, and where they go.

    Raises:
        RagAblationError: ledger or store cannot be written.
    """
    names = write_arms(plan, scored, opened.digest, _words(keeping.marks), keeping.root)
    found = verdict(plan, {key: keeping.root / RUNS / name for key, name in names.items()})
    details = {
        "opened": opened.digest,
        "plan": plan.identity(),
        "decision": str(found.ruling.decision),
        "results": {key: one.digests for key, one in scored.items()},
    }
    runs = _written(plan, (opened, _closed(place, details)), names, found, keeping)
    return _told(plan, place, runs, keeping)


def _closed(place: Place, details: Mapping[str, Any]) -> Entry:
    """The entry that holds the digests of an opening's results; the one that is there where it was closed before."""

    def same(ledger: Ledger) -> list[Entry]:
        return [entry for entry in ledger.of(Kind.CLOSED) if dict(entry.details) == details]

    ledger, _ = add_entry(place, lambda ledger: None if same(ledger) else (Kind.CLOSED, (), details))
    return same(ledger)[-1]


def _written(
    plan: FrozenPlan, entries: tuple[Entry, Entry], names: Mapping[str, str], found: Verdict, keeping: Keeping
) -> HoldoutRuns:
    """Which runs are the results of a plan, written down."""
    opened, closed = entries
    ruling = found.ruling
    runs = HoldoutRuns(
        plan=plan.digest(),
        opened=opened.digest,
        closed=closed.digest,
        marks=_words(keeping.marks),
        runs=names,
        words={"decision": str(ruling.decision), "rule": plan.rule.words(), "observed": ruling.words()},
        queries=plan.fingerprints["queries"],
    )
    write_runs(keeping.folder, runs)
    return runs


def _told(plan: FrozenPlan, place: Place, runs: HoldoutRuns, keeping: Keeping) -> Outcome:
    """The report, then the log; both go by what was written down."""
    outcome = Outcome(
        plan=plan,
        step=keeping.step,
        spent=spent(place, runs.opened, f"the results of plan {plan.name}"),
        verdict=verdict(plan, {key: keeping.root / RUNS / name for key, name in runs.runs.items()}),
        runs=runs,
        folder=keeping.folder,
    )
    log(outcome, write_outcome(outcome, keeping.root), keeping.tracker, keeping.root)
    return outcome


def _words(marks: Sequence[Mark]) -> tuple[str, ...]:
    return tuple(mark.words() for mark in marks)


def _replayed(
    plan: FrozenPlan, source: Source, entries: tuple[Entry, Entry], keeping: Keeping, on_stage: OnStage
) -> Outcome:
    """Run a plan again that has closed, without the store, and hold everything against what was noted then.

    Raises:
        HoldoutError: it gives something else, with the same libraries.
    """
    (opened, closed), root = entries, keeping.root
    elsewhere = other_libraries(plan, libraries())
    with tempfile.TemporaryDirectory(prefix="replay-", dir=root) as store:
        scored = score(plan, source, Under.of(opened, root, on_stage, Path(store)))
    differs = _differences(closed, scored)
    completed = tuple(
        f"{key}: {one.asked_anew} requests for texts, answers or verdicts that are in no store"
        for key, one in scored.items()
        if one.asked_anew
    )
    details = {
        "opened": opened.digest,
        "plan": plan.identity(),
        "differs": list(differs),
        "elsewhere": list(elsewhere),
        "completed": list(completed),
    }
    add_entry(source.place, lambda _: (Kind.REPLAYED, (), details))
    _note_under_root(source.place, opened)
    if differs and not elsewhere and not completed:
        message = (
            "the replay differs from what was noted when the holdout was closed, with the same code, models, data and "
            "libraries:\n  " + "\n  ".join(differs)
        )
        raise HoldoutError(message)
    marks = marks_of(plan, int(opened.details["times"]), int(opened.details["seen"]), replayed=bool(differs))
    keeping = replace(keeping, marks=marks)
    kept = _kept(keeping.folder, opened, root)
    if kept is None:
        names = write_arms(plan, scored, opened.digest, _words(marks), root)
        found = verdict(plan, {key: root / RUNS / name for key, name in names.items()})
        kept = _written(plan, entries, names, found, keeping)
    outcome = _told(plan, source.place, replace(kept, marks=_words(marks)), keeping)
    return replace(outcome, differs=differs, elsewhere=elsewhere, completed=completed)


def _differences(closed: Entry, scored: Mapping[str, Scored]) -> tuple[str, ...]:
    """What a replay gave otherwise than was noted when the holdout was closed."""
    return tuple(
        f"{key} {what}: {digest[:12]}… then, {scored[key].digests.get(what, 'none')[:12]}… now"
        for key, then in closed.details["results"].items()
        for what, digest in then.items()
        if scored[key].digests.get(what) != digest
    )


def _kept(folder: Path, opened: Entry, root: Path) -> HoldoutRuns | None:
    """The results that were written under an entry, None where they are not whole."""
    kept = read_runs(folder)
    if kept is None or kept.opened != opened.digest:
        return None
    return kept if all(is_whole(root / RUNS / name) for name in kept.runs.values()) else None
