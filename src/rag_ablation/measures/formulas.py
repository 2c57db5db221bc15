"""The formula of every ranking measure, vectorised over questions.

R are the units whose grade is `relevant_from` or more, T_K the first K distinct units. The gains
of nDCG come from all grades, whatever `relevant_from`: that setting says what counts as relevant,
nDCG keeps what the labels say beyond yes and no.

A new measure is one decorated function here and one row in `tests/golden`.

Legend: Q questions, K columns, M judgements, E members of evidence groups.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.evalset import EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.measures.catalogue import NOT_FOUND, Found, Ratio, per_question, pooled


def find(
    units_QK: NDArray[np.int32],
    qrels: Qrels,
    *,
    relevant_from: int = 1,
    evidence: EvidenceGroups | None = None,
    weights: NDArray[np.float64] | None = None,
) -> Found:
    """Look up every judged unit once; all measures are computed from what this returns.

    Args:
        units_QK: (Q, K) distinct unit rows in ranking order, −1 at the right.
        qrels: judgements at that unit.
        relevant_from: least grade that counts as relevant.
        evidence: evidence groups at that unit.
        weights: (Q,) declared weights.

    Raises:
        ValueError: `relevant_from` is no whole number of at least 1.
    """
    check_whole_numbers("relevant_from", [relevant_from])
    grades_QK = qrels.grades_of(units_QK)
    rows, columns = np.nonzero(grades_QK >= 0)
    ideal = np.lexsort((-qrels.grades.astype(np.int64), qrels.query_rows))
    ideal_rows = qrels.query_rows[ideal]
    evidence_rows, evidence_ranks = _evidence(units_QK, qrels.n_units, evidence or EvidenceGroups.none())
    return Found(
        returned=np.asarray((units_QK >= 0).sum(axis=1), dtype=np.int64),
        relevant=qrels.relevant(relevant_from),
        rows=rows,
        ranks=columns + 1,
        grades=grades_QK[rows, columns].astype(np.int64),
        relevant_from=relevant_from,
        ideal_rows=ideal_rows,
        ideal_ranks=np.arange(ideal.size) - np.searchsorted(ideal_rows, ideal_rows) + 1,
        ideal_grades=qrels.grades[ideal].astype(np.int64),
        evidence_rows=evidence_rows,
        evidence_ranks=evidence_ranks,
        weights=weights,
    )


LARGEST = int(np.iinfo(np.int32).max)


def check_whole_numbers(field: str, values: Sequence[int]) -> tuple[int, ...]:
    """The values themselves, each a whole number of at least 1 that an int32 can hold.

    Raises:
        ValueError: otherwise; the text is `field: found …, expected …`.
    """
    for value in values:
        kind: object = value  # settings come from files, their types are not known
        if isinstance(kind, bool) or not isinstance(kind, int | np.integer) or not 1 <= kind <= LARGEST:
            message = f"{field}: found {value!r}, expected a whole number from 1 to {LARGEST}"
            raise ValueError(message)
    return tuple(int(value) for value in values)


@per_question(
    "recall",
    "Share of the labelled relevant evidence that stands within the first K.",
    formula="|R ∩ T_K| / |R|, mean over questions",
)
def recall(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) |R ∩ T_K| / |R|."""
    return _over(found.hits(cutoff), found.relevant)


@pooled(
    "recall_micro",
    "The same with all questions pooled: a question counts as often as it has relevant units.",
    formula="Σ |R ∩ T_K| / Σ |R|",
    absent="no_relevant",
)
def recall_micro(found: Found, cutoff: int) -> Ratio:
    """Hits over |R|."""
    return Ratio(found.hits(cutoff).astype(np.float64), found.relevant.astype(np.float64))


@pooled(
    "recall_weighted",
    "Mean of recall with declared weights for the questions.",
    formula="Σ w · recall / Σ w",
    absent="no_weights",
)
def recall_weighted(found: Found, cutoff: int) -> Ratio:
    """Weighted recall over weights; undefined where no weights are declared or all are 0."""
    weights = np.zeros(found.returned.size) if found.weights is None else found.weights
    return Ratio(weights * recall(found, cutoff), weights)


@per_question(
    "hit",
    "Share of the questions with at least one relevant unit within the first K.",
    formula="1 if R ∩ T_K is not empty, else 0",
    share=True,
)
def hit(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) 1 or 0."""
    return (found.hits(cutoff) > 0).astype(np.float64)


@per_question(
    "all_hit",
    "Share of the questions with every relevant unit within the first K.",
    formula="1 if R ⊆ T_K, else 0",
    share=True,
)
def all_hit(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) 1 or 0."""
    return np.equal(found.hits(cutoff), found.relevant).astype(np.float64)


