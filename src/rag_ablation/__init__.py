"""Find out, honestly, which part of a retrieval pipeline earns its keep."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag_ablation.api import compare, load_results, plot
    from rag_ablation.measures.evaluate import evaluate
    from rag_ablation.stages.rrf import fuse

__all__ = ["compare", "evaluate", "fuse", "load_results", "plot"]

_PLACES = {
    "compare": "rag_ablation.api",
    "evaluate": "rag_ablation.measures.evaluate",
    "fuse": "rag_ablation.stages.rrf",
    "load_results": "rag_ablation.api",
    "plot": "rag_ablation.api",
}


def __getattr__(name: str) -> object:
    """Import a public function when it is first asked for, so that the package itself stays light."""
    if name not in _PLACES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    """Public names, imported or not."""
    return sorted({*globals(), *__all__})
