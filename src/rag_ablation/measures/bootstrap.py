"""Percentile intervals from resampled groups.

Legend: C comparisons, Q questions, G groups, B resamples.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.measures.grouped import group_sums
from rag_ablation.measures.plain import check_between, check_integer
from rag_ablation.measures.uncertainty import NO_VALUES, TOO_FEW_GROUPS

RESAMPLES = 10_000
BLOCK = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapInterval:
    """A percentile interval.

    Args:
        low: lower end, None where undefined.
        high: upper end, None where undefined.
        n_groups: number of groups drawn from, and drawn each time.
        resamples: number of resamples.
        confidence: coverage aimed at, between 0 and 1.
        reason: why the interval is undefined, None where it is defined.
    """

    low: float | None
    high: float | None
    n_groups: int
    resamples: int
    confidence: float
    reason: str | None = None


def bootstrap_interval(
    values: NDArray[np.float64],
    groups: NDArray[np.integer],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> BootstrapInterval:
    """Percentile cluster bootstrap of a mean or, given differences, of a paired mean difference.

    Args:
        values: (Q,) NaN where unscored; those questions are left out.
        groups: (Q,) group of each question.
        confidence: coverage aimed at.
        resamples: number of resamples.
        seed: of the draws.

    Returns:
        The interval of `bootstrap_intervals`.

    Raises:
        InputRefused: as `bootstrap_intervals`.
        ValueError: as `bootstrap_intervals`.
    """
    return bootstrap_intervals(values[None, :], groups, confidence=confidence, resamples=resamples, seed=seed)[0]


def bootstrap_intervals(
    values_CQ: NDArray[np.float64],
    groups: NDArray[np.integer],
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[BootstrapInterval]:
    """Percentile cluster bootstrap of the mean of each row.

    A resample draws as many groups as there are, with replacement, and takes the mean over all questions drawn,
    so the denominator varies with the sizes of the groups. The ends are quantiles with linear interpolation.
    Groups are put in order of size and sum before they are drawn: a row's interval depends on the seed and on
    its values by group, not on the order of questions, the names of groups or the other rows.

    Args:
        values_CQ: (C, Q) NaN where unscored; those questions are left out.
        groups: (Q,) group of each question.
        confidence: coverage aimed at.
        resamples: B, number of resamples.
        seed: of the draws; rows with equally many groups share them.

    Returns:
        One interval for each row; under two groups it is undefined and says so.

    Raises:
        InputRefused: `bad_resamples` where it is no plain positive integer, `bad_confidence` where not between
            0 and 1.
        ValueError: shapes that do not fit, or an infinite value.

    References:
        Efron (1979), Bootstrap methods; Davison and Hinkley (1997), Bootstrap methods and their application,
        section 3.8; Cameron, Gelbach and Miller (2008), Bootstrap-based improvements for inference with
        clustered errors.
    """
    check_integer("bad_resamples", "resamples", resamples, 1)
    check_between("bad_confidence", "confidence", confidence)
    n_groups_most = int(np.unique(groups).size)
    found = group_sums(values_CQ, groups, most=max(1, n_groups_most))
    units = np.count_nonzero(found.sizes, axis=1)
    ends = np.full((2, len(units)), np.nan)
    tails = ((1 - confidence) / 2, (1 + confidence) / 2)
    for n_groups in np.unique(units[units >= 2]).tolist():
        rows = np.flatnonzero(units == n_groups)
        # groups without a value have size 0 and come first
        order = np.lexsort((found.sums[rows], found.sizes[rows]), axis=-1)[:, -n_groups:]
        sums = np.take_along_axis(found.sums[rows], order, axis=1)
        sizes = np.take_along_axis(found.sizes[rows], order, axis=1)
        rng = np.random.default_rng((seed, n_groups))
        ends[:, rows] = np.quantile(_resampled_means(sums, sizes, resamples, rng), tails, axis=1)
    return [
        BootstrapInterval(
            low=None if np.isnan(low) else low,
            high=None if np.isnan(high) else high,
            n_groups=n_groups,
            resamples=resamples,
            confidence=confidence,
            reason=None if n_groups >= 2 else TOO_FEW_GROUPS if n_groups else NO_VALUES,
        )
        for low, high, n_groups in zip(*ends.tolist(), units.tolist(), strict=True)
    ]


def _resampled_means(
    sums_CG: NDArray[np.float64], sizes_CG: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """(C, B) mean of each row over the groups drawn; the draws are counted, and one product serves all rows."""
    n_rows, n_groups = sums_CG.shape
    means_CB = np.empty((n_rows, resamples))
    even = bool((sizes_CG == sizes_CG[:1]).all())
    weights = (sizes_CG[:1] if even else sizes_CG).astype(np.float64)
    for start in range(0, resamples, BLOCK):
        n = min(BLOCK, resamples - start)
        draws = rng.integers(0, n_groups, size=(n, n_groups))
        draws += np.arange(n)[:, None] * n_groups
        counts_BG = np.bincount(draws.ravel(), minlength=n * n_groups).reshape(n, n_groups).astype(np.float64)
        means_CB[:, start : start + n] = (sums_CG @ counts_BG.T) / (weights @ counts_BG.T)
    return means_CB
