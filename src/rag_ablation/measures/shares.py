"""Intervals of a share of questions, such as hit: Wilson's, on the effective number of questions.

Legend: Q questions, G groups.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.plain import check_between, is_integer
from rag_ablation.measures.planning import effective_groups, wilson
from rag_ablation.measures.uncertainty import NO_VALUES, TOO_FEW_GROUPS, clustered_mean


class Basis(StrEnum):
    """The number of questions that a Wilson interval stands on, and where it comes from."""

    QUESTIONS = "Wilson: every group has one question"
    DESIGN_EFFECT = "Wilson on the effective n: n / design effect"
    WORST_CASE = "Wilson on the effective n: all answers alike, so questions of a group count as one (Kish)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareInterval:
    """A share with its interval.

    Args:
        share: of the questions, None where there are none.
        low: lower end, None where undefined.
        high: upper end, None where undefined.
        n: number of questions with a value.
        n_groups: number of groups among them.
        effective_n: number of independent questions that say as much, None where undefined.
        design_effect: n / effective_n, None where undefined.
        basis: which n was used, None where undefined.
        dropped: number of questions without a value.
        confidence: coverage aimed at, between 0 and 1.
        reason: why the interval is undefined, None where it is defined.
    """

    share: float | None
    low: float | None
    high: float | None
    n: int
    n_groups: int
    effective_n: float | None
    design_effect: float | None
    basis: Basis | None
    dropped: int
    confidence: float
    reason: str | None = None


def share_interval(
    values: NDArray[np.float64], groups: NDArray[np.integer], *, confidence: float = 0.95
) -> ShareInterval:
    """Wilson interval of a share, on n where every group has one question, else on n / design effect.

    The design effect is the clustered variance of the mean over p(1 − p) / (n − 1), at least 1. Where all
    values are equal it cannot be estimated, and Kish's effective number of groups, the worst case, stands in.

    Args:
        values: (Q,) 0 or 1, NaN where unscored; those are dropped and counted.
        groups: (Q,) group of each question.
        confidence: coverage aimed at.

    Returns:
        The interval; undefined without a value, and where several questions form one group.

    Raises:
        InputRefused: `not_a_share` where a value is neither 0 nor 1.
        ValueError: as `clustered_mean`.

    References:
        Wilson (1927), Probable inference, the law of succession, and statistical inference;
        Kish (1965), Survey sampling, section 8.2; Dean and Pagano (2015), Evaluating confidence interval
        methods for binomial proportions in clustered surveys.
    """
    mean = clustered_mean(values, groups, confidence=confidence)
    kept = values[~np.isnan(values)]
    odd = kept[(kept != 0) & (kept != 1)]
    if odd.size:
        raise InputRefused("not_a_share", f"values: found {odd[0]}, expected 0, 1 or NaN; use clustered_mean")
    reason = NO_VALUES if mean.n == 0 else TOO_FEW_GROUPS if mean.n_groups == 1 < mean.n else None
    low = high = effective = basis = None
    if reason is None and mean.mean is not None:
        effective, basis = _effective(values, groups, mean.mean, mean.standard_error)
        low, high = wilson(mean.mean, effective, confidence=confidence)
    return ShareInterval(
        share=mean.mean,
        low=low,
        high=high,
        n=mean.n,
        n_groups=mean.n_groups,
        effective_n=effective,
        design_effect=None if effective is None else mean.n / effective,
        basis=basis,
        dropped=mean.dropped,
        confidence=confidence,
        reason=reason,
    )


def share_of_counts(successes: int, n: int, *, confidence: float = 0.95) -> ShareInterval:
    """Wilson interval of a share, from counts of independent questions.

    Args:
        successes: right answers, from 0 to n.
        n: questions, from 0.
        confidence: coverage aimed at.

    Returns:
        The interval; undefined where n is 0.

    Raises:
        InputRefused: `bad_counts` or `bad_confidence`.
    """
    for count in (successes, n):
        if not is_integer(count):
            raise InputRefused("bad_counts", f"counts: found {count!r}, expected plain integers")
    if not 0 <= successes <= n:
        raise InputRefused("bad_counts", f"counts: found {successes} of {n}, expected 0 to {n} successes")
    check_between("bad_confidence", "confidence", confidence)
    values = np.repeat([1.0, 0.0], [successes, n - successes])
    return share_interval(values, np.arange(n), confidence=confidence)


def _effective(
    values: NDArray[np.float64], groups: NDArray[np.integer], share: float, error: float | None
) -> tuple[float, Basis]:
    """Number of independent questions that say as much, and how it was found."""
    there = groups[~np.isnan(values)]
    sizes = np.unique(there, return_counts=True)[1]
    if error is None or sizes.max() == 1:
        return float(there.size), Basis.QUESTIONS
    if share in (0, 1):
        return effective_groups(sizes.tolist()), Basis.WORST_CASE
    effect = error**2 * (there.size - 1) / (share * (1 - share))
    return there.size / max(1.0, effect), Basis.DESIGN_EFFECT
