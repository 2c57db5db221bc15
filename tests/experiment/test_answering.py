"""What becomes of an answer: whole arms that are shown the gold evidence, and a generator whose answers are given.

Five things that are easily taken for one another, in Chinese and in English: the evidence is kept and the answer wrong;
the figure is right but of another year; the answer is right and nothing shown says so; it declines although there is an
answer; it answers although there is none.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.answers import Answer
from rag_ablation.core.errors import StageError
from rag_ablation.core.queries import Queries, Status
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import RunResult
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.experiment.threats import stage_threats
from rag_ablation.stages.answering import Generated, Reading
from rag_ablation.stages.context import ClosedBook, GoldContext
from rag_ablation.stages.extractive import ExtractiveGenerator
from rag_ablation.stages.judge import RulesJudge
from tests.builders import evaluation_set, experiment, passages, queries

SAID: dict[str, Answer] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """A generator whose answers are given; not a pattern to copy, since its behaviour is no setting."""

    @property
    def libraries(self) -> tuple[str, ...]:
        return ()

    @property
    def needs_context(self) -> bool:
        return False

    def fingerprint(self) -> dict[str, object]:
        return {}

    def generate(self, reading: Reading, cache: object) -> Generated:
        return Generated(answers=tuple(SAID[query] for query in reading.queries.ids), facts={})


CORPUS = {
    "zh": {
        "meal-2025": "差旅餐补标准（2025）：每人每天 80 元。",
        "meal-2026": "差旅餐补标准（2026）：每人每天 100 元。",
        "invoice": "本次餐费发票 118.5 元，餐补 80 元，超出部分由个人承担。",
        "leave": "年假按工龄计算，满一年的每年 5 天。",
    },
    "en": {
        "meal-2025": "Meal allowance (2025): RMB 80 per person and day.",
        "meal-2026": "Meal allowance (2026): RMB 100 per person and day.",
        "invoice": "The meal cost RMB 118.5, the allowance is RMB 80, the rest is paid by the traveller.",
        "leave": "Annual leave depends on service: 5 days a year after the first year.",
    },
}
QUESTION = {
    "zh": {
        "difference": "这顿饭 118.5 元，餐补 80 元，个人要承担多少？",
        "year": "2026 年的餐补是每天多少？",
        "nothing": "公司提供住房补贴吗，多少？",
    },
    "en": {
        "difference": "The meal was RMB 118.5 and the allowance RMB 80: what does the traveller pay?",
        "year": "What is the daily meal allowance in 2026?",
        "nothing": "How much is the housing allowance?",
    },
}
RIGHT = {
    "zh": {"difference": "38.5 元", "year": "100 元"},
    "en": {"difference": "RMB 38.5", "year": "RMB 100"},
}
GOLD = {"difference": {"invoice": 2}, "year": {"meal-2026": 2}}
RULES = RulesJudge()


def arm(language: str, said: Mapping[str, Answer], folder: Path, **slots: object) -> RunResult:
    """An arm that is shown the gold evidence and says what it is told to say."""
    SAID.clear()
    SAID.update(said)
    texts = {name: QUESTION[language][name] for name in said}
    rows = queries(texts).rows
    status = {"nothing": Status.NO_ANSWER}
    asked = Queries(tuple(replace(row, status=status.get(row.id, Status.REVIEWED)) for row in rows))
    data = evaluation_set(passages(CORPUS[language]), asked, {name: GOLD[name] for name in texts if name in GOLD})
    labels = tuple({"answer": RIGHT[language][name]} if name in RIGHT[language] else {} for name in asked.ids)
    data = replace(data, labels=labels, language=language)
    stages: dict[str, object] = {"context": GoldContext(), "generate": Scripted(), "judge": RULES} | slots
    stages = {slot: stage for slot, stage in stages.items() if stage is not None}
    pipeline = Pipeline(names=dict.fromkeys(stages, "made"), **stages)  # type: ignore[arg-type]
    return run(experiment(pipeline), data, StageStore(folder), lambda output: None)


def told(result: RunResult, measure: str) -> tuple[float | None, int]:
    """A mean of answers with its n."""
    mean = result.points["answer"].means[measure, 0]
    return mean.value, mean.n


def verdicts(result: RunResult) -> list[str | None]:
    assert result.answered is not None
    return [None if one is None else str(one.word) for one in result.answered.verdicts]


@pytest.mark.parametrize(
    ("language", "right", "slip"),
    [
        ("zh", "118.5 − 80 = 38.5，个人承担 38.5 元。", "个人承担 18.5 元。"),
        ("en", "118.5 − 80 = 38.5, so the traveller pays RMB 38.5.", "The traveller pays RMB 18.5."),
    ],
)
def test_evidence_kept_and_the_difference_worked_out_right_or_wrong(
    language: str, right: str, slip: str, tmp_path: Path
) -> None:
    worked_out = arm(language, {"difference": Answer(text=right, cited=("invoice",))}, tmp_path)
    assert (verdicts(worked_out), told(worked_out, "correct")) == (["correct"], (1.0, 1))
    wrong = arm(language, {"difference": Answer(text=slip, cited=("invoice",))}, tmp_path)
    assert (verdicts(wrong), told(wrong, "correct")) == (["incorrect"], (0.0, 1))
    assert wrong.points["context"].means["recall", 1].value == 1
    assert wrong.evidence is not None
    assert wrong.evidence.counts["kept"] == 1
    assert wrong.evidence.answers == {"answer_right": 0, "answer_wrong": 1, "answer_open": 0}
    assert told(wrong, "supported") == (1.0, 1), "cites the evidence, and is wrong all the same"


@pytest.mark.parametrize(
    ("language", "last_year"), [("zh", "每人每天 80 元。"), ("en", "It is RMB 80 per person and day.")]
)
def test_the_figure_of_another_year_is_wrong(language: str, last_year: str, tmp_path: Path) -> None:
    found = arm(language, {"year": Answer(text=last_year, cited=("meal-2025",))}, tmp_path)
    assert verdicts(found) == ["incorrect"]
    assert told(found, "supported") == (0.0, 1), "what it cites was not shown"
    assert told(found, "citation_precision") == (0.0, 1)


@pytest.mark.parametrize(("language", "text"), [("zh", "每人每天 100 元。"), ("en", "RMB 100 per day.")])
def test_an_answer_can_be_right_and_unsupported(language: str, text: str, tmp_path: Path) -> None:
    guessed = arm(language, {"year": Answer(text=text)}, tmp_path)
    assert told(guessed, "correct") == (1.0, 1)
    assert told(guessed, "supported") == (0.0, 1)
    assert told(guessed, "citation_precision") == (None, 0)
    elsewhere = arm(language, {"year": Answer(text=text, cited=("leave",))}, tmp_path)
    assert (told(elsewhere, "correct"), told(elsewhere, "supported")) == ((1.0, 1), (0.0, 1))


@pytest.mark.parametrize(("language", "text"), [("zh", "资料中没有说明。"), ("en", "The passages do not say.")])
def test_declining_a_question_that_has_an_answer_is_wrong_and_counted_as_a_refusal(
    language: str, text: str, tmp_path: Path
) -> None:
    found = arm(language, {"year": Answer(text=text, refused=True)}, tmp_path)
    assert (told(found, "correct"), told(found, "refused_wrong")) == ((0.0, 1), (1.0, 1))
    assert found.points["answer"].means["supported", 0].excluded == {"refused": 1}


@pytest.mark.parametrize(("language", "text"), [("zh", "每月 2000 元。"), ("en", "RMB 2,000 a month.")])
def test_answering_a_question_without_an_answer_is_wrong(language: str, text: str, tmp_path: Path) -> None:
    said = {"nothing": Answer(text=text, cited=("leave",)), "year": Answer(text=RIGHT[language]["year"])}
    found = arm(language, said, tmp_path)
    assert told(found, "wrong_on_no_answer") == (1.0, 1)
    assert told(found, "refused_right") == (0.0, 1)
    assert told(found, "correct") == (1.0, 1), "of the questions that have an answer"
    declined = arm(language, said | {"nothing": Answer(text="", refused=True)}, tmp_path)
    assert (told(declined, "wrong_on_no_answer"), told(declined, "refused_right")) == ((0.0, 1), (1.0, 1))


def test_a_failed_generation_is_wrong_and_stays_in_the_mean(tmp_path: Path) -> None:
    said = {
        "difference": Answer(text="", error="no reply in 60 s", finish="error"),
        "year": Answer(text="RMB 100", cited=("meal-2026",)),
    }
    found = arm("en", said, tmp_path)
    assert (told(found, "correct"), told(found, "failed")) == ((0.5, 2), (0.5, 2))


def test_what_rules_cannot_decide_keeps_the_share_of_right_answers_open_between_two_bounds(tmp_path: Path) -> None:
    said = {"difference": Answer(text="38.5"), "year": Answer(text="RMB 100")}
    found = arm("en", said, tmp_path)
    assert verdicts(found) == ["needs_review", "correct"], "a bare figure: of what?"
    assert [told(found, name)[0] for name in ("correct", "correct_low", "correct_high")] == [None, 0.5, 1.0]
    assert found.points["answer"].means["correct", 0].reason == "answers_wait_for_review"
    assert found.evidence is not None
    assert found.evidence.answers == {"answer_right": 1, "answer_wrong": 0, "answer_open": 1}


def test_without_a_judge_nothing_is_right_or_wrong(tmp_path: Path) -> None:
    found = arm("en", {"year": Answer(text="RMB 100")}, tmp_path, judge=None)
    assert (verdicts(found), told(found, "correct")) == ([None], (None, 0))
    assert found.points["answer"].means["correct", 0].excluded == {"not_judged": 1}


def test_a_question_without_a_reference_is_counted_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RIGHT["en"], "year", "")
    found = arm("en", {"year": Answer(text="RMB 100"), "difference": Answer(text="RMB 38.5")}, tmp_path)
    assert found.points["answer"].means["correct", 0].excluded == {"no_reference": 1}
    assert told(found, "correct") == (1.0, 1)


def test_a_closed_book_is_not_applicable_to_a_generator_that_takes_sentences_of_passages(tmp_path: Path) -> None:
    slots = {"context": ClosedBook(), "generate": ExtractiveGenerator().resolved("en")}
    found = arm("en", {"year": Answer(text="unused")}, tmp_path, **slots)
    assert found.answered is not None
    assert found.answered.absent == (
        "generate=made: a closed book is not applicable to a generator that takes its answers from the context"
    )
    assert {mean.reason for mean in found.points["answer"].means.values()} == {"not_applicable"}
    assert all(math.isnan(value) for values in found.points["answer"].per_query.values() for value in values)


def test_a_label_of_another_form_is_named_with_its_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RIGHT["en"], "year", 100)  # type: ignore[arg-type]
    with pytest.raises(StageError, match=r"question 'year'(?s:.)*answer: found \[100\]"):
        arm("en", {"year": Answer(text="RMB 100")}, tmp_path)


def test_answers_do_not_depend_on_which_questions_are_asked_beside(tmp_path: Path) -> None:
    """The sentence scorer sees the whole corpus and one question: nothing else can change an answer."""
    slots = {"generate": ExtractiveGenerator(threshold=0.2).resolved("zh")}
    alone = arm("zh", {"year": Answer(text="unused")}, tmp_path, **slots)
    among = arm("zh", {name: Answer(text="unused") for name in QUESTION["zh"]}, tmp_path, **slots)
    assert alone.answered is not None
    assert among.answered is not None
    assert alone.answered.answers[0] == among.answered.answers[2]
    assert np.isfinite(among.points["answer"].per_query["failed", 0]).all()


def test_an_answer_that_also_cites_what_was_not_shown_is_not_supported(tmp_path: Path) -> None:
    found = arm("en", {"year": Answer(text="RMB 100", cited=("meal-2026", "leave"))}, tmp_path)
    assert told(found, "citation_precision") == (0.5, 1)
    assert told(found, "supported") == (0.0, 1)


def test_failures_of_a_generator_and_a_judge_are_threats_to_what_is_concluded() -> None:
    def stage(slot: str, **facts: object) -> RecordedStage:
        return RecordedStage(slot=slot, name="made", point="", seconds=0.0, reused=False, digest="", facts=facts)

    assert stage_threats([stage("generate", n_failed=0), stage("judge", n_failed=0, n_unparsed=0)], asked=9) == ()
    assert stage_threats(
        [stage("generate", n_failed=3, warnings=["reads English only"]), stage("judge", n_unparsed=2)], asked=9
    ) == (
        "generate: reads English only",
        "generate: 3 of 9 asked failed and count as incorrect",
        "judge: 2 of the judge's replies had another form than asked for; those answers wait for review",
    )
