"""Sums of reciprocal ranks, ordered exactly.

Sums are taken in float64 first, each over its terms in one fixed order, so that equal sets of terms
give equal bits. Neighbours that are nearer than `NEAR` and have different terms (1/63 + 1/140 equals
1/84 + 1/90) are then put in order by fractions.

Legend: Q questions, L lists, T entries of all lists together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.rankings import EMPTY

NEAR = 1e-12  # relative; float64 sums of fewer than a thousand lists are nearer than this to the exact ones
BLOCK = 1 << 20  # entries handled at once
NOTHING = np.iinfo(np.int64).max

OrderKey = tuple[Fraction, int, str | int]


def order_key(exact: Fraction, best_rank: int, name: str | int) -> OrderKey:
    """The rule of fusion: sum down, then best single rank up, then id up."""
    return (-exact, best_rank, name)


@dataclass(frozen=True, slots=True)
class Fused:
    """Fused units (Q, F), −1 at the right, and their sums, NaN at the right."""

    units: NDArray[np.int32]
    scores: NDArray[np.float64]


def fuse_units(lists: Sequence[NDArray[np.int32]], weights: Sequence[Fraction], rank_constant: int) -> Fused:
    """Fuse lists of distinct units.

    Args:
        lists: L arrays (Q, K) of unit rows, −1 at the right.
        weights: (L,) above 0.
        rank_constant: added to every rank.
    """
    n_queries = lists[0].shape[0]
    terms = _Terms.build(weights, max(units.shape[1] for units in lists), rank_constant)
    step = max(1, BLOCK // max(1, sum(units.shape[1] for units in lists)))
    parts = [
        _fuse_block([units[start : start + step] for units in lists], terms) for start in range(0, n_queries, step)
    ]
    width = max((part.units.shape[1] for part in parts), default=0)
    units_QF = np.full((n_queries, width), EMPTY, dtype=np.int32)
    scores_QF = np.full((n_queries, width), np.nan)
    for place, part in enumerate(parts):
        rows = slice(place * step, place * step + part.units.shape[0])
        units_QF[rows, : part.units.shape[1]] = part.units
        scores_QF[rows, : part.units.shape[1]] = part.scores
    return Fused(units_QF, scores_QF)


@dataclass(frozen=True, slots=True)
class _Terms:
    """Every term that can occur, numbered by rank and then by weight, so that equal terms have one number."""

    classes: tuple[int, ...]  # (L,) number of each list's weight among the distinct ones
    weights: tuple[Fraction, ...]  # distinct, descending
    rank_constant: int
    values: NDArray[np.float64]
    sums: dict[tuple[int, ...], Fraction] = field(default_factory=dict)

    @classmethod
    def build(cls, weights: Sequence[Fraction], depth: int, rank_constant: int) -> "_Terms":
        """Terms of lists of that depth."""
        distinct = tuple(sorted(set(weights), reverse=True))
        ranks = np.arange(1, depth + 1)[:, None]
        values = np.array([float(weight) for weight in distinct]) / (rank_constant + ranks)
        return cls(tuple(distinct.index(weight) for weight in weights), distinct, rank_constant, values.ravel())

    def exact(self, numbers: tuple[int, ...]) -> Fraction:
        """The exact sum of terms; the same few combinations come up again and again."""
        if numbers not in self.sums:
            n = len(self.weights)
            parts = [self.weights[k % n] / (self.rank_constant + k // n + 1) for k in numbers]
            self.sums[numbers] = sum(parts, Fraction(0))
        return self.sums[numbers]


@dataclass(frozen=True, slots=True)
class _Entries:
    """(Q, T) all entries, sorted by unit and then by number of the term; `first` marks the start of a unit."""

    units: NDArray[np.int64]
    numbers: NDArray[np.int64]
    first: NDArray[np.bool_]
    n_lists: int

    @classmethod
    def build(cls, lists: Sequence[NDArray[np.int32]], terms: _Terms) -> "_Entries":
        """Pack unit and term into one integer and sort it: far cheaper than sorting by two keys."""
        n_classes, base = len(terms.weights), max(1, terms.values.size)
        packed = np.concatenate(
            [
                np.where(
                    units >= 0,
                    units.astype(np.int64) * base + np.arange(units.shape[1]) * n_classes + number,
                    NOTHING,
                )
                for units, number in zip(lists, terms.classes, strict=True)
            ],
            axis=1,
        )
        packed.sort(axis=1)
        there = packed != NOTHING
        units = np.where(there, packed // base, EMPTY)
        first = there.copy()
        first[:, 1:] &= units[:, 1:] != units[:, :-1]
        return cls(units, np.where(there, packed % base, 0), first, len(lists))

    def totals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q, T) sum of the terms of a unit, right where `first`."""
        single = values[self.numbers]
        total = single.copy()
        for j in range(1, self.n_lists):
            same = self.units[:, j:] == self.units[:, :-j]
            total[:, : same.shape[1]] += np.where(same, single[:, j:], 0.0)
        return total

    def number_at(self, rows: NDArray[np.int64], places: NDArray[np.int64], j: int) -> NDArray[np.int64]:
        """Number of the j-th term of the units that start at these places, −1 past the last."""
        spot = np.minimum(places + j, self.units.shape[1] - 1)
        same = (spot == places + j) & (self.units[rows, spot] == self.units[rows, places])
        return np.where(same, self.numbers[rows, spot], -1)

    def signature(self, row: int, place: int) -> tuple[int, ...]:
        """Numbers of all terms of the unit that starts there."""
        end = place + 1
        while end < self.units.shape[1] and self.units[row, end] == self.units[row, place]:
            end += 1
        return tuple(self.numbers[row, place:end].tolist())


