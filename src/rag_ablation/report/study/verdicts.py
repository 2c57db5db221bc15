"""The two sentences of the conclusion, with their figures."""

from collections import Counter
from collections.abc import Sequence

from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT, Word
from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.asked import Primary
from rag_ablation.report.study.choice import best_of, chosen, gap_of, word_of
from rag_ablation.report.study.content import Denominators, Ladder, LadderStep, Said
from rag_ablation.report.study.denominators import reason
from rag_ablation.report.study.figures import (
    counted,
    counted_steps,
    gap,
    groups,
    mean,
    mean_ends,
    over,
    percent_of,
    questions,
    short,
    span,
)
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.prose import dotted, joined, say, sentence
from rag_ablation.report.study.step_figures import labelled, open_word, planned, stands_on, tested_figures, within
from rag_ablation.report.study.terms import NO_PROOF
from rag_ablation.report.study.words import Kind, Piece, Text, code, same, text, whole

BETTER = text(Piece("better", Kind.BETTER), Piece("优于", Kind.BETTER))
WORSE = text(Piece("worse", Kind.WORSE), Piece("差于", Kind.WORSE))
ONLY_STEP = text("It is the only step that could be compared.", "可比较的只有这一步。")


def sentences_of(results: StudyResults, ladder: Ladder, said: Denominators) -> tuple[Said, ...]:
    """Say the verdict of the last gain, then what is lost or still open; with nothing decided say so first.

    Args:
        results: the study's arms.
        ladder: every step.
        said: questions asked and scored.

    Returns:
        Two sentences where something was compared, else one.
    """
    if not said.scored:
        return (_nothing_scored(results, said),)
    compared = [step for step in ladder.steps() if step.comparison is not None]
    if not compared:
        return (_reached(results, ladder, said),)
    found = chosen(ladder.rows)
    if found.gain is not None:
        return (_gain(results, found.gain, compared), _rest(results, compared, (found.loss, found.open)))
    words = {word_of(step) for step in compared}
    if words == {Word.NO_VERDICT}:
        return (_no_verdict(said), _largest(results, compared))
    if not words & {Word.BETTER, Word.WORSE}:
        return _undecided(results, compared, found.open)
    return (_no_gain(results, compared), _rest(results, compared, (found.loss, found.open)))


def _gain(results: StudyResults, step: LadderStep, compared: Sequence[LadderStep]) -> Said:
    words = say(
        "{child} is {word} than {parent}: mean {name} goes from {a} to {b}.",
        "{child} {word} {parent}：{name} 均值由 {a} 升到 {b}。",
        word=BETTER,
        **_parts(results, step, compared),
    )
    figures, smallest = tested_figures(step), results.study.smallest_difference
    if gap_of(step) < smallest:
        little = say("less than the {smallest} that matters", "小于有意义的 {smallest}", smallest=short(smallest))
        figures = dotted(figures, little)
    return Said(sentence=sentence(words), figures=figures)


def _rest(results: StudyResults, compared: Sequence[LadderStep], steps: Sequence[LadderStep | None]) -> Said:
    """The decided loss and the open step, whichever there are."""
    there = [step for step in steps if step is not None]
    if not there:
        return _all_decided(compared)
    clauses = [(_lost if word_of(step) is Word.WORSE else _open)(results, step, compared) for step in there]
    figures = (
        tested_figures(there[0])
        if len(there) == 1
        else dotted(*[labelled(step) for step in there], stands_on(there[-1]))
    )
    small = within(there[-1], results.study.smallest_difference)
    if small is not None:
        figures = dotted(figures, say("{label}: {small}", "{label}：{small}", label=there[-1].label, small=small))
    words = say("{all}.", "{all}。", all=joined(clauses, "; ", "；"))
    return Said(sentence=sentence(words), figures=figures)


def _lost(results: StudyResults, step: LadderStep, compared: Sequence[LadderStep]) -> Text:
    return say(
        "{child} is {word} than {parent}: mean {name} goes from {a} to {b}",
        "{child} {word} {parent}：{name} 均值由 {a} 降到 {b}",
        word=WORSE,
        **_parts(results, step, compared),
    )


def _open(results: StudyResults, step: LadderStep, compared: Sequence[LadderStep]) -> Text:
    return say(
        "{child} is {word} from {parent}",
        "{child} 与 {parent} {word}",
        word=open_word(step),
        **_parts(results, step, compared),
    )


