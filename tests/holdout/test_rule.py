"""The decision rule: what is stated before the holdout is opened, and what follows from what is observed."""

import json
import math
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout.rule import Decision, Open, Rule, decide
from rag_ablation.measures.uncertainty import Interval, clustered_mean

RULE = Rule("final/ndcg@10", 0.02)
GOODNESS = [Decision.DO_NOT_ADOPT, Decision.UNDECIDED, Decision.ADOPT]


def gap(
    low: float | None, mean: float | None, high: float | None, n_groups: int = 106, reason: str | None = None
) -> Interval:
    return Interval(
        mean=mean,
        low=low,
        high=high,
        standard_error=None if low is None else 0.01,
        n=193,
        n_groups=n_groups,
        dropped=0,
        confidence=0.95,
        reason=reason,
    )


PASSED = gap(0.026, 0.092, 0.157)
BEHIND = gap(-0.157, -0.092, -0.026)
OPEN = gap(-0.01, 0.03, 0.07)
ABSENT = replace(gap(None, None, None, 0, "no_values"), n=0, dropped=193)

ENDS = st.tuples(*[st.integers(-20, 20).map(lambda n: n / 200)] * 3).map(sorted)
GAPS = st.builds(lambda ends, n_groups: gap(*ends, n_groups=n_groups), ENDS, st.integers(4, 9))
ANY_GAPS = st.dictionaries(st.sampled_from("ABCD"), st.one_of(GAPS, st.just(ABSENT)), min_size=1)
RULES = st.sampled_from([0.0, 0.02, 0.05]).map(lambda smallest: Rule("final/ndcg@10", smallest))


@pytest.mark.parametrize(
    ("gaps", "decision"),
    [
        ({"A": PASSED}, Decision.ADOPT),
        ({"A": PASSED, "B": PASSED}, Decision.ADOPT),
        ({"A": PASSED, "B": OPEN}, Decision.UNDECIDED),
        ({"A": PASSED, "B": BEHIND}, Decision.DO_NOT_ADOPT),
        ({"A": OPEN, "B": BEHIND}, Decision.DO_NOT_ADOPT),
        ({"A": ABSENT, "B": BEHIND}, Decision.DO_NOT_ADOPT),
        ({"A": PASSED, "B": ABSENT}, Decision.UNDECIDED),
        ({"A": gap(0.001, 0.019, 0.037)}, Decision.UNDECIDED),
        ({"A": gap(0.001, 0.020, 0.039)}, Decision.ADOPT),
    ],
)
def test_every_baseline_must_be_passed_and_falling_behind_one_is_enough(
    gaps: Mapping[str, Interval], decision: Decision
) -> None:
    assert decide(RULE, gaps).decision == decision


@pytest.mark.parametrize(
    ("interval", "held", "why"),
    [
        (PASSED, (True, True, False), None),
        (BEHIND, (False, False, True), None),
        (OPEN, (False, True, False), Open.NOT_APART_FROM_ZERO),
        (gap(0.001, 0.01, 0.019), (True, False, False), Open.TOO_SMALL),
        (gap(0.026, 0.092, 0.157, n_groups=5), (True, True, False), Open.FEW_GROUPS),
        (gap(-0.157, -0.092, -0.026, n_groups=5), (False, False, True), Open.FEW_GROUPS),
        (ABSENT, (False, False, False), Open.NO_INTERVAL),
        (gap(None, 0.5, None, 1, "fewer_than_2_groups"), (False, True, False), Open.NO_INTERVAL),
    ],
)
def test_a_ruling_tells_for_each_baseline_what_held_and_what_left_it_open(
    interval: Interval, held: tuple[bool, bool, bool], why: Open | None
) -> None:
    (got,) = decide(RULE, {"B": interval}).observed
    assert (got.baseline, got.interval) == ("B", interval)
    assert (got.above_zero, got.reaches, got.below_zero) == held
    assert got.open == why


@pytest.mark.parametrize(("n_groups", "decision"), [(5, Decision.UNDECIDED), (6, Decision.ADOPT)])
def test_under_six_groups_nothing_is_decided(n_groups: int, decision: Decision) -> None:
    assert decide(RULE, {"A": gap(0.026, 0.092, 0.157, n_groups=n_groups)}).decision == decision
    behind = decide(RULE, {"A": gap(-0.157, -0.092, -0.026, n_groups=n_groups)}).decision
    assert behind == (Decision.UNDECIDED if n_groups == 5 else Decision.DO_NOT_ADOPT)


@pytest.mark.parametrize("interval", [gap(0.0, 0.05, 0.1), gap(-0.1, -0.05, 0.0), gap(0.0, 0.0, 0.0)])
def test_an_end_at_exactly_0_is_neither_above_nor_below(interval: Interval) -> None:
    assert decide(Rule("final/ndcg@10", 0), {"A": interval}).decision == Decision.UNDECIDED


