import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.planning import wilson
from rag_ablation.measures.shares import Basis, share_interval, share_of_counts
from rag_ablation.measures.uncertainty import clustered_mean

HITS = st.lists(st.tuples(st.sampled_from([0.0, 1.0]), st.integers(0, 6)), min_size=1, max_size=30)


@given(st.integers(0, 40), st.integers(0, 40))
def test_where_every_group_has_one_question_it_is_wilsons(right: int, wrong: int) -> None:
    found, n = share_of_counts(right, right + wrong), right + wrong
    if n == 0:
        assert (found.share, found.low, found.high, found.reason) == (None, None, None, "no_values")
    else:
        assert (found.low, found.high) == wilson(right / n, n)
        assert (found.effective_n, found.design_effect, found.basis) == (n, 1, Basis.QUESTIONS)


def test_the_effective_n_is_n_over_the_design_effect() -> None:
    values, groups = np.array([1.0, 1, 1, 0, 0, 1, 0, 0]), np.array([0, 0, 0, 1, 1, 2, 3, 3])
    found, error = share_interval(values, groups), clustered_mean(values, groups).standard_error
    effect = error**2 / (0.5 * 0.5 / 7)
    assert found.design_effect == pytest.approx(effect)
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 8 / effect))
    assert found.basis == Basis.DESIGN_EFFECT


def test_where_all_answers_are_alike_groups_count_by_kish() -> None:
    found = share_interval(np.ones(10), np.array([0] * 4 + [1] * 4 + [2, 3]))
    assert found.effective_n == pytest.approx(100 / (16 + 16 + 1 + 1))
    assert (found.basis, found.high) == (Basis.WORST_CASE, 1)


@given(HITS)
def test_groups_never_narrow_the_interval(rows: list[tuple[float, int]]) -> None:
    values, groups = map(np.array, zip(*rows, strict=True))
    found = share_interval(values, groups)
    if found.low is None:
        assert found.n_groups == 1 < found.n
    else:
        plain = share_interval(values, np.arange(values.size))
        assert found.low <= plain.low + 1e-12
        assert found.high >= plain.high - 1e-12
        assert 0 <= found.low <= found.share <= found.high <= 1


def test_unscored_questions_are_dropped_and_counted() -> None:
    found = share_interval(np.array([1.0, np.nan, 0.0]), np.array([0, 0, 1]))
    assert (found.n, found.dropped, found.basis) == (2, 1, Basis.QUESTIONS)


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(InputRefused, match=r"found 0\.5"):
        share_interval(np.array([1.0, 0.5]), np.arange(2))
