"""A stage's work with its time, and its name on whatever goes wrong."""

import time
from collections.abc import Callable
from typing import TypeVar

from rag_ablation.core.errors import ModelError, RagAblationError, StageError

Made = TypeVar("Made")


def timed(slot: str, compute: Callable[[], Made]) -> tuple[Made, float]:
    """What a stage returns, and its seconds.

    Args:
        slot: of the stage.
        compute: does the work.

    Raises:
        StageError: it cannot be done.
        ModelError: a model cannot be had.
    """
    start = time.perf_counter()
    try:
        made = compute()
    except (StageError, ModelError):
        raise
    except (RagAblationError, ValueError, RuntimeError, OSError) as error:
        raise StageError(slot, f"{type(error).__name__}: {error}") from error
    return made, time.perf_counter() - start
