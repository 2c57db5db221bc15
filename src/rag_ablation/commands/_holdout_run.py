"""A holdout in the order that the discipline asks for: check, note, score once, close, log, tell."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag_ablation.commands._holdout_check import Lost, alone, check_witnesses, said_that_it_is_open, what_to_do
from rag_ablation.commands._holdout_check import elsewhere as elsewhere_of
from rag_ablation.commands._holdout_folder import HoldoutRuns, holdout_folder, read_runs, write_runs
from rag_ablation.commands._holdout_log import log
from rag_ablation.commands._holdout_outcome import Asked, Keeping, Outcome
from rag_ablation.commands._holdout_report import write_outcome
from rag_ablation.commands._holdout_score import Scored, Under, Verdict, score, verdict, write_arms
from rag_ablation.commands._plan_check import changed_since
from rag_ablation.commands._plan_source import Source, source_of_plan
from rag_ablation.commands.freeze import refuse_seen
from rag_ablation.commands.run import RUNS, STORE, OnStage, open_tracker
from rag_ablation.core.errors import HoldoutError
from rag_ablation.experiment.experiment import TrackingSettings
from rag_ablation.holdout.entry import Entry, Kind, Question
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.ledger import Addition, Ledger
from rag_ablation.holdout.opening import Allowed, State, Step, completable, marks_of, opened_details, state_of
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import add_entry, add_to_root, dataset_ledger, seen_before
from rag_ablation.tracking.base import Tracker
from rag_ablation.tracking.files import holdout_records, is_whole


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
    questions = source.held_out(plan.split["fold"])
    with alone(source.place):
        changed = changed_since(plan, source)
        if changed:
            message = f"the plan {plan.name!r} cannot be run: not everything is as it was frozen\n  "
            raise HoldoutError(message + "\n  ".join([*changed, what_to_do(plan, source, changed)]))
        tracker = open_tracker(TrackingSettings(name=plan.tracking["name"], uri=asked.tracking_uri), root)
        lost = check_witnesses(plan, source.place, tracker, again=asked.again)
        allowed = Allowed(reopen=asked.reason is not None, again=asked.again)
        state = state_of(dataset_ledger(source.place), plan, questions, allowed)
        if state.step is Step.REOPEN:
            _refuse_results(dataset_ledger(source.place), state, root)
        if state.step is Step.REPLAY:
            return _replayed(plan, source, state, (tracker, root, asked.on_stage))
        if state.opened is None:
            state = replace(state, times=state.times + lost.openings)
        n_seen = _seen(plan, source, state, asked)
        marks = tuple(marks_of(plan, state.times, n_seen))
        opened = _opened(plan, source, state, asked, (n_seen, lost))
        with said_that_it_is_open(opened):
            scored = score(plan, source, Under(opened=opened.digest, store=root / STORE, on_stage=asked.on_stage))
            folder = holdout_folder(plan.study, plan.name, root)
            keeping = Keeping(marks=marks, tracker=tracker, root=root, folder=folder)
            outcome = closed_with(plan, source, replace(state, opened=opened), scored, keeping)
        return replace(outcome, elsewhere=elsewhere_of(plan))


def _seen(plan: FrozenPlan, source: Source, state: State, asked: Asked) -> int:
    """How many of the questions had been looked at before they were opened.

    Raises:
        HoldoutError: more than may be overlooked, and nobody says why it goes on.
    """
    if state.step is Step.COMPLETE and state.opened is not None:
        return int(state.opened.details["seen"])
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


def _opened(plan: FrozenPlan, source: Source, state: State, asked: Asked, noted: tuple[int, Lost]) -> Entry:
    """The entry under which the arms are scored, on the disk; the one that is there where an opening is completed."""
    questions: Sequence[Question] = source.held_out(plan.split["fold"])
    if state.step is Step.COMPLETE and state.opened is not None:
        _note_under_root(source.place, state.opened)
        return state.opened
    n_seen, lost = noted
    details = opened_details(plan, state, reason=asked.reason, n_seen=n_seen)
    details |= {"lost": list(lost.entries)} if lost.entries else {}
    kind = Kind.REOPENED if state.step is Step.REOPEN else Kind.OPENED

    def make(ledger: Ledger) -> Addition:
        now = state_of(ledger, plan, questions, Allowed(asked.reason is not None, asked.again))
        if now.step is not state.step:
            message = "the ledger changed while the holdout was being opened; try again"
            raise HoldoutError(message)
        return kind, questions, details

    _, entry = add_entry(source.place, make)
    if entry is None:
        message = "nothing was opened"
        raise HoldoutError(message)
    _note_under_root(source.place, entry)
    return entry


def _note_under_root(place: Place, opened: Entry) -> None:
    """These questions are known by their texts from now on, wherever they are copied to."""

    def make(ledger: Ledger) -> Addition | None:
        if any(entry.details.get("entry") == opened.digest for entry in ledger.of(Kind.OPENED)):
            return None
        kept = {name: opened.details[name] for name in ("study", "name", "plan", "dataset", "split")}
        return Kind.OPENED, opened.questions, {**kept, "entry": opened.digest, "ledger": str(place.folder)}

    add_to_root(place.root, make)


def closed_with(
    plan: FrozenPlan,
    source: Source,
    state: State,
    scored: Mapping[str, Scored],
    keeping: Keeping,
) -> Outcome:
    """Note the results' digests in the ledger, then write their report, then log them.

    Args:
        plan: the plan.
        source: its dataset.
        state: with the entry under which they were made.
        scored: the results by key of the arm.
        keeping: what is said of them, and where they go.

    Raises:
        RagAblationError: ledger or store cannot be written.
    """
    opened = state.opened
    if opened is None:
        message = "nothing was opened"
        raise HoldoutError(message)
    names = write_arms(plan, scored, opened.digest, keeping.marks, keeping.root)
    found = verdict(plan, {key: keeping.root / RUNS / name for key, name in names.items()})
    details = {
        "opened": opened.digest,
        "plan": plan.identity(),
        "decision": str(found.ruling.decision),
        "results": {key: one.digests for key, one in scored.items()},
    }
    closed = _closed(source.place, details)
    runs = HoldoutRuns(
        plan=plan.digest(),
        opened=opened.digest,
        closed=closed.digest,
        marks=keeping.marks,
        runs=names,
        words=_words(plan, found),
        queries=plan.fingerprints["queries"],
    )
    write_runs(keeping.folder, runs)
    outcome = Outcome(
        plan=plan,
        state=replace(state, closed=closed),
        verdict=found,
        marks=keeping.marks,
        runs=runs,
        folder=keeping.folder,
    )
    log(outcome, write_outcome(outcome, keeping.root), keeping.tracker, keeping.root)
    return outcome


def _closed(place: Place, details: Mapping[str, Any]) -> Entry:
    """The entry that holds the digests of an opening's results; the one that is there where it was closed before."""

    def there(ledger: Ledger) -> Entry | None:
        same = [entry for entry in ledger.of(Kind.CLOSED) if dict(entry.details) == details]
        return same[-1] if same else None

    ledger, added = add_entry(place, lambda ledger: None if there(ledger) else (Kind.CLOSED, (), details))
    found = added or there(ledger)
    if found is None:
        message = "nothing was closed"
        raise HoldoutError(message)
    return found


