"""Which passages exist for which question: identity and versions.

Legend: Q questions, K columns, N passages, V distinct views.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages
from rag_ablation.core.digest import digest_arrays
from rag_ablation.core.order import natural
from rag_ablation.core.queries import Queries, Query

EVERYONE = "all"


class Guarded(Protocol):
    """What has an access list and days on which it holds."""

    @property
    def acl(self) -> frozenset[str] | None:
        """Roles that may see it; None means everyone."""

    @property
    def effective_from(self) -> date | None:
        """First day on which it holds."""

    @property
    def effective_to(self) -> date | None:
        """Last day on which it holds."""


class Versions(StrEnum):
    """Which versions exist for a question that has no `as_of` of its own."""

    ALL = "all"
    LATEST = "latest"
    AS_OF = "as_of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The run's own view of the corpus.

    Args:
        identity: who asks the questions that name nobody; None leaves those unrestricted.
        as_of: the run's date, used with `versions: as_of`.
        versions: which versions exist for questions without a date of their own.
        identities: roles by name of identity; a name that is not listed is a role of that name.
    """

    identity: str | None = None
    as_of: date | None = None
    versions: Versions = Versions.ALL
    identities: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        """A date is needed with `versions: as_of`."""
        if (self.versions is Versions.AS_OF) != (self.as_of is not None):
            message = "as_of and versions=as_of go together: give both or neither"
            raise ValueError(message)

    def roles(self, identity: str | None) -> frozenset[str] | None:
        """Roles of an identity; None means no restriction."""
        if identity is None:
            return None
        return frozenset(self.identities.get(identity, (identity,))) | {EVERYONE}


@dataclass(frozen=True, slots=True)
class Visibility:
    """A passage mask for each question, equal masks stored once.

    Args:
        view_rows: (Q,) int32, the view of each question.
        masks: (V, N) bool, True where the passage exists in that view.
        unrestricted: (Q,) bool, True where no access filter applies to a question.
    """

    view_rows: NDArray[np.int32]
    masks: NDArray[np.bool_]
    unrestricted: NDArray[np.bool_]

    @property
    def n_unrestricted(self) -> int:
        """Questions to which no access filter applies."""
        return int(np.count_nonzero(self.unrestricted))

    @property
    def everything(self) -> bool:
        """True where every question may see every passage."""
        return bool(self.masks.all())

    def mask(self, query_row: int) -> NDArray[np.bool_]:
        """(N,) what one question may see."""
        return np.asarray(self.masks[self.view_rows[query_row]])

    def select(self, query_rows: list[int]) -> "Visibility":
        """The views of some questions, in the order given."""
        return Visibility(self.view_rows[query_rows], self.masks, self.unrestricted[query_rows])

    def violations(self, passages_QK: NDArray[np.int32]) -> int:
        """Number of recorded passages that their question may not see; must be 0."""
        if self.everything or not passages_QK.size:
            return 0
        seen = self.masks[self.view_rows[:, None], np.maximum(passages_QK, 0)]
        return int(np.count_nonzero(~seen & (passages_QK >= 0)))

    def digest(self) -> str:
        """Content digest of the filter."""
        return digest_arrays({"view_rows": self.view_rows, "masks": np.packbits(self.masks, axis=1)})


def visibility(passages: Passages, queries: Queries, access: Access) -> Visibility:
    """Work out what each question may see.

    A question's own identity and date come before the run's. A question with neither an identity
    of its own nor one from the run is unrestricted.

    Args:
        passages: the corpus.
        queries: the questions of one side.
        access: the run's view.
    """
    views: dict[tuple[frozenset[str] | None, date | Versions], int] = {}
    masks: list[NDArray[np.bool_]] = []
    rows = np.empty(len(queries), dtype=np.int32)
    newest = newest_versions(passages) if access.versions is Versions.LATEST else {}
    for row, query in enumerate(queries.rows):
        view = (access.roles(query.identity or access.identity), _moment(query, access))
        if view not in views:
            views[view] = len(masks)
            masks.append(_mask(passages, view, newest))
        rows[row] = views[view]
    stacked = np.stack(masks) if masks else np.ones((1, len(passages)), dtype=bool)
    unrestricted = np.array([(query.identity or access.identity) is None for query in queries.rows], dtype=bool)
    return Visibility(rows, stacked, unrestricted)


def may_see(passage: Guarded, roles: frozenset[str] | None) -> bool:
    """Whether one who holds these roles may see a passage."""
    return roles is None or passage.acl is None or EVERYONE in passage.acl or bool(passage.acl & roles)


def holds_on(passage: Guarded, day: date) -> bool:
    """Whether a passage is in force on that day, first and last day included."""
    begun = passage.effective_from is None or passage.effective_from <= day
    return begun and (passage.effective_to is None or day <= passage.effective_to)


def newest_versions(passages: Passages) -> dict[str, str]:
    """The newest version of each document family: by first effective day, then by the version's own order."""
    newest: dict[str, tuple[date, list[tuple[int, int, str]], str]] = {}
    for passage in passages.rows:
        if passage.version is None:
            continue
        age = (passage.effective_from or date.min, natural(passage.version), passage.version)
        if passage.document_family not in newest or newest[passage.document_family] < age:
            newest[passage.document_family] = age
    return {family: age[2] for family, age in newest.items()}


def _moment(query: Query, access: Access) -> date | Versions:
    if query.as_of is not None:
        return query.as_of
    return access.as_of if access.as_of is not None else access.versions


def _mask(
    passages: Passages, view: tuple[frozenset[str] | None, date | Versions], newest: Mapping[str, str]
) -> NDArray[np.bool_]:
    roles, moment = view
    mask = np.array([may_see(passage, roles) for passage in passages.rows], dtype=bool)
    if isinstance(moment, date):
        mask &= np.array([holds_on(passage, moment) for passage in passages.rows], dtype=bool)
    elif moment is Versions.LATEST:
        mask &= np.array(
            [p.version is None or newest[p.document_family] == p.version for p in passages.rows], dtype=bool
        )
    return mask
