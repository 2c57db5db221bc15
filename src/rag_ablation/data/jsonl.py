"""Lines and JSON records, exactly as a file holds them.

A record ends at a newline and nowhere else: U+2028, U+0085, vertical tabs, form feeds and a carriage
return on its own are text. A byte order mark, CRLF line ends and blank lines are accepted and said.
"""

import json
import math
from typing import NamedTuple, NoReturn

from rag_ablation.data._report import Part, Place, Report, shown

UTF8_MARK = b"\xef\xbb\xbf"
OTHER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class Line(NamedTuple):
    """One line that is not blank, without its end.

    Args:
        number: 1-based.
        text: decoded.
    """

    number: int
    text: str


class Record(NamedTuple):
    """One JSON object.

    Args:
        number: 1-based line.
        id: value of `_id`.
        values: everything else on the line.
    """

    number: int
    id: str
    values: dict[str, object]


class _UnfitError(ValueError):
    """JSON that Python would take and that is not fit to be data."""

    def __init__(self, field: str, found: str, expected: str) -> None:
        self.field, self.found, self.expected = field, found, expected
        super().__init__(found)


def read_lines(file: str, data: bytes, report: Report) -> Part[Line]:
    """Split a file into lines and decode them.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives a problem per line that is not UTF-8, and a notice if the file was not plain.
    """
    if data[:2] in OTHER_MARKS:
        report.problem(Place(file, 1), "encoding", f"a byte order mark of {OTHER_MARKS[data[:2]]}", "UTF-8")
        return Part([], complete=False)
    raw = data.removeprefix(UTF8_MARK).split(b"\n")
    if raw[-1] == b"":
        raw.pop()
    rows: list[Line] = []
    complete, n_blank, n_returns = True, 0, 0
    for number, line in enumerate(raw, start=1):
        n_returns += line.endswith(b"\r")
        content = line.removesuffix(b"\r")
        if not content.strip(b" \t"):
            n_blank += 1
            continue
        try:
            rows.append(Line(number, content.decode("utf-8")))
        except UnicodeDecodeError as error:
            bad = content[error.start : error.start + 1].hex()
            report.problem(Place(file, number), "encoding", f"byte 0x{bad} at position {error.start + 1}", "UTF-8")
            complete = False
    _say_if_not_plain(file, data.startswith(UTF8_MARK), n_returns, n_blank, report)
    return Part(rows, complete)


def read_records(file: str, data: bytes, report: Report) -> Part[Record]:
    """Read one JSON object a line, each with an `_id` of its own.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives every problem.

    Returns:
        Records in order of line; of a repeated id only the first. Not complete where a line has no usable id.
    """
    lines = read_lines(file, data, report)
    rows: list[Record] = []
    first_line: dict[str, int] = {}
    complete = lines.complete
    for line in lines.rows:
        record = _record(file, line, report)
        if record is None:
            complete = False
        elif first_line.setdefault(record.id, record.number) != record.number:
            found = f"{shown(record.id)} on line {record.number}, which line {first_line[record.id]} has already"
            report.problem(Place(file, record.number), "_id", found, "each id once")
        else:
            rows.append(record)
    return Part(rows, complete)


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


def _record(file: str, line: Line, report: Report) -> Record | None:
    place = Place(file, line.number)
    try:
        value = parse_json(line.text)
    except _UnfitError as error:
        report.problem(place, error.field, error.found, error.expected)
        return None
    except (ValueError, RecursionError) as error:
        found = f"no valid JSON ({error})" if isinstance(error, ValueError) else "JSON nested too deeply"
        report.problem(place, "line", found, "one JSON object")
        return None
    if not isinstance(value, dict):
        report.problem(place, "line", shown(value), "one JSON object")
        return None
    if "_id" not in value:
        report.problem(place, "_id", "no such key", "a non-empty string")
        return None
    name = value.pop("_id")
    if not isinstance(name, str) or not name:
        hint = f', for example "{name}"' if isinstance(name, int) and not isinstance(name, bool) else ""
        report.problem(place, "_id", shown(name), f"a non-empty string{hint}")
        return None
    return Record(line.number, name, value)


def _say_if_not_plain(file: str, marked: bool, n_returns: int, n_blank: int, report: Report) -> None:
    said = []
    if marked:
        said.append("starts with a byte order mark")
    if n_returns:
        said.append("has CRLF line ends")
    if n_blank:
        said.append(f"has {n_blank} blank line{'s' if n_blank != 1 else ''}")
    if said:
        report.notices.append(f"{file}: {', '.join(said)}; read as if it were plain")


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
