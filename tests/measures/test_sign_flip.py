from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.sign_flip import sign_flip_test, sign_flip_tests, t_test

TENTHS = st.lists(st.tuples(st.integers(-10, 10), st.integers(0, 8)), min_size=1, max_size=25)


def by_hand(rows: list[tuple[int, int]]) -> tuple[int, int]:
    """Extreme and all patterns, in exact fractions."""
    sums = {group: Fraction(0) for _, group in rows}
    for tenths, group in rows:
        sums[group] += Fraction(tenths, 10)
    observed = abs(sum(sums.values()))
    signs = list(product((1, -1), repeat=len(sums)))
    totals = [abs(sum(s * x for s, x in zip(one, sums.values(), strict=True))) for one in signs]
    return sum(total >= observed for total in totals), len(signs)


@given(TENTHS)
def test_every_pattern_is_counted_and_ties_of_decimals_tie(rows: list[tuple[int, int]]) -> None:
    found = sign_flip_test(np.array([tenths / 10 for tenths, _ in rows]), np.array([group for _, group in rows]))
    assert (found.extreme, found.patterns) == by_hand(rows)
    assert found.exact
    assert found.p == found.extreme / found.patterns


@given(TENTHS, st.randoms(use_true_random=False))
def test_neither_order_nor_names_nor_direction_count(rows: list[tuple[int, int]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    there = sign_flip_test(np.array([x / 10 for x, _ in rows]), np.array([g for _, g in rows]))
    back = sign_flip_test(np.array([-x / 10 for x, _ in shuffled]), np.array([(5 * g + 1) % 11 for _, g in shuffled]))
    assert there == back


def test_sampled_patterns_do_not_depend_on_order_direction_or_the_other_rows() -> None:
    rng = np.random.default_rng(0)
    rows, groups = rng.normal(size=(3, 90)), rng.integers(0, 40, 90)
    rows[0, groups > 24] = 0
    found = sign_flip_tests(rows, groups, resamples=1_000)
    assert [test.exact for test in found] == [False] * 3
    assert found[0].n_differing < found[1].n_differing == found[1].n_groups
    order = rng.permutation(90)
    assert [sign_flip_test(-row[order], 99 - groups[order], resamples=1_000) for row in rows] == found


def test_above_20_groups_that_differ_patterns_are_sampled_and_the_observed_one_counts() -> None:
    twenty = np.concatenate([np.full(20, 0.1), np.zeros(30)])
    found = sign_flip_test(twenty, np.arange(50))
    assert (found.exact, found.n_groups, found.n_differing) == (True, 50, 20)
    assert found.p == 2 / 2**20
    found = sign_flip_test(np.full(60, 0.1), np.arange(60), resamples=999)
    assert (found.exact, found.extreme, found.patterns, found.p) == (False, 1, 1_000, 0.001)


def test_a_sampled_p_is_close_to_the_exact_one() -> None:
    # the exact sign test: 30 groups differ, 21 of them up
    gaps = np.concatenate([np.ones(21), -np.ones(9)])
    exact = stats.binomtest(21, 30).pvalue
    found = sign_flip_test(gaps, np.arange(30))
    assert found.p == pytest.approx(exact, abs=5 * np.sqrt(exact / 100_000))


def test_a_group_whose_differences_cancel_does_not_differ() -> None:
    found = sign_flip_test(np.array([0.1, 0.2, -0.3, 0.5]), np.array([0, 0, 0, 1]))
    assert (found.n_groups, found.n_differing, found.p) == (2, 1, 1)


def test_without_a_question_or_a_difference_p_is_1() -> None:
    assert sign_flip_test(np.array([]), np.array([], dtype=int)).p == 1
    assert sign_flip_test(np.array([np.nan, 0.0]), np.arange(2)).p == 1


def test_the_sampled_test_keeps_its_size() -> None:
    rows = np.random.default_rng(3).normal(size=(2_000, 25))
    p = np.array([test.p for test in sign_flip_tests(rows, np.arange(25), resamples=999)])
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 2_000))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=20).filter(lambda x: np.ptp(x) > 1e-6))
def test_with_one_question_in_each_group_it_is_scipys_paired_t(values: list[float]) -> None:
    found = t_test(np.array(values), np.arange(len(values)))
    theirs = stats.ttest_1samp(values, 0)
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-6, abs=1e-12)


def test_a_t_without_spread_or_groups_is_undefined_and_says_why() -> None:
    same = t_test(np.array([0.2, 0.3, 0.4]) - np.array([0.1, 0.2, 0.3]), np.arange(3))
    assert (same.statistic, same.p, same.reason) == (None, None, "no_spread")
    one = t_test(np.array([0.2, 0.3]), np.zeros(2, dtype=int))
    assert (one.statistic, one.p, one.reason, one.freedom) == (None, None, "fewer_than_2_groups", 0)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputRefused, match="integer from 1"):
        sign_flip_test(np.zeros(3), np.arange(3), resamples=0)
    with pytest.raises(ValueError, match="expected \\(C, Q\\)"):
        sign_flip_test(np.zeros(3), np.arange(2))