@per_question(
    "evidence_hit",
    "Share of the questions with every needed piece of evidence within the first K, any of its places.",
    formula="1 if every evidence group has a member in T_K, else 0",
    absent="no_evidence_groups",
    share=True,
)
def evidence_hit(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) 1 or 0, NaN where the question has no evidence groups."""
    n_queries = found.returned.size
    needed = np.bincount(found.evidence_rows, minlength=n_queries)
    met = np.bincount(found.evidence_rows[found.evidence_ranks <= cutoff], minlength=n_queries)
    return np.where(needed > 0, (met == needed).astype(np.float64), np.nan)


@per_question(
    "mrr",
    "How early the first relevant unit stands: 1 for the first place, 1/2 for the second …, 0 beyond K.",
    formula="1 / rank of the first relevant unit within K, else 0",
)
def mrr(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) reciprocal rank cut at K."""
    counted = (found.grades >= found.relevant_from) & (found.ranks <= cutoff)
    first = np.full(found.returned.size, np.inf)
    np.minimum.at(first, found.rows[counted], found.ranks[counted])
    return np.asarray(1.0 / first)


@per_question(
    "ndcg",
    "Gain of the first K places, earlier places counting more, as a share of the best possible.",
    formula="Σ (2^grade − 1) / log2(rank + 1) over T_K, divided by the same sum of the ideal order cut at K",
)
def ndcg(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) normalised discounted cumulative gain; the ideal is over all labels of the question.

    References:
        Burges et al. (2005), Learning to rank using gradient descent, for the exponential gain;
        Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques.
    """
    n_queries = found.returned.size
    gained = _discounted(found.rows, found.ranks, found.grades, cutoff, n_queries)
    ideal = _discounted(found.ideal_rows, found.ideal_ranks, found.ideal_grades, cutoff, n_queries)
    return np.minimum(_over(gained, ideal), 1.0)  # rounding may not lift a ranking above the ideal


@per_question(
    "precision",
    "Share of the first K places that hold a relevant unit; empty places count as misses.",
    formula="|R ∩ T_K| / K",
)
def precision(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) |R ∩ T_K| / K."""
    return found.hits(cutoff) / float(cutoff)


@per_question(
    "recall_ceiling",
    "The recall that a perfect ranking would reach with K places.",
    formula="min(K, |R|) / |R|",
)
def recall_ceiling(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) min(K, |R|) / |R|."""
    return _over(np.minimum(found.relevant, cutoff), found.relevant)


@per_question(
    "judged",
    "Share of the results within the first K that somebody has judged; low values make the others doubtful.",
    formula="results in T_K with a label of any grade / results in T_K",
    absent="empty_list",
)
def judged(found: Found, cutoff: int) -> NDArray[np.float64]:
    """(Q,) judged share, NaN for an empty list."""
    labelled = np.bincount(found.rows[found.ranks <= cutoff], minlength=found.returned.size)
    return _over(labelled, np.minimum(found.returned, cutoff))


def _over(above: NDArray[np.integer | np.floating], below: NDArray[np.integer | np.floating]) -> NDArray[np.float64]:
    """Element-wise ratio, NaN where the denominator is 0."""
    ratio = np.full(above.shape, np.nan)
    np.divide(above, below, out=ratio, where=below > 0)
    return ratio


def _discounted(
    rows: NDArray[np.int64],
    ranks: NDArray[np.int64],
    grades: NDArray[np.int64],
    cutoff: int,
    n_queries: int,
) -> NDArray[np.float64]:
    """(Q,) Σ (2^grade − 1) / log2(rank + 1), added in order of rank."""
    within = ranks <= cutoff
    terms = (np.exp2(grades[within].astype(np.float64)) - 1.0) / np.log2(ranks[within] + 1.0)
    return np.asarray(np.bincount(rows[within], weights=terms, minlength=n_queries), dtype=np.float64)


def _evidence(
    units_QK: NDArray[np.int32], n_units: int, evidence: EvidenceGroups
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Question row and best rank of every evidence group."""
    groups, first, inverse = np.unique(evidence.group_rows, return_index=True, return_inverse=True)
    best = np.full(groups.size, NOT_FOUND, dtype=np.int64)
    rows, columns = np.nonzero(units_QK >= 0)
    keys = rows * np.int64(n_units) + units_QK[rows, columns]
    order = np.argsort(keys)
    wanted = evidence.query_rows.astype(np.int64) * n_units + evidence.unit_rows
    place = np.searchsorted(keys, wanted, sorter=order)
    inside = place < keys.size
    spot = order[place[inside]]
    same = keys[spot] == wanted[inside]
    np.minimum.at(best, inverse[inside][same], columns[spot[same]] + 1)
    return evidence.query_rows[first].astype(np.int64), best
