"""What fits into a context, in which order, and what is left out and why."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.corpus import Passages
from rag_ablation.core.errors import ModelError
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.structure import Structure
from rag_ablation.core.visibility import Access, visibility
from rag_ablation.stages.base import REASONS, ContextInput
from rag_ablation.stages.context import ClosedBook, GoldContext, RandomContext, TopContext
from tests.builders import passage, queries

MODELS = os.environ.get("RAG_ABLATION_MODELS")
# rows:           0        1        2        3         4        5
TEXTS = {"a1": "aa", "a2": "bbbb", "a3": "cc", "b1": "dddddd", "b2": "ee", "c1": "f"}
CORPUS = Passages(
    tuple(passage(name, text, doc_id=name[0].upper(), location=f"{name[1]}.1") for name, text in TEXTS.items())
)
ONE = queries({"q": "?"})


def given_(
    ranked: list[list[int]],
    gold: dict[int, dict[int, int]] | None = None,
    corpus: Passages = CORPUS,
    asked: Queries = ONE,
    access: Access | None = None,
) -> ContextInput:
    width = max(map(len, ranked), default=0)
    rows = np.array([[*row, *[-1] * (width - len(row))] for row in ranked], dtype=np.int32).reshape(len(ranked), width)
    judged = [(query, unit, grade) for query, some in (gold or {}).items() for unit, grade in some.items()]
    columns = np.array(judged, dtype=np.int64).reshape(-1, 3)
    qrels = Qrels.from_rows(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int8), (len(asked), len(corpus)))
    return ContextInput(
        ranking=Rankings.from_order(rows),
        gold=qrels,
        queries=asked,
        corpus=Structure(corpus),
        visible=visibility(corpus, asked, access or Access(identities={})),
    )


def shown(result: StageResult) -> list[int]:
    row = result.rankings.passages[0]
    return [value for value in row.tolist() if value >= 0] if row.size else []


def left_out(result: StageResult) -> list[tuple[int, str]]:
    pairs = zip(result.arrays["left_out"][0].tolist(), result.arrays["left_out_why"][0].tolist(), strict=True)
    return [(passage, str(REASONS[why])) for passage, why in pairs if passage >= 0]


def test_the_default_is_the_head_of_the_ranking() -> None:
    result = TopContext(depth=3).build(given_([[3, 0, 5, 1]]))
    assert shown(result) == [3, 0, 5]
    assert left_out(result) == []
    assert result.arrays["tokens"].tolist() == [9]


def test_a_budget_stops_at_the_first_passage_that_does_not_fit() -> None:
    """Six characters, then two, then one: a later passage that would fit is not taken."""
    result = TopContext(budget=7).build(given_([[3, 0, 5]]))
    assert shown(result) == [3]
    assert left_out(result) == [(0, "budget"), (5, "budget")]
    assert result.facts["n_left_out_budget"] == 2


def test_a_number_of_passages_is_a_limit_too() -> None:
    result = TopContext(max_passages=2).build(given_([[3, 0, 5]]))
    assert (shown(result), left_out(result)) == ([3, 0], [(5, "max_passages")])


@pytest.mark.parametrize(("unit", "kept"), [("passage", [0, 1, 3]), ("clause", [0, 1, 3]), ("document", [0, 3])])
def test_within_a_unit_only_the_first_passage_is_taken(unit: str, kept: list[int]) -> None:
    result = TopContext(unit=unit).build(given_([[0, 1, 3]]))  # type: ignore[arg-type]
    assert shown(result) == kept
    assert left_out(result) == [(row, "duplicate") for row in (0, 1, 3) if row not in kept]


def test_overlapping_passages_that_fill_the_budget_make_way_when_units_are_taken_once() -> None:
    """Two pieces of one clause fill the budget, and the answer, third, is lost; without duplicates it is kept."""
    corpus = Passages(
        (
            passage("a", "hotel limit 380 yuan a night", doc_id="T", location="3.1"),
            passage("b", "limit 380 yuan a night, grade", doc_id="T", location="3.1"),
            passage("c", "grade E in Chengdu: second tier", doc_id="T", location="9.9"),
        )
    )
    given = given_([[0, 1, 2]], corpus=corpus)
    assert left_out(TopContext(budget=60).build(given)) == [(2, "budget")]
    result = TopContext(budget=60, unit="clause").build(given)
    assert (shown(result), left_out(result)) == ([0, 2], [(1, "duplicate")])


@pytest.mark.parametrize(
    ("layout", "order"), [("rank", [3, 0, 5, 1]), ("reversed", [1, 5, 0, 3]), ("edges", [3, 5, 1, 0])]
)
def test_the_layout_changes_the_order_alone(layout: str, order: list[int]) -> None:
    result = TopContext(layout=layout).build(given_([[3, 0, 5, 1]]))  # type: ignore[arg-type]
    assert shown(result) == order


def test_neighbours_come_with_their_passage_in_the_order_of_the_document() -> None:
    result = TopContext(neighbours=1).build(given_([[1, 4]]))
    assert shown(result) == [0, 1, 2, 3, 4]


def test_a_neighbour_that_is_retrieved_later_is_taken_once() -> None:
    assert shown(TopContext(neighbours=1).build(given_([[1, 2, 5]]))) == [0, 1, 2, 5]


def test_a_neighbour_that_may_not_be_seen_is_passed_over() -> None:
    corpus = Passages(
        (
            passage("a1", "x", doc_id="A", location="1", acl=["hr"]),
            passage("a2", "y", doc_id="A", location="2"),
            passage("a3", "z", doc_id="A", location="10"),
        )
    )
    given = given_([[1]], corpus=corpus, access=Access(identity="staff", identities={}))
    assert shown(TopContext(neighbours=1).build(given)) == [1, 2]


def test_neighbours_count_towards_the_budget() -> None:
    result = TopContext(neighbours=1, budget=6).build(given_([[1, 5]]))
    assert (shown(result), left_out(result)) == ([0, 1], [(2, "budget"), (5, "budget")])


def test_what_is_left_out_is_told_once() -> None:
    """Row 2 is left out as a neighbour of 1, and comes again as the third of the ranking."""
    result = TopContext(neighbours=1, budget=6).build(given_([[1, 2, 5]]))
    assert left_out(result) == [(2, "budget"), (5, "budget")]


def test_gold_comes_by_grade_and_the_rest_is_left_out_and_counted() -> None:
    gold = {0: {0: 1, 1: 2, 3: 2}}
    result = GoldContext(depth=2).build(given_([[5]], gold))
    assert (shown(result), left_out(result)) == ([1, 3], [(0, "max_passages")])
    assert result.facts["n_gold_left_out"] == 1
    assert result.arrays["offered"].tolist() == [[1, 3, 0]]
    tight = GoldContext(budget=5).build(given_([[5]], gold))
    assert (shown(tight), left_out(tight)) == ([1], [(3, "budget"), (0, "budget")])
    assert tight.facts["n_gold_left_out"] == 2


def test_distractors_are_the_best_ranked_passages_that_are_no_gold() -> None:
    result = GoldContext(distractors=2).build(given_([[3, 5, 1, 4]], {0: {3: 2}}))
    assert shown(result) == [3, 5, 1]


def test_random_passages_depend_on_the_seed_and_the_question_alone() -> None:
    asked = queries({"q": "?", "r": "?"})
    both = RandomContext(depth=3).build(given_([[], []], asked=asked))
    alone = RandomContext(depth=3).build(given_([[]]))
    assert both.rankings.passages[0].tolist() == alone.rankings.passages[0].tolist()
    assert RandomContext(depth=3, seed=1).build(given_([[]])).rankings.passages.tolist() != [shown(alone)]
    assert len(set(shown(alone))) == 3


def test_random_passages_are_visible_ones() -> None:
    corpus = Passages(tuple(passage(f"p{n}", "x", acl=["hr"] if n % 2 else None) for n in range(8)))
    given = given_([[]], corpus=corpus, access=Access(identity="staff", identities={}))
    assert sorted(shown(RandomContext(depth=8).build(given))) == [0, 2, 4, 6]


def test_a_closed_book_is_empty() -> None:
    result = ClosedBook().build(given_([[3]]))
    assert (shown(result), result.arrays["tokens"].tolist()) == ([], [0])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"depth": 0}, "depth: found 0, expected a whole number of at least 1"),
        ({"budget": -5}, "budget: found -5, expected a whole number of at least 1"),
        ({"layout": "spiral"}, "layout: found 'spiral', expected one of: rank, reversed, edges"),
        ({"unit": "page"}, "unit: found 'page', expected one of: passage, clause, document"),
        ({"neighbours": -1}, "neighbours: found -1, expected a whole number of at least 0"),
    ],
)
def test_settings_are_checked(values: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        TopContext(**values)  # type: ignore[arg-type]


def test_a_tokenizer_that_cannot_be_had_is_named() -> None:
    with pytest.raises(
        ModelError, match=r"context.tokenizer: found 'nowhere', which is no folder with a tokenizer.json"
    ):
        TopContext(tokenizer="nowhere").build(given_([[0]]))


@pytest.mark.skipif(MODELS is None, reason="RAG_ABLATION_MODELS names no folder of models")
def test_tokens_are_those_of_the_named_tokenizer() -> None:
    from pathlib import Path

    folder = next(path.parent for path in sorted(Path(str(MODELS)).glob("*/tokenizer.json")))
    corpus = Passages((passage("a", "The hotel limit is 380."), passage("b", "Seals.")))
    stage = TopContext(tokenizer=str(folder))
    result = stage.build(given_([[0, 1]], corpus=corpus))
    assert 6 <= int(result.arrays["tokens"][0]) - 2 <= 10
    assert stage.fingerprint()["tokenizer"] == folder.name
    assert stage.libraries == ("tokenizers",)


@given(
    st.lists(st.integers(0, 5), unique=True, max_size=6),
    st.integers(1, 20),
    st.integers(0, 20),
    st.sampled_from(["passage", "document"]),
    st.integers(0, 2),
    st.sampled_from(["rank", "reversed", "edges"]),
)
@settings(max_examples=150, deadline=None)
def test_a_larger_budget_never_loses_what_was_kept(
    ranked: list[int], budget: int, more: int, unit: str, neighbours: int, layout: str
) -> None:
    given = given_([ranked])

    def kept(size: int) -> tuple[set[int], int]:
        stage = TopContext(budget=size, unit=unit, neighbours=neighbours, layout=layout)  # type: ignore[arg-type]
        result = stage.build(given)
        return set(shown(result)), int(result.arrays["tokens"][0])

    small, used = kept(budget)
    assert used <= budget
    assert used == sum(len(TEXTS[CORPUS.ids[row]]) for row in small)
    assert small <= kept(budget + more)[0]


@given(st.lists(st.integers(0, 5), unique=True, max_size=6), st.integers(1, 12), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_every_offered_passage_is_shown_or_left_out_for_a_reason(ranked: list[int], budget: int, most: int) -> None:
    result = TopContext(budget=budget, max_passages=most, unit="document").build(given_([ranked]))
    assert sorted([*shown(result), *(row for row, _ in left_out(result))]) == sorted(ranked)
