"""What a number of questions can and cannot show, before anything is run.

Questions of one group are no independent evidence, so groups of uneven size count as Kish's effective
number of equal ones.

Legend: G groups.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_ablation.measures.uncertainty import t_quantile

TOO_FEW_GROUPS = "fewer_than_2_groups"
MOST_GROUPS = 10**9
POWER = 0.8
"""Chance of finding a difference that is there, where nothing else is asked for."""
ASSUMED_DEVIATIONS = {"hit": 0.5, "other": 0.3}
"""Standard deviations of paired differences, question by question, where none was measured."""


class Ends(NamedTuple):
    """Both ends of an interval of a share, between 0 and 1."""

    low: float
    high: float

    @property
    def width(self) -> float:
        """From one end to the other."""
        return self.high - self.low


def wilson(share: float, n: float, *, confidence: float = 0.95) -> Ends:
    """Wilson's score interval of a share.

    With z the normal quantile: (p + z²/2n ± z · √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).

    Args:
        share: p, right answers among all, between 0 and 1.
        n: number of independent questions; an effective number need not be whole.
        confidence: coverage aimed at.

    Raises:
        ValueError: a share not between 0 and 1, n not above 0, or a confidence not between 0 and 1.

    References:
        Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Example:
        `wilson(24 / 30, 30)` is 0.63 to 0.90.
    """
    if not 0 <= share <= 1 or not n > 0 or not 0 < confidence < 1:
        message = f"found share {share}, n {n}, confidence {confidence}; expected 0 to 1, above 0, between 0 and 1"
        raise ValueError(message)
    from scipy.special import ndtri  # noqa: PLC0415 - scipy is slow to import and wanted only here

    z2 = float(ndtri((1 + confidence) / 2)) ** 2
    middle = share + z2 / (2 * n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n)))
    # at the edges one end is the edge itself, which rounding would miss
    low = 0.0 if share == 0 else max(0.0, (middle - half) / (1 + z2 / n))
    high = 1.0 if share == 1 else min(1.0, (middle + half) / (1 + z2 / n))
    return Ends(low, high)


def effective_groups(sizes: Sequence[int]) -> float:
    """Kish's number of groups of one size that say as much as these: (Σ s)² / Σ s².

    It is also the effective number of questions where those of a group answer all alike.

    Args:
        sizes: (G,) questions of each group.

    Returns:
        Between 1 and G; 0 where there is no group.

    References:
        Kish (1965), Survey sampling, section 11.7.
    """
    squares = sum(size * size for size in sizes)
    return sum(sizes) ** 2 / squares if squares else 0.0


def smallest_difference(
    sizes: Sequence[int], standard_deviation: float, *, confidence: float = 0.95, power: float = POWER, family: int = 1
) -> float | None:
    """Smallest mean difference of two arms that these groups are likely to show, from an assumed deviation.

    `smallest_difference_from` with standard error = standard deviation / √effective groups: the clustered one
    where the differences of a group are all alike, the worst that can be; it is smaller where they are not.

    Args:
        sizes: (G,) questions of each group.
        standard_deviation: of the differences, question by question.
        confidence: 1 − α of the test.
        power: chance of finding a difference of that size.
        family: number of comparisons among which α is divided.

    Returns:
        The difference; None under two groups.
    """
    if len(sizes) < 2:
        return None
    error = standard_deviation / math.sqrt(effective_groups(sizes))
    return smallest_difference_from(error, len(sizes), confidence=confidence, power=power, family=family)


def smallest_difference_from(
    standard_error: float, n_groups: int, *, confidence: float = 0.95, power: float = POWER, family: int = 1
) -> float | None:
    """Smallest mean difference of two arms that is likely to show, from a clustered standard error.

        (t(1 − α/2, G − 1) + t(power, G − 1)) · standard error

    This is planning: to find less proves no equality.

    Args:
        standard_error: clustered, of a mean paired difference, measured on a comparable pair or assumed.
        n_groups: G.
        confidence: 1 − α of the test.
        power: chance of finding a difference of that size.
        family: number of comparisons among which α is divided.

    Returns:
        The difference; None under two groups.
    """
    if n_groups < 2:
        return None
    alpha = (1 - confidence) / family
    return (t_quantile(1 - alpha / 2, n_groups - 1) + t_quantile(power, n_groups - 1)) * standard_error


def groups_needed(
    difference: float,
    *,
    standard_error: float,
    n_groups: int,
    least: int = 2,
    confidence: float = 0.95,
    power: float = POWER,
) -> int | None:
    """Smallest number of groups of which `smallest_difference_from` is at most a difference.

    The groups to come are taken to be like those that were seen: the standard error of G' of them is
    standard error · √(G / G').

    Args:
        difference: that should be likely to show, from 0.
        standard_error: clustered, of the groups that were seen, or assumed for one question a group.
        n_groups: G, the number of groups that the standard error is of.
        least: smallest answer.
        confidence: 1 − α of the test.
        power: chance of finding a difference of that size.

    Returns:
        The number; None where no number of groups is enough, or none under a billion.
    """

    def enough(groups: int) -> bool:
        error = standard_error * math.sqrt(n_groups / groups)
        smallest = smallest_difference_from(error, groups, confidence=confidence, power=power)
        return smallest is not None and smallest <= difference

    high = least = max(2, least)
    while not enough(high):
        high *= 2
        if high > MOST_GROUPS:
            return None
    low = max(least, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a family of comparisons on so many questions can show, before it is run.

    Args:
        n: number of questions.
        n_groups: number of groups.
        effective_groups: Kish's number of equal groups that say as much.
        family: number of comparisons among which α is divided.
        standard_error: of a mean paired difference, None under two groups where it is assumed.
        basis: where the standard error comes from, in words.
        smallest_difference: likely to be found with the power asked for, None under two groups.
        smallest_p: that a sign-flip test can reach, before it is adjusted.
        smallest_adjusted_p: the same of the first in the family, after Holm.
    """

    n: int
    n_groups: int
    effective_groups: float
    family: int
    standard_error: float | None
    basis: str
    smallest_difference: float | None
    smallest_p: float
    smallest_adjusted_p: float


def plan(
    sizes: Sequence[int],
    *,
    measure: str = "hit",
    measured: float | None = None,
    family: int = 1,
    confidence: float = 0.95,
    power: float = POWER,
) -> Plan:
    """Plan a family of paired comparisons.

    Args:
        sizes: (G,) questions of each group.
        measure: its name, such as `ndcg@10`: the deviation assumed is .5 for hit, .3 for any other.
        measured: clustered standard error of the latest comparable pair on dev with these groups, None to assume.
        family: number of comparisons among which α is divided.
        confidence: 1 − α of the family.
        power: chance of finding a difference of that size.

    Raises:
        ValueError: a family under 1.
    """
    if family < 1:
        message = f"family: found {family}, expected at least one comparison"
        raise ValueError(message)
    deviation = assumed_deviation(measure)
    effective = effective_groups(sizes)
    error, basis = measured, "clustered standard error of a comparable pair"
    if error is None:
        error = deviation / math.sqrt(effective) if len(sizes) >= 2 else None
        basis = f"assumed: differences of standard deviation {deviation}, all alike within a group"
    smallest = None
    if error is not None:
        smallest = smallest_difference_from(error, len(sizes), confidence=confidence, power=power, family=family)
    return Plan(
        n=sum(sizes),
        n_groups=len(sizes),
        effective_groups=effective,
        family=family,
        standard_error=error,
        basis=basis,
        smallest_difference=smallest,
        smallest_p=smallest_p(len(sizes)),
        smallest_adjusted_p=min(1.0, family * smallest_p(len(sizes))),
    )


def assumed_deviation(measure: str) -> float:
    """Standard deviation of paired differences where none was measured: .5 for hit, .3 for any other measure."""
    return ASSUMED_DEVIATIONS["hit" if "hit" in measure else "other"]


def smallest_p(n_groups: int) -> float:
    """Smallest two-sided p that a sign-flip test by group can reach: 2 / 2^G, at most 1."""
    return min(1.0, 2.0 ** (1 - n_groups))
