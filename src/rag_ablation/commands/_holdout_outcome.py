"""How a holdout is asked for, and what comes of it."""

from dataclasses import dataclass
from pathlib import Path

from rag_ablation.commands._holdout_folder import HoldoutRuns
from rag_ablation.commands._holdout_score import Verdict
from rag_ablation.commands.run import RUNS
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.opening import State
from rag_ablation.tracking.base import Tracker


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How a person asks for a holdout.

    Args:
        reason: why it goes on over what forbids it, None where nobody says so.
        again: whether a spent holdout is to be used again.
        dataset: where the dataset lies now, None for where the plan says.
        tracking_uri: of the tracker, None for the default.
    """

    reason: str | None = None
    again: bool = False
    dataset: str | None = None
    tracking_uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What is said of results, and where they go.

    Args:
        marks: what every table must say of them.
        tracker: where they are logged.
        root: folder under which everything is written.
        folder: of the plan's results.
    """

    marks: tuple[str, ...]
    tracker: Tracker
    root: Path
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a holdout.

    Args:
        plan: the plan.
        state: where it stood before.
        verdict: what the rule makes of the results.
        marks: what every table must say of them.
        runs: which they are.
        folder: where it is written down.
        differs: what a replay gave otherwise, in words; empty where there was none, or it gave the same.
        elsewhere: libraries that are not those of the plan, in words.
    """

    plan: FrozenPlan
    state: State
    verdict: Verdict
    marks: tuple[str, ...]
    runs: HoldoutRuns
    folder: Path
    differs: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def folders(self, root: Path) -> dict[str, Path]:
        """Run folders by key of the arm."""
        return {key: root / RUNS / name for key, name in self.runs.runs.items()}
