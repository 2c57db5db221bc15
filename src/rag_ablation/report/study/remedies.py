"""What takes most evidence from an arm, and what may be done about it."""

import shlex

from rag_ablation.measures.fates import Fate
from rag_ablation.report.study.choice import focus_of
from rag_ablation.report.study.denominators import of_gold, unit_of
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text, code, text

REMEDIES = {
    Fate.NOT_RETRIEVED: text(
        "in no retriever's list; look at how questions and passages are worded, not at the ranking",
        "没有检索器列出，要看问法与原文的措辞，而不是排序",
    ),
    Fate.RANKED_LOW: text(
        "listed, but too low to be used; a reranker, a deeper pool or a deeper context may reach that",
        "已列出但太靠后，重排、更深的候选池或更深的上下文或可够到",
    ),
    Fate.LOST_IN_FUSION: text(
        "high in one retriever and pushed down by the fusion; try weights, the rank constant or the window",
        "某个检索器排得靠前而融合压了下去，可试权重、秩常数或窗口",
    ),
    Fate.NOT_PROMOTED: text(
        "in the pool and left low by the reranker; another reranker or a deeper context may reach that",
        "在候选池里而重排器没有提上来，换重排器或更深的上下文或可够到",
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


def largest_loss(found: Found) -> Text | None:
    """Name the fate that takes most evidence from the arm in focus, and what may be done about it."""
    key = focus_of(found.ladder.rows)
    arm = None if key is None else found.results.arm(key)
    counts = {} if arm is None else arm.record.evidence.get("counts", {})
    lost = {fate: counts.get(fate, 0) for fate in REMEDIES}
    fate = max(lost, key=lambda fate: lost[fate])
    if arm is None or not lost[fate]:
        return None
    return say(
        "The largest loss of {arm} is {fate}, {n} of {gold}: {remedy}. {command} lists the questions.",
        "{arm} 最大的损失是 {fate}，{gold} 中有 {n}：{remedy}。{command} 可列出这些题。",
        arm=arm_name(found.results, arm.key),
        fate=code(fate),
        n=str(lost[fate]),
        gold=of_gold(sum(counts.values()), unit_of(arm)),
        remedy=REMEDIES[fate],
        command=code(f"rag-ablation explain {shlex.quote(found.results.name_of(arm.key))} --fate {fate}"),
    )
