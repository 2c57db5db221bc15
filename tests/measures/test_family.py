import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.family import Step, Warned, Word, compare_family, counted, holm, rejected, verdict
from rag_ablation.measures.uncertainty import clustered_mean

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def step(name: str, gaps: list[float]) -> Step:
    return Step(name, np.array(gaps), np.zeros(len(gaps)))


@given(P_VALUES)
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float]) -> None:
    alpha, expected = 0.05, set()
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[place] * (len(p_values) - rank) > alpha:
            break
        expected.add(place)
    assert {place for place, yes in enumerate(rejected(holm(p_values), alpha=alpha)) if yes} == expected


@given(P_VALUES, st.randoms(use_true_random=False))
def test_holm_does_not_depend_on_the_order(p_values: list[float], random: object) -> None:
    order = list(range(len(p_values)))
    random.shuffle(order)
    assert holm([p_values[place] for place in order]) == [holm(p_values)[place] for place in order]


@pytest.mark.parametrize("wrong", [None, True, "0.1", -0.1, 1.1, float("nan")])
def test_holm_refuses_what_is_no_p(wrong: object) -> None:
    with pytest.raises(InputRefused) as refused:
        holm([0.5, wrong])
    assert refused.value.reason == "bad_p"


def test_a_family_gets_its_words() -> None:
    n = 30
    noise = np.random.default_rng(0).normal(size=n)
    steps = [
        step("up", [0.5] * n),
        step("down", (noise / 9 - 0.5).tolist()),
        step("noise", noise.tolist()),
        step("same", [0.0] * n),
    ]
    found = compare_family(steps, np.arange(n))
    assert [one.word for one in found] == ["better", "worse", "not distinguishable", "not distinguishable"]
    assert found[2].says == "not distinguishable on these 30 questions (30 groups)"
    assert [one.adjusted_p for one in found] == holm([one.test.p for one in found])
    assert [(one.wins, one.ties, one.losses) for one in found[::3]] == [(30, 0, 0), (0, 30, 0)]
    assert [one.warnings for one in found] == [(), (), (), (Warned.FEW_DIFFERING_GROUPS,)]


def test_a_step_is_not_judged_otherwise_for_standing_in_a_family_but_for_its_adjusted_p() -> None:
    rng = np.random.default_rng(2)
    groups = rng.integers(0, 30, 80)
    steps = [step(str(place), rng.normal(0.2, size=80).tolist()) for place in range(5)]
    for one, together in zip(steps, compare_family(steps, groups), strict=True):
        alone = compare_family([one], groups)[0]
        assert (alone.interval, alone.bootstrap, alone.test) == (together.interval, together.bootstrap, together.test)
        assert together.adjusted_p >= alone.adjusted_p == alone.test.p


@pytest.mark.parametrize(
    ("n_groups", "word", "warned"),
    [(5, "no verdict", 2), (6, "better", 2), (19, "better", 2), (20, "better", 0)],
)
def test_few_groups_warn_and_fewer_have_no_verdict(n_groups: int, word: str, warned: int) -> None:
    found = compare_family([step("up", [0.5] * n_groups)], np.arange(n_groups))[0]
    assert (found.word, len(found.warnings)) == (word, warned)


def test_fewer_than_20_groups_that_differ_warn_however_many_there_are() -> None:
    found = compare_family([step("sparse", [1.0] * 19 + [0.0] * 81)], np.arange(100))[0]
    assert (found.word, found.warnings) == (Word.BETTER, (Warned.FEW_DIFFERING_GROUPS,))


def test_a_word_needs_both_the_adjusted_p_and_the_interval() -> None:
    up, flat = clustered_mean(np.arange(1.0, 9), np.arange(8)), clustered_mean(np.arange(-4.0, 5), np.arange(9))
    assert verdict(up, 0.05) == Word.BETTER
    assert verdict(up, 0.0501) == Word.NOT_DISTINGUISHABLE
    assert verdict(flat, 0.001) == Word.NOT_DISTINGUISHABLE


def test_a_step_without_a_common_question_stays_in_the_family() -> None:
    nan = [np.nan] * 10
    found = compare_family([step("empty", nan), step("up", [0.5] * 10)], np.arange(10))
    assert (found[0].word, found[0].adjusted_p, found[0].interval.reason) == (Word.NO_VERDICT, 1, "no_values")
    assert found[1].adjusted_p == 2 * found[1].test.p == 4 / 2**10


def test_an_empty_family_stays_empty() -> None:
    assert compare_family([], np.arange(0)) == ()


def test_a_level_in_percent_is_refused() -> None:
    with pytest.raises(InputRefused) as refused:
        compare_family([step("up", [0.5] * 10)], np.arange(10), alpha=5)
    assert refused.value.reason == "bad_level"


def test_counts_are_in_plain_words() -> None:
    assert counted(1, 1) == "this 1 question (1 group)"
    assert counted(30, 12) == "these 30 questions (12 groups)"
