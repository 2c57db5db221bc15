"""A family of paired comparisons: adjusted p, and the word that each has earned.

Only a family of steps declared beforehand gets words; anything else is exploratory and has intervals alone.

Legend: Q questions, G groups.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.bootstrap import RESAMPLES, BootstrapInterval, bootstrap_intervals
from rag_ablation.measures.plain import check_between, is_number
from rag_ablation.measures.sign_flip import SignFlip, TTest, sign_flip_tests, t_test
from rag_ablation.measures.uncertainty import Interval, paired_difference

ALPHA = 0.05
GROUPS_FOR_A_VERDICT = 6
GROUPS_WITHOUT_WARNING = 20


class Word(StrEnum):
    """What a comparison may be said to show."""

    BETTER = "better"
    WORSE = "worse"
    NOT_DISTINGUISHABLE = "not distinguishable"
    NO_VERDICT = "no verdict"


class Warned(StrEnum):
    """What weakens a verdict."""

    FEW_GROUPS = "few_groups"
    FEW_DIFFERING_GROUPS = "few_differing_groups"


class Step(NamedTuple):
    """Two arms to compare.

    Args:
        name: of the step.
        child: (Q,) values of the one arm, NaN where unscored.
        parent: (Q,) values of the other arm on the same questions.
    """

    name: str
    child: NDArray[np.float64]
    parent: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One step of a family.

    Args:
        name: of the step.
        interval: cluster-robust t interval of child − parent, the headline.
        bootstrap: percentile cluster bootstrap beside it.
        test: sign-flip test by group.
        t: cluster-robust t test, for reference.
        adjusted_p: p of `test` after Holm over the family.
        wins: questions on which the child is higher.
        ties: questions without a difference.
        losses: questions on which the child is lower.
        word: the verdict.
        warnings: what weakens it.
    """

    name: str
    interval: Interval
    bootstrap: BootstrapInterval
    test: SignFlip
    t: TTest
    adjusted_p: float
    wins: int
    ties: int
    losses: int
    word: Word
    warnings: tuple[Warned, ...]

    @property
    def says(self) -> str:
        """The verdict with the evidence it stands on."""
        return f"{self.word} on {counted(self.interval.n, self.interval.n_groups)}"


def compare_family(
    steps: Sequence[Step],
    groups: NDArray[np.integer],
    *,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Compare every step of a family, adjust its p values by Holm, and find the word for each.

    Args:
        steps: the family, declared before it was run; a step without a question in common counts with p = 1.
        groups: (Q,) group of each question.
        alpha: level of the family; intervals are at 1 − alpha.
        resamples: of the bootstrap.
        seed: of the bootstrap and of sampled patterns of signs.

    Returns:
        One comparison for each step, in the order given.

    Raises:
        InputRefused: `bad_resamples`, or `bad_level` where alpha is not between 0 and 1.
        ValueError: arrays of different shapes, or an infinite value.
    """
    check_between("bad_level", "alpha", alpha)
    if not steps:
        return ()
    intervals = [paired_difference(step.child, step.parent, groups, confidence=1 - alpha) for step in steps]
    gaps_CQ = np.stack([step.child - step.parent for step in steps])
    bootstraps = bootstrap_intervals(gaps_CQ, groups, confidence=1 - alpha, resamples=resamples, seed=seed)
    tests = sign_flip_tests(gaps_CQ, groups, seed=seed)
    adjusted = holm([test.p for test in tests])
    return tuple(
        Comparison(
            name=step.name,
            interval=interval,
            bootstrap=bootstrap,
            test=test,
            t=t_test(gaps, groups),
            adjusted_p=p,
            wins=int(np.count_nonzero(gaps > 0)),
            ties=int(np.count_nonzero(gaps == 0)),
            losses=int(np.count_nonzero(gaps < 0)),
            word=verdict(interval, p, alpha=alpha),
            warnings=warnings(test),
        )
        for step, gaps, interval, bootstrap, test, p in zip(
            steps, gaps_CQ, intervals, bootstraps, tests, adjusted, strict=True
        )
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p values so that the chance of one false claim or more in the family stays at the level.

    The i-th smallest of m is multiplied by m − i + 1, made non-decreasing by a running maximum, and capped at 1.

    Args:
        p_values: (C,) between 0 and 1; one that is undefined must not be left out, which would shrink the family.

    Returns:
        (C,) adjusted values in the order given; to reject is to find one at most α.

    Raises:
        InputRefused: `bad_p` where a value is missing or not between 0 and 1.

    References:
        Holm (1979), A simple sequentially rejective multiple test procedure.

    Example:
        `holm([0.01, 0.04, 0.03, 0.005])` is 0.03, 0.06, 0.06, 0.02.
    """
    for place, p in enumerate(p_values):
        if not is_number(p) or not 0 <= p <= 1:
            raise InputRefused("bad_p", f"p value {place + 1}: found {p!r}, expected a number from 0 to 1")
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def rejected(adjusted: Sequence[float], *, alpha: float = ALPHA) -> list[bool]:
    """Which adjusted values are at most α, but for binary rounding of a product that is α in decimals.

    Args:
        adjusted: (C,) of `holm`.
        alpha: level of the family.

    Raises:
        InputRefused: `bad_level` where alpha is not between 0 and 1.
    """
    check_between("bad_level", "alpha", alpha)
    return [p <= alpha or math.isclose(p, alpha, rel_tol=1e-12) for p in adjusted]


def verdict(interval: Interval, adjusted_p: float, *, alpha: float = ALPHA) -> Word:
    """The word that a comparison has earned.

    Better or worse only where the adjusted p is at most α and the interval excludes 0; under 6 groups no
    verdict, since p cannot fall below 2 / 2^5 = .0625 there.

    Args:
        interval: of child − parent.
        adjusted_p: after Holm.
        alpha: level of the family.

    Raises:
        InputRefused: `bad_level` where alpha is not between 0 and 1.
    """
    if interval.n_groups < GROUPS_FOR_A_VERDICT or interval.low is None or interval.high is None:
        return Word.NO_VERDICT
    if rejected([adjusted_p], alpha=alpha)[0]:
        if interval.low > 0:
            return Word.BETTER
        if interval.high < 0:
            return Word.WORSE
    return Word.NOT_DISTINGUISHABLE


def warnings(test: SignFlip) -> tuple[Warned, ...]:
    """What weakens a verdict: under 20 groups, or under 20 whose differences do not sum to 0.

    Args:
        test: sign-flip test of the comparison.
    """
    found = []
    if test.n_groups < GROUPS_WITHOUT_WARNING:
        found.append(Warned.FEW_GROUPS)
    if test.n_differing < GROUPS_WITHOUT_WARNING:
        found.append(Warned.FEW_DIFFERING_GROUPS)
    return tuple(found)


def counted(n: int, n_groups: int) -> str:
    """`these 30 questions (12 groups)`."""
    return f"{'this' if n == 1 else 'these'} {n} question{'s' * (n != 1)} ({n_groups} group{'s' * (n_groups != 1)})"
