"""The primary measure by question type."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A mean or a difference on a part of the questions.

    Args:
        value: None where undefined.
        low: lower end of the interval.
        high: upper end.
        n: questions.
        n_groups: groups.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One question type, or all scored questions together.

    Args:
        type: its name; empty for all.
        asked: questions of the type.
        n: of them scored.
        n_groups: their groups.
        means: by arm key.
        differences: by label of the step.
        undefined: why there is nothing, None where there is.
        left_out: questions that are not scored, by reason, the most first.
        contributions: by label of every compared step, what the type adds to its mean difference; they add up to it.
    """

    type: str
    asked: int
    n: int
    n_groups: int
    means: Mapping[str, Cell]
    differences: Mapping[str, Cell]
    undefined: Text | None
    left_out: Mapping[str, int] = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """Who gained and who lost; exploratory.

    Args:
        finding: one computed sentence.
        measure: `final/ndcg@10`.
        arms: keys, in the order of the columns.
        labels: of the steps, in the order of the columns.
        rows: most questions first, all scored questions last.
        watched: sentences on the differences that the study named before its runs: unadjusted, no verdict.
        concentration: sentences on how much of a step of the conclusion one type makes; exploratory.
        notes: how the numbers of the rows add up.
    """

    finding: Text
    measure: str
    arms: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[TypeRow, ...]
    watched: tuple[Text, ...]
    concentration: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()
