"""What takes most evidence from an arm, what may be done about it, and what came of it where the study tried."""

import re
import shlex
from collections.abc import Mapping

from rag_ablation.experiment.factors import change
from rag_ablation.experiment.study import Role
from rag_ablation.measures.fates import Fate
from rag_ablation.report.leaderboard import signed
from rag_ablation.report.study.choice import focus_of
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.nouns import gold, name_of_unit
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text

REMEDIES = {
    Fate.NOT_RETRIEVED: text(
        "in no retriever's list; look at how questions and passages are worded, or add another retriever",
        "没有检索器列出，看问法与原文的措辞，或再加一个检索器",
    ),
    Fate.RANKED_LOW: text(
        "listed, but too low to be used; a reranker, a deeper pool or a deeper context may help",
        "已列出但太靠后，重排、更深的候选池或更深的上下文可能有用",
    ),
    Fate.LOST_IN_FUSION: text(
        "high in one retriever and pushed down by the fusion; try weights, the rank constant or the window",
        "某个检索器排得靠前而融合压了下去，可试权重、秩常数或窗口",
    ),
    Fate.NOT_PROMOTED: text(
        "in the pool and left low by the reranker; another reranker or a deeper context may help",
        "在候选池里而重排器没有提上来，换重排器或更深的上下文可能有用",
    ),
    Fate.LOST_IN_RERANK: text(
        "high before reranking and not after; read these questions before trusting the reranker",
        "重排前靠前、重排后不在，先读这些题，再信重排器",
    ),
    Fate.LOST_IN_CONTEXT: text(
        "ranked high enough and left out of the context; look at budget and duplicates",
        "名次够高却没有放进上下文，看预算与重复",
    ),
}
"""What can be done about a fate."""
CHANGES: Mapping[Fate, re.Pattern[str]] = {
    Fate.NOT_RETRIEVED: re.compile(r"retrievers \{\w+\} → \{\w+, \w+\}"),
    Fate.RANKED_LOW: re.compile(r"rerank none → |rerank\.depth |context\.depth "),
    Fate.LOST_IN_FUSION: re.compile(r"fusion\."),
    Fate.NOT_PROMOTED: re.compile(r"rerank \w+ → (?!none)|rerank\.|context\.depth "),
    Fate.LOST_IN_RERANK: re.compile(r"rerank |rerank\."),
    Fate.LOST_IN_CONTEXT: re.compile(r"context\."),
}
"""The single change of settings that tries a remedy, as `experiment.factors` words it."""


def largest_loss(found: Found) -> Text | None:
    """Name what takes most evidence from the arm in focus, what may be done, and what an arm that did it got."""
    key = focus_of(found.ladder.rows)
    arm = None if key is None else found.results.arm(key)
    fate = None if arm is None else largest_fate(arm)
    if arm is None or fate is None:
        return None
    counts = arm.record.evidence["counts"]
    said = say(
        "The largest loss of {arm} is {fate}, {n} of {gold}: {remedy}.",
        "{arm} 最大的损失是 {fate}，{gold}中有 {n}：{remedy}。",
        arm=arm_name(found.results, arm.key),
        fate=code(fate),
        n=str(counts[fate]),
        gold=gold(sum(counts.values()), name_of_unit(arm.record)),
        remedy=REMEDIES[fate],
    )
    shown = say(
        "{command} lists the questions.",
        "{command} 可列出这些题。",
        command=code(f"rag-ablation explain {shlex.quote(found.results.name_of(arm.key))} --fate {fate}"),
    )
    tried = _tried(found.results, arm, fate)
    return joined([said, *([] if tried is None else [_came_of_it(arm, tried)]), shown], " ", "")


def largest_fate(arm: ArmResult) -> Fate | None:
    """The fate that takes most evidence from an arm, None where nothing is lost."""
    counts = arm.record.evidence.get("counts", {})
    fate = max(REMEDIES, key=lambda fate: counts.get(fate, 0))
    return fate if counts.get(fate, 0) else None


def _tried(results: StudyResults, arm: ArmResult, fate: Fate) -> ArmResult | None:
    """The arm of the ladder whose only change from another is a remedy for its loss; of several, what keeps most."""
    total = sum(arm.record.evidence["counts"].values())
    found = []
    for other in results.arms:
        counts = other.record.evidence.get("counts", {})
        if other.arm.role is not Role.LADDER or not other.finished or sum(counts.values()) != total:
            continue
        factors = change(arm.record.settings, other.record.settings).factors
        if len(factors) == 1 and CHANGES[fate].match(factors[0]):
            found.append(other)
    return max(found, key=_kept, default=None)


def _kept(arm: ArmResult) -> int:
    return int(arm.record.evidence["counts"].get(Fate.KEPT, 0))


def _came_of_it(arm: ArmResult, tried: ArmResult) -> Text:
    counts, fate = tried.record.evidence["counts"], largest_fate(tried)
    own = text("", "")
    if fate is not None:
        own = say(
            "; its own largest loss is {fate}, {n}",
            "；它自己最大的损失是 {fate}，{n}",
            fate=code(fate),
            n=str(counts[fate]),
        )
    more = _kept(tried) - _kept(arm)
    return say(
        "{tried} tried that on it and keeps {kept} in place of {before} ({more}){own}.",
        "{tried} 已在其上试过：留下 {kept}，原为 {before}（{more}）{own}。",
        tried=tried.key,
        kept=str(_kept(tried)),
        before=str(_kept(arm)),
        more=signed(more, 0),
        own=own,
    )
