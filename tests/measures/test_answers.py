"""Right, supported, cited well, declined: each counted by itself, with its n."""

import math

from rag_ablation.core.answers import Word
from rag_ablation.measures.answers import OPEN, Outcome, answer_measures, citation_precision, supported


def test_citation_precision_is_the_share_of_cited_passages_that_are_gold() -> None:
    assert citation_precision(("a", "b", "b", "c"), ("a", "d")) == 1 / 3
    assert math.isnan(citation_precision((), ("a",)))
    assert math.isnan(citation_precision(("a",), ()))


def test_an_answer_is_supported_by_gold_that_it_was_shown() -> None:
    assert supported(("a",), ("a", "b"), ("a",)) == 1
    assert supported(("b",), ("a", "b"), ("a",)) == 0
    assert supported(("a", "x"), ("a", "b"), ("a",)) == 0
    assert supported((), ("a",), ("a",)) == 0
    assert math.isnan(supported(("a",), ("a",), ()))


def one(word: Word | None, *, answerable: bool = True, refused: bool = False, failed: bool = False) -> Outcome:
    return Outcome(answerable=answerable, refused=refused, failed=failed, word=word)


def cited(precision: float, rests_on_evidence: float, *, refused: bool = False) -> Outcome:
    return Outcome(
        answerable=True,
        refused=refused,
        failed=False,
        word=Word.CORRECT,
        citation_precision=precision,
        supported=rests_on_evidence,
    )


def test_every_measure_stands_on_the_questions_that_it_speaks_of() -> None:
    found = answer_measures(
        [
            one(Word.CORRECT),
            one(Word.NEEDS_REVIEW),
            one(Word.INCORRECT, refused=True),
            one(Word.INCORRECT, failed=True),
            one(Word.CORRECT, answerable=False, refused=True),
            one(Word.INCORRECT, answerable=False),
            one(Word.INCORRECT, answerable=False, failed=True),
            "unreviewed",
        ]
    )
    told = {name: (counted.mean.value, counted.mean.n) for name, counted in found.items()}
    assert told == {
        "correct": (None, 4),
        "correct_low": (1 / 4, 4),
        "correct_high": (2 / 4, 4),
        "refused_right": (1 / 3, 3),
        "refused_wrong": (1 / 4, 4),
        "wrong_on_no_answer": (1 / 3, 3),
        "citation_precision": (None, 0),
        "supported": (None, 0),
        "failed": (2 / 7, 7),
        "needs_review": (1 / 7, 7),
    }
    assert found["correct_low"].mean.excluded == {"no_answer": 3, "unreviewed": 1}
    assert found["refused_right"].mean.excluded == {"answerable": 4, "unreviewed": 1}


def test_the_share_of_right_answers_is_undefined_while_any_is_open() -> None:
    counted = answer_measures([one(Word.CORRECT), one(Word.NEEDS_REVIEW)])["correct"]
    assert (counted.mean.value, counted.mean.n, counted.mean.reason) == (None, 2, OPEN)
    assert counted.values[0] == 1
    assert math.isnan(counted.values[1])
    settled = answer_measures([one(Word.CORRECT), one(Word.INCORRECT), one(Word.NEEDS_REVIEW, answerable=False)])
    assert [settled[name].mean.value for name in ("correct", "correct_low", "correct_high")] == [0.5, 0.5, 0.5]


def test_where_nothing_is_counted_a_measure_is_undefined_and_not_zero() -> None:
    counted = answer_measures([one(Word.CORRECT)])["wrong_on_no_answer"]
    assert (counted.mean.value, counted.mean.n, counted.mean.reason) == (None, 0, "answerable")
    assert all(counted.mean.value is None for counted in answer_measures([]).values())


def test_a_failure_is_wrong_and_no_refusal() -> None:
    found = answer_measures([one(Word.INCORRECT, failed=True), one(Word.INCORRECT, answerable=False, failed=True)])
    assert {name: found[name].mean.value for name in ("correct", "refused_wrong", "refused_right")} == {
        "correct": 0,
        "refused_wrong": 0,
        "refused_right": 0,
    }
    assert found["wrong_on_no_answer"].mean.value == 0
    assert found["failed"].mean.value == 1


def test_without_a_judge_refusals_are_still_counted() -> None:
    found = answer_measures([one(None), one(None, refused=True), one(None, answerable=False, refused=True)])
    assert found["correct"].mean.excluded == {"not_judged": 2, "no_answer": 1}
    assert found["refused_wrong"].mean.value == 0.5
    assert found["refused_right"].mean.value == 1


def test_support_is_of_the_answers_that_were_given() -> None:
    found = answer_measures([cited(0.5, 1), cited(math.nan, 0), cited(math.nan, 0, refused=True)])
    assert (found["supported"].mean.value, found["supported"].mean.n) == (0.5, 2)
    assert found["supported"].mean.excluded == {"refused": 1}
    assert (found["citation_precision"].mean.value, found["citation_precision"].mean.n) == (0.5, 1)
    assert found["citation_precision"].mean.excluded == {"nothing_cited": 1, "refused": 1}


def test_refusals_are_undefined_while_a_verdict_on_a_question_without_an_answer_is_open() -> None:
    said = [one(Word.CORRECT, answerable=False, refused=True), one(Word.NEEDS_REVIEW, answerable=False)]
    found = answer_measures([*said, one(Word.CORRECT)])
    for name in ("refused_right", "wrong_on_no_answer"):
        assert (found[name].mean.value, found[name].mean.n, found[name].mean.reason) == (None, 2, OPEN)
    assert found["correct"].mean.value == 1, "the open verdict is not on a question that has an answer"


def test_a_refusal_in_words_counts_once_somebody_took_it_for_one() -> None:
    found = answer_measures([one(Word.CORRECT, answerable=False), one(Word.INCORRECT, answerable=False)])
    assert [found[name].mean.value for name in ("refused_right", "wrong_on_no_answer")] == [0.5, 0.5]
