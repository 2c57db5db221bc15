"""Reciprocal rank fusion, ordered by exact sums.

The sum of a passage is Σ weight / (rank_constant + rank) over the lists that hold it, ranks from 1.
It orders passages and is no probability. Equal sums are common (two passages that stand at the same
rank of one list each), so they are decided on exact values: best single rank first, then id.

Legend: Q questions, K columns, F columns of the fused ranking, W columns of a window, N passages.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.errors import InputRefused, StageError
from rag_ablation.core.plain import Collapse, check_list
from rag_ablation.core.rankings import EMPTY, Rankings, project_to_units
from rag_ablation.core.results import StageResult
from rag_ablation.stages._fusion import fuse_units, order_key
from rag_ablation.stages.base import check_whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class ReciprocalRankFusion:
    """Reciprocal rank fusion of any number of lists.

    Args:
        rank_constant: added to every rank, at least 1.
        window: number of units taken from each list, at least 1.
        weights: weight above 0 by slot, one for each list; None weighs all alike.
        unit: `passage`, `clause` or `document`; lists are collapsed to it before ranks are counted.

    References:
        Cormack, Clarke and Büttcher (2009), Reciprocal rank fusion outperforms Condorcet and
        individual rank learning methods.
    """

    rank_constant: int = 60
    window: int = 100
    weights: Mapping[str, float] | None = None
    unit: str = Unit.PASSAGE.value

    def __post_init__(self) -> None:
        """Check values."""
        check_whole_number("rank_constant", self.rank_constant)
        check_whole_number("window", self.window)
        for slot, weight in (self.weights or {}).items():
            if not _is_weight(weight):
                message = f"weights.{slot}: found {weight!r}, expected a finite number above 0"
                raise ValueError(message)
        if self.unit not in set(Unit):
            message = f"unit: found {self.unit!r}, expected one of: {', '.join(Unit)}"
            raise ValueError(message)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Sorting and float sums are numpy's."""
        return ("numpy",)

    def fingerprint(self) -> Mapping[str, object]:
        """No model."""
        return {}

    def fuse(self, lists: Mapping[str, Rankings], passages: Passages) -> StageResult:
        """Fuse rankings, by slot; the order in which they are given does not matter.

        Args:
            lists: at least one (Q, K) ranking, all of the same questions.
            passages: (N,) the corpus, for collapsing.

        Returns:
            Every passage of the windows, best first, scores float64. At a larger unit each unit is
            represented by the passage with the best rank in any list that holds it, ties by id.

        Raises:
            StageError: no list, lists of different questions, or weights that do not fit the lists.
        """
        slots = sorted(lists)
        weights = self._exact_weights(slots)
        ranked = [lists[slot].passages for slot in slots]
        if len({passages_QK.shape[0] for passages_QK in ranked}) != 1:
            shapes = ", ".join(f"{slot} {lists[slot].passages.shape[0]}" for slot in slots)
            raise StageError("fusion", f"found lists of different numbers of questions ({shapes})")
        facts = {"n_lists": len(slots), "window": self.window}
        if self.unit == Unit.PASSAGE:
            fused = fuse_units([rows[:, : self.window] for rows in ranked], weights, self.rank_constant)
            return StageResult(Rankings.from_order(fused.units, fused.scores), facts)
        unit_rows = passages.units(Unit(self.unit)).rows
        cut = [project_to_units(rows, unit_rows)[:, : self.window] for rows in ranked]
        fused = fuse_units(cut, weights, self.rank_constant)
        chosen = _representatives(fused.units, ranked, cut, unit_rows)
        return StageResult(Rankings.from_order(chosen, fused.scores), facts)

    def _exact_weights(self, slots: Sequence[str]) -> list[Fraction]:
        """One weight for each list, as the decimal number that was given."""
        if not slots:
            raise StageError("fusion", "found no list to fuse, expected at least one")
        if self.weights is None:
            return [Fraction(1)] * len(slots)
        if set(self.weights) != set(slots):
            given, wanted = ", ".join(sorted(self.weights)), ", ".join(slots)
            raise StageError("fusion", f"found weights for {given or 'nothing'}, expected one for each of {wanted}")
        return [_exact(self.weights[slot]) for slot in slots]


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedItem:
    """One item of a fused list.

    Args:
        id: the item, or its unit where a collapsing rule was given.
        score: the sum, rounded once.
        exact: the sum as a fraction.
    """

    id: str
    score: float
    exact: Fraction


