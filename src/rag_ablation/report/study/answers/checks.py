"""Checks of answers: what waits for review, what is few, what failed."""

import shlex
from collections.abc import Callable, Sequence

from rag_ablation.measures.answers import CORRECT_LOW, FAILED, POINT
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.alike import answered_alike
from rag_ablation.report.study.answers.ceiling import above_the_ceiling
from rag_ablation.report.study.answers.names import failed_of_asked
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import LadderStep, Severity, Threat
from rag_ablation.report.study.figures import counted, counted_steps, percent, questions
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text

FEW_NO_ANSWER = 20
MANY_FAILED = 0.05
"""Share of failed answers above which it is more than a footnote."""


def open_verdicts(found: Found) -> Threat | None:
    """Verdicts that a person has yet to settle, and the steps that hang on them."""
    name = text("Open verdicts", "待定的判定")
    arms = [arm for arm in read.asked(found.results) if read.share_of(arm) is not None]
    if not arms:
        return None
    waiting = [(arm, n) for arm in arms if (n := read.open_verdicts(arm))]
    if not waiting:
        every = counted(len(arms), "arm", "arms", "个方案")
        return clear(name, say("0 on {n}.", "{n}共 0 个。", n=every))
    each = [say("{arm} {n}", "{arm} {n}", arm=arm.key, n=str(n)) for arm, n in waiting]
    steps, undecided = undecided_steps(found)
    overlap = say(
        " The bounds of {k} of {m} overlap: which of the two arms is right more often is undecided until they are "
        "settled.",
        "{m}中有 {k} 步的界限重叠：在判定落定之前，哪个方案答对更多尚无定论。",
        k=str(len(undecided)),
        m=counted_steps(len(steps)),
    )
    return raised(
        Severity.MEDIUM if undecided or not steps else Severity.LOW,
        name,
        say(
            "{each}; shares of right answers are bounds, not rates.{overlap}",
            "{each}；答对的比例只有上下界，没有定值。{overlap}",
            each=joined(each, ", ", "，"),
            overlap=overlap if steps else text("", ""),
        ),
        say(
            "settle them: {command}",
            "逐条判定：{command}",
            command=code(read.reviewed_by(found.results, waiting[0][0])),
        ),
    )


def few_without_answer(found: Found) -> Threat | None:
    """Too few questions without an answer to speak of refusals."""
    name = text("Few questions without an answer", "无答案的题少")
    arms = read.asked(found.results)
    if not arms:
        return None
    n = max(sum(read.unanswerable(arm).values()) for arm in arms)
    if n >= FEW_NO_ANSWER:
        return clear(name, say("refusals are measured on {n}.", "拒答在 {n}上测量。", n=questions(n)))
    return raised(
        Severity.MEDIUM if n else Severity.LOW,
        name,
        say(
            "refusals are measured on {n}, under {few}."
            if n
            else "no question is without an answer: whether the generator refuses where it should is not measured.",
            "拒答只在 {n}上测量，不足 {few} 题。" if n else "没有无答案的题：该拒答时是否拒答，没有测量。",
            n=questions(n),
            few=str(FEW_NO_ANSWER),
        ),
        text("more questions of status no_answer", "增加状态为 no_answer 的题"),
    )


def without_reference(found: Found) -> Threat | None:
    """Questions that are scored and cannot be judged, since nothing says what would be right."""
    name = text("Questions without a reference answer", "没有参考答案的题")
    arms = read.asked(found.results)
    if not arms:
        return None
    means = [mean for arm in arms if (mean := arm.record.mean(POINT, CORRECT_LOW)) is not None]
    missing = max((mean.excluded.get("no_reference", 0) for mean in means), default=0)
    n = max((mean.n for mean in means), default=0)
    if not missing:
        return clear(name, say("0; answers are judged on {n}.", "0 题；答案在 {n}上判定。", n=questions(n)))
    return raised(
        Severity.MEDIUM,
        name,
        say(
            "{k} have none and are in no share of right answers; answers are judged on {n}.",
            "{k}没有，不计入答对的比例；答案在 {n}上判定。",
            k=questions(missing),
            n=questions(n),
        ),
        text("add answers or key points to the labels", "在标注中补上答案或要点"),
    )


def failed_answers(found: Found) -> Threat | None:
    """Questions on which the generator gave nothing, which count as wrong."""
    name = text("Failed answers", "失败的答案")
    arms = read.asked(found.results)
    if not arms:
        return None
    counts = [(arm, *_failed(arm)) for arm in arms]
    failed = [(arm, n, of) for arm, n, of in counts if n]
    if not failed:
        n = counted(len(arms), "arm", "arms", "个方案")
        return clear(name, say("0 on {n}.", "{n}共 0 个。", n=n))
    each = [
        say("{arm} {n} of {of} ({share})", "{arm} {of} 题中 {n}（{share}）", **_named(arm, n, of), share=percent(n, of))
        for arm, n, of in failed
    ]
    return raised(
        Severity.MEDIUM if any(n > MANY_FAILED * of for _, n, of in failed) else Severity.LOW,
        name,
        say(
            "{each}, of the questions that are counted; they count as wrong.{asked}",
            "{each}，只看计入的题；按答错计。{asked}",
            each=joined(each, ", ", "，"),
            asked=_of_all_asked(failed),
        ),
        say(
            "run again; what was answered is kept: {command}",
            "再运行一次，已有的答案会保留：{command}",
            command=code(f"rag-ablation study run {shlex.quote(found.results.study.name)}"),
        ),
    )


def undecided_steps(found: Found) -> tuple[list[LadderStep], list[LadderStep]]:
    """Steps between two arms with a share, and those whose bounds overlap while a verdict is open."""
    arms = {arm.key: share for arm in read.asked(found.results) if (share := read.share_of(arm)) is not None}
    steps = [step for step in found.ladder.steps() if step.child in arms and step.parent in arms]
    undecided = [
        step
        for step in steps
        for mine, theirs in [(arms[step.child], arms[step.parent])]
        if (mine[0] != mine[1] or theirs[0] != theirs[1]) and mine[0] <= theirs[1] and theirs[0] <= mine[1]
    ]
    return steps, undecided


def _failed(arm: ArmResult) -> tuple[int, int]:
    """Failed answers, of the questions that are counted."""
    found = arm.record.mean(POINT, FAILED)
    return (0, 0) if found is None or found.value is None else (round(found.value * found.n), found.n)


def _of_all_asked(failed: Sequence[tuple[ArmResult, int, int]]) -> Text:
    """The same of all that were asked, for arms whose generator was asked more than is counted."""
    each = [
        say("{arm} {n} of {of}", "{arm} {of} 题中 {n}", **_named(arm, *all_of))
        for arm, n, of in failed
        if (all_of := failed_of_asked(arm)) is not None and all_of != (n, of)
    ]
    if not each:
        return text("", "")
    return say(" Of all asked: {each}.", "所问的全部题：{each}。", each=joined(each, ", ", "，"))


def _named(arm: ArmResult, n: int, of: int) -> dict[str, str]:
    return {"arm": arm.key, "n": str(n), "of": str(of)}


CHECKS: tuple[Callable[[Found], Threat | None], ...] = (
    answered_alike,
    above_the_ceiling,
    open_verdicts,
    few_without_answer,
    without_reference,
    failed_answers,
)
