"""Results on their way to a reviewer and back: a table that spreadsheet programs open as it is."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.errors import CommandError
from rag_ablation.core.qrels import MAX_GRADE
from rag_ablation.data._report import Place, Report, shown
from rag_ablation.data._sheet import SAVE_AS, cut, decoded, protected, records, table_bytes, unprotected
from rag_ablation.data.qrels import GRADE, WHOLE_NUMBER, Judgement

COLUMNS = ("query_id", "question", "type", "unit", "title", "text", "found_by", "best_rank", "grade", "note")
NEEDED = ("query_id", "unit", "grade")
HEADING = "no judgement was taken over"


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


def write_sheet(rows: Iterable[Row]) -> bytes:
    """The table, one line for each result, with empty columns for the grade and a note.

    Args:
        rows: in the order in which they are to be judged.
    """
    table: list[Sequence[object]] = [COLUMNS]
    for row in rows:
        cells = (row.query_id, row.question, row.type, row.unit, row.title, cut(row.text), row.found_by)
        table.append([*map(protected, cells), row.best_rank, "", ""])
    return table_bytes(table)


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
    text = decoded(str(path), data, report)
    sheet = Sheet((), 0) if text is None else _sheet(str(path), text, report)
    if report.count:
        raise report.error(HEADING, [str(path)])
    return sheet


def _sheet(file: str, text: str, report: Report) -> Sheet:
    first: dict[tuple[str, str], Judgement] = {}
    n_without_grade = 0
    try:
        for line, cells in records(file, text, report, NEEDED):
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


def _judgement(place: Place, cells: Mapping[str, str], report: Report) -> Judgement | None:
    query_id, unit_id, grade = unprotected(cells["query_id"]), unprotected(cells["unit"]), cells["grade"].strip()
    before = report.count
    for name, value in (("query_id", query_id), ("unit", unit_id)):
        if not value:
            report.problem(place, name, "nothing", "an id, as it was written")
    if not WHOLE_NUMBER.fullmatch(grade) or len(grade) > len(str(MAX_GRADE)) or int(grade) > MAX_GRADE:
        report.problem(place, "grade", shown(grade), f"{GRADE}, or nothing where it was not judged")
    return Judgement(place.line or 0, query_id, unit_id, int(grade)) if report.count == before else None
