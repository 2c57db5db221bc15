"""What the checks need to know of a corpus, and no texts: under 300 bytes a passage."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from typing import Generic, NamedTuple, TypeVar

from rag_ablation.core.corpus import Unit, same_clause_id, unit_name
from rag_ablation.core.digest import digest_texts
from rag_ablation.data._report import Report
from rag_ablation.data.native import PassageLine

DIGEST_BYTES = 32
NONE = -1

Value = TypeVar("Value")


class View(NamedTuple):
    """Who may see a passage and when; few distinct ones serve a whole corpus."""

    acl: frozenset[str] | None
    effective_from: date | None
    effective_to: date | None
    sound: bool


class CorpusIndex:
    """The passages of a corpus by row, which is their order in the file.

    Names of documents and places, and views, are numbered and stored once. A document that is named as its
    only passage costs nothing.
    """

    def __init__(self) -> None:
        self.complete = self.clash = False
        self.line_of: dict[str, int] = {}
        self.unit = Unit.PASSAGE
        self._lines = array("Q")
        self._offsets = array("Q")
        self._contents = bytearray()
        self._views, self._view_rows = _Numbered[View](), array("i")
        self._documents, self._document_rows = _Numbered[str](), array("i")
        self._places, self._place_rows = _Numbered[str | None](), array("i")
        self._last_of_unit: dict[str, int] = {}
        self._previous = array("i")

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, row: PassageLine) -> None:
        """Take in the next passage."""
        passage = row.passage
        self._lines.append(row.line)
        self._offsets.append(row.offset)
        self._contents += bytes.fromhex(row.content)
        view = View(passage.acl, passage.effective_from, passage.effective_to, row.sound)
        self._view_rows.append(self._views.number(view))
        own = passage.doc_id == passage.id
        self._document_rows.append(NONE if own else self._documents.number(passage.doc_id))
        self._place_rows.append(self._places.number(passage.location))

    def close(self, line_of: dict[str, int], complete: bool, unit: Unit, report: Report) -> None:
        """The corpus is read; passages are now looked up at the unit of the labels.

        Args:
            line_of: line of each id, in the order of the file.
            complete: whether every line gave a passage.
            unit: unit of the labels.
            report: receives a problem where two units have one id.
        """
        self.line_of, self.complete, self.unit = line_of, complete, unit
        if unit is Unit.PASSAGE:
            return
        clash, ids = False, list(line_of)
        for row, name in enumerate(ids):
            key = self._unit_key(row, name)
            unit_id = unit_name(*key)
            before = self._last_of_unit.get(unit_id, NONE)
            clash = clash or (before != NONE and self._unit_key(before, ids[before]) != key)
            self._last_of_unit[unit_id] = row
            self._previous.append(before)
        self.clash = clash
        if clash:
            for problem in same_clause_id().problems:
                report.add(problem)

    def row(self, name: str) -> int:
        """Row of a passage that is there."""
        return bisect_left(self._lines, self.line_of[name])

    def place(self, row: int) -> tuple[int, int]:
        """Line and first byte of a passage."""
        return self._lines[row], self._offsets[row]

    def content(self, row: int) -> str:
        """Digest of everything on a passage's line."""
        return self._contents[row * DIGEST_BYTES : (row + 1) * DIGEST_BYTES].hex()

    def view(self, row: int) -> View:
        """Who may see a passage."""
        return self._views.values[self._view_rows[row]]

    def has_unit(self, name: str) -> bool:
        """Whether an id is one of the unit of the labels."""
        return name in (self.line_of if self.unit is Unit.PASSAGE else self._last_of_unit)

    def members(self, unit_id: str) -> list[int]:
        """Rows of a unit's passages in the order of the file; none where there is no such unit."""
        if self.unit is Unit.PASSAGE:
            return [self.row(unit_id)] if unit_id in self.line_of else []
        rows = []
        row = self._last_of_unit.get(unit_id, NONE)
        while row != NONE:
            rows.append(row)
            row = self._previous[row]
        return rows[::-1]

    def neighbours(self, row: int) -> tuple[int | None, int | None]:
        """The passages before and after in the file, where they are of the same document."""
        document = self._document_rows[row]
        if document == NONE:
            return None, None
        near = (row - 1, row + 1)
        before, after = (r if 0 <= r < len(self) and self._document_rows[r] == document else None for r in near)
        return before, after

    def units(self) -> Iterator[str]:
        """Ids of the units."""
        yield from self.line_of if self.unit is Unit.PASSAGE else self._last_of_unit

    def digest(self) -> str:
        """Fingerprint of the corpus: contents in id order, whatever the order of the lines."""
        return digest_texts(self.content(self.row(name)) for name in sorted(self.line_of))

    def _unit_key(self, row: int, name: str) -> tuple[str, str | None]:
        number = self._document_rows[row]
        document = name if number == NONE else self._documents.values[number]
        return document, self._places.values[self._place_rows[row]] if self.unit is Unit.CLAUSE else None


class _Numbered(Generic[Value]):
    """Distinct values, numbered in order of appearance."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def number(self, value: Value) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number
