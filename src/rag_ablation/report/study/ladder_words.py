"""Sentences about a ladder as a whole: how its steps fell out, what the drawn ones show, how to read them."""

from collections import Counter
from collections.abc import Sequence

from rag_ablation.measures.family import ALPHA, GROUPS_FOR_A_VERDICT, Word
from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.choice import pair_of, word_of
from rag_ablation.report.study.content import LadderRow, LadderStep
from rag_ablation.report.study.family import left_out
from rag_ablation.report.study.figures import (
    counted_steps,
    gap,
    mean,
    p_value,
    percent_of,
    short,
    these,
)
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.prose import joined, listed, say, sentence
from rag_ablation.report.study.recorded import excludes_zero
from rag_ablation.report.study.step_figures import fell_out, within
from rag_ablation.report.study.terms import NO_PROOF, VERDICTS
from rag_ablation.report.study.words import Text, same


def finding(results: StudyResults, steps: Sequence[LadderStep]) -> Text:
    """How many steps of the family got which word, and on what."""
    gone = left_out(results)
    if not steps:
        if gone:
            return say("No step could be taken: its arms were skipped.", "没有可比较的步骤：所需方案已跳过。")
        return say("No step is declared, so nothing is compared.", "没有声明步骤，因此没有比较。")
    return joined([_counts(steps), *([_without(gone, results)] if gone else [])], " ", "")


def remark(results: StudyResults, rows: Sequence[LadderRow], drawn: Sequence[LadderStep]) -> Text | None:
    """What the drawn steps show: an arm against its parents, else how the last of them fell out."""
    pair = pair_of(rows)
    if pair is not None and pair[0] in drawn:
        return _both_parents(results, *pair)
    step = drawn[-1] if drawn else None
    if step is None or step.comparison is None:
        return None
    figures = step.comparison
    return sentence(say("{all}.", "{all}。", all=fell_out(step, (figures.wins, figures.ties, figures.losses))))


def side(results: StudyResults, steps: Sequence[LadderStep]) -> tuple[Text, ...]:
    """Notes for the margin: how a verdict is reached, why it asks for two things, what could have been found."""
    compared = [step for step in steps if step.comparison is not None]
    if not compared:
        return ()
    notes = [
        _how(len(steps), compared),
        _both_needed(compared),
        _little(results, compared),
        _detectable(results, compared, len(steps)),
    ]
    return tuple(note for note in notes if note is not None)


def clauses(parts: Sequence[Text]) -> Text:
    """`4 better, 0 worse and 5 not distinguishable`."""
    return Text(listed(parts).en, joined(parts, "", "，").zh)


def on_these(steps: Sequence[LadderStep]) -> Text:
    """` on these 127 questions (57 groups)`, where all steps stand on the same number."""
    stood = {(c.interval.n, c.interval.n_groups) for step in steps if (c := step.comparison) is not None}
    if len(stood) != 1:
        return same("")
    return say(", on {these}", "，基于{these}", these=these(*stood.pop()))


def _counts(steps: Sequence[LadderStep]) -> Text:
    words = Counter(word_of(step) for step in steps)
    decided = (Word.BETTER, Word.WORSE, Word.NOT_DISTINGUISHABLE)
    parts = [say("{n} {word}", "{n} 步{word}", n=str(words[word]), word=VERDICTS[word]) for word in decided]
    if words[Word.NO_VERDICT]:
        few = str(GROUPS_FOR_A_VERDICT)
        n = str(words[Word.NO_VERDICT])
        parts.append(say("{n} without a verdict (under {few} groups)", "{n} 步不下结论（不足 {few} 组）", n=n, few=few))
    if words[None]:
        parts.append(say("{n} not comparable", "{n} 步不可比", n=str(words[None])))
    m = str(len(steps))
    head = (
        say("Of {m} steps judged together", "一并检验的 {m} 步中", m=m)
        if len(steps) > 1
        else say("Of 1 step", "1 步中")
    )
    return say("{head}: {parts}{on}.", "{head}：{parts}{on}。", head=head, parts=clauses(parts), on=on_these(steps))


