"""How well a sentence fits a question: by shared words, or by the cosine of two vectors."""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from rag_ablation.core.digest import digest_texts
from rag_ablation.stages._analysers import Analyser
from rag_ablation.stages._encoder import Encoder, blas_limited, sorted_unique
from rag_ablation.stages._postings import tokenise
from rag_ablation.stages.base import ArrayCache, Arrays, library_versions

Scorer = Callable[[str, Sequence[str]], list[float]]
"""From a question and sentences to a score of each."""

LAYOUT = 1
DIGITS = 6


def overlap_scorer(texts: Sequence[str], analyser: Analyser, cache: ArrayCache) -> Scorer:
    """Share of a question's words that a sentence holds, each weighing log(1 + N / n).

    N is the number of passages and n the number of those that hold the word; a word that none holds weighs as if half
    a passage did. From 0 (no shared word) to 1 (all of them).

    Args:
        texts: (N,) of the corpus.
        analyser: what makes words of a text.
        cache: where the counts of the corpus are kept.
    """
    key = {
        "what": "document frequencies",
        "layout": LAYOUT,
        "analyser": repr(analyser),
        "libraries": library_versions(analyser.libraries),
        "texts": digest_texts(texts),
    }
    arrays = cache.arrays(key, lambda: _frequencies(texts, analyser))
    words = arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
    holders = dict(zip(words, arrays["holders"].tolist(), strict=True)) if arrays["words"].size else {}
    tokens = lru_cache(maxsize=None)(lambda text: frozenset(analyser.tokens(text)))

    def scores(question: str, sentences: Sequence[str]) -> list[float]:
        wanted = sorted(tokens(question))
        weight = {token: math.log1p(len(texts) / holders.get(token, 0.5)) for token in wanted}
        whole = math.fsum(weight.values())
        if not whole:
            return [0.0] * len(sentences)
        return [math.fsum(weight[token] for token in wanted if token in tokens(one)) / whole for one in sentences]

    return scores


def embedding_scorer(sentences: Sequence[str], questions: Sequence[str], encoder: Encoder, cache: ArrayCache) -> Scorer:
    """Cosine of a question's and a sentence's vector, from −1 to 1, to six digits.

    Every sentence of the corpus is encoded once, so that it has the same vector in every arm.

    Args:
        sentences: all that may be scored.
        questions: all that may be asked.
        encoder: the model with its prompts.
        cache: where the vectors are kept.

    Raises:
        ModelError: the model cannot be had.
    """
    texts, _ = sorted_unique(sentences)
    asked, _ = sorted_unique(questions)
    vectors = cache.arrays(
        _key(encoder, "sentence embeddings", encoder.prompts.document, texts),
        lambda: {"vectors": encoder.encode_documents(texts).vectors},
    )["vectors"]
    wanted = cache.arrays(
        _key(encoder, "question embeddings", encoder.prompts.query, asked),
        lambda: {"vectors": encoder.encode_queries(asked).vectors},
    )["vectors"]
    row_of = {text: row for row, text in enumerate(texts)}
    asked_row = {text: row for row, text in enumerate(asked)}

    def scores(question: str, these: Sequence[str]) -> list[float]:
        if not these:
            return []
        with blas_limited(encoder.threads):
            products = vectors[[row_of[one] for one in these]].astype(np.float64) @ wanted[asked_row[question]]
        return [round(float(value), DIGITS) for value in products]

    return scores


def _frequencies(texts: Sequence[str], analyser: Analyser) -> Arrays:
    postings = tokenise(texts, analyser.tokens)
    return {"words": postings["words"], "holders": np.diff(postings["indptr"])}


def _key(encoder: Encoder, what: str, prompt: str, texts: Sequence[str]) -> dict[str, object]:
    return {
        "what": what,
        "layout": LAYOUT,
        "model": encoder.model.fingerprint,
        "prompt": prompt,
        "max_length": encoder.max_length,
        "batch_size": encoder.batch_size,
        "threads": encoder.threads,
        "texts": digest_texts(texts),
    }
