"""Where each piece of evidence went, from recorded ranks alone.

Every relevant unit of every scored question gets one fate: the first line of the table below that holds.
Cuts are counted in passages, as the stages made them; a unit is in a cut if one of its passages is.

    L  each retriever's list, cut at the fusion's window (with one retriever, at its depth)
    F  the fused list, or the one L
    M  how far into the last ranking the context may draw
    P  the rerank depth
    B  M without a reranker; P where the reranker drops its tail; else the larger of P and M
    O  the first M of the last ranking

    not_visible      outside the identity or version
    kept             in the context, however it came there
    redundant        only with evidence groups: each of its groups has another member in the context
    not_retrieved    in no L
    ranked_low       neither in the first B of F nor in the first B of any L
    lost_in_fusion   in the first B of an L, not in the first B of F
    lost_in_context  in O, left out
    lost_in_rerank   in the first M of F, not in O
    not_promoted     what remains: in the pool, in neither M

An arm that is handed its context has only not_visible, kept, redundant, lost_in_context (was offered) and
not_retrieved (never offered).

Legend: Q questions, K columns, N passages, G relevant units, E members of evidence groups.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BLOCK = 4096
ABSENT = 0
FAR = np.iinfo(np.int64).max


class Fate(StrEnum):
    """What became of a relevant unit, in the order in which a group takes the best of its members'."""

    KEPT = "kept"
    REDUNDANT = "redundant"
    LOST_IN_CONTEXT = "lost_in_context"
    LOST_IN_RERANK = "lost_in_rerank"
    NOT_PROMOTED = "not_promoted"
    LOST_IN_FUSION = "lost_in_fusion"
    RANKED_LOW = "ranked_low"
    NOT_RETRIEVED = "not_retrieved"
    NOT_VISIBLE = "not_visible"


