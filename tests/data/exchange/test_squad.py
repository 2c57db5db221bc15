"""SQuAD files in the form of the official ones."""

import json
import os
from pathlib import Path

import pytest

from rag_ablation.data.exchange._spans import Fit, locate
from rag_ablation.data.load import load
from tests.data.exchange.ways import given, grades, refused, statuses, taken
from tests.data.folders import native, passage, question, table

CONTEXT = "The Normans were in Normandy, a region in France. Normandy is green."
COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")


def asked(name: str, *answers: tuple[str, int], **more: object) -> dict[str, object]:
    found = [{"text": text, "answer_start": start} for text, start in answers]
    return {"question": f"what {name}?", "id": name, "answers": found, "is_impossible": False} | more


def squad(path: Path, *qas: dict[str, object], version: str = "v2.0") -> Path:
    paragraphs = [{"qas": list(qas), "context": CONTEXT}, {"qas": [], "context": "Second paragraph."}]
    path.write_text(json.dumps({"version": version, "data": [{"title": "The_Normans", "paragraphs": paragraphs}]}))
    return path


def test_paragraphs_become_passages_and_answers_spans(tmp_path: Path) -> None:
    path = squad(tmp_path / "dev.json", asked("a", ("France", 42), ("in France", 39), ("France", 42)))
    outcome, benchmark = taken("squad", path)
    first = benchmark.passages.rows[0]
    assert (first.id, first.title, first.doc_id, first.location) == ("The_Normans-1", "The Normans", "The_Normans", "1")
    assert benchmark.labels[0] == {
        "answer": "France",
        "answers": ["France", "in France"],
        "spans": [
            {"corpus_id": "The_Normans-1", "start": 42, "text": "France"},
            {"corpus_id": "The_Normans-1", "start": 39, "text": "in France"},
        ],
    }
    assert grades(benchmark) == {("a", "The_Normans-1"): 1}
    assert benchmark.about == {"dataset_version": "v2.0"}
    assert outcome.losses == ()


def test_an_impossible_question_has_no_answer_and_names_its_paragraph(tmp_path: Path) -> None:
    qa = asked("b", is_impossible=True, plausible_answers=[{"text": "Normans", "answer_start": 4}])
    outcome, benchmark = taken("squad", squad(tmp_path / "dev.json", asked("a", ("France", 42)), qa))
    assert statuses(benchmark) == {"a": "reviewed", "b": "no_answer"}
    assert benchmark.labels[1] == {"asked_about": "The_Normans-1"}
    assert "questions whose plausible_answers are ignored, as they are no answers: 1" in outcome.notices


def test_version_1_1_has_no_is_impossible(tmp_path: Path) -> None:
    qa = {"answers": [{"answer_start": 42, "text": "France"}], "question": "?", "id": "a"}
    assert statuses(taken("squad", squad(tmp_path / "d.json", qa, version="1.1"))[1]) == {"a": "reviewed"}


def test_wrong_offsets_are_counted_and_found_again_only_where_that_is_sure(tmp_path: Path) -> None:
    qas = [asked("once", ("France", 3)), asked("twice", ("Normandy", 3)), asked("never", ("Spain", 3))]
    qas.append(asked("cut", ("is green. Very green", CONTEXT.index("is green"))))
    outcome, benchmark = taken("squad", squad(tmp_path / "dev.json", *qas))
    starts = {
        row.id: labels["spans"][0]["start"]
        for row, labels in zip(benchmark.queries.rows, benchmark.labels, strict=True)
    }  # type: ignore[index]
    assert starts == {"once": 42, "twice": None, "never": None, "cut": None}
    assert [notice for notice in outcome.notices if "answers" in notice] == [
        f"{Fit.FOUND}: 1 (once)",
        f"{Fit.AMBIGUOUS}: 1 (twice)",
        f"{Fit.LOST}: 1 (never)",
        f"{Fit.CUT}: 1 (cut)",
    ]