def _all_decided(compared: Sequence[LadderStep]) -> Said:
    if len(compared) == 1:
        return Said(sentence=ONLY_STEP, figures=planned(compared))
    n = Counter(word_of(step) for step in compared)
    words = say(
        "No step against a better parent stays open: of {m}, {better} are better and {worse} worse.",
        "与较好父方案的比较没有悬而未决的：{m}中 {better} 步更好，{worse} 步更差。",
        m=counted_steps(len(compared)),
        better=str(n[Word.BETTER]),
        worse=str(n[Word.WORSE]),
    )
    return Said(sentence=words, figures=planned(compared))


def _undecided(results: StudyResults, compared: Sequence[LadderStep], nearest: LadderStep | None) -> tuple[Said, ...]:
    """Nothing is decided: that first, then the step that came nearest."""
    nearest = nearest or compared[0]
    if len(compared) == 1:
        words = say("{open}.", "{open}。", open=_open(results, nearest, compared))
        first = Said(sentence=sentence(words), figures=tested_figures(nearest))
        return (first, _likely(nearest))
    words = _none_decided(compared, nearest)
    near = say(
        "Nearest to a decision is {child} against {parent}: mean {name} goes from {a} to {b}.",
        "最接近结论的是 {child} 对 {parent}：{name} 均值由 {a} 到 {b}。",
        **_parts(results, nearest, compared),
    )
    return (
        Said(sentence=words, figures=planned(compared)),
        Said(sentence=near, figures=tested_figures(nearest)),
    )


def _none_decided(compared: Sequence[LadderStep], nearest: LadderStep) -> Text:
    m = str(len(compared))
    alike = {stands_on(step) for step in compared} == {stands_on(nearest)}
    if not alike or any(word_of(step) is not Word.NOT_DISTINGUISHABLE for step in compared):
        return say("None of the {m} steps compared is decided.", "所比较的 {m} 步均无结论。", m=m)
    word = open_word(nearest)
    return say(
        "None of the {m} steps compared is decided: each is {word}.",
        "所比较的 {m} 步均无结论：各步{word}。",
        m=m,
        word=word,
    )


def _likely(step: LadderStep) -> Said:
    """What one open step could have shown."""
    if step.detectable is None:
        return Said(sentence=ONLY_STEP, figures=stands_on(step))
    words = say(
        "A difference of {size} or more was likely to show; a smaller one stays open.",
        "{size} 及以上的差异大概率能检出；更小的仍无定论。",
        size=mean(step.detectable),
    )
    return Said(
        sentence=words,
        figures=say(
            "{power} power; {planning}", "功效 {power}；{planning}", power=percent_of(POWER), planning=NO_PROOF
        ),
    )


def _no_gain(results: StudyResults, compared: Sequence[LadderStep]) -> Said:
    n = Counter(word_of(step) for step in compared)
    words = say("No arm is better than its parent.", "没有方案优于其父方案。")
    if any(len(results.study.arm(step.child).parents) > 1 for step in compared):
        words = say(
            "No arm is better than its parent or, of several, than the better one.",
            "没有方案优于其父方案；有几个父方案的，没有优于其中较好者。",
        )
    another = say("{n} better than another parent", "{n} 步优于另一父方案", n=str(n[Word.BETTER]))
    figures = dotted(
        *([another] if n[Word.BETTER] else []),
        say("{n} worse", "{n} 步更差", n=str(n[Word.WORSE])),
        say("{n} not distinguishable", "{n} 步无法区分", n=str(n[Word.NOT_DISTINGUISHABLE])),
        stands_on(compared[0]),
    )
    return Said(sentence=words, figures=figures)


def _no_verdict(said: Denominators) -> Said:
    words = say(
        "No verdict is possible: the {n} form {g}, and under {few} groups no step can be decided.",
        "不能下结论：{n} 只有 {g}，不足 {few} 组时任何一步都无法判定。",
        n=counted(said.scored, "scored question", "scored questions", "道计分题"),
        g=groups(said.scored_groups),
        few=str(GROUPS_FOR_A_VERDICT),
    )
    return Said(sentence=words, figures=over(said.scored, said.scored_groups))


