"""Reranking by late interaction: every token of the question meets every token of the passage.

Legend: U distinct pairs of texts, a tokens of a question, b tokens of a passage, d dimensions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.stages._encoder import LIBRARIES, count_tokens, load_bi_encoder, threads_limited, tokenizable
from rag_ablation.stages._models import LATE_INTERACTION, LocatedModel, check_model_name, locate, resolve_auto
from rag_ablation.stages._prompts import Prompts, check_prompts, chosen_prompts, warnings_for_texts
from rag_ablation.stages._rerank import Pool, apply_scores, check_scores, check_tail, pool_of
from rag_ablation.stages._weights import weights_of
from rag_ablation.stages.base import ArrayCache, check_whole_number

SHOWN_TRUNCATED = 50
SHARD = 1024
KEPT_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LateInteractionReranker:
    """MaxSim over the token vectors of a dense model: the mean, over the question's tokens, of the best cosine.

    It needs no model beside the dense one and is no cross-encoder.

    Args:
        model: as for the dense retriever; `auto` is the dense slot's model where that is filled.
        depth: passages of each ranking that are rescored.
        keep_tail: whether the rest stays below, in its order, or is dropped.
        query_prompt: put before every question; `auto` is the model's own, "" is none.
        document_prompt: put before every passage; the same.
        max_length: tokens read of a text, prompt included; None is the model's own limit.
        batch_size: texts encoded in one pass.
        threads: threads of the computation.

    References:
        Khattab and Zaharia, ColBERT, 2020.
    """

    model: str = "auto"
    depth: int = 50
    keep_tail: bool = True
    query_prompt: str = "auto"
    document_prompt: str = "auto"
    max_length: int | None = None
    batch_size: int = 32
    threads: int = 2

    def __post_init__(self) -> None:
        """Check values."""
        check_model_name(self.model)
        check_tail(self.keep_tail)
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
            ModelError: the model cannot be had, or is no bi-encoder.
        """
        return locate(self.model, LATE_INTERACTION).fingerprint

    def model_weights(self) -> Mapping[str, str]:
        """Name, kind and digest of the files that are loaded.

        Raises:
            ModelError: the model cannot be had, or is no bi-encoder.
        """
        return weights_of(locate(self.model, LATE_INTERACTION))

    def prepare(self, passages: Passages, cache: ArrayCache) -> "LateInteractionPairs":
        """Find the model; it loads with the first pair.

        Raises:
            ModelError: the model cannot be had, or is no bi-encoder.
        """
        del cache  # token vectors are a hundred times the size of passage vectors
        return LateInteractionPairs(self, locate(self.model, LATE_INTERACTION), passages)


class Scored(NamedTuple):
    """Scores of distinct pairs, and what was done for them.

    Args:
        scores: (U,) float64.
        cut: (U,) whether the passage or the question was longer than the model reads.
        n_passages_encoded: distinct passage texts encoded in this call.
        limit: tokens that are read of a text.
    """

    scores: NDArray[np.float64]
    cut: NDArray[np.bool_]
    n_passages_encoded: int
    limit: int | None


