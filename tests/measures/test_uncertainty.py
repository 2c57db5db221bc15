import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rag_ablation.measures.uncertainty import clustered_mean, clustered_ratio, paired_difference

NUMBERS = st.floats(-1, 1, allow_nan=False)


def test_worked_example_with_groups_of_different_size() -> None:
    got = clustered_mean(np.array([1.0, 1.0, 0.0, 0.5]), np.array([7, 7, 3, 5]))
    mean = 2.5 / 4
    sums = [1 - mean + 1 - mean, 0 - mean, 0.5 - mean]
    error = math.sqrt(3 / (3 - 1) * sum(u**2 for u in sums) / 4**2)
    width = stats.t.ppf(0.975, 3 - 1) * error
    assert (got.mean, got.n, got.n_groups, got.dropped, got.reason) == (mean, 4, 3, 0, None)
    assert got.standard_error == pytest.approx(error, rel=1e-12)
    assert (got.low, got.high) == pytest.approx((mean - width, mean + width), rel=1e-9)


@given(st.lists(NUMBERS, min_size=2, max_size=30), st.floats(0.5, 0.99))
def test_with_one_question_in_each_group_it_is_the_ordinary_t_interval(values: list[float], confidence: float) -> None:
    array = np.array(values)
    got = clustered_mean(array, np.arange(array.size), confidence=confidence)
    error = np.std(array, ddof=1) / math.sqrt(array.size)
    width = stats.t.ppf((1 + confidence) / 2, array.size - 1) * error
    assert got.standard_error == pytest.approx(error, rel=1e-9, abs=1e-15)
    assert (got.low, got.high) == pytest.approx((array.mean() - width, array.mean() + width), rel=1e-9, abs=1e-12)


@given(st.lists(NUMBERS, min_size=2, max_size=10), st.integers(2, 5))
def test_repeating_every_question_within_its_group_adds_no_certainty(values: list[float], times: int) -> None:
    array, groups = np.array(values), np.arange(len(values))
    once = clustered_mean(array, groups)
    often = clustered_mean(np.repeat(array, times), np.repeat(groups, times))
    assert often.standard_error == pytest.approx(once.standard_error, rel=1e-9, abs=1e-15)
    assert (often.low, often.high) == pytest.approx((once.low, once.high), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("values", "reason", "n_groups"),
    [([], "no_values", 0), ([np.nan, np.nan], "no_values", 0), ([0.3, 0.4], "fewer_than_2_groups", 1)],
)
def test_under_two_groups_there_is_no_interval(values: list[float], reason: str, n_groups: int) -> None:
    got = clustered_mean(np.array(values, dtype=float), np.zeros(len(values), dtype=np.int32))
    assert (got.low, got.high, got.standard_error, got.reason, got.n_groups) == (None, None, None, reason, n_groups)
    assert (got.mean is None) == (reason == "no_values")


def test_questions_without_a_value_on_either_side_are_dropped_in_pairs_and_counted() -> None:
    nan = np.nan
    child, parent = np.array([1.0, nan, 0.5, nan, 0.0]), np.array([0.0, 1.0, nan, nan, 0.5])
    got = paired_difference(child, parent, np.arange(5))
    assert (got.mean, got.n, got.n_groups, got.dropped) == ((1.0 - 0.5) / 2, 2, 2, 3)


@given(st.lists(st.tuples(NUMBERS, NUMBERS, st.integers(0, 5)), min_size=1, max_size=20))
def test_swapping_the_arms_mirrors_the_interval(rows: list[tuple[float, float, int]]) -> None:
    child, parent, groups = (np.array(column) for column in zip(*rows, strict=True))
    there, back = paired_difference(child, parent, groups), paired_difference(parent, child, groups)
    assert there.mean == -back.mean
    assert there.standard_error == back.standard_error
    if there.low is not None:
        assert (there.low, there.high) == (-back.high, -back.low)