def _without(gone: Sequence[tuple[str, str]], results: StudyResults) -> Text:
    skipped = [skip.arm.key for skip in results.skipped if any(skip.arm.key in pair for pair in gone)]
    n = str(len(gone))
    more = "step was" if len(gone) == 1 else "steps were"
    return say(
        f"{{n}} more {more} declared and left out, since {{keys}} {'was' if len(skipped) == 1 else 'were'} skipped.",
        "另有 {n} 步已声明但略去，因为 {keys} 已跳过。",
        n=n,
        keys=listed(skipped),
    )


def _both_parents(results: StudyResults, better: LadderStep, other: LadderStep) -> Text:
    row_gap, other_gap = (
        None if step.comparison is None else step.comparison.interval.mean for step in (better, other)
    )
    return say(
        "{child} stands against several parents. The difference from {other} is {other_gap}; from {better}, the better "
        "parent on these questions, {better_gap}. The second number is the one that counts (◂).",
        "{child} 要与几个父方案比较：与 {other} 之差为 {other_gap}；与本题集上较好的父方案 {better} 之差为 "
        "{better_gap}。以后者为准（◂）。",
        child=better.child,
        other=arm_name(results, other.parent),
        better=arm_name(results, better.parent),
        other_gap=gap(other_gap),
        better_gap=gap(row_gap),
    )


def _how(family: int, compared: Sequence[LadderStep]) -> Text:
    freedoms = {step.comparison.t.freedom for step in compared if step.comparison is not None}
    return say(
        "Line: 95 % interval of the difference (cluster-robust t, {df} degrees of freedom). A verdict needs both an "
        "interval that excludes 0 and a Holm-adjusted p of {alpha} or less over {m}.",
        "线：差值的 95 % 区间（按组聚类稳健 t，自由度 {df}）。要下结论，区间须不含 0，且 {m} Holm 校正后的 p "
        "不大于 {alpha}。",
        df=" / ".join(str(freedom) for freedom in sorted(freedoms)),
        alpha=short(ALPHA),
        m=counted_steps(family),
    )


def _both_needed(compared: Sequence[LadderStep]) -> Text | None:
    """A step whose interval excludes 0 and which is still open: why both are asked for."""
    for step in compared:
        figures = step.comparison
        if figures is None or figures.word is not Word.NOT_DISTINGUISHABLE:
            continue
        if excludes_zero(figures.interval.low, figures.interval.high):
            return say(
                "{label} shows why both are asked for: its interval excludes 0, its adjusted p is {p}.",
                "{label} 说明为何两者都要：区间不含 0，但校正 p 为 {p}。",
                label=step.label,
                p=p_value(figures.adjusted_p),
            )
    return None


def _little(results: StudyResults, compared: Sequence[LadderStep]) -> Text | None:
    """Open steps whose whole interval is smaller than what matters."""
    smallest = results.study.smallest_difference
    small = [step.label for step in compared if within(step, smallest) is not None]
    if not small:
        return None
    return say(
        "The interval of {steps} lies within ±{smallest}, less than what matters."
        if len(small) == 1
        else "The intervals of {steps} lie within ±{smallest}, less than what matters.",
        "{steps} 的区间在 ±{smallest} 之内，小于有意义的差异。",
        steps=listed(small),
        smallest=short(smallest),
    )


def _detectable(results: StudyResults, compared: Sequence[LadderStep], family: int) -> Text | None:
    found = [step.detectable for step in compared if step.detectable is not None]
    if not found:
        return None
    ends = [mean(value) for value in (min(found), max(found))]
    spread = say("{a} to {b} by step", "各步 {a} 至 {b}", a=ends[0], b=ends[1]) if ends[0] != ends[1] else same(ends[0])
    return say(
        "Smallest difference that was likely to show ({power} power, α {alpha}/{m}): {spread}. The study calls "
        "{smallest} the smallest that matters: {planning}.",
        "可检出的最小差异（功效 {power}，α {alpha}/{m}）：{spread}；研究声明有意义的最小差异为 {smallest}。"
        "{planning}。",
        planning=NO_PROOF,
        power=percent_of(POWER),
        alpha=short(ALPHA),
        m=str(family),
        spread=spread,
        smallest=short(results.study.smallest_difference),
    )
