"""Every arm, every step."""

from dataclasses import dataclass
from enum import StrEnum

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.factors import Change
from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Comparison
from rag_ablation.report.study.words import Text


class Ruled(StrEnum):
    """What the rule of a plan makes of one baseline."""

    PASSES = "passes"
    BEHIND = "falls behind"
    TOO_SMALL = "too small"
    OPEN = "open"
    FEW_GROUPS = "too few groups"
    NO_INTERVAL = "no interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderStep:
    """One arm against one parent on the primary measure.

    Args:
        child: key.
        parent: key.
        label: `C − A`, `D − (B+D)`.
        better_parent: whether this parent is the better of several on these questions.
        change: what differs in the settings.
        comparison: the verdict and its figures, None where the two do not compare.
        refused: why they do not, None where they do.
        detectable: smallest difference that was likely to show, None where unknown.
        gaps: differences of the questions, largest gain first.
        ruled: what the rule of a plan makes of it; None of a study, whose steps are judged together.
    """

    child: str
    parent: str
    label: str
    better_parent: bool
    change: Change
    comparison: Comparison | None
    refused: str | None
    detectable: float | None
    gaps: tuple[float, ...]
    ruled: Ruled | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """One arm of the ladder.

    Args:
        key: of the arm.
        variant: name of its preset.
        role: step or bracket.
        changed: its one change in words.
        mean: of the primary measure, None without one.
        steps: against each parent.
        note: in place of steps: where the ladder starts, why there is no ranking, why it was skipped or failed.
    """

    key: str
    variant: str
    role: Role
    changed: Text
    mean: RecordedMean | None
    steps: tuple[LadderStep, ...]
    note: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Every arm, every step.

    Args:
        finding: one computed sentence.
        measure: `final/ndcg@10`.
        rows: a parent before its children.
        shown: steps drawn question by question, three at most, those of the conclusion first.
        remark: what the drawn steps show, None without any.
        side: notes for the margin.
    """

    finding: Text
    measure: str
    rows: tuple[LadderRow, ...]
    shown: tuple[LadderStep, ...]
    remark: Text | None
    side: tuple[Text, ...]

    def steps(self) -> tuple[LadderStep, ...]:
        """The family in ladder order."""
        return tuple(step for row in self.rows for step in row.steps)
