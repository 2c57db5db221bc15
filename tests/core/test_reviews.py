"""A person's verdict holds for the same answer to the same question against the same reference, and for no other."""

from dataclasses import replace

import pytest

from rag_ablation.core.answers import Answer, Reference, Verdict, Word
from rag_ablation.core.reviews import Key, Review, Reviews, question_digest, reference_digest, settled

QUESTION = "how many days?"
ANSWER = Answer(text="two days", cited=("p1",), tokens={"prompt": 3})
REFERENCE = Reference(answers=("2 days",))


def review(word: Word = Word.CORRECT, key: Key | None = None, note: str = "") -> Review:
    return Review(
        key=key or Key.of(QUESTION, ANSWER, REFERENCE), word=word, note=note, time="2026-01-01T00:00:00+00:00"
    )


def test_an_answer_is_known_by_what_it_says_wherever_it_was_said() -> None:
    again = Answer(text="two days", finish="length", prompt="another", cost=0.1)
    assert Key.of(QUESTION, again, REFERENCE) == Key.of(QUESTION, ANSWER, REFERENCE)


@pytest.mark.parametrize(
    "other",
    [
        Key.of("how many weeks?", ANSWER, REFERENCE),
        Key.of(QUESTION, replace(ANSWER, text="two days."), REFERENCE),
        Key.of(QUESTION, replace(ANSWER, refused=True), REFERENCE),
        Key.of(QUESTION, ANSWER, Reference(answers=("3 days",))),
        Key.of(QUESTION, ANSWER, Reference(answers=("2 days",), forbidden=("weeks",))),
        Key.of(QUESTION, ANSWER, Reference(answers=("2 days",), answerable=False)),
    ],
    ids=["question", "text", "refusal", "right answer", "what must not be said", "no answer"],
)
def test_another_question_answer_or_reference_is_not_settled(other: Key) -> None:
    assert Reviews.of([review()]).latest.get(other) is None
    assert other.short != review().key.short


def test_a_later_verdict_takes_the_place_of_an_earlier_one() -> None:
    found = Reviews.of([review(Word.CORRECT), review(Word.INCORRECT)])
    assert len(found) == 1
    assert found.find(QUESTION, ANSWER, REFERENCE) == review(Word.INCORRECT)


def test_a_failure_is_nobodys_to_settle() -> None:
    assert Reviews.of([review()]).find(QUESTION, replace(ANSWER, error="timeout"), REFERENCE) is None


def test_a_person_settles_and_does_not_leave_open() -> None:
    with pytest.raises(ValueError, match="expected correct or incorrect"):
        review(Word.NEEDS_REVIEW)


@pytest.mark.parametrize(
    ("by_judge", "note", "reason"),
    [
        (Word.CORRECT, "", "a person: correct"),
        (Word.CORRECT, "as the rule says", "a person: as the rule says"),
        (Word.INCORRECT, "", "a person: correct; the judge: incorrect, why"),
        (Word.NEEDS_REVIEW, "fine", "a person: fine; the judge: needs_review, why"),
    ],
)
def test_the_reason_names_the_person_and_what_the_judge_said_otherwise(by_judge: Word, note: str, reason: str) -> None:
    verdict = Verdict(word=by_judge, reason="why", evidence=("2 days",))
    assert settled(verdict, review(note=note)) == Verdict(word=Word.CORRECT, reason=reason, evidence=("2 days",))


def test_the_digest_is_of_verdicts_and_notes_and_not_of_their_order_or_time() -> None:
    one, other = review(), review(key=Key.of("another?", ANSWER, REFERENCE))
    digest = Reviews.of([one, other]).digest()
    assert Reviews.of([replace(other, time="later", by="A"), one]).digest() == digest
    assert Reviews.of([one]).digest() != digest
    assert Reviews.of([replace(one, word=Word.INCORRECT), other]).digest() != digest
    assert Reviews.of([replace(one, note="x"), other]).digest() != digest


def test_those_that_concern_a_set_are_of_its_questions_and_references() -> None:
    found = Reviews.of([review(), review(key=Key.of("another?", ANSWER, REFERENCE))])
    asked = {(question_digest(QUESTION), reference_digest(REFERENCE))}
    assert set(found.concerning(asked).latest) == {review().key}
    assert not found.concerning({(question_digest(QUESTION), reference_digest(Reference(answers=("3 days",))))})


def test_a_short_name_is_no_number_to_a_spreadsheet() -> None:
    assert review().key.short[0] == "r"
    assert len(review().key.short) == 17
