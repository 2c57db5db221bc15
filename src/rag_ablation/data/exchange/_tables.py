"""Tables with named columns, whatever file they come from: corpus, questions and, where there is one, qrels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_ablation.data.exchange._grades import read_grade
from rag_ablation.data.exchange._rows import BLANKS, CORPUS, QRELS, QUERIES, Origin, Rows
from rag_ablation.data.exchange.options import Options
from rag_ablation.data.jsonl import parse_json

JSON_MARK = ":json"
ALIASES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "corpus": {"id": ("_id", "id", "chunk_id"), "title": ("title",), "text": ("text", "content")},
    "questions": {
        "id": ("_id", "id", "sample_id", "question_id"),
        "text": ("text", "question", "query"),
        "gold": ("gold", "gold_chunks"),
        "grades": ("grades",),
    },
    "qrels": {
        "query-id": ("query-id", "query_id", "qid", "question_id"),
        "corpus-id": ("corpus-id", "corpus_id", "docid", "passage_id", "chunk_id"),
        "score": ("score", "grade", "relevance"),
    },
}
NEEDED = {"corpus": ("id", "text"), "questions": ("id", "text"), "qrels": ("query-id", "corpus-id", "score")}
SEVERAL = frozenset({"acl", "answers", "keypoints", "asked_about", "gold", "grades"})
NATIVE = {"corpus": CORPUS, "questions": QUERIES, "qrels": QRELS}


class Line(NamedTuple):
    """Cells of one row, as text."""

    number: int
    cells: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as its file has it.

    Args:
        name: of the file, or file and sheet.
        role: `corpus`, `questions` or `qrels`.
        header: names of the columns.
        lines: the other rows.
    """

    name: str
    role: str
    header: Sequence[str]
    lines: Sequence[Line]


class _Gold(NamedTuple):
    origin: Origin
    query_id: str
    unit_id: str
    grade: str


def read_tables(tables: Sequence[Table], options: Options, rows: Rows) -> None:
    """Fill the rows from tables.

    Args:
        tables: corpus, questions, and qrels where the judgements have a table of their own.
        options: names of columns, and the separator.
        rows: filled, with every problem.
    """
    _check_columns(tables, options, rows)
    roles = [table.role for table in tables]
    gold: list[_Gold] = []
    for table in tables:
        fields = _fields(table, options, rows)
        missing = [field for field in NEEDED[table.role] if field not in fields.values()]
        for field in missing:
            names = " or ".join(ALIASES[table.role][field])
            expected = f"a column {names}, or --column {table.role}.{field}=COLUMN"
            rows.problem(Origin(table.name), field, f"the columns {', '.join(table.header)}", expected)
            rows.unreadable.add(NATIVE[table.role])
        for line in table.lines if not missing else ():
            origin = Origin(table.name, line.number)
            values = _values(origin, fields, line, (options, rows))
            if table.role == "corpus":
                _add_passage(origin, values, rows)
            elif table.role == "questions":
                gold += _add_question(origin, values, (rows, "qrels" in roles))
            else:
                gold.append(_Gold(origin, *(str(values.get(field, "")) for field in NEEDED["qrels"])))
    for item in gold:
        grade = read_grade(item.origin, item.grade, options, rows)
        if grade is not None:
            rows.add_judgement(item.origin, item.query_id, item.unit_id, grade)
    if QRELS not in rows.unreadable and "questions" in roles:
        rows.mark_unjudged()


def _check_columns(tables: Sequence[Table], options: Options, rows: Rows) -> None:
    """A column that was named must be there."""
    for column in options.columns:
        places = [table for table in tables if column.table in (None, table.role)]
        if not any(column.column in table.header for table in places):
            found = "; ".join(f"{table.name}: {', '.join(table.header)}" for table in places) or "no such table"
            rows.problem(Origin(""), "--column", f"{column.column!r}, and columns {found}", "a column that is there")


def _fields(table: Table, options: Options, rows: Rows) -> dict[int, str]:
    """The field of each column, by its place; a column that nobody knows is metadata of its own name."""
    fields: dict[int, str] = {}
    for place, name in enumerate(table.header):
        if table.header.index(name) != place:
            rows.problem(Origin(table.name), "header", f"two columns {name!r}", "each column once")
        elif name:
            fields[place] = name
    mapped = [column for column in options.columns if column.table in (None, table.role)]
    for column in mapped:
        if column.column in table.header:
            fields[table.header.index(column.column)] = column.field
    chosen = {column.field for column in mapped if column.column in table.header}
    for field, names in ALIASES[table.role].items():
        present = [name for name in names if name in table.header]
        if field not in chosen and present:
            if len(present) > 1:
                found = f"the columns {', '.join(present)}"
                rows.problem(Origin(table.name), field, found, f"a choice: --column {table.role}.{field}=COLUMN")
            fields[table.header.index(present[0])] = field
    return fields


def _values(origin: Origin, fields: Mapping[int, str], line: Line, to: tuple[Options, Rows]) -> dict[str, object]:
    """Cells by field; an empty cell is no value."""
    options, rows = to
    values: dict[str, object] = {}
    for place, cell in enumerate(line.cells):
        field = fields.get(place)
        if field is None:
            if cell:
                rows.problem(origin, f"column {place + 1}", repr(cell[:80]), "no cell outside the named columns")
        elif not cell:
            continue
        elif field.endswith(JSON_MARK):
            try:
                values[field.removesuffix(JSON_MARK)] = parse_json(cell)
            except (ValueError, RecursionError) as error:
                rows.problem(origin, field, f"no usable JSON ({error})", "JSON")
        elif field in SEVERAL:
            values[field] = list(_split(cell, options.separator, rows))
        else:
            values[field] = cell
    return values


def _split(cell: str, separator: str, rows: Rows) -> Iterator[str]:
    for piece in cell.split(separator):
        item = piece.strip(BLANKS)
        if item != piece:
            rows.count(f"values with blanks beside the separator {separator!r}, which were taken off", repr(piece))
        if item:
            yield item


def _add_passage(origin: Origin, values: dict[str, object], rows: Rows) -> None:
    name, title, text = values.pop("id", None), values.pop("title", ""), values.pop("text", "")
    rows.add_passage(origin, name, str(title), text, values)


def _add_question(origin: Origin, values: dict[str, object], to: tuple[Rows, bool]) -> Iterator[_Gold]:
    """Take a question; its judgements are given back for when all questions are known."""
    rows, has_qrels = to
    name, text = values.pop("id", None), values.pop("text", None)
    gold, grades = values.pop("gold", []), values.pop("grades", None)
    rows.add_question(origin, name, text, values)
    if not isinstance(gold, list) or not isinstance(grades, list | None):
        return
    if gold and has_qrels:
        rows.problem(origin, "gold", "gold here, and a table of judgements beside it", "one of the two")
    elif grades is not None and len(grades) != len(gold):
        rows.problem(origin, "grades", f"{len(grades)} grades for {len(gold)} gold ids", "a grade for each gold id")
        rows.unreadable.add(QRELS)
    elif isinstance(name, str):
        for unit, grade in zip(gold, grades or ["1"] * len(gold), strict=True):
            yield _Gold(origin, name, str(unit), str(grade))
