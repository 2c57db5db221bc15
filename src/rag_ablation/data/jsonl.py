"""Lines and JSON records, exactly as a file holds them.

A record ends at a newline and nowhere else: U+2028, U+0085, vertical tabs, form feeds and a carriage
return on its own are text. A byte order mark, CRLF line ends and blank lines are accepted and said.
"""

import io
import json
import math
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, NoReturn

from rag_ablation.data._lines import UTF8_MARK, Line, Lines, old_mac, say_old_mac
from rag_ablation.data._report import Part, Place, Report, shown

__all__ = [
    "UTF8_MARK",
    "Line",
    "Lines",
    "Record",
    "Records",
    "parse_json",
    "parse_record",
    "read_lines",
    "read_records",
]


class Record(NamedTuple):
    """One JSON object.

    Args:
        number: 1-based line.
        id: value of `_id`.
        values: everything else on the line.
        offset: byte of the file at which the line begins.
    """

    number: int
    id: str
    values: dict[str, object]
    offset: int = 0


class _UnfitError(ValueError):
    """JSON that Python would take and that is not fit to be data."""

    def __init__(self, field: str, found: str, expected: str) -> None:
        self.field, self.found, self.expected = field, found, expected
        super().__init__(found)


class Records:
    """The JSON objects of a file, one a line and each with an `_id` of its own, as they are read.

    Args:
        file: name used in messages.
        handle: at its start.
        report: receives every problem.
    """

    def __init__(self, file: str, handle: BinaryIO, report: Report) -> None:
        """Nothing is read yet."""
        self.file, self.report = file, report
        self.complete = True
        self.line_of: dict[str, int] = {}
        self._lines = Lines(file, handle, report)

    def __iter__(self) -> Iterator[Record]:
        """Records in order of line; of a repeated id only the first.

        Once they are out, `complete` is False where a line had no usable id, and `line_of` has every id.
        """
        for line in self._lines:
            record = parse_record(self.file, line, self.report)
            if record is None:
                self.complete = False
            elif (first := self.line_of.setdefault(record.id, record.number)) != record.number:
                found = f"{shown(record.id)} on line {record.number}, which line {first} has already"
                self.report.problem(Place(self.file, record.number), "_id", found, "each id once")
            else:
                yield record
        self.complete = self.complete and self._lines.complete


def read_lines(file: str, data: bytes, report: Report) -> Part[Line]:
    """Split a file into lines and decode them.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives one problem if the file is not UTF-8, and a notice if it was not plain.
    """
    lines = Lines(file, io.BytesIO(data), report)
    rows = list(lines)
    return Part(rows, lines.complete)


def read_records(file: str, data: bytes, report: Report) -> Part[Record]:
    """Read one JSON object a line, each with an `_id` of its own.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives every problem.

    Returns:
        Records in order of line; of a repeated id only the first. Not complete where a line has no usable id.
    """
    records = Records(file, io.BytesIO(data), report)
    rows = list(records)
    return Part(rows, records.complete)


def parse_json(text: str) -> object:
    """JSON without repeated keys, NaN, infinities or halves of surrogate pairs.

    Raises:
        ValueError: it is none.
    """
    value: object = json.loads(
        text, strict=False, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float
    )
    if "\\ud" in text.lower():
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise _UnfitError("line", "half of a surrogate pair (\\ud…)", "whole characters") from None
    return value


def parse_record(file: str, line: Line, report: Report) -> Record | None:
    """The record on a line; None after a problem."""
    place = Place(file, line.number)
    value = _object_on(line.text, place, report)
    if value is None:
        return None
    if "_id" not in value:
        report.problem(place, "_id", "no such key", "a non-empty string")
        return None
    name = value.pop("_id")
    if not isinstance(name, str) or not name:
        hint = f', for example "{name}"' if isinstance(name, int) and not isinstance(name, bool) else ""
        report.problem(place, "_id", shown(name), f"a non-empty string{hint}")
        return None
    return Record(line.number, name, value, line.offset)


def _object_on(text: str, place: Place, report: Report) -> dict[str, object] | None:
    found = ""
    try:
        value = parse_json(text)
    except _UnfitError as error:
        report.problem(place, error.field, error.found, error.expected)
        return None
    except (ValueError, RecursionError) as error:
        if old_mac(text, "{"):
            say_old_mac(place, report)
            return None
        found = f"no valid JSON ({error})" if isinstance(error, ValueError) else "JSON nested too deeply"
    else:
        if isinstance(value, dict):
            return value
        found = shown(value)
    report.problem(place, "line", found, "one JSON object")
    return None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _UnfitError(twice, "the key twice in one object", "each key once")
    return value


def _constant(word: str) -> NoReturn:
    raise _UnfitError("line", f"{word}, which is no JSON", "a finite number or null")


def _float(word: str) -> float:
    value = float(word)
    if not math.isfinite(value):
        raise _UnfitError("line", f"the number {word[:40]}, which is too large", "a finite number or null")
    return value
