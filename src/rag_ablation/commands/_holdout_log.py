"""The results of a plan in the tracker: one parent, an arm below it for each of the plan's."""

from pathlib import Path

from rag_ablation.commands._holdout_outcome import Outcome
from rag_ablation.commands.run import RUNS
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.markdown import verdict_note
from rag_ablation.tracking.base import RunStart, Tracker
from rag_ablation.tracking.files import read_record


def holdout_experiment(plan: FrozenPlan) -> str:
    """The tracker's experiment that holdout runs of a plan's study are logged in."""
    return f"{plan.tracking['experiment']}/holdout"


def log(outcome: Outcome, report: StudyReport, tracker: Tracker, root: Path) -> None:
    """Log every arm that is not logged yet, and put the report on their parent.

    Args:
        outcome: what came of a plan.
        report: what was written of it.
        tracker: where.
        root: folder under which everything is written.

    Raises:
        TrackingError: the store cannot be written.
    """
    plan, runs = outcome.plan, outcome.runs
    experiment = holdout_experiment(plan)
    tags = {"split": "holdout", "rag.side": "holdout", "rag.frozen": plan.name, "rag.study": plan.study}
    tags |= {"rag.frozen_plan": plan.digest(), "rag.dataset": plan.dataset["name"]}
    start = RunStart(
        experiment=experiment,
        name=f"holdout {plan.name}",
        kind="holdout",
        parent=None,
        tags={**tags, **_tags(outcome, report)},
        digest=runs.opened,
    )
    logged = tracker.folders(experiment)
    with tracker.start(start) as parent:
        for key, name in runs.runs.items():
            if name in logged:
                continue
            record = read_record(root / RUNS / name)
            arm = RunStart(
                experiment=experiment,
                name=f"{plan.name} {record.arm}",
                kind="arm",
                parent=parent,
                tags={**tags, **_marks(runs.marks), "rag.study_arm": key},
            )
            with tracker.start(arm) as run_id:
                tracker.push(run_id, record, root / RUNS / name)
        tracker.summarise(parent, verdict_note(report), outcome.folder)


def _tags(outcome: Outcome, report: StudyReport) -> dict[str, str]:
    """Decision and marks, as the parent bears them."""
    spent = {} if report.holdout is None else {"rag.spent": report.holdout.spent.plain()}
    return {"rag.decision": str(outcome.verdict.ruling.decision), **spent, **_marks(outcome.runs.marks)}


def _marks(marks: tuple[str, ...]) -> dict[str, str]:
    return {"rag.marks": "; ".join(marks)} if marks else {}
