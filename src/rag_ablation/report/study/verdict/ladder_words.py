"""Sentences about candidate and baselines: how the rule judged each, and how to read the lines."""

from collections import Counter
from collections.abc import Sequence

from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.content import LadderStep, Ruled
from rag_ablation.report.study.figures import mean, percent_of, short, these
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.terms import NO_PROOF
from rag_ablation.report.study.verdict.terms import RULED
from rag_ablation.report.study.words import Text, same, text


def ruled_finding(steps: Sequence[LadderStep]) -> Text:
    """How many comparisons fell out in which way, and on what."""
    words = Counter(step.ruled for step in steps if step.ruled is not None)
    parts = [
        say("{n} {word}", "{n} 项{word}", n=str(words[ruled]), word=_plural(ruled)) for ruled in Ruled if words[ruled]
    ]
    stood = {(c.interval.n, c.interval.n_groups) for step in steps if (c := step.comparison) is not None}
    on = say(", on {these}", "，基于{these}", these=these(*stood.pop())) if len(stood) == 1 else same("")
    head = say("Of {n} comparisons by the rule", "按规则比较的 {n} 项中", n=str(len(steps)))
    if len(steps) == 1:
        head = text("By the rule, of 1 comparison", "按规则比较 1 项")
    return say("{head}: {parts}{on}.", "{head}：{parts}{on}。", head=head, parts=_clauses(parts), on=on)


def ruled_side(results: StudyResults, steps: Sequence[LadderStep]) -> tuple[Text, ...]:
    """Notes for the margin: what the rule reads, why nothing is adjusted, what could have been found."""
    compared = [step for step in steps if step.comparison is not None]
    if not compared:
        return ()
    freedoms = sorted({step.comparison.t.freedom for step in compared if step.comparison is not None})
    how = say(
        "Line: 95 % interval of the difference (cluster-robust t, {df} degrees of freedom). The rule reads this "
        "interval of every comparison and nothing else. Adopting asks all of them to pass, so their number needs no "
        "adjustment.",
        "线：差值的 95 % 区间（按组聚类稳健 t，自由度 {df}）。规则只看每项比较的这个区间。采用须全部通过，"
        "故不因比较的数目而校正。",
        df=" / ".join(map(str, freedoms)),
    )
    rest = text(
        "Everything below, other measures, question types and single questions, is exploratory: it decides nothing.",
        "以下各节（其他指标、问题类型、逐题）都是探索性的，不作决定。",
    )
    notes = [how, rest]
    found = [step.detectable for step in compared if step.detectable is not None]
    if found:
        ends = [mean(value) for value in (min(found), max(found))]
        spread = say("{a} to {b}", "{a} 至 {b}", a=ends[0], b=ends[1]) if ends[0] != ends[1] else same(ends[0])
        notes.append(
            say(
                "Smallest difference that was likely to show ({power} power): {spread}. The rule's δ is {smallest}: "
                "{planning}.",
                "大概率能看出的最小差异（功效 {power}）：{spread}；规则的 δ 为 {smallest}。{planning}。",
                power=percent_of(POWER),
                spread=spread,
                smallest=short(results.study.smallest_difference),
                planning=NO_PROOF,
            )
        )
    return tuple(notes)


def _plural(ruled: Ruled) -> Text:
    """The word after a number."""
    many = {Ruled.PASSES: "passed", Ruled.BEHIND: "fell behind", Ruled.OPEN: "stayed open"}
    return text(many.get(ruled, RULED[ruled].plain("en")), RULED[ruled].plain("zh"))


def _clauses(parts: Sequence[Text]) -> Text:
    return Text(listed(parts).en, joined(parts, "", "，").zh)
