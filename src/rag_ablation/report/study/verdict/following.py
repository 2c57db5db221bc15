"""What follows from a verdict on the holdout: few sentences, in a fixed order."""

import shlex

from rag_ablation.holdout.rule import Decision
from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.content import LadderStep, Ruled
from rag_ablation.report.study.figures import groups, mean, percent_of, short
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.needed import groups_to_show
from rag_ablation.report.study.prose import listed, say
from rag_ablation.report.study.verdict.inputs import HoldoutVerdict
from rag_ablation.report.study.verdict.terms import times_of
from rag_ablation.report.study.words import Text, code


def following_of(found: Found, verdict: HoldoutVerdict) -> tuple[Text, ...]:
    """What to do with the candidate, what it would take where nothing is decided, and that the holdout is spent.

    Args:
        found: everything that was computed before.
        verdict: the plan's.
    """
    return _candidate(found.results, verdict), *_needed(found), _spent(verdict)


def _candidate(results: StudyResults, verdict: HoldoutVerdict) -> Text:
    arm, decision = arm_name(results, verdict.candidate), verdict.ruling.decision
    if decision is Decision.ADOPT:
        return say(
            "Take {arm} into use as it was frozen: {command} prints its settings and models.",
            "按冻结时的样子采用 {arm}：{command} 列出它的设置与模型。",
            arm=arm,
            command=code(_show_command(verdict)),
        )
    baselines = listed([arm_name(results, one.baseline) for one in verdict.ruling.observed])
    if decision is Decision.DO_NOT_ADOPT:
        return say(
            "Leave {arm} out, and stay with what is in use ({baselines} stood against it).",
            "不用 {arm}，保持现状（与它比较的是 {baselines}）。",
            arm=arm,
            baselines=baselines,
        )
    return say(
        "Undecided does not say that {arm} and {baselines} are equal; the rule gives no leave to adopt it.",
        "未定并不是说 {arm} 与 {baselines} 相等；规则没有允许采用它。",
        arm=arm,
        baselines=baselines,
    )


def _needed(found: Found) -> list[Text]:
    """How many groups would have made δ likely to show, for the first comparison that stayed open."""
    smallest = found.results.study.smallest_difference
    said = (_groups_for(step, smallest) for step in found.ladder.steps() if step.ruled is Ruled.OPEN)
    return [one for one in said if one is not None][:1]


def _groups_for(step: LadderStep, smallest: float) -> Text | None:
    compared = step.comparison
    if compared is None or step.detectable is None or not 0 < smallest < step.detectable:
        return None
    needed = groups_to_show(smallest, compared.interval, family=1)
    if needed is None:
        return None
    return say(
        "For a difference of {smallest} to show in {label} takes about {needed} like these ({power} power); there were "
        "{there}, on which {size} was likely to show.",
        "要在 {label} 上看出 {smallest} 的差异，约需 {needed}（功效 {power}，与这些组相仿）；现有 {there}，"
        "大概率能看出的是 {size}。",
        smallest=short(smallest),
        label=step.label,
        needed=needed,
        power=percent_of(POWER),
        there=groups(compared.interval.n_groups),
        size=mean(step.detectable),
    )


def _spent(verdict: HoldoutVerdict) -> Text:
    return say(
        "These questions are spent (opened {times}): what is tuned from here on cannot be confirmed on them. Freeze "
        "the next plan on another fold, or on questions that nobody has looked at.",
        "这些题已经用掉（打开过 {times}）：从此往后调出来的东西不能再用它们来确认。下一个计划要冻结在另一折，"
        "或没有人看过的题上。",
        times=times_of(verdict.times),
    )


def _show_command(verdict: HoldoutVerdict) -> str:
    """What prints the plan."""
    return f"rag-ablation freeze show {shlex.quote(verdict.plan)} --study {shlex.quote(verdict.study)}"
