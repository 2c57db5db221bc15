"""What an arm is called in a sentence: by what it does where that tells it from the others, else by its key."""

import json
from collections.abc import Mapping
from typing import Any

from rag_ablation.experiment.factors import RETRIEVERS
from rag_ablation.experiment.study import Role, StudyArm
from rag_ablation.report.leaderboard import MINUS
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text, same, text, whole

RETRIEVAL = {"bm25": text("BM25", "BM25"), "sentence_transformers": text("dense retrieval", "稠密检索")}
FUSION = {"rrf": text("fusion", "融合")}
RERANKING = {
    "cross_encoder": text("a cross-encoder", "交叉编码器"),
    "late_interaction": text("late interaction", "后期交互"),
}
PLAIN_SLOTS = frozenset(
    {"sparse", "dense", "fusion", "rerank", "context", "generate", "judge", "dataset", "access", "scoring"}
)
VARIANT = "variant="


def arm_name(results: StudyResults, key: str) -> Text:
    """`dense retrieval (B)`; `B` where its kind is not known, or another arm of the ladder is of the same kind."""
    own = _kind(results, key)
    others = [_kind(results, arm.key) for arm in results.arms if arm.arm.role is Role.LADDER and arm.key != key]
    if own is None or own in others:
        return same(whole(key))
    return say("{kind} ({key})", "{kind}（{key}）", kind=own, key=key)


def label_of(child: str, parent: str) -> str:
    """`C − A`; a parent of several words or with a sign in it takes brackets: `D − (B+D)`."""
    return f"{child} {against(parent)}"


def against(parent: str) -> str:
    """The end of the label, where the child stands beside it: `− (B+D)`."""
    return f"{MINUS} {f'({parent})' if set(parent) & {'+', MINUS, '-', ' '} else parent}"


def variant_of(results: StudyResults, arm: StudyArm) -> str:
    """Name of an arm's preset, empty where nothing says so."""
    run = results.arm(arm.key)
    if run is not None:
        return run.record.variant
    return next((word.removeprefix(VARIANT) for word in arm.overrides if word.startswith(VARIANT)), "")


def setting_name(axis: str) -> str:
    """`fusion.rank_constant` without its slot."""
    return axis.rpartition(".")[2]


def setting_value(value: object) -> str:
    """A setting as a configuration file has it."""
    if isinstance(value, float):
        return f"{value:g}"
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def _kind(results: StudyResults, key: str) -> Text | None:
    arm = results.arm(key)
    return None if arm is None else kind_of(arm.record.settings)


def kind_of(settings: Mapping[str, Any]) -> Text | None:
    """What a pipeline does in two or three words, None where there are no such words for one of its stages."""
    if set(settings) - PLAIN_SLOTS:
        return None
    retrievers = [settings[slot]["name"] for slot in RETRIEVERS if slot in settings]
    if len(retrievers) == 1:
        base = RETRIEVAL.get(retrievers[0])
    else:
        base = FUSION.get(settings["fusion"]["name"]) if retrievers and "fusion" in settings else None
    if base is None or "rerank" not in settings:
        return base
    reranker = RERANKING.get(settings["rerank"]["name"])
    if reranker is None:
        return None
    return say("{base} with {reranker}", "{base} 加 {reranker}", base=base, reranker=reranker)
