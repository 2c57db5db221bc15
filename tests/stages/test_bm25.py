import json
import math
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from rag_ablation.core.corpus import Passages
from rag_ablation.core.visibility import Access, visibility
from rag_ablation.stages._postings import Postings, tokenise
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.bm25 import Bm25, Bm25Index
from tests.builders import passage, passages, queries, see_all

CASES = Path(__file__).parent.parent / "cases"
WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9)


def index_of(documents: list[list[str]], settings: Bm25) -> Bm25Index:
    texts = [" ".join(tokens) for tokens in documents]
    return Bm25Index(settings, Postings.of(tokenise(texts, str.split)), str.split, ())


def corpus_of(documents: list[list[str]]) -> Passages:
    return passages({f"{row:03}": " ".join(tokens) for row, tokens in enumerate(documents)})


def search(settings: Bm25, texts: dict[str, str], query: str) -> tuple[list[str], list[float]]:
    corpus, questions = passages(texts), queries({"q": query})
    found = settings.index(corpus, NoCache()).search(questions, see_all(corpus, questions)).rankings
    length = int(found.lengths[0])
    return [corpus.ids[row] for row in found.passages[0, :length]], found.scores[0, :length].tolist()


def case(name: str) -> tuple[dict[str, str], dict[str, str]]:
    def read(file: str) -> dict[str, str]:
        lines = (CASES / name / file).read_text(encoding="utf-8").splitlines()
        return {record["_id"]: record["text"] for record in map(json.loads, filter(None, lines))}

    return read("corpus.jsonl"), read("queries.jsonl")


@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(st.sampled_from("abcdefghz"), min_size=1, max_size=5))
def test_okapi_scores_are_those_of_rank_bm25_to_the_last_bit(documents: list[list[str]], query: list[str]) -> None:
    corpus, questions = (
        passages({f"{row:03}": " ".join(d) for row, d in enumerate(documents)}),
        queries({"q": " ".join(query)}),
    )
    found = index_of(documents, Bm25()).search(questions, see_all(corpus, questions)).rankings
    expected = BM25Okapi(documents).get_scores(query)
    for row, score in zip(found.passages[0], found.scores[0], strict=True):
        if row >= 0:
            assert score == expected[row]


@given(st.lists(WORDS, min_size=1, max_size=12), st.lists(st.sampled_from("abcdefghz"), min_size=1, max_size=5))
def test_a_hit_holds_a_query_token_and_every_passage_that_does_is_a_hit(
    documents: list[list[str]], query: list[str]
) -> None:
    corpus, questions = (
        passages({f"{row:03}": " ".join(d) for row, d in enumerate(documents)}),
        queries({"q": " ".join(query)}),
    )
    found = index_of(documents, Bm25()).search(questions, see_all(corpus, questions)).rankings
    holding = {row for row, tokens in enumerate(documents) if set(tokens) & set(query)}
    assert {int(row) for row in found.passages[0] if row >= 0} == holding


def test_lucene_scores_are_those_of_bm25s() -> None:
    rng = np.random.default_rng(0)
    documents = [[f"w{word}" for word in rng.integers(0, 40, 12)] for _ in range(60)]
    settings = Bm25(idf="lucene", k1=1.2, b=0.6, depth=60)
    reference = bm25s.BM25(method="lucene", k1=1.2, b=0.6)
    reference.index(documents, show_progress=False)
    corpus = corpus_of(documents)
    questions = queries({"q": "w1 w5 w9"})
    found = index_of(documents, settings).search(questions, see_all(corpus, questions)).rankings
    expected = reference.get_scores(["w1", "w5", "w9"])
    rows = found.passages[0][found.passages[0] >= 0]
    assert np.allclose(found.scores[0][: rows.size], expected[rows], atol=1e-5)


