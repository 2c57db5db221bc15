"""Where evidence is lost: each fate by hand, and the sums that must hold whatever the ranks are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.measures.fates import FATES, Fate, Fates, Members, Units, Way, fates, moved


def rows(*lists: Sequence[int]) -> np.ndarray:
    width = max((len(row) for row in lists), default=0)
    return np.array([[*row, *[-1] * (width - len(row))] for row in lists], dtype=np.int32).reshape(len(lists), width)


def of(pairs: Sequence[tuple[int, int]], hidden: Sequence[tuple[int, int]] = ()) -> Units:
    return Units(
        np.array([pair[0] for pair in pairs], dtype=np.int64),
        np.array([pair[1] for pair in pairs], dtype=np.int64),
        np.array([pair not in hidden for pair in pairs], dtype=bool),
    )


def passages(n: int = 40) -> np.ndarray:
    """Every passage is a unit of its own."""
    return np.arange(n, dtype=np.int32)


def one(
    way: Way, unit: int, units: np.ndarray | None = None, groups: Mapping[int, Sequence[int]] | None = None
) -> Fate:
    """The fate of one unit of the only question; `groups` by number, of units."""
    members = None
    if groups is not None:
        flat = [(number, member) for number, some in groups.items() for member in some]
        members = Members(of([(0, member) for _, member in flat]), np.array([number for number, _ in flat]))
    found = fates(way, passages() if units is None else units, of([(0, unit)]), members)
    return FATES[int(found.codes[0])]


@dataclass(frozen=True)
class Example:
    """Lists of one question; the context is the first `depth` of the last list unless given."""

    sparse: Sequence[int]
    dense: Sequence[int] = ()
    fused: Sequence[int] | None = None
    reranked: Sequence[int] | None = None
    context: Sequence[int] | None = None
    depth: int = 2
    pool: int | None = None
    window: int = 10
    drops_tail: bool = False

    def way(self) -> Way:
        last = self.reranked or self.fused or self.sparse
        lists = {"sparse": rows(self.sparse)} | ({} if self.fused is None else {"dense": rows(self.dense)})
        return Way(
            lists=lists,
            window=self.window,
            fused=None if self.fused is None else rows(self.fused),
            last=rows(last),
            context=rows(last[: self.depth] if self.context is None else self.context),
            context_depth=self.depth,
            rerank_depth=self.pool,
            drops_tail=self.drops_tail,
        )


def test_kept() -> None:
    assert one(Example([7, 1, 2]).way(), 7) is Fate.KEPT


def test_kept_though_no_list_holds_it() -> None:
    """A neighbour of a retrieved passage is kept as well."""
    assert one(Example([1, 2], context=[1, 7]).way(), 7) is Fate.KEPT


def test_not_retrieved() -> None:
    assert one(Example([1, 2, 3]).way(), 7) is Fate.NOT_RETRIEVED


def test_not_retrieved_within_the_window_though_the_retriever_went_deeper() -> None:
    way = Example([1, 2, 3, 7], [4, 5, 6], [1, 4, 2, 5], window=3).way()
    found = fates(way, passages(), of([(0, 7)]))
    assert FATES[int(found.codes[0])] is Fate.NOT_RETRIEVED
    assert found.ranks["sparse"].tolist() == [4]


def test_ranked_low() -> None:
    assert one(Example([1, 2, 7]).way(), 7) is Fate.RANKED_LOW


def test_an_exact_code_that_fusion_pushes_down() -> None:
    """BM25 has the form number first, dense retrieval does not know it, and others are in both lists."""
    way = Example([7, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 7, 4]).way()
    assert one(way, 7) is Fate.LOST_IN_FUSION
    assert one(Example([7, 1, 2, 3]).way(), 7) is Fate.KEPT


def test_clause_4_2_fifth_by_fusion_and_first_after_reranking() -> None:
    fused = [1, 2, 3, 4, 42, 5]
    without = Example(fused, [42, 1, 2], fused).way()
    assert one(without, 42, passages(50)) is Fate.LOST_IN_FUSION
    low = Example(fused, [1, 2, 3, 42], fused).way()
    assert one(low, 42, passages(50)) is Fate.RANKED_LOW
    with_reranker = Example(fused, [1, 2, 3, 42], fused, [42, 1, 2, 3, 4, 5], pool=5).way()
    assert one(with_reranker, 42, passages(50)) is Fate.KEPT
    rescued, lost = moved(*(fates(way, passages(50), of([(0, 42), (0, 2)])) for way in (low, with_reranker)))
    assert (rescued.tolist(), lost.tolist()) == ([0], [1])


def test_lost_in_rerank() -> None:
    assert one(Example([7, 1, 2], [1], [7, 1, 2], [1, 2, 7], pool=3).way(), 7) is Fate.LOST_IN_RERANK


def test_not_promoted() -> None:
    assert one(Example([1, 2, 7], [1], [1, 2, 7], [2, 1, 7], pool=3).way(), 7) is Fate.NOT_PROMOTED


def test_below_a_pool_that_drops_its_tail_is_ranked_low() -> None:
    way = Example([1, 7, 2], [1], [1, 7, 2], [1], pool=1, depth=2, drops_tail=True).way()
    assert one(way, 7) is Fate.RANKED_LOW


def test_lost_in_context() -> None:
    """Three near-equal passages fill the budget, and the fourth is not taken."""
    assert one(Example([1, 2, 3, 7], context=[1, 2, 3], depth=4).way(), 7) is Fate.LOST_IN_CONTEXT


def test_one_alternative_suffices() -> None:
    way = Example([7, 1, 8], depth=1).way()
    assert one(way, 8, groups={0: [7, 8]}) is Fate.REDUNDANT
    assert one(way, 8, groups={0: [7, 8], 1: [8, 9]}) is Fate.RANKED_LOW
    assert one(way, 8) is Fate.RANKED_LOW


def test_a_group_takes_the_best_fate_of_its_members() -> None:
    way = Example([7, 1, 8, 9]).way()
    members = Members(of([(0, 7), (0, 30), (0, 8), (0, 30), (0, 31), (0, 32)], [(0, 32)]), np.array([0, 0, 1, 1, 2, 2]))
    found = fates(way, passages(), of([(0, 7)]), members)
    assert [FATES[code] for code in found.group_codes.tolist()] == [Fate.KEPT, Fate.RANKED_LOW, Fate.NOT_RETRIEVED]


def test_not_visible_comes_first_and_weighs_nothing() -> None:
    found = fates(Example([1, 2, 7]).way(), passages(), of([(0, 1), (0, 9)], [(0, 9)]))
    assert [FATES[code] for code in found.codes.tolist()] == [Fate.KEPT, Fate.NOT_VISIBLE]
    assert sum(found.gap().values()) == 0


def test_a_unit_is_in_a_cut_if_one_of_its_passages_is() -> None:
    units = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    found = fates(Example([4, 1, 0, 3]).way(), units, of([(0, 0), (0, 1), (0, 2)]))
    assert found.ranks["sparse"].tolist() == [2, 4, 1]
    assert [FATES[code] for code in found.codes.tolist()] == [Fate.KEPT, Fate.RANKED_LOW, Fate.KEPT]


@pytest.mark.parametrize(("unit", "fate"), [(1, Fate.KEPT), (2, Fate.LOST_IN_CONTEXT), (3, Fate.NOT_RETRIEVED)])
def test_a_handed_context_has_few_fates(unit: int, fate: Fate) -> None:
    way = Way(lists={}, window=0, fused=None, last=None, context=rows([1]), context_depth=10, offered=rows([1, 2]))
    assert one(way, unit) is fate


def test_the_gap_weighs_a_unit_by_its_question() -> None:
    """Question 0 loses one of two units, question 1 its only one: 1/4 and 1/2."""
    way = Way(
        lists={"sparse": rows([1, 2, 3], [4, 5, 6])},
        window=10,
        fused=None,
        last=rows([1, 2, 3], [4, 5, 6]),
        context=rows([1, 2], [4, 5]),
        context_depth=2,
    )
    found = fates(way, passages(), of([(0, 1), (0, 3), (1, 9)]))
    assert found.gap() == {
        "retrieval": Fraction(3, 4),
        "fusion": 0,
        "reranking": 0,
        "promotion": 0,
        "context": 0,
        "redundant": 0,
    }
    assert sum(found.gap(np.array([0])).values()) == Fraction(1, 2)


N_PASSAGES, N_UNITS = 12, 6


@st.composite
def walks(draw: st.DrawFn) -> tuple[Way, np.ndarray, list[tuple[int, int]], list[tuple[int, int]], dict[int, list]]:
    """A way through a pipeline that could exist: each stage reorders, cuts or drops what came before."""
    questions = draw(st.integers(1, 3))
    units = np.array(draw(st.lists(st.integers(0, N_UNITS - 1), min_size=N_PASSAGES, max_size=N_PASSAGES)), np.int32)
    window, depth = draw(st.integers(1, 8)), draw(st.integers(1, 6))
    pool = draw(st.one_of(st.none(), st.integers(1, 8)))
    drops = draw(st.booleans())
    hybrid = draw(st.booleans())
    table: dict[str, list[list[int]]] = {"sparse": [], "dense": [], "fused": [], "last": [], "context": []}
    for _ in range(questions):
        lists = [draw(st.lists(st.integers(0, N_PASSAGES - 1), unique=True, max_size=10)) for _ in range(1 + hybrid)]
        merged = list(dict.fromkeys(name for listed in lists for name in listed[:window]))
        fused = draw(st.permutations(merged)) if hybrid else lists[0][:window]
        last = list(fused)
        if pool is not None:
            last = [*draw(st.permutations(fused[:pool])), *([] if drops else fused[pool:])]
        head = last[:depth]
        context = [name for name in head if draw(st.booleans())]
        if draw(st.booleans()) and draw(st.booleans()):
            context.append(draw(st.integers(0, N_PASSAGES - 1)))
        for name, listed in zip(("sparse", "dense"), lists, strict=False):
            table[name].append(listed)
        table["fused"].append(list(fused))
        table["last"].append(last)
        table["context"].append(list(dict.fromkeys(context)))
    way = Way(
        lists={name: rows(*table[name]) for name in (("sparse", "dense") if hybrid else ("sparse",))},
        window=window,
        fused=rows(*table["fused"]) if hybrid else None,
        last=rows(*table["last"]),
        context=rows(*table["context"]),
        context_depth=depth,
        rerank_depth=pool,
        drops_tail=drops and pool is not None,
    )
    pairs = sorted(draw(st.sets(st.tuples(st.integers(0, questions - 1), st.integers(0, N_UNITS - 1)), min_size=1)))
    hidden = [pair for pair in pairs if draw(st.integers(0, 5)) == 0]
    groups = {
        number: draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=3, unique=True).filter(_one_question))
        for number in range(draw(st.integers(0, 3)))
    }
    return way, units, pairs, hidden, groups


def _one_question(members: list[tuple[int, int]]) -> bool:
    return len({query for query, _ in members}) == 1


def computed(walk: tuple) -> Fates:  # type: ignore[type-arg]
    way, units, pairs, hidden, groups = walk
    flat = [(number, pair) for number, some in groups.items() for pair in some]
    members = Members(of([pair for _, pair in flat], hidden), np.array([n for n, _ in flat], dtype=np.int64))
    return fates(way, units, of(pairs, hidden), members if flat else None)


@given(walks())
@settings(max_examples=300, deadline=None)
def test_fates_are_those_of_the_table_read_downwards(walk: tuple) -> None:  # type: ignore[type-arg]
    way, units, pairs, hidden, groups = walk
    found = computed(walk)
    wanted = [by_the_table(way, units, pair, pair not in hidden, groups) for pair in pairs]
    assert [FATES[code] for code in found.codes.tolist()] == wanted


@given(walks())
@settings(max_examples=200, deadline=None)
def test_fates_sum_to_the_units_and_the_gap_to_what_recall_lacks(walk: tuple) -> None:  # type: ignore[type-arg]
    way, units, pairs, hidden, _ = walk
    found = computed(walk)
    assert sum(found.counts().values()) == len(pairs)
    recalls = []
    for question in sorted({query for query, _ in pairs}):
        relevant = {unit for query, unit in pairs if query == question and (query, unit) not in hidden}
        if relevant:
            shown = {int(units[name]) for name in way.context[question].tolist() if name >= 0}
            recalls.append(Fraction(len(relevant & shown), len(relevant)))
    if recalls:
        assert sum(found.gap().values()) == 1 - sum(recalls) / len(recalls)
    else:
        assert found.gap() == {}


def by_the_table(
    way: Way, units: np.ndarray, pair: tuple[int, int], visible: bool, groups: Mapping[int, list[tuple[int, int]]]
) -> Fate:
    """The table of the contract, line by line."""
    question, unit = pair

    def held(listed: np.ndarray, depth: int) -> bool:
        return any(name >= 0 and units[name] == unit for name in listed[question][:depth].tolist())

    def shown(other: int) -> bool:
        return any(name >= 0 and units[name] == other for name in way.context[question].tolist())

    lists = [listed[:, : way.window] for listed in way.lists.values()]
    fused = lists[0] if way.fused is None else way.fused
    own = [some for some in groups.values() if pair in some]
    b, m = way.considered, way.context_depth
    if not visible:
        return Fate.NOT_VISIBLE
    if shown(unit):
        return Fate.KEPT
    if own and all(any(shown(other) for _, other in some) for some in own):
        return Fate.REDUNDANT
    if not any(held(listed, way.window) for listed in lists):
        return Fate.NOT_RETRIEVED
    if not held(fused, b) and not any(held(listed, b) for listed in lists):
        return Fate.RANKED_LOW
    if not held(fused, b):
        return Fate.LOST_IN_FUSION
    assert way.last is not None
    if held(way.last, m):
        return Fate.LOST_IN_CONTEXT
    return Fate.LOST_IN_RERANK if held(fused, m) else Fate.NOT_PROMOTED
