"""The report's own terms and what they mean, each said once: verdicts, severities, fates, reasons, states."""

from collections.abc import Mapping

from rag_ablation.measures.family import Warned, Word
from rag_ablation.measures.fates import Fate
from rag_ablation.report.study.content import Severity
from rag_ablation.report.study.words import Text, code, text

VERDICTS: Mapping[Word, Text] = {
    Word.BETTER: text("better", "更好"),
    Word.WORSE: text("worse", "更差"),
    Word.NOT_DISTINGUISHABLE: text("not distinguishable", "无法区分"),
    Word.NO_VERDICT: text("no verdict", "不下结论"),
}

WARNINGS: Mapping[Warned, Text] = {
    Warned.FEW_GROUPS: text("under 20 groups", "不足 20 组"),
    Warned.FEW_DIFFERING_GROUPS: text("under 20 groups differ", "有差异的不足 20 组"),
}

SEVERITIES: Mapping[Severity, tuple[str, Text]] = {
    Severity.HIGH: ("▲", text("high", "高")),
    Severity.MEDIUM: ("◆", text("medium", "中")),
    Severity.LOW: ("○", text("low", "低")),
    Severity.CLEAR: ("✓", text("clear", "无碍")),
}

NO_PROOF = text("for planning, it does not prove that there is no effect", "供规划之用，不能证明没有效应")

GROUP = text(
    "questions that share an answer location, or whose gold or wording is nearly the same; the unit of every interval "
    "and test",
    "由同一答案位置、近似证据或近似问法连在一起的题；一切区间与检验的单位",
)

STATES: Mapping[str, Text] = {"failed": text("failed", "失败"), "interrupted": text("interrupted", "中断")}

REASONS: Mapping[str, Text] = {
    "no_answer": text("no gold by design", "本无证据"),
    "unreviewed": text("gold unknown", "证据未知"),
    "no_relevant": text("no label reaches the grade that counts", "没有标注达到计为相关的等级"),
    "not_visible": text("gold outside the identity or version", "证据在身份或版本之外"),
    "not_covered": text("no chunk covers the gold", "没有分块覆盖证据"),
}
"""Why a question is in no mean."""

FATES: Mapping[str, Text] = {
    Fate.KEPT: text("in the context", "留在上下文"),
    Fate.REDUNDANT: text("another of its group is in the context", "同组另一段已在上下文"),
    Fate.LOST_IN_CONTEXT: text("offered, then left out: budget or duplicate", "已提供，后被略去：预算或重复"),
    Fate.LOST_IN_RERANK: text("offered before reranking, not after", "重排前会提供，重排后不会"),
    Fate.NOT_PROMOTED: text("in the pool, never high enough", "在候选池内，始终不够靠前"),
    Fate.LOST_IN_FUSION: text("in the pool of a retriever, not after fusion", "在某检索器的候选内，融合后不在"),
    Fate.RANKED_LOW: text("retrieved, below the pool everywhere", "检索到了，但都在候选池之下"),
    Fate.NOT_RETRIEVED: text("in no list of a retriever", "任何检索器都没有"),
    Fate.NOT_VISIBLE: text("outside identity or version", "在身份或版本之外"),
}

GAPS: Mapping[str, Text] = {
    "retrieval": text("retrieval", "检索"),
    "fusion": text("fusion", "融合"),
    "reranking": text("reranking", "重排"),
    "promotion": text("promotion", "提升不足"),
    "context": text("context", "上下文"),
    "redundant": text("redundant", "重复"),
}

GLOSSES: Mapping[str, str] = {
    "single_hop": "单跳",
    "multi_hop": "多跳",
    "paraphrase": "改写",
    "exact_code": "编号",
    "table": "表格",
    "conflict": "新旧冲突",
    "permission": "权限",
    "no_answer": "无答案",
    "vague": "模糊",
    "sparse": "稀疏",
    "dense": "稠密",
    "fused": "融合后",
    "reranked": "重排后",
    "context": "上下文",
    "offered": "提供的",
    "final": "末端",
}
"""Names of ours in Chinese."""


def gloss(name: str) -> Text:
    """A name in code type; in Chinese with its meaning, where it is one of ours."""
    meaning = GLOSSES.get(name)
    return text(code(name), (code(name), f" {meaning}") if meaning else code(name))
