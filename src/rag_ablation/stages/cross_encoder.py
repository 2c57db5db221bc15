"""Reranking by a cross-encoder, which reads question and passage together.

Legend: U distinct pairs of texts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages
from rag_ablation.core.errors import ModelError
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.stages._encoder import (
    LIBRARIES,
    count_tokens,
    float32,
    quiet_loading,
    set_limit,
    threads_limited,
    tokenizable,
)
from rag_ablation.stages._models import (
    AUTO,
    CROSS_ENCODER,
    LocatedModel,
    check_model_name,
    is_english,
    locate,
)
from rag_ablation.stages._prompts import warnings_for_texts
from rag_ablation.stages._rerank import Pool, apply_scores, check_scores, check_tail, pool_of
from rag_ablation.stages._weights import check_at_rest, weights_of
from rag_ablation.stages.base import ArrayCache, check_whole_number

ENGLISH = "cross-encoder/ms-marco-MiniLM-L6-v2"
MULTILINGUAL = "BAAI/bge-reranker-v2-m3"
SHOWN_TRUNCATED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEncoderReranker:
    """The head of each ranking in the order of a cross-encoder's raw scores.

    Args:
        model: a hub name, a folder, or `auto`, which is `cross-encoder/ms-marco-MiniLM-L6-v2` for an
            English dataset and `BAAI/bge-reranker-v2-m3` for any other. No package carries one.
        depth: passages of each ranking that are rescored.
        keep_tail: whether the rest stays below, in its order, or is dropped.
        max_length: tokens read of a pair; None is the model's own limit.
        batch_size: pairs scored in one pass.
        threads: threads of the computation.

    References:
        Nogueira and Cho, Passage Re-ranking with BERT, 2019.
    """

    model: str = "auto"
    depth: int = 50
    keep_tail: bool = True
    max_length: int | None = None
    batch_size: int = 32
    threads: int = 2

    def __post_init__(self) -> None:
        """Check values."""
        check_model_name(self.model)
        check_tail(self.keep_tail)
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
        if self.model != AUTO:
            return self
        return replace(self, model=ENGLISH if is_english(language) else MULTILINGUAL)

    def fingerprint(self) -> Mapping[str, object]:
        """Name of the model, with the digest of its files or its revision.

        Raises:
            ModelError: the model cannot be had, or is no cross-encoder.
        """
        return locate(self.model, CROSS_ENCODER).fingerprint

    def model_weights(self) -> Mapping[str, str]:
        """Name, kind and digest of the files that are loaded.

        Raises:
            ModelError: the model cannot be had, or is no cross-encoder.
        """
        return weights_of(locate(self.model, CROSS_ENCODER))

    def prepare(self, passages: Passages, cache: ArrayCache) -> "CrossEncoderPairs":
        """Find the model; it loads with the first pair.

        Raises:
            ModelError: the model cannot be had, or is no cross-encoder.
        """
        del cache  # pairs are known only when there is a ranking
        return CrossEncoderPairs(self, locate(self.model, CROSS_ENCODER), passages)


class CrossEncoderPairs:
    """A corpus ready for a cross-encoder.

    Args:
        settings: the reranker's.
        model: the cross-encoder.
        passages: (N,) the corpus.
    """

    def __init__(self, settings: CrossEncoderReranker, model: LocatedModel, passages: Passages) -> None:
        """Keep what scoring needs."""
        self.settings = settings
        self.model = model
        self.passages = passages
        self.texts = passages.texts
        self.warnings = warnings_for_texts(model, self.texts)

    def rerank(self, rankings: Rankings, queries: Queries) -> StageResult:
        """Score each distinct pair of texts of the heads once, and reorder the heads.

        Raises:
            StageError: a score is not finite.
            ModelError: the model cannot be loaded, or gives more than one score for a pair.
        """
        settings = self.settings
        pool = pool_of(rankings, settings.depth, queries.texts, self.texts)
        scores_U, tokens_U, limit = self._score(pool)
        scores = pool.scatter(scores_U)
        check_scores(pool, scores, self.model.name, queries.ids, self.passages.ids)
        n_truncated, cut_rows = pool.truncated(tokens_U > (limit or 0))
        facts: dict[str, object] = {
            "n_pairs": pool.n_pairs,
            "n_pairs_scored": len(pool.pairs),
            "n_truncated": n_truncated,
            "truncated_ids": [self.passages.rows[row].id for row in cut_rows[:SHOWN_TRUNCATED]],
            "limit_tokens": limit,
            "rerank_depth": settings.depth,
            "warnings": list(self.warnings),
        }
        return StageResult(apply_scores(rankings, settings.depth, scores, keep_tail=settings.keep_tail), facts)

    def _score(self, pool: Pool) -> tuple[NDArray[np.float32], NDArray[np.int32], int | None]:
        """(U,) raw scores, (U,) tokens of each pair before any cut, and the limit; without pairs no model."""
        if not len(pool.pairs):
            return np.empty(0, dtype=np.float32), np.empty(0, dtype=np.int32), None
        import torch  # noqa: PLC0415

        model = load_cross_encoder(self.model, self.settings.max_length)
        queries = [tokenizable(pool.query_texts[row]) for row in pool.pairs[:, 0].tolist()]
        passages = [tokenizable(pool.passage_texts[row]) for row in pool.pairs[:, 1].tolist()]
        with threads_limited(self.settings.threads):
            scores = model.predict(
                list(zip(queries, passages, strict=True)),
                batch_size=self.settings.batch_size,
                activation_fn=torch.nn.Identity(),
                show_progress_bar=False,
                convert_to_numpy=True,
            )
            tokens = count_tokens(model.tokenizer, queries, passages)
        return np.asarray(scores, dtype=np.float32), tokens, int(model.max_seq_length)


@lru_cache(maxsize=2)
def load_cross_encoder(model: LocatedModel, max_length: int | None) -> Any:
    """A CrossEncoder in float32 on the CPU, from safetensors, without code from the model's folder.

    Raises:
        ModelError: it cannot be loaded, or gives more than one score for a pair.
    """
    from sentence_transformers import CrossEncoder  # noqa: PLC0415

    with quiet_loading(model):
        loaded = CrossEncoder(
            str(model.path),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs=float32(),
        )
    check_at_rest(model, model.path)
    if loaded.num_labels != 1:
        message = (
            f"model {model.name}: found {loaded.num_labels} labels, expected one score for a pair; "
            "a model that classifies pairs does not rank them"
        )
        raise ModelError(message)
    set_limit(loaded, model, max_length)
    return loaded
