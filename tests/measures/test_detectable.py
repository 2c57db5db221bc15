import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, t

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.detectable import design_effect, detectable, detectable_by_t, questions_needed


@pytest.mark.parametrize(("n", "alpha", "power"), [(4, 0.05, 0.8), (10, 0.01, 0.5), (60, 0.05, 0.95), (900, 0.05, 0.8)])
def test_the_t_test_finds_it_with_the_power_asked_for(n: int, alpha: float, power: float) -> None:
    shift = detectable_by_t(n, 0.3, alpha=alpha, power=power) / 0.3 * math.sqrt(n)
    critical = t.ppf(1 - alpha / 2, n - 1)
    found = nct.sf(critical, n - 1, shift) + nct.cdf(-critical, n - 1, shift)
    assert found == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("alpha", [0.001, 0.05])
def test_few_questions_ask_for_more_and_many_for_what_the_normal_says(alpha: float) -> None:
    found = [detectable_by_t(n, 0.3, alpha=alpha) / detectable(n, 0.3, alpha=alpha) for n in (2, 3, 10, 100, 10_000)]
    assert found == sorted(found, reverse=True)
    assert found[-1] == pytest.approx(1, abs=1e-3)
    # with 2 questions |z + shift| > critical · |y|: simulated, since scipy's noncentral t is NaN there
    rng, shift = np.random.default_rng(0), detectable_by_t(2, 1, alpha=alpha) * math.sqrt(2)
    drawn = np.abs((rng.normal(size=100_000) + shift) / rng.normal(size=100_000))
    assert np.mean(drawn > t.ppf(1 - alpha / 2, 1)) == pytest.approx(0.8, abs=0.006)


@given(st.floats(0.01, 0.9), st.floats(0.05, 0.6))
def test_the_number_of_questions_needed_is_the_smallest(effect: float, deviation: float) -> None:
    n = questions_needed(effect, deviation)
    assert detectable(n, deviation) <= effect * (1 + 1e-12)
    assert n == 2 or detectable(n - 1, deviation) > effect * (1 - 1e-12)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: detectable(True, 0.3), "bad_n"),
        (lambda: detectable_by_t(30, math.nan), "bad_sd"),
        (lambda: detectable(30, 0.3, alpha=5), "bad_level"),
        (lambda: questions_needed(0, 0.3), "bad_effect"),
        (lambda: design_effect(0.5, 0.1), "bad_group_size"),
        (lambda: design_effect(2, 40), "bad_correlation"),
    ],
)
def test_what_makes_no_sense_is_refused(call: object, reason: str) -> None:
    with pytest.raises(InputRefused) as refused:
        call()
    assert refused.value.reason == reason
