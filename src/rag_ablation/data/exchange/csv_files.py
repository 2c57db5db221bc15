"""CSV: a table of passages, one of questions and, where gold needs grades, one of judgements."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from rag_ablation.core.wording import counted
from rag_ablation.data.exchange._rows import BLANKS, CORPUS, Origin, Record, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange._tables import ALIASES, JSON_MARK, NATIVE, SEVERAL, Line, Table, read_tables
from rag_ablation.data.exchange.options import Options
from rag_ablation.data.qrels import HEADER

FILES: Mapping[str, tuple[str, ...]] = {
    "corpus": ("corpus.csv", "chunks.csv"),
    "questions": ("questions.csv", "queries.csv", "samples.csv"),
    "qrels": ("qrels.csv",),
}
TAKEN = {"corpus.csv": ("id", "title", "text"), "questions.csv": ("id", "text", "gold", "grades")}
KNOWN_NAMES = frozenset(name for fields in ALIASES.values() for names in fields.values() for name in names)
MOST_CELL_CHARS = 2**31 - 1
MOST_EXCEL_CHARS = 32_767


def read(source: Source, rows: Rows) -> None:
    """Read the tables of a folder.

    Args:
        source: the folder.
        rows: filled, with every problem.
    """
    tables: list[Table] = []
    for role, names in FILES.items():
        path = source.find(role, names, needed=role != "qrels")
        table = None if path is None else _table(source, path, role, rows)
        if table is not None:
            tables.append(table)
        elif role != "qrels" or path is not None:
            rows.unreadable.add(NATIVE[role])
    read_tables(tables, source.options, rows)


def read_passages(source: Source, path: Path, rows: Rows) -> None:
    """Read a table of passages alone.

    Args:
        source: the folder.
        path: the file.
        rows: filled, with every problem.
    """
    table = _table(source, path, "corpus", rows)
    if table is None:
        rows.unreadable.add(CORPUS)
    else:
        read_tables([table], source.options, rows)


def write(rows: Rows, folder: Path, options: Options) -> list[str]:
    """Write corpus.csv, questions.csv and qrels.csv as Excel does: with a byte order mark and CRLF.

    A field that is no plain text or list of texts gets a column `NAME:json`.

    Args:
        rows: what to write.
        folder: where.
        options: separator and delimiter.

    Returns:
        What CSV cannot hold: metadata with the name of a column of its own.
    """
    losses: list[str] = []
    for file, records, own in (("corpus.csv", rows.passages, ("title",)), ("questions.csv", rows.questions, ())):
        kept = _columns(records, options.separator)
        columns = [name for name in kept if name.removesuffix(JSON_MARK) not in TAKEN[file]]
        nulls = sum(value is None for row in records.values() for value in row.metadata.values())
        losses += [f"the difference between null and no value ({counted(nulls, 'null')} of {file})"] if nulls else []
        losses += [f"metadata named {name.removesuffix(JSON_MARK)} ({file})" for name in kept if name not in columns]
        header = ["_id", *own, "text", *columns]
        body = (
            [name, *((row.title,) if own else ()), row.text, *_cells(row, columns, options.separator)]
            for name, row in records.items()
        )
        _write_table(folder / file, [header, *body], options.delimiter)
        long = sum(len(row.text) > MOST_EXCEL_CHARS for row in records.values())
        if long:
            rows.report.notices.append(
                f"{file}: {counted(long, 'text')} longer than a cell of Excel ({MOST_EXCEL_CHARS})"
            )
    judgements = [[query, unit, str(row.grade)] for (query, unit), row in rows.judgements.items()]
    _write_table(folder / "qrels.csv", [list(HEADER), *judgements], options.delimiter)
    return losses


def _write_table(path: Path, lines: Iterable[Sequence[str]], delimiter: str) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as handle:
        csv.writer(handle, delimiter=delimiter, lineterminator="\r\n").writerows(lines)


def _columns(records: Mapping[str, Record], separator: str) -> list[str]:
    """Headers of the metadata: plain where every value fits a cell as it is."""
    names = dict.fromkeys(key for row in records.values() for key in row.metadata)
    found = []
    for name in names:
        values = [row.metadata[name] for row in records.values() if row.metadata.get(name) is not None]
        reserved = not name or name.endswith(JSON_MARK) or name in KNOWN_NAMES
        plain = not reserved and all(_fits(name, value, separator) for value in values)
        found.append(name if plain else f"{name}{JSON_MARK}")
    return found


def _fits(name: str, value: object, separator: str) -> bool:
    if name not in SEVERAL:
        return isinstance(value, str) and bool(value)
    if not isinstance(value, list) or not value:
        return False
    return all(
        isinstance(item, str) and item and item == item.strip(BLANKS) and separator not in item for item in value
    )


def _cells(row: Record, columns: Sequence[str], separator: str) -> Iterator[str]:
    for column in columns:
        name = column.removesuffix(JSON_MARK)
        if row.metadata.get(name) is None:
            yield ""
        elif column != name:
            yield json.dumps(row.metadata[name], ensure_ascii=False)
        elif name in SEVERAL:
            items = row.metadata[name]
            yield separator.join(map(str, items)) if isinstance(items, list) else ""
        else:
            yield str(row.metadata[name])


def _table(source: Source, path: Path, role: str, rows: Rows) -> Table | None:
    data, name = source.read(path), source.shown(path)
    if data is None:
        return None
    lines: list[Line] = []
    try:
        lines += _lines(data.decode("utf-8-sig"), source.options.delimiter)
    except csv.Error as error:
        number = lines[-1].number + 1 if lines else 1
        rows.problem(Origin(name, number), "row", f"no valid CSV ({error})", "cells in quotes where they hold quotes")
        return None
    if not lines:
        rows.problem(Origin(name, 1), "header", "an empty file", "a line with the names of the columns")
        return None
    header, width = list(lines[0].cells), len(lines[0].cells)
    other = next((mark for mark in ";\t,|" if width == 1 and mark in header[0]), None)
    if other is not None:
        expected = f"columns separated by {source.options.delimiter!r}, or --delimiter {other!r}"
        rows.problem(Origin(name, 1), "header", f"one column {header[0]!r}", expected)
        return None
    kept = [line for line in lines[1:] if any(line.cells)]
    for row in kept:
        if len(row.cells) != width:
            found = counted(len(row.cells), "cell")
            rows.problem(Origin(name, row.number), "row", found, f"{width}, one for each column of the header")
            rows.unreadable.add(NATIVE[role])
    sound = [line for line in kept if len(line.cells) == width]
    return Table(name=name, role=role, header=header, lines=sound)


def _lines(text: str, delimiter: str) -> Iterator[Line]:
    """Rows with the number of their first line; a line break within quotes is text."""
    limit = csv.field_size_limit(MOST_CELL_CHARS)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        before = 0
        for cells in reader:
            yield Line(before + 1, cells)
            before = reader.line_num
    finally:
        csv.field_size_limit(limit)