FATES = tuple(Fate)
CODE = {fate: code for code, fate in enumerate(FATES)}
GAP_OF_FATE: Mapping[Fate, str] = {
    Fate.NOT_RETRIEVED: "retrieval",
    Fate.RANKED_LOW: "retrieval",
    Fate.LOST_IN_FUSION: "fusion",
    Fate.LOST_IN_RERANK: "reranking",
    Fate.NOT_PROMOTED: "promotion",
    Fate.LOST_IN_CONTEXT: "context",
    Fate.REDUNDANT: "redundant",
}
GAPS = tuple(dict.fromkeys(GAP_OF_FATE.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What one arm recorded on its way, as passage rows, −1 where empty.

    Args:
        lists: (Q, K) of each retriever, by measuring point, as deep as it went; empty for a handed context.
        window: the cut W of each list, in passages.
        fused: (Q, K), None with one retriever.
        last: (Q, K) the last ranking; None for a handed context.
        context: (Q, C) what the generator is shown, in any order.
        context_depth: M.
        rerank_depth: P, None without a reranker.
        drops_tail: whether the reranker drops what lies below P.
        offered: (Q, K) what a handed context was chosen from; None where a ranking was.
    """

    lists: Mapping[str, NDArray[np.int32]]
    window: int
    fused: NDArray[np.int32] | None
    last: NDArray[np.int32] | None
    context: NDArray[np.int32]
    context_depth: int
    rerank_depth: int | None = None
    drops_tail: bool = False
    offered: NDArray[np.int32] | None = None

    @property
    def considered(self) -> int:
        """B."""
        if self.rerank_depth is None:
            return self.context_depth
        return self.rerank_depth if self.drops_tail else max(self.rerank_depth, self.context_depth)


class Units(NamedTuple):
    """(question, unit) pairs.

    Args:
        query_rows: (G,) question of each.
        unit_rows: (G,) row at the evaluation unit.
        visible: (G,) bool, False where identity or version hide all of it.
    """

    query_rows: NDArray[np.int64]
    unit_rows: NDArray[np.int64]
    visible: NDArray[np.bool_]


class Members(NamedTuple):
    """Evidence groups, one entry for each member.

    Args:
        units: (E,) question, unit and visibility of each member.
        groups: (E,) number of the group, unique through all questions.
    """

    units: Units
    groups: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fates:
    """What became of the relevant units, and of the evidence groups where the set has them.

    Args:
        units: (G,) the relevant units.
        codes: (G,) int8, `FATES[code]`.
        ranks: by measuring point, (G,) 1-based rank in passages of the unit's first passage, 0 where absent.
        group_queries: (X,) question of each evidence group.
        group_codes: (X,) int8, the best fate among its members.
    """

    units: Units
    codes: NDArray[np.int8]
    ranks: Mapping[str, NDArray[np.int64]]
    group_queries: NDArray[np.int64]
    group_codes: NDArray[np.int8]

    def counts(self, query_rows: NDArray[np.integer] | None = None) -> dict[Fate, int]:
        """Relevant units by fate, of these questions or of all; they sum to the number of units."""
        chosen = self.codes if query_rows is None else self.codes[np.isin(self.units.query_rows, query_rows)]
        return dict(zip(FATES, np.bincount(chosen, minlength=len(FATES)).tolist(), strict=True))

    def group_counts(self) -> dict[Fate, int]:
        """Evidence groups by fate."""
        return dict(zip(FATES, np.bincount(self.group_codes, minlength=len(FATES)).tolist(), strict=True))

    def gap(self, query_rows: NDArray[np.integer] | None = None) -> dict[str, Fraction]:
        """What separates the mean recall of the context from 1, in parts that add up exactly.

        A lost unit weighs 1/|R| of its question, R being its visible relevant units; the mean is over the
        questions that have any.

        Args:
            query_rows: questions to take; None for all.

        Returns:
            `retrieval`, `fusion`, `reranking`, `promotion`, `context`, `redundant`; empty where no question
            has a visible unit.
        """
        keep = self.units.visible.copy()
        if query_rows is not None:
            keep &= np.isin(self.units.query_rows, query_rows)
        rows = self.units.query_rows[keep]
        if not rows.size:
            return {}
        questions, place, sizes = np.unique(rows, return_inverse=True, return_counts=True)
        table = np.stack([self.codes[keep].astype(np.int64), sizes[place]], axis=1)
        found, many = np.unique(table, axis=0, return_counts=True)
        parts = dict.fromkeys(GAPS, Fraction(0))
        for (code, size), count in zip(found.tolist(), many.tolist(), strict=True):
            if FATES[code] in GAP_OF_FATE:
                parts[GAP_OF_FATE[FATES[code]]] += Fraction(count, size * len(questions))
        return parts


def fates(way: Way, unit_rows_N: NDArray[np.int32], units: Units, members: Members | None = None) -> Fates:
    """Decide the fate of every relevant unit.

    Args:
        way: what the arm recorded.
        unit_rows_N: (N,) evaluation unit of each passage.
        units: the relevant units of the scored questions, the invisible ones included.
        members: evidence groups of the scored questions; None where the set has none.
    """
    ranks = {name: first_ranks(listed, unit_rows_N, units) for name, listed in _points(way).items()}
    codes = _codes(way, ranks, units)
    if members is None:
        nothing = np.empty(0, dtype=np.int64)
        return Fates(units, codes, ranks, nothing, nothing.astype(np.int8))
    member_ranks = {name: first_ranks(listed, unit_rows_N, members.units) for name, listed in _points(way).items()}
    member_codes = _codes(way, member_ranks, members.units)
    met = np.zeros(int(members.groups.max(initial=-1)) + 1, dtype=bool)
    met[members.groups[member_ranks["context"] > 0]] = True
    codes = _with_redundant(codes, units, members, met)
    numbers, first, place = np.unique(members.groups, return_index=True, return_inverse=True)
    best = np.full(numbers.size, len(FATES), dtype=np.int64)
    np.minimum.at(best, place, member_codes.astype(np.int64))
    return Fates(units, codes, ranks, members.units.query_rows[first], best.astype(np.int8))


def first_ranks(listed_QK: NDArray[np.int32], unit_rows_N: NDArray[np.int32], units: Units) -> NDArray[np.int64]:
    """(G,) 1-based rank, in passages, of the first passage of each unit; 0 where none is in the list."""
    found = np.zeros(units.query_rows.size, dtype=np.int64)
    if not listed_QK.shape[1]:
        return found
    for start in range(0, found.size, BLOCK):
        part = slice(start, start + BLOCK)
        passages = listed_QK[units.query_rows[part]]
        same = (unit_rows_N[passages] == units.unit_rows[part, None]) & (passages >= 0)
        column = same.argmax(axis=1)
        found[part] = np.where(same[np.arange(column.size), column], column + 1, ABSENT)
    return found


def moved(before: Fates, after: Fates) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which units one arm keeps and the other does not; both must be of the same units.

    Returns:
        Rows of `units` that are rescued (kept after, not before), and that are lost.

    Raises:
        ValueError: the arms were measured on different units.
    """
    same = np.array_equal(before.units.query_rows, after.units.query_rows) and np.array_equal(
        before.units.unit_rows, after.units.unit_rows
    )
    if not same:
        message = "the two arms were measured on different relevant units"
        raise ValueError(message)
    one, other = (found.codes == CODE[Fate.KEPT] for found in (before, after))
    return np.flatnonzero(~one & other), np.flatnonzero(one & ~other)


def _points(way: Way) -> dict[str, NDArray[np.int32]]:
    named = dict(way.lists)
    for name, listed in (("fused", way.fused), ("last", way.last), ("offered", way.offered), ("context", way.context)):
        if listed is not None:
            named[name] = listed
    return named


def _codes(way: Way, ranks: Mapping[str, NDArray[np.int64]], units: Units) -> NDArray[np.int8]:
    """The table, from its last line to its first, so that the first that holds stays."""
    kept = ranks["context"] > 0
    codes = np.full(kept.shape, CODE[Fate.NOT_PROMOTED], dtype=np.int8)
    if way.offered is not None:
        codes[:] = CODE[Fate.NOT_RETRIEVED]
        codes[ranks["offered"] > 0] = CODE[Fate.LOST_IN_CONTEXT]
    else:
        m, b = way.context_depth, way.considered
        lists = [_cut(ranks[name], way.window) for name in way.lists]
        fused = ranks["fused"] if way.fused is not None else lists[0]
        in_pool = _within(fused, b)
        near = np.any([_within(listed, b) for listed in lists], axis=0)
        in_last = _within(ranks["last"], m)
        codes[_within(fused, m) & ~in_last] = CODE[Fate.LOST_IN_RERANK]
        codes[in_last] = CODE[Fate.LOST_IN_CONTEXT]
        codes[near & ~in_pool] = CODE[Fate.LOST_IN_FUSION]
        codes[~in_pool & ~near] = CODE[Fate.RANKED_LOW]
        codes[~np.any([listed > 0 for listed in lists], axis=0)] = CODE[Fate.NOT_RETRIEVED]
    codes[kept] = CODE[Fate.KEPT]
    codes[~units.visible] = CODE[Fate.NOT_VISIBLE]
    return codes


def _with_redundant(
    codes: NDArray[np.int8], units: Units, members: Members, met: NDArray[np.bool_]
) -> NDArray[np.int8]:
    """A unit that is not kept, where every group it belongs to has a member in the context."""
    width = int(max(units.unit_rows.max(initial=0), members.units.unit_rows.max(initial=0))) + 1
    keys = members.units.query_rows * width + members.units.unit_rows
    wanted = units.query_rows * width + units.unit_rows
    spared, unmet = np.unique(keys), np.unique(keys[~met[members.groups]])
    redundant = np.isin(wanted, spared) & ~np.isin(wanted, unmet)
    redundant &= (codes != CODE[Fate.KEPT]) & (codes != CODE[Fate.NOT_VISIBLE])
    return np.where(redundant, np.int8(CODE[Fate.REDUNDANT]), codes)


def _cut(ranks: NDArray[np.int64], window: int) -> NDArray[np.int64]:
    return np.where(ranks <= window, ranks, ABSENT)


def _within(ranks: NDArray[np.int64], depth: int) -> NDArray[np.bool_]:
    return (ranks > 0) & (ranks <= depth)
