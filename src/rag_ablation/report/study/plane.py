"""Quality and latency of the arms that were timed together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.serving import END_TO_END, LEAST_QUESTIONS
from rag_ablation.experiment.study import Role
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.differences import difference
from rag_ablation.report.leaderboard import number, signed
from rag_ablation.report.study._recorded import NO_BREAK, ends, mean_of, n_of, named
from rag_ablation.report.study.content import Plane, Timed
from rag_ablation.report.study.inputs import ArmResult, StudyResults, Timing
from rag_ablation.report.study.words import Piece, Text, text, whole

PERCENTILES = ("p50", "p95", "p99")


def plane_of(results: StudyResults) -> Plane | None:
    """The arms of the ladder and of sweeps that were timed and have a mean.

    Args:
        results: the study.

    Returns:
        None where none was.
    """
    timing = results.timing
    if timing is None:
        return None
    arms = _with_front([found for arm in results.arms if (found := _timed(arm, timing, results.study.primary))])
    if not arms:
        return None
    return Plane(
        finding=_finding(results, arms, timing),
        arms=arms,
        questions=timing.questions,
        passes=timing.passes,
        side=tuple(_side(results, arms, timing)),
    )


def _timed(arm: ArmResult, timing: Timing, primary: str) -> Timed | None:
    times, quality = timing.milliseconds.get(arm.key, {}).get(END_TO_END, {}), mean_of(arm, primary)
    if not arm.finished or not times or arm.arm.role is Role.BRACKET or quality is None or quality.value is None:
        return None
    p50, p95, p99 = (times.get(name) for name in PERCENTILES)
    return Timed(
        key=arm.key,
        role=arm.arm.role,
        p50=p50,
        mean_ms=times.get("mean"),
        p95=p95,
        p99=p99,
        quality=quality,
        front=False,
    )


def _with_front(arms: Sequence[Timed]) -> tuple[Timed, ...]:
    """Mark the arms that no other matches in both and beats in one."""
    points = [(arm.p50, _value(arm.quality)) for arm in arms if arm.p50 is not None]

    def matched(p50: float, value: float) -> bool:
        return any(other <= p50 and quality >= value and (other < p50 or quality > value) for other, quality in points)

    return tuple(replace(arm, front=arm.p50 is not None and not matched(arm.p50, _value(arm.quality))) for arm in arms)


def _finding(results: StudyResults, arms: Sequence[Timed], timing: Timing) -> Text:
    """The best arm of the ladder against its better parent, else against the fastest."""
    ranked = [arm for arm in arms if arm.p50 is not None]
    ladder = [arm for arm in ranked if arm.role is Role.LADDER] or ranked
    if not ladder:
        least = LEAST_QUESTIONS["p50"]
        return text(
            f"{timing.questions} questions were timed; a median needs at least {least}.",
            f"计时 {timing.questions} 题；中位数至少需要 {least} 题。",
        )
    best = max(ladder, key=lambda arm: _value(arm.quality))
    declared = {arm.key: arm.arm.parents for arm in results.arms}[best.key]
    parents = [arm for arm in ladder if arm.key in declared]
    other = max(parents, key=lambda arm: _value(arm.quality), default=min(ladder, key=lambda arm: arm.p50 or 0.0))
    if other is best:
        return _alone(results, best, timing)
    return _against(results, best, other, timing)


def _alone(results: StudyResults, best: Timed, timing: Timing) -> Text:
    timed, measure = whole(f"n{NO_BREAK}{timing.questions}"), named(results.study.primary)
    en = f"{best.key} takes {_ms(best.p50)} ms at p50 ("
    zh = f"{best.key} 的 p50 为 {_ms(best.p50)} 毫秒（"
    value = number(best.quality.value)
    return text(
        (en, timed, f") and has a mean {measure} of {value} (", n_of(best.quality), ")."),
        (zh, timed, f"），{measure} 均值 {value}（", n_of(best.quality), "）。"),
    )


def _against(results: StudyResults, best: Timed, other: Timed, timing: Timing) -> Text:
    ratio, timed = _times((best.p50 or 0.0) / (other.p50 or 1.0)), whole(f"n{NO_BREAK}{timing.questions}")
    mine, theirs = _ms(best.p50), _ms(other.p50)
    en = f"{best.key} takes {mine} ms at p50, {other.key} {theirs} ms: {ratio} times as long ("
    zh = f"{best.key} 的 p50 为 {mine} 毫秒，{other.key} 为 {theirs} 毫秒：{ratio} 倍（各 "
    gain_en, gain_zh = _gain(results, best, other)
    return text((en, timed, " each) for ", *gain_en, "."), (zh, timed, "），换来 ", *gain_zh, "。"))


def _gain(results: StudyResults, best: Timed, other: Timed) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The paired difference with its interval, or the two means where the arms do not compare."""
    measure, found = named(results.study.primary), _paired(results, best, other)
    if found is None or found.mean is None:
        means = f"{measure} {number(best.quality.value)}"
        theirs = number(other.quality.value)
        n, theirs_n = n_of(best.quality), n_of(other.quality)
        return (
            (Piece(f"{means} ("), n, Piece(f") against {theirs} ("), theirs_n, Piece(")")),
            (Piece(f"{means}（"), n, Piece(f"），对方 {theirs}（"), theirs_n, Piece("）")),
        )
    interval, gain = ends(found), signed(found.mean)
    en, zh = ("", "") if interval is None else (f"{interval.en}; ", f"{interval.zh}；")
    return (
        (Piece(f"{measure} "), whole(gain), Piece(f" ({en}"), n_of(found), Piece(")")),
        (Piece(f"{measure} "), whole(gain), Piece(f"（{zh}"), n_of(found), Piece("）")),
    )


