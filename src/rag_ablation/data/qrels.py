"""Judgements: a table of question, passage (or larger unit) and grade, separated by tabs."""

import re
from typing import NamedTuple

from rag_ablation.core.qrels import MAX_GRADE
from rag_ablation.data._lines import old_mac, say_old_mac
from rag_ablation.data._report import Part, Place, Report, shown
from rag_ablation.data.jsonl import Line, read_lines

HEADER = ("query-id", "corpus-id", "score")
WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]*")
NEGATIVE = re.compile(r"-[1-9][0-9]*")
GRADE = f"a plain whole number from 0 to {MAX_GRADE}"
NEVER_GUESSED = (
    "what a negative grade means is never guessed: say it with --grade-map of `rag-ablation data import native`"
)
MOST_REPEATS_SAID = 10


class Judgement(NamedTuple):
    """One row.

    Args:
        line: 1-based; the header is line 1.
        query_id: as written.
        unit_id: as written, at the unit of the labels.
        grade: 0 to 62.
    """

    line: int
    query_id: str
    unit_id: str
    grade: int


def read_qrels(file: str, data: bytes, report: Report) -> Part[Judgement]:
    """Read `query-id`, `corpus-id`, `score`, each pair once.

    A pair that is repeated with the same grade counts once and is said; with another grade it is a problem.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives problems and notices.
    """
    lines = read_lines(file, data, report)
    if lines.rows and lines.rows[0].text.startswith("\t".join(HEADER)) and old_mac(lines.rows[0].text, ""):
        say_old_mac(Place(file, lines.rows[0].number), report)
        return Part([], complete=False)
    body = _without_header(file, lines, report)
    first: dict[tuple[str, str], Judgement] = {}
    repeats: list[str] = []
    n_repeats = 0
    complete = lines.complete
    for line in body:
        row = _row(file, line, report)
        if row is None:
            complete = False
            continue
        earlier = first.setdefault((row.query_id, row.unit_id), row)
        if earlier is row:
            continue
        if earlier.grade == row.grade:
            n_repeats += 1
            if n_repeats <= MOST_REPEATS_SAID:
                repeats.append(f"line {row.line} repeats line {earlier.line}")
        else:
            _contradiction(file, earlier, row, report)
    if repeats:
        more = n_repeats - len(repeats)
        said = "; ".join(repeats) + (f"; and {more} more" if more else "")
        report.notices.append(f"{file}: {said}; a repeated judgement counts once")
    return Part(list(first.values()), complete)


def _without_header(file: str, read: Part[Line], report: Report) -> list[Line]:
    expected = f"the header {' '.join(HEADER)}, separated by tabs"
    lines = read.rows
    if not lines:
        if read.complete:
            report.problem(Place(file, 1), "header", "an empty file", expected)
        return []
    columns = tuple(lines[0].text.split("\t"))
    if columns == HEADER:
        return lines[1:]
    report.problem(Place(file, lines[0].number), "header", shown(lines[0].text), expected)
    is_row = len(columns) == len(HEADER) and WHOLE_NUMBER.fullmatch(columns[2])
    return lines if is_row else lines[1:]


def _row(file: str, line: Line, report: Report) -> Judgement | None:
    place = Place(file, line.number)
    columns = line.text.split("\t")
    if len(columns) != len(HEADER):
        found = f"{len(columns)} column{'s' if len(columns) != 1 else ''} ({shown(line.text)})"
        report.problem(place, "columns", found, f"3 columns separated by tabs: {', '.join(HEADER)}")
        return None
    query_id, unit_id, score = columns
    empty = [name for name, value in zip(HEADER, columns, strict=True) if not value]
    for name in empty:
        report.problem(place, name, "nothing", "a grade" if name == "score" else "an id")
    if empty:
        return None
    if NEGATIVE.fullmatch(score):
        report.problem(place, "score", shown(score), f"{GRADE}; {NEVER_GUESSED}")
        return None
    if not WHOLE_NUMBER.fullmatch(score) or len(score) > len(str(MAX_GRADE)) or int(score) > MAX_GRADE:
        report.problem(place, "score", shown(score), GRADE)
        return None
    return Judgement(line.number, query_id, unit_id, int(score))


def _contradiction(file: str, earlier: Judgement, row: Judgement, report: Report) -> None:
    found = (
        f"two grades for the pair ({row.query_id}, {row.unit_id}): "
        f"{earlier.grade} on line {earlier.line} and {row.grade} on line {row.line}"
    )
    report.problem(Place(file, row.line), "score", found, "one grade for each pair")
