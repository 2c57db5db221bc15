"""What scipy and ranx compute too, they compute alike. Wilson, t quantiles and other evaluators: in the other files."""

from itertools import combinations
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rag_ablation.measures.bootstrap import bootstrap_interval
from rag_ablation.measures.family import Step, compare_family, holm
from rag_ablation.measures.formulas import find
from rag_ablation.measures.pairs import paired_test, pairs
from rag_ablation.measures.ranking import score
from rag_ablation.measures.sign_flip import sign_flip_test
from rag_ablation.measures.uncertainty import paired_difference
from tests.measures.test_ranking import CUTOFFS, N_UNITS, judged, random_run, table

NDCG = "ndcg_burges"  # the gain 2^grade − 1; ranx' plain ndcg has the grade itself
RANX = {"recall": "recall", "mrr": "mrr", "ndcg": NDCG, "hit": "hit_rate", "precision": "precision"}


def scores(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two arms that agree on a third of the questions."""
    rng = np.random.default_rng(seed)
    parent = rng.random(n)
    return np.where(rng.random(n) < 1 / 3, parent, parent + rng.normal(0.1, 0.3, n)), parent


@pytest.mark.parametrize(("seed", "n"), [(0, 3), (1, 5), (2, 30), (3, 500)])
def test_with_one_question_in_each_group_difference_interval_and_t_are_scipys(seed: int, n: int) -> None:
    child, parent = scores(seed, n)
    theirs = stats.ttest_rel(child, parent)
    ours = paired_test(pairs(parent.tolist(), child.tolist()), resamples=1)
    assert (ours.t_by_group.statistic, ours.t_by_group.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert ours.t == ours.t_by_group
    for confidence in (0.8, 0.95):
        interval = paired_difference(child, parent, np.arange(n), confidence=confidence)
        ends = theirs.confidence_interval(confidence)
        assert (interval.low, interval.high) == pytest.approx((ends.low, ends.high), rel=1e-9, abs=1e-12)


def mean_difference(child: np.ndarray, parent: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(child - parent, axis=axis)


@pytest.mark.parametrize(("seed", "n"), [(0, 2), (1, 6), (2, 12), (3, 14)])
def test_with_one_question_in_each_group_the_exact_sign_flip_is_scipys_permutation_test(seed: int, n: int) -> None:
    child, parent = scores(seed, n)
    theirs = stats.permutation_test(
        (child, parent), mean_difference, permutation_type="samples", vectorized=True, n_resamples=np.inf
    )
    ours = sign_flip_test(child - parent, np.arange(n))
    assert ours.exact
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_by_group_the_exact_sign_flip_is_scipys_permutation_test_of_the_sums_by_group(seed: int) -> None:
    child, parent = scores(seed, 60)
    groups = np.random.default_rng(seed).integers(0, 13, 60)
    sums = np.bincount(groups, weights=child - parent)
    theirs = stats.permutation_test(
        (sums,), np.sum, permutation_type="samples", vectorized=True, n_resamples=np.inf, batch=1024
    )
    ours = sign_flip_test(child - parent, groups)
    assert (ours.exact, ours.n_groups) == (True, sums.size)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)


def test_by_group_the_bootstrap_is_scipys_of_sums_over_sizes_drawn_together() -> None:
    child, parent = scores(5, 120) + np.array([[1.0], [0.0]])  # far from 0, the denominator is of account
    groups = np.random.default_rng(5).integers(0, 30, 120)
    sums, sizes = np.bincount(groups, weights=child - parent), np.bincount(groups)
    theirs = stats.bootstrap(
        (sums, sizes),
        lambda total, count, axis: total.sum(axis=axis) / count.sum(axis=axis),
        paired=True,
        n_resamples=50_000,
        method="percentile",
        batch=5_000,
        rng=6,
    )
    ours = bootstrap_interval(child - parent, groups, resamples=50_000)
    ends = theirs.confidence_interval
    # a percentile .025 of 50,000 has a standard error of .012 of theirs; five of the difference of two
    assert (ours.low, ours.high) == pytest.approx((ends.low, ends.high), abs=5 * 2**0.5 * 0.012 * theirs.standard_error)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7))
def test_holm_is_the_closure_of_bonferroni(p_values: list[float]) -> None:
    """An adjusted p is the largest Bonferroni p of any set of steps that holds the step."""
    places = range(len(p_values))
    sets = [some for size in range(1, len(p_values) + 1) for some in combinations(places, size)]
    bonferroni = {some: min(1.0, len(some) * min(p_values[place] for place in some)) for some in sets}
    expected = [max(p for some, p in bonferroni.items() if place in some) for place in places]
    assert holm(p_values) == pytest.approx(expected, rel=1e-12)


@pytest.fixture(scope="module")
def ranx() -> ModuleType:
    """It runs as plain Python (see conftest.py): compiling it takes longer than all its answers here."""
    import ranx

    return ranx


def ranked(ranx: ModuleType, seed: int, name: str = "run"):  # type: ignore[no-untyped-def]
    """Their qrels and run, and the lists and labels they are made of."""
    lists, labels = random_run(seed)
    graded = {f"q{row:02}": {f"d{unit}": grade for unit, grade in units.items()} for row, units in enumerate(labels)}
    return ranx.Qrels(graded), as_run(ranx, lists, name), lists, labels


def as_run(ranx: ModuleType, lists, name: str):  # type: ignore[no-untyped-def]
    ranks = {
        f"q{row:02}": {f"d{unit}": 99.0 - rank for rank, unit in enumerate(units)} for row, units in enumerate(lists)
    }
    return ranx.Run(ranks, name=name)


def our_values(lists, labels, relevant_from: int = 1):  # type: ignore[no-untyped-def]
    found = find(table(lists), judged(labels, N_UNITS * 3), relevant_from=relevant_from)
    status = ["scored" if count else "no_relevant" for count in found.relevant]
    return score(found, status, cutoffs=CUTOFFS, measures=list(RANX)).per_query


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("relevant_from", [1, 2])
def test_measures_are_those_of_ranx(ranx: ModuleType, seed: int, relevant_from: int) -> None:
    qrels, run, lists, labels = ranked(ranx, seed)
    values = our_values(lists, labels, relevant_from)
    for name, theirs in RANX.items():
        if name == "ndcg" and relevant_from > 1:
            continue  # ranx drops the gain of grades that are not relevant, this package keeps it
        for cutoff in CUTOFFS:
            expected = ranx.evaluate(qrels, run, f"{theirs}@{cutoff}-l{relevant_from}", return_mean=False)
            scored = ~np.isnan(values[name, cutoff])  # ranx gives 0 where nothing is relevant
            assert scored.any()
            assert values[name, cutoff][scored] == pytest.approx(expected[scored], abs=1e-12), (name, cutoff)


@pytest.mark.parametrize("name", ["recall", "ndcg"])
def test_from_rankings_to_the_p_of_a_paired_t_test_it_is_ranx_compare(ranx: ModuleType, name: str) -> None:
    qrels, parent, lists, labels = ranked(ranx, 0, "parent")
    shuffled = [sorted(units, key=lambda unit: (7 * unit) % 11) for units in lists]
    child = as_run(ranx, shuffled, "child")
    measure = f"{RANX[name]}@5"
    theirs = ranx.compare(qrels, [parent, child], [measure], stat_test="student").comparisons
    values, before = our_values(shuffled, labels)[name, 5], our_values(lists, labels)[name, 5]
    found = compare_family([Step("child", values, before)], np.arange(len(lists)))[0]
    assert found.t.p == pytest.approx(theirs[frozenset({"parent", "child"})][measure]["p_value"], rel=1e-9)
    assert 0.001 < found.t.p < 0.999


def test_the_sign_flip_test_is_ranx_fisher_randomisation(ranx: ModuleType) -> None:
    from ranx.statistical_tests import fisher_randomization_test

    child, parent = scores(7, 18)
    child = child + 0.1
    exact = sign_flip_test(child - parent, np.arange(18))
    sampled, _ = fisher_randomization_test(parent, child, n_permutations=5_000)
    assert exact.exact
    assert 0.01 < exact.p < 0.5
    assert sampled == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p * (1 - exact.p) / 5_000))
