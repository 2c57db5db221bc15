"""What every retriever must do, whatever its model."""

import numpy as np
import pytest

from rag_ablation.core.corpus import Passages
from rag_ablation.core.visibility import Access, Visibility, visibility
from rag_ablation.stages.base import NoCache, Retriever
from tests import builders

TEXTS = {"p1": "red cat", "p2": "blue dog sun", "p3": "red cat", "p4": "green fish moon", "p5": "red sun"}
ASKED = {"q1": "red cat", "q2": "green fish", "q3": "red cat", "q4": "sun"}


class RetrieverContract:
    """Inherit, and give a fixture `make`: a function from depth to a retriever."""

    @pytest.fixture
    def corpus(self) -> Passages:
        return builders.passages(TEXTS)

    def search(self, retriever: Retriever, corpus: Passages, asked=None, seen: Visibility | None = None):
        questions = builders.queries(asked or ASKED)
        index = retriever.index(corpus, NoCache())
        return index.search(questions, seen or builders.see_all(corpus, questions))

    def test_it_returns_at_most_its_depth(self, make, corpus):
        assert self.search(make(2), corpus).rankings.passages.shape == (4, 2)

    def test_a_depth_above_the_corpus_returns_the_corpus(self, make, corpus):
        result = self.search(make(99), corpus)
        assert result.rankings.passages.shape[1] <= len(corpus)
        assert (result.facts["depth_asked"], result.facts["depth_served"]) == (99, len(corpus))

    def test_a_smaller_depth_is_the_head_of_a_larger_one(self, make, corpus):
        deep, shallow = self.search(make(5), corpus), self.search(make(3), corpus)
        np.testing.assert_array_equal(shallow.rankings.passages, deep.rankings.passages[:, :3])

    def test_equal_texts_tie_exactly_and_the_id_decides(self, make, corpus):
        result = self.search(make(5), corpus)
        order, scores = result.rankings.passages[0].tolist(), result.rankings.scores[0]
        assert scores[order.index(0)] == scores[order.index(2)]
        assert order.index(0) < order.index(2)

    def test_equal_questions_get_equal_rankings(self, make, corpus):
        rankings = self.search(make(5), corpus).rankings
        np.testing.assert_array_equal(rankings.passages[0], rankings.passages[2])
        np.testing.assert_array_equal(rankings.scores[0], rankings.scores[2])

    def test_the_same_again_gives_the_same_bits(self, make, corpus):
        assert self.search(make(5), corpus).rankings.digest() == self.search(make(5), corpus).rankings.digest()

    def test_the_names_of_questions_do_not_matter(self, make, corpus):
        renamed = {f"q{9 - number}": text for number, text in enumerate(ASKED.values())}
        one, other = self.search(make(5), corpus).rankings, self.search(make(5), corpus, renamed).rankings
        np.testing.assert_array_equal(other.passages[::-1], one.passages)
        np.testing.assert_array_equal(other.scores[::-1], one.scores)

    def test_what_may_not_be_seen_is_no_candidate(self, make):
        corpus = Passages(
            tuple(
                builders.passage(id, text, acl=["staff"] if id in {"p2", "p4"} else ["finance"])
                for id, text in TEXTS.items()
            )
        )
        questions = builders.queries(ASKED, identity="staff")
        seen = visibility(corpus, questions, Access(identities={}))
        rankings = make(1).index(corpus, NoCache()).search(questions, seen).rankings
        assert seen.violations(rankings.passages) == 0
        everything = (
            make(5).index(corpus, NoCache()).search(questions, builders.see_all(corpus, builders.queries(ASKED)))
        )
        for row in range(len(questions)):
            allowed = [p for p in everything.rankings.passages[row].tolist() if p in {1, 3}]
            assert [p for p in rankings.passages[row].tolist() if p >= 0] == allowed[:1]

    def test_no_questions_and_no_passages_are_fine(self, make, corpus):
        nobody = builders.queries({})
        index = make(3).index(corpus, NoCache())
        assert len(index.search(nobody, builders.see_all(corpus, nobody)).rankings.passages) == 0
        nothing = Passages(())
        questions = builders.queries({"q": "red"})
        found = make(3).index(nothing, NoCache()).search(questions, builders.see_all(nothing, questions))
        assert found.rankings.passages.shape == (1, 0)
