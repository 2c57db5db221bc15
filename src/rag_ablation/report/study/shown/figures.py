"""Numbers as they stand in the report."""

from rag_ablation.core.record import RecordedMean
from rag_ablation.core.wording import counted
from rag_ablation.report.leaderboard import ABSENT, MINUS
from rag_ablation.report.study.words import Text, text, whole

NO_BREAK = "\u00a0"
SMALLEST_P = 0.001
NOTHING = 1e-12  # a mean of differences that cancel may miss 0 by the last bits


def number(value: float | None, digits: int = 3) -> str:
    """`0.788`, or – where undefined."""
    if value is None:
        return ABSENT
    return f"{MINUS if value < 0 else ''}{abs(value):.{digits}f}"


def signed(value: float | None, digits: int = 3) -> str:
    """`+0.092`; what is not 0 keeps its sign when it rounds to 0, and 0 has none."""
    if value is None:
        return ABSENT
    if abs(value) < NOTHING:
        return f"{0:.{digits}f}"
    return f"{MINUS if value < 0 else '+'}{abs(value):.{digits}f}"


def p_value(p: float | None) -> str:
    """`0.046`, `< 0.001`, or – where undefined."""
    if p is None:
        return ABSENT
    return f"<{NO_BREAK}0.001" if p < SMALLEST_P else f"{p:.3f}"


def thousands(n: int) -> str:
    """`1,284`."""
    return f"{n:,}"


def tenths(value: int | None) -> str:
    """`25.9` of 259, or – where undefined."""
    return ABSENT if value is None else f"{value // 10}.{value % 10}"


def milliseconds(value: float | None) -> str:
    """Two figures at least: `4.7`, `229`."""
    if value is None:
        return ABSENT
    return f"{value:.1f}" if value < 9.95 else thousands(round(value))


def difference_ends(low: float | None, high: float | None, digits: int = 3) -> Text:
    """`+0.026 to +0.157`."""
    if low is None or high is None:
        return text(ABSENT, ABSENT)
    first, last = signed(low, digits), signed(high, digits)
    return text(whole(f"{first} to {last}"), whole(f"{first} 至 {last}"))


def mean_ends(mean: RecordedMean) -> str:
    """`0.607–0.737`, empty without an interval."""
    if mean.low is None or mean.high is None:
        return ""
    return f"{number(mean.low)}–{number(mean.high)}"


def questions_and_groups(n: int, n_groups: int | None) -> Text:
    """`n 127, 57 groups`."""
    if n_groups is None:
        return text(whole(f"n{NO_BREAK}{n}"), whole(f"n{NO_BREAK}{n}"))
    groups = counted(n_groups, "group").replace(" ", NO_BREAK)
    return text((whole(f"n{NO_BREAK}{n}"), ", ", whole(groups)), (whole(f"n{NO_BREAK}{n}"), "，", f"{n_groups} 组"))
