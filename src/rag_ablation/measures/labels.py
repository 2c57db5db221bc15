"""Labels at the unit at which an arm is scored.

Legend: N passages, U units, G relevant units, E members of evidence groups.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import ConfigError
from rag_ablation.core.evalset import EvalSet, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.measures.fates import Members, Units


@dataclass(frozen=True, slots=True)
class UnitLabels:
    """Labels at the evaluation unit.

    Args:
        unit_rows: (N,) unit row of each passage.
        unit_ids: (U,) ids of the units.
        qrels: visible judgements.
        removed: judgements that the run's access made invisible.
        evidence: members of evidence groups with a visible grade of 1 or more.
        hidden_evidence: members whose judgement is invisible.
    """

    unit_rows: NDArray[np.int32]
    unit_ids: tuple[str, ...]
    qrels: Qrels
    removed: Qrels
    evidence: EvidenceGroups
    hidden_evidence: EvidenceGroups

    def relevant_units(self, scored: Sequence[bool], relevant_from: int) -> Units:
        """The relevant units of the scored questions, by question then unit, the invisible ones included.

        A unit that is both, since part of it can be seen, is visible.

        Args:
            scored: (Q,) whether a question is in the means.
            relevant_from: least grade that counts.
        """
        there, gone = (
            _keys(qrels, np.asarray(scored, dtype=bool), relevant_from) for qrels in (self.qrels, self.removed)
        )
        keys = np.union1d(there, gone)
        return Units(keys // self.qrels.n_units, keys % self.qrels.n_units, np.isin(keys, there))

    def evidence_members(self, scored: Sequence[bool]) -> Members | None:
        """Members of the scored questions' evidence groups; None where the set has none."""
        kept = np.asarray(scored, dtype=bool)
        parts = [
            (part, kept[part.query_rows], seen) for part, seen in ((self.evidence, True), (self.hidden_evidence, False))
        ]
        queries, units, groups = (
            np.concatenate([np.asarray(getattr(part, name), dtype=np.int64)[keep] for part, keep, _ in parts])
            for name in ("query_rows", "unit_rows", "group_rows")
        )
        if not queries.size:
            return None
        visible = np.concatenate([np.full(int(keep.sum()), seen) for _, keep, seen in parts])
        return Members(Units(queries, units, visible), groups)


def labels_at(evalset: EvalSet, unit: Unit) -> UnitLabels:
    """Project labels upward, by maximum grade; evidence that the run's view hides goes with its judgement.

    Raises:
        ConfigError: the unit is finer than that of the labels.
    """
    if unit.coarseness < evalset.label_unit.coarseness:
        expected = f"{evalset.label_unit} or coarser: the labels do not say which {unit} holds the evidence"
        raise ConfigError.of("unit", str(unit), expected)
    target = evalset.passages.units(unit)
    coarser = np.arange(len(target.ids), dtype=np.int32)
    if unit is not evalset.label_unit:
        labels = evalset.label_units()
        coarser = np.zeros(len(labels.ids), dtype=np.int32)
        coarser[labels.rows] = target.rows
    n_units = len(target.ids)
    evidence, hidden = (_judged(evalset.evidence_groups, qrels, coarser) for qrels in (evalset.qrels, evalset.removed))
    same = unit is evalset.label_unit
    return UnitLabels(
        unit_rows=target.rows,
        unit_ids=target.ids,
        qrels=evalset.qrels if same else evalset.qrels.project(coarser, n_units),
        removed=evalset.removed if same else evalset.removed.project(coarser, n_units),
        evidence=evidence,
        hidden_evidence=hidden,
    )


def _judged(groups: EvidenceGroups, qrels: Qrels, coarser: NDArray[np.int32]) -> EvidenceGroups:
    """Members of evidence groups that have a grade of 1 or more in these judgements."""
    positive = qrels.keys[qrels.grades > 0]
    keep = np.isin(groups.query_rows.astype(np.int64) * qrels.n_units + groups.unit_rows, positive)
    return EvidenceGroups(groups.query_rows[keep], groups.group_rows[keep], coarser[groups.unit_rows[keep]])


def _keys(qrels: Qrels, scored: NDArray[np.bool_], relevant_from: int) -> NDArray[np.int64]:
    keep = (qrels.grades >= relevant_from) & scored[qrels.query_rows]
    return np.asarray(qrels.keys[keep])
