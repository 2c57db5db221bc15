"""The same means over parts of the questions: by type, language, identity and amount of gold."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.language import script_language
from rag_ablation.core.record import RecordedMean
from rag_ablation.core.results import RunResult, measure_name
from rag_ablation.experiment.means import recorded
from rag_ablation.measures.answers import FINAL_AFTER_REVIEW, with_open
from rag_ablation.measures.answers import POINT as ANSWER
from rag_ablation.measures.ranking import slices

SLICED = ("recall", "hit", "mrr", "ndcg")
SLICED_CUTOFFS = (1, 5, 10)
NOBODY = "none named"
MANY_GOLD = 3


def sliced(evalset: EvalSet, result: RunResult, relevant_from: int) -> dict[str, dict[str, dict[str, RecordedMean]]]:
    """Means at `final`, and of answers, with n, exclusions and interval, by dimension, part and measure.

    A measure at `final` is named `measure@cutoff`, one of answers `answer/measure`.

    Every question is in one part of each dimension, so that the counts of a dimension add up to the
    questions of the run. They are exploratory: intervals, and no verdict.

    Args:
        evalset: what was run on.
        result: what was measured.
        relevant_from: least grade that counts as gold.
    """
    chosen = _chosen(result)
    if not chosen:
        return {}
    found: dict[str, dict[str, dict[str, RecordedMean]]] = {}
    for dimension, parts in dimensions(evalset, relevant_from).items():
        names, members = np.unique(parts, return_inverse=True)
        rows_of = {str(name): np.flatnonzero(members == place) for place, name in enumerate(names)}
        found[dimension] = {part: {} for part in rows_of}
        for name, (measure, values, status) in chosen.items():
            for part, mean in slices(values, parts, status).items():
                rows = rows_of[part]
                told = (
                    with_open(mean, [status[row] for row in rows.tolist()]) if measure in FINAL_AFTER_REVIEW else mean
                )
                found[dimension][part][name] = recorded(measure, told, values[rows], evalset.groups[rows])
    return found


def _chosen(result: RunResult) -> dict[str, tuple[str, NDArray[np.float64], Sequence[str]]]:
    """By name: the measure, its values and the status of each question in it."""
    found: dict[str, tuple[str, NDArray[np.float64], Sequence[str]]] = {}
    if result.final is not None:
        for (measure, cutoff), values in result.points["final"].per_query.items():
            if measure in SLICED and cutoff in SLICED_CUTOFFS:
                found[measure_name(measure, cutoff)] = (measure, values, result.status)
    if result.answered is not None and result.answered.absent is None:
        for (measure, _), values in result.answered.values.per_query.items():
            found[f"{ANSWER}/{measure}"] = (measure, values, result.answered.status[measure])
    return found


def dimensions(evalset: EvalSet, relevant_from: int) -> Mapping[str, list[str]]:
    """(Q,) the part of each question, by dimension: `type`, `language`, `identity`, `gold`.

    The language is that of the question's script, or its own `language` where the file says one; `gold` is
    the number of its relevant label units.
    """
    queries = evalset.queries.rows
    gold = evalset.qrels.relevant(relevant_from)
    return {
        "type": [query.type for query in queries],
        "language": [_language(query.metadata.get("language"), query.text) for query in queries],
        "identity": [query.identity or NOBODY for query in queries],
        "gold": [_amount(int(n)) for n in np.asarray(gold)],
    }


def _language(stated: object, text: str) -> str:
    return stated if isinstance(stated, str) and stated else script_language(text)


def _amount(n: int) -> str:
    return str(n) if n < MANY_GOLD else f"{MANY_GOLD} or more"
