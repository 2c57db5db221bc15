"""From a composed configuration to a checked experiment."""

from rag_ablation.config.build import build

__all__ = ["build"]
