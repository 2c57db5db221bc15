import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import ModelError
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.visibility import Access, Visibility, visibility
from rag_ablation.stages import _encoder, _exact
from rag_ablation.stages._exact import ExactSearch
from rag_ablation.stages._prompts import language_warning
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.dense import SentenceTransformersRetriever
from tests.contract.retriever import RetrieverContract
from tests.stages.conftest import (
    CountingCache,
    all_visible,
    case_corpus,
    case_questions,
    corpus_of,
    make_bi_encoder,
    questions_of,
)

TEXTS = {"p1": "red cat", "p2": "blue dog sun", "p3": "red cat", "p4": "green fish moon"}


def search(retriever, texts=TEXTS, asked=None, cache=None):
    passages, queries = corpus_of(texts), questions_of(asked or {"q1": "red cat sun"})
    return retriever.index(passages, cache or NoCache()).search(queries, all_visible(queries, passages))


class TestContract(RetrieverContract):
    @pytest.fixture
    def make(self, bi_encoder):
        return lambda depth: SentenceTransformersRetriever(model=bi_encoder, depth=depth)


def test_scores_are_cosines(bi_encoder):
    from sentence_transformers import SentenceTransformer

    result = search(SentenceTransformersRetriever(model=bi_encoder))
    model = SentenceTransformer(bi_encoder, device="cpu")
    vectors = model.encode_document(list(TEXTS.values()), normalize_embeddings=True)
    cosines = vectors @ model.encode_query(["red cat sun"], normalize_embeddings=True)[0]
    np.testing.assert_allclose(result.rankings.scores[0], cosines[result.rankings.passages[0]], atol=1e-5)


def test_a_warm_cache_embeds_no_passage(bi_encoder, monkeypatch):
    cache, retriever = CountingCache(), SentenceTransformersRetriever(model=bi_encoder)
    first = search(retriever, cache=cache)
    monkeypatch.setattr(_encoder.Encoder, "encode_documents", None)
    second = search(retriever, cache=cache)
    assert cache.computed == 1
    assert first.rankings.digest() == second.rankings.digest()
    assert first.facts == second.facts


def test_passages_under_new_ids_are_not_embedded_again(bi_encoder):
    cache, retriever = CountingCache(), SentenceTransformersRetriever(model=bi_encoder)
    search(retriever, cache=cache)
    search(retriever, {"z1": "blue dog sun", "z2": "red cat", "z3": "green fish moon"}, cache=cache)
    assert cache.computed == 1


@pytest.mark.parametrize("changed", [{"document_prompt": "tea "}, {"max_length": 4}, {"batch_size": 1}, {"threads": 1}])
def test_what_changes_vectors_changes_the_key(bi_encoder, changed):
    cache = CountingCache()
    search(SentenceTransformersRetriever(model=bi_encoder), cache=cache)
    search(SentenceTransformersRetriever(model=bi_encoder, **changed), cache=cache)
    assert cache.computed == 2


def test_what_changes_no_vector_keeps_the_key(bi_encoder):
    cache = CountingCache()
    search(SentenceTransformersRetriever(model=bi_encoder), cache=cache)
    search(SentenceTransformersRetriever(model=bi_encoder, depth=2, query_prompt="tea "), cache=cache)
    assert cache.computed == 1


def test_an_index_over_cached_vectors_loads_no_model(bi_encoder, monkeypatch):
    cache, retriever = CountingCache(), SentenceTransformersRetriever(model=bi_encoder)
    search(retriever, cache=cache)
    monkeypatch.setattr(_encoder, "load_bi_encoder", None)
    index = retriever.index(corpus_of(TEXTS), cache)
    nobody = questions_of({})
    assert index.search(nobody, all_visible(nobody, corpus_of(TEXTS))).facts["limit_tokens"] == 64


def test_cut_texts_are_counted_and_named(bi_encoder):
    texts = {f"p{n:02}": f"red {'cat ' * 99}{n % 2}" for n in range(30)} | {"s": "sun"}
    asked = {"q1": "red " * 99, "q2": "sun", "q3": "red " * 99}
    facts = search(SentenceTransformersRetriever(model=bi_encoder), texts, asked).facts
    assert (facts["n_passages_truncated"], facts["n_queries_truncated"], facts["limit_tokens"]) == (30, 2, 64)
    assert facts["truncated_ids"] == [f"p{n:02}" for n in range(20)]


