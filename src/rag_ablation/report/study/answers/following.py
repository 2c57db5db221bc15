"""What follows from the answers: settle what is open, or look at the generator."""

from rag_ablation.measures.fates import Fate
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.checks import undecided_steps
from rag_ablation.report.study.answers.lost import kept_as
from rag_ablation.report.study.choice import focus_of
from rag_ablation.report.study.content import End
from rag_ablation.report.study.figures import questions
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.nouns import gold, name_of_unit
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text, whole

MANY_OPEN = 0.05
"""Share of open verdicts above which they are settled before anything is concluded from answers."""
NOT_LOST = frozenset({Fate.KEPT, Fate.REDUNDANT, Fate.NOT_VISIBLE})


def review_first(found: Found) -> Text | None:
    """So many verdicts are open that no share of right answers says much."""
    arms = [arm for arm in read.asked(found.results) if read.share_of(arm) is not None]
    waiting = {arm.key: read.open_verdicts(arm) for arm in arms}
    most = max(arms, key=lambda arm: waiting[arm.key], default=None)
    if most is None or waiting[most.key] <= MANY_OPEN * read.judged_on(most):
        return None
    steps, undecided = undecided_steps(found)
    hang = text("", "")
    if undecided:
        hang = say(
            ", and the bounds of {k} of {m} steps overlap",
            "，{m} 步中有 {k} 步的界限重叠",
            k=str(len(undecided)),
            m=str(len(steps)),
        )
    return say(
        "Before reading the answers, settle the open verdicts: {arm} has {n} of {of}{hang}. {command} writes them out.",
        "看答案之前，先判定待定的答案：{arm} 的 {of}中有 {n} 题待定{hang}。{command} 可导出。",
        arm=most.key,
        n=whole(str(waiting[most.key])),
        of=questions(_judged(most)),
        hang=hang,
        command=code(read.reviewed_by(found.results, most)),
    )


def generator_first(found: Found) -> Text | None:
    """More evidence is kept and answered wrong than is lost on its way: retrieval is not what is missing."""
    key = focus_of(found.ladder.rows)
    arm = None if key is None else found.results.arm(key)
    if arm is None or not read.was_asked(arm):
        return None
    became = kept_as(arm)
    counts = arm.record.evidence.get("counts", {})
    lost = sum(n for fate, n in counts.items() if fate not in NOT_LOST)
    wrong = 0 if became is None else became["answer_wrong"]
    if not wrong or wrong <= lost:
        return None
    said = say(
        "Look at the generator next: of {gold} {arm} keeps {kept}, and the questions of {wrong} of those are answered "
        "wrong, while {lost} are lost before it.",
        "接下来看生成器：{gold}中，{arm} 留下 {kept} 项，其中 {wrong} 项对应的题答错了，而此前丢失的只有 {lost} 项。",
        gold=gold(sum(counts.values()), name_of_unit(arm.record)),
        arm=arm_name(found.results, arm.key),
        kept=str(counts.get(Fate.KEPT, 0)),
        wrong=str(wrong),
        lost=str(lost),
    )
    ceiling = _with_the_gold(found)
    return said if ceiling is None else joined([said, ceiling], " ", "")


def _with_the_gold(found: Found) -> Text | None:
    """How far the same generator comes when nothing is lost."""
    ceiling = read.bracket_of(found.results, End.CEILING)
    share = None if ceiling is None else read.share_of(ceiling)
    if ceiling is None or share is None:
        return None
    n = read.judged_on(ceiling)
    low, high = (round(end * n) for end in share)
    right = text(whole(f"{low}"), whole(f"{low}"))
    if low != high:
        right = text(whole(f"{low} to {high}"), whole(f"{low} 至 {high}"))
    return say(
        "Given the gold ({ceiling}) it is right on {right} of {n}.",
        "直接给标注证据时（{ceiling}）在 {n}中答对 {right} 题。",
        ceiling=ceiling.key,
        right=right,
        n=questions(n),
    )


def _judged(arm: ArmResult) -> int:
    return sum(sum(counts.values()) for counts in (read.answerable(arm), read.unanswerable(arm)))
