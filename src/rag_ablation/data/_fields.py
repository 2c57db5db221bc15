import re
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import NamedTuple, TypeVar

from rag_ablation.core.answers import KEYPOINT_FORM, keypoint_of
from rag_ablation.core.errors import DataError
from rag_ablation.data._report import Place, Report, shown

SPAN_PARTS = ("corpus_id", "start", "text")
ISO_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Word = TypeVar("Word", bound=StrEnum)


class Span(NamedTuple):
    """Where an answer stands.

    Args:
        unit_id: the passage.
        start: first character, from 0, in code points; None where it is not known.
        text: the characters that stand there.
    """

    unit_id: str
    start: int | None
    text: str


class Fields:
    """The metadata of one line: typed look-ups that note problems instead of raising.

    An absent key and null are the same, except for `acl`, where null is refused.

    Args:
        values: key → value as read.
        place: file and line.
        report: receives the problems.
        prefix: put before a key in messages.
    """

    def __init__(self, values: Mapping[str, object], place: Place, report: Report, prefix: str = "metadata.") -> None:
        self.values = dict(values)
        self.place = place
        self.report = report
        self.prefix = prefix
        self.taken: set[str] = set()

    def rest(self) -> dict[str, object]:
        """What nobody asked for."""
        return {key: value for key, value in self.values.items() if key not in self.taken}

    def take(self, key: str) -> object:
        """The value as read; None where the key is absent."""
        self.taken.add(key)
        return self.values.get(key)

    def wrong(self, key: str, found: str, expected: str) -> None:
        """Note a problem of a key."""
        self.report.problem(self.place, f"{self.prefix}{key}", found, expected)

    def text(self, key: str) -> str | None:
        """A non-empty string."""
        value = self.take(key)
        if value is None or (isinstance(value, str) and value):
            return value
        hint = f', for example "{value}"' if isinstance(value, int) and not isinstance(value, bool) else ""
        self.wrong(key, shown(value), f"a non-empty string{hint}, or null")
        return None

    def any_text(self, key: str) -> str | None:
        """A string, which may be empty."""
        value = self.take(key)
        if value is None or isinstance(value, str):
            return value
        self.wrong(key, shown(value), "a string, or null")
        return None

    def word(self, key: str, words: type[Word]) -> Word | None:
        """One of a closed set of words."""
        value = self.take(key)
        if value is None or (isinstance(value, str) and value in list(words)):
            return None if value is None else words(value)
        self.wrong(key, shown(value), f"one of: {', '.join(words)}")
        return None

    def day(self, key: str) -> date | None:
        """A day in ISO form."""
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, str) and ISO_DAY.fullmatch(value):
            try:
                return date.fromisoformat(value)
            except ValueError:
                pass
        self.wrong(key, shown(value), "a day of the form 2026-01-31, or null")
        return None

    def roles(self, key: str) -> frozenset[str] | None:
        """A list of roles; the key must be absent to mean everyone, so that a slip never opens a passage."""
        if key not in self.values:
            return None
        value = self.take(key)
        if isinstance(value, list) and value and all(isinstance(role, str) and role for role in value):
            return frozenset(value)
        self.wrong(key, shown(value), "a list of one or more roles (strings), or no such key, which means everyone")
        return frozenset()

    def texts(self, key: str) -> list[str]:
        """A list of strings."""
        value = self.take(key)
        if value is None or (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            return value or []
        self.wrong(key, shown(value), "a list of strings")
        return []

    def items(self, key: str) -> list[object]:
        """A list of anything."""
        value = self.take(key)
        if value is None or isinstance(value, list):
            return value or []
        self.wrong(key, shown(value), "a list")
        return []

    def keypoints(self, key: str) -> None:
        """A list of key points, each of a form that a judge can read."""
        for item in self.items(key):
            try:
                keypoint_of(item)
            except DataError:
                self.wrong(key, shown(item), f"a list, each of its items {KEYPOINT_FORM}")
                return

    def ids(self, key: str) -> list[str]:
        """One id, or a list of ids."""
        value = self.take(key)
        given: list[object] = value if isinstance(value, list) else [] if value is None else [value]
        found = [item for item in given if isinstance(item, str) and item]
        if len(found) == len(given):
            return found
        self.wrong(key, shown(value), "an id (string), or a list of ids")
        return []

    def id_lists(self, key: str) -> list[list[str]]:
        """A list of lists of ids, none of them empty."""
        value = self.take(key)
        if value is None:
            return []
        if isinstance(value, list) and all(
            isinstance(group, list) and group and all(isinstance(item, str) and item for item in group)
            for group in value
        ):
            return value
        self.wrong(key, shown(value), "a list with one list of ids for each piece of evidence, none of them empty")
        return []

    def spans(self, key: str) -> list[Span]:
        """A list of places in passages."""
        found: list[Span] = []
        for item in self.items(key):
            unit_id, start, text = (item.get(part) if isinstance(item, dict) else None for part in SPAN_PARTS)
            whole = start is None or (isinstance(start, int) and not isinstance(start, bool) and start >= 0)
            if isinstance(unit_id, str) and unit_id and whole and isinstance(text, str) and text:
                found.append(Span(unit_id, start, text))
                continue
            good = (isinstance(unit_id, str) and unit_id, whole, isinstance(text, str) and text)
            parts = zip(SPAN_PARTS, good, (unit_id, start, text), strict=True)
            said = ", ".join(f"{part} {shown(value)}" for part, right, value in parts if not right)
            what = f"an object with {said}" if isinstance(item, dict) else shown(item)
            self.wrong(key, what, "an object with corpus_id (string), start (whole number from 0, or null) and text")
        return found
