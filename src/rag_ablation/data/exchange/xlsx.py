"""XLSX: a workbook with the sheets corpus, questions and, where gold needs grades, qrels. Needs the extra `xlsx`."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Protocol
from zipfile import BadZipFile

from rag_ablation.core.errors import DataError
from rag_ablation.data.exchange._rows import Origin, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange._tables import NATIVE, Line, Table, read_tables

SHEETS: Mapping[str, tuple[str, ...]] = {
    "corpus": ("corpus", "chunks"),
    "questions": ("questions", "queries"),
    "qrels": ("qrels",),
}
# Excel keeps 15 digits of a number; what was typed behind them is gone.
MOST_DIGITS = 15
PLAIN_FORMATS = frozenset({"General", "0", "@"})


class _Cell(Protocol):
    value: object
    data_type: str
    number_format: str


def read(source: Source, rows: Rows) -> None:
    """Read a workbook.

    A number is taken as its exact text where it is whole and shown as it is stored, and counted; a date at midnight
    as its ISO form; a formula as the value that was stored with it.

    Args:
        source: the file.
        rows: filled, with every problem.

    Raises:
        DataError: openpyxl is not installed, or the file is no workbook.
    """
    stored, written = _open(source.path, values=True), _open(source.path, values=False)
    try:
        tables: list[Table] = []
        for role, names in SHEETS.items():
            sheet = _sheet(source, role, names, stored.sheetnames)
            if sheet is not None:
                title = f"{source.path.name} [{sheet}]"
                pairs = zip(stored[sheet].iter_rows(), written[sheet].iter_rows(), strict=True)
                tables += _table(title, role, pairs, rows)
            elif role != "qrels" or source.options.qrels is not None:
                rows.unreadable.add(NATIVE[role])
    finally:
        stored.close()
        written.close()
    read_tables(tables, source.options, rows)


class _Book(Protocol):
    sheetnames: list[str]

    def __getitem__(self, name: str) -> "_Sheet": ...

    def close(self) -> None: ...


class _Sheet(Protocol):
    def iter_rows(self) -> Iterator[Sequence[_Cell]]: ...


def _open(path: Path, *, values: bool) -> _Book:
    try:
        from openpyxl import load_workbook  # noqa: PLC0415
        from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415
    except ImportError as error:
        raise DataError.of("FORMAT", "xlsx, without openpyxl", 'pip install "rag-ablation[xlsx]"') from error
    try:
        book: _Book = load_workbook(path, read_only=True, data_only=values)
    except (OSError, BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        found = f"no workbook ({getattr(error, 'strerror', None) or error})"
        raise DataError.of("file", found, "an .xlsx file", file=str(path)) from error
    return book


def _sheet(source: Source, role: str, names: Sequence[str], sheets: Sequence[str]) -> str | None:
    named: str | None = getattr(source.options, role)
    present = [name for name in ((named,) if named else names) if name in sheets]
    if len(present) == 1:
        return present[0]
    if present or named or role != "qrels":
        found = f"the sheets {', '.join(sheets)}"
        expected = f"one sheet {' or '.join((named,) if named else names)}, or --{role} SHEET"
        source.rows.problem(Origin(source.path.name), role, found, expected)
    return None


def _table(
    name: str, role: str, pairs: Iterator[tuple[Sequence[_Cell], Sequence[_Cell]]], rows: Rows
) -> Iterator[Table]:
    lines: list[Line] = []
    for number, (stored, written) in enumerate(pairs, start=1):
        before = len(rows.report.problems)
        header = lines[0].cells if lines else ()
        cells = [
            _text(Origin(name, number), header[place] if place < len(header) else f"column {place + 1}", pair, rows)
            for place, pair in enumerate(zip(stored, written, strict=True))
        ]
        if len(rows.report.problems) > before:
            rows.unreadable.add(NATIVE[role])
        elif any(cells):
            lines.append(Line(number, cells))
    if not lines:
        rows.problem(Origin(name, 1), "header", "an empty sheet", "a row with the names of the columns")
        rows.unreadable.add(NATIVE[role])
        return
    yield Table(name=name, role=role, header=list(lines[0].cells), lines=lines[1:])


def _text(origin: Origin, column: str, pair: tuple[_Cell, _Cell], rows: Rows) -> str:
    """A cell as text; what has no exact text is a problem."""
    stored, written = pair
    value = stored.value
    if isinstance(written.value, str) and written.data_type == "f":
        if value is None:
            rows.problem(origin, column, f"the formula {written.value} without a stored value", "the value as text")
        else:
            rows.count("cells with a formula, taken as the value stored with it", f"{origin} {column}")
    if value is not None and stored.data_type == "e":
        rows.problem(origin, column, f"the error {value}", "a text")
        return ""
    if isinstance(value, date) and (not isinstance(value, datetime) or value.time() == time()):
        rows.count("cells with a date, taken in the form 2026-01-31", f"{origin} {column}")
        return f"{value:%Y-%m-%d}"
    if value is None or isinstance(value, str):
        return value or ""
    return _number(origin, column, stored, rows)


def _number(origin: Origin, column: str, cell: _Cell, rows: Rows) -> str:
    value, advice = cell.value, "text: format the column as text and type the value again"
    whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
    if not whole or not isinstance(value, int | float):
        rows.problem(origin, column, f"{type(value).__name__} {value}, which has no exact text", advice)
        return ""
    text = str(int(value))
    if len(text.lstrip("-")) > MOST_DIGITS:
        rows.problem(origin, column, f"the number {text}, of which Excel keeps {MOST_DIGITS} digits", advice)
        return ""
    if cell.number_format not in PLAIN_FORMATS:
        found = f"the number {text}, which is shown in the form {cell.number_format!r}"
        rows.problem(origin, column, found, advice)
        return ""
    rows.count("cells with a whole number, taken as its text", f"{origin} {column}: {text}")
    return text
