"""BM25 from postings.

Legend: Q questions, N passages, T distinct tokens, P postings.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages
from rag_ablation.core.digest import digest_file, digest_texts
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.visibility import Visibility
from rag_ablation.stages._analysers import Analyser, AnalyserName, analyser_for, check_stemmer, segmentation_warning
from rag_ablation.stages._postings import Postings, tokenise
from rag_ablation.stages.base import ArrayCache, check_whole_number, library_versions

Idf = Literal["okapi", "lucene"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bm25:
    """BM25, exact, over all passages.

    Args:
        idf: `okapi` gives, on the same tokens, the scores of rank-bm25's `BM25Okapi` bit for bit,
            epsilon floor included; `lucene` gives the non-negative form of Lucene and Elasticsearch.
            The two are different rankers.
        k1: saturation of term frequency, at least 0.
        b: weight of length normalisation, 0 to 1.
        epsilon: share of the average idf that replaces a negative idf (`okapi` only).
        analyser: `auto` is `jieba` for Chinese and mixed corpora, else `words`.
        search_mode: see `Analyser`.
        user_dictionary: see `Analyser`.
        stemmer: see `Analyser`.
        stop_words: see `Analyser`.
        fold_traditional: see `Analyser`.
        depth: most passages returned for a question.

    References:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009.
    """

    idf: Idf = "okapi"
    k1: float = 1.5
    b: float = 0.75
    epsilon: float = 0.25
    analyser: AnalyserName = "auto"
    search_mode: bool = False
    user_dictionary: str | None = None
    stemmer: str | None = None
    stop_words: tuple[str, ...] = ()
    fold_traditional: bool = False
    depth: int = 100

    def __post_init__(self) -> None:
        """Check ranges."""
        check_whole_number("depth", self.depth)
        check_stemmer("stemmer", self.stemmer)
        if not (math.isfinite(self.k1) and self.k1 >= 0):
            message = f"k1: found {self.k1!r}, expected a number of at least 0"
            raise ValueError(message)
        if not 0 <= self.b <= 1:
            message = f"b: found {self.b!r}, expected a number from 0 to 1"
            raise ValueError(message)
        if not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            message = f"epsilon: found {self.epsilon!r}, expected a number of at least 0"
            raise ValueError(message)
        if self.user_dictionary is not None and not Path(self.user_dictionary).is_file():
            message = f"user_dictionary: found {self.user_dictionary!r}, expected a file of words, one a line"
            raise ValueError(message)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the result."""
        return ("numpy", *self._analyser().libraries)

    def resolved(self, language: str) -> Self:
        """The same with the analyser that `auto` stands for."""
        return replace(self, analyser=analyser_for(language)) if self.analyser == "auto" else self

    def fingerprint(self) -> Mapping[str, object]:
        """Digest of the user dictionary's content, where there is one."""
        return {} if self.user_dictionary is None else {"user_dictionary": digest_file(Path(self.user_dictionary))}

    def index(self, passages: Passages, cache: ArrayCache) -> "Bm25Index":
        """Tokenise the corpus once per text and analyser, and weigh the postings."""
        texts = passages.texts
        analyser = self._analyser()
        key = {
            "what": "postings",
            "analyser": repr(analyser),
            "libraries": library_versions(self.libraries),
            "dictionary": dict(self.fingerprint()),
            "texts": digest_texts(texts),
        }
        postings = Postings.of(cache.arrays(key, lambda: tokenise(texts, analyser.tokens)))
        warning = segmentation_warning(analyser.name, texts)
        return Bm25Index(self, postings, analyser.tokens, (warning,) if warning else ())

    def _analyser(self) -> Analyser:
        return Analyser(
            name=self.analyser,
            search_mode=self.search_mode,
            user_dictionary=self.user_dictionary,
            stemmer=self.stemmer,
            stop_words=self.stop_words,
            fold_traditional=self.fold_traditional,
        )


class AnalysedToken(NamedTuple):
    """A token of a question.

    Args:
        token: as the analyser gives it.
        known: whether any passage holds it.
        floored: whether its idf is 0 or was raised to the floor, since half of the passages or more hold it.
    """

    token: str
    known: bool
    floored: bool


class Bm25Index:
    """A corpus ready for BM25."""

    def __init__(
        self,
        settings: Bm25,
        postings: Postings,
        tokens: Callable[[str], list[str]],
        warnings: tuple[str, ...],
    ) -> None:
        """Keep what a search needs."""
        self.settings = settings
        self.postings = postings
        self.tokens = tokens
        self.warnings = warnings

    @cached_property
    def _idf(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        return self.postings.token_idf(self.settings)

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        return self.postings.weights(self.settings, self._idf[0])

    def analysed(self, text: str) -> list[AnalysedToken]:
        """Tokens of a question in order, and what the corpus makes of each."""
        rows = [(token, self.postings.vocabulary.get(token, EMPTY)) for token in self.tokens(text)]
        return [AnalysedToken(token, row != EMPTY, row != EMPTY and bool(self._idf[1][row])) for token, row in rows]

    def search(self, queries: Queries, visible: Visibility) -> StageResult:
        """Rank, for every question, the visible passages that hold at least one of its tokens.

        A hit is a hit whatever the sign of its score; a question without a known token gets nothing.
        """
        depth = min(self.settings.depth, self.postings.lengths.size)
        passages = np.full((len(queries), depth), EMPTY, dtype=np.int32)
        scores = np.full((len(queries), depth), np.nan)
        unknown = floored = total = without = 0
        for row, text in enumerate(queries.texts):
            found = [self.postings.vocabulary.get(token, EMPTY) for token in self.tokens(text)]
            known = [token for token in found if token != EMPTY]
            total += len(found)
            unknown += len(found) - len(known)
            floored += int(self._idf[1][known].sum())
            without += not known
            hits, hit_scores = self._best(known, visible.mask(row), depth)
            passages[row, : hits.size] = hits
            scores[row, : hits.size] = hit_scores
        facts: dict[str, object] = {
            "depth_asked": self.settings.depth,
            "depth_served": depth,
            "n_query_tokens": total,
            "n_query_tokens_unknown": unknown,
            "n_query_tokens_of_zero_or_floored_idf": floored,
            "n_queries_without_known_token": without,
            "warnings": list(self.warnings),
        }
        return StageResult(Rankings.from_order(passages, scores), facts)

    def _best(
        self, token_rows: Sequence[int], mask_N: NDArray[np.bool_], depth: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rows and scores of the best hits, by the tie rule."""
        postings = self.postings
        scores_N = np.zeros(postings.lengths.size)
        lists = [slice(postings.indptr[token], postings.indptr[token + 1]) for token in token_rows]
        for held in lists:  # in query order, repeats included, as the sum is defined
            scores_N[postings.passages[held]] += self._weights[held]
        hits = np.flatnonzero((scores_N > 0) & mask_N)
        if hits.size < depth:  # a hit may have a score of 0 or less
            touched_N = np.zeros(scores_N.size, dtype=bool)
            for held in lists:
                touched_N[postings.passages[held]] = True
            hits = np.flatnonzero(touched_N & mask_N)
        found = scores_N[hits]
        if hits.size > depth:
            least = np.partition(found, hits.size - depth)[hits.size - depth]
            near = found >= least
            hits, found = hits[near], found[near]
        order = np.lexsort((hits, -found))[:depth]
        return hits[order], found[order]
