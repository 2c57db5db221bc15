"""Who holds which token, and what that weighs: the part of BM25 that depends on the corpus alone.

Legend: N passages, T tokens, P postings.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag_ablation.stages.base import Arrays


class Weighting(Protocol):
    """The settings that weigh a posting."""

    @property
    def idf(self) -> str:
        """`okapi` or `lucene`."""
        ...

    @property
    def k1(self) -> float:
        """How soon repetitions of a token count less."""
        ...

    @property
    def b(self) -> float:
        """How much the length of a passage counts, from 0 to 1."""
        ...

    @property
    def epsilon(self) -> float:
        """Share of the mean idf to which a negative one is raised (okapi)."""
        ...


@dataclass(frozen=True)
class Postings:
    """Who holds which token, how often.

    Args:
        vocabulary: token to token row, numbered by first appearance in the corpus.
        indptr: (T + 1,) int64, postings of token t stand at indptr[t]:indptr[t + 1].
        passages: (P,) int32 passage rows, ascending within a token.
        frequencies: (P,) int32, occurrences of the token in the passage.
        lengths: (N,) int64, tokens in each passage.
    """

    vocabulary: Mapping[str, int]
    indptr: NDArray[np.int64]
    passages: NDArray[np.int32]
    frequencies: NDArray[np.int32]
    lengths: NDArray[np.int64]

    @classmethod
    def of(cls, arrays: Arrays) -> "Postings":
        """Rebuild from the arrays of `tokenise`."""
        words = arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
        vocabulary = {word: row for row, word in enumerate(words)} if arrays["words"].size else {}
        return cls(
            vocabulary,
            arrays["indptr"].astype(np.int64, copy=False),
            arrays["passages"].astype(np.int32, copy=False),
            arrays["frequencies"].astype(np.int32, copy=False),
            arrays["lengths"].astype(np.int64, copy=False),
        )

    def token_idf(self, settings: Weighting) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """(T,) idf, and (T,) whether the floor replaced it or it is 0."""
        holders = np.diff(self.indptr).tolist()
        n_passages = self.lengths.size
        if settings.idf == "lucene":
            values = np.array([math.log(1 + (n_passages - n + 0.5) / (n + 0.5)) for n in holders])
            return values, np.zeros(values.shape, dtype=bool)
        raw = [math.log(n_passages - n + 0.5) - math.log(n + 0.5) for n in holders]
        total = 0.0
        for value in raw:  # one after another: another order of addition would change the last bit
            total += value
        floor = settings.epsilon * (total / len(raw)) if raw else 0.0
        values = np.array([floor if value < 0 else value for value in raw])
        return values, np.array([value <= 0 for value in raw], dtype=bool)

    def weights(self, settings: Weighting, idf: NDArray[np.float64]) -> NDArray[np.float64]:
        """(P,) what one occurrence of the token in a query adds to a passage."""
        if not self.passages.size:
            return np.empty(0)
        k1, b = settings.k1, settings.b
        mean_length = int(self.lengths.sum()) / self.lengths.size
        tf = self.frequencies
        norm = k1 * (1 - b + b * self.lengths / mean_length)
        per_posting = np.repeat(idf, np.diff(self.indptr))
        if settings.idf == "lucene":
            return np.asarray(per_posting * (tf / (tf + norm[self.passages])))
        return np.asarray(per_posting * (tf * (k1 + 1) / (tf + norm[self.passages])))


def tokenise(texts: Sequence[str], tokens: Callable[[str], list[str]]) -> Arrays:
    """Postings of a corpus as arrays; tokens are numbered by first appearance.

    Args:
        texts: (N,) texts in row order.
        tokens: the analyser.
    """
    row_of: dict[str, int] = {}
    token_rows: list[int] = []
    passage_rows: list[int] = []
    frequencies: list[int] = []
    lengths: list[int] = []
    for passage, text in enumerate(texts):
        counted: dict[str, int] = {}
        found = tokens(text)
        for token in found:
            counted[token] = counted.get(token, 0) + 1
        lengths.append(len(found))
        for token, count in counted.items():
            token_rows.append(row_of.setdefault(token, len(row_of)))
            passage_rows.append(passage)
            frequencies.append(count)
    order = np.argsort(np.array(token_rows, dtype=np.int64), kind="stable")
    holders = np.bincount(token_rows, minlength=len(row_of)) if row_of else np.empty(0, dtype=np.int64)
    return {
        "words": np.frombuffer("\n".join(row_of).encode("utf-8", "surrogatepass"), dtype=np.uint8),
        "indptr": np.concatenate([[0], np.cumsum(holders)]).astype(np.int64),
        "passages": np.array(passage_rows, dtype=np.int32)[order],
        "frequencies": np.array(frequencies, dtype=np.int32)[order],
        "lengths": np.array(lengths, dtype=np.int64),
    }