def _paired(results: StudyResults, best: Timed, other: Timed) -> Interval | None:
    child, parent = results.arm(best.key), results.arm(other.key)
    if child is None or parent is None or list(child.query_ids) != list(parent.query_ids):
        return None
    own, theirs = ((arm.record, {**arm.values, "group": arm.groups.astype(np.float64)}) for arm in (child, parent))
    return difference(own, theirs, results.study.primary).interval


def _side(results: StudyResults, arms: Sequence[Timed], timing: Timing) -> list[Text]:
    """How it was timed, what is absent and why."""
    found = [
        text(
            "Serving time: batch 1, warm, one question after another, query analysis and encoding inside, arms "
            f"interleaved in one session; {timing.questions} questions, timed passes: {timing.passes}.",
            "服务时间：批量 1，已预热，逐题进行，含查询分析与编码，各方案在同一会话内交错；"
            f"{timing.questions} 题，计时 {timing.passes} 遍。",
        ),
        *_machine(timing.machine),
        *_percentiles(timing.questions),
        text("Cost is absent: no price table was given.", "成本缺：未给价目表。"),
    ]
    shown = {arm.key for arm in arms}
    for arm in results.arms:
        if arm.arm.role is not Role.BRACKET and arm.key not in shown:
            en, zh = _reason(arm, timing, results.study.primary)
            found.append(text(f"{arm.key} is absent: {en}.", f"{arm.key} 缺：{zh}。"))
    return found


def _reason(arm: ArmResult, timing: Timing, primary: str) -> tuple[str, str]:
    """Why an arm that was run does not stand on the plane."""
    if not arm.finished:
        return arm.record.status, {"failed": "失败", "interrupted": "中断"}.get(arm.record.status, arm.record.status)
    if not timing.milliseconds.get(arm.key, {}).get(END_TO_END):
        reason = timing.absent.get(arm.key)
        return (reason, reason) if reason else ("it was not timed", "未计时")
    mean = mean_of(arm, primary)
    why = None if mean is None else mean.reason
    measure = named(primary)
    return f"{measure} is undefined: {why or 'not measured'}", f"{measure} 无定义：{why or '未测量'}"


def _machine(machine: Mapping[str, object]) -> list[Text]:
    known = {name: str(value) for name, value in machine.items() if value is not None}
    said = {
        "cores": ("{} cores", "{} 核"),
        "threads": ("{} threads", "{} 线程"),
        "python": ("Python {}", "Python {}"),
    }
    parts = [[form.format(value) for form in said.get(name, ("{}", "{}"))] for name, value in known.items()]
    if not parts:
        return []
    en, zh = (" · ".join(words) for words in zip(*parts, strict=True))
    return [text(f"Measured on {en}.", f"测量机器：{zh}。")]


def _percentiles(questions: int) -> list[Text]:
    absent = [name for name in PERCENTILES if questions < LEAST_QUESTIONS[name]]
    if not absent:
        return []
    en = "; ".join(f"{name} needs {LEAST_QUESTIONS[name]} questions" for name in absent)
    zh = "；".join(f"{name} 需 {LEAST_QUESTIONS[name]} 题" for name in absent)
    return [
        text(f"Absent (–): {en}; {questions} were timed.", f"缺（–）：{zh}；计时 {questions} 题。"),
    ]


def _value(mean: RecordedMean) -> float:
    return float("-inf") if mean.value is None else mean.value


def _ms(value: float | None) -> str:
    """Whole milliseconds from 10, one decimal from 1, two below."""
    found = value or 0.0
    return f"{found:.{0 if found >= 10 else 1 if found >= 1 else 2}f}"


def _times(ratio: float) -> str:
    return f"{ratio:.{0 if ratio >= 10 else 1 if ratio >= 0.1 else 2}f}"