def test_a_difference_that_is_the_smallest_one_in_decimals_reaches_it_whatever_rounding_made_of_it() -> None:
    assert 0.82 - 0.8 < 0.02
    (got,) = decide(RULE, {"A": gap(0.001, 0.82 - 0.8, 0.04)}).observed
    assert got.reaches
    assert not decide(RULE, {"A": gap(0.001, 0.02 - 1e-9, 0.04)}).observed[0].reaches


@given(RULES, ANY_GAPS, st.data())
def test_a_decision_never_improves_when_a_gap_shrinks(
    rule: Rule, gaps: dict[str, Interval], data: st.DataObject
) -> None:
    shrunk = dict(gaps)
    for baseline, interval in gaps.items():
        if interval.mean is not None and interval.low is not None and interval.high is not None:
            less = [data.draw(st.integers(0, 10)) / 200 for _ in range(3)]
            shrunk[baseline] = replace(
                interval, low=interval.low - less[0], mean=interval.mean - less[1], high=interval.high - less[2]
            )
    before, after = (GOODNESS.index(decide(rule, some).decision) for some in (gaps, shrunk))
    assert after <= before


@given(RULES, ANY_GAPS, st.randoms(use_true_random=False))
def test_the_order_of_baselines_does_not_matter(rule: Rule, gaps: dict[str, Interval], random: object) -> None:
    keys = list(gaps)
    random.shuffle(keys)  # type: ignore[attr-defined]
    there, back = decide(rule, gaps), decide(rule, {key: gaps[key] for key in keys})
    assert there.decision == back.decision
    assert {one.baseline: one for one in there.observed} == {one.baseline: one for one in back.observed}


@given(RULES, ANY_GAPS)
def test_a_decision_has_the_evidence_that_the_rule_asks_for(rule: Rule, gaps: dict[str, Interval]) -> None:
    decision = decide(rule, gaps).decision
    usable = [one for one in gaps.values() if one.low is not None and one.n_groups >= 6]
    if decision == Decision.ADOPT:
        assert len(usable) == len(gaps)
        assert all(one.low > 0 and one.mean >= rule.smallest_difference for one in usable)  # type: ignore[operator]
    assert (decision == Decision.DO_NOT_ADOPT) == any(one.high < 0 for one in usable)  # type: ignore[operator]


@given(RULES, ANY_GAPS, GAPS)
def test_a_further_baseline_never_makes_a_candidate_adopted(
    rule: Rule, gaps: dict[str, Interval], further: Interval
) -> None:
    before, after = (GOODNESS.index(decide(rule, some).decision) for some in (gaps, {**gaps, "E": further}))
    assert after <= before or GOODNESS[after] != Decision.ADOPT


def test_a_rule_without_a_baseline_or_on_intervals_of_another_confidence_is_refused() -> None:
    with pytest.raises(ValueError, match="no baseline"):
        decide(RULE, {})
    with pytest.raises(ValueError, match=r"B: found an interval at 0\.9, expected 0\.95"):
        decide(RULE, {"A": PASSED, "B": replace(PASSED, confidence=0.9)})


@pytest.mark.parametrize("field", ["primary", "smallest_difference", "confidence"])
@pytest.mark.parametrize("value", [None, True, math.nan, math.inf, -0.01, 1.5, "", " ", "0.02\n", ["x"]])
def test_a_setting_that_makes_no_sense_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(HoldoutError, match=f"{field}: found"):
        replace(RULE, **{field: value})  # type: ignore[arg-type]


def test_all_that_is_wrong_with_a_rule_is_told_at_once() -> None:
    with pytest.raises(HoldoutError, match=r"primary: .*; smallest_difference: .*; confidence: found 95"):
        Rule("", -1, 95)


def test_a_rule_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        RULE.smallest_difference = 0  # type: ignore[misc]


@given(st.floats(0, 1), st.floats(0.001, 0.999))
def test_a_rule_survives_its_json(smallest: float, confidence: float) -> None:
    rule = Rule("answer/correct", smallest, confidence)
    assert Rule.from_json(json.loads(json.dumps(rule.to_json()))) == rule


def test_numbers_stand_in_json_as_numbers_of_one_kind_so_that_equal_rules_have_equal_digests() -> None:
    assert json.dumps(Rule("x", 0).to_json()) == json.dumps(Rule("x", 0.0).to_json())


@pytest.mark.parametrize(
    "form",
    [None, [], "adopt", {}, {"primary": "x", "smallest_difference": 0}, {**RULE.to_json(), "except": "Tuesdays"}],
)
def test_json_of_another_form_is_refused(form: object) -> None:
    with pytest.raises(HoldoutError, match="expected primary, smallest_difference, confidence"):
        Rule.from_json(form)


def test_json_with_a_setting_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(HoldoutError, match=r"smallest_difference: found '0\.02'"):
        Rule.from_json({**RULE.to_json(), "smallest_difference": "0.02"})


