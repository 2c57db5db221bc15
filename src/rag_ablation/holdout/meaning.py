"""Question texts that an embedding model puts close together: an option beside the likeness of their wording.

Legend: T texts, D dimensions, P pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import HoldoutError

BLOCK_ROWS = 1024
COSINE = 0.95


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which model compares questions, and from where on they are near.

    Args:
        model: `auto`, `minilm`, `e5_small`, a folder, or a hub name, as for `dense.model`.
        cosine: least cosine of two questions, above 0 and at most 1.
    """

    model: str
    cosine: float = COSINE

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            HoldoutError: the cosine is out of it.
        """
        if not 0 < self.cosine <= 1:
            message = f"the cosine must lie above 0 and be at most 1, got {self.cosine}"
            raise HoldoutError(message)


def near_in_meaning(
    texts: Sequence[str], meaning: Meaning, language: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (left < right) of texts whose vectors have at least that cosine, all pairs compared in blocks.

    Args:
        texts: (T,) as asked.
        meaning: model and threshold.
        language: language of the dataset, by which `auto` chooses a model.

    Returns:
        (P,) left rows and (P,) right rows.

    Raises:
        ModelError: the model cannot be had.
    """
    from rag_ablation.stages.dense import question_vectors  # noqa: PLC0415 - loads a model, and torch with it

    vectors = question_vectors(texts, meaning.model, language)
    lefts, rights = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for start in range(0, len(texts), BLOCK_ROWS):
        left, right = np.nonzero(vectors[start : start + BLOCK_ROWS] @ vectors.T >= meaning.cosine)
        keep = left + start < right
        lefts.append(left[keep] + start)
        rights.append(right[keep])
    return np.concatenate(lefts), np.concatenate(rights)
