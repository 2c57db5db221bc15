"""Measures of a ranking against graded labels.

A question that cannot be scored has no value (NaN) and is counted by reason; an empty ranking of a
question that can be scored is a measured 0.

Legend: Q questions, K columns, C cutoffs, N passages, U units.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import ConfigError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Status
from rag_ablation.core.rankings import Rankings, project_to_units
from rag_ablation.core.results import SCORED, Mean, PointValues
from rag_ablation.measures.catalogue import Found, Measure, Ratio, chosen
from rag_ablation.measures.formulas import check_whole_numbers, find
from rag_ablation.measures.labels import labels_at

NO_RELEVANT = "no_relevant"
NOT_VISIBLE = "not_visible"
NOT_COVERED = "not_covered"
UNSCORED = "unscored"
UNDEFINED = "undefined"


def score_point(
    evalset: EvalSet,
    rankings: Rankings,
    *,
    unit: Unit,
    cutoffs: Sequence[int],
    measures: Iterable[str] | None = None,
    relevant_from: int = 1,
    type_weights: Mapping[str, float] | None = None,
) -> PointValues:
    """Score one measuring point.

    Args:
        evalset: questions and labels.
        rankings: (Q, K) ranked passages; their order is what is scored.
        unit: the evaluation unit; passages are projected to it before any cut, labels by maximum grade.
        cutoffs: how many units a measure looks at, each at least 1, in any order.
        measures: names from the catalogue, all where None.
        relevant_from: least grade that counts as relevant.
        type_weights: weight of a question by its type, for `recall_weighted`.

    Returns:
        Values per question (NaN where unscored; pooled measures have none) and means, by (measure, cutoff).

    Raises:
        ConfigError: the unit is finer than that of the labels, or a weight is missing.
        LookupError: no such measure.
        ValueError: a cutoff or grade that is no whole number of at least 1, or not one ranking per question.
    """
    if rankings.passages.shape[0] != len(evalset.queries):
        message = f"found {rankings.passages.shape[0]} rankings for {len(evalset.queries)} questions"
        raise ValueError(message)
    labels = labels_at(evalset, unit)
    status = _status(evalset, labels.qrels, relevant_from)
    found = find(
        project_to_units(rankings.passages, labels.unit_rows),
        labels.qrels,
        relevant_from=relevant_from,
        evidence=labels.evidence,
        weights=None if type_weights is None else _weights(evalset.queries.types, status, type_weights),
    )
    return score(found, status, cutoffs=cutoffs, measures=measures)


def question_status(evalset: EvalSet, *, unit: Unit, relevant_from: int = 1) -> tuple[str, ...]:
    """(Q,) `scored`, or why a question is in no mean.

    The reasons are `no_answer` and `unreviewed` (draft labels are never used), `not_visible`
    (gold was removed under the run's view and none of it is left), `not_covered` (passages were cut,
    and no chunk covers the evidence) and `no_relevant`.

    Raises:
        ConfigError: the unit is finer than that of the labels.
    """
    return _status(evalset, labels_at(evalset, unit).qrels, relevant_from)


def recall_parts(
    evalset: EvalSet, rankings: Rankings, *, unit: Unit, cutoffs: Sequence[int], relevant_from: int = 1
) -> dict[int, Ratio]:
    """Hits and |R| of each question by cutoff, so that `recall_micro` can be recomputed in a resample.

    Returns:
        By cutoff, (Q,) hits over (Q,) |R|; both 0 for a question that is not scored.

    Raises:
        ConfigError: the unit is finer than that of the labels.
    """
    labels = labels_at(evalset, unit)
    status = _status(evalset, labels.qrels, relevant_from)
    scored = np.array([word == SCORED for word in status], dtype=bool)
    units = project_to_units(rankings.passages, labels.unit_rows)
    hits, relevant = hits_and_relevant(units, labels.qrels, cutoffs=cutoffs, relevant_from=relevant_from)
    return {
        cutoff: Ratio(np.where(scored, hits[:, place], 0.0), np.where(scored, relevant, 0.0))
        for place, cutoff in enumerate(cutoffs)
    }


def hits_and_relevant(
    units_QK: NDArray[np.int32], qrels: Qrels, *, cutoffs: Sequence[int], relevant_from: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numerators and denominators of recall.

    Args:
        units_QK: (Q, K) distinct unit rows, −1 at the right.
        qrels: judgements at that unit.
        cutoffs: C cutoffs.
        relevant_from: least grade that counts as relevant.

    Returns:
        (Q, C) |R ∩ T_K| and (Q,) |R|.
    """
    found = find(units_QK, qrels, relevant_from=relevant_from)
    columns = [found.hits(cutoff) for cutoff in check_whole_numbers("cutoffs", cutoffs)]
    empty = np.empty((found.returned.size, 0), dtype=np.int64)
    return np.column_stack(columns) if columns else empty, found.relevant