def test_a_term_in_half_of_the_passages_is_still_a_hit() -> None:
    corpus, questions = case("04-bm25-term-in-half-the-corpus")
    hits, scores = search(Bm25(analyser="jieba"), corpus, questions["q1"])
    assert hits == ["m1", "m2"]
    assert scores == [0.0, 0.0]
    hits, scores = search(Bm25(analyser="jieba", idf="lucene"), corpus, questions["q1"])
    assert sorted(hits) == ["m1", "m2"]
    assert min(scores) > 0


def test_a_question_without_a_known_token_gets_nothing_and_is_counted() -> None:
    texts, asked = case("05-bm25-no-known-token")
    corpus, questions = passages(texts), queries(asked)
    found = Bm25(analyser="jieba").index(corpus, NoCache()).search(questions, see_all(corpus, questions))
    assert found.rankings.lengths[0] == 0
    assert corpus.ids[found.rankings.passages[1, 0]] == "d5"
    assert found.facts["n_queries_without_known_token"] == 1


def test_depth_beyond_the_corpus_returns_the_corpus_and_says_so() -> None:
    texts, asked = case("06-k-larger-than-corpus")
    corpus, questions = passages(texts), queries(asked)
    found = Bm25(analyser="jieba", depth=10).index(corpus, NoCache()).search(questions, see_all(corpus, questions))
    assert found.rankings.passages.shape[1] == 3
    assert (found.facts["depth_asked"], found.facts["depth_served"]) == (10, 3)


def test_chinese_is_matched_by_words_with_the_default_analyser() -> None:
    corpus, questions = case("07-chinese-without-spaces")
    hits, scores = search(Bm25().resolved("zh"), corpus, questions["q1"])
    assert hits == ["a"]
    assert scores[0] > 0


def test_white_space_tokens_over_chinese_text_warn() -> None:
    corpus, _ = case("07-chinese-without-spaces")
    index = Bm25(analyser="words").index(passages(corpus), NoCache())
    assert "analyser 'words'" in index.warnings[0]


def test_the_filter_acts_before_the_cut() -> None:
    corpus = Passages(
        (
            passage("f1", "taxi taxi", acl=["finance"]),
            passage("f2", "taxi", acl=["finance"]),
            passage("s1", "taxi rides", acl=["staff"]),
        )
    )
    questions = queries({"q": "taxi"})
    seen = visibility(corpus, questions, Access(identity="staff", identities={}))
    found = Bm25(analyser="words", depth=1).index(corpus, NoCache()).search(questions, seen).rankings
    assert [corpus.ids[row] for row in found.passages[0]] == ["s1"]


def test_equal_texts_tie_exactly_and_the_id_decides() -> None:
    hits, scores = search(Bm25(analyser="words"), {"b": "red fox", "a": "red fox", "c": "blue"}, "fox")
    assert hits == ["a", "b"]
    assert scores[0] == scores[1]


def test_the_weight_of_one_token_is_the_formula() -> None:
    hits, scores = search(Bm25(analyser="words"), {"a": "x y", "b": "y z z z", "c": "z"}, "x")
    idf = math.log(3 - 1 + 0.5) - math.log(1 + 0.5)
    assert hits == ["a"]
    assert scores == [idf * (1 * (1.5 + 1) / (1 + 1.5 * (1 - 0.75 + 0.75 * 2 / (7 / 3))))]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"b": 1.5}, "b: found 1.5"), ({"k1": -1.0}, "k1: found -1.0"), ({"depth": 0}, "depth: found 0")],
)
def test_settings_out_of_range_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bm25(**settings)  # type: ignore[arg-type]


def test_a_corpus_without_any_token_gives_nothing() -> None:
    assert search(Bm25(analyser="words"), {"a": "…", "b": "—"}, "x") == ([], [])


def test_a_stemmer_that_is_no_language_of_snowball_is_refused_with_those_that_are() -> None:
    with pytest.raises(ValueError, match=r"stemmer: found 'none', expected one of: .*english"):
        Bm25(stemmer="none")
