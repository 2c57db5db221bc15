"""Two systems on the same questions, handed over as plain lists: checked, then every figure of the comparison.

Legend: Q questions, G groups.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.bootstrap import RESAMPLES as BOOTSTRAP_RESAMPLES
from rag_ablation.measures.bootstrap import BootstrapInterval, bootstrap_interval
from rag_ablation.measures.plain import is_number
from rag_ablation.measures.sign_flip import RESAMPLES, SignFlip, TTest, sign_flip_test, t_test

ABSENT = "a question scored on one side only must be settled before, not dropped"


class Pairs(NamedTuple):
    """Checked scores of two systems.

    Args:
        baseline: (Q,) finite.
        candidate: (Q,) finite.
        groups: (Q,) number of each question's group, from 0.
    """

    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    groups: NDArray[np.int64]

    @property
    def differences(self) -> NDArray[np.float64]:
        """(Q,) candidate − baseline."""
        return self.candidate - self.baseline

    @property
    def questions(self) -> NDArray[np.int64]:
        """(Q,) every question a group of its own."""
        return np.arange(self.baseline.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedTest:
    """Candidate against baseline.

    Args:
        mean_baseline: mean over questions.
        mean_candidate: mean over questions.
        mean_difference: candidate − baseline.
        deviation: standard deviation of the differences (divisor n − 1), None for one question.
        n: number of questions.
        n_groups: number of groups.
        t: paired t test, question by question.
        by_question: sign-flip test, question by question.
        t_by_group: cluster-robust t test.
        by_group: sign-flip test, all questions of a group together.
    """

    mean_baseline: float
    mean_candidate: float
    mean_difference: float
    deviation: float | None
    n: int
    n_groups: int
    t: TTest
    by_question: SignFlip
    t_by_group: TTest
    by_group: SignFlip


def pairs(baseline: Sequence[float], candidate: Sequence[float], groups: Sequence[Hashable] | None = None) -> Pairs:
    """Check plain lists of scores.

    Args:
        baseline: (Q,) score of each question.
        candidate: (Q,) the same of the other system.
        groups: (Q,) group of each question; None: each its own.

    Raises:
        InputRefused: `length_mismatch`, `empty`, `missing_score` (None), or `not_finite` (also booleans and text).
    """
    for name, other in (("candidate", candidate), ("groups", groups)):
        if other is not None and len(other) != len(baseline):
            message = f"found {len(baseline)} baseline scores and {len(other)} of {name}, expected one each a question"
            raise InputRefused("length_mismatch", message)
    if not baseline:
        raise InputRefused("empty", "found no question, expected one or more")
    numbers: dict[Hashable, int] = {}
    members = [
        numbers.setdefault(group, len(numbers)) for group in (range(len(baseline)) if groups is None else groups)
    ]
    return Pairs(_scores("baseline", baseline), _scores("candidate", candidate), np.array(members, dtype=np.int64))


def average_repeats(answers: Sequence[Sequence[float]]) -> list[float]:
    """Mean of each question's answers; repeats are no questions, however many there are.

    Args:
        answers: (Q,) scores of the answers of each question.

    Raises:
        InputRefused: `empty` where a question has no answer; `missing_score` or `not_finite` as `pairs`.
    """
    means = []
    for place, scores in enumerate(answers):
        if not scores:
            raise InputRefused("empty", f"question {place + 1}: found no answer, expected one or more")
        means.append(math.fsum(_scores(f"question {place + 1}", scores).tolist()) / len(scores))
    return means


def paired_test(found: Pairs, *, resamples: int = RESAMPLES, seed: int = 0) -> PairedTest:
    """Every test of a paired difference, by question and by group.

    Args:
        found: checked scores.
        resamples: patterns of signs sampled where there are too many to count.
        seed: of the sampled patterns.

    Raises:
        InputRefused: `bad_resamples`.
    """
    gaps, n = found.differences, found.baseline.size
    return PairedTest(
        mean_baseline=_mean(found.baseline),
        mean_candidate=_mean(found.candidate),
        mean_difference=_mean(gaps),
        deviation=float(np.std(gaps, ddof=1)) if n > 1 else None,
        n=n,
        n_groups=int(np.unique(found.groups).size),
        t=t_test(gaps, found.questions),
        by_question=sign_flip_test(gaps, found.questions, resamples=resamples, seed=seed),
        t_by_group=t_test(gaps, found.groups),
        by_group=sign_flip_test(gaps, found.groups, resamples=resamples, seed=seed),
    )


class PairedBootstrap(NamedTuple):
    """Percentile intervals of a mean difference.

    Args:
        mean_difference: candidate − baseline.
        by_question: questions drawn.
        by_group: groups drawn.
    """

    mean_difference: float
    by_question: BootstrapInterval
    by_group: BootstrapInterval


def paired_bootstrap(
    found: Pairs, *, confidence: float = 0.95, resamples: int = BOOTSTRAP_RESAMPLES, seed: int = 0
) -> PairedBootstrap:
    """Percentile bootstrap of a paired mean difference, by question and by group.

    Args:
        found: checked scores.
        confidence: coverage aimed at.
        resamples: number of resamples.
        seed: of the draws.

    Raises:
        InputRefused: `bad_resamples` or `bad_confidence`.
    """
    by_question, by_group = (
        bootstrap_interval(found.differences, groups, confidence=confidence, resamples=resamples, seed=seed)
        for groups in (found.questions, found.groups)
    )
    return PairedBootstrap(_mean(found.differences), by_question, by_group)


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / values.size


def _scores(name: str, scores: Sequence[float | None]) -> NDArray[np.float64]:
    for place, score in enumerate(scores):
        where = f"{name}, entry {place + 1}"
        if score is None:
            raise InputRefused("missing_score", f"{where}: found no score; {ABSENT}")
        if not is_number(score):
            raise InputRefused("not_finite", f"{where}: found {score!r}, expected a finite number")
    return np.array(scores, dtype=np.float64)
