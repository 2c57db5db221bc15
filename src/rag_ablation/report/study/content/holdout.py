"""What a plan came to on its holdout."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.core.record import RecordedMean
from rag_ablation.holdout.rule import Decision
from rag_ablation.measures.independent import IndependentDifference
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A dev result beside the same on the holdout.

    Args:
        name: of the arm, or label of the difference.
        paired: whether it is a difference of two arms.
        found: dev less holdout, with both.
    """

    name: str
    paired: bool
    found: IndependentDifference

    @property
    def flattered(self) -> bool:
        """Whether dev lies above the holdout by its whole interval."""
        return self.found.low is not None and self.found.low > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdout:
    """What a plan came to on its holdout.

    Args:
        rule: as it was frozen.
        observed: one sentence for each baseline.
        therefore: the conclusion in the rule's own words.
        decision: what it comes to.
        spent: that the holdout was opened, and how often.
        marks: what weakens these results; none where nothing does.
        tuning_finding: one sentence on how much of the dev results was tuning.
        tuning: the candidate's mean, then its difference from each baseline.
        facts: (name, content) lines: plan, opening, libraries, replays.
    """

    rule: Text
    observed: tuple[Text, ...]
    therefore: Text
    decision: Decision
    spent: Text
    marks: tuple[Text, ...]
    tuning_finding: Text
    tuning: tuple[Tuning, ...]
    facts: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRow:
    """One measure on every arm; exploratory.

    Args:
        column: measuring point and measure.
        primary: whether it is the one that the rule speaks of.
        shown: whether it is one of the few that a page has room for.
        means: by arm key.
        differences: by label of the step.
    """

    column: str
    primary: bool
    shown: bool
    means: Mapping[str, Interval]
    differences: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRow:
    """The primary measure on a part of the questions; exploratory.

    Args:
        dimension: `language`, `identity` or `gold`.
        part: of it.
        means: by arm key.
    """

    dimension: str
    part: str
    means: Mapping[str, RecordedMean]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Every other measure and every other slice; exploratory.

    Args:
        finding: one computed sentence.
        arms: keys.
        labels: of the steps.
        rows: every measure, the primary one first.
        slices: parts of the questions.
        measure: the primary one.
        fewest: groups under which a slice's interval is not shown.
    """

    finding: Text
    arms: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[MeasureRow, ...]
    slices: tuple[SliceRow, ...]
    measure: str
    fewest: int
