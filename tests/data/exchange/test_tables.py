"""CSV as Excel writes it, and workbooks as openpyxl writes them."""

from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path

import pytest

from rag_ablation.data.exchange.options import parse_column
from tests.data.exchange.ways import given, grades, refused, statuses, taken
from tests.data.folders import native, passage, question, table

CORPUS = 'id,title,text,doc_id,acl,部门\r\n007,差旅,"第一行\n第二行，“引号”""x""",D,hr | finance,财务\r\nNA,,b,,,\r\n'
QUESTIONS = "id,question,answers,gold,status\r\nq1,多少？,380|380 元,007|NA,\r\nq2,谁？,,,no_answer\r\n"


def excel(folder: Path, encoding: str = "utf-8-sig", **files: str) -> Path:
    folder.mkdir()
    for name, text in ({"corpus": CORPUS, "questions": QUESTIONS} | files).items():
        (folder / f"{name}.csv").write_bytes(text.encode(encoding))
    return folder


def test_a_mark_crlf_and_line_breaks_in_quotes(tmp_path: Path) -> None:
    outcome, benchmark = taken("csv", excel(tmp_path / "x"))
    first = benchmark.passages.rows[0]
    assert first.text == '第一行\n第二行，“引号”"x"'
    assert (first.acl, first.metadata, first.doc_id) == (frozenset({"hr", "finance"}), {"部门": "财务"}, "D")
    assert grades(benchmark) == {("q1", "007"): 1, ("q1", "NA"): 1}
    assert benchmark.labels[0]["answers"] == ["380", "380 元"]
    assert statuses(benchmark) == {"q1": "reviewed", "q2": "no_answer"}
    assert "values with blanks beside the separator '|', which were taken off: 2 ('hr ', ' finance')" in outcome.notices


def test_columns_may_have_names_of_their_own(tmp_path: Path) -> None:
    folder = excel(tmp_path / "x", corpus="编号,正文\nd1,a\n", questions="编号,问题,依据\nq1,?,d1\n")
    columns = [parse_column(word) for word in ("id=编号", "corpus.text=正文", "questions.text=问题", "gold=依据")]
    said = refused("csv", folder, columns=(parse_column("text=没有"),))
    assert "--column: found '没有', and columns corpus.csv: 编号, 正文; questions.csv: 编号, 问题, 依据" in said
    assert "corpus.csv: id: found the columns 编号, 正文, expected a column _id or id or chunk_id, or --column" in said
    assert grades(taken("csv", folder, columns=tuple(columns))[1]) == {("q1", "d1"): 1}


def test_gold_with_grades_or_a_table_of_judgements(tmp_path: Path) -> None:
    folder = excel(tmp_path / "x", questions="id,text,gold,grades\nq1,?,007|NA,3|0\n")
    assert grades(taken("csv", folder)[1]) == {("q1", "007"): 3, ("q1", "NA"): 0}
    folder = excel(tmp_path / "y", questions="id,text\nq1,?\n", qrels="query-id,corpus-id,score\nq1,007,2 \n")
    assert grades(taken("csv", folder)[1]) == {("q1", "007"): 2}


def test_problems_name_the_first_line_of_a_row(tmp_path: Path) -> None:
    questions = 'id,text,gold,grades,status\nq1,"a\nb",007,1|2,\nq2,x,nope,,\nq3,y,,,done\nq4,z\n'
    said = refused("csv", excel(tmp_path / "x", questions=questions))
    assert "questions.csv:2: grades: found 2 grades for 1 gold ids" in said
    assert "questions.csv:4: corpus-id: found 'nope'" in said
    assert "questions.csv:5: metadata.status: found 'done'" in said
    assert "questions.csv:6: row: found 2 cells, expected 5" in said


def test_another_delimiter_is_named(tmp_path: Path) -> None:
    folder = excel(tmp_path / "x", corpus="id;text\nd1;a\n", questions="id;text;gold\nq1;?;d1\n")
    assert (
        "corpus.csv:1: header: found one column 'id;text', expected columns separated by ',', or --delimiter ';'"
        in refused("csv", folder)
    )
    assert grades(taken("csv", folder, delimiter=";")[1]) == {("q1", "d1"): 1}


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16"])
def test_another_encoding_is_named_and_converted_only_when_told(tmp_path: Path, encoding: str) -> None:
    folder = excel(tmp_path / "x", encoding=encoding)
    said = refused("csv", folder)
    assert "corpus.csv:1: encoding: found byte 0x" in said or "a byte order mark of utf-16" in said
    assert f"expected UTF-8, or --encoding {encoding} to convert it" in said
    outcome, benchmark = taken("csv", folder, encoding=encoding)
    assert benchmark.queries.texts == ("多少？", "谁？")
    assert f"corpus.csv: converted from {encoding}" in outcome.notices


