"""How a holdout is asked for, and what comes of it."""

from dataclasses import dataclass
from pathlib import Path

from rag_ablation.commands._holdout_folder import HoldoutRuns
from rag_ablation.commands._holdout_score import Verdict
from rag_ablation.commands.run import OnStage
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.marks import Mark, Spent
from rag_ablation.holdout.opening import Step
from rag_ablation.tracking.base import Tracker


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a person asks for a holdout.

    Args:
        reason: why it goes on over what forbids it, None where nobody says so.
        again: whether a spent holdout is to be used again.
        dataset: where the dataset lies now, None for where the plan says.
        tracking_uri: of the tracker, None for the default.
        on_stage: told of each finished stage, with the arm's key.
    """

    reason: str | None = None
    again: bool = False
    dataset: str | None = None
    tracking_uri: str | None = None
    on_stage: OnStage = lambda _, __: None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What is said of results, and where they go.

    Args:
        step: what had come next for their plan.
        tracker: where they are logged.
        root: folder under which everything is written.
        folder: of the plan's results.
        marks: what every table must say of them.
    """

    step: Step
    tracker: Tracker
    root: Path
    folder: Path
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a holdout.

    Args:
        plan: the plan.
        step: what had come next for it.
        spent: how often the holdout was opened, as the ledger says now.
        verdict: what the rule makes of the results.
        runs: which they are, and how they are marked.
        folder: where it is written down.
        differs: what a replay gave otherwise, in words; empty where there was none, or it gave the same.
        elsewhere: libraries that are not those of the plan, in words.
        completed: what a replay had to ask for anew, in words, by arm.
    """

    plan: FrozenPlan
    step: Step
    spent: Spent
    verdict: Verdict
    runs: HoldoutRuns
    folder: Path
    differs: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
