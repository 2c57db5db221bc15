import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.corpus import Passage, Passages
from rag_ablation.core.errors import InputRefused, StageError
from rag_ablation.core.rankings import Rankings
from rag_ablation.stages import _fusion
from rag_ablation.stages.rrf import ReciprocalRankFusion, fuse

N = 400
CORPUS = Passages(tuple(Passage(id=f"{i:04}", title="", text="", doc_id="d", metadata={}) for i in range(N)))


def rankings(lists: Sequence[Sequence[int]]) -> Rankings:
    width = max(map(len, lists), default=0)
    rows = [[*ranked, *[-1] * (width - len(ranked))] for ranked in lists]
    return Rankings.from_order(np.array(rows, dtype=np.int32).reshape(len(lists), width))


def staged(lists: Mapping[str, Sequence[int]], **settings) -> list[tuple[int, float]]:
    stage = ReciprocalRankFusion(**settings)
    got = stage.fuse({name: rankings([ranked]) for name, ranked in lists.items()}, CORPUS).rankings
    return [
        (row, score) for row, score in zip(got.passages[0].tolist(), got.scores[0].tolist(), strict=True) if row >= 0
    ]


def plain(lists: Mapping[str, Sequence[int]], **settings) -> list[tuple[int, float]]:
    fused = fuse({name: [f"{row:04}" for row in ranked] for name, ranked in lists.items()}, **settings)
    return [(int(item.id), item.score) for item in fused]


def agree(left: list[tuple[int, float]], right: list[tuple[int, float]]) -> bool:
    same_order = [row for row, _ in left] == [row for row, _ in right]
    return same_order and all(math.isclose(a, b, rel_tol=1e-14) for (_, a), (_, b) in zip(left, right, strict=True))


def test_worked_example() -> None:
    got = dict(staged({"sparse": [5, 1, 7], "dense": [1, 9, 5]}, rank_constant=60))
    assert list(got) == [1, 5, 9, 7]
    assert got == pytest.approx({1: 1 / 62 + 1 / 61, 5: 1 / 61 + 1 / 63, 9: 1 / 62, 7: 1 / 63}, rel=1e-15)


def test_ties_go_to_the_best_single_rank_and_then_to_the_id() -> None:
    assert [row for row, _ in staged({"a": [3, 9], "b": [2, 9]})] == [9, 2, 3]
    # 1/61 = 1/122 + 1/122: one first place against two at rank 62
    lists = {"a": [9, *range(100, 160), 5], "b": [*range(200, 261), 5]}
    got = staged(lists)
    assert [row for row, _ in got[:3]] == [9, 200, 5]
    assert got[0][1] == got[1][1] == got[2][1] == 1 / 61


def test_sums_that_floats_separate_tie_exactly() -> None:
    """1/63 + 1/140 = 1/84 + 1/90, and 24 against 3 as best single rank decides."""
    first, second = list(range(100, 184)), list(range(200, 284))
    first[2], second[79] = 7, 7
    first[23], second[29] = 3, 3
    lists = {"one": first, "two": second}
    got = staged(lists)
    assert [row for row, _ in got[:2]] == [7, 3]
    assert got[0][1] == got[1][1]
    assert agree(got, plain(lists))


def test_the_mending_is_what_makes_the_last_test_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_fusion, "_mend", lambda *given: None)
    with pytest.raises(AssertionError):
        test_sums_that_floats_separate_tie_exactly()


def small_lists(max_lists: int = 4, n: int = 14):
    ranked = st.permutations(range(n)).flatmap(lambda order: st.integers(0, n).map(lambda size: order[:size]))
    return st.lists(ranked, min_size=1, max_size=max_lists).map(
        lambda lists: {f"list{i}": ranked for i, ranked in enumerate(lists)}
    )


@given(small_lists(), st.integers(1, 8), st.integers(1, 16))
def test_the_stage_and_the_exact_reference_agree(lists, rank_constant: int, window: int) -> None:
    settings = {"rank_constant": rank_constant, "window": window}
    assert agree(staged(lists, **settings), plain(lists, **settings))


@given(small_lists(), st.data())
def test_they_agree_with_weights_too(lists, data) -> None:
    weights = {name: data.draw(st.sampled_from([0.1, 0.2, 0.3, 0.5, 1, 2])) for name in lists}
    settings = {"rank_constant": data.draw(st.integers(1, 4)), "weights": weights, "window": 20}
    assert agree(staged(lists, **settings), plain(lists, **settings))


