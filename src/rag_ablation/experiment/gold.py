"""The evidence of each question as passages that it may see."""

import numpy as np

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.qrels import Qrels


def passage_gold(evalset: EvalSet) -> Qrels:
    """Visible judgements at the passage unit: all passages of a judged unit carry its grade.

    Where passages were cut, the chunks that hold the evidence carry it.
    """
    if evalset.relabelling is not None:
        return _visible(evalset, evalset.relabelling.evidence)
    qrels, units = evalset.qrels, evalset.label_units()
    by_unit = np.argsort(units.rows, kind="stable")
    counts = np.bincount(units.rows, minlength=len(units.ids))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    held = counts[qrels.unit_rows]
    offsets = np.arange(held.sum()) - np.repeat(np.cumsum(held) - held, held)
    passages = by_unit[np.repeat(starts[qrels.unit_rows], held) + offsets]
    query_rows = np.repeat(qrels.query_rows, held)
    shape = (len(evalset.queries), len(evalset.passages))
    grades = np.repeat(qrels.grades, held)
    return _visible(evalset, Qrels.from_rows(query_rows, passages.astype(np.int64), grades, shape))


def _visible(evalset: EvalSet, gold: Qrels) -> Qrels:
    seen = evalset.visibility.masks[evalset.visibility.view_rows[gold.query_rows], gold.unit_rows]
    return gold.without(~seen)