def _largest(results: StudyResults, compared: Sequence[LadderStep]) -> Said:
    step = max(compared, key=lambda step: abs(gap_of(step)))
    if not any(found.wins or found.losses for each in compared if (found := each.comparison) is not None):
        return Said(sentence=_all_equal(compared), figures=labelled(step, tested=False))
    words = say(
        "The largest difference seen is that of {child} from {parent}: {gap} {name}, without a verdict.",
        "所见最大的差异是 {child} 与 {parent} 之间：{name} {gap}，不下结论。",
        gap=gap(gap_of(step)),
        **_parts(results, step, compared),
    )
    return Said(sentence=words, figures=labelled(step, tested=False))


def _all_equal(compared: Sequence[LadderStep]) -> Text:
    """No question differs in any step."""
    if len(compared) == 1:
        return say("The two arms are equal on every question.", "两个方案在每一题上都相同。")
    return say(
        "In none of the {m} steps compared does a question differ.",
        "所比较的 {m} 步中没有一题不同。",
        m=str(len(compared)),
    )


def _nothing_scored(results: StudyResults, said: Denominators) -> Said:
    if not any(arm.finished for arm in results.arms):
        words = say("No arm finished, so there is nothing to tell.", "没有方案运行完成，因此无可报告。")
        return Said(sentence=words, figures=same(results.study.primary))
    words = say(
        "Nothing could be scored: none of the {n} asked has gold that counts, so every mean is undefined.",
        "没有可计分的题：所问 {n} 均无可用的标注证据，因此一切均值无定义。",
        n=questions(said.asked),
    )
    left = [say("{n} {why}", "{n} 题 {why}", n=str(n), why=reason(name)) for name, n in said.excluded.items() if n]
    return Said(sentence=words, figures=dotted(*left))


def _reached(results: StudyResults, ladder: Ladder, said: Denominators) -> Said:
    """No two arms were compared: what the best one reaches, alone."""
    best, primary = best_of(ladder.rows), Primary.of(results)
    if best is None or best.mean is None:
        words = say(
            "No arm has a measuring point {point}, so there is no {name}.",
            "没有方案有测量点 {point}，因此没有 {name}。",
            point=code(primary.point),
            name=primary.heading,
        )
        return Said(sentence=words, figures=over(said.scored, said.scored_groups))
    ends = mean_ends(best.mean)
    interval = say("95 % interval {ends}", "95 % 区间 {ends}", ends=whole(ends)) if ends else span(None, None)
    refused = [step.refused for step in ladder.steps() if step.refused is not None]
    words = say(
        "{arm} reaches a mean {name} of {reached}; no other arm could be compared with it."
        if refused
        else "{arm} reaches a mean {name} of {reached}; no other arm was compared with it.",
        "{arm} 的 {name} 均值为 {reached}；没有可比的方案。"
        if refused
        else "{arm} 的 {name} 均值为 {reached}；没有与其他方案比较。",
        arm=arm_name(results, best.key),
        name=primary.heading,
        reached=mean(best.mean.value),
    )
    figures = dotted(interval, over(best.mean.n, best.mean.n_groups or 0), *refused[:1])
    return Said(sentence=sentence(words), figures=figures)


def _parts(results: StudyResults, step: LadderStep, compared: Sequence[LadderStep]) -> dict[str, Text | Piece | str]:
    """Names and means of a step, for its sentence."""
    primary = Primary.of(results)
    means = [None if (arm := results.arm(key)) is None else primary.mean(arm) for key in (step.parent, step.child)]
    a, b = (mean(None if found is None else found.value) for found in means)
    return {
        "child": arm_name(results, step.child),
        "parent": _parent(results, step, compared),
        "name": primary.heading,
        "a": a,
        "b": b,
    }


def _parent(results: StudyResults, step: LadderStep, compared: Sequence[LadderStep]) -> Text:
    """The parent with its place among several; one that could not be compared might have been the better."""
    name, declared = arm_name(results, step.parent), len(results.study.arm(step.child).parents)
    rivals = sum(other.child == step.child for other in compared)
    if declared == 1 or not step.better_parent:
        return name
    if rivals == 1:
        return say("{name}, the only one of its parents that could be compared", "唯一可比的父方案 {name}", name=name)
    if rivals < declared:
        return say("{name}, the better of its parents that could be compared", "可比父方案中较好的 {name}", name=name)
    return say("{name}, the better of its parents", "几个父方案中较好的 {name}", name=name)
