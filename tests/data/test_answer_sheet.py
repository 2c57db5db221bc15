"""Answers as a table for a person: nothing runs in it, and a row that is not of the run any more is refused."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.answers import Reference, Word
from rag_ablation.core.errors import CommandError, DataError
from rag_ablation.data._sheet import MOST_CELL_CHARS
from rag_ablation.data.answer_sheet import AnswerRow, AnswerSheet, read_answers, reference_words, write_answers

ROW = AnswerRow(
    id="r1", query_id="q1", question="how long?", answer="two\ndays", declines=False, reference="right: 2", reason="?"
)
KNOWN = {row.id: row for row in (ROW, replace(ROW, id="r2", query_id="007", answer="'=1+1"), replace(ROW, id="r3"))}
HEAD = ("query_id", "question", "answer", "declines", "reference", "reason", "verdict", "note", "answer_id")
SAMPLED = (*HEAD[:5], "verdict", "note", "answer_id", "sample")


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def filled(*verdicts: str, rows: list[AnswerRow] | None = None, **changed: str) -> list[dict[str, str]]:
    """Rows of the table with verdicts, and with other cells."""
    table = cells(write_answers(rows or [*KNOWN.values()]))
    found = [dict(zip(table[0], line, strict=True)) for line in table[1:]]
    return [{**row, "verdict": word, **changed} for row, word in zip(found, [*verdicts, *[""] * 9], strict=False)]


def read(folder: Path, rows: list[dict[str, str]], known: dict[str, AnswerRow] | None = None) -> AnswerSheet:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    file = folder / "sheet.csv"
    file.write_bytes(text.getvalue().encode("utf-8-sig"))
    return read_answers(file, known or KNOWN)


def problems(folder: Path, rows: list[dict[str, str]]) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(folder, rows)
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_a_row_shows_what_was_asked_said_and_right_and_why_the_judge_could_not_tell() -> None:
    head, row, *_ = cells(write_answers([ROW]))
    assert tuple(head) == HEAD
    assert row == ["q1", "how long?", "two\ndays", "", "right: 2", "?", "", "", "r1"]


def test_a_sample_does_not_say_what_the_judge_said() -> None:
    head, row, *_ = cells(write_answers([replace(ROW, reason="planted")], "4 of 9, seed 0"))
    assert tuple(head) == SAMPLED
    assert not any("planted" in cell for cell in row)
    assert row[-1] == "'4 of 9, seed 0"


@pytest.mark.parametrize("start", list("=+-@＝＋－＠\t\r\n"))
def test_no_cell_begins_a_formula(start: str) -> None:
    harmful = f"{start}HYPERLINK(1)"
    row = replace(ROW, query_id=harmful, question=harmful, answer=harmful, reference=harmful, reason=harmful)
    for content in (write_answers([row]), write_answers([row], harmful)):
        assert all(not cell.startswith(start) for cell in cells(content)[1])


@pytest.mark.parametrize("text", ["007", "1e5", "2026-01-02", "1/2", "30 May", "15%"])
def test_what_a_program_would_make_a_number_or_a_date_is_marked_as_text(text: str) -> None:
    assert cells(write_answers([replace(ROW, answer=text, query_id=text)]))[1][:3:2] == [f"'{text}"] * 2


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(query=TEXT, question=TEXT, answer=TEXT, reference=TEXT)
def test_whatever_is_written_fits_when_it_comes_back(
    tmp_path_factory: pytest.TempPathFactory, query: str, question: str, answer: str, reference: str
) -> None:
    row = replace(ROW, query_id=query, question=question, answer=answer, reference=reference)
    file = tmp_path_factory.mktemp("sheet") / "sheet.csv"
    file.write_bytes(write_answers([row]))
    assert read_answers(file, {"r1": row}) == AnswerSheet((), ("r1",), ())


def test_a_long_answer_is_cut_for_the_cell_and_still_fits(tmp_path: Path) -> None:
    row = replace(ROW, answer="长" * 40_000)
    (line,) = filled("correct", rows=[row])
    assert len(line["answer"]) == MOST_CELL_CHARS + 1
    assert len(read(tmp_path, [line], {"r1": row}).filled) == 1


def test_verdicts_and_notes_are_read_and_rows_without_one_are_left_open(tmp_path: Path) -> None:
    rows = filled(" Correct ", "", "INCORRECT")
    rows[2]["note"] = "'=because "
    found = read(tmp_path, rows)
    assert [(row.line, row.id, row.word, row.note) for row in found.filled] == [
        (2, "r1", Word.CORRECT, ""),
        (5, "r3", Word.INCORRECT, "=because"),
    ]
    assert (found.left, found.samples) == (("r2",), ())


def test_columns_may_be_moved_and_the_note_left_out(tmp_path: Path) -> None:
    rows = [{name: row[name] for name in reversed(row) if name != "note"} for row in filled("correct")]
    assert [row.note for row in read(tmp_path, rows).filled] == [""]


def test_what_a_spreadsheet_does_to_blanks_line_ends_and_apostrophes_does_no_harm(tmp_path: Path) -> None:
    rows = (
        filled("correct", "correct", answer="'two\r\n days ")[:1]
        + filled("", "correct", query_id="007", answer="=1+1")[1:2]
    )
    assert [row.id for row in read(tmp_path, rows).filled] == ["r1", "r2"]


def test_every_row_that_does_not_fit_is_told_at_once_with_line_and_field(tmp_path: Path) -> None:
    rows = filled("correct", "perhaps", "correct")
    rows += [
        {**rows[0], "verdict": "incorrect"},
        {**rows[0], "answer_id": "r9"},
        {**rows[2], "answer": "else", "query_id": "7"},
    ]
    found = problems(tmp_path, rows)
    assert [line.partition(": found")[0] for line in found] == [
        "sheet.csv:4: verdict",
        "sheet.csv:7: verdict",
        "sheet.csv:9: answer_id",
        "sheet.csv:11: query_id",
        "sheet.csv:11: answer",
    ]
    assert "found 'perhaps', expected correct or incorrect, or nothing where it stays open" in found[0]
    assert "incorrect, and correct for the same answer on line 2" in found[1]
    assert "'r9', which is no answer of this run" in found[2]
    assert "verdicts stand beside the answers that they are of" in found[4]


def test_a_column_that_was_sorted_alone_is_noticed(tmp_path: Path) -> None:
    rows = filled("correct", "incorrect", "correct")
    for row, answer in zip(rows, [*[row["answer"] for row in rows][1:], rows[0]["answer"]], strict=True):
        row["answer"] = answer
    assert [line.split(":")[1] for line in problems(tmp_path, rows)] == ["2", "3"]


@pytest.mark.parametrize("name", ["answer_id", "verdict", "answer", "reference"])
def test_a_column_that_is_missing_is_named(tmp_path: Path, name: str) -> None:
    rows = [{key: cell for key, cell in row.items() if key != name} for row in filled("correct")]
    assert problems(tmp_path, rows)[0].startswith(f"sheet.csv:1: {name}: found no such column among")


def test_the_same_verdict_twice_counts_once(tmp_path: Path) -> None:
    rows = filled("correct")[:1]
    assert len(read(tmp_path, rows * 2).filled) == 1


def test_an_answer_with_a_verdict_on_one_of_two_rows_is_not_open(tmp_path: Path) -> None:
    rows = filled("correct")[:1]
    assert read(tmp_path, [{**rows[0], "verdict": ""}, *rows]).left == ()


def test_another_encoding_and_a_file_that_is_not_there_are_said(tmp_path: Path) -> None:
    (tmp_path / "sheet.csv").write_bytes("answer_id,出差住宿标准是多少，谢谢\n".encode("gb18030"))
    with pytest.raises(DataError, match="looks like gb18030"):
        read_answers(tmp_path / "sheet.csv", KNOWN)
    with pytest.raises(CommandError, match="a file that review export wrote"):
        read_answers(tmp_path / "none.csv", KNOWN)


def test_a_reference_in_words_names_every_use() -> None:
    whole = Reference(answers=("a", "b"), keypoints=("c",), optional=("d",), forbidden=("e",))
    assert reference_words(whole) == "right: a | b\nneeded: c\nmay be said: d\nmust not be said: e"
    assert reference_words(Reference(answerable=False)) == "the corpus does not answer this: to decline is right"