def _fuse_block(lists: Sequence[NDArray[np.int32]], terms: _Terms) -> Fused:
    """Sum, order by float64, then mend the order where floats cannot tell."""
    entries = _Entries.build(lists, terms)
    n_queries = entries.units.shape[0]
    width = int(entries.first.sum(axis=1).max(initial=0))
    if not width:
        return Fused(np.empty((n_queries, 0), dtype=np.int32), np.empty((n_queries, 0)))
    key = np.where(entries.first, -entries.totals(terms.values), np.inf)
    best = entries.numbers // len(terms.weights)
    order = np.lexsort((best, key), axis=1)[:, :width]  # stable, and the units stand in ascending order
    scores = -np.take_along_axis(key, order, axis=1)
    _mend(entries, terms, order, scores)
    there = np.take_along_axis(entries.first, order, axis=1)
    units = np.where(there, np.take_along_axis(entries.units, order, axis=1), EMPTY).astype(np.int32)
    return Fused(units, np.where(there, scores, np.nan))


def _mend(entries: _Entries, terms: _Terms, order: NDArray[np.int64], scores: NDArray[np.float64]) -> None:
    """Put runs of near ties that have different terms into exact order, in place.

    A run is as long as neighbours stay near, so whatever is outside it differs by more than float64 errs.
    """
    near = scores[:, 1:] >= scores[:, :-1] * (1 - NEAR)
    near &= scores[:, 1:] > 0  # empty places hold −inf
    rows, columns = np.nonzero(near)
    left, right = order[rows, columns], order[rows, columns + 1]
    differ = np.zeros(rows.shape, dtype=bool)
    for j in range(entries.n_lists):
        differ |= entries.number_at(rows, left, j) != entries.number_at(rows, right, j)
    done = (-1, -1)  # row and last column of the run mended before
    for row, column in zip(rows[differ].tolist(), columns[differ].tolist(), strict=True):
        if (row, column) < done:
            continue
        start, end = column, column + 1
        while start > 0 and near[row, start - 1]:
            start -= 1
        while end < near.shape[1] and near[row, end]:
            end += 1
        _mend_run(entries, terms, row, order[row, start : end + 1], scores[row, start : end + 1])
        done = (row, end)


def _mend_run(
    entries: _Entries, terms: _Terms, row: int, order: NDArray[np.int64], scores: NDArray[np.float64]
) -> None:
    """Order one run by the exact rule and record its sums rounded once."""
    n_classes = len(terms.weights)
    members = []
    for place in order.tolist():
        numbers = entries.signature(row, place)
        exact = terms.exact(numbers)
        members.append((order_key(exact, numbers[0] // n_classes, place), exact, place))
    members.sort(key=lambda member: member[0])
    order[:] = [place for _, _, place in members]
    scores[:] = [float(exact) for _, exact, _ in members]
