"""The real reader, where it is installed; where it must be, its absence is a failure."""

import importlib.util
import os

import pytest

from rag_ablation.core.errors import ModelError
from rag_ablation.stages._causal_model import INSTALL_EXTRA, SMOLLM2, locate_reader

REQUIRED = "RAG_ABLATION_REQUIRE_READER"


def real_reader() -> str:
    """Its name; skips with the reason where it cannot be had, unless `RAG_ABLATION_REQUIRE_READER=1` asks for it."""
    missing = [name for name in ("gguf", "accelerate") if importlib.util.find_spec(name) is None]
    reason = f"{' and '.join(missing)} not installed: {INSTALL_EXTRA}" if missing else ""
    try:
        locate_reader(SMOLLM2)
    except ModelError as error:
        reason = str(error)
    if not reason:
        return SMOLLM2
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{REQUIRED} is set: {reason}")
    pytest.skip(reason)
