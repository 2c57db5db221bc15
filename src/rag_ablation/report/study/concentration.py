"""How much of a step's mean difference each question type makes; exploratory.

The contribution of a type is the sum of its questions' differences over all questions, so that contributions add up
to the mean difference.

Legend: Q questions.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.measures.grouped import TIE
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.figures import gap, over, span
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.recorded import gaps_of
from rag_ablation.report.study.words import Text, code, text


class Share(NamedTuple):
    """What the type with the largest part in a step makes of it.

    Args:
        step: the step.
        type: the question type.
        part: its contribution to the mean difference.
        whole: the mean difference.
        rest: the difference on the other questions.
    """

    step: LadderStep
    type: str
    part: float
    whole: float
    rest: Interval

    @property
    def share(self) -> float:
        """Of the mean difference; over 1 where the other types pull the other way."""
        return self.part / self.whole


def contributions_of(results: StudyResults, step: LadderStep) -> Mapping[str, float]:
    """By question type, what its questions add to the mean difference; empty where the two do not compare."""
    both = _both(results, step)
    if both is None:
        return {}
    child, gaps = both
    there = ~np.isnan(gaps)
    if not there.any():
        return {}
    kinds = _kinds(child)
    return {kind: float(gaps[(kinds == kind) & there].sum() / there.sum()) for kind in sorted(set(child.types))}


def largest_share(results: StudyResults, step: LadderStep) -> Share | None:
    """The type that makes most of a step's difference in its own direction; None where there is no difference."""
    both, found = _both(results, step), contributions_of(results, step)
    whole = sum(found.values())
    if both is None or abs(whole) < TIE:
        return None
    child, gaps = both
    kind = max(found, key=lambda kind: found[kind] / whole)
    other = np.where(_kinds(child) == kind, np.nan, gaps)
    rest = paired_difference(other, np.zeros_like(other), child.groups)
    return Share(step, kind, found[kind], whole, rest)


def share_sentence(found: Share) -> Text:
    """`C − B −0.063: paraphrase alone adds −0.052; on the others the difference is −0.014 (…)`."""
    return say(
        "{label} {whole}: {type} alone adds {part}; {rest}.",
        "{label} {whole}：仅 {type} 就贡献 {part}；{rest}。",
        label=found.step.label,
        type=code(found.type),
        part=gap(found.part),
        whole=gap(found.whole),
        rest=_rest(found.rest),
    )


def _rest(rest: Interval) -> Text:
    if rest.mean is None:
        return text("no question of another type is scored", "没有其他类型的计分题")
    return say(
        "on the others the difference is {gap} ({ends}; {on})",
        "其余的题上差值为 {gap}（{ends}；{on}）",
        gap=gap(rest.mean),
        ends=span(rest.low, rest.high),
        on=over(rest.n, rest.n_groups),
    )


def shares_of(results: StudyResults, steps: Sequence[LadderStep]) -> tuple[Share, ...]:
    """The largest share of each step that has one."""
    found = [largest_share(results, step) for step in steps]
    return tuple(share for share in found if share is not None)


def _both(results: StudyResults, step: LadderStep) -> tuple[ArmResult, NDArray[np.float64]] | None:
    """The child and (Q,) its differences from the parent, NaN where unscored."""
    child, parent = results.arm(step.child), results.arm(step.parent)
    if step.comparison is None or child is None or parent is None:
        return None
    return child, gaps_of(child, parent, results.study.primary)


def _kinds(arm: ArmResult) -> NDArray[np.object_]:
    return np.array(arm.types, dtype=object)
