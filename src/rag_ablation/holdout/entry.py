"""An entry of the ledger: what was looked at, when, and by which plan."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Self

from rag_ablation.core.digest import canonical_json, digest_json, digest_texts
from rag_ablation.holdout._normal import normal_text

KEY_CHARS = 16
FIELDS = ("kind", "time", "previous", "questions", "details", "digest")


class Kind(StrEnum):
    """What an entry says."""

    IN_USE = "in_use"
    SEEN = "seen"
    OPENED = "opened"
    REOPENED = "reopened"
    REPLAYED = "replayed"
    CLOSED = "closed"
    AMENDED = "amended"
    JOINED = "joined"


class Question(NamedTuple):
    """A question as an entry names it.

    Args:
        id: in its dataset.
        key: of its text, the same for texts that the split takes for equal.
        group: number of its group in the split.
    """

    id: str
    key: str
    group: int


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the ledger.

    Args:
        kind: what it says.
        time: when, in UTC.
        previous: digest of the entry before, empty for the first.
        questions: those that it speaks of, by id; none where it refers to another entry.
        details: what else is noted, JSON values.
    """

    kind: Kind
    time: str
    previous: str
    questions: tuple[Question, ...]
    details: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Digest of all of it (64 hex characters)."""
        return digest_json(self._form())

    def line(self) -> str:
        """As it stands in the file, without the line's end."""
        return canonical_json(self.to_json())

    def branch(self) -> "list[Entry]":
        """The entries that an entry of the kind `joined` took over.

        Raises:
            ValueError: one of them is none.
        """
        entries = self.details.get("entries")
        if not isinstance(entries, list):
            message = "no list of joined entries"
            raise ValueError(message)
        return [type(self).from_json(values) for values in entries]

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """The inverse of `line`: no other way to write the same values is taken.

        Raises:
            ValueError: it is no entry, or not byte for byte as it was written.
        """
        try:
            entry = cls.from_json(json.loads(line.decode()))
            written = entry.line().encode()
        except RecursionError as error:
            message = "values within values without end"
            raise ValueError(message) from error
        if written != line:
            message = "the values of an entry, in other words than it was written"
            raise ValueError(message)
        return entry

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`.

        Raises:
            ValueError: it is no entry, or its digest is not that of its content.
        """
        try:
            return cls._checked(values)
        except (TypeError, KeyError, AttributeError, OverflowError) as error:
            message = f"no entry of a ledger ({type(error).__name__}: {error})"
            raise ValueError(message) from error

    @classmethod
    def _checked(cls, values: Mapping[str, Any]) -> Self:
        entry = cls(
            kind=Kind(values["kind"]),
            time=str(values["time"]),
            previous=str(values["previous"]),
            questions=tuple(Question(str(name), str(key), int(group)) for name, key, group in values["questions"]),
            details=dict(values["details"]),
        )
        if set(values) != set(FIELDS) or values["digest"] != entry.digest:
            message = f"digest {str(values.get('digest'))[:12]!r}, which is not that of the entry"
            raise ValueError(message)
        return entry

    def to_json(self) -> dict[str, Any]:
        """JSON values, the digest among them."""
        return {**self._form(), "digest": self.digest}

    def _form(self) -> dict[str, Any]:
        return {
            "kind": str(self.kind),
            "time": self.time,
            "previous": self.previous,
            "questions": [list(question) for question in self.questions],
            "details": dict(self.details),
        }


def question_of(name: str, text: str, group: int) -> Question:
    """A question as an entry names it; its text cannot be read from it."""
    return Question(name, text_key(text), group)


@lru_cache(maxsize=1 << 16)
def text_key(text: str) -> str:
    """Digest of a question's text as the split compares it (16 hex characters)."""
    return digest_texts([normal_text(text)])[:KEY_CHARS]
