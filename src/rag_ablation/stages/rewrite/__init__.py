"""What can fill the slot `rewrite`: from a question to the texts that are searched for."""

from rag_ablation.stages.rewrite.llm import LlmRewriter
from rag_ablation.stages.rewrite.normalize import Normalize
from rag_ablation.stages.rewrite.synonyms import Synonyms

__all__ = ["LlmRewriter", "Normalize", "Synonyms"]
