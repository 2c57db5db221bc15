"""The questions.

Legend: Q questions.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum


class Status(StrEnum):
    """How far a question's gold evidence is known."""

    REVIEWED = "reviewed"
    NO_ANSWER = "no_answer"
    UNREVIEWED = "unreviewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question, without its labels.

    Args:
        id: unique, byte for byte.
        text: as asked.
        type: kind of question, by which results are sliced; `unspecified` where the file does not say.
        status: how far its evidence is known.
        identity: who asks, None where nobody in particular.
        as_of: the day on which it is asked, None where not stated.
        group: explicit group for the split, None where not given.
        metadata: everything else that is no label, as read.
    """

    id: str
    text: str
    type: str = "unspecified"
    status: Status = Status.REVIEWED
    identity: str | None = None
    as_of: date | None = None
    group: str | None = None
    metadata: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Queries:
    """Questions sorted by id.

    Args:
        rows: (Q,) questions; ids strictly increasing by code point.
        ids: (Q,) ids, made of `rows`.
    """

    rows: tuple[Query, ...]
    ids: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the order once."""
        ids = tuple(query.id for query in self.rows)
        object.__setattr__(self, "ids", ids)
        if any(left >= right for left, right in itertools.pairwise(ids)):
            message = "questions must be sorted by id, without repeats"
            raise ValueError(message)

    def __len__(self) -> int:
        """Q."""
        return len(self.rows)

    @property
    def texts(self) -> tuple[str, ...]:
        """(Q,) texts."""
        return tuple(query.text for query in self.rows)

    @property
    def types(self) -> tuple[str, ...]:
        """(Q,) types."""
        return tuple(query.type for query in self.rows)

    def select(self, rows: Sequence[int]) -> "Queries":
        """The questions in these rows, in id order."""
        return Queries(tuple(self.rows[row] for row in sorted(rows)))
