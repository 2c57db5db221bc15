import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import StageError
from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.stages._rerank import apply_scores, check_scores, pool_of

CANDIDATES = Rankings.from_order(np.array([[0, 1, 2, 3]]), np.array([[0.9, 0.8, 0.7, 0.6]]))
RAW = np.array([[-8.1, 2.3, -0.4, 2.9]])


def test_a_full_rerank_sorts_raw_scores_from_high_to_low_and_keeps_score_and_passage_together():
    reranked = apply_scores(CANDIDATES, 4, RAW, keep_tail=True)
    assert reranked.passages.tolist() == [[3, 1, 2, 0]]
    assert reranked.scores.tolist() == [[2.9, 2.3, -0.4, -8.1]]


def test_a_partial_rerank_keeps_the_tail_below_in_its_order_without_scores():
    reranked = apply_scores(CANDIDATES, 3, RAW[:, :3], keep_tail=True)
    assert reranked.passages.tolist() == [[1, 2, 0, 3]]
    assert reranked.scores[0, :3].tolist() == [2.3, -0.4, -8.1]
    assert np.isnan(reranked.scores[0, 3])


def test_the_tail_is_dropped_when_asked():
    assert apply_scores(CANDIDATES, 3, RAW[:, :3], keep_tail=False).passages.tolist() == [[1, 2, 0]]


def test_equal_scores_are_ordered_by_passage():
    given_order = Rankings.from_order(np.array([[3, 1, 2, 0]]))
    assert apply_scores(given_order, 3, np.zeros((1, 3)), keep_tail=True).passages.tolist() == [[1, 2, 3, 0]]


def test_empty_places_stay_at_the_right():
    short = Rankings.from_order(np.array([[1, 0, EMPTY], [2, EMPTY, EMPTY]]))
    scores = np.array([[0.0, 1.0, np.nan], [5.0, np.nan, np.nan]])
    assert apply_scores(short, 9, scores, keep_tail=True).passages.tolist() == [[0, 1, EMPTY], [2, EMPTY, EMPTY]]


def test_a_ranking_without_columns_is_fine():
    assert apply_scores(Rankings.empty(2), 5, np.empty((2, 0)), keep_tail=True).passages.shape == (2, 0)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_score_that_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        apply_scores(CANDIDATES, 1, np.array([[bad]]), keep_tail=True)


def test_a_score_for_another_shape_is_refused():
    with pytest.raises(ValueError, match="one score for each place"):
        apply_scores(CANDIDATES, 3, RAW, keep_tail=True)


@given(st.permutations(range(6)), st.integers(1, 8), st.lists(st.integers(-3, 3), min_size=6, max_size=6))
def test_reranking_changes_places_never_membership(order, depth, scores):
    rankings = Rankings.from_order(np.array([order]))
    head = min(depth, 6)
    reranked = apply_scores(rankings, depth, np.array([scores[:head]], dtype=float), keep_tail=True)
    assert sorted(reranked.passages[0, :head]) == sorted(order[:head])
    assert reranked.passages[0, head:].tolist() == list(order[head:])


def test_equal_pairs_of_texts_are_scored_once():
    rankings = Rankings.from_order(np.array([[0, 1, 2], [2, 0, EMPTY], [1, EMPTY, EMPTY]]))
    pool = pool_of(rankings, 3, ["same", "same", "other"], ["tea", "tea", "sun"])
    assert pool.n_pairs == 6
    scored = [(pool.query_texts[q], pool.passage_texts[p]) for q, p in pool.pairs.tolist()]
    assert sorted(scored) == [("other", "tea"), ("same", "sun"), ("same", "tea")]
    values = {("other", "tea"): 1.0, ("same", "sun"): 2.0, ("same", "tea"): 3.0}
    placed = pool.scatter(np.array([values[pair] for pair in scored]))
    np.testing.assert_array_equal(placed, [[3, 3, 2], [2, 3, np.nan], [1, np.nan, np.nan]])


def test_the_pool_does_not_depend_on_ids():
    texts = ["tea", "sun", "moon"]
    one = pool_of(Rankings.from_order(np.array([[0, 1, 2]])), 3, ["q"], texts)
    other = pool_of(Rankings.from_order(np.array([[2, 1, 0]])), 3, ["q"], texts[::-1])
    assert one.passage_texts == other.passage_texts
    np.testing.assert_array_equal(one.pairs, other.pairs)


def test_truncated_pairs_are_counted_and_their_passages_named_once():
    rankings = Rankings.from_order(np.array([[0, 1], [1, EMPTY]]))
    pool = pool_of(rankings, 2, ["q1", "q2"], ["short", "long"])
    cut = np.array([pool.passage_texts[p] == "long" for _, p in pool.pairs.tolist()])
    assert pool.truncated(cut) == (2, [1])


def test_a_score_that_is_no_number_names_model_question_and_passage():
    pool = pool_of(CANDIDATES, 4, ["question"], ["a", "b", "c", "d"])
    scores = np.array([[1.0, np.nan, 2.0, np.inf]])
    with pytest.raises(StageError, match=r"rerank, question 'q1': model tiny scored passage 'p1'"):
        check_scores(pool, scores, "tiny", ["q1"], ["p0", "p1", "p2", "p3"])
