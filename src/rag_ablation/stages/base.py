"""What a stage must be able to do, and what it may ask for.

A stage is a frozen, keyword-only dataclass whose fields are its settings and nothing else.

Legend: Q questions, K columns, N passages.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.chunks import Piece
from rag_ablation.core.corpus import Passages
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.structure import Structure
from rag_ablation.core.visibility import Visibility

Arrays = Mapping[str, NDArray[np.generic]]


class ArrayCache(Protocol):
    """Where a stage keeps costly arrays (postings, embeddings) between runs."""

    def arrays(self, key: Mapping[str, object], compute: Callable[[], Arrays]) -> Arrays:
        """The arrays under this key, computed and kept if they are not there yet.

        Args:
            key: JSON values that together determine the arrays, content digests of the inputs included.
            compute: called when nothing is kept under the key.
        """
        ...


Response = Mapping[str, object]

ASKING_SLOTS = ("rewrite", "generate", "judge")
HOW_ASKED = frozenset({"concurrency", "max_requests", "max_cost", "api_key_env"})
"""Settings of the slots that may ask a server which can change nothing in a result."""
NO_FACTOR = HOW_ASKED | {"timeout_s", "retries", "prices", "currency"}
"""Settings of those slots that are never what an arm is about: they change failures and costs, and no reply."""


class Cache(ArrayCache, Protocol):
    """Where costly arrays and paid responses are kept."""

    def response(self, key: Mapping[str, object], ask: Callable[[], Response]) -> Response:
        """What was answered under this key, asked and kept if it is not there yet.

        Args:
            key: JSON values that together determine the request: model, prompt, parameters, sample.
            ask: called when nothing is kept under the key; what it raises keeps nothing.
        """
        ...


class NoCache:
    """Keeps nothing."""

    def arrays(self, key: Mapping[str, object], compute: Callable[[], Arrays]) -> Arrays:
        """Compute every time."""
        return compute()

    def response(self, key: Mapping[str, object], ask: Callable[[], Response]) -> Response:
        """Ask every time."""
        return ask()


class Index(Protocol):
    """A corpus made ready for one retriever."""

    def search(self, queries: Queries, visible: Visibility) -> StageResult:
        """Rank the visible passages for every question, at most the retriever's depth.

        Args:
            queries: (Q,) questions.
            visible: what each may see; the filter acts before any cut.
        """
        ...


class Stage(Protocol):
    """What every stage has."""

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the result."""
        ...

    def fingerprint(self) -> Mapping[str, object]:
        """Identity of the model it uses (name, weight digest); empty where it uses none.

        Raises:
            ModelError: the model cannot be had.
        """
        ...


class Chunker(Stage, Protocol):
    """Cuts texts before anything is indexed."""

    @property
    def size(self) -> int:
        """Widest chunk, in characters."""
        ...

    @property
    def overlap(self) -> int:
        """Characters that a chunk may repeat of the one before."""
        ...

    @property
    def coverage(self) -> float:
        """At the passage unit, least share of an answer span that makes a chunk gold."""
        ...

    @property
    def without_spans(self) -> Literal["refuse", "whole"]:
        """At the passage unit, what happens with a gold passage that was cut and has no usable span."""
        ...

    def cut(self, text: str) -> Sequence[Piece]:
        """Pieces of a text, in order, each different, at least one; together they hold every character."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """What is searched for instead of the questions.

    Args:
        texts: (Q,) one or more texts of each question, in the order in which they were made.
        facts: counts and settings in force, JSON values only.
        complete: False where a text stands in for one that could not be had, so that this must not be kept.
    """

    texts: tuple[tuple[str, ...], ...]
    facts: Mapping[str, object]
    complete: bool = True


class Rewriter(Stage, Protocol):
    """Puts a question into other words, or into several, before anything is searched."""

    @property
    def remote(self) -> bool:
        """Whether it asks a server, so that its time is not this machine's."""
        ...

    def rewrite(self, queries: Queries, cache: Cache) -> Rewritten:
        """Texts to search for, of every question; each at least one, none empty, no text twice.

        Args:
            queries: (Q,) questions.
            cache: where responses are kept.
        """
        ...


class Retriever(Stage, Protocol):
    """Ranks passages for a question."""

    depth: int

    def index(self, passages: Passages, cache: ArrayCache) -> Index:
        """Make a corpus ready; texts are `passages.texts`."""
        ...


class Fuser(Stage, Protocol):
    """Makes one ranking of several."""

    window: int

    def fuse(self, lists: Mapping[str, Rankings], passages: Passages) -> StageResult:
        """Fuse rankings, by slot name; the order in which they are given does not matter."""
        ...


class Pairs(Protocol):
    """A corpus made ready for one reranker."""

    def rerank(self, rankings: Rankings, queries: Queries) -> StageResult:
        """Rescore the head of each ranking; membership never changes unless the tail is dropped."""
        ...


class Reranker(Stage, Protocol):
    """Puts the head of a ranking into a new order."""

    depth: int

    def prepare(self, passages: Passages, cache: ArrayCache) -> Pairs:
        """Make a corpus ready; nothing heavy is loaded before the first `rerank`."""
        ...


class LeftOut(StrEnum):
    """Why a passage that was offered is not in the context."""

    DUPLICATE = "duplicate"
    BUDGET = "budget"
    MAX_PASSAGES = "max_passages"


REASONS = tuple(LeftOut)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextInput:
    """What a context may be built from.

    Args:
        ranking: the last ranking of the arm, None where the arm has none.
        gold: visible judgements at the passage unit.
        queries: (Q,) questions.
        corpus: the corpus and its documents.
        visible: what each question may see.
    """

    ranking: Rankings | None
    gold: Qrels
    queries: Queries
    corpus: Structure
    visible: Visibility


class ContextBuilder(Stage, Protocol):
    """Chooses what the generator is shown."""

    @property
    def depth(self) -> int:
        """How many passages it is offered."""
        ...

    @property
    def needs_ranking(self) -> bool:
        """Whether it is made from the last ranking."""
        ...

    @property
    def needs_gold(self) -> bool:
        """Whether it is made from labels."""
        ...

    def build(self, given: ContextInput) -> StageResult:
        """Contexts as rankings without scores, in the order in which they are shown.

        `arrays` holds `tokens` (Q,), `offered` (Q, K) passages, and `left_out` (Q, X) passages with the reasons
        `left_out_why` (Q, X).
        """
        ...


def check_whole_number(field: str, value: object, least: int = 1) -> None:
    """Raise unless a setting is a whole number of at least `least`.

    Raises:
        ValueError: otherwise; the text is `field: found …, expected …`.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        message = f"{field}: found {value!r}, expected a whole number of at least {least}"
        raise ValueError(message)


def check_choice(field: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless a setting is one of a closed set of words.

    Raises:
        ValueError: otherwise; the text is `field: found …, expected …`.
    """
    if value not in choices:
        message = f"{field}: found {value!r}, expected one of: {', '.join(choices)}"
        raise ValueError(message)


def library_versions(names: Sequence[str]) -> dict[str, str]:
    """Installed version of each distribution, `absent` where it is not installed."""
    found: dict[str, str] = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return found


def unique_texts(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Each distinct text once, in order of first appearance, and the row of each text in that list.

    Equal texts under different ids are encoded and scored once, so that they tie exactly.
    """
    row_of: dict[str, int] = {}
    rows = np.array([row_of.setdefault(text, len(row_of)) for text in texts], dtype=np.int64)
    return list(row_of), rows
