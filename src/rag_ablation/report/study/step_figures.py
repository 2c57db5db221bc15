"""The line of figures under a sentence about a step."""

from collections.abc import Sequence

from rag_ablation.measures.family import Word
from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.choice import gap_of, word_of
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.figures import (
    adjusted,
    at_once,
    counted,
    difference,
    gap,
    mean,
    outcomes,
    over,
    percent_of,
    short,
    thousands,
    undecided,
)
from rag_ablation.report.study.prose import dotted, joined, say
from rag_ablation.report.study.words import Text, same


def tested_figures(step: LadderStep) -> Text:
    """`+0.092 (+0.026 to +0.157) · adjusted p = 0.046 · 32 wins, 75 ties, 20 losses · n 127, 57 groups`."""
    found = step.comparison
    if found is None:
        return same("–")
    counts = joined(outcomes(found.wins, found.ties, found.losses), ", ", " ")
    figures = dotted(difference(found.interval), adjusted(found.adjusted_p), counts, stands_on(step))
    if not step.change.confounded:
        return figures
    return dotted(figures, at_once(len(step.change.factors)))


def fell_out(step: LadderStep, questions: tuple[int, int, int]) -> Text:
    """`from B to C, 52 of 193 questions gain, 60 lose and 81 stay`.

    Args:
        step: the step.
        questions: those that are higher, equal and lower.
    """
    wins, ties, losses = questions
    return say(
        "from {parent} to {child}, {wins} of {n} gain, {losses} lose and {ties} stay",
        "从 {parent} 到 {child}，{n}中 {wins} 题上升，{losses} 题下降，{ties} 题不变",
        parent=step.parent,
        child=step.child,
        n=counted(wins + ties + losses, "question", "questions", "题"),
        wins=thousands(wins),
        losses=thousands(losses),
        ties=thousands(ties),
    )


def labelled(step: LadderStep, *, tested: bool = True) -> Text:
    """`C − B +0.016 (−0.044 to +0.076), adjusted p = 1.000`."""
    found = step.comparison
    if found is None:
        return same(step.label)
    what = say("{label} {difference}", "{label} {difference}", label=step.label, difference=difference(found.interval))
    if not tested:
        return dotted(what, stands_on(step))
    return say("{what}, {p}", "{what}，{p}", what=what, p=adjusted(found.adjusted_p))


def planned(compared: Sequence[LadderStep]) -> Text:
    """Differences seen, and the smallest that was likely to show."""
    gaps = [gap_of(step) for step in compared]
    parts = (
        [say("differences {a} to {b}", "差值 {a} 至 {b}", a=gap(min(gaps)), b=gap(max(gaps)))] if len(gaps) > 1 else []
    )
    if (size := detectable_sizes(compared)) is not None:
        parts.append(
            say(
                "detectable difference {size} ({power} power)",
                "可检出差异 {size}（功效 {power}）",
                size=size,
                power=percent_of(POWER),
            )
        )
    return dotted(*parts, stands_on(compared[0]))


def detectable_sizes(steps: Sequence[LadderStep]) -> Text | None:
    """`0.041 to 0.077`, or one figure where they are as large; None where none is known."""
    found = [step.detectable for step in steps if step.detectable is not None]
    if not found:
        return None
    a, b = mean(min(found)), mean(max(found))
    return same(a) if a == b else say("{a} to {b}", "{a} 至 {b}", a=a, b=b)


def stands_on(step: LadderStep) -> Text:
    """`n 127, 57 groups`."""
    found = step.comparison
    return same("–") if found is None else over(found.interval.n, found.interval.n_groups)


def open_word(step: LadderStep) -> Text:
    """`not distinguishable on these 127 questions (57 groups)`."""
    found = step.comparison
    return undecided(0, 0) if found is None else undecided(found.interval.n, found.interval.n_groups)


def within(step: LadderStep, smallest: float) -> Text | None:
    """That the whole interval of an open step is smaller than what matters, None where it is not; no verdict.

    Args:
        step: a step.
        smallest: smallest difference that matters.
    """
    found = None if step.comparison is None else step.comparison.interval
    if found is None or found.low is None or found.high is None or word_of(step) is not Word.NOT_DISTINGUISHABLE:
        return None
    if smallest <= 0 or found.low < -smallest or found.high > smallest:
        return None
    return say(
        "its interval lies within ±{smallest}, less than what matters",
        "区间在 ±{smallest} 之内，小于有意义的差异",
        smallest=short(smallest),
    )
