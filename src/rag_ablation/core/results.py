"""What a run leaves behind.

Legend: Q questions, K columns, C passages in a context.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.answers import Answer, Reference, Verdict
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.record import RecordedStage

SCORED = "scored"


def measure_name(measure: str, cutoff: int) -> str:
    """`ndcg@10`; the name alone where a measure has no cutoff (0)."""
    return f"{measure}@{cutoff}" if cutoff else measure


@dataclass(frozen=True, slots=True)
class StageResult:
    """What a stage returns: a ranking, or the passages of a context, and what it counted on the way.

    Args:
        rankings: ordered passages of every question.
        facts: counts and settings in force, JSON values only (for example `n_truncated`).
        arrays: what else is kept of each question, first axis Q, by name.
    """

    rankings: Rankings
    facts: Mapping[str, object]
    arrays: Mapping[str, NDArray[np.generic]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOutput:
    """One stage of one run.

    Args:
        slot: place in the pipeline.
        name: what filled it.
        point: the measuring point that it feeds.
        result: what it returned.
        seconds: time of the computation, whenever that was.
        reused: True where the value came from the store.
        digest: content digest of the rankings.
    """

    slot: str
    name: str
    point: str
    result: StageResult
    seconds: float
    reused: bool
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean that never travels without its denominator.

    Args:
        value: the mean, None where undefined.
        n: number of questions in it.
        excluded: number of questions left out, by reason.
        reason: why the value is undefined, None where it is defined.
    """

    value: float | None
    n: int
    excluded: Mapping[str, int]
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PointValues:
    """Everything measured at one measuring point.

    Args:
        per_query: by (measure, cutoff), float64 (Q,), NaN where unscored; the cutoff is 0 where a measure has none.
        means: by (measure, cutoff).
        parts: by (measure, cutoff) of a pooled mean, its numerators and denominators, float64 (2, Q), both 0 where
            unscored.
    """

    per_query: Mapping[tuple[str, int], NDArray[np.float64]]
    means: Mapping[tuple[str, int], Mean]
    parts: Mapping[tuple[str, int], NDArray[np.float64]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where the relevant units of one arm went.

    Args:
        unit: the evaluation unit.
        counts: relevant units by fate; they sum to the number of relevant units of the scored questions.
        by_type: the same by question type.
        group_counts: evidence groups by fate, empty where the set has none.
        gap: what separates the context's mean recall from 1, by part; the parts add up.
        gap_by_type: the same by question type.
        tables: long-form columns by name of the table: `fates` (a row for each relevant unit), `context` (a row
            for each passage offered to a context).
        answers: the kept units by what became of the answer, `answer_right`, `answer_wrong` or `answer_open`; they
            sum to those that are kept; empty for an arm without answers.
    """

    unit: str
    counts: Mapping[str, int]
    by_type: Mapping[str, Mapping[str, int]]
    group_counts: Mapping[str, int]
    gap: Mapping[str, float]
    gap_by_type: Mapping[str, Mapping[str, float]]
    tables: Mapping[str, Mapping[str, Sequence[object]]]
    answers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What an arm answered, and what was made of it.

    Args:
        answers: (Q,) None where nothing was asked.
        verdicts: (Q,) after review, None where nobody judged.
        references: (Q,) what would have been right, None where it is not known.
        stages: the generator and the judge.
        values: the measures of answers, without cutoffs.
        status: by measure, (Q,) `scored`, or why the question is not in it.
        judged: (Q,) what the judge said, before any review.
        absent: why nothing was asked at all, None where it was.
    """

    answers: tuple[Answer | None, ...]
    verdicts: tuple[Verdict | None, ...]
    references: tuple[Reference | None, ...]
    stages: tuple[RecordedStage, ...]
    values: PointValues
    status: Mapping[str, tuple[str, ...]]
    judged: tuple[Verdict | None, ...] = ()
    absent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewriting:
    """What was searched for instead of the questions.

    Args:
        texts: (Q,) the texts of each question, in the order in which they were made; None where they are not known.
        stage: the rewriter.
    """

    texts: tuple[tuple[str, ...], ...] | None
    stage: RecordedStage


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One configuration, run once over one side of a dataset.

    Args:
        outputs: the stages in order.
        points: what was measured, by measuring point.
        final: the last ranking point, None for an arm without one.
        status: (Q,) `scored` or the reason why a question is in no mean.
        counts: questions, groups and what the stages counted.
        evidence: where the relevant units went, None for an arm without a context.
        answered: what was answered, None for an arm without a generator.
        rewriting: what was searched for, None for an arm that searches for the questions as asked.
        notices: what a reader should know about this run, one sentence each.
        threats: what may be wrong with a conclusion drawn from it, one sentence each.
    """

    outputs: tuple[StageOutput, ...]
    points: Mapping[str, PointValues]
    final: str | None
    status: tuple[str, ...]
    counts: Mapping[str, int]
    evidence: Evidence | None = None
    answered: Answered | None = None
    rewriting: Rewriting | None = None
    notices: tuple[str, ...] = ()
    threats: tuple[str, ...] = ()
