"""What a number of questions can and cannot show, before anything is run.

Questions of one group are no independent evidence, so groups of uneven size count as Kish's effective
number of equal ones.

Legend: G groups.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rag_ablation.measures.uncertainty import t_quantile

TOO_FEW_GROUPS = "fewer_than_2_groups"


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
    return Ends(max(0.0, (middle - half) / (1 + z2 / n)), min(1.0, (middle + half) / (1 + z2 / n)))


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
    sizes: Sequence[int], standard_deviation: float, *, confidence: float = 0.95, power: float = 0.8, family: int = 1
) -> float | None:
    """Smallest mean difference of two arms that these groups are likely to show.

        (t(1 − α/2, G − 1) + t(power, G − 1)) · standard deviation / √effective groups

    The standard error is the clustered one where the differences of a group are all alike, the worst that
    can be; it is smaller where they are not. This is planning: to find less proves no equality.

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
    alpha = (1 - confidence) / family
    quantiles = t_quantile(1 - alpha / 2, len(sizes) - 1) + t_quantile(power, len(sizes) - 1)
    return quantiles * standard_deviation / math.sqrt(effective_groups(sizes))


def smallest_p(n_groups: int) -> float:
    """Smallest two-sided p that a sign-flip test by group can reach: 2 / 2^G, at most 1."""
    return min(1.0, 2.0 ** (1 - n_groups))
