"""How many groups it would take to settle an open step."""

import math

from rag_ablation.measures.family import ALPHA, GROUPS_FOR_A_VERDICT, GROUPS_WITHOUT_WARNING
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.family import POWER
from rag_ablation.report.study.figures import groups, mean, percent_of, short
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text


def settled_by(found: Found, step: LadderStep) -> list[Text]:
    """How many groups would settle the smallest difference that matters, or that these would have shown it.

    Args:
        found: everything that was computed before.
        step: an open step.

    Returns:
        One sentence, or nothing where it cannot be said.
    """
    smallest, figures = found.results.study.smallest_difference, step.comparison
    if figures is None or smallest <= 0:
        return []
    there = figures.interval.n_groups
    if there < GROUPS_FOR_A_VERDICT:
        return [_too_few(there)]
    if step.detectable is None:
        return []
    if step.detectable <= smallest:
        return [
            say(
                "A difference of {smallest} was likely to show between {child} and {parent} (detectable {size}, {at}).",
                "{child} 与 {parent} 之间若有 {smallest} 的差异，大概率已能检出（可检出 {size}，{at}）。",
                at=_planned_at(found),
                smallest=short(smallest),
                child=step.child,
                parent=step.parent,
                size=mean(step.detectable),
            )
        ]
    return [
        say(
            "To settle a difference of {smallest} between {child} and {parent} takes about {needed} ({at}); there are "
            "{n}.",
            "要分辨 {child} 与 {parent} 之间 {smallest} 的差异约需 {needed}（{at}），现有 {there}。",
            at=_planned_at(found),
            smallest=short(smallest),
            child=step.child,
            parent=step.parent,
            needed=groups(groups_needed(there, step.detectable, smallest)),
            there=groups(there),
            n=f"{there:,}",
        )
    ]


def groups_needed(n_groups: int, detectable: float, wanted: float) -> int:
    """About how many groups like these make a difference likely to show: the error falls with their root.

    Args:
        n_groups: groups there are.
        detectable: difference that they are likely to show.
        wanted: difference that is to be likely to show.

    Returns:
        Two digits, rounded up; more would claim too much.

    Example:
        57 groups show .054; .03 takes about 190.
    """
    exact = n_groups * (detectable / wanted) ** 2
    step = int(10 ** max(math.floor(math.log10(max(exact, 1))) - 1, 0))
    return math.ceil(exact / step) * step


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
