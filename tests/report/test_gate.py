"""A gate: what an interval rules out, and what it does not."""

import numpy as np
import pytest

from rag_ablation.measures.family import Warned
from rag_ablation.measures.planning import smallest_difference_from
from rag_ablation.measures.uncertainty import Interval, clustered_mean
from rag_ablation.report.gate import Ruling, gate, planned


def interval(low: float, high: float, n_groups: int = 30) -> Interval:
    return Interval(
        mean=(low + high) / 2,
        low=low,
        high=high,
        standard_error=(high - low) / 4,
        n=2 * n_groups,
        n_groups=n_groups,
        dropped=0,
        confidence=0.95,
    )


@pytest.mark.parametrize(
    ("low", "high", "ruling"),
    [
        (-0.005, 0.02, Ruling.PASSED),
        (0.01, 0.02, Ruling.PASSED),
        (-0.03, -0.011, Ruling.FAILED),
        (-0.03, 0.001, Ruling.UNDECIDED),
        (-0.03, -0.005, Ruling.UNDECIDED),
    ],
)
def test_only_the_interval_decides(low: float, high: float, ruling: Ruling) -> None:
    assert gate(interval(low, high), 0.01, measure="final/ndcg@10").ruling is ruling


def test_a_drop_of_exactly_the_limit_is_not_beyond_it() -> None:
    assert gate(interval(-0.01, 0.02), 0.01, measure="final/ndcg@10").ruling is Ruling.PASSED
    assert gate(interval(-0.01 - 1e-9, 0.02), 0.01, measure="final/ndcg@10").ruling is Ruling.UNDECIDED
    assert gate(interval(-0.03, -0.01), 0.01, measure="final/ndcg@10").ruling is Ruling.UNDECIDED


def test_an_end_that_binary_rounding_moved_off_the_limit_is_at_it() -> None:
    every = clustered_mean(np.full(30, 0.7 - 0.8), np.arange(30))
    assert every.high is not None
    assert every.high < -0.1
    assert gate(every, 0.1, measure="final/ndcg@10").ruling is Ruling.PASSED


def test_no_difference_at_all_passes_even_without_a_margin() -> None:
    same = clustered_mean(np.zeros(40), np.arange(40) // 2)
    assert (same.low, same.high) == (0, 0)
    assert gate(same, 0.0, measure="final/ndcg@10").ruling is Ruling.PASSED


@pytest.mark.parametrize("n_groups", [0, 1, 5])
def test_under_six_groups_nothing_is_decided_even_where_nothing_differs(n_groups: int) -> None:
    found = gate(clustered_mean(np.zeros(n_groups), np.arange(n_groups)), 0.5, measure="final/ndcg@10")
    assert found.ruling is Ruling.UNDECIDED
    assert found.reason
    assert found.needed is not None
    assert found.needed >= 6


def test_nothing_scored_is_undecided_and_says_so() -> None:
    found = gate(clustered_mean(np.full(8, np.nan), np.arange(8)), 0.01, measure="final/ndcg@10")
    assert (found.ruling, found.reason) == (Ruling.UNDECIDED, "no question is scored on both sides")


def test_the_groups_needed_are_the_fewest_whose_smallest_difference_is_the_limit() -> None:
    wide = interval(-0.05, 0.03)
    found = gate(wide, 0.01, measure="final/ndcg@10")
    assert found.needed is not None

    def smallest(groups: int) -> float:
        error = wide.standard_error * (wide.n_groups / groups) ** 0.5  # type: ignore[operator]
        return smallest_difference_from(error, groups)  # type: ignore[return-value]

    assert smallest(found.needed) <= 0.01 < smallest(found.needed - 1)
    assert planned(found).startswith(f"planning: there are 30 groups; about {found.needed} would decide")


def test_where_the_groups_would_do_for_equals_the_plan_takes_the_difference_as_it_was_found() -> None:
    near = interval(-0.0105, -0.0065)
    found = gate(near, 0.01, measure="final/ndcg@10")
    assert found.ruling is Ruling.UNDECIDED
    assert found.needed is not None
    assert found.needed > 30
    assert found.planned_from == "like these, if the difference stays as it is"


def test_a_gate_that_wants_no_drop_at_all_has_no_number_of_groups() -> None:
    found = gate(interval(-0.05, 0.03), 0.0, measure="final/ndcg@10")
    assert found.needed is None
    assert "no number can be named" in planned(found)


def test_a_decided_gate_plans_nothing() -> None:
    assert planned(gate(interval(0, 0.1), 0.01, measure="final/ndcg@10")) == ""


def test_few_groups_weaken_a_ruling_and_are_said() -> None:
    found = gate(interval(0, 0.1, 8), 0.01, measure="final/ndcg@10", warned=[Warned.FEW_GROUPS])
    assert found.ruling is Ruling.PASSED
    assert found.warnings[0].startswith("under 20 groups")
