"""The corpus: passages, in id order, and the larger units they belong to.

Legend: N passages, U units.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import DataError

CLAUSE_SEPARATOR = "#"
DEFAULT_TEMPLATE = "{title}\n{text}"


class Unit(StrEnum):
    """What an id stands for when rankings are scored, finest first."""

    PASSAGE = "passage"
    CLAUSE = "clause"
    DOCUMENT = "document"

    @classmethod
    def parse(cls, word: str) -> "Unit":
        """The unit of that name; `chunk` is a synonym of `passage`.

        Raises:
            ValueError: no such unit.
        """
        return cls("passage" if word == "chunk" else word)

    @property
    def coarseness(self) -> int:
        """0 for passage, 1 for clause, 2 for document."""
        return list(Unit).index(self)


@dataclass(frozen=True, slots=True)
class UnitMap:
    """Where each passage belongs at one unit.

    Args:
        ids: (U,) ids of the units, in code-point order.
        rows: (N,) int32, the unit row of each passage.
    """

    ids: tuple[str, ...]
    rows: NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One line of the corpus.

    Args:
        id: unique, byte for byte.
        title: may be empty.
        text: what is retrieved.
        doc_id: the document it is part of.
        location: place within the document (clause number), None where the set has none.
        version: version of the document, None where unversioned.
        family: names a clause across its versions, None where the file does not say.
        acl: roles that may see it; None means everyone.
        effective_from: first day on which it holds, None means always.
        effective_to: last day on which it holds, None means without end.
        metadata: everything else from the file, as read.
    """

    id: str
    title: str
    text: str
    doc_id: str
    location: str | None = None
    version: str | None = None
    family: str | None = None
    acl: frozenset[str] | None = None
    effective_from: date | None = None
    effective_to: date | None = None
    metadata: Mapping[str, object]

    @property
    def document_family(self) -> str:
        """The document without its version: `travel-2026` of version `2026` is of family `travel`."""
        if self.version is None:
            return self.doc_id
        return re.sub(rf"[-_ .:/@]?{re.escape(self.version)}$", "", self.doc_id) or self.doc_id

    @property
    def answer_location(self) -> tuple[str, str]:
        """Document family and clause; the same for a clause in every version.

        A passage without a location is its own location, so that the questions of a document
        that was not divided into clauses are grouped by passage.
        """
        if self.family is not None:
            return ("family", self.family)
        if self.location is None:
            return ("passage", self.id)
        return (self.document_family, self.location)


@dataclass(frozen=True, slots=True)
class Passages:
    """All passages of a corpus, sorted by id, so that row order is id order whatever the file's order.

    Args:
        rows: (N,) passages; ids strictly increasing by code point.
        template: how a passage becomes the text that is indexed, embedded and reranked; `{title}`
            and `{text}` are filled in, white space at the ends is dropped.
        ids: (N,) ids, made of `rows`.
    """

    rows: tuple[Passage, ...]
    template: str = DEFAULT_TEMPLATE
    ids: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the order once."""
        ids = tuple(passage.id for passage in self.rows)
        object.__setattr__(self, "ids", ids)
        if any(left >= right for left, right in itertools.pairwise(ids)):
            message = "passages must be sorted by id, without repeats"
            raise ValueError(message)

    def __len__(self) -> int:
        """N."""
        return len(self.rows)

    @property
    def texts(self) -> tuple[str, ...]:
        """(N,) what every stage reads: the template filled in, never anything else."""
        pieces = re.split(r"\{(title|text)\}", self.template)
        return tuple(_fill(pieces, passage) for passage in self.rows)

    def text(self, row: int) -> str:
        """What every stage reads of one passage."""
        return _fill(re.split(r"\{(title|text)\}", self.template), self.rows[row])

    def row_of(self) -> dict[str, int]:
        """Row by id."""
        return {passage.id: row for row, passage in enumerate(self.rows)}

    def units(self, unit: Unit) -> UnitMap:
        """Project passages to a unit.

        The id of a clause is `doc_id#location`; a passage without a location stands, at the
        clause unit, for its whole document.

        Raises:
            DataError: two different clauses have the same id.
        """
        if unit is Unit.PASSAGE:
            return UnitMap(self.ids, np.arange(len(self), dtype=np.int32))
        keys: list[tuple[str, str | None]] = [
            (passage.doc_id, passage.location if unit is Unit.CLAUSE else None) for passage in self.rows
        ]
        names = {key: unit_name(*key) for key in keys}
        ids = tuple(sorted(set(names.values())))
        if len(ids) != len(names):
            raise same_clause_id()
        row_of = {name: row for row, name in enumerate(ids)}
        return UnitMap(ids, np.array([row_of[names[key]] for key in keys], dtype=np.int32))


def unit_name(doc_id: str, location: str | None) -> str:
    """Id of a document (no location) or of a clause."""
    return doc_id if location is None else f"{doc_id}{CLAUSE_SEPARATOR}{location}"


def same_clause_id() -> DataError:
    """Two different clauses have the same id."""
    return DataError.of(
        "metadata.location",
        f"two clauses that share the id of the form doc_id{CLAUSE_SEPARATOR}location",
        f"document ids and locations without {CLAUSE_SEPARATOR!r}, so that clause ids are unique",
        file="corpus.jsonl",
    )


def _fill(pieces: list[str], passage: Passage) -> str:
    """Pieces at odd places are names of fields, the others are literal."""
    fields = {"title": passage.title, "text": passage.text}
    return "".join(fields[piece] if place % 2 else piece for place, piece in enumerate(pieces)).strip()
