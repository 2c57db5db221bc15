"""A holdout scored once more because its labels were wrong; what was found on the old ones stays."""

from pathlib import Path

from rag_ablation.commands._holdout_check import check_witnesses, one_at_a_time
from rag_ablation.commands._holdout_folder import holdout_folder, read_runs
from rag_ablation.commands._holdout_log import holdout_experiment
from rag_ablation.commands._holdout_outcome import Asked, Keeping, Outcome
from rag_ablation.commands._holdout_run import closed_with
from rag_ablation.commands._holdout_score import Under, score
from rag_ablation.commands._plan_check import changed_since
from rag_ablation.commands._plan_source import Source, source_of_plan
from rag_ablation.commands.run import open_tracker
from rag_ablation.core.errors import HoldoutError
from rag_ablation.experiment.experiment import TrackingSettings
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.ledger import Ledger
from rag_ablation.holdout.opening import Allowed, Step, marks_of, state_of
from rag_ablation.holdout.seen import add_entry, dataset_ledger
from rag_ablation.tracking.base import Tracker


def amend(plan: FrozenPlan, asked: Asked, root: Path) -> Outcome:
    """Score candidate and baselines together on a corrected snapshot of the labels.

    Args:
        plan: a plan that was run on its holdout.
        asked: with the reason.
        root: folder under which everything is written.

    Raises:
        RagAblationError: it was not run, the labels are as they were, or something else has changed as well.
    """
    source = source_of_plan(plan, root, asked.dataset)
    with one_at_a_time(source.place):
        changed = changed_since(plan, source, labels=False)
        if changed:
            message = f"plan {plan.name!r}: more than the labels has changed since it was frozen\n  "
            raise HoldoutError(message + "\n  ".join(changed))
        tracker = open_tracker(TrackingSettings(name=plan.tracking["name"], uri=asked.tracking_uri), root)
        check_witnesses(plan, source.place, tracker)
        ledger = dataset_ledger(source.place)
        state = state_of(ledger, plan, source.held_out(plan.split["fold"]), Allowed())
        if state.step is not Step.REPLAY or state.opened is None:
            message = f"plan {plan.name!r} has not been run on its holdout: there is nothing to amend"
            raise HoldoutError(message)
        amended, number = _amended(plan, source, state.opened, asked.reason, (tracker, root))
        times, seen = int(state.opened.details["times"]), int(state.opened.details["seen"])
        marks = marks_of(plan, times, seen, amended=True)
        scored = score(plan, source, Under.of(amended, root, asked.on_stage))
        folder = holdout_folder(plan.study, plan.name, root) / f"amended-{number}"
        keeping = Keeping(step=state.step, tracker=tracker, root=root, folder=folder, marks=marks)
        return closed_with(plan, source.place, amended, scored, keeping)


def _amended(
    plan: FrozenPlan, source: Source, opened: Entry, reason: str | None, where: tuple[Tracker, Path]
) -> tuple[Entry, int]:
    """The entry under which the arms are scored again, on the disk, and its number; one that was cut off is completed.

    Raises:
        HoldoutError: the labels are those that were scored on.
    """
    earlier = _amendments(dataset_ledger(source.place), opened)
    before = str(earlier[-1].details["labels"]["after"]) if earlier else plan.fingerprints["labels"]
    after = source.benchmark.fingerprints["labels"]
    _check_split(plan, source, opened)
    if before == after:
        if earlier and not _is_kept(plan, len(earlier), *where):
            return earlier[-1], len(earlier)
        message = f"the labels of {source.place.name} are those that plan {plan.name!r} was scored on: nothing to amend"
        raise HoldoutError(message)
    details = {
        "opened": opened.digest,
        "plan": plan.identity(),
        "study": plan.study,
        "name": plan.name,
        "labels": {"before": before, "after": after},
        "reason": reason,
    }
    ledger, _ = add_entry(source.place, lambda _: (Kind.AMENDED, opened.questions, details))
    return ledger.entries[-1], len(earlier) + 1


def _is_kept(plan: FrozenPlan, number: int, tracker: Tracker, root: Path) -> bool:
    """Whether the results of an amendment are written down, and logged where there is a tracker."""
    kept = read_runs(holdout_folder(plan.study, plan.name, root) / f"amended-{number}")
    if kept is None or not tracker.place:
        return kept is not None
    return set(kept.runs.values()) <= tracker.folders(holdout_experiment(plan))


def _amendments(ledger: Ledger, opened: Entry) -> list[Entry]:
    """Entries under which an opening was scored again on corrected labels, the oldest first."""
    return [entry for entry in ledger.of(Kind.AMENDED) if entry.details["opened"] == opened.digest]


def _check_split(plan: FrozenPlan, source: Source, opened: Entry) -> None:
    """The same questions are held out, by the split of the plan or one that has grown from it.

    Raises:
        HoldoutError: they are not.
    """
    split, then = source.split, plan.fingerprints["split"]
    held = {question.id for question in source.held_out(plan.split["fold"])}
    if then not in (split.digest(), *split.extends) or held != {question.id for question in opened.questions}:
        message = (
            f"the split {split.name!r} is another than that of plan {plan.name!r}: bring it back, or let it grow "
            f"(rag-ablation data split DIR --extend {split.name})"
        )
        raise HoldoutError(message)