def test_a_rule_is_said_in_one_sentence_with_its_numbers() -> None:
    assert RULE.words() == (
        "The rule: adopt the candidate if, for every baseline named, the 95 % interval of candidate − baseline in "
        "final/ndcg@10 lies above 0 and the difference itself is at least 0.02; do not adopt it if that interval lies "
        "below 0 for one of them; in every other case it is undecided, and a comparison of fewer than 6 groups or without "
        "an interval counts neither way."
    )
    assert RULE.words("zh") == (
        "规则：对每个指定的基线，若候选 − 基线在 final/ndcg@10 上的差值的 95 % 区间高于 0，且差值本身至少为 0.02，"
        "则采用候选方案；若对其中之一该区间低于 0，则不采用；其他情形为未定，而不足 6 组或没有区间的比较对两种结论都不作数。"
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_of_no_smallest_difference_a_rule_says_nothing(language: str) -> None:
    said = Rule("x", 0, 0.999).words(language)
    assert "99.9 %" in said
    assert "at least" not in said
    assert "至少" not in said


def test_a_ruling_says_what_was_observed_and_what_follows() -> None:
    ruling = decide(RULE, {"A": PASSED, "B": replace(BEHIND, dropped=1)})
    assert ruling.words() == (
        "Observed against A: +0.092 (95 % interval +0.026 to +0.157; 193 questions, 106 groups): above 0, and at "
        "least 0.02. Observed against B: −0.092 (95 % interval −0.157 to −0.026; 193 questions, 106 groups, "
        "1 question not scored on both sides left out): below 0. Therefore: do not adopt."
    )
    assert ruling.words("zh") == (
        "对 A 的观察：+0.092（95 % 区间 +0.026 至 +0.157；193 题，106 组）：高于 0，且至少为 0.02。"
        "对 B 的观察：−0.092（95 % 区间 −0.157 至 −0.026；193 题，106 组，另有 1 题未在两边都计分，不计）：低于 0。"
        "因此：不采用。"
    )


@pytest.mark.parametrize(
    ("interval", "en", "zh"),
    [
        (OPEN, "neither above nor below 0. Therefore: undecided.", "既不高于 0，也不低于 0。因此：未定。"),
        (gap(0.001, 0.01, 0.019), "above 0, but less than 0.02. Therefore: undecided.", "高于 0，但小于 0.02。"),
        (gap(0.1, 0.2, 0.3, 5), "too few groups to decide on (fewer than 6). Therefore: undecided.", "不足 6 组"),
        (
            ABSENT,
            "Observed against A: the difference is undefined (0 questions, 0 groups, 193 questions not scored on both "
            "sides left out): no interval, since no question has a value on both sides. Therefore: undecided.",
            "对 A 的观察：差值无定义（0 题，0 组，另有 193 题未在两边都计分，不计）：没有区间，因为没有两边都有值的题。因此：未定。",
        ),
        (
            gap(None, 0.5, None, 1, "fewer_than_2_groups"),
            "Observed against A: +0.500 (193 questions, 1 group): no interval, since there are fewer than 2 groups.",
            "没有区间，因为不足 2 组。",
        ),
    ],
)
def test_why_nothing_is_decided_is_said(interval: Interval, en: str, zh: str) -> None:
    ruling = decide(RULE, {"A": interval})
    assert en in ruling.words("en")
    assert zh in ruling.words("zh")


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (gap(0.0004, 0.05, 0.1), "+0.050 (95 % interval +0.0004 to +0.100"),
        (gap(-0.00004, 0.05, 0.1), "+0.050 (95 % interval −0.00004 to +0.100"),
        (gap(0.001, 0.01996, 0.04), "+0.01996 (95 % interval"),
        (gap(0.001, 0.82 - 0.8, 0.04), "+0.020 (95 % interval"),
        (gap(0.0, 0.05, 0.1), "+0.050 (95 % interval +0.000 to +0.100"),
        (gap(-0.0, 0.05, 0.1), "+0.050 (95 % interval +0.000 to +0.100"),
    ],
)
def test_no_figure_is_rounded_to_another_side_of_its_limit(interval: Interval, shown: str) -> None:
    assert f"against A: {shown}" in decide(RULE, {"A": interval}).words()


def test_another_language_is_refused() -> None:
    for said in (RULE.words, decide(RULE, {"A": PASSED}).words):
        with pytest.raises(ValueError, match="'fr', expected one of: en, zh"):
            said("fr")


def test_real_intervals_can_be_ruled_on() -> None:
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(30), 3)
    better, same = rng.normal(0.2, 0.3, 90), rng.normal(0, 0.3, 90)
    gaps = {"A": clustered_mean(better, groups), "B": clustered_mean(same, groups)}
    ruling = decide(RULE, gaps)
    assert [one.open for one in ruling.observed] == [None, Open.NOT_APART_FROM_ZERO]
    assert ruling.decision == Decision.UNDECIDED
