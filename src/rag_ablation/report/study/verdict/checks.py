"""Checks that only a holdout needs, and those of a study whose remedy is another on a holdout."""

from dataclasses import replace

from rag_ablation.holdout.marks import About
from rag_ablation.holdout.rule import Decision
from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.checks import judged, runs
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.figures import mean, percent_of, short
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.terms import NO_PROOF
from rag_ablation.report.study.verdict.inputs import HoldoutVerdict
from rag_ablation.report.study.verdict.terms import marks_in_a_row, times_of
from rag_ablation.report.study.words import Text, code, text

HEAVY = frozenset({About.USED, About.SEEN, About.RELABELLED})
"""Marks after which these are no results on unseen questions, or not on the labels that the plan knew."""


def marks(found: Found) -> Threat | None:
    """What the results are marked with: seen before, used again, a dirty tree, relabelled, replayed elsewhere."""
    verdict, name = found.results.holdout, text("Marks of the holdout", "留出集的标记")
    if verdict is None:
        return None
    opened = say("opened {times}", "打开过 {times}", times=times_of(verdict.times))
    if verdict.marks:
        return _marked(verdict, name, opened)
    if verdict.times > 1:
        return raised(
            Severity.LOW,
            name,
            say(
                "none when this plan opened it; by now it was {opened}.",
                "本计划打开时没有；此后共 {opened}。",
                opened=opened,
            ),
            None,
        )
    return clear(
        name,
        say(
            "none: {opened}, its questions unseen before, the labels and the code as they were frozen.",
            "无：{opened}，题目此前没有看过，标注与代码同冻结时一致。",
            opened=opened,
        ),
    )


def _marked(verdict: HoldoutVerdict, name: Text, opened: Text) -> Threat:
    each = say("{opened}; {each}.", "{opened}；{each}。", opened=opened, each=marks_in_a_row(verdict.marks))
    why = [say(" Reason given: {reason}.", "给出的理由：{reason}。", reason=verdict.reason)] if verdict.reason else []
    measured = joined([each, *why], "", "")
    if any(mark.about in HEAVY for mark in verdict.marks):
        act = text(
            "read these results as one more look, not as a test; repeat on questions that nobody has looked at",
            "只当作又看了一眼，不是检验；换没有人看过的题再做",
        )
        return raised(Severity.HIGH, name, measured, act)
    act = text(
        "freeze the next plan from a commit, and replay where it was run",
        "下一次从提交后的代码冻结，并在原处重放",
    )
    return raised(Severity.MEDIUM, name, measured, act)


def could_decide(found: Found) -> Threat | None:
    """Whether the holdout could have shown the difference that matters, where the rule left it open."""
    verdict, name = found.results.holdout, text("What the holdout could show", "留出集能看出什么")
    if verdict is None:
        return None
    smallest = found.results.study.smallest_difference
    sized = [(step.label, step.detectable) for step in found.ladder.steps() if step.detectable is not None]
    if not sized:
        return raised(
            Severity.HIGH,
            name,
            text("no detectable difference can be told on so few groups.", "组数太少，说不出可检出的差异。"),
            text("more questions on other answer locations", "增加答案位置不同的题"),
        )
    sizes = listed([say("{label} {size}", "{label} {size}", label=label, size=mean(size)) for label, size in sized])
    measured = say(
        "difference that was likely to show ({power} power): {sizes}; δ is {smallest}: {planning}.",
        "大概率能看出的差异（功效 {power}）：{sizes}；δ 为 {smallest}：{planning}。",
        power=percent_of(POWER),
        sizes=sizes,
        smallest=short(smallest),
        planning=NO_PROOF,
    )
    if verdict.ruling.decision is not Decision.UNDECIDED:
        return clear(name, measured)
    blind = any(size > smallest for _, size in sized)
    return raised(
        Severity.HIGH if blind else Severity.LOW,
        name,
        measured,
        text(
            "undecided is not equal: a difference of δ could well be there unseen; ask more questions",
            "未定不等于相等：大小为 δ 的差异很可能存在而没有看出；增加题目",
        )
        if blind
        else None,
    )


def flattered(found: Found) -> Threat | None:
    """Whether dev results were higher than those here by more than chance."""
    section, name = found.holdout, text("Tuned on dev", "在开发集上调过")
    if section is None or not section.tuning:
        return None
    if any(row.flattered for row in section.tuning):
        return raised(
            Severity.MEDIUM,
            name,
            section.tuning_finding,
            text("quote the numbers of the holdout, not those of dev", "引用留出集上的数值，不要引用开发集上的"),
        )
    return clear(name, section.tuning_finding)


def again(found: Found) -> Threat | None:
    """Whether a replay gave the same, and with the same libraries."""
    verdict, name = found.results.holdout, text("Libraries and replays", "库与重放")
    if verdict is None:
        return None
    others = [*verdict.libraries, *(line for replay in verdict.replays for line in replay.libraries)]
    differing = sum(replay.differs > 0 for replay in verdict.replays)
    if differing or others:
        lines = joined([code(line) for line in dict.fromkeys(others)], ", ", "、")
        return raised(
            Severity.MEDIUM if differing else Severity.LOW,
            name,
            say(
                "{n} of {m} replays came out otherwise; libraries that are not the plan's: {lines}.",
                "{m} 次重放中 {n} 次结果不同；与计划不同的库：{lines}。",
                n=str(differing),
                m=str(len(verdict.replays)),
                lines=lines if others else text("none", "无"),
            ),
            text("replay with the libraries of the plan", "用计划所记的库重放"),
        )
    return clear(
        name,
        say(
            "libraries as frozen; replayed {times}.",
            "库与冻结时相同；重放{times}。",
            times=_replayed(len(verdict.replays)),
        ),
    )


def _replayed(n: int) -> Text:
    if not n:
        return text("not yet", "尚未进行")
    return say("{times}, the same to the last bit", "{times}，逐位相同", times=times_of(n))


def unjudged_passages(found: Found) -> Threat | None:
    """As on dev; but whoever judges more after the opening changes the labels that were frozen."""
    threat = judged.unjudged_passages(found)
    if threat is None or threat.act is None:
        return threat
    act = say(
        "judging more now is a change of labels after the opening: {command} scores anew, marked",
        "现在补判即打开之后改标注：{command} 重新计分并留下标记",
        command=code("rag-ablation holdout amend --labels"),
    )
    return replace(threat, act=act)


def same_code(found: Found) -> Threat | None:
    """As on dev; a holdout is not run again."""
    threat = runs.same_code(found)
    if threat is None or threat.act is None:
        return threat
    return replace(threat, act=text("freeze the next plan from a commit", "下一个计划从已提交的代码冻结"))
