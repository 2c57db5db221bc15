"""The same means over parts of the questions: by type, language, identity and amount of gold."""

from collections.abc import Mapping

import numpy as np

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.language import script_language
from rag_ablation.core.record import RecordedMean
from rag_ablation.core.results import RunResult
from rag_ablation.experiment.means import recorded
from rag_ablation.measures.ranking import slices

SLICED = ("recall", "hit", "mrr", "ndcg")
SLICED_CUTOFFS = (1, 5, 10)
NOBODY = "none named"
MANY_GOLD = 3


def sliced(evalset: EvalSet, result: RunResult, relevant_from: int) -> dict[str, dict[str, dict[str, RecordedMean]]]:
    """Means at `final` with n, exclusions and interval, by dimension, part and `measure@cutoff`.

    Every question is in one part of each dimension, so that the counts of a dimension add up to the
    questions of the run. They are exploratory: intervals, and no verdict.

    Args:
        evalset: what was run on.
        result: what was measured.
        relevant_from: least grade that counts as gold.
    """
    if result.final is None:
        return {}
    chosen = {
        f"{measure}@{cutoff}": values
        for (measure, cutoff), values in result.points["final"].per_query.items()
        if measure in SLICED and cutoff in SLICED_CUTOFFS
    }
    found: dict[str, dict[str, dict[str, RecordedMean]]] = {}
    for dimension, parts in dimensions(evalset, relevant_from).items():
        names, members = np.unique(parts, return_inverse=True)
        rows_of = {str(name): np.flatnonzero(members == place) for place, name in enumerate(names)}
        found[dimension] = {part: {} for part in rows_of}
        for name, values in chosen.items():
            for part, mean in slices(values, parts, result.status).items():
                rows = rows_of[part]
                found[dimension][part][name] = recorded(
                    name.partition("@")[0], mean, values[rows], evalset.groups[rows]
                )
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
