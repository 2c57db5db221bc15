"""Calibration by simulation; `python -m benchmarks.calibration` prints every cell."""

import math

import pytest
from benchmarks.calibration import claims, coverage, made_groups

REPETITIONS = 2_000
FAMILIES = 500


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "symmetric"])
@pytest.mark.parametrize("n", [100, 300])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_intervals_by_group_hold_the_truth_and_those_by_question_do_not(kind: str, n: int, correlation: float) -> None:
    got = coverage(kind, n, correlation, repetitions=REPETITIONS, bootstrap=False)
    assert got.n_groups >= 20
    assert 0.93 <= got.by_group <= 0.97
    assert got.size_by_group <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / REPETITIONS)
    if correlation:
        assert got.by_question < 0.85
        assert got.size_by_question > 0.15


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "hit"])
@pytest.mark.parametrize("n", [30, 100, 300])
@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_a_family_of_null_arms_makes_few_claims_and_careless_tests_make_many(
    kind: str, n: int, correlation: float
) -> None:
    got = claims(kind, n, correlation, repetitions=FAMILIES)
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / FAMILIES)
    assert got.words <= got.adjusted <= allowed
    assert got.unadjusted > allowed
    assert got.unadjusted_by_question > allowed
    assert not correlation or got.adjusted_by_question > allowed


def test_groups_have_1_to_8_questions_and_are_always_the_same() -> None:
    groups = made_groups(300)
    sizes = [groups.tolist().count(group) for group in sorted(set(groups.tolist()))]
    assert (sum(sizes), min(sizes), max(sizes)) == (300, 1, 8)
    assert (groups == made_groups(300)).all()
