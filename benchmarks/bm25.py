"""BM25 from postings beside rank-bm25, on the same tokens, after asserting equal scores.

python -m benchmarks.bm25 [PASSAGES]
"""

import sys

import numpy as np
from rank_bm25 import BM25Okapi

from benchmarks.clock import timed
from rag_ablation.core.corpus import Passage, Passages
from rag_ablation.core.queries import Queries, Query
from rag_ablation.core.visibility import Access, visibility
from rag_ablation.stages._postings import Postings, tokenise
from rag_ablation.stages.bm25 import Bm25, Bm25Index

WORDS, LENGTH, QUERY_LENGTH, QUERIES, REFERENCE_QUERIES = 30_000, 57, 8, 1_000, 20


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, WORDS + 1)
    words = [f"w{word}" for word in range(WORDS)]
    draw = rng.choice(WORDS, size=(count, LENGTH), p=weights / weights.sum())
    documents = [[words[word] for word in row] for row in draw]
    asked = [
        [words[word] for word in rng.choice(WORDS, QUERY_LENGTH, p=weights / weights.sum())] for _ in range(QUERIES)
    ]
    texts = [" ".join(tokens) for tokens in documents]
    corpus = Passages(
        tuple(Passage(id=f"{row:08}", title="", text=text, doc_id="d", metadata={}) for row, text in enumerate(texts))
    )
    queries = Queries(
        tuple(Query(id=f"{row:05}", text=" ".join(tokens), metadata={}) for row, tokens in enumerate(asked))
    )
    seen = visibility(corpus, queries, Access(identities={}))

    reference: list[BM25Okapi] = []
    ours: list[Bm25Index] = []
    built_reference = timed(lambda: reference.append(BM25Okapi(documents)))
    built = timed(lambda: ours.append(Bm25Index(Bm25(), Postings.of(tokenise(texts, str.split)), str.split, ())))
    found = ours[0].search(queries, seen).rankings
    for row in range(REFERENCE_QUERIES):
        expected = reference[0].get_scores(asked[row])
        if not np.array_equal(found.scores[row], expected[found.passages[row]]):
            raise SystemExit(f"question {row}: scores differ")
    searched_reference = timed(lambda: [reference[0].get_scores(tokens) for tokens in asked[:REFERENCE_QUERIES]])
    searched = timed(lambda: ours[0].search(queries, seen))
    per_reference = searched_reference.wall_s / REFERENCE_QUERIES
    print(f"{count} passages of {LENGTH} tokens, {QUERIES} questions of {QUERY_LENGTH}, top 100; equal, bit for bit")
    print(f"postings: {built}; rank-bm25: {built_reference} (ours splits the texts inside)")
    print(f"search:   {searched}; rank-bm25 for {REFERENCE_QUERIES} questions: {searched_reference}")
    print(f"ratio per question: {per_reference / (searched.wall_s / QUERIES):.0f}")


if __name__ == "__main__":
    main()
