"""What stands to the arm that was given the gold, and of what that arm is no ceiling."""

from collections.abc import Iterator, Sequence

from rag_ablation.measures.answers import CITATION_PRECISION, CORRECT_HIGH, CORRECT_LOW, REFUSED_RIGHT, REFUSED_WRONG
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.asked import same_questions
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Above, AnswersRow, End, Severity, Threat
from rag_ablation.report.study.figures import (
    all_alike,
    counted,
    difference,
    gap,
    groups,
    no_interval,
    of_one_value,
    over,
)
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import Filling, joined, listed, say
from rag_ablation.report.study.recorded import excludes_zero
from rag_ablation.report.study.words import Text, code, text, whole

NAME = text("Above the ceiling", "高于上限")
BY_CONSTRUCTION = (REFUSED_RIGHT, CITATION_PRECISION)


def above_the_ceiling(found: Found) -> Threat | None:
    """Arms that are right more often than the one that was given the gold, or may be while verdicts are open."""
    ceiling = read.bracket_of(found.results, End.CEILING)
    if ceiling is None or read.share_of(ceiling) is None:
        return None
    sure, may_be = (_standing(found, ceiling, how) for how in (Above.SURE, Above.OPEN))
    if sure:
        return _above(ceiling, sure, may_be)
    if may_be:
        return _not_decided(found, ceiling, may_be)
    n = sum(read.share_of(arm) is not None for arm in read.asked(found.results) if arm is not ceiling)
    if not n:
        return None
    arms = counted(n, "arm", "arms", "个方案")
    return clear(NAME, say("none of {n} lies above {top}.", "{n}中没有高于 {top} 的。", n=arms, top=ceiling.key))


def broken_ceiling(found: Found) -> Text | None:
    """An arm is above the ceiling whatever open verdicts become: what to look at before the ladder is trusted."""
    ceiling = read.bracket_of(found.results, End.CEILING)
    sure = [] if ceiling is None else _standing(found, ceiling, Above.SURE)
    if ceiling is None or not sure:
        return None
    one = len(sure) == 1
    return say(
        f"The ceiling is broken: {{arms}} {'is' if one else 'are'} right more often than {{top}}, which was given the "
        "gold. Look at the gold labels and at the generator before trusting the end-to-end ladder.{chance}",
        "上限不成立：{arms} 答对的比直接给标注证据的 {top} 还多。先检查标注证据和生成器，再看端到端的阶梯。{chance}",
        arms=listed([arm.key for arm in sure]),
        top=ceiling.key,
        chance=text("", "") if _beyond_chance(_gaps(ceiling, sure)) else text(" It may be chance.", "也可能只是偶然。"),
    )


def of_the_ceiling(rows: Sequence[AnswersRow]) -> Iterator[Text]:
    """That the ceiling is one of right answers alone: what its context settles, and which arms refuse falsely less.

    Args:
        rows: every arm.
    """
    ceiling = next((row for row in rows if row.end is End.CEILING and row.paid is not None), None)
    if ceiling is None:
        return
    values = [mean.value for name in BY_CONSTRUCTION if (mean := ceiling.means.get(name)) is not None and mean.n]
    all_one = bool(values) and all(value == 1 for value in values)
    yield say(
        "{top} is a ceiling of right answers only. Its right refusals and its citation precision {are}: a question "
        "without an answer has no gold, so its context is empty there, and elsewhere only gold is in it.",
        "{top} 只是答对的上限。它的正确拒答与引用精确率{are}：没有答案的题没有标注证据，上下文为空；"
        "其余的题上下文里只有标注证据。",
        top=ceiling.key,
        are=text("are 1 by construction", "按构造就是 1")
        if all_one
        else text("follow from how it is made", "由其构造而来"),
    )
    yield from _fewer_false_refusals(rows, ceiling)


def _fewer_false_refusals(rows: Sequence[AnswersRow], ceiling: AnswersRow) -> Iterator[Text]:
    """The arms that decline fewer of the questions with an answer than the ceiling does."""
    most = _false_refusals(ceiling)
    found = [(row, own) for row in rows if row is not ceiling and (own := _false_refusals(row)) is not None]
    fewer = [(row, own) for row, own in found if most is not None and own[1] == most[1] and own[0] < most[0]]
    if most is None or not fewer:
        return
    each = [say("{arm} {n}", "{arm} {n}", arm=row.key, n=whole(str(own[0]))) for row, own in fewer]
    yield say(
        "Fewer false refusals than {top}, which has {k} of {n}: {arms}.",
        "误拒少于 {top}（{n} 题中 {k}）的方案：{arms}。",
        top=ceiling.key,
        k=whole(str(most[0])),
        n=whole(str(most[1])),
        arms=joined(each, ", ", "，"),
    )


