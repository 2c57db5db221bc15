"""Checks of answers: what waits for review, what lies above the ceiling, what is few, what failed."""

import shlex
from collections.abc import Callable

from rag_ablation.measures.answers import CORRECT_HIGH, CORRECT_LOW, POINT
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.alike import answered_alike
from rag_ablation.report.study.asked import same_questions
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Above, End, LadderStep, Severity, Threat
from rag_ablation.report.study.figures import counted, counted_steps, difference, percent, questions
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import Filling, joined, listed, say
from rag_ablation.report.study.recorded import excludes_zero
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


def above_the_ceiling(found: Found) -> Threat | None:
    """Arms that are right more often than the one that was given the gold."""
    name = text("Above the ceiling", "高于上限")
    ceiling = read.bracket_of(found.results, End.CEILING)
    top = None if ceiling is None else read.share_of(ceiling)
    if ceiling is None or top is None:
        return None
    others = [arm for arm in read.asked(found.results) if arm is not ceiling and read.share_of(arm) is not None]
    stand = [(arm, read.above(share, top)) for arm in others if (share := read.share_of(arm)) is not None]
    sure = [arm for arm, how in stand if how is Above.SURE]
    may_be: list[Filling] = [arm.key for arm, how in stand if how is Above.OPEN]
    tail = text("", "")
    if may_be:
        tail = say(
            " As verdicts are open, {arms} may lie above it.",
            "判定未定，{arms} 有可能高于它。",
            arms=listed(may_be),
        )
    if not sure:
        n = counted(len(others), "arm", "arms", "个方案")
        none = say("none of {n} lies above {top} for sure.", "{n}中没有确定高于 {top} 的。", n=n, top=ceiling.key)
        return clear(name, joined([none, tail], "", "")) if others else None
    gaps = [(arm, _gap(arm, ceiling)) for arm in sure]
    each = [
        say("{arm} − {top} {gap}", "{arm} − {top} {gap}", arm=arm.key, top=ceiling.key, gap=_told(gap))
        for arm, gap in gaps
    ]
    clear_of_zero = any(gap is not None and excludes_zero(gap.low, gap.high) for _, gap in gaps)
    return raised(
        Severity.HIGH if clear_of_zero else Severity.MEDIUM,
        name,
        say(
            "share of right answers, open verdicts against the arm: {each} (unadjusted).{tail} Either the labels miss "
            "evidence, or the generator reads the gold alone worse than a longer context, or it is chance.",
            "答对的比例（待定者按对该方案不利计）：{each}（未校正）。{tail}或是标注漏了证据，或是生成器读单独的证据反不如"
            "较长的上下文，或是偶然。",
            each=joined(each, "; ", "；"),
            tail=tail,
        ),
        text("read the questions that the gold gets wrong", "阅读给了证据仍答错的题"),
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
    counts = [(arm, _failed(arm), len(arm.query_ids)) for arm in arms]
    failed = [(arm, n, of) for arm, n, of in counts if n]
    if not failed:
        n = counted(len(arms), "arm", "arms", "个方案")
        return clear(name, say("0 on {n}.", "{n}共 0 个。", n=n))
    each = [
        say("{arm} {n} ({share})", "{arm} {n}（{share}）", arm=arm.key, n=str(n), share=percent(n, of))
        for arm, n, of in failed
    ]
    return raised(
        Severity.MEDIUM if any(n > MANY_FAILED * of for _, n, of in failed) else Severity.LOW,
        name,
        say("{each}; they count as wrong.", "{each}；按答错计。", each=joined(each, ", ", "，")),
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


def _gap(arm: ArmResult, ceiling: ArmResult) -> Interval | None:
    """The arm with its open verdicts wrong, less the ceiling with its open ones right."""
    if not same_questions(arm, ceiling):
        return None
    return paired_difference(read.column(arm, CORRECT_LOW), read.column(ceiling, CORRECT_HIGH), arm.groups)


def _told(gap: Interval | None) -> Text:
    return text("–", "–") if gap is None or gap.mean is None else difference(gap)


def _failed(arm: ArmResult) -> int:
    found = arm.record.mean(POINT, "failed")
    return 0 if found is None or found.value is None else round(found.value * found.n)


CHECKS: tuple[Callable[[Found], Threat | None], ...] = (
    answered_alike,
    above_the_ceiling,
    open_verdicts,
    few_without_answer,
    without_reference,
    failed_answers,
)
