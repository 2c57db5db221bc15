"""Sentences about candidate and baselines: how the rule judged each, and how to read the lines."""

from collections import Counter
from collections.abc import Sequence

from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.content import LadderStep, Ruled
from rag_ablation.report.study.figures import percent_of, short
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.ladder_words import clauses, on_these
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.step_figures import detectable_sizes
from rag_ablation.report.study.terms import NO_PROOF
from rag_ablation.report.study.verdict.terms import RULED
from rag_ablation.report.study.words import Text, text


def ruled_finding(steps: Sequence[LadderStep]) -> Text:
    """How many comparisons fell out in which way, and on what."""
    words = Counter(step.ruled for step in steps if step.ruled is not None)
    parts = [
        say("{n} {word}", "{n} 项{word}", n=str(words[ruled]), word=_plural(ruled)) for ruled in Ruled if words[ruled]
    ]
    head = say("Of {n} comparisons by the rule", "按规则比较的 {n} 项中", n=str(len(steps)))
    if len(steps) == 1:
        head = text("By the rule, of 1 comparison", "按规则比较 1 项")
    return say("{head}: {parts}{on}.", "{head}：{parts}{on}。", head=head, parts=clauses(parts), on=on_these(steps))


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
    if (sizes := detectable_sizes(compared)) is not None:
        notes.append(
            say(
                "Smallest difference that was likely to show ({power} power): {sizes}. The rule's δ is {smallest}: "
                "{planning}.",
                "大概率能看出的最小差异（功效 {power}）：{sizes}；规则的 δ 为 {smallest}。{planning}。",
                power=percent_of(POWER),
                sizes=sizes,
                smallest=short(results.study.smallest_difference),
                planning=NO_PROOF,
            )
        )
    return tuple(notes)


def _plural(ruled: Ruled) -> Text:
    """The word after a number."""
    many = {Ruled.PASSES: "passed", Ruled.BEHIND: "fell behind", Ruled.OPEN: "stayed open"}
    return text(many.get(ruled, RULED[ruled].plain("en")), RULED[ruled].plain("zh"))
