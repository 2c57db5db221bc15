"""What is refused, and in which words."""

from pathlib import Path

import pytest

from rag_ablation.core.corpus import Unit
from rag_ablation.data.load import load
from tests.data.folders import HEADER, native, passage, question, table
from tests.data.test_lines import problems


def test_a_key_in_both_places_is_a_problem(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus=[passage("d1", acl=["hr"]) | {"acl": ["all"]}])
    assert problems(folder) == [
        "corpus.jsonl:1: acl: found the key both in metadata and beside it, expected one place for it, in metadata"
    ]


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"doc_id": 7}, 'doc_id: found the number 7, expected a non-empty string, for example "7", or null'),
        ({"location": 4.2}, "location: found the number 4.2, expected a non-empty string, or null"),
        ({"version": True}, "version: found the truth value true, expected a non-empty string, or null"),
        ({"family": []}, "family: found an empty list, expected a non-empty string, or null"),
        ({"acl": []}, "acl: found an empty list, expected a list of one or more roles (strings), or no such key"),
        ({"acl": None}, "acl: found null, expected a list of one or more roles"),
        ({"acl": "hr"}, "acl: found 'hr', expected a list of one or more roles"),
        ({"acl": ["hr", 1]}, "acl: found a list ('hr', …), expected a list of one or more roles"),
        ({"effective_from": "20260101"}, "effective_from: found '20260101', expected a day of the form 2026-01-31"),
        ({"effective_to": "2026-02-30"}, "effective_to: found '2026-02-30', expected a day of the form 2026-01-31"),
        ({"effective_from": "2026-01-02", "effective_to": "2026-01-01"},
         "effective_to: found 2026-01-01, before effective_from 2026-01-02, expected a day that is not before"),
    ],
)  # fmt: skip
def test_metadata_of_a_passage_is_checked(tmp_path: Path, metadata: dict[str, object], said: str) -> None:
    [found] = problems(native(tmp_path / "set", corpus=[passage("d1", **metadata)]))
    assert found.startswith(f"corpus.jsonl:1: metadata.{said}")


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"status": "done"}, "status: found 'done', expected one of: reviewed, no_answer, unreviewed"),
        ({"type": 1}, 'type: found the number 1, expected a non-empty string, for example "1", or null'),
        ({"identity": ["hr"]}, "identity: found a list ('hr', …), expected a non-empty string, or null"),
        ({"as_of": "yesterday"}, "as_of: found 'yesterday', expected a day of the form 2026-01-31, or null"),
        ({"group": 3}, "group: found the number 3, expected a non-empty string"),
        ({"answer": 3}, "answer: found the number 3, expected a string, or null"),
        ({"answers": "a"}, "answers: found 'a', expected a list of strings"),
        ({"keypoints": "a"}, "keypoints: found 'a', expected a list"),
        ({"keypoints": ["a", 2]}, "keypoints: found the number 2, expected a list, each of its items a string, or"),
        ({"keypoints": [{"text": "a", "needed": True}]}, "keypoints: found an object, expected a list, each of"),
        ({"spans": {}}, "spans: found an object, expected a list"),
        ({"evidence_groups": ["d1"]}, "evidence_groups: found a list ('d1', …), expected a list with one list of ids"),
        ({"evidence_groups": [[]]}, "evidence_groups: found a list (an empty list, …), expected a list with one"),
        ({"evidence_groups": [["d9"]]}, "evidence_groups: found 'd9', expected an id of the label unit"),
        ({"asked_about": 3}, "asked_about: found the number 3, expected an id (string), or a list of ids"),
        ({"asked_about": "d9"}, "asked_about: found 'd9', expected an id of a passage or of a label unit"),
    ],
)
def test_metadata_of_a_question_is_checked(tmp_path: Path, metadata: dict[str, object], said: str) -> None:
    [found] = problems(native(tmp_path / "set", queries=[question("q1", **metadata)]))
    assert found.startswith(f"queries.jsonl:1: metadata.{said}")


@pytest.mark.parametrize("text", ["", " \n", None])
def test_a_question_needs_a_text(tmp_path: Path, text: str | None) -> None:
    [found] = problems(native(tmp_path / "set", queries=[{"_id": "q1", "text": text}]))
    assert found.startswith("queries.jsonl:1: text: found ")
    assert found.endswith("expected the question, a non-empty string")


def test_a_text_that_is_no_string_is_one_problem(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus=[{"_id": "d1", "text": 3}], queries=[{"_id": "q1", "text": 3}])
    assert [said.split(":")[:3] for said in problems(folder)] == [
        ["corpus.jsonl", "1", " text"],
        ["queries.jsonl", "1", " text"],
    ]


def test_a_passage_without_text_key_is_a_problem_and_an_empty_one_is_said(tmp_path: Path) -> None:
    assert problems(native(tmp_path / "bad", corpus=[{"_id": "d1", "title": "t"}])) == [
        "corpus.jsonl:1: text: found nothing, expected a string"
    ]
    notices = load(native(tmp_path / "set", corpus=[passage("d1", "x"), passage("d2", "")])).notices
    assert "corpus.jsonl: 1 passage without title and text (first: line 2)" in notices


