"""One lazy catalogue: a slot and a name give a stage.

A stage's module is imported only when its settings are wanted, and imports its libraries only when
it runs, so that naming `bm25` never loads torch.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points

PLUGINS = "rag_ablation.stages"

SLOTS = ("chunking", "rewrite", "sparse", "dense", "fusion", "rerank", "context", "generate", "judge")

BUILT_IN: Mapping[tuple[str, str], str] = {
    ("chunking", "fixed"): "rag_ablation.stages.chunking:FixedChunker",
    ("chunking", "sentence"): "rag_ablation.stages.chunking:SentenceChunker",
    ("chunking", "clause"): "rag_ablation.stages.chunking:ClauseChunker",
    ("rewrite", "normalize"): "rag_ablation.stages.rewrite:Normalize",
    ("rewrite", "synonyms"): "rag_ablation.stages.rewrite:Synonyms",
    ("rewrite", "llm"): "rag_ablation.stages.rewrite:LlmRewriter",
    ("sparse", "bm25"): "rag_ablation.stages.bm25:Bm25",
    ("dense", "sentence_transformers"): "rag_ablation.stages.dense:SentenceTransformersRetriever",
    ("fusion", "rrf"): "rag_ablation.stages.rrf:ReciprocalRankFusion",
    ("rerank", "cross_encoder"): "rag_ablation.stages.cross_encoder:CrossEncoderReranker",
    ("rerank", "late_interaction"): "rag_ablation.stages.late_interaction:LateInteractionReranker",
    ("context", "top"): "rag_ablation.stages.context:TopContext",
    ("context", "gold"): "rag_ablation.stages.context:GoldContext",
    ("context", "random"): "rag_ablation.stages.context:RandomContext",
    ("context", "closed_book"): "rag_ablation.stages.context:ClosedBook",
    ("generate", "extractive"): "rag_ablation.stages.extractive:ExtractiveGenerator",
    ("generate", "openai"): "rag_ablation.stages.openai_chat:OpenAIGenerator",
    ("generate", "transformers"): "rag_ablation.stages.causal_lm:CausalLmGenerator",
    ("judge", "rules"): "rag_ablation.stages.judge:RulesJudge",
    ("judge", "llm"): "rag_ablation.stages.judge.llm:LlmJudge",
}


def catalogue() -> dict[tuple[str, str], str]:
    """All stages by (slot, name) as `module:Class`; installed plug-ins add theirs.

    A plug-in is an entry point of the group `rag_ablation.stages`, named `slot.name`.

    Raises:
        ValueError: a plug-in takes a name that is in use.
    """
    found = dict(BUILT_IN)
    for point in entry_points(group=PLUGINS):
        slot, _, name = point.name.partition(".")
        if (slot, name) in found:
            message = f"two stages are named {name!r} in slot {slot!r}: {found[slot, name]} and {point.value}"
            raise ValueError(message)
        found[slot, name] = point.value
    return found


def stage_class(slot: str, name: str) -> type:
    """The settings class of a stage.

    Raises:
        LookupError: no such stage; the text lists those there are.
    """
    known = catalogue()
    if (slot, name) not in known:
        available = ", ".join(sorted(other for kind, other in known if kind == slot))
        message = f"one of: {available}, none"
        raise LookupError(message)
    module, _, cls = known[slot, name].partition(":")
    found: type = getattr(import_module(module), cls)
    return found
