"""The first sentence of a holdout's page: what follows for the candidate, and against whom."""

from collections.abc import Sequence

from rag_ablation.holdout.rule import Decision
from rag_ablation.report.study.content import Ladder, LadderStep, Ruled, Said
from rag_ablation.report.study.figures import difference, over
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.prose import Filling, dotted, joined, listed, say
from rag_ablation.report.study.verdict.inputs import HoldoutVerdict
from rag_ablation.report.study.verdict.terms import RULED
from rag_ablation.report.study.words import Kind, Piece, Text, code, text

ADOPT = text(Piece("Adopt", Kind.BETTER), Piece("采用", Kind.BETTER))
DO_NOT = text(Piece("Do not adopt", Kind.WORSE), Piece("不采用", Kind.WORSE))
UNDECIDED = text(Piece("Undecided", Kind.STRONG), Piece("未定", Kind.STRONG))


def headline_of(results: StudyResults, ladder: Ladder, verdict: HoldoutVerdict) -> Said:
    """The decision in one sentence, with the differences that it rests on.

    Args:
        results: of the plan's arms.
        ladder: candidate against each baseline.
        verdict: the plan's.
    """
    steps = ladder.steps()
    decision = verdict.ruling.decision
    fillings: dict[str, Filling] = {"arm": arm_name(results, verdict.candidate), "plan": code(verdict.plan)}
    if decision is Decision.ADOPT:
        words = say(
            "{decision} {arm}: by the rule of plan {plan} it passes {baselines}.",
            "{decision} {arm}：按计划 {plan} 的规则，它胜过 {baselines}。",
            decision=ADOPT,
            baselines=_named(results, steps, Ruled.PASSES),
            **fillings,
        )
    elif decision is Decision.DO_NOT_ADOPT:
        words = say(
            "{decision} {arm}: by the rule of plan {plan} it falls behind {baselines}.",
            "{decision} {arm}：按计划 {plan} 的规则，它落后于 {baselines}。",
            decision=DO_NOT,
            baselines=_named(results, steps, Ruled.BEHIND),
            **fillings,
        )
    else:
        words = say(
            "{decision}: the rule of plan {plan} settles neither for nor against {arm}; {why}.",
            "{decision}：计划 {plan} 的规则既不支持也不反对 {arm}；{why}。",
            decision=UNDECIDED,
            why=joined([_open(results, step) for step in steps if step.ruled is not Ruled.PASSES], ", ", "，"),
            **fillings,
        )
    return Said(sentence=words, figures=_figures(steps))


def _named(results: StudyResults, steps: Sequence[LadderStep], ruled: Ruled) -> Text:
    return listed([arm_name(results, step.parent) for step in steps if step.ruled is ruled])


def _open(results: StudyResults, step: LadderStep) -> Text:
    """Why one comparison leaves it open."""
    name = arm_name(results, step.parent)
    if step.ruled is Ruled.TOO_SMALL:
        return say("its lead over {name} is smaller than what matters", "它对 {name} 的领先小于有意义的差异", name=name)
    if step.ruled is Ruled.OPEN:
        return say("its difference from {name} may be 0", "它与 {name} 的差值可能为 0", name=name)
    if step.ruled is None:
        return say("{name} could not be compared", "{name} 无法比较", name=name)
    return say("against {name}: {word}", "对 {name}：{word}", name=name, word=RULED[step.ruled])


def _figures(steps: Sequence[LadderStep]) -> Text:
    """`C − A +0.123 (+0.069 to +0.176) · … · n 129, 66 groups`; the count once where all share it."""
    compared = [(step, step.comparison.interval) for step in steps if step.comparison is not None]
    counts = {(interval.n, interval.n_groups) for _, interval in compared}
    each = [
        say("{label} {gap}", "{label} {gap}", label=step.label, gap=difference(interval))
        if len(counts) == 1
        else say(
            "{label} {gap}, {on}",
            "{label} {gap}，{on}",
            label=step.label,
            gap=difference(interval),
            on=over(interval.n, interval.n_groups),
        )
        for step, interval in compared
    ]
    return dotted(*each, *([over(*counts.pop())] if len(counts) == 1 else []))