def test_a_wrong_encoding_is_refused_and_a_file_in_utf_8_is_read_as_that(tmp_path: Path) -> None:
    folder = excel(tmp_path / "x")
    assert "expected a name such as gb18030" in refused("csv", folder, encoding="klingon")
    outcome, _ = taken("csv", folder, encoding="gb18030")
    assert any("in UTF-8 already, read as that and not as gb18030" in notice for notice in outcome.notices)
    latin = excel(tmp_path / "l", "latin-1", corpus="id,text\nd1,caf\xe9\n", questions="id,text,gold\nq,x,d1\n")
    assert "corpus.csv:2: encoding: found byte 0xe9" in refused("csv", latin)
    assert taken("csv", latin, encoding="latin-1")[1].passages.rows[0].text == "café"


def test_csv_there_and_back(tmp_path: Path) -> None:
    corpus = [passage("007", 'a,"b"\r\nc', acl=["x", "y|z"], doc_id="D"), passage("NA", " b ", number=3)]
    asked = [
        question(
            "q1", answers=["x", "y"], keypoints=["k", {"text": "2", "required": False}], evidence_groups=[["007"]]
        ),
        question("q2", status="no_answer"),
    ]
    folder = native(tmp_path / "n", corpus, asked, table(("q1", "007", 3)), "name: n\nlanguage: en")
    outcome, target = given("csv", folder)
    assert (
        (target / "corpus.csv").read_bytes().startswith(b"\xef\xbb\xbf_id,title,text,acl:json,doc_id,number:json\r\n")
    )
    back, whole = taken("csv", target)[1], taken("beir", given("beir", folder)[1])[1]
    assert (back.passages, back.queries, back.labels) == (whole.passages, whole.queries, whole.labels)
    assert outcome.losses == ()


def workbook(path: Path, **sheets: Sequence[Sequence[object]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra xlsx is not installed")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_a_workbook_with_numbers_and_dates(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "b.xlsx",
        corpus=[
            ["id", "text", "effective_from"],
            [7, "一\n二", datetime(2026, 1, 31)],  # noqa: DTZ001 - Excel has no zones
            ["007", "NA", date(2026, 2, 1)],
        ],
        questions=[["id", "text", "gold", "answer"], ["1e3", "?", "7|007", "x"]],
    )
    outcome, benchmark = taken("xlsx", path)
    assert benchmark.passages.ids == ("007", "7")
    assert str(benchmark.passages.rows[1].effective_from) == "2026-01-31"
    assert grades(benchmark) == {("1e3", "7"): 1, ("1e3", "007"): 1}
    assert "cells with a whole number, taken as its text: 1 (b.xlsx [corpus]:2 id: 7)" in outcome.notices


def test_cells_without_an_exact_text_are_problems(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "b.xlsx",
        corpus=[["id", "text"], [1.5, "a"], [True, "b"], ["=A2", "c"], [12345678901234567, "d"], [7, "e"]],
        questions=[["id", "text", "gold"], ["q", "?", "d1"]],
    )
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(path)
    book["corpus"]["A6"].number_format = "000"
    book.save(path)
    said = refused("xlsx", path)
    assert "b.xlsx [corpus]:2: id: found float 1.5, which has no exact text" in said
    assert "b.xlsx [corpus]:3: id: found bool True" in said
    assert "b.xlsx [corpus]:4: id: found the formula =A2 without a stored value" in said
    assert ", of which Excel keeps 15 digits" in said.splitlines()[4]
    assert "b.xlsx [corpus]:6: id: found the number 7, which is shown in the form '000'" in said


def test_a_sheet_that_is_missing_or_has_another_name(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "b.xlsx", 语料=[["id", "text"], ["d", "a"]], questions=[["id", "text", "gold"], ["q", "?", "d"]]
    )
    assert (
        "b.xlsx: corpus: found the sheets 语料, questions, expected one sheet corpus or chunks, or --corpus SHEET"
        in refused("xlsx", path)
    )
    assert grades(taken("xlsx", path, corpus="语料")[1]) == {("q", "d"): 1}


def test_what_is_no_workbook(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl", reason="the extra xlsx is not installed")
    (tmp_path / "b.xlsx").write_text("id,text")
    assert "found no workbook" in refused("xlsx", tmp_path / "b.xlsx")