class LateInteractionPairs:
    """A corpus ready for late interaction; it keeps the token vectors of passages it has met.

    Up to `KEPT_BYTES` are kept, so that a question asked later finds its passages warm. Which
    passages share a batch depends on what was met before, and with it the last bits of a score.

    Args:
        settings: the reranker's.
        model: the bi-encoder.
        passages: (N,) the corpus.
    """

    def __init__(self, settings: LateInteractionReranker, model: LocatedModel, passages: Passages) -> None:
        """Keep what scoring needs."""
        self.settings = settings
        self.model = model
        self.passages = passages
        self.texts = passages.texts
        self.prompts, warnings = chosen_prompts(model, settings.query_prompt, settings.document_prompt)
        self.warnings = [*warnings, *warnings_for_texts(model, self.texts)]
        self._kept: dict[str, TokenVectors] = {}
        self._kept_bytes = 0

    def rerank(self, rankings: Rankings, queries: Queries) -> StageResult:
        """Score each distinct pair of texts of the heads once, and reorder the heads.

        Raises:
            StageError: a score is not finite.
            ModelError: the model cannot be loaded.
        """
        settings = self.settings
        pool = pool_of(rankings, settings.depth, queries.texts, self.texts)
        scored = self._score(pool)
        scores = pool.scatter(scored.scores)
        check_scores(pool, scores, self.model.name, queries.ids, self.passages.ids)
        n_truncated, cut_rows = pool.truncated(scored.cut)
        facts: dict[str, object] = {
            "n_pairs": pool.n_pairs,
            "n_pairs_scored": len(pool.pairs),
            "n_truncated": n_truncated,
            "truncated_ids": [self.passages.rows[row].id for row in cut_rows[:SHOWN_TRUNCATED]],
            "limit_tokens": scored.limit,
            "rerank_depth": settings.depth,
            "n_passages_encoded": scored.n_passages_encoded,
            "prompts": self.prompts._asdict(),
            "warnings": list(self.warnings),
        }
        return StageResult(apply_scores(rankings, settings.depth, scores, keep_tail=settings.keep_tail), facts)

    def _score(self, pool: Pool) -> Scored:
        """Passage by passage in shards, so that memory holds one shard beside what is kept."""
        n_pairs = len(pool.pairs)
        scores, cut = np.full(n_pairs, np.nan), np.zeros(n_pairs, dtype=bool)
        if not n_pairs:
            return Scored(scores, cut, 0, None)
        encoder = TokenEncoder(self.settings, self.model, self.prompts)
        n_encoded = 0
        with threads_limited(self.settings.threads):
            queries = encoder.encode(pool.query_texts, query=True)
            by_passage = np.argsort(pool.pairs[:, 1], kind="stable")
            passage_rows = pool.pairs[by_passage, 1]
            for start in range(0, len(pool.passage_texts), SHARD):
                texts = pool.passage_texts[start : start + SHARD]
                missing = [text for text in texts if text not in self._kept]
                fresh = dict(zip(missing, encoder.encode(missing, query=False), strict=True))
                n_encoded += len(missing)
                first, last = np.searchsorted(passage_rows, [start, start + SHARD])
                for pair in by_passage[first:last].tolist():
                    query_row, passage_row = pool.pairs[pair].tolist()
                    text = pool.passage_texts[passage_row]
                    passage = fresh[text] if text in fresh else self._kept[text]
                    scores[pair] = max_sim(queries[query_row].vectors, passage.vectors)
                    cut[pair] = queries[query_row].cut or passage.cut
                self._keep(fresh)
        return Scored(scores, cut, n_encoded, encoder.limit)

    def _keep(self, fresh: Mapping[str, "TokenVectors"]) -> None:
        for text, found in fresh.items():
            if self._kept_bytes + found.vectors.nbytes > KEPT_BYTES:
                return
            self._kept[text] = found
            self._kept_bytes += found.vectors.nbytes


def max_sim(query_ad: NDArray[np.float32], passage_bd: NDArray[np.float32]) -> float:
    """Mean over the question's tokens of the best cosine to a token of the passage.

    One pair at a time, so that a score does not depend on what else is scored.

    Args:
        query_ad: (a, d) vectors of unit length.
        passage_bd: (b, d) the same.
    """
    return float((query_ad @ passage_bd.T).max(axis=1).mean(dtype=np.float64))


class TokenVectors(NamedTuple):
    """A text as the vectors of its tokens.

    Args:
        vectors: (tokens, d) float32, of unit length.
        cut: whether the text was longer than the model reads.
    """

    vectors: NDArray[np.float32]
    cut: bool


class TokenEncoder:
    """Texts to token vectors.

    Args:
        settings: the reranker's.
        model: the bi-encoder.
        prompts: put before every text.
    """

    def __init__(self, settings: LateInteractionReranker, model: LocatedModel, prompts: Prompts) -> None:
        """Load the model, if this process has not yet."""
        self.settings = settings
        self.prompts = prompts
        self.model = load_multi_vector(model, settings.max_length)
        self.limit = int(self.model.max_seq_length)

    def encode(self, texts: Sequence[str], *, query: bool) -> list[TokenVectors]:
        """Encode texts, in batches that depend on this list alone."""
        if not texts:
            return []
        prompt = self.prompts.query if query else self.prompts.document
        encode = self.model.encode_query if query else self.model.encode_document
        clean = [tokenizable(text) for text in texts]
        vectors = encode(
            clean,
            prompt=prompt,
            batch_size=self.settings.batch_size,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        tokens = count_tokens(self.model.tokenizer, [prompt + text for text in clean])
        cut = (tokens > self.limit).tolist()
        return [
            TokenVectors(np.ascontiguousarray(found, dtype=np.float32), was_cut)
            for found, was_cut in zip(vectors, cut, strict=True)
        ]


@lru_cache(maxsize=4)
def load_multi_vector(model: LocatedModel, max_length: int | None) -> Any:
    """The token vectors of a bi-encoder, without the random projection that loading its folder would add.

    Raises:
        ModelError: it cannot be loaded.
    """
    from sentence_transformers import MultiVectorEncoder  # noqa: PLC0415
    from sentence_transformers.base.modules import Normalize  # noqa: PLC0415
    from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask  # noqa: PLC0415

    dense = load_bi_encoder(model, max_length)
    field = "token_embeddings"
    return MultiVectorEncoder(
        modules=[
            dense[0],
            MultiVectorMask(),
            Normalize(module_input_name=field, module_output_name=field),
        ],
        similarity_fn_name="meanmaxsim",
        device="cpu",
    )
