"""The difference of two means over different questions, such as those of dev and of the holdout.

Legend: Q questions of one side, G groups of one side.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.measures.uncertainty import NO_VALUES, TOO_FEW_GROUPS, Interval, clustered_mean, t_quantile


class Sample(NamedTuple):
    """The values of one side.

    Args:
        values: (Q,) NaN where unscored; those questions are dropped and counted.
        groups: (Q,) group of each question; equal numbers on the two sides are different groups.
    """

    values: NDArray[np.float64]
    groups: NDArray[np.integer]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependentDifference:
    """The mean of one side less that of the other, with its interval.

    Args:
        mean: difference of the means, None where a side has no value.
        low: lower end, None where undefined.
        high: upper end, None where undefined.
        standard_error: of the difference, None where undefined.
        freedom: degrees of freedom, not a whole number as a rule; None where undefined or where no side has spread.
        first: mean of the one side with its own interval, n, groups and dropped questions.
        second: the same of the other.
        confidence: coverage aimed at, between 0 and 1.
        reason: why the interval is undefined, None where it is defined.
    """

    mean: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    freedom: float | None
    first: Interval
    second: Interval
    confidence: float
    reason: str | None = None


def independent_difference(first: Sample, second: Sample, *, confidence: float = 0.95) -> IndependentDifference:
    """Welch's t interval of the mean of `first` less the mean of `second`, clustered on each side.

    With s the clustered standard error of `clustered_mean` and G the groups of each side:

        standard error = √(s₁² + s₂²)
        freedom = (s₁² + s₂²)² / (s₁⁴ / (G₁ − 1) + s₂⁴ / (G₂ − 1))
        interval = m₁ − m₂ ± t(1 − (1 − confidence) / 2, freedom) · standard error

    No group may have questions on both sides, as it is with the sides of a split: nothing is paired here. Where
    every group holds one question it is Welch's interval; where neither side has spread it has no width.

    Args:
        first: the one side.
        second: the other side.
        confidence: coverage aimed at.

    Returns:
        The interval; it is undefined, and says so, where a side has no value or fewer than two groups.

    Raises:
        ValueError: as `clustered_mean`.

    References:
        Welch (1947), The generalization of "Student's" problem when several different population variances are
        involved; Satterthwaite (1946), An approximate distribution of estimates of variance components. Equal to
        scipy.stats.ttest_ind with equal_var=False where every group holds one question.

    Example:
        `independent_difference(Sample(dev, dev_groups), Sample(holdout, holdout_groups)).mean` is positive where
        dev flatters.
    """
    return between(clustered_mean(*first, confidence=confidence), clustered_mean(*second, confidence=confidence))


def between(one: Interval, other: Interval) -> IndependentDifference:
    """The same from the means of both sides, where their values are no longer there.

    Args:
        one: of the one side, as `clustered_mean` or `paired_difference` gives it.
        other: of the other side, at the same confidence.

    Raises:
        ValueError: they are at different confidences.
    """
    if one.confidence != other.confidence:
        message = f"found intervals at {one.confidence} and {other.confidence}, expected the same"
        raise ValueError(message)
    confidence = one.confidence
    mean = None if one.mean is None or other.mean is None else one.mean - other.mean
    error = low = high = freedom = None
    if mean is not None and one.standard_error is not None and other.standard_error is not None:
        error = math.hypot(one.standard_error, other.standard_error)
        freedom = _freedom(one, other, error)
        width = 0.0 if freedom is None else t_quantile((1 + confidence) / 2, freedom) * error
        low, high = mean - width, mean + width
    return IndependentDifference(
        mean=mean,
        low=low,
        high=high,
        standard_error=error,
        freedom=freedom,
        first=one,
        second=other,
        confidence=confidence,
        reason=NO_VALUES if mean is None else TOO_FEW_GROUPS if error is None else None,
    )


def _freedom(one: Interval, other: Interval, error: float) -> float | None:
    """Welch–Satterthwaite degrees of freedom, from shares of the variance so that nothing underflows."""
    if error == 0:
        return None
    shares = [((side.standard_error or 0.0) / error) ** 2 for side in (one, other)]
    return 1 / sum(share**2 / (side.n_groups - 1) for share, side in zip(shares, (one, other), strict=True))