@pytest.mark.parametrize("seed", range(6))
def test_they_agree_on_long_lists_where_near_ties_abound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = rng.permutation(N)[:130]
    lists = {name: rng.permutation(pool)[:100].tolist() for name in "abc"[: 2 + seed % 2]}
    assert agree(staged(lists), plain(lists))


def test_tenths_add_up_exactly() -> None:
    lists = {"a": [1], "b": [1], "c": [0]}
    weights = {"a": 0.1, "b": 0.2, "c": 0.3}
    got = staged(lists, weights=weights)
    assert [row for row, _ in got] == [0, 1]  # .1 + .2 is .3 in decimals; the id decides
    assert got[0][1] == got[1][1]
    assert fuse({"a": ["x"], "b": ["x"]}, weights={"a": 0.1, "b": 0.2})[0].exact == Fraction(3, 10) / 61


@given(small_lists())
def test_rrf_does_not_depend_on_the_order_or_the_names_of_its_inputs(lists) -> None:
    expected = staged(lists)
    for order in itertools.permutations(lists):
        assert staged({name: lists[name] for name in order}) == expected
        assert staged({f"z{i}": lists[name] for i, name in enumerate(order)}) == expected


@given(st.lists(small_lists(3, 8), min_size=1, max_size=6))
def test_a_question_fares_alike_alone_and_among_others(many) -> None:
    names = ("list0", "list1", "list2")
    stage = ReciprocalRankFusion(rank_constant=2)
    together = {name: rankings([lists.get(name, []) for lists in many]) for name in names}
    got = stage.fuse(together, CORPUS).rankings
    for place, lists in enumerate(many):
        alone = staged({name: lists.get(name, []) for name in names}, rank_constant=2)
        rows = got.passages[place][got.passages[place] >= 0].tolist()
        assert list(zip(rows, got.scores[place][: len(rows)].tolist(), strict=True)) == alone


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    lists = {name: rankings([rng.permutation(N)[: rng.integers(0, 40)].tolist() for _ in range(11)]) for name in "ab"}
    whole = ReciprocalRankFusion().fuse(lists, CORPUS).rankings
    monkeypatch.setattr(_fusion, "BLOCK", 200)
    assert ReciprocalRankFusion().fuse(lists, CORPUS).rankings.digest() == whole.digest()


def test_the_window_cuts_before_the_sum_and_absent_adds_nothing() -> None:
    assert staged({"a": [1, 2, 3], "b": [3]}, window=2) == [(1, 1 / 61), (3, 1 / 61), (2, 1 / 62)]
    assert staged({"a": [1], "b": []}) == [(1, 1 / 61)]
    assert staged({"a": [], "b": []}) == []


def test_no_questions_and_one_list() -> None:
    assert ReciprocalRankFusion().fuse({"a": Rankings.empty(0)}, CORPUS).rankings.passages.shape[0] == 0
    assert [row for row, _ in staged({"a": [4, 2, 8]})] == [4, 2, 8]


def test_facts_and_identity() -> None:
    stage = ReciprocalRankFusion(window=7)
    assert stage.fuse({"a": rankings([[1]]), "b": rankings([[2]])}, CORPUS).facts == {"n_lists": 2, "window": 7}
    assert (stage.libraries, stage.fingerprint()) == (("numpy",), {})


CLAUSES = Passages(
    tuple(
        Passage(id=name, title="", text="", doc_id=name[0], location=name[1], metadata={})
        for name in ("a1x", "a1y", "a2x", "b1x", "b1y", "b2x")
    )
)


def test_passages_of_one_clause_are_one_item_before_ranks_are_counted() -> None:
    a1x, a1y, a2x, b1x, b1y, _ = range(6)
    lists = {"sparse": rankings([[a1x, a1y, b1x]]), "dense": rankings([[b1y, a1y, a2x]])}
    got = ReciprocalRankFusion(unit="clause").fuse(lists, CLAUSES).rankings
    # both clauses hold ranks 1 and 2; each is shown by its passage that stood first in a list
    assert got.passages.tolist() == [[a1x, b1y, a2x]]
    assert got.scores[0].tolist() == pytest.approx([1 / 61 + 1 / 62, 1 / 61 + 1 / 62, 1 / 63])
    assert got.scores[0, 0] == got.scores[0, 1]
    documents = ReciprocalRankFusion(unit="document").fuse(lists, CLAUSES).rankings
    assert documents.passages.tolist() == [[a1x, b1y]]


