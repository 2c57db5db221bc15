import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.bootstrap import bootstrap_interval, bootstrap_intervals

ROWS = st.lists(st.tuples(st.sampled_from([-1.0, -0.3, 0.1, 0.2, 1 / 3]), st.integers(0, 5)), min_size=1, max_size=25)


def test_every_resample_draws_as_many_groups_and_divides_by_the_questions_drawn() -> None:
    # groups A (1 question) and B (3): the means are 1, (1 + 0) / 4 and 0, with chances 1/4, 1/2, 1/4
    values, groups = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0, 1, 1, 1])
    assert (bootstrap_interval(values, groups).low, bootstrap_interval(values, groups).high) == (0, 1)
    inner = bootstrap_interval(values, groups, confidence=0.4)
    assert (inner.low, inner.high) == (0.25, 0.25)


@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 3))
def test_neither_the_order_of_questions_nor_the_names_of_groups_count(
    rows: list[tuple[float, int]], random: object, seed: int
) -> None:
    shuffled = [(value, (7 * group + 3) % 11) for value, group in rows]
    random.shuffle(shuffled)
    (values, groups), (others, renamed) = (map(np.array, zip(*pairs, strict=True)) for pairs in (rows, shuffled))
    once = bootstrap_interval(values, groups, resamples=200, seed=seed)
    assert bootstrap_interval(others, renamed, resamples=200, seed=seed) == once
    beside = np.stack([np.ones(values.size), np.where(groups == 0, np.nan, values), values])
    assert bootstrap_intervals(beside, groups, resamples=200, seed=seed)[2] == once


def test_it_is_scipys_where_every_group_has_one_question() -> None:
    values = np.random.default_rng(1).normal(size=40)
    ours = bootstrap_interval(values, np.arange(40), resamples=50_000)
    theirs = stats.bootstrap((values,), np.mean, n_resamples=50_000, method="percentile", rng=2).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_the_seed_is_of_account_and_repeats() -> None:
    values, groups = np.random.default_rng(0).normal(size=50), np.arange(50)
    assert bootstrap_interval(values, groups, seed=1) == bootstrap_interval(values, groups, seed=1)
    assert bootstrap_interval(values, groups, seed=1) != bootstrap_interval(values, groups, seed=2)


def test_questions_without_a_value_are_left_out_and_their_groups_with_them() -> None:
    values, groups = np.array([np.nan, 0.2, 0.4, np.nan]), np.array([5, 1, 2, 1])
    assert bootstrap_interval(values, groups) == bootstrap_interval(values[1:3], groups[1:3])


@pytest.mark.parametrize(
    ("values", "reason", "n_groups"),
    [([], "no_values", 0), ([np.nan], "no_values", 0), ([0.1, 0.4], "fewer_than_2_groups", 1)],
)
def test_under_two_groups_there_is_no_interval(values: list[float], reason: str, n_groups: int) -> None:
    found = bootstrap_interval(np.array(values, dtype=float), np.zeros(len(values), dtype=int))
    assert (found.low, found.high, found.reason, found.n_groups) == (None, None, reason, n_groups)


def test_what_makes_no_sense_is_refused() -> None:
    values, groups = np.zeros(3), np.arange(3)
    for resamples in (0, True, 10.0):
        with pytest.raises(InputRefused, match="integer from 1") as refused:
            bootstrap_interval(values, groups, resamples=resamples)
        assert refused.value.reason == "bad_resamples"
    with pytest.raises(InputRefused, match="between 0 and 1"):
        bootstrap_interval(values, groups, confidence=95)
    with pytest.raises(ValueError, match="expected \\(C, Q\\)"):
        bootstrap_interval(values, groups[:2])
    with pytest.raises(ValueError, match="infinite one in comparison 1"):
        bootstrap_intervals(np.array([[0.0], [np.inf]]), groups[:1])
