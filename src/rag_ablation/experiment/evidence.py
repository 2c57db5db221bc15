"""Where each piece of evidence went in one arm, as counts for the record and as long tables for its files.

Legend: Q questions, G relevant units.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.results import SCORED, Evidence, StageOutput
from rag_ablation.experiment.pipeline import POINT_OF_SLOT, RANKING_POINTS, Pipeline
from rag_ablation.measures.fates import FATES, Fate, Fates, Way, fates
from rag_ablation.measures.labels import UnitLabels, labels_at
from rag_ablation.stages.base import REASONS

Columns = dict[str, Sequence[object]]


def evidence_of(
    pipeline: Pipeline,
    evalset: EvalSet,
    outputs: Sequence[StageOutput],
    status: Sequence[str],
    scoring: tuple[Unit, int],
) -> Evidence | None:
    """Decide the fate of every relevant unit; None for an arm without a context.

    Args:
        pipeline: the arm.
        evalset: what it ran on.
        outputs: its stages.
        status: (Q,) `scored`, or why not.
        scoring: evaluation unit, and the least grade that counts as relevant.
    """
    by_point = {output.point: output for output in outputs}
    if "context" not in by_point:
        return None
    unit, relevant_from = scoring
    labels = labels_at(evalset, unit)
    scored = [reason == SCORED for reason in status]
    found = fates(
        _way(pipeline, by_point),
        labels.unit_rows,
        labels.relevant_units(scored, relevant_from),
        labels.evidence_members(scored),
    )
    types = np.array(evalset.queries.types)
    rows_of = {kind: np.flatnonzero(types == kind) for kind in sorted(set(evalset.queries.types))}
    by_type = {kind: _named(found.counts(rows)) for kind, rows in rows_of.items()}
    return Evidence(
        unit=str(unit),
        counts=_named(found.counts()),
        by_type={kind: counts for kind, counts in by_type.items() if any(counts.values())},
        group_counts=_named(found.group_counts()) if found.group_codes.size else {},
        gap={name: float(part) for name, part in found.gap().items()},
        gap_by_type={
            kind: {name: float(part) for name, part in gap.items()}
            for kind, rows in rows_of.items()
            if (gap := found.gap(rows))
        },
        tables={
            "fates": _fate_table(evalset, labels, found),
            "context": _context_table(evalset, by_point["context"]),
        },
    )


def _way(pipeline: Pipeline, by_point: Mapping[str, StageOutput]) -> Way:
    context = by_point["context"]
    builder, reranker, fuser = pipeline.context, pipeline.rerank, pipeline.fusion
    retrievers = pipeline.retrievers()
    passages = {point: output.result.rankings.passages for point, output in by_point.items()}
    ranked = [point for point in RANKING_POINTS if point in passages]
    handed = builder is None or builder.needs_gold or not builder.needs_ranking
    offered = context.result.arrays.get("offered") if handed else None
    return Way(
        lists={} if handed else {POINT_OF_SLOT[slot]: passages[POINT_OF_SLOT[slot]] for slot in retrievers},
        window=fuser.window if fuser is not None else max((stage.depth for stage in retrievers.values()), default=0),
        fused=None if handed else passages.get("fused"),
        last=None if handed else passages[ranked[-1]],
        context=passages["context"],
        context_depth=1 if builder is None else builder.depth,
        rerank_depth=None if reranker is None else reranker.depth,
        drops_tail=reranker is not None and not getattr(reranker, "keep_tail", True),
        offered=None if offered is None else offered.astype(np.int32),
    )


def _fate_table(evalset: EvalSet, labels: UnitLabels, found: Fates) -> Columns:
    """One row for each relevant unit of each scored question."""
    queries, units = found.units.query_rows.tolist(), found.units.unit_rows.tolist()
    grades = _grades(labels, found)
    rows = evalset.queries.rows
    columns: Columns = {
        "query_id": [rows[query].id for query in queries],
        "type": [rows[query].type for query in queries],
        "group": evalset.groups[found.units.query_rows].tolist(),
        "unit": [labels.unit_ids[unit] for unit in units],
        "grade": grades.tolist(),
        "fate": [str(FATES[code]) for code in found.codes.tolist()],
    }
    for point, ranks in found.ranks.items():
        columns[f"rank_{point}"] = [rank or None for rank in ranks.tolist()]
    return columns


def _grades(labels: UnitLabels, found: Fates) -> NDArray[np.int8]:
    """(G,) grade of each unit, visible or not."""
    pairs = (found.units.query_rows, found.units.unit_rows)
    return np.maximum(labels.qrels.grades_of_pairs(*pairs), labels.removed.grades_of_pairs(*pairs))


def _context_table(evalset: EvalSet, output: StageOutput) -> Columns:
    """One row for each passage that was offered to a context: its place in it, or why it was left out."""
    queries: list[str] = []
    passages: list[str] = []
    places: list[int | None] = []
    reasons: list[str | None] = []
    shown, arrays = output.result.rankings.passages, output.result.arrays
    left_out, why = (
        arrays.get(name, np.empty((len(evalset.queries), 0), dtype=np.int32)) for name in ("left_out", "left_out_why")
    )
    for row, query in enumerate(evalset.queries.ids):
        entries: list[tuple[int, int | None, str | None]] = [
            (passage, place, None) for place, passage in enumerate(shown[row].tolist(), start=1) if passage >= 0
        ]
        entries += [
            (passage, None, str(REASONS[code]))
            for passage, code in zip(left_out[row].tolist(), why[row].tolist(), strict=True)
            if passage >= 0
        ]
        for passage, place, reason in entries:
            queries.append(query)
            passages.append(evalset.passages.ids[passage])
            places.append(place)
            reasons.append(reason)
    return {"query_id": queries, "passage_id": passages, "place": places, "left_out": reasons}


def _named(counts: Mapping[Fate, int]) -> dict[str, int]:
    return {str(fate): n for fate, n in counts.items()}
