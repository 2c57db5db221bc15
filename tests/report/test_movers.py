"""Which questions moved between two arms."""

import numpy as np

from rag_ablation.report.movers import first_ranks, movers

IDS = ("q1", "q2", "q3", "q4", "q5")


def test_questions_that_moved_most_come_first_whatever_the_direction() -> None:
    before, after = np.array([0.5, 0.2, 1.0, 0.3, np.nan]), np.array([0.5, 0.4, 0.1, 0.8, np.nan])
    found = movers(IDS, before, after, 10)
    assert [IDS[moved.row] for moved in found] == ["q3", "q4", "q2"]
    assert (found[0].before, found[0].after) == (1.0, 0.1)
    assert found[0].difference == 0.1 - 1.0


def test_equal_moves_are_in_the_order_of_ids_and_binary_rounding_parts_none() -> None:
    before, after = np.array([0.3, 0.1, 0.0, 0.0, 0.0]), np.array([0.0, 0.4, 0.3, 0.0, 0.0])
    assert abs(after[1] - before[1]) != 0.3
    assert [IDS[moved.row] for moved in movers(IDS, before, after, 10)] == ["q1", "q2", "q3"]


def test_no_more_are_given_than_asked_for() -> None:
    assert len(movers(IDS, np.zeros(5), np.arange(5.0), 2)) == 2
    assert movers(IDS, np.zeros(5), np.arange(5.0), 0) == []


def test_a_question_scored_on_one_side_only_has_not_moved() -> None:
    assert movers(IDS, np.full(5, np.nan), np.ones(5), 10) == []


def test_the_reciprocal_rank_at_the_deepest_cutoff_tells_the_rank() -> None:
    values = {
        "final/mrr@1": np.array([1.0, 0, 0]),
        "final/mrr@100": np.array([1.0, 1 / 49, 0]),
        "sparse/mrr@500": np.ones(3),
    }
    found = first_ranks(values, "final")
    assert found is not None
    assert (found.depth, [found.at(row) for row in range(3)]) == (100, [1, 49, None])


def test_without_reciprocal_ranks_no_rank_is_known() -> None:
    assert first_ranks({"final/recall@10": np.ones(3)}, "final") is None


def test_an_unscored_question_has_no_rank() -> None:
    found = first_ranks({"final/mrr@10": np.array([np.nan])}, "final")
    assert found is not None
    assert found.at(0) is None
