"""New judgements joined to a dataset."""

from pathlib import Path

import pytest

from rag_ablation.core.errors import CommandError, DataError
from rag_ablation.data.judging import add_judgements, write_copy, write_in_place
from rag_ablation.data.load import load
from rag_ablation.data.qrels import Judgement
from tests.data.folders import HEADER, beir, native, passage, question, table

CORPUS = [passage(name, f"text {name}", doc_id="D", location=name) for name in ("p1", "p2", "p3")]
ASKED = [
    question("q1"),
    question("q2", status="no_answer"),
    question("q3"),
    question("q4", identity="guest"),
]


def folder(path: Path, qrels: str = table(("q1", "p1", 2), ("q3", "p1", 1), ("q4", "p1", 1))) -> Path:
    return native(path / "set", CORPUS, ASKED, qrels, "name: made\nlanguage: en\nidentities: {guest: [all]}")


def item(query: str, unit: str, grade: int, line: int = 2) -> Judgement:
    return Judgement(line, query, unit, grade)


def problems(path: Path, *items: Judgement, sides: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(DataError) as caught:
        add_judgements(path, None, items, sides or {}, file="sheet.csv")
    return [str(problem) for problem in caught.value.problems]


def test_new_judgements_are_appended_in_order_and_the_dataset_checks(tmp_path: Path) -> None:
    path = folder(tmp_path)
    joined = add_judgements(path, None, [item("q3", "p2", 0), item("q1", "p3", 1)], {}, file="s")
    write_copy(joined, tmp_path / "copy", lambda _: None)
    old, new = (path / "qrels.tsv").read_text(), (tmp_path / "copy" / "qrels.tsv").read_text()
    assert new == old + "q1\tp3\t1\nq3\tp2\t0\n"
    assert load(tmp_path / "copy").fingerprints == joined.benchmark.fingerprints
    before = load(path).fingerprints
    assert joined.benchmark.fingerprints["labels"] != before["labels"]
    assert all(joined.benchmark.fingerprints[part] == before[part] for part in ("corpus", "queries"))


def test_the_line_ends_of_a_file_are_kept_and_a_last_line_without_one_gets_it(tmp_path: Path) -> None:
    path = folder(tmp_path)
    (path / "qrels.tsv").write_bytes(b"query-id\tcorpus-id\tscore\r\nq1\tp1\t2\r\nq3\tp1\t1\r\nq4\tp1\t1")
    joined = add_judgements(path, None, [item("q1", "p2", 0)], {}, file="s")
    assert joined.qrels.endswith(b"q4\tp1\t1\r\nq1\tp2\t0\r\n")


def test_in_place_the_file_as_it_was_is_kept(tmp_path: Path) -> None:
    path = folder(tmp_path)
    old = (path / "qrels.tsv").read_bytes()
    kept = write_in_place(add_judgements(path, None, [item("q1", "p2", 0)], {}, file="s"))
    assert kept.read_bytes() == old
    assert (path / "qrels.tsv").read_bytes() == old + b"q1\tp2\t0\n"
    again = write_in_place(add_judgements(path, None, [item("q1", "p3", 0)], {}, file="s"))
    assert again != kept
    assert {file.name for file in path.iterdir()} >= {kept.name, again.name, "qrels.tsv"}


def test_in_place_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = folder(tmp_path)
    joined = add_judgements(path, None, [item("q1", "p2", 0)], {}, file="s")
    changed = table(("q1", "p1", 1), ("q3", "p1", 1), ("q4", "p1", 1))
    (path / "qrels.tsv").write_text(changed)
    with pytest.raises(CommandError, match="changed meanwhile"):
        write_in_place(joined)
    assert (path / "qrels.tsv").read_text() == changed


def test_a_beir_folder_gets_them_in_the_file_that_was_chosen(tmp_path: Path) -> None:
    path = beir(tmp_path / "set", {"dev": HEADER + "q1\td1\t1\n", "test": HEADER + "q2\td1\t1\n"})
    joined = add_judgements(path, "test", [item("q2", "d2", 1)], {}, file="s")
    write_copy(joined, tmp_path / "copy", lambda _: None)
    assert (tmp_path / "copy/qrels/test.tsv").read_text() == HEADER + "q2\td1\t1\nq2\td2\t1\n"
    assert load(tmp_path / "copy", qrels="test").fingerprints == joined.benchmark.fingerprints


def test_a_judgement_that_is_there_alike_is_known_and_another_grade_is_a_conflict(tmp_path: Path) -> None:
    path = folder(tmp_path)
    joined = add_judgements(path, None, [item("q1", "p1", 2), item("q1", "p2", 1)], {}, file="s")
    assert (joined.n_known, [found.unit_id for found in joined.added]) == (1, ["p2"])
    found = problems(path, item("q1", "p1", 1, line=7), item("q3", "p1", 0, line=9))
    assert [line.split(", expected")[0] for line in found] == [
        "sheet.csv:7: grade: found 1 for a pair that has the grade 2 already",
        "sheet.csv:9: grade: found 0 for a pair that has the grade 1 already",
    ]


def test_an_unknown_question_or_unit_is_named_with_its_line(tmp_path: Path) -> None:
    found = problems(folder(tmp_path), item("q9", "p1", 1, line=3), item("q1", "p9", 1, line=4))
    assert found[0].startswith("sheet.csv:3: query_id: found 'q9', expected a question of made")
    assert found[1].startswith("sheet.csv:4: unit: found 'p9', expected an id of the label unit passage")


def test_an_id_that_a_spreadsheet_made_a_number_of_is_guessed_in_words_only(tmp_path: Path) -> None:
    path = native(tmp_path / "set", [passage("007"), passage("d1")], [question("q1")], table(("q1", "d1", 1)))
    (found,) = problems(path, item("q1", "7", 1))
    assert "'007' was meant?" in found


def test_a_question_without_an_answer_may_be_given_0_and_nothing_above(tmp_path: Path) -> None:
    path = folder(tmp_path)
    assert add_judgements(path, None, [item("q2", "p1", 0)], {}, file="s").added
    (found,) = problems(path, item("q2", "p1", 1))
    assert "whose status says that nothing answers it" in found


def test_no_question_outside_dev_is_judged_and_its_labels_stay_unsaid(tmp_path: Path) -> None:
    sides = {"q1": "dev", "q3": "the holdout of the split 'default'"}
    found = problems(folder(tmp_path), item("q3", "p1", 0, line=2), item("q4", "p1", 0, line=3), sides=sides)
    assert found[0].startswith("sheet.csv:2: query_id: found 'q3', a question that stands in the holdout of the split")
    assert found[1].startswith("sheet.csv:3: query_id: found 'q4', a question that stands in no side of the split")
    assert not any("already" in line for line in found)


def test_gold_that_the_question_cannot_see_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    corpus = [*CORPUS, passage("secret", doc_id="S", acl=["hr"])]
    path = native(tmp_path / "set", corpus, ASKED, table(("q1", "p1", 2), ("q3", "p1", 1), ("q4", "p1", 1)))
    with pytest.raises(DataError, match="cannot see"):
        add_judgements(path, None, [item("q4", "secret", 1)], {}, file="s")


def test_a_copy_never_replaces_what_is_there(tmp_path: Path) -> None:
    joined = add_judgements(folder(tmp_path), None, [item("q1", "p2", 0)], {}, file="s")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "mine").write_text("x")
    with pytest.raises(DataError, match="--to"):
        write_copy(joined, tmp_path / "copy", lambda _: None)
    assert [file.name for file in (tmp_path / "copy").iterdir()] == ["mine"]


def test_a_copy_that_cannot_be_finished_leaves_nothing(tmp_path: Path) -> None:
    joined = add_judgements(folder(tmp_path), None, [item("q1", "p2", 0)], {}, file="s")

    def fail(_: Path) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match="No space left"):
        write_copy(joined, tmp_path / "copy", fail)
    assert [file.name for file in tmp_path.iterdir()] == ["set"]
