"""Dense retrieval: a bi-encoder and exact search.

Legend: Q questions, R requests (a question's text with a view), K columns, N passages, U distinct
passage texts, B texts in a block, d dimensions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages
from rag_ablation.core.digest import digest_texts
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.visibility import Visibility
from rag_ablation.stages._encoder import LIBRARIES, Encoder, blas_limited, sorted_unique
from rag_ablation.stages._exact import ExactSearch
from rag_ablation.stages._models import DENSE, check_model_name, locate, resolve_auto
from rag_ablation.stages._prompts import check_prompts, chosen_prompts, warnings_for_texts
from rag_ablation.stages._weights import weights_of
from rag_ablation.stages.base import ArrayCache, Arrays, check_whole_number, library_versions

LAYOUT = 1
SHOWN_TRUNCATED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTransformersRetriever:
    """Cosine similarity of sentence-transformers vectors, searched exactly.

    Args:
        model: `minilm` (English), `e5_small` (Chinese and others), a hub name, a folder, or `auto`,
            which is `minilm` for an English dataset and `e5_small` for any other.
        query_prompt: put before every question; `auto` is the model's own, "" is none.
        document_prompt: put before every passage; the same.
        max_length: tokens read of a text, prompt included; None is the model's own limit.
        depth: most passages returned for a question.
        batch_size: texts encoded in one pass.
        threads: threads of encoding and search.

    References:
        Reimers and Gurevych, Sentence-BERT, 2019.
    """

    model: str = "auto"
    query_prompt: str = "auto"
    document_prompt: str = "auto"
    max_length: int | None = None
    depth: int = 100
    batch_size: int = 32
    threads: int = 2

    def __post_init__(self) -> None:
        """Check values."""
        check_model_name(self.model)
        check_prompts(self.query_prompt, self.document_prompt)
        if self.max_length is not None:
            check_whole_number("max_length", self.max_length)
        for field in ("depth", "batch_size", "threads"):
            check_whole_number(field, getattr(self, field))

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the result."""
        return LIBRARIES

    def resolved(self, language: str) -> Self:
        """The same with the model that `auto` stands for."""
        return replace(self, model=resolve_auto(self.model, language))

    def fingerprint(self) -> Mapping[str, object]:
        """Name of the model, with the digest of its files or its revision.

        Raises:
            ModelError: the model cannot be had.
        """
        return locate(self.model, DENSE).fingerprint

    def model_weights(self) -> Mapping[str, str]:
        """Name, kind and digest of the files that are loaded.

        Raises:
            ModelError: the model cannot be had.
        """
        return weights_of(locate(self.model, DENSE))

    def index(self, passages: Passages, cache: ArrayCache) -> "DenseIndex":
        """Encode each distinct text once, unless the cache holds the vectors; the model loads only then.

        Raises:
            ModelError: the model cannot be had.
        """
        located = locate(self.model, DENSE)
        prompts, warnings = chosen_prompts(located, self.query_prompt, self.document_prompt)
        encoder = Encoder(
            model=located,
            prompts=prompts,
            max_length=self.max_length,
            batch_size=self.batch_size,
            threads=self.threads,
        )
        texts, rows = sorted_unique(passages.texts)
        key = {
            "what": "passage embeddings",
            "layout": LAYOUT,
            "model": located.fingerprint,
            "prompt": prompts.document,
            "max_length": self.max_length,
            "batch_size": self.batch_size,
            "threads": self.threads,
            "libraries": library_versions(self.libraries),
            "texts": digest_texts(texts),
        }
        arrays = cache.arrays(key, lambda: _embed(encoder, texts))
        return DenseIndex(self, encoder, passages, rows, arrays, (*warnings, *warnings_for_texts(located, texts)))


def question_vectors(texts: Sequence[str], model: str, language: str) -> NDArray[np.float32]:
    """Questions as unit vectors, each distinct text encoded once.

    Args:
        texts: (T,) as asked.
        model: as `model` of the retriever.
        language: by which `auto` chooses.

    Returns:
        (T, d) float32.

    Raises:
        ModelError: the model cannot be had.
    """
    settings = SentenceTransformersRetriever(model=model).resolved(language)
    located = locate(settings.model, DENSE)
    prompts, _ = chosen_prompts(located, settings.query_prompt, settings.document_prompt)
    encoder = Encoder(
        model=located, prompts=prompts, max_length=None, batch_size=settings.batch_size, threads=settings.threads
    )
    distinct, rows = sorted_unique(texts)
    vectors = np.asarray(encoder.encode_queries(distinct).vectors, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray((vectors / np.maximum(lengths, np.finfo(np.float32).tiny))[rows])


def _embed(encoder: Encoder, texts: list[str]) -> Arrays:
    encoded = encoder.encode_documents(texts)
    limit = np.array([encoder.limit_tokens], dtype=np.int64)
    return {"vectors": encoded.vectors, "tokens": encoded.tokens, "limit": limit}


class DenseIndex:
    """A corpus ready for dense retrieval.

    Args:
        settings: the retriever's.
        encoder: encodes questions; its model loads at the first search.
        passages: (N,) the corpus.
        rows: (N,) row of each passage's text.
        arrays: `vectors` (U, d) float32, `tokens` (U,) and `limit` (1,).
        warnings: sentences for the run.
    """

    def __init__(
        self,
        settings: SentenceTransformersRetriever,
        encoder: Encoder,
        passages: Passages,
        rows: NDArray[np.int64],
        arrays: Arrays,
        warnings: tuple[str, ...],
    ) -> None:
        """Keep what a search needs."""
        self.settings = settings
        self.encoder = encoder
        self.passages = passages
        self.rows = rows
        self.limit = int(arrays["limit"][0])
        self.tokens = np.asarray(arrays["tokens"], dtype=np.int32)
        self.warnings = warnings
        self.exact = ExactSearch(np.ascontiguousarray(arrays["vectors"], dtype=np.float32), rows)

    def search(self, queries: Queries, visible: Visibility) -> StageResult:
        """Rank the visible passages by cosine similarity; what a question may not see is never a candidate.

        Scores of a question can differ in the last bits when it is asked among others.

        Raises:
            ModelError: the model cannot be loaded.
        """
        depth = min(self.settings.depth, len(self.passages))
        texts, text_rows = sorted_unique(queries.texts)
        if not texts or not depth:
            return StageResult(Rankings.empty(len(queries)), self._facts(depth, 0))
        encoded = self.encoder.encode_queries(texts)
        with blas_limited(self.settings.threads):
            rankings = self.exact.top(encoded.vectors, text_rows, visible, depth)
        cut = encoded.tokens > self.limit
        return StageResult(rankings, self._facts(depth, int(np.count_nonzero(cut[text_rows]))))

    @cached_property
    def _truncated(self) -> NDArray[np.int64]:
        return np.flatnonzero((self.tokens > self.limit)[self.rows]).astype(np.int64)

    def _facts(self, depth: int, n_queries_truncated: int) -> dict[str, object]:
        ids = [self.passages.rows[row].id for row in self._truncated[:SHOWN_TRUNCATED].tolist()]
        return {
            "depth_asked": self.settings.depth,
            "depth_served": depth,
            "n_passages_truncated": int(self._truncated.size),
            "truncated_ids": ids,
            "n_queries_truncated": n_queries_truncated,
            "limit_tokens": self.limit,
            "prompts": self.encoder.prompts._asdict(),
            "warnings": list(self.warnings),
        }
