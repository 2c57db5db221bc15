"""Where evidence is lost."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag_ablation.report.flow import Flow
from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Where evidence is lost.

    Args:
        finding: one computed sentence.
        arms: keys, in the order of the columns.
        counts: by arm key, by fate; every arm sums to `total`.
        total: relevant units.
        gap: by arm key, points of recall by part, in tenths of a point so that parts add up; a part that cannot be is
            left out.
        recall: by arm key, the context's recall in tenths of a point.
        flow: the way of the evidence through one arm, None without one.
        flow_arm: key of that arm.
        side: notes for the margin.
        answers: by arm key, kept units by what became of the answer, which sum to those that are kept; an arm without
            answers is left out.
        answered: one sentence on that, of the arm whose flow is shown; None where it has no answers.
    """

    finding: Text
    arms: tuple[str, ...]
    counts: Mapping[str, Mapping[str, int]]
    total: int
    gap: Mapping[str, Mapping[str, int]]
    recall: Mapping[str, int]
    flow: Flow | None
    flow_arm: str | None
    side: tuple[Text, ...]
    answers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    answered: Text | None = None
