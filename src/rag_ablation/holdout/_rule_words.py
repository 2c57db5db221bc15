"""A decision rule and what came of it, as sentences in English and in Chinese."""

import math
from collections.abc import Sequence

from rag_ablation.core.wording import counted
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.measures.grouped import TIE
from rag_ablation.measures.uncertainty import Interval

MINUS = "−"
ROUNDING = 1e-12
"""Relative; a difference that is δ in decimals reaches it, whatever binary rounding makes of either."""
FEWEST_DIGITS, MOST_DIGITS = 3, 17

RULE = {
    "en": "The rule: adopt the candidate if, for every baseline named, the {level} interval of candidate − baseline "
    "in {primary} lies above 0{reach}; do not adopt it if that interval lies below 0 for one of them; in every "
    "other case it is undecided, and a comparison of fewer than {few} groups or without an interval counts neither "
    "way.",
    "zh": "规则：对每个指定的基线，若候选 − 基线在 {primary} 上的差值的 {level} 区间高于 0{reach}，则采用候选方案；"
    "若对其中之一该区间低于 0，则不采用；其他情形为未定，而不足 {few} 组或没有区间的比较对两种结论都不作数。",
}
REACH = {
    "en": " and the difference itself is at least {smallest}",
    "zh": "，且差值本身至少为 {smallest}",
}
OBSERVED = {
    "en": "Observed against {baseline}: {gap} ({level} interval {low} to {high}; {on}): {finding}.",
    "zh": "对 {baseline} 的观察：{gap}（{level} 区间 {low} 至 {high}；{on}）：{finding}。",
}
WITHOUT_INTERVAL = {
    "en": "Observed against {baseline}: {gap} ({on}): no interval, since {why}.",
    "zh": "对 {baseline} 的观察：{gap}（{on}）：没有区间，因为{why}。",
}
UNDEFINED = {"en": "the difference is undefined", "zh": "差值无定义"}
WHY_UNDEFINED = {
    "no_values": {"en": "no question has a value on both sides", "zh": "没有两边都有值的题"},
    "fewer_than_2_groups": {"en": "there are fewer than 2 groups", "zh": "不足 2 组"},
}
OF_UNKNOWN_CAUSE = {"en": "it is undefined", "zh": "它无定义"}
FINDING = {
    "few_groups": {"en": "too few groups to decide on (fewer than {few})", "zh": "组数太少，不能判定（不足 {few} 组）"},
    "not_apart_from_zero": {"en": "neither above nor below 0", "zh": "既不高于 0，也不低于 0"},
    "too_small": {"en": "above 0, but less than {smallest}", "zh": "高于 0，但小于 {smallest}"},
    "below": {"en": "below 0", "zh": "低于 0"},
    "above": {"en": "above 0", "zh": "高于 0"},
    "above_and_enough": {"en": "above 0, and at least {smallest}", "zh": "高于 0，且至少为 {smallest}"},
}
THEREFORE = {
    "adopt": {"en": "Therefore: adopt.", "zh": "因此：采用。"},
    "do not adopt": {"en": "Therefore: do not adopt.", "zh": "因此：不采用。"},
    "undecided": {"en": "Therefore: undecided.", "zh": "因此：未定。"},
}


def rule_words(primary: str, smallest: float, confidence: float, language: str) -> str:
    """The rule in one sentence; nothing is said of a δ of 0, which an interval above 0 reaches."""
    reach = _in(REACH, language).format(smallest=_setting(smallest)) if smallest > 0 else ""
    return _in(RULE, language).format(primary=primary, level=_level(confidence), reach=reach, few=GROUPS_FOR_A_VERDICT)


def observed_words(baseline: str, interval: Interval, smallest: float, reason: str | None, language: str) -> str:
    """One comparison in one sentence; `reason` is why it leaves the decision open."""
    on = _on(interval, language)
    gap = _in(UNDEFINED, language) if interval.mean is None else _gap(interval.mean, smallest)
    if interval.mean is None or interval.low is None or interval.high is None:
        why = _in(WHY_UNDEFINED.get(str(interval.reason), OF_UNKNOWN_CAUSE), language)
        return _in(WITHOUT_INTERVAL, language).format(baseline=baseline, gap=gap, on=on, why=why)
    finding = FINDING[reason or _settled(interval.low, smallest)]
    return _in(OBSERVED, language).format(
        baseline=baseline,
        gap=gap,
        level=_level(interval.confidence),
        low=_signed(interval.low, (0.0,)),
        high=_signed(interval.high, (0.0,)),
        on=on,
        finding=_in(finding, language).format(few=GROUPS_FOR_A_VERDICT, smallest=_setting(smallest)),
    )


def therefore_words(decision: str, language: str) -> str:
    """The conclusion."""
    return _in(THEREFORE[decision], language)


def _settled(low: float, smallest: float) -> str:
    if low <= 0:
        return "below"
    return "above_and_enough" if smallest > 0 else "above"


def _on(interval: Interval, language: str) -> str:
    """`193 questions, 106 groups`, and how many more have no value on both sides."""
    n, n_groups, dropped = interval.n, interval.n_groups, interval.dropped
    if language == "en":
        left_out = f", {counted(dropped, 'question')} not scored on both sides left out" if dropped else ""
        return f"{counted(n, 'question')}, {counted(n_groups, 'group')}{left_out}"
    left_out = f"，另有 {dropped} 题未在两边都计分，不计" if dropped else ""
    return f"{n} 题，{n_groups} 组{left_out}"


def _gap(mean: float, smallest: float) -> str:
    """A mean of differences that cancel may miss 0 by the last bits, and is 0 here."""
    return _signed(0.0 if abs(mean) < TIE else mean, (0.0, smallest))


def _signed(value: float, apart_from: Sequence[float]) -> str:
    """`+0.092`; with more decimals where three would hide on which side of a limit it lies."""
    for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
        shown = f"{value + 0.0:+.{digits}f}"
        if all(_side(float(shown), limit) == _side(value, limit) for limit in apart_from):
            return shown.replace("-", MINUS)
    return f"{value:+.{FEWEST_DIGITS}e}".replace("-", MINUS)


def _side(value: float, limit: float) -> int:
    """−1, 0 or 1; 0 also where only binary rounding parts them, as the rule sees it."""
    return 0 if math.isclose(value, limit, rel_tol=ROUNDING) else (value > limit) - (value < limit)


def _setting(value: float) -> str:
    """As people set it: `0.02`."""
    return repr(float(value))


def _level(confidence: float) -> str:
    return f"{100 * confidence:.10g} %"


def _in(said: dict[str, str], language: str) -> str:
    if language not in said:
        message = f"language: found {language!r}, expected one of: {', '.join(said)}"
        raise ValueError(message)
    return said[language]