def test_reviewed_without_a_row_is_a_problem(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", queries=[question("q1"), question("q2", status="reviewed")])
    assert problems(folder) == [
        "queries.jsonl:2: metadata.status: found reviewed (stated, or by default) and no row of 'q2' in qrels.tsv, "
        "expected a row with its gold, or the status no_answer or unreviewed"
    ]


def test_reviewed_with_zero_grades_only_is_no_problem(tmp_path: Path) -> None:
    assert load(native(tmp_path / "set", qrels=table(("q1", "d1", 0)))).qrels.relevant(1).tolist() == [0]


def test_no_answer_with_gold_is_a_problem(tmp_path: Path) -> None:
    assert problems(native(tmp_path / "set", queries=[question("q1", status="no_answer")])) == [
        "queries.jsonl:1: metadata.status: found no_answer, with grade 1 for 'd1' on line 2 of qrels.tsv, "
        "expected no grade above 0 for a question without an answer"
    ]


@pytest.mark.parametrize(
    ("metadata", "asked", "why"),
    [
        ({"acl": ["hr"]}, {"identity": "guest"}, "(identity guest) cannot see: acl ['hr']"),
        ({"effective_to": "2025-12-31"}, {"as_of": "2026-01-01"},
         "(as_of 2026-01-01) cannot see: in force from … to 2025-12-31"),
        ({"effective_from": "2026-01-02"}, {"identity": "anna", "as_of": "2026-01-01"},
         "(identity anna, as_of 2026-01-01) cannot see: in force from 2026-01-02 to …"),
    ],
)  # fmt: skip
def test_gold_that_the_question_cannot_see_is_a_problem(
    tmp_path: Path, metadata: dict[str, object], asked: dict[str, object], why: str
) -> None:
    folder = native(
        tmp_path / "set", [passage("d1", **metadata)], [question("q1", **asked)], about="identities: {anna: [hr]}"
    )
    [found] = problems(folder)
    assert found.startswith(f"qrels.tsv:2: corpus-id: found 'd1', which question 'q1' {why}")
    assert "expected gold that exists for the question's own identity and date" in found


def test_gold_that_the_question_can_see_is_no_problem(tmp_path: Path) -> None:
    corpus = [passage("d1", acl=["hr"], effective_from="2026-01-01", effective_to="2026-01-01")]
    asked = [question("q1", identity="anna", as_of="2026-01-01")]
    assert load(native(tmp_path / "set", corpus, asked, about="identities: {anna: [hr]}")).identities == {
        "anna": ("hr",)
    }


def test_an_invisible_zero_grade_is_no_problem(tmp_path: Path) -> None:
    corpus = [passage("d1"), passage("d2", acl=["hr"])]
    rows = table(("q1", "d1", 1), ("q1", "d2", 0))
    load(native(tmp_path / "set", corpus, [question("q1", identity="guest")], rows))


def test_labels_at_clause_unit_name_document_and_location(tmp_path: Path) -> None:
    corpus = [passage("a", doc_id="D", location="1"), passage("b", doc_id="D", location="1"), passage("c", doc_id="E")]
    folder = native(tmp_path / "set", corpus, qrels=table(("q1", "D#1", 2)), about="label_unit: clause\nunit: chunk")
    found = load(folder)
    assert (found.unit, found.label_unit, found.qrels.n_units) == (Unit.PASSAGE, Unit.CLAUSE, 2)
    assert found.passages.units(Unit.CLAUSE).ids[int(found.qrels.unit_rows[0])] == "D#1"
    (folder / "qrels.tsv").write_text(table(("q1", "a", 2)))
    assert "corpus-id: found 'a', expected an id of the label unit" in problems(folder)[0]


def test_the_label_unit_is_the_unit_where_it_is_not_stated(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", [passage("a", doc_id="D")], qrels=table(("q1", "D", 1)), about="unit: document")
    assert load(folder).label_unit is Unit.DOCUMENT


def test_two_clauses_with_one_id_are_a_problem(tmp_path: Path) -> None:
    corpus = [passage("a", doc_id="D#1", location="2"), passage("b", doc_id="D", location="1#2")]
    assert "metadata.location: found two clauses" in problems(native(tmp_path / "set", corpus, about="unit: clause"))[0]


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ("unit: page", "unit: found 'page', expected one of: passage, clause, document (or chunk"),
        ("label_unit: 3", 'label_unit: found the number 3, expected a non-empty string, for example "3", or null'),
        ("language: no", "language: found the truth value false, expected a non-empty string, or null"),
        ("name: 2026", 'name: found the number 2026, expected a non-empty string, for example "2026", or null'),
        ('name: "a\\nb"', "name: found 'a\\nb', expected a name of one line"),
        ("identities: [hr]", "identities: found a list ('hr', …), expected a mapping of identities"),
        ("identities: {anna: hr}", "identities.anna: found 'hr', expected a list of roles (strings)"),
        ("identities: {1: [hr]}", "identities: found the number 1 as a name, expected names that are strings"),
        ("- a", "file: found a list ('a', …), expected a mapping of names to values"),
    ],
)
def test_dataset_yaml_is_checked(tmp_path: Path, about: str, said: str) -> None:
    found = problems(native(tmp_path / "set", about=about))
    assert found[0].startswith(f"dataset.yaml: {said}")


@pytest.mark.parametrize(
    "about", ["a: [", "a: 1\na: 2", "!!python/object/apply:os.getcwd []", "identities: {a: [x], a: [y]}"]
)
def test_dataset_yaml_that_is_no_plain_yaml_is_a_problem(tmp_path: Path, about: str) -> None:
    [found] = problems(native(tmp_path / "set", about=about))
    assert found.startswith("dataset.yaml:")
    assert "file: found no valid YAML" in found


def test_empty_files_are_problems(tmp_path: Path) -> None:
    found = problems(native(tmp_path / "set", corpus="", queries="\n", qrels=HEADER))
    assert found == [
        "corpus.jsonl: file: found no passage, expected at least one passage",
        "queries.jsonl: file: found no question, expected at least one question",
    ]