def fuse(
    lists: Mapping[str, Sequence[str]],
    *,
    rank_constant: int = 60,
    window: int | None = None,
    dedup: Mapping[str, object] | None = None,
    weights: Mapping[str, float] | None = None,
) -> list[FusedItem]:
    """Fuse ranked lists of ids by reciprocal rank.

    Args:
        lists: item ids, best first, by name of the list; their order does not matter.
        rank_constant: added to every rank, at least 1.
        window: number of items taken from each list, after collapsing; None takes all.
        dedup: collapsing rule `{"to": unit, "map": {item id: unit id}}`, applied before ranks are
            counted. Without a rule a repeated id is refused.
        weights: weight above 0 by name of the list, one for each; None weighs all alike.

    Returns:
        Every item of the windows: exact sum down, then best single rank up, then id up.

    Raises:
        InputRefused: `bad_rrf_k`, `bad_window`, `bad_weight`, `bad_dedup`, `bad_unit`, `bad_id`,
            `bad_results`, `unmapped_id` or `duplicate_id`.

    References:
        Cormack, Clarke and Büttcher (2009), Reciprocal rank fusion outperforms Condorcet and
        individual rank learning methods.

    Example:
        >>> [item.id for item in fuse({"bm25": ["a", "b"], "dense": ["b", "c"]})]
        ['b', 'a', 'c']
    """
    _refuse_unless_whole("bad_rrf_k", "rank_constant", rank_constant)
    if window is not None:
        _refuse_unless_whole("bad_window", "window", window)
    exact_weights = _plain_weights(lists, weights)
    collapse = Collapse.parse(dedup)
    sums: dict[str, Fraction] = {}
    best: dict[str, int] = {}
    for name, ids in lists.items():
        for rank, item in enumerate(check_list(ids, f"list {name!r}", collapse)[:window], start=1):
            sums[item] = sums.get(item, Fraction(0)) + exact_weights[name] / (rank_constant + rank)
            best[item] = min(rank, best.get(item, rank))
    ordered = sorted(sums, key=lambda item: order_key(sums[item], best[item], item))
    return [FusedItem(id=item, score=float(sums[item]), exact=sums[item]) for item in ordered]


def _is_weight(value: object) -> bool:
    """A finite number above 0."""
    return not isinstance(value, bool) and isinstance(value, Real) and 0 < float(value) < math.inf


def _exact(weight: float) -> Fraction:
    """The decimal number as written: .1 is a tenth."""
    return Fraction(str(weight))


def _refuse_unless_whole(reason: str, field: str, value: object) -> None:
    """`check_whole_number` in the words of plain lists."""
    try:
        check_whole_number(field, value)
    except ValueError as error:
        raise InputRefused(reason, str(error)) from None


def _plain_weights(lists: Mapping[str, Sequence[str]], weights: Mapping[str, float] | None) -> dict[str, Fraction]:
    """Weight of each list."""
    if weights is None:
        return dict.fromkeys(lists, Fraction(1))
    if set(weights) != set(lists):
        message = f"weights: found {sorted(weights)}, expected one for each of {sorted(lists)}"
        raise InputRefused("bad_weight", message)
    for name, weight in weights.items():
        if not _is_weight(weight):
            message = f"weights, list {name!r}: found {weight!r}, expected a finite number above 0"
            raise InputRefused("bad_weight", message)
    return {name: _exact(weight) for name, weight in weights.items()}


def _representatives(
    units_QF: NDArray[np.int32],
    ranked: Sequence[NDArray[np.int32]],
    cut: Sequence[NDArray[np.int32]],
    unit_rows: NDArray[np.int32],
) -> NDArray[np.int32]:
    """(Q, F) for each fused unit, its passage with the best rank in any list whose window holds the unit."""
    n_units = int(unit_rows.max(initial=0)) + 1
    keys, ranks, members = [], [], []
    for passages_QK, window_QW in zip(ranked, cut, strict=True):
        rows, columns = np.nonzero(passages_QK >= 0)
        passages = passages_QK[rows, columns]
        key = rows * np.int64(n_units) + unit_rows[passages]
        held_rows, held_columns = np.nonzero(window_QW >= 0)
        held = held_rows * np.int64(n_units) + window_QW[held_rows, held_columns]
        inside = np.isin(key, held)
        keys.append(key[inside])
        ranks.append(columns[inside])
        members.append(passages[inside])
    key, member = np.concatenate(keys), np.concatenate(members)
    order = np.lexsort((member, np.concatenate(ranks), key))
    distinct, first = np.unique(key[order], return_index=True)
    chosen = np.full(units_QF.shape, EMPTY, dtype=np.int32)
    rows, columns = np.nonzero(units_QF >= 0)
    wanted = rows * np.int64(n_units) + units_QF[rows, columns]
    chosen[rows, columns] = member[order][first[np.searchsorted(distinct, wanted)]]
    return chosen
