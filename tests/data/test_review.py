"""The table that a reviewer fills: safe to open, and read back unchanged."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import CommandError, DataError
from rag_ablation.data._sheet import MOST_CELL_CHARS, protected, unprotected
from rag_ablation.data.review import COLUMNS, Row, read_sheet, write_sheet

HEAD = "query_id,unit,grade\n"


def row(query: str = "q1", unit: str = "p1", **fields: object) -> Row:
    given: dict[str, object] = {
        "question": "什么？",
        "type": "t",
        "title": "",
        "text": "x",
        "found_by": "A #1",
        "best_rank": 1,
    }
    return Row(query_id=query, unit=unit, **{**given, **fields})  # type: ignore[arg-type]


def cells(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def sheet(folder: Path, content: str | bytes) -> Path:
    file = folder / "sheet.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def problems(folder: Path, content: str | bytes) -> list[str]:
    with pytest.raises(DataError) as caught:
        read_sheet(sheet(folder, content))
    return [str(problem).removeprefix(f"{folder}/") for problem in caught.value.problems]


def test_the_table_begins_with_a_byte_order_mark_by_which_spreadsheets_know_utf_8() -> None:
    content = write_sheet([row()])
    assert content.startswith(b"\xef\xbb\xbf")
    assert cells(content) == [list(COLUMNS), ["q1", "什么？", "t", "p1", "", "x", "A #1", "1", "", ""]]


@pytest.mark.parametrize("start", list("=+-@＝＋－＠\t\r\n"))
def test_no_cell_begins_a_formula(start: str) -> None:
    harmful = f"{start}HYPERLINK(1)"
    written = cells(
        write_sheet([row(harmful, harmful, question=harmful, title=harmful, text=harmful, found_by=harmful)])
    )
    for cell in written[1][:7]:
        assert cell == ("'" + harmful if cell != "t" else "t")


@given(st.text())
def test_what_is_protected_is_read_back_unchanged(text: str) -> None:
    assert unprotected(protected(text)) == text


def test_ids_that_look_like_formulas_come_back_as_they_were(tmp_path: Path) -> None:
    ids = ["=1+1", "-007", "'x", "''", "@a", "plain", "two\nlines", 'quote"']
    table = cells(write_sheet([row(name, name) for name in ids]))
    for line in table[1:]:
        line[COLUMNS.index("grade")] = "2"
    text = io.StringIO(newline="")
    csv.writer(text).writerows(table)
    found = read_sheet(sheet(tmp_path, text.getvalue()))
    assert [(item.query_id, item.unit_id) for item in found.judgements] == [(name, name) for name in ids]


def test_a_program_that_took_the_apostrophe_off_does_no_harm(tmp_path: Path) -> None:
    (found,) = read_sheet(sheet(tmp_path, HEAD + "=q,-7,1\n")).judgements
    assert (found.query_id, found.unit_id) == ("=q", "-7")


def test_a_text_longer_than_a_cell_is_cut_and_says_so() -> None:
    cell = cells(write_sheet([row(text="长" * 40_000)]))[1][COLUMNS.index("text")]
    assert len(cell) == MOST_CELL_CHARS + 1
    assert cell.endswith("…")


def test_rows_without_a_grade_are_left_out_and_counted(tmp_path: Path) -> None:
    found = read_sheet(sheet(tmp_path, HEAD + "q1,p1,\nq1,p2, 0 \n\nq2,p1,\n,,\n"))
    assert [(item.line, item.unit_id, item.grade) for item in found.judgements] == [(3, "p2", 0)]
    assert found.n_without_grade == 2


def test_lines_are_counted_as_the_file_has_them_even_where_a_cell_has_several(tmp_path: Path) -> None:
    content = 'query_id,text,unit,grade\nq1,"one\ntwo",p1,1\nq2,x,p1,no\n'
    assert problems(tmp_path, content) == [
        "sheet.csv:4: grade: found 'no', expected a plain whole number from 0 to 62, or nothing where it was not judged"
    ]


@pytest.mark.parametrize("grade", ["-1", "63", "1.0", "1,5", "yes", "٣", "1e1", "100"])
def test_only_whole_numbers_from_0_to_62_are_grades(tmp_path: Path, grade: str) -> None:
    (found,) = problems(tmp_path, f'{HEAD}q1,p1,"{grade}"\n')
    assert found.startswith("sheet.csv:2: grade: found ")


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, HEAD + ",p1,1\nq1,,x\nq1\nq2,p2,1\nq2,p2,0\n")
    assert [line.split(" found")[0] for line in found] == [
        "sheet.csv:2: query_id:",
        "sheet.csv:3: unit:",
        "sheet.csv:3: grade:",
        "sheet.csv:4: row:",
        "sheet.csv:6: grade:",
    ]
    assert "0, and 1 for the same pair on line 5" in found[-1]


def test_a_pair_given_twice_with_one_grade_counts_once(tmp_path: Path) -> None:
    assert len(read_sheet(sheet(tmp_path, HEAD + "q1,p1,1\nq1,p1,1\n")).judgements) == 1


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_the_separators_that_spreadsheets_choose_are_read(tmp_path: Path, delimiter: str) -> None:
    content = f"{HEAD}q1,p1,1\n".replace(",", delimiter)
    assert read_sheet(sheet(tmp_path, content)).judgements[0].grade == 1


def test_a_column_that_is_missing_or_there_twice_is_named(tmp_path: Path) -> None:
    found = problems(tmp_path, "query_id,grade,grade\nq1,1,1\n")
    assert [line.split(" found")[0] for line in found] == ["sheet.csv:1: unit:", "sheet.csv:1: grade:"]


def test_a_table_that_was_saved_in_another_encoding_is_refused_with_what_to_do(tmp_path: Path) -> None:
    content = "query_id,question,unit,grade\nq1,出差住宿标准是多少，谢谢,p1,1\n"
    for encoding, called in (("gb18030", "gb18030"), ("utf-16", "utf-16")):
        (found,) = problems(tmp_path, content.encode(encoding))
        assert f"it looks like {called}" in found
        assert "CSV UTF-8" in found


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="No such file"):
        read_sheet(tmp_path / "none.csv")