def score(
    found: Found, status: Sequence[str], *, cutoffs: Sequence[int], measures: Iterable[str] | None = None
) -> PointValues:
    """Compute measures from what was found: the one place where values become means.

    Args:
        found: judged units and their ranks, see `find`.
        status: (Q,) `scored`, or why a question is in no mean.
        cutoffs: each at least 1, in any order.
        measures: names from the catalogue, all where None.

    Raises:
        LookupError: no such measure.
        ValueError: a cutoff is no whole number of at least 1.
    """
    scored = np.array([word == SCORED for word in status], dtype=bool)
    per_query: dict[tuple[str, int], NDArray[np.float64]] = {}
    means: dict[tuple[str, int], Mean] = {}
    parts: dict[tuple[str, int], NDArray[np.float64]] = {}
    for entry in chosen(measures):
        for cutoff in check_whole_numbers("cutoffs", cutoffs):
            if entry.values is not None:
                values = np.where(scored, entry.values(found, cutoff), np.nan)
                values.setflags(write=False)
                per_query[entry.name, cutoff] = values
                means[entry.name, cutoff] = mean(values, status, absent=entry.absent)
            elif entry.parts is not None:
                pooled = entry.parts(found, cutoff)
                parts[entry.name, cutoff] = np.where(scored, np.stack([*pooled]), 0.0)
                means[entry.name, cutoff] = _pool(entry, pooled, status)
    return PointValues(per_query=per_query, means=means, parts=parts)


def mean(values: NDArray[np.float64], status: Sequence[str], *, absent: str = UNDEFINED) -> Mean:
    """Mean of the values that are there, with every question that is not accounted for.

    The sum is correctly rounded (`math.fsum`), so that it does not depend on the order of questions.

    Args:
        values: (Q,) NaN where there is none.
        status: (Q,) `scored`, or why a question has no value.
        absent: why a scored question may have none.
    """
    there = ~np.isnan(values)
    excluded = Counter(
        absent if word == SCORED else word for word, present in zip(status, there.tolist(), strict=True) if not present
    )
    n = int(there.sum())
    if not n:
        return Mean(value=None, n=0, excluded=dict(excluded), reason=_why(excluded))
    return Mean(value=math.fsum(values[there].tolist()) / n, n=n, excluded=dict(excluded))


def slices(
    values: NDArray[np.float64],
    keys: Sequence[str],
    status: Sequence[str] | None = None,
    *,
    absent: str = UNDEFINED,
) -> dict[str, Mean]:
    """Means by a key of the question (its type, its language …), in order of the key.

    Args:
        values: (Q,) NaN where there is none.
        keys: (Q,) the slice of each question.
        status: (Q,) `scored`, or why a question has no value; `unscored` where None.
        absent: why a scored question may have none.
    """
    if status is None:
        status = [UNSCORED] * len(keys)
    rows_of: dict[str, list[int]] = {}
    for row, key in enumerate(keys):
        rows_of.setdefault(key, []).append(row)
    return {
        key: mean(values[rows], [status[row] for row in rows], absent=absent) for key, rows in sorted(rows_of.items())
    }


def _status(evalset: EvalSet, qrels: Qrels, relevant_from: int) -> tuple[str, ...]:
    """The status of each question, given labels at the evaluation unit."""
    cut = evalset.relabelling
    lost_grades = np.zeros(len(evalset.queries), dtype=np.int8) if cut is None else cut.lost_grades
    return tuple(
        str(query.status)
        if query.status is not Status.REVIEWED
        else SCORED
        if relevant
        else NOT_VISIBLE
        if removed_grade >= relevant_from
        else NOT_COVERED
        if lost_grade >= relevant_from
        else NO_RELEVANT
        for query, relevant, removed_grade, lost_grade in zip(
            evalset.queries.rows,
            qrels.relevant(relevant_from).tolist(),
            evalset.removed_grades.tolist(),
            lost_grades.tolist(),
            strict=True,
        )
    )


def _weights(types: Sequence[str], status: Sequence[str], type_weights: Mapping[str, float]) -> NDArray[np.float64]:
    """(Q,) declared weight of each question; one that is not scored needs none."""
    for name, weight in type_weights.items():
        if isinstance(weight, bool) or not math.isfinite(weight) or weight < 0:
            raise ConfigError.of(f"type_weights.{name}", weight, "a finite number of at least 0")
    missing = sorted({kind for kind, word in zip(types, status, strict=True) if word == SCORED} - {*type_weights})
    if missing:
        expected = f"a weight for every question type, also for: {', '.join(missing)}"
        raise ConfigError.of("type_weights", dict(type_weights), expected)
    return np.array([type_weights.get(kind, 0.0) for kind in types], dtype=np.float64)


def _pool(entry: Measure, parts: Ratio, status: Sequence[str]) -> Mean:
    """Sum of the numerators over sum of the denominators, scored questions only."""
    excluded = Counter(word for word in status if word != SCORED)
    scored = np.array([word == SCORED for word in status], dtype=bool)
    n = int(scored.sum())
    if not n:
        return Mean(value=None, n=0, excluded=dict(excluded), reason=_why(excluded))
    below = math.fsum(parts.denominators[scored].tolist())
    if below == 0:
        return Mean(value=None, n=n, excluded=dict(excluded), reason=entry.absent)
    value = math.fsum(parts.numerators[scored].tolist()) / below
    return Mean(value=value, n=n, excluded=dict(excluded))


def _why(excluded: Mapping[str, int]) -> str:
    """The reasons in one text, for a mean of nothing."""
    return ", ".join(sorted(excluded)) or "no_questions"