@pytest.mark.parametrize(
    ("start", "text", "fit"),
    [
        (2, "cd", Fit.EXACT),
        (0, "cd", Fit.FOUND),
        (None, "cd", Fit.FOUND),
        (4, "efgh", Fit.CUT),
        (-2, "xyab", Fit.CUT),
        (9, "gh", Fit.LOST),
        (1, "", Fit.EXACT),
    ],
)
def test_where_an_answer_is(start: int | None, text: str, fit: Fit) -> None:
    assert locate("abcdef", start, text).fit is fit


def test_overlapping_occurrences_are_two(tmp_path: Path) -> None:
    assert locate("aaa", 5, "aa").fit is Fit.AMBIGUOUS


def test_problems_name_their_place_in_the_file(tmp_path: Path) -> None:
    qas = [asked("a", ("France", 42), is_impossible=True), asked("b", ("", 0)), asked("c", ("x", "3"))]  # type: ignore[list-item]
    qas += [asked("d", ("France", 42)), asked("d", ("France", 42)), {"id": 5, "question": "?", "answers": []}]
    said = refused("squad", squad(tmp_path / "dev.json", *qas))
    place = "dev.json: data[0].paragraphs[0].qas"
    assert f"{place}[0].is_impossible: found true, with 1 answer, expected no answers, or false" in said
    assert f"{place}[1].answers[0].text: found nothing" in said
    assert f"{place}[2].answers[0].answer_start: found '3'" in said
    assert f"{place}[4]._id: found 'd', which dev.json data[0].paragraphs[0].qas[3] has already" in said
    assert f"{place}[5]._id: found the number 5" in said


def test_a_file_that_is_no_json_or_no_squad(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"data": [\n1,')
    assert "a.json:2: file: found no usable JSON" in refused("squad", tmp_path / "a.json")
    (tmp_path / "a.json").write_text("[]")
    assert "a.json: data: found an empty list" in refused("squad", tmp_path / "a.json")


def test_of_a_folder_one_file_is_taken_and_the_others_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    squad(folder / "train-v2.0.json", asked("t", ("France", 42)))
    squad(folder / "dev-v2.0.json", asked("d", ("France", 42)))
    assert "found dev-v2.0, train-v2.0, expected a choice: --split-name dev-v2.0" in refused("squad", folder)
    outcome, benchmark = taken("squad", folder, split="dev-v2.0")
    assert benchmark.queries.ids == ("d",)
    assert outcome.losses == ("other files, not taken: train-v2.0.json",)


def test_there_and_back(tmp_path: Path) -> None:
    corpus = [passage("p1", CONTEXT, doc_id="D", location="9"), passage("p2", "Spain is south.", doc_id="D")]
    questions = [
        question("a", answer="France", answers=["France"], type="t"),
        question("b", status="no_answer", asked_about="p2"),
        question("c", answer="not there"),
        question("d", status="unreviewed"),
        question("e", status="no_answer"),
    ]
    folder = native(
        tmp_path / "n", corpus, questions, table(("a", "p1", 3), ("a", "p2", 1), ("c", "p1", 1), ("a", "p1", 3))
    )
    outcome, target = given("squad", folder)
    assert outcome.losses == (
        "grades above 1, which become 1: 1",
        "further gold passages of questions that have several: 1",
        "questions without an answer that stands in a gold passage, left out: 1",
        "questions without gold, left out: 1",
        "questions of status no_answer that name no passage, left out: 1",
        "fields of passages: location (1 of 2)",
        "fields of questions: type (1 of 5)",
    )
    back = taken("squad", target)[1]
    assert statuses(back) == {"a": "reviewed", "b": "no_answer"}
    assert grades(back) == {("a", "p1"): 1}
    assert back.passages.ids == ("p1", "p2")


@pytest.mark.collections
@pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections")
def test_a_real_collection_comes_back_whole(tmp_path: Path) -> None:
    whole = load(Path(COLLECTIONS or "") / "squad2_en")
    _, target = given_real(tmp_path)
    back = taken("squad", target)[1]
    assert grades(back) == grades(whole)
    assert statuses(back) == statuses(whole)
    assert [row.get("spans") for row in back.labels] == [row.get("spans") for row in whole.labels]


def given_real(folder: Path) -> tuple[object, Path]:
    (folder / "squad2_en").symlink_to(Path(COLLECTIONS or "") / "squad2_en")
    return given("squad", folder / "squad2_en")
