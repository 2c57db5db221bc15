"""Relevance judgements.

Legend: Q questions, K columns, M judgements, U units of the labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

UNJUDGED = -1
MAX_GRADE = 62


@dataclass(frozen=True, slots=True)
class Qrels:
    """Graded judgements of (question, unit) pairs.

    Args:
        keys: (M,) int64, strictly increasing, `query_row * n_units + unit_row`.
        grades: (M,) int8, 0 (judged and not relevant) to 62.
        n_queries: Q.
        n_units: U.
    """

    keys: NDArray[np.int64]
    grades: NDArray[np.int8]
    n_queries: int
    n_units: int

    def __post_init__(self) -> None:
        """Check shape, order and range once, and make the arrays read-only."""
        if self.keys.shape != self.grades.shape or self.keys.ndim != 1:
            message = f"keys and grades need one shape (M,), got {self.keys.shape} and {self.grades.shape}"
            raise ValueError(message)
        if self.keys.size and (
            np.any(np.diff(self.keys) <= 0) or self.keys[0] < 0 or self.keys[-1] >= self.n_queries * self.n_units
        ):
            message = "keys must be strictly increasing and lie within n_queries * n_units"
            raise ValueError(message)
        if self.grades.size and (self.grades.min() < 0 or self.grades.max() > MAX_GRADE):
            message = f"grades must lie between 0 and {MAX_GRADE}"
            raise ValueError(message)
        self.keys.setflags(write=False)
        self.grades.setflags(write=False)

    @classmethod
    def from_rows(
        cls,
        query_rows: NDArray[np.int64],
        unit_rows: NDArray[np.int64],
        grades: NDArray[np.int8],
        shape: tuple[int, int],
    ) -> "Qrels":
        """Build from rows in any order; a pair given more than once keeps its highest grade."""
        keys = query_rows.astype(np.int64) * shape[1] + unit_rows
        unique, inverse = np.unique(keys, return_inverse=True)
        highest = np.zeros(unique.shape, dtype=np.int8)
        np.maximum.at(highest, inverse, grades.astype(np.int8))
        return cls(unique, highest, shape[0], shape[1])

    @property
    def query_rows(self) -> NDArray[np.int64]:
        """(M,) question row of each judgement."""
        return self.keys // max(self.n_units, 1)

    @property
    def unit_rows(self) -> NDArray[np.int64]:
        """(M,) unit row of each judgement."""
        return self.keys % max(self.n_units, 1)

    def grades_of(self, units_QK: NDArray[np.integer]) -> NDArray[np.int8]:
        """(Q, K) grade of each ranked unit; −1 where empty or unjudged."""
        found = self.grades_of_pairs(np.arange(self.n_queries, dtype=np.int64)[:, None], units_QK)
        found[units_QK < 0] = UNJUDGED
        return found

    def grades_of_pairs(self, query_rows: NDArray[np.integer], unit_rows: NDArray[np.integer]) -> NDArray[np.int8]:
        """Grade of each (question, unit) pair, −1 where unjudged; the two are broadcast against each other."""
        wanted = query_rows.astype(np.int64) * self.n_units + unit_rows
        found = np.full(wanted.shape, UNJUDGED, dtype=np.int8)
        if self.keys.size and wanted.size:
            place = np.minimum(np.searchsorted(self.keys, wanted), self.keys.size - 1)
            hit = self.keys[place] == wanted
            found[hit] = self.grades[place[hit]]
        return found

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """The arrays by name, for a digest."""
        return {"keys": self.keys, "grades": self.grades}

    def relevant(self, relevant_from: int) -> NDArray[np.int64]:
        """(Q,) number of units of that grade or more."""
        return np.bincount(self.query_rows[self.grades >= relevant_from], minlength=self.n_queries)

    def judged(self) -> NDArray[np.int64]:
        """(Q,) number of judgements of any grade."""
        return np.bincount(self.query_rows, minlength=self.n_queries)

    def project(self, unit_of_unit: NDArray[np.integer], n_units: int) -> "Qrels":
        """Labels at a coarser unit, by maximum grade.

        Args:
            unit_of_unit: (U,) row of the coarser unit for each unit.
            n_units: number of coarser units.
        """
        rows = unit_of_unit[self.unit_rows].astype(np.int64)
        return Qrels.from_rows(self.query_rows, rows, self.grades, (self.n_queries, n_units))

    def select(self, query_rows: Sequence[int]) -> "Qrels":
        """Judgements of these questions only, renumbered in ascending order of row."""
        new_row = np.full(self.n_queries, -1, dtype=np.int64)
        chosen = sorted(query_rows)
        new_row[chosen] = np.arange(len(chosen))
        rows = new_row[self.query_rows]
        keep = rows >= 0
        shape = (len(chosen), self.n_units)
        return Qrels.from_rows(rows[keep], self.unit_rows[keep], self.grades[keep], shape)

    def without(self, drop: NDArray[np.bool_]) -> "Qrels":
        """Judgements that are not marked; `drop` is (M,)."""
        return Qrels(self.keys[~drop].copy(), self.grades[~drop].copy(), self.n_queries, self.n_units)
