"""Sums by group, in arithmetic that no order of questions, block of work or number of threads can change.

Legend: C comparisons, Q questions, G groups.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

TIE = 1e-12
"""Totals of decimal numbers that differ by less than this share of Σ |x| are equal but for binary rounding."""


@dataclass(frozen=True, slots=True)
class GroupSums:
    """Sums of every group for several rows of values.

    Args:
        sums: (C, G) sum of the values of each group, 0 where it has none.
        sizes: (C, G) number of values of each group.
        magnitude: (C,) Σ |x| over all values of a row.
    """

    sums: NDArray[np.float64]
    sizes: NDArray[np.int64]
    magnitude: NDArray[np.float64]


def group_sums(values_CQ: NDArray[np.float64], groups: NDArray[np.integer], *, most: int = 1) -> GroupSums:
    """Sum values by group, on a grid fine enough to be exact and coarse enough to add up without rounding.

    Each row is rounded to multiples of a power of two, about 2e-16 · most · Σ |x|, chosen so that any sum in
    which each value comes up to `most` times is exact in float64: then the order of addition is of no account.

    Args:
        values_CQ: (C, Q) NaN where unscored; those are left out.
        groups: (Q,) group of each question.
        most: how often a value may come up in a later sum: 1 for flipped signs, G for a resample of G groups.

    Raises:
        ValueError: shapes that do not fit, or an infinite value.
    """
    if values_CQ.ndim != 2 or groups.shape != values_CQ.shape[1:]:
        message = f"found values {values_CQ.shape} and groups {groups.shape}, expected (C, Q) and (Q,)"
        raise ValueError(message)
    if np.isinf(values_CQ).any():
        message = f"values: found an infinite one in comparison {int(np.argwhere(np.isinf(values_CQ))[0, 0])}"
        raise ValueError(message)
    there = ~np.isnan(values_CQ)
    kept = np.where(there, values_CQ, 0.0)
    magnitude = np.array([math.fsum(row) for row in np.abs(kept).tolist()])
    if groups.size == 0:
        return GroupSums(np.zeros((len(kept), 0)), np.zeros((len(kept), 0), dtype=np.int64), magnitude)
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=groups[order[0]] - 1))
    exact = _on_grid(kept, magnitude * most)
    return GroupSums(
        np.add.reduceat(exact[:, order], starts, axis=1),
        np.add.reduceat(there[:, order].astype(np.int64), starts, axis=1),
        magnitude,
    )


def _on_grid(values_CQ: NDArray[np.float64], bound: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round each row to a multiple of 2^(e − 52), where 2^e is above every sum that will be formed."""
    _, exponents = np.frexp(bound)
    shift = (52 - exponents)[:, None]
    steps: NDArray[np.float64] = np.rint(np.ldexp(values_CQ, shift))
    exact: NDArray[np.float64] = np.ldexp(steps, -shift)
    return exact
