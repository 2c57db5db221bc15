"""Choosing a threshold: what is told of each is what the generator answers at it, and the best one is the best."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rag_ablation.core.answers import Reference, Word
from rag_ablation.core.errors import StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import SCORED
from rag_ablation.core.reviews import Key, Review, Reviews
from rag_ablation.experiment.answering import references_of
from rag_ablation.experiment.thresholds import Stretch, Thresholds, thresholds
from rag_ablation.report.thresholds import drawn, values_of
from rag_ablation.stages.answering import Judged, Judging, Reading
from rag_ablation.stages.base import Cache, NoCache
from rag_ablation.stages.extractive import ExtractiveGenerator, Scored
from rag_ablation.stages.judge import RulesJudge
from tests.builders import evaluation_set, passages

WORDS = ("hotel", "limit", "night", "tax", "free", "form", "seal", "380", "420", "days")
GENERATOR = ExtractiveGenerator(analyser="words", stemmer="none")

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
texts = st.lists(sentences, min_size=1, max_size=3).map(lambda some: ". ".join(some) + ".")


@st.composite
def sets(draw: st.DrawFn) -> tuple[EvalSet, Rankings, tuple[str, ...]]:
    """Up to four passages, up to five questions with or without an answer, and a context for each."""
    corpus = passages({f"p{n}": text for n, text in enumerate(draw(st.lists(texts, min_size=1, max_size=4)))})
    asked = draw(st.lists(st.tuples(sentences, st.booleans()), min_size=1, max_size=5))
    questions = Queries(
        tuple(
            Query(id=f"q{n}", text=text, status=Status.REVIEWED if known else Status.NO_ANSWER, metadata={})
            for n, (text, known) in enumerate(asked)
        )
    )
    labels = tuple({"answers": [draw(st.sampled_from(WORDS))]} if known else {} for _, known in asked)
    shown = [draw(st.permutations(range(len(corpus))))[: draw(st.integers(0, len(corpus)))] for _ in asked]
    rows = np.full((len(asked), len(corpus)), -1, dtype=np.int64)
    for place, some in enumerate(shown):
        rows[place, : len(some)] = some
    status = tuple(SCORED if known else "no_answer" for _, known in asked)
    made = evaluation_set(corpus, questions, {f"q{n}": {"p0": 1} for n, (_, known) in enumerate(asked) if known})
    return replace(made, labels=labels), Rankings.from_order(rows), status


def told_at(found: Thresholds, threshold: float) -> Stretch:
    return next(one for one in found.stretches if one.above < threshold <= one.up_to)


def truly(
    generator: ExtractiveGenerator, evalset: EvalSet, context: Rankings, status: Sequence[str]
) -> tuple[list[bool], list[bool], list[bool]]:
    """Right, refused and open, of every question that is judged, by asking the generator and the judge."""
    contexts = tuple(tuple(row for row in shown if row >= 0) for shown in context.passages.tolist())
    reading = Reading(queries=evalset.queries, contexts=contexts, passages=evalset.passages, language="en")
    answers = generator.generate(reading, NoCache()).answers
    judge = RulesJudge()
    rows = [
        (text, answer, reference)
        for text, answer, reference in zip(evalset.queries.texts, answers, references_of(evalset, status), strict=True)
        if isinstance(reference, Reference)
    ]
    words = [judge.judge(*row).word for row in rows]
    return (
        [word is Word.CORRECT for word in words],
        [answer.refused for _, answer, _ in rows],
        [word is Word.NEEDS_REVIEW for word in words],
    )


@settings(max_examples=60, deadline=None)
@given(sets(), st.floats(-0.1, 1.1), st.sampled_from([1, 2]))
def test_what_is_told_of_a_threshold_is_what_is_answered_at_it(
    made: tuple[EvalSet, Rankings, tuple[str, ...]], threshold: float, most: int
) -> None:
    evalset, context, status = made
    generator = replace(GENERATOR, sentences=most)
    assume(context.lengths.any())
    found = thresholds((generator, RulesJudge()), evalset, context, status, NoCache())
    for at in (threshold, found.chosen.threshold, *(one.threshold for one in found.stretches)):
        told = told_at(found, at)
        there = (told.right.tolist(), told.refused.tolist(), told.open.tolist())
        assert there == truly(replace(generator, threshold=at), evalset, context, status)
    most_right = max(int(one.right.sum()) for one in found.stretches)
    ties = [one for one in found.stretches if int(one.right.sum()) == most_right]
    widest = max(one.width for one in ties)
    assert found.chosen is next(one for one in ties if one.width == widest)


class Counting(RulesJudge):
    """Counts what it is asked."""

    asked: ClassVar[list[int]] = []

    def judge_all(self, given: Judging, cache: Cache) -> Judged:
        self.asked.append(len(given.answers))
        return super().judge_all(given, cache)


def of(answers: dict[str, tuple[str, str | None]]) -> tuple[EvalSet, Rankings, tuple[str, ...]]:
    """Questions with the one passage shown for each, and the right answer, None where there is none."""
    corpus = passages({f"p-{name}": text for name, (text, _) in answers.items()})
    names = sorted(answers)
    questions = Queries(
        tuple(
            Query(
                id=name,
                text=name.replace("_", " "),
                status=Status.NO_ANSWER if answers[name][1] is None else Status.REVIEWED,
                metadata={},
            )
            for name in names
        )
    )
    gold = {name: {f"p-{name}": 1} for name in names if answers[name][1] is not None}
    made = evaluation_set(corpus, questions, gold)
    labels = tuple({} if answers[name][1] is None else {"answers": [answers[name][1]]} for name in names)
    rows = np.array([[corpus.row_of()[f"p-{name}"]] for name in names])
    status = tuple("no_answer" if answers[name][1] is None else SCORED for name in names)
    return replace(made, labels=labels), Rankings.from_order(rows), status


REFUSABLE = {
    "hotel_limit_night": ("hotel limit night 380", "380"),
    "form_seal": ("form seal blue", "blue"),
    "tax_free_days": ("free beer", None),
}


def test_it_chooses_the_middle_between_what_should_be_answered_and_what_should_not() -> None:
    evalset, context, status = of(REFUSABLE)
    found = thresholds((GENERATOR, RulesJudge()), evalset, context, status, NoCache())
    chosen = found.chosen
    assert chosen.right.all()
    assert chosen.refused.tolist() == [False, False, True]
    assert chosen.up_to == 1
    assert chosen.threshold == pytest.approx((chosen.above + 1) / 2, abs=0.1 * (1 - chosen.above))
    assert len(str(chosen.threshold)) <= 4


def test_every_answer_is_judged_once_however_many_thresholds_there_are() -> None:
    evalset, context, status = of(REFUSABLE)
    Counting.asked.clear()
    found = thresholds((GENERATOR, Counting()), evalset, context, status, NoCache())
    assert len(found.stretches) > 2
    assert Counting.asked == [3 * len(REFUSABLE)]


def test_what_a_person_said_of_an_answer_counts_wherever_a_threshold_gives_it() -> None:
    evalset, context, status = of({"form_seal": ("form seal blue", "green"), "hotel_limit": ("hotel limit 380", "380")})
    before = thresholds((GENERATOR, RulesJudge()), evalset, context, status, NoCache()).chosen
    answer = GENERATOR.answer(evalset.passages, [Scored(1.0, "form seal blue", 0)])
    key = Key.of(evalset.queries.texts[0], answer, Reference(answers=("green",)))
    seen = replace(evalset, reviews=Reviews.of([Review(key=key, word=Word.CORRECT)]))
    after = thresholds((GENERATOR, RulesJudge()), seen, context, status, NoCache()).chosen
    assert (before.right.tolist(), after.right.tolist()) == ([False, True], [True, True])


def test_refusing_everything_is_a_candidate() -> None:
    evalset, context, status = of({"tax_free": ("tax free", None), "form_seal": ("form seal", None)})
    found = thresholds((GENERATOR, RulesJudge()), evalset, context, status, NoCache())
    assert found.chosen.up_to == math.inf
    assert found.chosen.refused.all()
    assert found.chosen.threshold > 1


def test_thresholds_around_the_best_that_differ_by_nothing_sure_are_told_from_end_to_end() -> None:
    evalset, context, status = of(REFUSABLE)
    found = thresholds((GENERATOR, RulesJudge()), evalset, context, status, NoCache())
    first, last = found.as_good
    assert first <= found.best <= last
    for place, interval in enumerate(found.to_best):
        if first <= place <= last:
            assert interval.low is None or interval.low <= 0 <= (interval.high or 0)
    assert found.to_best[found.best].mean == 0


def test_without_a_question_that_has_no_answer_it_is_said_that_nothing_speaks_for_refusing() -> None:
    evalset, context, status = of({name: given for name, given in REFUSABLE.items() if given[1] is not None})
    told = values_of(thresholds((GENERATOR, RulesJudge()), evalset, context, status, NoCache()))
    assert told["n_no_answer"] == 0
    assert any("nothing here speaks for refusing" in note for note in told["notes"])
    assert told["best"]["refused_wrong"] == 0


def test_where_no_context_holds_a_sentence_there_is_nothing_to_choose_from() -> None:
    evalset, _, status = of(REFUSABLE)
    empty = Rankings.from_order(np.full((len(status), 1), -1))
    with pytest.raises(StageError, match="nothing to choose from"):
        thresholds((GENERATOR, RulesJudge()), evalset, empty, status, NoCache())


def test_the_screen_shows_the_best_and_what_to_type() -> None:
    evalset, context, status = of(REFUSABLE)
    values = values_of(thresholds((GENERATOR, RulesJudge()), evalset, context, status, NoCache()))
    about = {"arm": "A", "dataset": "made", "side": "dev", "scorer": "overlap", "judge": "rules 1"}
    board = drawn({**about, **values})
    (best,) = [row for row in board.tables[0].rows if row[-1] == "best"]
    assert best[0] == str(values["threshold"])
    assert best[1] == "3 of 3"
    assert board.remarks[0].startswith("chosen on these 3 dev questions (3 groups): 2 with an answer, 1 without")
    assert board.remarks[-1] == f"next: generate.threshold={values['threshold']}"
