"""Tables that spreadsheet programs open as they are, and what people do to them there.

Written as UTF-8 with a byte order mark, by which they tell the encoding. A cell that one of them would take for
a formula has an apostrophe in front, which is taken off again when the table is read.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rag_ablation.data._encoding import HEAD_BYTES, narrow_encoding, wide_encoding
from rag_ablation.data._report import Place, Report

MARK = "'"
BEGINS_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
MOST_CELL_CHARS = 32_000
"""A cell of a spreadsheet holds 32,767."""
DELIMITERS = ",;\t"
SAVE_AS = "a table saved as “CSV UTF-8”"


def protected(cell: str) -> str:
    """A cell that no spreadsheet program runs."""
    return MARK + cell if cell[:1] in BEGINS_FORMULA or cell.startswith(MARK) else cell


def unprotected(cell: str) -> str:
    """The inverse of `protected`; a cell that a program has freed of its apostrophe stays as it is."""
    marked = cell.startswith(MARK) and (cell[1:2] in BEGINS_FORMULA or cell[1:2] == MARK)
    return cell[1:] if marked else cell


def cut(text: str) -> str:
    """A text that fits a cell."""
    return text if len(text) <= MOST_CELL_CHARS else text[:MOST_CELL_CHARS] + "…"


def table_bytes(rows: Iterable[Sequence[object]]) -> bytes:
    """A table as a file; cells are written as they are given."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue().encode("utf-8-sig")


def decoded(file: str, data: bytes, report: Report) -> str | None:
    """The text of a table, None where it is in another encoding than UTF-8, which is reported."""
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


def records(
    file: str, text: str, report: Report, needed: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Cells of each row that is not blank, with the number of its first line; optional ones where there are such.

    Raises:
        csv.Error: it is no table.
    """
    head = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header = [name.strip() for name in next(reader, [])]
    places = {name: header.index(name) for name in (*needed, *optional) if header.count(name) == 1}
    wanted = [*needed, *(name for name in optional if name in header)]
    for name in wanted:
        if name not in places:
            found = "twice" if name in header else f"no such column among {', '.join(header) or 'none'}"
            report.problem(Place(file, 1), name, found, f"the columns {', '.join(wanted)}, each once")
    before = reader.line_num
    for cells in reader if len(places) == len(wanted) else ():
        line, before = before + 1, reader.line_num
        if not any(cells):
            continue
        if len(cells) <= max(places.values()):
            report.problem(Place(file, line), "row", f"{len(cells)} cells", f"{len(header)}, as in the header")
            continue
        yield line, {name: cells[place] for name, place in places.items()}
