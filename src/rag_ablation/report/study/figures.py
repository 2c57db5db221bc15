"""Figures as the report writes them: three decimals, signs, intervals, counts, p values."""

from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.leaderboard import ABSENT, MINUS, number, signed
from rag_ablation.report.study.prose import Filling, say
from rag_ablation.report.study.words import Kind, Piece, Text, same, text, whole

NB = "\u00a0"
"""No-break space: a number stays with what it counts."""
SMALLEST_P = 0.001


def mean(value: float | None) -> Piece:
    """`0.788`, or – where undefined."""
    return whole(_number(value))


def gap(value: float | None) -> Piece:
    """`+0.092`, or – where undefined."""
    return whole(signed(value))


def span(low: float | None, high: float | None) -> Text:
    """`+0.026 to +0.157`."""
    return say("{low} to {high}", "{low} 至 {high}", low=signed(low), high=signed(high)) if low is not None else _none()


def mean_span(low: float | None, high: float | None) -> Text:
    """`0.607 to 0.737`."""
    return (
        say("{low} to {high}", "{low} 至 {high}", low=_number(low), high=_number(high)) if low is not None else _none()
    )


def difference(interval: Interval) -> Text:
    """`+0.092 (+0.026 to +0.157)`."""
    ends = span(interval.low, interval.high)
    return say("{gap} ({ends})", "{gap}（{ends}）", gap=gap(interval.mean), ends=ends)


def probability(p: float) -> Text:
    """`p = 0.046` or `p < 0.001`; a fourth decimal where three would hide the side of .05 it lies on."""
    if p < SMALLEST_P:
        return same(whole(f"p{NB}<{NB}0.001"))
    shown = f"{p:.3f}"
    return same(whole(f"p{NB}={NB}{f'{p:.4f}' if shown == '0.050' and p != 0.05 else shown}"))


def adjusted(p: float) -> Text:
    """`adjusted p = 0.046`."""
    return say("adjusted {p}", "校正 {p}", p=probability(p))


def n_of(n: int) -> Piece:
    """`n 127`."""
    return whole(f"n{NB}{n:,}")


def over(n: int, n_groups: int) -> Text:
    """`n 127, 57 groups`."""
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
    return text(whole(f"{number_of:,}{NB}{one if number_of == 1 else many}"), whole(f"{number_of:,}{NB}{zh}"))


def questions(n: int) -> Text:
    """`127 questions`."""
    return counted(n, "question", "questions", "题")


def groups(n: int) -> Text:
    """`57 groups`."""
    return counted(n, "group", "groups", "组")


def percent(part: float, of: float) -> Piece:
    """`5.4 %`, or – of nothing."""
    return whole(f"{100 * part / of:.1f}{NB}%" if of else ABSENT)


def percent_of(share: float) -> Piece:
    """`80 %`."""
    return whole(f"{100 * share:.0f}{NB}%")


def short(value: float) -> str:
    """A setting of a few digits without zeros that say nothing: `0.02`."""
    return f"{value:g}"


def milliseconds(value: float) -> Piece:
    """`229 ms`; tenths under 10."""
    return whole(f"{value:.0f}{NB}ms" if value >= 10 else f"{value:.1f}{NB}ms")


def in_brackets(content: Filling) -> Text:
    """`(content)`, full width in Chinese."""
    return say("({content})", "（{content}）", content=content)


def _number(value: float | None) -> str:
    """A lower bound can lie under 0, and a minus is a minus sign."""
    return number(value).replace("-", MINUS)


def _none() -> Text:
    return say("no interval", "无区间")
