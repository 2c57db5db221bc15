"""Quality and latency of the arms that were timed together."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.serving import END_TO_END, LEAST_QUESTIONS
from rag_ablation.experiment.study import Role
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.differences import difference
from rag_ablation.report.leaderboard import named
from rag_ablation.report.study.answers.read import has_answers
from rag_ablation.report.study.asked import same_questions
from rag_ablation.report.study.content import Plane, Timed
from rag_ablation.report.study.figures import gap, mean, milliseconds, n_of, span
from rag_ablation.report.study.inputs import ArmResult, StudyResults, Timing
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.recorded import mean_of
from rag_ablation.report.study.terms import STATES
from rag_ablation.report.study.words import Text, same, text

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
    return say(
        "{arm} takes {ms} at p50 ({timed}) and has a mean {measure} of {value} ({n}).",
        "{arm} 的 p50 为 {ms}（{timed}），{measure} 均值 {value}（{n}）。",
        arm=best.key,
        ms=milliseconds(best.p50 or 0.0),
        timed=n_of(timing.questions),
        measure=named(results.study.primary),
        value=mean(best.quality.value),
        n=n_of(best.quality.n),
    )


def _against(results: StudyResults, best: Timed, other: Timed, timing: Timing) -> Text:
    return say(
        "{arm} takes {mine} at p50, {other} {theirs}: {ratio} times as long ({timed} each) for {gain}.",
        "{arm} 的 p50 为 {mine}，{other} 为 {theirs}：{ratio} 倍（各 {timed}），换来 {gain}。",
        arm=best.key,
        other=other.key,
        mine=milliseconds(best.p50 or 0.0),
        theirs=milliseconds(other.p50 or 0.0),
        ratio=_times((best.p50 or 0.0) / (other.p50 or 1.0)),
        timed=n_of(timing.questions),
        gain=_gain(results, best, other),
    )


def _gain(results: StudyResults, best: Timed, other: Timed) -> Text:
    """The paired difference with its interval, or the two means where the arms do not compare."""
    measure, found = named(results.study.primary), _paired(results, best, other)
    if found is None or found.mean is None:
        return say(
            "{measure} {value} ({n}) against {other} ({n_of_other})",
            "{measure} {value}（{n}），对方 {other}（{n_of_other}）",
            measure=measure,
            value=mean(best.quality.value),
            n=n_of(best.quality.n),
            other=mean(other.quality.value),
            n_of_other=n_of(other.quality.n),
        )
    return say(
        "{measure} {gain} ({ends}; {n})",
        "{measure} {gain}（{ends}；{n}）",
        measure=measure,
        gain=gap(found.mean),
        ends=span(found.low, found.high),
        n=n_of(found.n),
    )


def _paired(results: StudyResults, best: Timed, other: Timed) -> Interval | None:
    child, parent = results.arm(best.key), results.arm(other.key)
    if child is None or parent is None or not same_questions(child, parent):
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
        *([] if has_answers(results) else [text("Cost is absent: no price table was given.", "成本缺：未给价目表。")]),
    ]
    shown = {arm.key for arm in arms}
    gone = [arm for arm in results.arms if arm.arm.role is not Role.BRACKET and arm.key not in shown]
    whys = [(arm.key, _reason(arm, timing, results.study.primary)) for arm in gone]
    return [*found, *(say("{arm} is absent: {why}.", "{arm} 缺：{why}。", arm=key, why=why) for key, why in whys)]


def _reason(arm: ArmResult, timing: Timing, primary: str) -> Text:
    """Why an arm that was run does not stand on the plane."""
    if not arm.finished:
        return STATES.get(arm.record.status, same(arm.record.status))
    if not timing.milliseconds.get(arm.key, {}).get(END_TO_END):
        reason = timing.absent.get(arm.key)
        return same(reason) if reason else text("it was not timed", "未计时")
    found = mean_of(arm, primary)
    why = None if found is None else found.reason
    return say(
        "{measure} is undefined: {why}",
        "{measure} 无定义：{why}",
        measure=named(primary),
        why=why or text("not measured", "未测量"),
    )


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


def _times(ratio: float) -> str:
    return f"{ratio:.{0 if ratio >= 10 else 1 if ratio >= 0.1 else 2}f}"
