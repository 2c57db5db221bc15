"""When answers of two arms compare: one generator and one judge, or one setting of these and nothing else."""

from dataclasses import replace

import pytest

from rag_ablation.core.record import ArmRecord
from rag_ablation.report.differences import refusal_on
from tests.report.test_answers import SETTLED, WAITING, answered, judge

RULES = {"name": "rules", "tolerance": 0.0}
LOW = "answer/correct_low"


def given(name: str, *, version: str = "1", waiting: bool = False, **settings: object) -> ArmRecord:
    record = answered(name, WAITING if waiting else SETTLED, judge(version))
    generate = {"name": "extractive", "threshold": 0.2}
    return replace(record, settings={**record.settings, "generate": generate, "judge": RULES, **settings})


def test_arms_of_one_generator_and_one_judge_compare_whatever_comes_before_the_answer() -> None:
    more = given("b", rerank={"name": "x"}, context={"name": "top", "depth": 5})
    assert refusal_on(LOW, more, given("a")) is None


@pytest.mark.parametrize(
    "changed",
    [
        given("b", generate={"name": "extractive", "threshold": 0.3}),
        given("b", generate={"name": "openai", "model": "m"}),
        given("b", judge={"name": "rules", "tolerance": 0.1}),
        given("b", version="2"),
    ],
)
def test_a_single_factor_of_the_answer_is_what_the_arms_are_compared_for(changed: ArmRecord) -> None:
    assert refusal_on(LOW, changed, given("a")) is None
    beside = replace(changed, settings={**changed.settings, "rerank": {"name": "x"}})
    refused = refusal_on(LOW, beside, given("a"))
    assert refused is not None
    assert refused.startswith("answers do not compare: ")
    assert refused.endswith(", beside rerank none → x")


def test_two_factors_of_the_answer_are_refused_and_both_are_named() -> None:
    both = given("b", generate={"name": "extractive", "threshold": 0.3}, judge={"name": "rules", "tolerance": 0.1})
    refused = refusal_on(LOW, both, given("a"))
    assert refused == ("answers do not compare: generate.threshold 0.2 → 0.3; judge.tolerance 0.0 → 0.1 at once")


def test_another_prompt_of_the_judge_is_another_judge() -> None:
    one, other = (given("a", judge={"name": "llm", "prompt": {"en": text}}) for text in ("Judge.", "Judge well."))
    assert refusal_on(LOW, replace(other, settings={**other.settings, "rerank": {"name": "x"}}), one) is not None


def test_answers_do_not_compare_where_people_settled_verdicts_between_the_runs() -> None:
    later = given("b", rerank={"name": "x"})
    later = replace(later, digests={**later.digests, "reviews": "r"})
    assert "between the two runs" in str(refusal_on(LOW, later, given("a")))


def test_measures_of_rankings_do_not_mind() -> None:
    other = given("b", generate={"name": "none"}, rerank={"name": "x"})
    assert refusal_on("final/ndcg@10", other, given("a")) is None


@pytest.mark.parametrize("places", [(True, False), (False, True)])
def test_with_an_open_verdict_on_either_side_the_share_of_right_answers_has_no_difference(
    places: tuple[bool, bool],
) -> None:
    child, parent = (given(name, waiting=waiting) for name, waiting in zip("ab", places, strict=True))
    assert "answers_wait_for_review" in str(refusal_on("answer/correct", child, parent))
    assert refusal_on(LOW, child, parent) is None