def _false_refusals(row: AnswersRow) -> tuple[int, int] | None:
    """How many, of how many questions with an answer."""
    found = row.means.get(REFUSED_WRONG)
    return None if found is None or found.value is None else (round(found.value * found.n), found.n)


def _standing(found: Found, ceiling: ArmResult, how: Above) -> list[ArmResult]:
    """Arms that stand so to the ceiling."""
    top, others = read.share_of(ceiling), [arm for arm in read.asked(found.results) if arm is not ceiling]
    return [
        arm
        for arm in others
        if top is not None and (share := read.share_of(arm)) is not None and read.above(share, top) is how
    ]


def _above(ceiling: ArmResult, sure: Sequence[ArmResult], may_be: Sequence[ArmResult]) -> Threat:
    gaps = _gaps(ceiling, sure)
    each = [
        say("{arm} − {top} {gap}", "{arm} − {top} {gap}", arm=arm.key, top=ceiling.key, gap=_told(gap))
        for arm, gap in zip(sure, gaps, strict=True)
    ]
    tail = say(
        " As verdicts are open, {arms} may lie above it.",
        "判定未定，{arms} 有可能高于它。",
        arms=listed([arm.key for arm in may_be]),
    )
    return raised(
        Severity.HIGH if _beyond_chance(gaps) else Severity.MEDIUM,
        NAME,
        say(
            "share of right answers, open verdicts against the arm: {each} (unadjusted).{tail} Either the labels miss "
            "evidence, or the generator reads the gold alone worse than a longer context, or it is chance.",
            "答对的比例（待定者按对该方案不利计）：{each}（未校正）。{tail}或是标注漏了证据，或是生成器读单独的证据反不如"
            "较长的上下文，或是偶然。",
            each=joined(each, "; ", "；"),
            tail=tail if may_be else text("", ""),
        ),
        text("read the questions that the gold gets wrong", "阅读给了证据仍答错的题"),
    )


def _not_decided(found: Found, ceiling: ArmResult, may_be: Sequence[ArmResult]) -> Threat:
    """No arm is above for sure, and some may turn out to be."""
    waiting = [(arm, n) for arm in (*may_be, ceiling) if (n := _open_answers(arm))]
    each = [say("{arm} {n}", "{arm} {n}", arm=arm.key, n=whole(str(n))) for arm, n in waiting]
    k = sum(n for _, n in waiting)
    names: list[Filling] = [arm.key for arm in may_be]
    return raised(
        Severity.LOW,
        NAME,
        say(
            f"not decided: {{k}} {'is' if k == 1 else 'are'} open ({{each}}), and {{arms}} may lie above {{top}}.",
            "未定：{k}待定（{each}），{arms} 有可能高于 {top}。",
            k=counted(k, "verdict", "verdicts", "个判定"),
            each=joined(each, ", ", "，"),
            arms=listed(names),
            top=ceiling.key,
        ),
        say(
            "settle them: {command}",
            "逐条判定：{command}",
            command=code(read.reviewed_by(found.results, waiting[0][0])),
        ),
    )


def _open_answers(arm: ArmResult) -> int:
    """Open verdicts on questions with an answer: those that the share of right answers hangs on."""
    low, high = read.share_of(arm) or (0.0, 0.0)
    return round((high - low) * read.judged_on(arm))


def _gaps(ceiling: ArmResult, arms: Sequence[ArmResult]) -> list[Interval | None]:
    """Each arm with its open verdicts wrong, less the ceiling with its open ones right."""
    top = read.column(ceiling, CORRECT_HIGH)
    return [
        paired_difference(read.column(arm, CORRECT_LOW), top, arm.groups) if same_questions(arm, ceiling) else None
        for arm in arms
    ]


def _beyond_chance(gaps: Sequence[Interval | None]) -> bool:
    return any(gap is not None and excludes_zero(gap.low, gap.high) for gap in gaps)


def _told(found: Interval | None) -> Text:
    """`+0.400 (+0.214 to +0.586), n 30, 30 groups`."""
    if found is None or found.mean is None:
        return text("–", "–")
    if of_one_value(found):
        alike, on = all_alike(found.n), groups(found.n_groups)
        return say("{gap} ({alike}), {on}", "{gap}（{alike}），{on}", gap=gap(found.mean), alike=alike, on=on)
    told = difference(found)
    if found.low is None:
        told = say("{gap} ({none})", "{gap}（{none}）", gap=gap(found.mean), none=no_interval(found.n_groups))
    return say("{told}, {on}", "{told}，{on}", told=told, on=over(found.n, found.n_groups))
