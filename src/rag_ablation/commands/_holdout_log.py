"""The results of a plan in the tracker: one parent, an arm below it for each of the plan's."""

from pathlib import Path

from rag_ablation.commands._holdout_folder import HoldoutRuns
from rag_ablation.commands.run import RUNS
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.tracking.base import RunStart, Tracker
from rag_ablation.tracking.files import read_record

SIDE = "holdout"


def holdout_experiment(plan: FrozenPlan) -> str:
    """The tracker's experiment that holdout runs of a plan's study are logged in."""
    return f"{plan.tracking['experiment']}/holdout"


def log(plan: FrozenPlan, runs: HoldoutRuns, tracker: Tracker, folder: Path, root: Path) -> None:
    """Log every arm that is not logged yet.

    Args:
        plan: the plan.
        runs: its results.
        tracker: where.
        folder: of the plan's results.
        root: folder under which everything is written.

    Raises:
        TrackingError: the store cannot be written.
    """
    experiment = holdout_experiment(plan)
    tags = {"split": "holdout", "rag.side": "holdout", "rag.frozen": plan.name, "rag.study": plan.study}
    tags |= {"rag.marks": "; ".join(runs.marks)} if runs.marks else {}
    start = RunStart(
        experiment=experiment, name=f"holdout {plan.name}", kind="holdout", parent=None, tags=tags, digest=runs.opened
    )
    logged = set(tracker.finished(experiment).values())
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
                tags={**tags, "rag.study_arm": key},
            )
            with tracker.start(arm) as run_id:
                tracker.push(run_id, record, root / RUNS / name)
        tracker.summarise(parent, _note(runs), folder)


def _note(runs: HoldoutRuns) -> str:
    marks = "".join(f"\n\n**{mark}**" for mark in runs.marks)
    return f"**{runs.words['decision']}**{marks}\n\n{runs.words['rule']}\n\n{runs.words['observed']}"
