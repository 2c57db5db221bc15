"""How often the intervals hold the truth, and how often tests claim a difference that is not there.

python -m benchmarks.calibration [REPETITIONS]

Questions come in groups of 1 to 8, whose sizes are drawn once for each number of questions. Differences are normal,
symmetric (0, +1 or −1) or one-sided and sparse (1 for one question in twenty, else 0); a latent normal variable
carries the correlation within a group. A one-sided difference has a mean above 0, so the size of a test is measured
on it less its true mean. The families are 20 arms against one baseline, all of the same quality.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from benchmarks.clock import timed
from rag_ablation.measures.bootstrap import bootstrap_intervals
from rag_ablation.measures.family import ALPHA, Word, holm, verdict
from rag_ablation.measures.shares import share_interval
from rag_ablation.measures.sign_flip import sign_flip_tests
from rag_ablation.measures.uncertainty import Interval, clustered_mean

REPETITIONS = 2_000
QUESTIONS = (30, 100, 300)
CORRELATIONS = (0.0, 0.5)
LARGEST_GROUP = 8
KINDS = ("normal", "symmetric", "one-sided sparse")
SCORES = ("normal", "hit")
ARMS = 20
PATTERNS = 10_000
AT_ONCE = 500
SPARSE, HIT = 0.05, 0.7

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]


@dataclass(frozen=True)
class Coverage:
    """Shares of repetitions of one kind of difference."""

    kind: str
    n: int
    n_groups: int
    correlation: float
    by_group: float
    bootstrap: float
    by_question: float
    size_by_group: float
    size_by_question: float
    differing: float


@dataclass(frozen=True)
class Claims:
    """Shares of families of null arms in which at least one difference is claimed."""

    kind: str
    n: int
    n_groups: int
    correlation: float
    words: float
    adjusted: float
    unadjusted: float
    adjusted_by_question: float
    unadjusted_by_question: float


def made_groups(n: int) -> Groups:
    """(Q,) groups of 1 to 8 questions, always the same for a number of questions."""
    sizes = np.random.default_rng(n).integers(1, LARGEST_GROUP + 1, size=n)
    return np.repeat(np.arange(n), sizes)[:n]


def latent(rng: np.random.Generator, shape: tuple[int, ...], groups: Groups, correlation: float) -> Floats:
    """(…, Q) standard normal, correlated within groups."""
    shared = rng.normal(size=(*shape, int(groups.max()) + 1))[..., groups]
    own = rng.normal(size=(*shape, groups.size))
    return np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own


def made_differences(kind: str, drawn: Floats) -> Floats:
    """Differences from a latent variable."""
    if kind == "normal":
        return drawn
    if kind == "symmetric":
        return np.where(np.abs(drawn) < 1, 0.0, np.sign(drawn))
    return (drawn < ndtri(SPARSE)).astype(np.float64)


def true_mean(kind: str) -> float:
    """Mean of such a difference."""
    return SPARSE if kind == "one-sided sparse" else 0.0


def coverage(kind: str, n: int, correlation: float, *, repetitions: int, bootstrap: bool = True) -> Coverage:
    """Simulate one cell; without `bootstrap` its column is NaN."""
    groups, rng = made_groups(n), np.random.default_rng((n, int(100 * correlation), KINDS.index(kind)))
    questions, truth = np.arange(n), true_mean(kind)
    hits: dict[str, list[bool]] = {name: [] for name in ("group", "bootstrap", "question", "size", "size_question")}
    differing: list[int] = []
    for start in range(0, repetitions, AT_ONCE):
        rows = made_differences(kind, latent(rng, (min(AT_ONCE, repetitions - start),), groups, correlation))
        hits["group"] += [holds(clustered_mean(row, groups), truth) for row in rows]
        hits["question"] += [holds(clustered_mean(row, questions), truth) for row in rows]
        if bootstrap:
            hits["bootstrap"] += [one.low <= truth <= one.high for one in bootstrap_intervals(rows, groups)]
        tests = sign_flip_tests(rows - truth, groups, resamples=PATTERNS, seed=start)
        hits["size"] += [one.p <= ALPHA for one in tests]
        by_question = sign_flip_tests(rows - truth, questions, resamples=PATTERNS, seed=start)
        hits["size_question"] += [one.p <= ALPHA for one in by_question]
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


def claims(kind: str, n: int, correlation: float, *, repetitions: int) -> Claims:
    """Simulate families of 20 null arms against a baseline."""
    groups, rng = made_groups(n), np.random.default_rng((n, int(100 * correlation), len(KINDS), SCORES.index(kind)))
    found: list[tuple[bool, ...]] = []
    for start in range(0, repetitions, AT_ONCE // ARMS):
        families = min(AT_ONCE // ARMS, repetitions - start)
        drawn = latent(rng, (families, ARMS + 1), groups, correlation)
        scores = drawn if kind == "normal" else (drawn < ndtri(HIT)).astype(np.float64)
        gaps = (scores[:, 1:] - scores[:, :1]).reshape(families * ARMS, n)
        found += [tuple(family) for family in _claimed(gaps, groups, seed=start)]
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


def _claimed(gaps: Floats, groups: Groups, seed: int) -> Iterator[list[bool]]:
    """For each family of rows: whether the words, and whether p adjusted or not, by group or question, claim any."""
    by_group = sign_flip_tests(gaps, groups, resamples=PATTERNS, seed=seed)
    by_question = sign_flip_tests(gaps, np.arange(groups.size), resamples=PATTERNS, seed=seed)
    for start in range(0, len(gaps), ARMS):
        rows = slice(start, start + ARMS)
        raw, naive = ([test.p for test in tests[rows]] for tests in (by_group, by_question))
        adjusted = holm(raw)
        words = [
            verdict(clustered_mean(row, groups), p) in (Word.BETTER, Word.WORSE)
            for row, p in zip(gaps[rows], adjusted, strict=True)
            if p <= ALPHA
        ]
        yield [any(words), *(min(p) <= ALPHA for p in (adjusted, raw, holm(naive), naive))]


def share_coverage(n: int, correlation: float, *, repetitions: int) -> tuple[float, float]:
    """Coverage of Wilson on the effective n, and of Wilson on n, for a hit rate of .7."""
    groups, rng = made_groups(n), np.random.default_rng((n, int(100 * correlation), 99))
    hits = (latent(rng, (repetitions,), groups, correlation) < ndtri(HIT)).astype(np.float64)
    truth = float(ndtr(ndtri(HIT)))
    found = []
    for row in hits:
        both = share_interval(row, groups), share_interval(row, np.arange(n))
        found.append([one.low is not None and one.low <= truth <= one.high for one in both])
    grouped, naive = np.mean(found, axis=0).tolist()
    return grouped, naive


def percent(value: float) -> str:
    """`94.8`."""
    return f"{100 * value:.1f}"


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def print_coverage(repetitions: int) -> None:
    """Coverage and size, every cell."""
    rows = []
    for kind, n, correlation in product(KINDS, QUESTIONS, CORRELATIONS):
        got = coverage(kind, n, correlation, repetitions=repetitions)
        shares = (got.by_group, got.bootstrap, got.by_question, got.size_by_group, got.size_by_question)
        rows.append([kind, n, got.n_groups, f"{got.differing:.0f}", correlation, *map(percent, shares)])
    headings = ["differences", "questions", "groups", "that differ", "correlation", "t by group", "bootstrap"]
    print(f"\nCoverage of 95 % intervals, and size of the sign-flip test at 5 %, in % of {repetitions} repetitions\n")
    print(table([*headings, "t by question", "size by group", "size by question"], rows))


def print_shares(repetitions: int) -> None:
    """Wilson's interval of a share."""
    rows = []
    for n, correlation in product(QUESTIONS, CORRELATIONS):
        got = share_coverage(n, correlation, repetitions=repetitions)
        rows.append([n, int(np.unique(made_groups(n)).size), correlation, *map(percent, got)])
    print(f"\nCoverage of 95 % intervals of a hit rate of {HIT}, in % of {repetitions} repetitions\n")
    print(table(["questions", "groups", "correlation", "Wilson on effective n", "Wilson on n"], rows))


def print_claims(repetitions: int) -> None:
    """Families of null arms, every cell."""
    rows = []
    for kind, n, correlation in product(SCORES, QUESTIONS, CORRELATIONS):
        got = claims(kind, n, correlation, repetitions=repetitions)
        shares = (got.words, got.adjusted, got.unadjusted, got.adjusted_by_question, got.unadjusted_by_question)
        rows.append([kind, n, got.n_groups, correlation, *map(percent, shares)])
    print(f"\n{ARMS} null arms against a baseline: families with a false claim, in % of {repetitions}\n")
    headings = ["scores", "questions", "groups", "correlation", "better or worse", "Holm by group"]
    print(table([*headings, "unadjusted by group", "Holm by question", "unadjusted by question"], rows))


def main() -> None:
    """Print all tables, and how long they took."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else REPETITIONS
    for show in (print_coverage, print_shares, print_claims):
        taken = timed(lambda show=show: show(repetitions))
        print(f"\n{taken}", flush=True)
    error = 200 * np.sqrt(ALPHA * (1 - ALPHA) / repetitions)
    print(f"\nMonte-Carlo error of a share of 5 or 95 %: ± {error:.1f} points (two standard errors)")


if __name__ == "__main__":
    main()
