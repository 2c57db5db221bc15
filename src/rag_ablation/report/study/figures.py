"""Figures as the report writes them: three decimals, signs, intervals, counts, p values."""

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report import leaderboard
from rag_ablation.report.leaderboard import ABSENT, number, signed
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Kind, Piece, Text, same, text, whole

NB = "\u00a0"
"""No-break space: a number stays with what it counts."""
SMALLEST_P = 0.001
NO_WIDTH = 1e-9
"""An interval that is narrower has no width but for rounding: all its values are equal."""


def mean(value: float | None) -> Piece:
    """`0.788`, or – where undefined."""
    return whole(number(value))


def gap(value: float | None) -> Piece:
    """`+0.092`, or – where undefined."""
    return whole(signed(value))


def span(low: float | None, high: float | None, digits: int = 3) -> Text:
    """`+0.026 to +0.157`."""
    if low is None or high is None:
        return text("no interval", "无区间")
    first, last = signed(low, digits), signed(high, digits)
    return text(whole(f"{first} to {last}"), whole(f"{first} 至 {last}"))


def mean_ends(found: RecordedMean) -> str:
    """`0.607–0.737`, empty without an interval."""
    if found.low is None or found.high is None:
        return ""
    return f"{number(found.low)}–{number(found.high)}"


def no_interval(n_groups: int | None) -> Text:
    """That there is none, and why where one group is the cause."""
    if n_groups == 1:
        return text("no interval: one group", "无区间：只有一组")
    return text("no interval", "无区间")


def of_one_value(found: RecordedMean | Interval) -> bool:
    """Whether a t interval has no width, since all its values are equal: then it says nothing of what may vary."""
    return found.low is not None and found.high is not None and found.high - found.low < NO_WIDTH


def all_alike(n: int) -> Text:
    """What stands in place of an interval of no width: `all 25 alike`."""
    return say("all {n} alike", "{n} 题全部相同", n=whole(thousands(n)))


def interval_ends(found: Interval) -> Text:
    """`0.607–0.737` of a mean."""
    if found.low is None or found.high is None:
        return text("no interval", "无区间")
    return same(whole(f"{number(found.low)}–{number(found.high)}"))


def difference(interval: Interval) -> Text:
    """`+0.092 (+0.026 to +0.157)`."""
    ends = span(interval.low, interval.high)
    return say("{gap} ({ends})", "{gap}（{ends}）", gap=gap(interval.mean), ends=ends)


def p_value(p: float | None) -> str:
    """`0.046` or `< 0.001`; a fourth decimal where three would hide the side of .05 it lies on."""
    if p is None:
        return ABSENT
    if p < SMALLEST_P:
        return f"<{NB}{SMALLEST_P}"
    shown = number(p)
    return number(p, 4) if shown == "0.050" and p != 0.05 else shown


def probability(p: float) -> Text:
    """`p = 0.046`."""
    shown = p_value(p)
    return same(whole(f"p{NB}{shown}" if shown.startswith("<") else f"p{NB}={NB}{shown}"))


def adjusted(p: float) -> Text:
    """`adjusted p = 0.046`."""
    return say("adjusted {p}", "校正 {p}", p=probability(p))


def thousands(n: int) -> str:
    """`1,284`."""
    return f"{n:,}"


def n_of(n: int) -> Piece:
    """`n 127`."""
    return whole(f"n{NB}{thousands(n)}")


def over(n: int, n_groups: int | None) -> Text:
    """`n 127, 57 groups`."""
    if n_groups is None:
        return same(n_of(n))
    return say("{n}, {groups}", "{n}，{groups}", n=n_of(n), groups=groups(n_groups))


def these(n: int, n_groups: int) -> Text:
    """`these 127 questions (57 groups)`."""
    this = "this" if n == 1 else "these"
    return say(f"{this} {{n}} ({{g}})", "这 {n}（{g}）", n=questions(n), g=groups(n_groups))


def undecided(n: int, n_groups: int) -> Text:
    """The words of an open step, with what it stands on."""
    on = these(n, n_groups)
    return Text(
        (Piece(f"not distinguishable on {on.plain('en')}", Kind.UNDECIDED),),
        (Piece(f"在{on.plain('zh')}上无法区分", Kind.UNDECIDED),),
    )


def counted(number_of: int, one: str, many: str, zh: str) -> Text:
    """`1 question`, `2 questions`, `2 题`."""
    return text(
        whole(f"{thousands(number_of)}{NB}{one if number_of == 1 else many}"), whole(f"{thousands(number_of)}{NB}{zh}")
    )


def questions(n: int) -> Text:
    """`127 questions`."""
    return counted(n, "question", "questions", "题")


def groups(n: int) -> Text:
    """`57 groups`."""
    return counted(n, "group", "groups", "组")


def counted_steps(n: int) -> Text:
    """`9 steps`."""
    return counted(n, "step", "steps", "步")


def outcomes(wins: int, ties: int, losses: int) -> tuple[Text, Text, Text]:
    """`68 wins`, `109 ties`, `16 losses`."""
    return (
        counted(wins, "win", "wins", "胜"),
        counted(ties, "tie", "ties", "平"),
        counted(losses, "loss", "losses", "负"),
    )


def at_once(n: int) -> Text:
    """That a step changes several factors."""
    return say("{n} factors at once: confounded", "同时改动 {n} 个因素：混杂", n=str(n))


def percent(part: float, of: float) -> Piece:
    """`5.4 %`, or – of nothing."""
    return whole(f"{100 * part / of:.1f}{NB}%" if of else ABSENT)


def percent_of(share: float) -> Piece:
    """`80 %`."""
    return whole(f"{100 * share:.0f}{NB}%")


def tenths(value: int | None) -> str:
    """`25.9` of 259, or – where undefined."""
    return ABSENT if value is None else f"{value // 10}.{value % 10}"


def short(value: float) -> str:
    """A setting of a few digits without zeros that say nothing: `0.02`."""
    return f"{value:g}"


def milliseconds(value: float) -> Piece:
    """`229 ms`."""
    return whole(f"{leaderboard.milliseconds(value)}{NB}ms")