def test_prompts_are_the_model_s_own_unless_set(tmp_path):
    model = str(make_bi_encoder(tmp_path, {"query": "tea ", "document": "sun "}))
    own = search(SentenceTransformersRetriever(model=model))
    assert own.facts["prompts"] == {"query": "tea ", "document": "sun "}
    none = search(SentenceTransformersRetriever(model=model, query_prompt=""))
    assert none.facts["prompts"] == {"query": "", "document": "sun "}
    assert none.facts["warnings"] == [
        "query_prompt is empty, and model was trained with 'tea '; query_prompt=auto sets it"
    ]
    assert own.facts["warnings"] == []
    assert own.rankings.scores.tolist() != none.rankings.scores.tolist()


def test_a_cross_encoder_is_refused(cross_encoder):
    with pytest.raises(ModelError, match="expected a SentenceTransformer"):
        SentenceTransformersRetriever(model=cross_encoder).index(corpus_of(TEXTS), NoCache())


def test_auto_follows_the_language():
    assert SentenceTransformersRetriever().resolved("en-GB").model == "minilm"
    assert SentenceTransformersRetriever().resolved("mixed").model == "e5_small"
    assert SentenceTransformersRetriever(model="x/y").resolved("zh").model == "x/y"


@pytest.mark.parametrize(
    ("model", "language", "warns"),
    [
        ("minilm", "zh", True),
        ("BAAI/bge-small-en-v1.5", "mixed", True),
        ("cross-encoder/ms-marco-MiniLM-L6-v2", "zh-CN", True),
        ("minilm", "en", False),
        ("e5_small", "zh", False),
        ("intfloat/multilingual-e5-small", "zh", False),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "zh", False),
        ("BAAI/bge-small-zh-v1.5", "zh", False),
        ("BAAI/bge-m3", "mixed", False),
    ],
)
def test_an_english_model_on_chinese_text_warns(model, language, warns):
    assert (language_warning(model, language) is not None) is warns


@pytest.mark.parametrize(
    "wrong",
    [{"depth": 0}, {"depth": "abc"}, {"threads": 1.5}, {"batch_size": True}, {"max_length": 0}, {"model": None}],
)
def test_wrong_settings_are_named(wrong):
    (field,) = wrong
    with pytest.raises(ValueError, match=f"{field}: found .*, expected"):
        SentenceTransformersRetriever(**wrong)


def test_a_lone_surrogate_is_survived(bi_encoder):
    assert search(SentenceTransformersRetriever(model=bi_encoder), {"p": "red \ud800"}).rankings.passages.size == 1


def test_facts_are_json(bi_encoder):
    json.dumps(dict(search(SentenceTransformersRetriever(model=bi_encoder)).facts), allow_nan=False)


def test_a_depth_above_the_corpus_is_served_and_said(bi_encoder):
    passages, queries = case_corpus("06-k-larger-than-corpus"), case_questions("06-k-larger-than-corpus")
    index = SentenceTransformersRetriever(model=bi_encoder, depth=10).index(passages, NoCache())
    result = index.search(queries, all_visible(queries, passages))
    assert sorted(result.rankings.passages[0].tolist()) == [0, 1, 2]
    assert (result.facts["depth_asked"], result.facts["depth_served"]) == (10, 3)


def check_edited_corpus(model):
    """The same ids, sizes and number of lines: only the content tells the two apart."""
    case, cache = "22-index-built-from-an-older-corpus", CountingCache()
    queries, firsts = case_questions(case), []
    for file in ("corpus.jsonl", "corpus-v2.jsonl"):
        passages = case_corpus(case, file)
        index = SentenceTransformersRetriever(model=model).index(passages, cache)
        firsts.append(passages.ids[index.search(queries, all_visible(queries, passages)).rankings.passages[0, 0]])
    return firsts


def test_an_edited_corpus_is_never_answered_from_old_vectors(bi_encoder):
    first, second = check_edited_corpus(bi_encoder)
    assert first != second


