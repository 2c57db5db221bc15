"""What can fill the slot `chunking`: from one text to pieces of it."""

from rag_ablation.stages.chunking.chunkers import ClauseChunker, FixedChunker, SentenceChunker

__all__ = ["ClauseChunker", "FixedChunker", "SentenceChunker"]
