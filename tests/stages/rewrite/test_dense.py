"""A dense model's vectors can differ in the last bits with what else is in a batch: rewriting must not let them."""

import numpy as np

from rag_ablation.stages._joining import Wanted, search_texts
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.dense import SentenceTransformersRetriever
from tests import builders

CORPUS = builders.passages({f"p{row}": text for row, text in enumerate(["red cat", "blue dog sun", "green fish moon"])})
ASKED = builders.queries({"q1": "cat", "q2": "green fish under a moon and a star", "q3": "sun"})


def test_questions_that_are_not_rewritten_keep_their_scores_to_the_bit_beside_those_that_are(bi_encoder: str) -> None:
    retriever = SentenceTransformersRetriever(model=bi_encoder, query_prompt="", document_prompt="")
    index = retriever.index(CORPUS, NoCache())
    seen = builders.see_all(CORPUS, ASKED)
    plain = index.search(ASKED, seen).rankings
    texts = (("cat",), ("fish", "green fish under a moon and a star", "moon star tea dog red"), ("sun",))
    found = search_texts(index, retriever.depth, Wanted(queries=ASKED, texts=texts, visible=seen)).rankings
    for row in (0, 2):
        np.testing.assert_array_equal(found.passages[row], plain.passages[row])
        np.testing.assert_array_equal(found.scores[row], plain.scores[row])
    mixed = (texts[0], texts[1][::-1], texts[2])
    again = search_texts(index, retriever.depth, Wanted(queries=ASKED, texts=mixed, visible=seen)).rankings
    assert again.digest() == found.digest()
