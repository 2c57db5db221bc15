"""The comparisons of a plan, held against its rule instead of being tested together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag_ablation.holdout.rule import Observed, Open
from rag_ablation.measures.family import Word
from rag_ablation.report.study.content import LadderStep, Ruled
from rag_ablation.report.study.verdict.inputs import HoldoutVerdict

OPEN: Mapping[Open, Ruled] = {
    Open.NO_INTERVAL: Ruled.NO_INTERVAL,
    Open.FEW_GROUPS: Ruled.FEW_GROUPS,
    Open.NOT_APART_FROM_ZERO: Ruled.OPEN,
    Open.TOO_SMALL: Ruled.TOO_SMALL,
}
DRAWN: Mapping[Ruled, Word] = {
    Ruled.PASSES: Word.BETTER,
    Ruled.BEHIND: Word.WORSE,
    Ruled.TOO_SMALL: Word.NOT_DISTINGUISHABLE,
    Ruled.OPEN: Word.NOT_DISTINGUISHABLE,
    Ruled.FEW_GROUPS: Word.NO_VERDICT,
    Ruled.NO_INTERVAL: Word.NO_VERDICT,
}
"""How a judgement of the rule is drawn, and which steps are looked at first."""


def ruled_steps(steps: Sequence[LadderStep], verdict: HoldoutVerdict) -> tuple[LadderStep, ...]:
    """The steps with the rule's own judgement in place of the words of a family.

    Args:
        steps: candidate against each baseline, as compared.
        verdict: the plan's.
    """
    found = {one.baseline: one for one in verdict.ruling.observed}
    return tuple(_ruled(step, found[step.parent]) if step.parent in found else step for step in steps)


def ruled_as(observed: Observed) -> Ruled:
    """What the rule makes of one baseline."""
    if observed.open is not None:
        return OPEN[observed.open]
    return Ruled.PASSES if observed.speaks_for else Ruled.BEHIND


def _ruled(step: LadderStep, observed: Observed) -> LadderStep:
    ruled = ruled_as(observed)
    compared = step.comparison
    return replace(
        step,
        ruled=ruled,
        better_parent=True,
        comparison=None if compared is None else replace(compared, word=DRAWN[ruled]),
    )
