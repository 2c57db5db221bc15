"""A mean as it is written down: which interval stands beside it."""

import numpy as np

from rag_ablation.core.results import Mean
from rag_ablation.experiment.means import recorded
from rag_ablation.measures.shares import Basis, share_interval
from rag_ablation.measures.uncertainty import clustered_mean, clustered_ratio

VALUES = np.array([1.0] * 8 + [0.0] * 2)
MEAN = Mean(value=0.8, n=10, excluded={})
SINGLE, PAIRS = np.arange(10, dtype=np.int32), np.arange(10, dtype=np.int32) // 2


def test_a_share_has_wilsons_interval_and_says_on_which_n() -> None:
    single, pairs = recorded("hit", MEAN, VALUES, SINGLE), recorded("all_hit", MEAN, VALUES, PAIRS)
    assert (single.low, single.high) == (share_interval(VALUES, SINGLE).low, share_interval(VALUES, SINGLE).high)
    assert (single.basis, pairs.basis) == (Basis.QUESTIONS, Basis.DESIGN_EFFECT)
    assert single.high is not None
    assert single.high < 1


def test_any_other_mean_has_the_clustered_t_interval_even_where_its_values_are_0_and_1() -> None:
    found, expected = recorded("recall", MEAN, VALUES, PAIRS), clustered_mean(VALUES, PAIRS)
    assert (found.low, found.high, found.n_groups, found.basis) == (expected.low, expected.high, 5, None)


def test_a_pooled_mean_has_the_interval_of_a_ratio() -> None:
    found, relevant = VALUES, np.array([1.0] * 9 + [3.0])
    pooled = Mean(value=8 / 12, n=10, excluded={})
    expected = clustered_ratio(found, relevant, PAIRS)
    got = recorded("recall_micro", pooled, np.stack([found, relevant]), PAIRS)
    assert (got.low, got.high, got.n_groups, got.basis) == (expected.low, expected.high, 5, None)


def test_an_undefined_mean_and_one_without_values_have_no_interval() -> None:
    undefined = Mean(value=None, n=0, excluded={"no_answer": 3}, reason="no question is scored")
    assert recorded("recall_micro", MEAN, None, SINGLE).low is None
    assert recorded("hit", undefined, VALUES, SINGLE).reason == "no question is scored"
