"""Ordered passages of every question after one stage, and the one tie rule.

Legend: Q questions, K columns, N passages, U units.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.digest import digest_arrays

EMPTY = -1


@dataclass(frozen=True, slots=True)
class Rankings:
    """Ranked passages, best first. The order is the truth; scores are a record.

    Args:
        passages: (Q, K) int32 passage rows; −1 is empty and stands only at the right.
        scores: (Q, K) float64; NaN where empty, and for a tail kept from an earlier stage.
            Non-increasing over the entries that this stage scored.

    Raises:
        ValueError: a wrong shape, a passage twice in one ranking, an entry after an empty one,
            a score that rises, or a scored entry after an unscored one.
    """

    passages: NDArray[np.int32]
    scores: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Check everything once, and make the arrays read-only."""
        if self.passages.ndim != 2 or self.passages.shape != self.scores.shape:
            message = f"need two arrays of one shape (Q, K), got {self.passages.shape} and {self.scores.shape}"
            raise ValueError(message)
        if self.passages.dtype != np.int32 or self.scores.dtype != np.float64:
            message = f"need int32 and float64, got {self.passages.dtype} and {self.scores.dtype}"
            raise ValueError(message)
        empty = self.passages < 0
        if np.any(empty[:, :-1] & ~empty[:, 1:]):
            message = "an empty entry may stand only at the right of a ranking"
            raise ValueError(message)
        ordered = np.sort(self.passages, axis=1)
        repeated = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
        if np.any(repeated):
            message = f"ranking of question row {int(np.argmax(repeated.any(axis=1)))} holds a passage twice"
            raise ValueError(message)
        unscored = np.isnan(self.scores)
        if np.any(~unscored & empty) or np.any(unscored[:, :-1] & ~unscored[:, 1:]):
            message = "scores must be NaN where empty, and a kept tail must follow the scored entries"
            raise ValueError(message)
        if np.any(self.scores[:, 1:] > self.scores[:, :-1]):
            message = "scores must not rise along a ranking"
            raise ValueError(message)
        self.passages.setflags(write=False)
        self.scores.setflags(write=False)

    @classmethod
    def from_scores(cls, passages_QK: NDArray[np.integer], scores_QK: NDArray[np.floating]) -> "Rankings":
        """Order candidates by the tie rule: score down, then passage row up.

        Args:
            passages_QK: (Q, K) passage rows in any order, −1 where there is no candidate.
            scores_QK: (Q, K) their scores; ignored where there is no candidate.
        """
        passages = np.asarray(passages_QK, dtype=np.int32)
        scores = np.asarray(scores_QK, dtype=np.float64)
        empty = passages < 0
        keyed = np.where(empty, -np.inf, scores)
        order = np.lexsort((passages, -keyed, empty), axis=1)
        ranked = np.take_along_axis(passages, order, axis=1)
        recorded = np.take_along_axis(np.where(empty, np.nan, scores), order, axis=1)
        return cls(np.where(ranked < 0, EMPTY, ranked).astype(np.int32), recorded)

    @classmethod
    def from_order(cls, passages_QK: NDArray[np.integer], scores_QK: NDArray[np.floating] | None = None) -> "Rankings":
        """Take an order as recorded; scores, where given, must agree with it."""
        passages = np.array(passages_QK, dtype=np.int32)
        if scores_QK is None:
            return cls(passages, np.full(passages.shape, np.nan))
        return cls(passages, np.array(scores_QK, dtype=np.float64))

    @classmethod
    def empty(cls, n_queries: int) -> "Rankings":
        """No result for any question."""
        return cls(np.empty((n_queries, 0), dtype=np.int32), np.empty((n_queries, 0)))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(Q,) number of passages in each ranking."""
        return np.asarray((self.passages >= 0).sum(axis=1), dtype=np.int64)

    def head(self, depth: int) -> "Rankings":
        """The first `depth` passages of each ranking."""
        return Rankings(self.passages[:, :depth].copy(), self.scores[:, :depth].copy())

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """The arrays by name, for a digest or a store."""
        return {"passages": self.passages, "scores": self.scores}

    def digest(self) -> str:
        """Content digest, scores included."""
        return digest_arrays(self.arrays())


def project_to_units(passages_QK: NDArray[np.int32], unit_rows_N: NDArray[np.int32]) -> NDArray[np.int32]:
    """Replace ranked passages by their units and keep the first occurrence of each.

    Args:
        passages_QK: (Q, K) passage rows, −1 where empty.
        unit_rows_N: (N,) unit row of each passage.

    Returns:
        (Q, K) distinct unit rows in ranking order, −1 at the right. The cut at a cutoff comes
        after this.
    """
    if not passages_QK.shape[1]:
        return passages_QK
    units = np.where(passages_QK >= 0, unit_rows_N[np.maximum(passages_QK, 0)], EMPTY)
    columns = np.arange(units.shape[1])
    by_unit = np.lexsort((np.broadcast_to(columns, units.shape), units), axis=1)
    sorted_units = np.take_along_axis(units, by_unit, axis=1)
    first = np.ones(units.shape, dtype=bool)
    first[:, 1:] = sorted_units[:, 1:] != sorted_units[:, :-1]
    first &= sorted_units >= 0
    keep = np.zeros(units.shape, dtype=bool)
    np.put_along_axis(keep, by_unit, first, axis=1)
    order = np.lexsort((np.broadcast_to(columns, units.shape), ~keep), axis=1)
    packed = np.take_along_axis(np.where(keep, units, EMPTY), order, axis=1)
    return packed.astype(np.int32)
