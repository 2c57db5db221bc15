"""Judge and person: kappa as scikit-learn has it, weighted back to all answers, and drawn so that this can be done."""

import math
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rag_ablation.core.answers import Word
from rag_ablation.measures.agreement import NOTHING_DECIDED, ONE_GROUP, ONE_SIDED, Resampling, agreement
from rag_ablation.measures.strata import allocation, stratified

RIGHT, WRONG, OPEN = Word.CORRECT, Word.INCORRECT, Word.NEEDS_REVIEW
FEW = Resampling(resamples=200)
PAIRS = st.lists(st.tuples(st.sampled_from(list(Word)), st.sampled_from([RIGHT, WRONG])), min_size=1, max_size=40)


def of(pairs: list[tuple[Word, Word]], sizes: dict[Word, int] | None = None, groups: list[int] | None = None) -> object:
    judge, person = [one for one, _ in pairs], [other for _, other in pairs]
    return agreement(judge, person, groups or list(range(len(pairs))), sizes or Counter(judge), FEW)


def theirs(pairs: list[tuple[Word, Word]], weights: list[float]) -> float:
    metrics = pytest.importorskip("sklearn.metrics", reason="comes with sentence-transformers (extra dense)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one, other = ([str(word) for word in column] for column in zip(*pairs, strict=True))
        return float(metrics.cohen_kappa_score(one, other, sample_weight=weights))


@given(PAIRS, st.integers(1, 9), st.integers(1, 9), st.integers(0, 9))
def test_kappa_is_that_of_scikit_learn_with_the_weights_of_the_sample(
    pairs: list[tuple[Word, Word]], right: int, wrong: int, open_too: int
) -> None:
    looked_at = Counter(judge for judge, _ in pairs)
    sizes = {word: more * looked_at[word] + (word is OPEN) * looked_at[word]
             for word, more in ((RIGHT, right), (WRONG, wrong), (OPEN, open_too))}  # fmt: skip
    decided = [pair for pair in pairs if pair[0] is not OPEN]
    assume(decided)
    found = of(pairs, sizes).kappa
    expected = theirs(decided, [sizes[judge] / looked_at[judge] for judge, _ in decided])
    if math.isnan(expected):
        assert found.value is None
        assert found.reason
    else:
        assert found.value == pytest.approx(expected, abs=1e-12)


def test_kappa_written_out() -> None:
    """20 of 25 and 10 of 25 agree: 0.6 observed, 0.5 · 0.7 + 0.5 · 0.3 = 0.5 by chance."""
    pairs = [(RIGHT, RIGHT)] * 20 + [(RIGHT, WRONG)] * 5 + [(WRONG, RIGHT)] * 15 + [(WRONG, WRONG)] * 10
    found = of(pairs).kappa
    assert (found.observed, found.expected) == pytest.approx((0.6, 0.5))
    assert found.value == pytest.approx(0.2)
    assert found.low < found.value < found.high


def test_an_answer_weighs_as_many_as_its_stratum_has_for_one_looked_at() -> None:
    """2 of 10 that the judge let pass, 2 of 2 that it did not: as if all twelve had been looked at."""
    sampled = [(RIGHT, RIGHT), (RIGHT, WRONG), (WRONG, WRONG), (WRONG, WRONG)]
    everyone = [(RIGHT, RIGHT)] * 5 + [(RIGHT, WRONG)] * 5 + [(WRONG, WRONG)] * 2
    assert of(sampled, {RIGHT: 10, WRONG: 2}).kappa.value == pytest.approx(of(everyone).kappa.value)
    assert of(sampled, {RIGHT: 10, WRONG: 2}).kappa.value != pytest.approx(of(sampled).kappa.value)


def test_weighted_back_kappa_is_that_of_all_answers_on_average() -> None:
    """Without the weights a sample that looks equally into unequal strata would not come near."""
    rng = np.random.default_rng(1)
    judge = [RIGHT] * 400 + [WRONG] * 60
    person = [RIGHT if rng.random() < (0.9 if one is RIGHT else 0.2) else WRONG for one in judge]
    truth = of(list(zip(judge, person, strict=True))).kappa.value
    ids = {str(word): [f"{n:03}" for n, one in enumerate(judge) if one is word] for word in (RIGHT, WRONG)}
    weighted, bare = [], []
    for seed in range(60):
        rows = [int(name) for name in stratified(ids, 80, seed)]
        pairs = [(judge[row], person[row]) for row in rows]
        weighted.append(of(pairs, Counter(judge)).kappa.value)
        bare.append(of(pairs).kappa.value)
    assert abs(np.mean(weighted) - truth) < 0.02
    assert abs(np.mean(bare) - truth) > 0.04


def test_what_the_judge_left_open_is_counted_apart_and_not_in_kappa() -> None:
    pairs = [(RIGHT, RIGHT), (WRONG, WRONG), (RIGHT, WRONG), (OPEN, RIGHT), (OPEN, WRONG)]
    found = of(pairs, {RIGHT: 6, WRONG: 2, OPEN: 4})
    assert found.decided == 8 / 12
    assert found.table[OPEN] == {RIGHT: 1, WRONG: 1}
    assert found.kappa.n == 3
    assert found.kappa == of(pairs[:3], {RIGHT: 6, WRONG: 2}).kappa


@pytest.mark.parametrize("word", [RIGHT, WRONG])
def test_where_both_say_one_word_only_kappa_is_undefined_and_says_so(word: Word) -> None:
    found = of([(word, word)] * 9 + [(OPEN, RIGHT)]).kappa
    assert (found.value, found.low, found.high) == (None, None, None)
    assert str(word) in found.reason
    assert found.observed == 1


def test_where_nothing_was_decided_kappa_is_undefined() -> None:
    found = of([(OPEN, RIGHT), (OPEN, WRONG)])
    assert found.kappa.reason == NOTHING_DECIDED
    assert (found.kappa.observed, found.kappa.expected, found.decided) == (None, None, 0)


def test_an_interval_needs_two_groups() -> None:
    found = of([(RIGHT, RIGHT), (RIGHT, WRONG), (WRONG, RIGHT), (WRONG, WRONG)], groups=[3] * 4).kappa
    assert (found.value, found.low, found.interval_reason) == (0, None, ONE_GROUP)


def test_where_many_resamples_have_no_kappa_there_is_no_interval() -> None:
    found = of([(RIGHT, RIGHT), (WRONG, RIGHT), (WRONG, WRONG)]).kappa
    assert found.value is not None
    assert found.low is None
    assert found.interval_reason.endswith("of the resamples have no kappa")


@pytest.mark.parametrize("turned", [False, True])
def test_where_one_says_one_word_only_kappa_is_0_and_has_no_interval(turned: bool) -> None:
    pairs = [(RIGHT, RIGHT)] * 15 + [(RIGHT, WRONG)] * 5
    found = of([pair[::-1] for pair in pairs] if turned else pairs).kappa
    assert (found.value, found.low, found.interval_reason) == (0, None, ONE_SIDED)


def test_where_the_two_never_differ_the_interval_is_not_from_1_to_1() -> None:
    """Of ten answers none is judged otherwise 1 time in 20 where 26 % are: .74^10 = .05."""
    found = of([(RIGHT, RIGHT)] * 10 + [(WRONG, WRONG)] * 30).kappa
    assert (found.value, found.low, found.high) == (1, None, None)
    assert "up to 26% could be judged otherwise and go unseen in 10 groups (95%)" in found.interval_reason


def test_the_interval_is_of_groups_of_questions_and_not_of_answers() -> None:
    """Ten copies of each question say no more than one."""
    pairs = [(RIGHT, RIGHT)] * 12 + [(RIGHT, WRONG)] * 5 + [(WRONG, RIGHT)] * 4 + [(WRONG, WRONG)] * 9
    once = of(pairs).kappa
    tenfold = of(pairs * 10, groups=[*range(len(pairs))] * 10).kappa
    apart = of(pairs * 10).kappa
    assert (once.low, once.high) == pytest.approx((tenfold.low, tenfold.high))
    assert apart.high - apart.low < 0.5 * (once.high - once.low)


@given(PAIRS, st.randoms(use_true_random=False))
def test_neither_the_order_of_answers_nor_the_names_of_groups_matter(
    pairs: list[tuple[Word, Word]], shuffled: object
) -> None:
    rows = [(*pair, n // 2) for n, pair in enumerate(pairs)]
    sizes = Counter(judge for judge, _ in pairs)
    mixed = list(rows)
    shuffled.shuffle(mixed)
    one = agreement([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows], sizes, FEW)
    other = agreement([row[0] for row in mixed], [row[1] for row in mixed], [100 - row[2] for row in mixed], sizes, FEW)
    assert one == other


def test_the_interval_covers_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    # judge right .6; person agrees .85 of the time
    truth = (0.85 - 0.5 * 1.0) / (1 - 0.5 * 1.0)
    n_covered = 0
    for seed in range(150):
        judge = rng.random(80) < 0.5
        person = np.where(rng.random(80) < 0.85, judge, ~judge)
        pairs = [(RIGHT if one else WRONG, RIGHT if two else WRONG) for one, two in zip(judge, person, strict=True)]
        found = agreement(
            *zip(*pairs, strict=True), range(80), Counter(one for one, _ in pairs), Resampling(resamples=400, seed=seed)
        ).kappa
        n_covered += found.low <= truth <= found.high
    assert 0.88 <= n_covered / 150 <= 0.99


def test_a_person_who_leaves_an_answer_open_or_a_stratum_unlooked_at_is_refused() -> None:
    with pytest.raises(ValueError, match="expected correct or incorrect"):
        of([(RIGHT, OPEN)])
    with pytest.raises(ValueError, match="none looked at of 3"):
        of([(RIGHT, RIGHT)], {RIGHT: 5, WRONG: 3})


SIZES = st.dictionaries(st.sampled_from("abc"), st.integers(1, 30), min_size=1)


@given(SIZES, st.data())
def test_strata_are_drawn_equally_as_far_as_they_go(sizes: dict[str, int], data: st.DataObject) -> None:
    n = data.draw(st.integers(0, sum(sizes.values())))
    drawn = allocation(sizes, n)
    assert sum(drawn.values()) == n
    assert all(drawn[name] <= size for name, size in sizes.items())
    cut_short = [drawn[name] for name in sizes if drawn[name] < sizes[name]]
    assert max(drawn.values(), default=0) <= min(cut_short, default=n) + 1
    with pytest.raises(ValueError, match="expected 0 to"):
        allocation(sizes, sum(sizes.values()) + 1)


@given(SIZES, st.integers(0, 10**9), st.randoms(use_true_random=False))
def test_a_draw_is_known_by_its_seed_and_not_by_the_order_of_members(
    sizes: dict[str, int], seed: int, shuffled: object
) -> None:
    strata = {name: [f"{name}{n}" for n in range(size)] for name, size in sizes.items()}
    n = sum(sizes.values()) * 2 // 3
    drawn = stratified(strata, n, seed)
    assert len(set(drawn)) == n
    assert Counter(one[0] for one in drawn) == {name: take for name, take in allocation(sizes, n).items() if take}
    for members in strata.values():
        shuffled.shuffle(members)
    assert stratified(dict(reversed(strata.items())), n, seed) == drawn


def test_every_member_is_as_likely_as_another_and_comes_at_any_place() -> None:
    strata = {"a": [f"a{n}" for n in range(8)], "b": [f"b{n}" for n in range(4)]}
    draws = [stratified(strata, 6, seed) for seed in range(600)]
    taken = Counter(name for drawn in draws for name in drawn)
    assert all(
        abs(taken[name] / 600 - (3 / 8 if name[0] == "a" else 3 / 4)) < 0.07
        for part in strata.values()
        for name in part
    )
    first = Counter(drawn[0][0] for drawn in draws)
    assert abs(first["a"] / 600 - 0.5) < 0.07
