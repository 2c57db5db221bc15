"""A run goes by what people made of its answers; nothing else of it changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.answers import Answer, Reference, Verdict, Word, reference_of
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.core.results import Answered, RunResult
from rag_ablation.core.reviews import Key, Review, Reviews
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.latency import absent
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.record import arm_digest, record_of
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.stages.answering import Generated, Judged, Judging, Reading
from rag_ablation.stages.base import Cache
from rag_ablation.stages.bm25 import Bm25
from rag_ablation.stages.context import TopContext
from tests.builders import evaluation_set, passages, queries
from tests.experiment.test_arm_digest import ARM

IDS = tuple(f"q{n}" for n in range(6))
OPEN, RIGHT, WRONG = Word.NEEDS_REVIEW, Word.CORRECT, Word.INCORRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Says:
    """Says the same to every question; fails on those of some rows."""

    text: str = "yes"
    fails: tuple[int, ...] = ()
    needs_context = False
    libraries = ()

    def fingerprint(self) -> Mapping[str, object]:
        return {}

    def generate(self, reading: Reading, cache: Cache) -> Generated:
        answers = tuple(
            Answer(text="", error="timeout") if row in self.fails else Answer(text=f"{self.text} {query}")
            for row, query in enumerate(reading.queries.ids)
        )
        return Generated(answers=answers, facts={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Finds:
    """A judge with its verdicts given; a failure is wrong."""

    words: tuple[str, ...] = ("needs_review",) * len(IDS)
    libraries = ()

    def fingerprint(self) -> Mapping[str, object]:
        return {}

    def judge_all(self, given: Judging, cache: Cache) -> Judged:
        verdicts = tuple(
            Verdict(word=WRONG if answer.failed else Word(word), reason="as given")
            for word, answer in zip(self.words, given.answers, strict=True)
        )
        return Judged(verdicts=verdicts, facts={"rules": "1"})


def data(reviews: Reviews | None = None) -> EvalSet:
    asked = queries({name: f"what is {name}" for name in IDS})
    made = evaluation_set(passages({"p1": "what"}), asked, {name: {"p1": 1} for name in IDS})
    labels = tuple({"answer": f"the {name}"} for name in IDS)
    return replace(made, labels=labels, reviews=reviews or Reviews())


def arm(judge: object = None, generate: object = None) -> Experiment:
    names = {"sparse": "bm25", "context": "top", "generate": "says", **({"judge": "finds"} if judge else {})}
    pipeline = Pipeline(
        names=names,
        sparse=Bm25(analyser="words"),
        context=TopContext(),
        generate=generate or Says(),
        judge=judge,
    )
    return replace(ARM, pipeline=pipeline)


def reviews(words: Mapping[int, Word], text: str = "yes", note: str = "") -> Reviews:
    found = []
    for row, word in words.items():
        query = data().queries.rows[row]
        reference = reference_of(data().labels[row], query.status)
        found.append(Review(key=Key.of(query.text, Answer(text=f"{text} {query.id}"), reference), word=word, note=note))
    return Reviews.of(found)


def ran(folder: Path, words: Sequence[Word], after: Reviews | None = None, **more: object) -> RunResult:
    judge = Finds(words=tuple(map(str, words)))
    return run(arm(judge, **more), data(after), StageStore(folder), lambda output: None)


def answered(result: RunResult) -> Answered:
    assert result.answered is not None
    return result.answered


def mean(result: RunResult, measure: str) -> float | None:
    return result.points["answer"].means[measure, 0].value


def test_a_verdict_of_a_person_takes_the_place_of_the_judges_and_both_are_kept(tmp_path: Path) -> None:
    words = [OPEN, RIGHT, WRONG, RIGHT, OPEN, WRONG]
    result = ran(tmp_path, words, reviews({0: RIGHT, 1: WRONG, 3: RIGHT}, note="seen"))
    found = answered(result)
    assert [verdict.word for verdict in found.verdicts] == [RIGHT, WRONG, WRONG, RIGHT, OPEN, WRONG]
    assert [verdict.word for verdict in found.judged] == words
    assert found.verdicts[1].reason == "a person: seen; the judge: correct, as given"
    assert found.stages[-1].facts == {"rules": "1", "n_reviewed": 3, "n_overruled": 1}


def test_without_reviews_nothing_is_counted_as_reviewed(tmp_path: Path) -> None:
    found = answered(ran(tmp_path, [OPEN] * 6))
    assert found.stages[-1].facts == {"rules": "1", "n_reviewed": 0, "n_overruled": 0}
    assert found.judged == found.verdicts


def test_another_answer_to_the_same_question_is_not_settled(tmp_path: Path) -> None:
    settled = reviews(dict.fromkeys(range(6), RIGHT))
    found = answered(ran(tmp_path, [OPEN] * 6, settled, generate=Says(text="no")))
    assert {verdict.word for verdict in found.verdicts} == {OPEN}


def test_a_failure_stays_wrong_whatever_anybody_said_of_an_empty_answer(tmp_path: Path) -> None:
    query = data().queries.rows[0]
    key = Key.of(query.text, Answer(text=""), reference_of(data().labels[0], query.status))
    found = answered(ran(tmp_path, [OPEN] * 6, Reviews.of([Review(key=key, word=RIGHT)]), generate=Says(fails=(0,))))
    assert found.verdicts[0].word is WRONG


def test_the_stages_are_those_of_before(tmp_path: Path) -> None:
    before = ran(tmp_path, [OPEN] * 6)
    after = ran(tmp_path, [OPEN] * 6, reviews({0: RIGHT}))
    assert all(output.reused for output in after.outputs)
    assert [stage.digest for stage in answered(after).stages] == [stage.digest for stage in answered(before).stages]


def test_the_fates_tell_answers_that_a_person_settled(tmp_path: Path) -> None:
    before = ran(tmp_path, [OPEN] * 6).evidence
    after = ran(tmp_path, [OPEN] * 6, reviews({0: RIGHT, 1: WRONG})).evidence
    assert before.answers == {"answer_right": 0, "answer_wrong": 0, "answer_open": 6}
    assert after.answers == {"answer_right": 1, "answer_wrong": 1, "answer_open": 4}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(list(Word)), min_size=6, max_size=6), st.data())
def test_when_all_is_settled_the_rate_is_what_people_said_and_lies_within_the_bounds_of_before(
    tmp_path_factory: pytest.TempPathFactory, words: list[Word], drawn: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    before = ran(folder, words)
    waiting = [row for row, word in enumerate(words) if word is OPEN]
    said = {row: drawn.draw(st.sampled_from([RIGHT, WRONG])) for row in waiting}
    after = ran(folder, words, reviews(said))
    final = [said.get(row, word) for row, word in enumerate(words)]
    assert mean(after, "correct") == sum(word is RIGHT for word in final) / 6
    assert mean(before, "correct_low") <= mean(after, "correct") <= mean(before, "correct_high")
    assert mean(after, "correct") == mean(after, "correct_low") == mean(after, "correct_high")
    assert mean(after, "needs_review") == 0
    assert (mean(before, "correct") is None) == bool(waiting)


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 5), max_size=5))
def test_while_any_is_open_the_rate_is_absent_and_the_bounds_close_in(
    tmp_path_factory: pytest.TempPathFactory, rows: set[int]
) -> None:
    result = ran(tmp_path_factory.mktemp("run"), [OPEN] * 6, reviews(dict.fromkeys(rows, RIGHT)))
    assert mean(result, "correct") is None
    assert (mean(result, "correct_low"), mean(result, "correct_high")) == (len(rows) / 6, 1)


def digest(reviews: Reviews | None = None, judge: object | None = Finds()) -> str:
    return arm_digest(arm(judge), data(reviews), "A")


def test_a_review_of_its_questions_makes_a_judged_arm_another() -> None:
    assert digest(reviews({0: RIGHT})) != digest()
    assert digest(reviews({0: RIGHT})) != digest(reviews({0: WRONG}))
    assert digest(reviews({0: RIGHT})) != digest(reviews({0: RIGHT}, note="why"))
    assert digest(reviews({0: RIGHT, 1: WRONG})) == digest(reviews({1: WRONG, 0: RIGHT}))


def test_an_arm_that_nobody_judges_is_the_same_whatever_people_said() -> None:
    assert digest(reviews({0: RIGHT}), judge=None) == digest(judge=None)


def test_reviews_of_other_questions_or_of_other_references_leave_an_arm_as_it_is() -> None:
    answer, query = Answer(text="yes q0"), data().queries.rows[0]
    other = Review(key=Key.of("something else", answer, Reference(answers=("the q0",))), word=RIGHT)
    before = Review(key=Key.of(query.text, answer, Reference(answers=("as it was labelled before",))), word=RIGHT)
    assert digest(Reviews.of([other, before])) == digest()


def test_a_question_that_nobody_reviewed_concerns_nobody() -> None:
    query = Query(id="q0", text="what is q0", status=Status.UNREVIEWED, metadata={})
    made = replace(data(reviews({0: RIGHT})), queries=Queries((query, *data().queries.rows[1:])))
    assert arm_digest(arm(Finds()), made, "A") == arm_digest(arm(Finds()), replace(made, reviews=Reviews()), "A")


def test_a_sample_of_the_questions_keeps_the_reviews() -> None:
    assert data(reviews({0: RIGHT})).sample([0, 2]).reviews == reviews({0: RIGHT})


@pytest.mark.parametrize("said", [None, reviews({0: RIGHT})])
def test_the_record_names_the_reviews_that_it_went_by(tmp_path: Path, said: Reviews | None) -> None:
    experiment, evalset = arm(Finds()), data(said)
    result = run(experiment, evalset, StageStore(tmp_path), lambda output: None)
    record = record_of(experiment, {"id": "x", "arm": "A"}, evalset, result, absent("no"))
    assert ("reviews" in record.digests) == (said is not None)
    assert record.digests["arm"] == arm_digest(experiment, evalset, "A")
