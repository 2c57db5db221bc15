"""Intervals of means and of paired differences, by group of questions.

Questions that share an answer location are no independent evidence, so the unit is the group.

Legend: Q questions, G groups.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

NO_VALUES = "no_values"
TOO_FEW_GROUPS = "fewer_than_2_groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean with its interval.

    Args:
        mean: mean over questions, None where there is no value.
        low: lower end, None where undefined.
        high: upper end, None where undefined.
        standard_error: clustered standard error, None where undefined.
        n: number of questions with a value.
        n_groups: number of groups among them.
        dropped: number of questions without a value (for a difference: without a value on either side).
        confidence: coverage aimed at, between 0 and 1.
        reason: why the interval is undefined, None where it is defined.
    """

    mean: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    n: int
    n_groups: int
    dropped: int
    confidence: float
    reason: str | None = None


def clustered_mean(values: NDArray[np.float64], groups: NDArray[np.integer], *, confidence: float = 0.95) -> Interval:
    """Cluster-robust t interval of a mean.

    With n values x in G groups, m the mean over questions (a ratio of group sums to group sizes, both of
    which vary) and u_g = Σ (x − m) over group g:

        standard error² = G / (G − 1) · Σ u_g² / n²
        interval = m ± t(1 − (1 − confidence) / 2, G − 1) · standard error

    This is the sandwich estimator of an intercept with the CR1 factor G/(G − 1) · (n − 1)/(n − k),
    whose second part is 1 for one coefficient. Where every group holds one question it is the
    ordinary t interval. Where all values are equal the interval has no width.

    Args:
        values: (Q,) NaN where unscored; those questions are dropped and counted.
        groups: (Q,) group of each question.
        confidence: coverage aimed at.

    Returns:
        The interval; under two groups it is undefined and says so.

    Raises:
        ValueError: arrays of different shapes, an infinite value, or a confidence not between 0 and 1.

    References:
        Liang and Zeger (1986), Longitudinal data analysis using generalized linear models;
        Cameron and Miller (2015), A practitioner's guide to cluster-robust inference;
        Miller (2024), Adding error bars to evals.
    """
    _check(values, groups, confidence)
    there = ~np.isnan(values)
    kept = values[there]
    _, members = np.unique(groups[there], return_inverse=True)
    n, n_groups = int(kept.size), int(members.max(initial=-1)) + 1
    mean = math.fsum(kept.tolist()) / n if n else None
    low = high = error = None
    if mean is not None and n_groups >= 2:
        error = _standard_error(kept - mean, members)
        width = t_quantile((1 + confidence) / 2, n_groups - 1) * error
        low, high = mean - width, mean + width
    reason = NO_VALUES if mean is None else TOO_FEW_GROUPS if error is None else None
    return Interval(
        mean=mean,
        low=low,
        high=high,
        standard_error=error,
        n=n,
        n_groups=n_groups,
        dropped=int(values.size) - n,
        confidence=confidence,
        reason=reason,
    )


def clustered_ratio(
    numerators: NDArray[np.float64],
    denominators: NDArray[np.float64],
    groups: NDArray[np.integer],
    *,
    confidence: float = 0.95,
) -> Interval:
    """Cluster-robust t interval of a pooled mean, Σ a / Σ b.

    With r the pooled mean and u_g = Σ (a − r · b) over group g:

        standard error² = G / (G − 1) · Σ u_g² / (Σ b)²

    the linearised variance of a ratio of two sums of groups. Where every b is 1 it is `clustered_mean`.

    Args:
        numerators: (Q,) a, such as the relevant units that were found.
        denominators: (Q,) b, such as all relevant units; a question of 0 is dropped and counted.
        groups: (Q,) group of each question.
        confidence: coverage aimed at.

    Returns:
        The interval, its n the number of questions with b above 0; under two groups it is undefined and says so.

    Raises:
        ValueError: as `clustered_mean`, or a negative b.

    References:
        Cochran (1977), Sampling techniques, section 6.3.
    """
    if numerators.shape != denominators.shape or (denominators < 0).any():
        message = f"found {numerators.shape} and {denominators.shape} parts, expected one of each, none below 0"
        raise ValueError(message)
    there = denominators > 0
    below = math.fsum(denominators[there].tolist())
    if not below:
        return clustered_mean(np.full(numerators.shape, np.nan), groups, confidence=confidence)
    ratio = math.fsum(numerators[there].tolist()) / below
    scaled = np.where(there, (numerators - ratio * denominators) * there.sum() / below, np.nan)
    found = clustered_mean(scaled, groups, confidence=confidence)
    ends = [None if end is None else end + ratio for end in (found.low, found.high)]
    return replace(found, mean=ratio, low=ends[0], high=ends[1])


def paired_difference(
    child: NDArray[np.float64],
    parent: NDArray[np.float64],
    groups: NDArray[np.integer],
    *,
    confidence: float = 0.95,
) -> Interval:
    """Cluster-robust t interval of the mean of child − parent, question by question.

    Args:
        child: (Q,) values of the one arm, NaN where unscored.
        parent: (Q,) values of the other arm on the same questions.
        groups: (Q,) group of each question.
        confidence: coverage aimed at.

    Returns:
        The interval of `clustered_mean` over the questions that have a value on both sides.

    Raises:
        ValueError: as `clustered_mean`.
    """
    if child.shape != parent.shape:
        message = f"found {child.shape} and {parent.shape} values, expected one of each for every question"
        raise ValueError(message)
    return clustered_mean(child - parent, groups, confidence=confidence)


def t_quantile(probability: float, freedom: float) -> float:
    """Quantile of Student's t, whose degrees of freedom need not be whole."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy is slow to import and wanted only here

    return float(stdtrit(freedom, probability))


def _check(values: NDArray[np.float64], groups: NDArray[np.integer], confidence: float) -> None:
    """Refuse what would give a number without meaning."""
    if values.ndim != 1 or values.shape != groups.shape:
        message = f"found values {values.shape} and groups {groups.shape}, expected one of each for every question"
        raise ValueError(message)
    if np.isinf(values).any():
        message = f"values: found an infinite one for question row {int(np.argmax(np.isinf(values)))}"
        raise ValueError(message)
    if not 0 < confidence < 1:
        message = f"confidence: found {confidence!r}, expected a number between 0 and 1"
        raise ValueError(message)


def _standard_error(deviations: NDArray[np.float64], members: NDArray[np.integer]) -> float:
    """Clustered standard error from deviations (n,) and group numbers (n,) from 0; exactly 0 without spread."""
    if np.ptp(deviations) == 0:
        return 0.0
    sums = np.bincount(members, weights=deviations)
    n_groups = sums.size
    return math.sqrt(n_groups / (n_groups - 1) * math.fsum((sums * sums).tolist())) / deviations.size