def _words(plan: FrozenPlan, found: Verdict) -> dict[str, str]:
    return {"decision": str(found.ruling.decision), "rule": plan.rule.words(), "observed": found.ruling.words()}


def _replayed(plan: FrozenPlan, source: Source, state: State, where: tuple[Tracker, Path, OnStage]) -> Outcome:
    """Run a plan again that has closed, without the store, and hold everything against what was noted then."""
    tracker, root, on_stage = where
    opened, closed = state.opened, state.closed
    if opened is None or closed is None:
        message = "nothing to replay"
        raise HoldoutError(message)
    elsewhere = elsewhere_of(plan)
    with tempfile.TemporaryDirectory(prefix="replay-", dir=root) as store:
        scored = score(plan, source, Under(opened=opened.digest, store=Path(store), on_stage=on_stage))
    differs = _differences(closed, scored)
    details = {"opened": opened.digest, "plan": plan.identity(), "differs": list(differs), "elsewhere": list(elsewhere)}
    add_entry(source.place, lambda _: (Kind.REPLAYED, (), details))
    _note_under_root(source.place, opened)
    if differs and not elsewhere:
        message = (
            "the replay differs from what was noted when the holdout was closed, with the same code, models, data and "
            "libraries:\n  " + "\n  ".join(differs)
        )
        raise HoldoutError(message)
    times, seen = int(opened.details["times"]), int(opened.details["seen"])
    marks = tuple(marks_of(plan, times, seen, replayed=bool(differs)))
    folder = holdout_folder(plan.study, plan.name, root)
    kept = _kept(folder, opened, root)
    if kept is None:
        names = write_arms(plan, scored, opened.digest, marks, root)
        found = verdict(plan, {key: root / RUNS / name for key, name in names.items()})
        kept = HoldoutRuns(
            plan=plan.digest(),
            opened=opened.digest,
            closed=closed.digest,
            marks=marks,
            runs=names,
            words=_words(plan, found),
            queries=plan.fingerprints["queries"],
        )
        write_runs(folder, kept)
    outcome = Outcome(
        plan=plan,
        state=state,
        verdict=verdict(plan, {key: root / RUNS / name for key, name in kept.runs.items()}),
        marks=marks,
        runs=kept,
        folder=folder,
        differs=differs,
        elsewhere=elsewhere,
    )
    log(outcome, write_outcome(outcome, root), tracker, root)
    return outcome


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
