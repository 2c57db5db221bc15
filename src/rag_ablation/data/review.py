"""Results on their way to a reviewer and back: a table that spreadsheet programs open as it is.

Written as UTF-8 with a byte order mark, by which they tell the encoding. A cell that one of them would take for
a formula has an apostrophe in front, which is taken off again when the table is read.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.errors import CommandError
from rag_ablation.core.qrels import MAX_GRADE
from rag_ablation.data._encoding import HEAD_BYTES, narrow_encoding, wide_encoding
from rag_ablation.data._report import Place, Report, shown
from rag_ablation.data.qrels import GRADE, WHOLE_NUMBER, Judgement

COLUMNS = ("query_id", "question", "type", "unit", "title", "text", "found_by", "best_rank", "grade", "note")
NEEDED = ("query_id", "unit", "grade")
MARK = "'"
BEGINS_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
MOST_CELL_CHARS = 32_000
"""A cell of a spreadsheet holds 32,767."""
DELIMITERS = ",;\t"
HEADING = "no judgement was taken over"
SAVE_AS = "a table saved as “CSV UTF-8”"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One result to be judged.

    Args:
        query_id: id of the question.
        question: as asked.
        type: type of the question.
        unit: id at the unit of the labels.
        title: of the passage that is shown.
        text: of that passage.
        found_by: arms that have it, each with its rank.
        best_rank: the best of these.
    """

    query_id: str
    question: str
    type: str
    unit: str
    title: str
    text: str
    found_by: str
    best_rank: int


class Sheet(NamedTuple):
    """What a reviewer gave back.

    Args:
        judgements: rows with a grade, each pair once, with their line.
        n_without_grade: rows that have none.
    """

    judgements: tuple[Judgement, ...]
    n_without_grade: int


def protected(cell: str) -> str:
    """A cell that no spreadsheet program runs."""
    return MARK + cell if cell[:1] in BEGINS_FORMULA or cell.startswith(MARK) else cell


def unprotected(cell: str) -> str:
    """The inverse of `protected`; a cell that a program has freed of its apostrophe stays as it is."""
    marked = cell.startswith(MARK) and (cell[1:2] in BEGINS_FORMULA or cell[1:2] == MARK)
    return cell[1:] if marked else cell


def write_sheet(rows: Iterable[Row]) -> bytes:
    """The table, one line for each result, with empty columns for the grade and a note.

    Args:
        rows: in the order in which they are to be judged.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        cells = (row.query_id, row.question, row.type, row.unit, row.title, _cut(row.text), row.found_by)
        writer.writerow([*map(protected, cells), row.best_rank, "", ""])
    return text.getvalue().encode("utf-8-sig")


def read_sheet(path: Path) -> Sheet:
    """Read a reviewed table; columns may stand in any order, and others than id, unit and grade are not looked at.

    Args:
        path: the file.

    Raises:
        CommandError: it cannot be read.
        DataError: with every problem of its rows.
    """
    report = Report()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CommandError.of("FILE", str(error.strerror), "a file that judge pool wrote", file=str(path)) from error
    text = _decoded(str(path), data, report)
    sheet = Sheet((), 0) if text is None else _sheet(str(path), text, report)
    if report.count:
        raise report.error(HEADING, [str(path)])
    return sheet


def _sheet(file: str, text: str, report: Report) -> Sheet:
    first: dict[tuple[str, str], Judgement] = {}
    n_without_grade = 0
    try:
        for line, cells in _records(file, text, report):
            if not cells["grade"].strip():
                n_without_grade += 1
                continue
            row = _judgement(Place(file, line), cells, report)
            if row is None:
                continue
            earlier = first.setdefault((row.query_id, row.unit_id), row)
            if earlier.grade != row.grade:
                found = f"{row.grade}, and {earlier.grade} for the same pair on line {earlier.line}"
                report.problem(Place(file, line), "grade", found, "one grade for each pair")
    except csv.Error as error:
        report.problem(Place(file, None), "file", f"no valid CSV ({error})", SAVE_AS)
    return Sheet(tuple(first.values()), n_without_grade)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CELL_CHARS else text[:MOST_CELL_CHARS] + "…"


def _decoded(file: str, data: bytes, report: Report) -> str | None:
    encoding = wide_encoding(data[:HEAD_BYTES])
    if encoding is None:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            encoding = narrow_encoding([row for row in data.splitlines() if not row.isascii()]) or "another encoding"
            place = Place(file, line)
    else:
        place = Place(file, 1)
    report.problem(place, "encoding", f"no UTF-8; it looks like {encoding}", SAVE_AS)
    return None


def _records(file: str, text: str, report: Report) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Needed cells of each row that is not blank, with the number of its first line."""
    head = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = [name.strip() for name in next(reader, [])]
    places = {name: header.index(name) for name in NEEDED if header.count(name) == 1}
    for name in NEEDED:
        if name not in places:
            found = "twice" if name in header else f"no such column among {', '.join(header) or 'none'}"
            report.problem(Place(file, 1), name, found, f"the columns {', '.join(NEEDED)}, each once")
    before = reader.line_num
    for cells in reader if len(places) == len(NEEDED) else ():
        line, before = before + 1, reader.line_num
        if not any(cells):
            continue
        if len(cells) <= max(places.values()):
            report.problem(Place(file, line), "row", f"{len(cells)} cells", f"{len(header)}, as in the header")
            continue
        yield line, {name: cells[place] for name, place in places.items()}


def _judgement(place: Place, cells: Mapping[str, str], report: Report) -> Judgement | None:
    query_id, unit_id, grade = unprotected(cells["query_id"]), unprotected(cells["unit"]), cells["grade"].strip()
    before = report.count
    for name, value in (("query_id", query_id), ("unit", unit_id)):
        if not value:
            report.problem(place, name, "nothing", "an id, as it was written")
    if not WHOLE_NUMBER.fullmatch(grade) or len(grade) > len(str(MAX_GRADE)) or int(grade) > MAX_GRADE:
        report.problem(place, "grade", shown(grade), f"{GRADE}, or nothing where it was not judged")
    return Judgement(place.line or 0, query_id, unit_id, int(grade)) if report.count == before else None