def check_access(model):
    case = "26-access-filter-before-the-cut"
    passages, queries = case_corpus(case), case_questions(case, identity="staff")
    seen = visibility(passages, queries, Access(identities={}))
    index = SentenceTransformersRetriever(model=model, depth=3).index(passages, NoCache())
    ranking = index.search(queries, seen).rankings
    return [passages.ids[row] for row in ranking.passages[0].tolist() if row >= 0]


def test_the_access_filter_works_before_the_cut(bi_encoder):
    assert check_access(bi_encoder) == ["s1"]


def brute_force(vectors, rows, queries, text_rows, visible, depth):
    scores = (queries.astype(np.float64) @ vectors.astype(np.float64).T)[:, rows][text_rows]
    masks = visible.masks[visible.view_rows]
    passages = np.where(masks, np.arange(len(rows)), -1)
    return Rankings.from_scores(passages, scores).head(depth)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_exact_search_equals_brute_force_in_any_blocks(data):
    """Small whole numbers, so that products are exact and ties abound."""
    n_texts, n_passages = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 30))
    n_asked, n_questions, n_views = (data.draw(st.integers(1, top)) for top in (5, 9, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    vectors = rng.integers(-2, 3, (n_texts, 3)).astype(np.float32)
    rows = np.concatenate([np.arange(n_texts), rng.integers(0, n_texts, n_passages)]).astype(np.int64)
    rows = rng.permutation(rows)
    queries = rng.integers(-2, 3, (n_asked, 3)).astype(np.float32)
    text_rows = rng.integers(0, n_asked, n_questions)
    masks = rng.random((n_views, rows.size)) < data.draw(st.sampled_from([0.1, 0.5, 1.0]))
    visible = Visibility(rng.integers(0, n_views, n_questions).astype(np.int32), masks, 0)
    depth = min(data.draw(st.integers(1, 40)), rows.size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_exact, "QUERY_BLOCK", data.draw(st.integers(1, 4)))
        patch.setattr(_exact, "TEXT_BLOCK", data.draw(st.integers(1, 7)))
        found = ExactSearch(vectors, rows).top(queries, text_rows, visible, depth)
    expected = brute_force(vectors, rows, queries, text_rows, visible, depth)
    assert found.digest() == expected.digest()


QUIET = """
import sys
from rag_ablation.stages.cross_encoder import CrossEncoderReranker
from rag_ablation.stages.dense import SentenceTransformersRetriever
from rag_ablation.stages.late_interaction import LateInteractionReranker
dense, cross = sys.argv[1:]
SentenceTransformersRetriever(model=dense).fingerprint()
LateInteractionReranker(model=dense).fingerprint()
CrossEncoderReranker(model=cross).fingerprint()
SentenceTransformersRetriever().resolved("zh")
heavy = {"torch", "transformers", "sentence_transformers", "huggingface_hub", "tokenizers"} & set(sys.modules)
sys.exit(f"loaded {heavy}" if heavy else 0)
"""


def test_settings_and_fingerprints_load_no_heavy_library(bi_encoder, cross_encoder):
    subprocess.run([sys.executable, "-c", QUIET, bi_encoder, cross_encoder], check=True)


@pytest.mark.models
@pytest.mark.parametrize("model", ["minilm", "e5_small"])
def test_fingerprints_of_packaged_models_load_no_heavy_library(model, cross_encoder, request):
    request.getfixturevalue(model)
    subprocess.run([sys.executable, "-c", QUIET, model, cross_encoder], check=True)


@pytest.mark.models
def test_an_edited_corpus_is_never_answered_from_old_vectors_of_e5(e5_small):
    assert check_edited_corpus(e5_small) == ["d1", "d2"]


@pytest.mark.models
def test_the_access_filter_works_before_the_cut_with_e5(e5_small):
    assert check_access(e5_small) == ["s1"]


@pytest.mark.models
def test_an_english_model_on_a_chinese_corpus_is_a_warning_in_the_facts(minilm):
    facts = search(SentenceTransformersRetriever(model=minilm), {"p": "年假须提前三天申请。"}).facts
    assert any("language mismatch" in warning for warning in facts["warnings"])
