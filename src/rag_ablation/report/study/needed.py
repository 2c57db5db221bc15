"""How many groups it would take to settle an open step."""

import math

from rag_ablation.measures.family import ALPHA, GROUPS_FOR_A_VERDICT, GROUPS_WITHOUT_WARNING
from rag_ablation.measures.planning import POWER, groups_needed
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.figures import groups, mean, percent_of, short, thousands
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text


def settled_by(found: Found, step: LadderStep) -> Text | None:
    """How many groups would settle the smallest difference that matters, or that these would have shown it.

    Args:
        found: everything that was computed before.
        step: an open step.

    Returns:
        One sentence; None where it cannot be said.
    """
    smallest, figures = found.results.study.smallest_difference, step.comparison
    if figures is None or smallest <= 0:
        return None
    there = figures.interval.n_groups
    if there < GROUPS_FOR_A_VERDICT:
        return _too_few(there)
    if step.detectable is None:
        return None
    if step.detectable <= smallest:
        return say(
            "A difference of {smallest} was likely to show between {child} and {parent} (detectable {size}, {at}).",
            "{child} 与 {parent} 之间若有 {smallest} 的差异，大概率已能检出（可检出 {size}，{at}）。",
            at=_planned_at(found),
            smallest=short(smallest),
            child=step.child,
            parent=step.parent,
            size=mean(step.detectable),
        )
    needed = groups_to_show(smallest, figures.interval, family=len(found.ladder.steps()))
    if needed is None:
        return None
    return say(
        "To settle a difference of {smallest} between {child} and {parent} takes about {needed} ({at}); there are {n}.",
        "要分辨 {child} 与 {parent} 之间 {smallest} 的差异约需 {needed}（{at}），现有 {there}。",
        at=_planned_at(found),
        smallest=short(smallest),
        child=step.child,
        parent=step.parent,
        needed=needed,
        there=groups(there),
        n=thousands(there),
    )


def groups_to_show(smallest: float, interval: Interval, *, family: int) -> Text | None:
    """`190 groups`, of which a difference is likely to show; None where no number is enough.

    Args:
        smallest: the difference.
        interval: of the comparison, as it was found.
        family: number of comparisons that are judged together.
    """
    needed = groups_needed(
        smallest,
        standard_error=interval.standard_error or 0.0,
        n_groups=interval.n_groups,
        least=GROUPS_FOR_A_VERDICT,
        confidence=1 - ALPHA / family,
        power=POWER,
    )
    return None if needed is None else groups(in_two_digits(needed))


def in_two_digits(n: int) -> int:
    """Rounded up; more digits would claim too much.

    Example:
        187 is about 190.
    """
    step = int(10 ** max(len(str(n)) - 2, 0))
    return math.ceil(n / step) * step


def _planned_at(found: Found) -> Text:
    """`80 % power, α 0.05/8`."""
    return say(
        "{power} power, α {alpha}/{m}",
        "功效 {power}，α {alpha}/{m}",
        power=percent_of(POWER),
        alpha=short(ALPHA),
        m=str(len(found.ladder.steps())),
    )


def _too_few(there: int) -> Text:
    return say(
        "A verdict takes {few} groups at least, and {rough} before its interval can be relied on; there are {n}.",
        "下结论至少需 {few} 组，区间可靠需 {rough} 组；现有 {n} 组。",
        few=str(GROUPS_FOR_A_VERDICT),
        rough=str(GROUPS_WITHOUT_WARNING),
        n=str(there),
    )
