"""Checks of serving times: taken together or apart, how far noise goes, how many questions they stand on."""

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

from rag_ablation.experiment.factors import CHUNKING, RETRIEVERS
from rag_ablation.experiment.serving import END_TO_END, LEAST_QUESTIONS
from rag_ablation.experiment.study import Role
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.figures import counted, milliseconds, n_of, questions
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import StudyResults, Timing
from rag_ablation.report.study.prose import listed, say
from rag_ablation.report.study.words import Text, code, text

STAGES = (CHUNKING, *RETRIEVERS, "fusion", "rerank")
ALIKE = ("rewrite", "context", "access")
"""What must be the same for one pipeline to contain another: it says what is searched for, handed on and seen."""
MUCH = 0.1
"""Share of a time that noise may reach before it is more than a footnote."""
ENOUGH = LEAST_QUESTIONS["p95"]
"""Questions from which on more than orders of magnitude can be read off."""


class Inversion(NamedTuple):
    """An arm that contains another and was timed faster than it; milliseconds at the median."""

    whole: str
    part: str
    whole_ms: float
    part_ms: float

    @property
    def size(self) -> float:
        """How much faster."""
        return self.part_ms - self.whole_ms


def timed_together(found: Found) -> Threat | None:
    """Whether serving times may be compared at all."""
    name = text("Arms timed apart", "分开计时")
    results, timing = found.results, found.results.timing
    if not any(arm.finished for arm in results.arms):
        return None
    command = code(f"rag-ablation latency {shlex.quote(results.study.name)}")
    if timing is None:
        return raised(
            Severity.LOW,
            name,
            text(
                "the arms were not timed together; times of single runs do not compare.",
                "各方案没有一起计时；各次运行自己的时间不可比。",
            ),
            say("{command}", "{command}", command=command),
        )
    together = say(
        "interleaved in one process, {n} × {passes}",
        "同一进程内交错计时，{n} × {passes}",
        n=questions(timing.questions),
        passes=counted(timing.passes, "pass", "passes", "遍"),
    )
    untimed = [
        arm.key
        for arm in results.arms
        if arm.arm.role is Role.LADDER and arm.finished and arm.record.final and arm.key not in timing.milliseconds
    ]
    if untimed:
        return raised(
            Severity.LOW,
            name,
            say("{how}; without a time: {arms}.", "{how}；没有时间的：{arms}。", how=together, arms=listed(untimed)),
            say("{command}", "{command}", command=command),
        )
    return clear(name, say("{how}.", "{how}。", how=together))


def noise(found: Found) -> Threat | None:
    """Arms that do all that another does, and more, and were timed faster: so far does noise go at least."""
    name = text("Noise of the times", "计时噪声")
    timing = found.results.timing
    if timing is None or not _contained(found.results, timing):
        return None
    turned = inversions(found.results, timing)
    if not turned:
        return clear(
            name,
            text(
                "no arm that contains all stages of another was timed faster than it.",
                "没有哪个方案包含另一方案的全部阶段却计时更快。",
            ),
        )
    worst = max(turned, key=lambda pair: pair.size)
    measured = say(
        "{whole} contains every stage of {part} and was still timed {size} faster at the median ({a} against {b}; "
        "{n}): a difference of that size is noise here.",
        "{whole} 包含 {part} 的全部阶段，中位耗时却反而少 {size}（{a} 对 {b}；{n}）：这里这样大小的差异只是噪声。",
        whole=worst.whole,
        part=worst.part,
        size=milliseconds(worst.size),
        a=milliseconds(worst.whole_ms),
        b=milliseconds(worst.part_ms),
        n=n_of(timing.questions),
    )
    much = worst.size > MUCH * worst.part_ms
    return raised(Severity.MEDIUM if much else Severity.LOW, name, measured, _longer(found.results))


def sample(found: Found) -> Threat | None:
    """How many questions and passes the times stand on."""
    name = text("Sample of the times", "计时的样本")
    timing = found.results.timing
    if timing is None or not timing.milliseconds:
        return None
    stood = say(
        "{n} × {passes}",
        "{n} × {passes}",
        n=questions(timing.questions),
        passes=counted(timing.passes, "pass", "passes", "遍"),
    )
    if timing.questions >= ENOUGH:
        return clear(name, say("{stood}.", "{stood}。", stood=stood))
    measured = say("{stood}: orders of magnitude only.", "{stood}：只能看数量级。", stood=stood)
    return raised(Severity.LOW, name, measured, _longer(found.results))


def inversions(results: StudyResults, timing: Timing) -> tuple[Inversion, ...]:
    """Arms timed faster than an arm whose stages they contain.

    Args:
        results: the study's arms.
        timing: of those that were timed together.
    """
    median = {key: found[END_TO_END]["p50"] for key, found in timing.milliseconds.items() if _timed(found)}
    pairs = [Inversion(whole, part, median[whole], median[part]) for whole, part in _contained(results, timing)]
    return tuple(pair for pair in pairs if pair.size > 0)


def _contained(results: StudyResults, timing: Timing) -> list[tuple[str, str]]:
    """(whole, part) by key, of arms that have a median."""
    timed = [arm for arm in results.arms if _timed(timing.milliseconds.get(arm.key, {}))]
    return [
        (whole.key, part.key)
        for whole in timed
        for part in timed
        if whole is not part and part.arm.role is Role.LADDER and contains(whole.record.settings, part.record.settings)
    ]


def _timed(points: Mapping[str, Mapping[str, float]]) -> bool:
    return "p50" in points.get(END_TO_END, {})


def contains(whole: Mapping[str, Any], part: Mapping[str, Any]) -> bool:
    """Whether one pipeline does all that another does, with the same settings, and more.

    A reranker counts only over the same lists: over another pool it reads other passages.
    """
    mine, theirs = ({slot: of[slot] for slot in STAGES if slot in of} for of in (whole, part))
    same = all(mine.get(slot) == settings for slot, settings in theirs.items())
    lists = {slot for slot in mine if slot != "rerank"} == {slot for slot in theirs if slot != "rerank"}
    rest = all(whole.get(name) == part.get(name) for name in ALIKE)
    return bool(theirs) and same and rest and len(mine) > len(theirs) and ("rerank" not in theirs or lists)


def _longer(results: StudyResults) -> Text:
    command = f"rag-ablation latency {shlex.quote(results.study.name)} latency.questions={ENOUGH} latency.passes=3"
    return say("time more questions: {command}", "多取些题再计时：{command}", command=code(command))
