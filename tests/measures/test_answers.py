"""Right, supported, cited well, declined: each counted by itself, with its n."""

import math

from rag_ablation.core.answers import Answer, Verdict, Word
from rag_ablation.measures.answers import (
    NOTHING_COUNTED,
    OPEN,
    Outcome,
    answer_rates,
    citation_precision,
    outcome,
    supported,
)


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


def one(word: Word, *, answerable: bool = True, refused: bool = False, failed: bool = False) -> Outcome:
    return Outcome(answerable=answerable, refused=refused, failed=failed, word=word)


def test_rates_stand_on_the_questions_that_they_speak_of() -> None:
    rates = answer_rates(
        [
            one(Word.CORRECT),
            one(Word.NEEDS_REVIEW),
            one(Word.INCORRECT, refused=True),
            one(Word.INCORRECT, failed=True),
            one(Word.CORRECT, answerable=False, refused=True),
            one(Word.INCORRECT, answerable=False),
            one(Word.INCORRECT, answerable=False, failed=True),
        ]
    )
    told = {name: (rate.count, rate.n) for name, rate in rates.items()}
    assert told == {
        "correct": (1, 4),
        "correct_low": (1, 4),
        "correct_high": (2, 4),
        "refused_right": (1, 3),
        "refused_wrong": (1, 4),
        "wrong_on_no_answer": (1, 3),
        "failed": (2, 7),
        "needs_review": (1, 7),
    }
    assert rates["correct_high"].value == 0.5


def test_the_share_of_right_answers_is_undefined_while_any_is_open() -> None:
    rates = answer_rates([one(Word.CORRECT), one(Word.NEEDS_REVIEW)])
    assert math.isnan(rates["correct"].value)
    assert rates["correct"].reason == OPEN
    settled = answer_rates([one(Word.CORRECT), one(Word.INCORRECT), one(Word.NEEDS_REVIEW, answerable=False)])
    assert settled["correct"].value == settled["correct_low"].value == settled["correct_high"].value == 0.5


def test_where_nothing_is_counted_a_rate_is_undefined_and_not_zero() -> None:
    rate = answer_rates([one(Word.CORRECT)])["wrong_on_no_answer"]
    assert math.isnan(rate.value)
    assert (rate.n, rate.reason) == (0, NOTHING_COUNTED)
    assert all(math.isnan(rate.value) for rate in answer_rates([]).values())


def test_a_failure_is_no_refusal() -> None:
    verdict = Verdict(word=Word.INCORRECT, reason="failed")
    found = outcome(Answer(text="", refused=True, error="timeout"), verdict, answerable=False)
    assert found == one(Word.INCORRECT, answerable=False, failed=True)