def test_a_unit_is_shown_by_its_passage_with_the_best_rank_ties_by_id() -> None:
    a1x, a1y, a2x, b1x, *_ = range(6)
    lists = {"sparse": rankings([[b1x, a1y]]), "dense": rankings([[a2x, a1x]])}
    got = ReciprocalRankFusion(unit="clause").fuse(lists, CLAUSES).rankings
    assert set(got.passages[0].tolist()) == {b1x, a2x, a1x}


def test_what_lies_beyond_the_window_represents_nothing() -> None:
    a1x, a1y, _, b1x, b1y, b2x = range(6)
    lists = {"sparse": rankings([[b1x, b1y, b2x, a1y]]), "dense": rankings([[a1x]])}
    got = ReciprocalRankFusion(unit="clause", window=1).fuse(lists, CLAUSES).rankings
    assert got.passages.tolist() == [[a1x, b1x]]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"rank_constant": 0}, "rank_constant: found 0"),
        ({"rank_constant": 1.5}, "rank_constant: found 1.5"),
        ({"rank_constant": True}, "rank_constant: found True"),
        ({"window": 0}, "window: found 0"),
        ({"window": None}, "window: found None"),
        ({"weights": {"a": 0}}, "weights.a: found 0"),
        ({"weights": {"a": math.nan}}, "weights.a: found nan"),
        ({"weights": {"a": "1"}}, "weights.a: found '1'"),
        ({"unit": "page"}, "unit: found 'page', expected one of: passage, clause, document"),
    ],
)
def test_settings_are_checked(settings: dict[str, object], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ReciprocalRankFusion(**settings)  # type: ignore[arg-type]


def test_lists_that_cannot_be_fused_are_a_stage_error() -> None:
    stage = ReciprocalRankFusion()
    with pytest.raises(StageError, match="no list"):
        stage.fuse({}, CORPUS)
    with pytest.raises(StageError, match="different numbers of questions"):
        stage.fuse({"a": rankings([[1]]), "b": rankings([[1], [2]])}, CORPUS)
    with pytest.raises(StageError, match="weights for a, expected one for each of a, b"):
        ReciprocalRankFusion(weights={"a": 1}).fuse({"a": rankings([[1]]), "b": rankings([[1]])}, CORPUS)


@pytest.mark.parametrize(
    ("lists", "settings", "reason"),
    [
        ({"a": ["x", "x"]}, {}, "duplicate_id"),
        ({"a": ["x", ""]}, {}, "bad_id"),
        ({"a": [7]}, {}, "bad_id"),
        ({"a": "xyz"}, {}, "bad_results"),
        ({"a": None}, {}, "bad_results"),
        ({"a": ["x"]}, {"rank_constant": -1}, "bad_rrf_k"),
        ({"a": ["x"]}, {"rank_constant": "60"}, "bad_rrf_k"),
        ({"a": ["x"]}, {"window": True}, "bad_window"),
        ({"a": ["x"]}, {"weights": {"b": 1}}, "bad_weight"),
        ({"a": ["x"]}, {"weights": {"a": -1}}, "bad_weight"),
        ({"a": ["x"]}, {"dedup": {"map": {}}}, "unmapped_id"),
        ({"a": ["x"]}, {"dedup": {"x": "y"}}, "bad_dedup"),
        ({"a": ["x"]}, {"dedup": {"map": {"x": "y"}, "to": "page"}}, "bad_unit"),
    ],
)
def test_plain_lists_are_refused_by_name(lists, settings, reason: str) -> None:
    with pytest.raises(InputRefused) as caught:
        fuse(lists, **settings)
    assert caught.value.reason == reason


def test_equal_texts_under_two_ids_stay_two() -> None:
    assert [item.id for item in fuse({"a": ["T-1", "W-1"], "b": ["W-1", "T-1"]})] == ["T-1", "W-1"]


def test_ids_are_compared_by_code_point() -> None:
    ids = ["b", "B", "é", "z", "10", "9", "一"]
    fused = fuse({f"list{i}": [name] for i, name in enumerate(ids)})
    assert [item.id for item in fused] == sorted(ids)


def test_inputs_are_left_as_they_were() -> None:
    lists = {"a": rankings([[1, 2]]), "b": rankings([[2, 3]])}
    before = {name: ranking.digest() for name, ranking in lists.items()}
    ReciprocalRankFusion().fuse(lists, CORPUS)
    assert {name: ranking.digest() for name, ranking in lists.items()} == before