def test_no_spread_is_an_interval_without_width() -> None:
    got = clustered_mean(np.full(7, 0.1), np.arange(7))
    assert (got.low, got.high, got.standard_error) == (got.mean, got.mean, 0)


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of each"):
        clustered_mean(np.zeros(3), np.zeros(2, dtype=int))
    with pytest.raises(ValueError, match="expected one of each"):
        paired_difference(np.zeros(3), np.zeros(1), np.zeros(3, dtype=int))
    with pytest.raises(ValueError, match="infinite"):
        clustered_mean(np.array([0, np.inf]), np.zeros(2, dtype=int))
    with pytest.raises(ValueError, match="between 0 and 1"):
        clustered_mean(np.zeros(2), np.arange(2), confidence=95)


@pytest.mark.slow
@pytest.mark.parametrize("n_groups", [20, 40, 100])
@pytest.mark.parametrize("kind", ["normal", "sign"])
def test_the_interval_covers_the_truth_as_often_as_it_says(n_groups: int, kind: str) -> None:
    rng = np.random.default_rng(20)
    covered, rounds = 0, 4000
    for _ in range(rounds):
        sizes = rng.integers(1, 5, size=n_groups)
        groups = np.repeat(np.arange(n_groups), sizes)
        shared = rng.normal(size=n_groups)[groups]
        values = shared + rng.normal(size=groups.size)
        if kind == "sign":
            values = np.where(np.abs(values) < 1, 0.0, np.sign(values))
        got = clustered_mean(values, groups)
        covered += bool(got.low <= 0 <= got.high)
    assert 0.93 <= covered / rounds <= 0.97


def test_a_ratio_of_ones_is_a_mean() -> None:
    values, groups = np.array([1.0, 0.0, 1.0, 0.5]), np.array([0, 0, 1, 2])
    got, expected = clustered_ratio(values, np.ones(4), groups), clustered_mean(values, groups)
    assert (got.mean, got.low, got.high) == pytest.approx((expected.mean, expected.low, expected.high), rel=1e-12)
    assert (got.n, got.n_groups) == (4, 3)


def test_the_interval_of_a_ratio_by_hand() -> None:
    found, relevant, groups = np.array([1.0, 1.0, 0.0]), np.array([2.0, 1.0, 1.0]), np.array([0, 1, 2])
    got = clustered_ratio(found, relevant, groups)
    # r = 2/4; u = 1 − 1, 1 − 1/2, 0 − 1/2
    error = math.sqrt(3 / 2 * (0.25 + 0.25)) / 4
    width = stats.t.ppf(0.975, 2) * error
    assert got.mean == 0.5
    assert (got.low, got.high) == pytest.approx((0.5 - width, 0.5 + width), rel=1e-12)


def test_the_interval_of_a_ratio_is_near_that_of_a_bootstrap_that_pools_inside_each_resample() -> None:
    rng = np.random.default_rng(0)
    relevant = rng.integers(1, 5, 300).astype(float)
    found = rng.binomial(relevant.astype(int), 0.6).astype(float)
    groups = np.arange(300) // 2
    sums = np.stack([np.bincount(groups, found), np.bincount(groups, relevant)])
    picks = rng.integers(0, 150, (4000, 150))
    pooled = sums[0][picks].sum(1) / sums[1][picks].sum(1)
    got = clustered_ratio(found, relevant, groups)
    assert got.standard_error == pytest.approx(pooled.std(), rel=0.05)
    assert (got.low, got.high) == pytest.approx(tuple(np.quantile(pooled, [0.025, 0.975])), abs=0.005)


def test_a_ratio_over_nothing_is_undefined_and_a_part_below_zero_is_refused() -> None:
    assert clustered_ratio(np.zeros(3), np.zeros(3), np.arange(3)).reason == "no_values"
    with pytest.raises(ValueError, match="none below 0"):
        clustered_ratio(np.zeros(2), np.array([1.0, -1.0]), np.arange(2))
