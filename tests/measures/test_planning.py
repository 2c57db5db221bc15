"""What so many questions can show."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm, t

from rag_ablation.measures.planning import (
    effective_groups,
    groups_needed,
    plan,
    smallest_difference,
    smallest_difference_from,
    smallest_p,
    wilson,
)

SIZES = st.lists(st.integers(1, 9), min_size=2, max_size=40)


def test_24_of_30_right_means_63_to_90_percent() -> None:
    found = wilson(24 / 30, 30)
    assert (round(100 * found.low), round(100 * found.high)) == (63, 90)


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipys(n: int, data: st.DataObject, confidence: float) -> None:
    right = data.draw(st.integers(0, n))
    expected = binomtest(right, n).proportion_ci(confidence, method="wilson")
    assert wilson(right / n, n, confidence=confidence) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(("share", "n", "confidence"), [(1.1, 9, 0.95), (-0.1, 9, 0.95), (0.5, 0, 0.95), (0.5, 9, 1.0)])
def test_what_makes_no_sense_is_refused(share: float, n: float, confidence: float) -> None:
    with pytest.raises(ValueError, match="found share"):
        wilson(share, n, confidence=confidence)


@given(st.integers(1, 50), st.integers(1, 50))
def test_groups_of_one_size_count_as_they_are(groups: int, size: int) -> None:
    assert effective_groups([size] * groups) == pytest.approx(groups)


@given(SIZES)
def test_uneven_groups_count_for_less(sizes: list[int]) -> None:
    assert 1 <= effective_groups(sizes) <= len(sizes) + 1e-9


def test_no_group_counts_for_nothing() -> None:
    assert effective_groups([]) == 0


def test_the_smallest_difference_is_the_planning_formula() -> None:
    sizes = [4, 1, 1, 2]
    error = 0.5 / math.sqrt(8**2 / (16 + 1 + 1 + 4))
    assert smallest_difference(sizes, 0.5) == pytest.approx((t.ppf(0.975, 3) + t.ppf(0.8, 3)) * error)
    assert smallest_difference(sizes, 0.5, family=5) == pytest.approx((t.ppf(0.995, 3) + t.ppf(0.8, 3)) * error)
    assert smallest_difference([1] * 100_000, 1) == pytest.approx(
        (norm.ppf(0.975) + norm.ppf(0.8)) / math.sqrt(100_000), rel=1e-4
    )


def test_one_group_shows_no_difference() -> None:
    assert smallest_difference([7], 0.5) is None


@pytest.mark.parametrize(("groups", "p"), [(0, 1), (1, 1), (5, 0.0625), (6, 0.03125)])
def test_the_smallest_p_is_that_of_all_signs_alike(groups: int, p: float) -> None:
    assert smallest_p(groups) == p


def test_a_plan_takes_a_measured_error_and_divides_the_level() -> None:
    found = plan([1] * 25 + [5] * 5, measured=0.04, family=4)
    assert found.smallest_difference == pytest.approx((t.ppf(1 - 0.05 / 8, 29) + t.ppf(0.8, 29)) * 0.04)
    assert (found.n, found.n_groups, found.family) == (50, 30, 4)
    assert found.effective_groups == pytest.approx(2500 / 150)
    assert (found.smallest_p, found.smallest_adjusted_p) == (2 / 2**30, 8 / 2**30)
    assert found.basis == "clustered standard error of a comparable pair"


@pytest.mark.parametrize(("measure", "deviation"), [("hit@10", 0.5), ("ndcg@10", 0.3), ("recall@5", 0.3)])
def test_without_a_measured_error_the_assumption_is_named(measure: str, deviation: float) -> None:
    found = plan([2] * 30, measure=measure)
    assert found.smallest_difference == smallest_difference([2] * 30, deviation)
    assert found.basis == f"assumed: differences of standard deviation {deviation}, all alike within a group"


def test_a_plan_for_one_group_finds_nothing() -> None:
    found = plan([9], family=3)
    assert (found.smallest_difference, found.standard_error, found.smallest_adjusted_p) == (None, None, 1)
    with pytest.raises(ValueError, match="at least one comparison"):
        plan([9], family=0)


@given(st.integers(1, 30), st.sampled_from([0.8, 0.95]))
def test_wilson_reaches_the_edge_exactly(n: int, confidence: float) -> None:
    assert wilson(0, n, confidence=confidence).low == 0
    assert wilson(1, n, confidence=confidence).high == 1


@given(st.floats(0.001, 0.5), st.floats(0.001, 0.2), st.integers(6, 300))
def test_the_groups_needed_are_the_fewest_that_show_a_difference(difference: float, error: float, groups: int) -> None:
    needed = groups_needed(difference, standard_error=error, n_groups=groups)
    assert needed is not None

    def smallest(some: int) -> float | None:
        return smallest_difference_from(error * math.sqrt(groups / some), some)

    found = smallest(needed)
    assert found is not None
    assert found <= difference
    assert needed == 2 or smallest(needed - 1) > difference  # type: ignore[operator]


@pytest.mark.parametrize(
    ("there", "shown", "wanted"), [(57, 0.054, 0.03), (100, 0.02, 0.02), (106, 0.034, 0.02), (400, 0.05, 0.01)]
)
def test_the_groups_needed_grow_with_the_square(there: int, shown: float, wanted: float) -> None:
    error = shown / smallest_difference_from(1.0, there)  # type: ignore[operator]
    needed = groups_needed(wanted, standard_error=error, n_groups=there)
    assert needed == pytest.approx(there * (shown / wanted) ** 2, rel=0.03)


def test_no_number_of_groups_shows_a_difference_of_0() -> None:
    assert groups_needed(0, standard_error=0.1, n_groups=20) is None
    assert groups_needed(0, standard_error=0.0, n_groups=20, least=6) == 6
