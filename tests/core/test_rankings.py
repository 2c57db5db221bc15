import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.rankings import Rankings, project_to_units

SCORES = st.lists(st.sampled_from([0.0, -1.5, 0.5, 0.5000000001, 2.0]), min_size=1, max_size=8)


@given(SCORES, st.randoms(use_true_random=False))
def test_score_down_then_row_up_whatever_the_order_of_the_candidates(scores: list[float], random: object) -> None:
    rows = list(range(len(scores)))
    random.shuffle(rows)  # type: ignore[attr-defined]
    found = Rankings.from_scores(np.array([rows]), np.array([[scores[row] for row in rows]]))
    expected = sorted(range(len(scores)), key=lambda row: (-scores[row], row))
    assert found.passages[0].tolist() == expected


def test_candidates_that_are_not_there_stand_at_the_right() -> None:
    found = Rankings.from_scores(np.array([[-1, 4, 2]]), np.array([[9.0, -3.0, -2.0]]))
    assert found.passages.tolist() == [[2, 4, -1]]
    assert np.isnan(found.scores[0, 2])


@pytest.mark.parametrize(
    ("passages", "scores", "message"),
    [
        ([[1, 1]], [[2.0, 1.0]], "twice"),
        ([[-1, 1]], [[np.nan, 1.0]], "only at the right"),
        ([[1, 2]], [[1.0, 2.0]], "must not rise"),
        ([[1, 2]], [[np.nan, 2.0]], "kept tail"),
        ([[1, -1]], [[1.0, 0.0]], "NaN where empty"),
    ],
)
def test_a_malformed_ranking_is_refused(passages: list[list[int]], scores: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Rankings.from_order(np.array(passages), np.array(scores))


def test_arrays_cannot_be_written_to() -> None:
    found = Rankings.from_order(np.array([[1, 2]]))
    with pytest.raises(ValueError, match="read-only"):
        found.passages[0, 0] = 5


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=10, unique=True),
    st.lists(st.integers(0, 3), min_size=10, max_size=10),
)
def test_projection_keeps_the_first_occurrence_of_each_unit(ranking: list[int], units: list[int]) -> None:
    found = project_to_units(np.array([ranking], dtype=np.int32), np.array(units, dtype=np.int32))
    expected = list(dict.fromkeys(units[row] for row in ranking))
    assert [unit for unit in found[0].tolist() if unit >= 0] == expected
    assert found.shape == (1, len(ranking))


def test_the_digest_covers_scores_too() -> None:
    one = Rankings.from_order(np.array([[1, 2]]), np.array([[2.0, 1.0]]))
    other = Rankings.from_order(np.array([[1, 2]]), np.array([[2.0, 1.5]]))
    assert one.digest() != other.digest()
