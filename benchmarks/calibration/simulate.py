"""The simulations, cell by cell. A cell gives the same numbers whatever others are run.

Legend: Q questions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.calibration.made import (
    HIT,
    KINDS,
    SCORES,
    Floats,
    Groups,
    latent,
    made_differences,
    made_groups,
    made_scores,
    true_mean,
)
from rag_ablation.measures.bootstrap import bootstrap_intervals
from rag_ablation.measures.family import ALPHA, Word, holm, verdict
from rag_ablation.measures.shares import share_interval
from rag_ablation.measures.sign_flip import sign_flip_tests
from rag_ablation.measures.uncertainty import Interval, clustered_mean

ARMS = 20
PATTERNS = 10_000
AT_ONCE = 500

IntervalOf = Callable[[Floats, Groups], Interval]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What was simulated."""

    kind: str
    n: int
    n_groups: int
    correlation: float


@dataclass(frozen=True, kw_only=True)
class Coverage(Cell):
    """Shares of repetitions of one kind of difference: intervals that hold the truth, tests that claim too much."""

    by_group: float
    bootstrap: float
    by_question: float
    size_by_group: float
    size_by_question: float
    differing: float


@dataclass(frozen=True, kw_only=True)
class Shares(Cell):
    """Shares of repetitions in which Wilson's interval of a hit rate holds the truth."""

    on_effective_n: float
    on_n: float


@dataclass(frozen=True, kw_only=True)
class Claims(Cell):
    """Shares of families of null arms in which at least one difference is claimed."""

    words: float
    adjusted: float
    unadjusted: float
    adjusted_by_question: float
    unadjusted_by_question: float


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Every cell."""

    repetitions: int
    coverages: tuple[Coverage, ...]
    shares: tuple[Shares, ...]
    claims: tuple[Claims, ...]


def coverage(
    kind: str,
    n: int,
    correlation: float,
    *,
    repetitions: int,
    bootstrap: bool = True,
    interval: IntervalOf = clustered_mean,
) -> Coverage:
    """Simulate paired differences; without `bootstrap` its column is NaN.

    A one-sided difference has a mean above 0, so the size of a test is measured on it less its true mean.
    """
    groups, rng = made_groups(n), np.random.default_rng((n, int(100 * correlation), KINDS.index(kind)))
    questions, truth = np.arange(n), true_mean(kind)
    hits: dict[str, list[bool]] = {name: [] for name in ("group", "bootstrap", "question", "size", "size_question")}
    differing = list[int]()
    for start in range(0, repetitions, AT_ONCE):
        rows = made_differences(kind, latent(rng, (min(AT_ONCE, repetitions - start),), groups, correlation))
        hits["group"] += [holds(interval(row, groups), truth) for row in rows]
        hits["question"] += [holds(interval(row, questions), truth) for row in rows]
        if bootstrap:
            hits["bootstrap"] += [one.low <= truth <= one.high for one in bootstrap_intervals(rows, groups)]
        tests = sign_flip_tests(rows - truth, groups, resamples=PATTERNS, seed=start)
        hits["size"] += [one.p <= ALPHA for one in tests]
        tests = sign_flip_tests(rows - truth, questions, resamples=PATTERNS, seed=start)
        hits["size_question"] += [one.p <= ALPHA for one in tests]
        differing += [int(np.unique(groups[row != 0]).size) for row in rows]
    share = {name: float(np.mean(found)) if found else float("nan") for name, found in hits.items()}
    return Coverage(
        kind=kind,
        n=n,
        n_groups=int(np.unique(groups).size),
        correlation=correlation,
        by_group=share["group"],
        bootstrap=share["bootstrap"],
        by_question=share["question"],
        size_by_group=share["size"],
        size_by_question=share["size_question"],
        differing=float(np.mean(differing)),
    )


def holds(interval: Interval, truth: float) -> bool:
    """Whether an interval holds the truth."""
    return interval.low is not None and interval.high is not None and interval.low <= truth <= interval.high


def share_coverage(n: int, correlation: float, *, repetitions: int) -> Shares:
    """Simulate a hit rate; Wilson on the effective n, and on n."""
    groups, rng = made_groups(n), np.random.default_rng((n, int(100 * correlation), 99))
    hits = made_scores("hit", latent(rng, (repetitions,), groups, correlation))
    found = []
    for row in hits:
        both = share_interval(row, groups), share_interval(row, np.arange(n))
        found.append([one.low is not None and one.high is not None and one.low <= HIT <= one.high for one in both])
    on_effective_n, on_n = np.mean(found, axis=0).tolist()
    return Shares(
        kind="hit",
        n=n,
        n_groups=int(np.unique(groups).size),
        correlation=correlation,
        on_effective_n=on_effective_n,
        on_n=on_n,
    )


def claims(kind: str, n: int, correlation: float, *, repetitions: int, interval: IntervalOf = clustered_mean) -> Claims:
    """Simulate families of 20 arms against one baseline, all of the same quality."""
    groups, rng = made_groups(n), np.random.default_rng((n, int(100 * correlation), len(KINDS), SCORES.index(kind)))
    found: list[list[bool]] = []
    for start in range(0, repetitions, AT_ONCE // ARMS):
        families = min(AT_ONCE // ARMS, repetitions - start)
        scores = made_scores(kind, latent(rng, (families, ARMS + 1), groups, correlation))
        gaps = (scores[:, 1:] - scores[:, :1]).reshape(families * ARMS, n)
        found += _claimed(gaps, groups, interval, seed=start)
    words, adjusted, unadjusted, adjusted_by_question, unadjusted_by_question = np.mean(found, axis=0).tolist()
    return Claims(
        kind=kind,
        n=n,
        n_groups=int(np.unique(groups).size),
        correlation=correlation,
        words=words,
        adjusted=adjusted,
        unadjusted=unadjusted,
        adjusted_by_question=adjusted_by_question,
        unadjusted_by_question=unadjusted_by_question,
    )


def _claimed(gaps: Floats, groups: Groups, interval: IntervalOf, seed: int) -> Iterator[list[bool]]:
    """For each family of rows: whether the words, and whether p adjusted or not, by group or question, claim any."""
    by_group = sign_flip_tests(gaps, groups, resamples=PATTERNS, seed=seed)
    by_question = sign_flip_tests(gaps, np.arange(groups.size), resamples=PATTERNS, seed=seed)
    for start in range(0, len(gaps), ARMS):
        rows = slice(start, start + ARMS)
        raw, naive = ([test.p for test in tests[rows]] for tests in (by_group, by_question))
        adjusted = holm(raw)
        words = [
            verdict(interval(row, groups), p) in (Word.BETTER, Word.WORSE)
            for row, p in zip(gaps[rows], adjusted, strict=True)
            if p <= ALPHA
        ]
        yield [any(words), *(min(p) <= ALPHA for p in (adjusted, raw, holm(naive), naive))]
