"""The difference of two means over different questions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rag_ablation.measures.independent import IndependentDifference, Sample, between, independent_difference
from rag_ablation.measures.uncertainty import clustered_mean, t_quantile

VALUES = st.lists(st.integers(-100, 100).map(lambda n: n / 100), min_size=2, max_size=30)
ROWS = st.lists(st.tuples(st.integers(-100, 100).map(lambda n: n / 100), st.integers(0, 5)), min_size=2, max_size=30)


def sample(values: list[float], groups: list[int] | None = None) -> Sample:
    return Sample(np.array(values, dtype=float), np.array(range(len(values)) if groups is None else groups, dtype=int))


def of_rows(rows: list[tuple[float, int]]) -> Sample:
    return sample([value for value, _ in rows], [group for _, group in rows])


@given(VALUES, VALUES, st.floats(0.5, 0.99))
def test_with_one_question_in_each_group_it_is_scipys_welch_test(
    first: list[float], second: list[float], confidence: float
) -> None:
    got = independent_difference(sample(first), sample(second), confidence=confidence)
    if len(set(first)) == 1 or len(set(second)) == 1:
        return  # scipy warns of values without spread; see below
    test = stats.ttest_ind(first, second, equal_var=False)
    ends = test.confidence_interval(confidence)
    assert got.freedom == pytest.approx(test.df, rel=1e-9)
    assert (got.mean or 0) / (got.standard_error or 0) == pytest.approx(test.statistic, rel=1e-9, abs=1e-12)
    assert (got.low, got.high) == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)


def test_worked_example_with_groups_of_different_size() -> None:
    dev, holdout = sample([1, 1, 0, 0.5], [7, 7, 3, 5]), sample([0, 1, 0.5, 0.5, 0], [1, 1, 2, 3, 4])
    got = independent_difference(dev, holdout)
    m1, m2 = 2.5 / 4, 2 / 5
    v1 = 3 / 2 * sum(u**2 for u in (2 - 2 * m1, 0 - m1, 0.5 - m1)) / 4**2
    v2 = 4 / 3 * sum(u**2 for u in (1 - 2 * m2, 0.5 - m2, 0.5 - m2, 0 - m2)) / 5**2
    freedom = (v1 + v2) ** 2 / (v1**2 / (3 - 1) + v2**2 / (4 - 1))
    width = stats.t.ppf(0.975, freedom) * math.sqrt(v1 + v2)
    assert got.mean == pytest.approx(0.225, rel=1e-12)
    assert got.standard_error == pytest.approx(math.sqrt(v1 + v2), rel=1e-12)
    assert got.freedom == pytest.approx(freedom, rel=1e-12)
    assert (got.low, got.high) == pytest.approx((m1 - m2 - width, m1 - m2 + width), rel=1e-9)
    assert (got.first.n, got.first.n_groups, got.second.n, got.second.n_groups) == (4, 3, 5, 4)


@given(ROWS, ROWS)
def test_swapping_the_sides_mirrors_the_interval(one: list[tuple[float, int]], other: list[tuple[float, int]]) -> None:
    there, back = (
        independent_difference(*sides) for sides in ((of_rows(one), of_rows(other)), (of_rows(other), of_rows(one)))
    )
    assert (there.mean, there.first, there.reason) == (-(back.mean or 0), back.second, back.reason)
    if there.low is not None and back.high is not None:
        assert (there.low, there.standard_error) == pytest.approx((-back.high, back.standard_error), rel=1e-12)


@given(ROWS, ROWS)
def test_freedom_lies_between_that_of_the_smaller_side_and_that_of_both(
    one: list[tuple[float, int]], other: list[tuple[float, int]]
) -> None:
    got = independent_difference(of_rows(one), of_rows(other))
    if got.freedom is not None:
        each = got.first.n_groups - 1, got.second.n_groups - 1
        assert min(each) * (1 - 1e-12) <= got.freedom <= sum(each) * (1 + 1e-12)


def test_a_side_without_spread_adds_no_uncertainty() -> None:
    values = [0.0, 0.5, 1.0, 0.5]
    got, alone = independent_difference(sample([0.25] * 9), sample(values)), clustered_mean(*sample(values))
    assert got.standard_error == alone.standard_error
    assert got.freedom == 3
    assert got.high == pytest.approx(0.25 - (alone.low or 0), rel=1e-12)


def test_without_spread_on_either_side_the_interval_has_no_width() -> None:
    got = independent_difference(sample([0.75] * 3), sample([0.5] * 4))
    assert (got.mean, got.low, got.high, got.standard_error) == (0.25, 0.25, 0.25, 0)
    assert (got.freedom, got.reason) == (None, None)


def test_a_spread_that_is_hardly_there_does_not_underflow() -> None:
    got = independent_difference(sample([0, 1e-120, 0]), sample([0, 0, 1e-120, 0]))
    assert got.freedom is not None
    assert 2 <= got.freedom <= 5


@pytest.mark.parametrize(
    ("first", "second", "mean", "reason"),
    [
        (sample([]), sample([0.1, 0.2]), None, "no_values"),
        (sample([0.1, 0.2]), sample([math.nan, math.nan]), None, "no_values"),
        (sample([0.5, 0.5], [3, 3]), sample([0.25, 0.25]), 0.25, "fewer_than_2_groups"),
        (sample([0.5, 0.5]), sample([0.25, math.nan], [0, 1]), 0.25, "fewer_than_2_groups"),
    ],
)
def test_without_two_groups_on_each_side_there_is_no_interval(
    first: Sample, second: Sample, mean: float | None, reason: str
) -> None:
    got = independent_difference(first, second)
    assert (got.mean, got.reason) == (mean, reason)
    assert (got.low, got.high, got.standard_error, got.freedom) == (None, None, None, None)


def test_unscored_questions_are_dropped_and_counted_on_their_own_side() -> None:
    nan = math.nan
    got = independent_difference(sample([1, nan, 0, 0.5]), sample([nan, nan, 0, 1, 0.5]))
    assert (got.first.n, got.first.dropped, got.second.n, got.second.dropped) == (3, 1, 3, 2)
    assert got.mean == 0


def test_what_has_no_meaning_is_refused() -> None:
    good = sample([0, 1])
    with pytest.raises(ValueError, match="expected one of each"):
        independent_difference(good, Sample(np.zeros(3), np.zeros(2, dtype=int)))
    with pytest.raises(ValueError, match="between 0 and 1"):
        independent_difference(good, good, confidence=1)


@pytest.mark.parametrize("freedom", [1, 2.5, 7.75, 100])
def test_t_quantiles_of_whole_and_other_degrees_of_freedom(freedom: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("n_groups", [(20, 20), (20, 60), (60, 20)])
def test_the_interval_covers_the_truth_as_often_as_it_says(n_groups: tuple[int, int]) -> None:
    rng = np.random.default_rng(31)

    def drawn(n: int, spread: float) -> Sample:
        groups = np.repeat(np.arange(n), rng.integers(1, 5, size=n))
        return Sample(spread * (rng.normal(size=n)[groups] + rng.normal(size=groups.size)), groups)

    def holds(got: IndependentDifference) -> bool:
        return got.low is not None and got.high is not None and got.low <= 0 <= got.high

    rounds = 4000
    sides = ((drawn(n_groups[0], 1.0), drawn(n_groups[1], 2.0)) for _ in range(rounds))
    assert 0.93 <= sum(holds(independent_difference(*both)) for both in sides) / rounds <= 0.97


@given(ROWS, ROWS)
def test_means_that_were_written_down_give_the_same(
    one: list[tuple[float, int]], other: list[tuple[float, int]]
) -> None:
    first, second = of_rows(one), of_rows(other)
    assert between(clustered_mean(*first), clustered_mean(*second)) == independent_difference(first, second)


def test_means_at_other_confidences_are_refused() -> None:
    values = sample([0, 1, 0.5])
    with pytest.raises(ValueError, match=r"found intervals at 0.95 and 0.9, expected the same"):
        between(clustered_mean(*values), clustered_mean(*values, confidence=0.9))
