"""Differences on a part of the questions that the study named before its runs: unadjusted, without a verdict.

Legend: Q questions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.experiment.study import Watched
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.differences import refusal
from rag_ablation.report.study.asked import Primary, same_questions
from rag_ablation.report.study.figures import difference, mean, over, questions
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.naming import label_of
from rag_ablation.report.study.prose import Filling, say
from rag_ablation.report.study.recorded import excludes_zero
from rag_ablation.report.study.words import Text, code


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A watched difference, as far as it could be computed.

    Args:
        asked: what the study asked for.
        child: mean of the one arm on the type.
        parent: mean of the other.
        interval: child − parent; None where the two arms do not compare.
        moved: questions on which they differ.
    """

    asked: Watched
    child: float | None
    parent: float | None
    interval: Interval | None
    moved: int

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of 0, over groups enough to look at."""
        found = self.interval
        return found is not None and found.n_groups >= GROUPS_FOR_A_VERDICT and excludes_zero(found.low, found.high)

    @property
    def label(self) -> str:
        """`C − A`."""
        return label_of(self.asked.child, self.asked.parent)


def watches_of(results: StudyResults) -> tuple[Watch, ...]:
    """Compute every difference that the study asked for by name."""
    return tuple(_watch(results, asked) for asked in results.study.watched)


def watched_sentence(results: StudyResults, watch: Watch) -> Text:
    """One sentence on a watched difference, or on why there is none."""
    found, kind = watch.interval, code(watch.asked.type)
    if found is None:
        return say(
            "{type}, {label}: not computed, since the two arms were not both run on the same questions.",
            "{type}，{label}：未计算，因为两个方案没有都在相同的题上运行。",
            type=kind,
            label=watch.label,
        )
    if found.mean is None:
        return say(
            "{type}, {label}: undefined, no question of this type is scored.",
            "{type}，{label}：无定义，该类型没有计分的题。",
            type=kind,
            label=watch.label,
        )
    parts: dict[str, Filling] = {
        "type": kind,
        "label": watch.label,
        "child": watch.asked.child,
        "parent": watch.asked.parent,
        "name": Primary.of(results).heading,
        "a": mean(watch.child),
        "b": mean(watch.parent),
        "on": over(found.n, found.n_groups),
    }
    if not watch.moved:
        return say(
            "{type}, {label}: the two are equal on each of {n}, {name} {a}; {on}.",
            "{type}，{label}：{n} 上两者处处相等，{name} {a}；{on}。",
            n=questions(found.n),
            **parts,
        )
    return say(
        "{type}, {label}: {difference}; {name} {a} for {child}, {b} for {parent}; {on}{few}.",
        "{type}，{label}：{difference}；{name} {child} 为 {a}，{parent} 为 {b}；{on}{few}。",
        difference=difference(found),
        few=_few(found),
        **parts,
    )


def _few(found: Interval) -> Text:
    if found.n_groups >= GROUPS_FOR_A_VERDICT:
        return Text((), ())
    few = str(GROUPS_FOR_A_VERDICT)
    return say(", under {few}: too few to look at", "，不足 {few} 组：太少，不足为凭", few=few)


def _watch(results: StudyResults, asked: Watched) -> Watch:
    child, parent = results.arm(asked.child), results.arm(asked.parent)
    column = results.study.primary
    if child is None or parent is None or not _comparable(child, parent, column):
        return Watch(asked=asked, child=None, parent=None, interval=None, moved=0)
    rows = np.array([kind == asked.type for kind in child.types], dtype=bool)
    mine, theirs = child.values[column][rows], parent.values[column][rows]
    both = ~np.isnan(mine) & ~np.isnan(theirs)
    return Watch(
        asked=asked,
        child=_mean(mine[both]),
        parent=_mean(theirs[both]),
        interval=paired_difference(mine, theirs, child.groups[rows]),
        moved=int(np.count_nonzero(mine[both] != theirs[both])),
    )


def _comparable(child: ArmResult, parent: ArmResult, column: str) -> bool:
    if not all(arm.finished and column in arm.values for arm in (child, parent)):
        return False
    return same_questions(child, parent) and refusal(child.record, parent.record) is None


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if values.size else None
