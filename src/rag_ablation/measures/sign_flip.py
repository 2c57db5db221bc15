"""Tests of a paired difference, by group of questions.

Legend: C comparisons, Q questions, G groups, B patterns of signs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.measures.grouped import TIE, group_sums
from rag_ablation.measures.plain import check_integer
from rag_ablation.measures.uncertainty import clustered_mean

EXACT_GROUPS = 20
RESAMPLES = 100_000
"""Ten times those of the bootstrap: an adjusted p near .05 in a family of 20 rests on a tail of .0025."""
BLOCK = 2_048
NO_SPREAD = "no_spread"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlip:
    """A sign-flip permutation test.

    Args:
        p: extreme / patterns, two-sided, never 0.
        extreme: patterns whose absolute total is at least the observed one, the observed pattern among them.
        patterns: 2^G where exact, else 1 + the number sampled.
        exact: whether every pattern was counted.
        n_groups: G, groups with a value.
        n_differing: groups whose differences do not sum to 0; the others cannot move p.
    """

    p: float
    extreme: int
    patterns: int
    exact: bool
    n_groups: int
    n_differing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TTest:
    """A t test of a mean of 0, for reference.

    Args:
        statistic: mean / standard error, None where undefined.
        p: two-sided, None where undefined.
        freedom: degrees of freedom, G − 1.
        reason: why it is undefined, None where it is defined.
    """

    statistic: float | None
    p: float | None
    freedom: int
    reason: str | None = None


def sign_flip_test(
    differences: NDArray[np.float64], groups: NDArray[np.integer], *, resamples: int = RESAMPLES, seed: int = 0
) -> SignFlip:
    """Sign-flip permutation test that the differences are as likely up as down.

    Args:
        differences: (Q,) child − parent, NaN where either is unscored; those are left out.
        groups: (Q,) group of each question; its questions flip together.
        resamples: patterns sampled where there are too many to count.
        seed: of the sampled patterns.

    Returns:
        The test of `sign_flip_tests`.

    Raises:
        InputRefused: as `sign_flip_tests`.
        ValueError: as `sign_flip_tests`.

    Example:
        Five groups that all gain give p = 2 / 2^5 = 0.0625.
    """
    return sign_flip_tests(differences[None, :], groups, resamples=resamples, seed=seed)[0]


def sign_flip_tests(
    differences_CQ: NDArray[np.float64], groups: NDArray[np.integer], *, resamples: int = RESAMPLES, seed: int = 0
) -> list[SignFlip]:
    """Sign-flip permutation test of each row.

    Up to 20 groups that differ (2^20 patterns) all patterns are counted, in two halves whose totals are then
    matched. Above, patterns are sampled and the observed one is added to both counts, so that p is never 0 and
    the test keeps its size. Totals within 1e-12 of Σ |x| tie, as decimals that binary rounding has parted.
    Groups are put in order of |sum| first: a row's p depends on the seed and on its sums by group, not on the
    order of questions, the names of groups, which arm is the child, or the other rows.

    Args:
        differences_CQ: (C, Q) child − parent, NaN where either is unscored; those are left out.
        groups: (Q,) group of each question; its questions flip together.
        resamples: B, patterns sampled where there are too many to count.
        seed: of the sampled patterns, which all rows share.

    Returns:
        One test for each row; p is 1 where no group differs, or there is none.

    Raises:
        InputRefused: `bad_resamples` where it is no plain positive integer.
        ValueError: shapes that do not fit, or an infinite value.

    References:
        Fisher (1935), The design of experiments, section 21; Phipson and Smyth (2010), Permutation p-values
        should never be zero; Smucker, Allan and Carterette (2007), A comparison of statistical significance
        tests for information retrieval evaluation.
    """
    check_integer("bad_resamples", "resamples", resamples, 1)
    found = group_sums(differences_CQ, groups)
    slack = TIE * found.magnitude
    sums = np.where(np.abs(found.sums) > slack[:, None], found.sums, 0.0)
    sums = np.take_along_axis(sums, np.argsort(-np.abs(sums), axis=1, kind="stable"), axis=1)
    units, differing = np.count_nonzero(found.sizes, axis=1), np.count_nonzero(sums, axis=1)
    thresholds = np.abs(sums.sum(axis=1)) - slack
    sampled = np.flatnonzero(differing > EXACT_GROUPS)
    most = int(differing.max(initial=0))
    counts = np.zeros(len(sums), dtype=np.int64)
    counts[sampled] = _sampled_extreme(sums[sampled, :most], thresholds[sampled], resamples, seed)
    tests = []
    for row, (n_groups, n_differing) in enumerate(zip(units.tolist(), differing.tolist(), strict=True)):
        exact = n_differing <= EXACT_GROUPS
        if exact:
            extreme = _counted_extreme(sums[row, :n_differing], float(thresholds[row])) << (n_groups - n_differing)
        else:
            extreme = 1 + int(counts[row])
        patterns = 1 << n_groups if exact else 1 + resamples
        tests.append(
            SignFlip(
                p=extreme / patterns,
                extreme=extreme,
                patterns=patterns,
                exact=exact,
                n_groups=n_groups,
                n_differing=n_differing,
            )
        )
    return tests


def t_test(differences: NDArray[np.float64], groups: NDArray[np.integer]) -> TTest:
    """Cluster-robust t test of a mean difference of 0; with one question in each group the paired t test.

    Args:
        differences: (Q,) child − parent, NaN where either is unscored; those are left out.
        groups: (Q,) group of each question.

    Returns:
        The test with G − 1 degrees of freedom; undefined under two groups, and without spread but for binary
        rounding even if the mean is not 0.

    Raises:
        ValueError: as `clustered_mean`.

    References:
        Student (1908), The probable error of a mean; for clusters as `clustered_mean`.
    """
    found = clustered_mean(differences, groups)
    freedom = max(0, found.n_groups - 1)
    if found.mean is None or found.standard_error is None:
        return TTest(statistic=None, p=None, freedom=freedom, reason=found.reason)
    if found.standard_error <= TIE * float(np.nanmax(np.abs(differences))):
        return TTest(statistic=None, p=None, freedom=freedom, reason=NO_SPREAD)
    from scipy.special import stdtr  # noqa: PLC0415 - scipy is slow to import and wanted only here

    statistic = found.mean / found.standard_error
    return TTest(statistic=statistic, p=float(2 * stdtr(freedom, -abs(statistic))), freedom=freedom)


def _counted_extreme(sums: NDArray[np.float64], threshold: float) -> int:
    """Among all 2^k patterns of k sums, those whose absolute total reaches the threshold."""
    if threshold <= 0:
        return 1 << sums.size
    left = _totals(sums[::2])
    right = np.sort(_totals(sums[1::2]))
    above = right.size - np.searchsorted(right, threshold - left, side="left")
    below = np.searchsorted(right, -threshold - left, side="right")
    return int(above.sum() + below.sum())


def _totals(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """(2^k,) totals of all patterns of k sums."""
    totals = np.zeros(1)
    for one in sums.tolist():
        totals = np.concatenate([totals + one, totals - one])
    return totals


def _sampled_extreme(
    sums_CG: NDArray[np.float64], thresholds: NDArray[np.float64], resamples: int, seed: int
) -> NDArray[np.int64]:
    """(C,) sampled patterns whose absolute total reaches the threshold."""
    counts = np.zeros(len(sums_CG), dtype=np.int64)
    if not counts.size:
        return counts
    n_groups = sums_CG.shape[1]
    # whole 32-bit words for each group, so that a group's signs do not depend on how many follow
    n_bytes = 4 * -(-resamples // 32)
    packed = np.frombuffer(np.random.default_rng(seed).bytes(n_groups * n_bytes), dtype=np.uint8)
    packed = packed.reshape(n_groups, n_bytes)
    observed = sums_CG.sum(axis=1)[:, None]
    for start in range(0, resamples, BLOCK):
        n = min(BLOCK, resamples - start)
        up_GB = np.unpackbits(packed[:, start // 8 : (start + n + 7) // 8], axis=1, count=n)
        totals = np.abs(2 * (sums_CG @ up_GB.astype(np.float64)) - observed)
        counts += np.count_nonzero(totals >= thresholds[:, None], axis=1)
    return counts
