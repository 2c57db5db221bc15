import json

import numpy as np
import pytest

from rag_ablation.core.errors import ModelError
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.visibility import Access, visibility
from rag_ablation.stages import late_interaction as module
from rag_ablation.stages._encoder import load_bi_encoder
from rag_ablation.stages._models import LATE_INTERACTION, locate
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.late_interaction import LateInteractionReranker, load_multi_vector, max_sim
from tests.stages.conftest import corpus_of, questions_of

TEXTS = {"p1": "red cat", "p2": "blue dog sun moon", "p3": "red cat", "p4": "green fish"}
ALL = Rankings.from_order(np.array([[3, 2, 1, 0]]))


def rerank(settings, texts=TEXTS, rankings=ALL, asked=None):
    asked = asked or {"q1": "red cat sun"}
    return settings.prepare(corpus_of(texts), NoCache()).rerank(rankings, questions_of(asked))


def test_max_sim_is_the_mean_over_question_tokens_of_the_best_cosine():
    question = np.array([[1, 0], [0, 1]], dtype=np.float32)
    passage = np.array([[0.6, 0.8], [1, 0]], dtype=np.float32)
    assert max_sim(question, passage) == pytest.approx((1 + 0.8) / 2)


def test_scores_are_those_of_sentence_transformers(bi_encoder):
    result = rerank(LateInteractionReranker(model=bi_encoder))
    model = load_multi_vector(locate(bi_encoder, LATE_INTERACTION), None)
    other = model.similarity(model.encode_query(["red cat sun"]), model.encode_document(list(TEXTS.values())))
    order = result.rankings.passages[0]
    np.testing.assert_allclose(result.rankings.scores[0], other.numpy()[0][order], atol=1e-5)


def test_equal_texts_tie_exactly_and_the_id_decides(bi_encoder):
    result = rerank(LateInteractionReranker(model=bi_encoder))
    order, scores = result.rankings.passages[0].tolist(), result.rankings.scores[0]
    assert scores[order.index(0)] == scores[order.index(2)]
    assert order.index(0) < order.index(2)
    assert (result.facts["n_pairs"], result.facts["n_pairs_scored"]) == (4, 3)


def test_the_second_question_finds_its_passages_warm(bi_encoder):
    pairs = LateInteractionReranker(model=bi_encoder).prepare(corpus_of(TEXTS), NoCache())
    first = pairs.rerank(ALL, questions_of({"q1": "red cat"}))
    second = pairs.rerank(ALL, questions_of({"q1": "red cat"}))
    assert (first.facts["n_passages_encoded"], second.facts["n_passages_encoded"]) == (3, 0)
    assert first.rankings.digest() == second.rankings.digest()


def test_without_room_passages_are_encoded_again_with_the_same_result(bi_encoder, monkeypatch):
    kept = rerank(LateInteractionReranker(model=bi_encoder))
    monkeypatch.setattr(module, "KEPT_BYTES", 0)
    pairs = LateInteractionReranker(model=bi_encoder).prepare(corpus_of(TEXTS), NoCache())
    for _ in range(2):
        result = pairs.rerank(ALL, questions_of({"q1": "red cat sun"}))
        assert result.facts["n_passages_encoded"] == 3
        assert result.rankings.digest() == kept.rankings.digest()


def test_shards_change_no_order(bi_encoder, monkeypatch):
    whole = rerank(LateInteractionReranker(model=bi_encoder))
    monkeypatch.setattr(module, "SHARD", 1)
    shards = rerank(LateInteractionReranker(model=bi_encoder))
    np.testing.assert_array_equal(shards.rankings.passages, whole.rankings.passages)
    np.testing.assert_allclose(shards.rankings.scores, whole.rankings.scores, atol=1e-5)


def test_only_the_head_is_scored_and_the_tail_kept(bi_encoder):
    result = rerank(LateInteractionReranker(model=bi_encoder, depth=2))
    assert sorted(result.rankings.passages[0, :2].tolist()) == [2, 3]
    assert result.rankings.passages[0, 2:].tolist() == [1, 0]
    dropped = rerank(LateInteractionReranker(model=bi_encoder, depth=2, keep_tail=False))
    assert dropped.rankings.passages.shape == (1, 2)


def test_a_passage_that_is_cut_is_reported(bi_encoder):
    texts = {"long": "red " * 500, "s1": "sun", "s2": "moon"}
    ranking = Rankings.from_order(np.array([[0, 1, 2]]))
    facts = rerank(LateInteractionReranker(model=bi_encoder), texts, ranking).facts
    assert (facts["n_pairs"], facts["n_truncated"], facts["truncated_ids"]) == (3, 1, ["long"])
    assert facts["limit_tokens"] == 64


def test_empty_pools_need_no_model(bi_encoder, monkeypatch):
    monkeypatch.setattr(module, "load_multi_vector", None)
    for ranking in (Rankings.empty(1), Rankings.from_order(np.array([[-1, -1]]))):
        result = rerank(LateInteractionReranker(model=bi_encoder), TEXTS, ranking)
        assert result.facts["n_pairs"] == 0
        assert result.rankings.passages.shape == ranking.passages.shape


def test_what_is_hidden_is_not_brought_back(bi_encoder):
    acl = {"p1": frozenset({"finance"}), "p2": frozenset({"staff"}), "p3": frozenset({"finance"})}
    passages, queries = corpus_of(TEXTS, acl), questions_of({"q1": "red cat"}, identity="staff")
    seen = visibility(passages, queries, Access(identities={}))
    pairs = LateInteractionReranker(model=bi_encoder).prepare(passages, NoCache())
    result = pairs.rerank(Rankings.from_order(np.array([[1, 3]])), queries)
    assert seen.violations(result.rankings.passages) == 0
    assert sorted(result.rankings.passages[0].tolist()) == [1, 3]


def test_the_dense_model_beside_it_is_left_as_it_was(bi_encoder):
    dense = load_bi_encoder(locate(bi_encoder, LATE_INTERACTION), None)
    before = dense.encode_query(["red cat"], prompt="sun ")
    load_multi_vector.cache_clear()
    rerank(LateInteractionReranker(model=bi_encoder, query_prompt="tea "))
    np.testing.assert_array_equal(dense.encode_query(["red cat"], prompt="sun "), before)


def test_a_cross_encoder_is_refused(cross_encoder):
    with pytest.raises(ModelError, match="expected a SentenceTransformer"):
        LateInteractionReranker(model=cross_encoder).fingerprint()


def test_auto_follows_the_language():
    assert LateInteractionReranker().resolved("en").model == "minilm"
    assert LateInteractionReranker().resolved("zh").model == "e5_small"


@pytest.mark.parametrize(
    "wrong", [{"depth": 0}, {"keep_tail": "yes"}, {"query_prompt": None}, {"threads": 0}, {"model": " "}]
)
def test_wrong_settings_are_named(wrong):
    (field,) = wrong
    with pytest.raises(ValueError, match=f"{field}: found .*, expected"):
        LateInteractionReranker(**wrong)


def test_facts_are_json(bi_encoder):
    json.dumps(dict(rerank(LateInteractionReranker(model=bi_encoder)).facts), allow_nan=False)


@pytest.mark.models
def test_a_real_model_puts_the_answer_first(minilm):
    texts = {
        "p1": "The museum is closed on Mondays.",
        "p2": "The capital of France is Paris, a city of two million people.",
        "p3": "Bread is made from flour, water and salt.",
    }
    ranking = Rankings.from_order(np.array([[0, 2, 1]]))
    result = rerank(LateInteractionReranker(model=minilm), texts, ranking, {"q": "What is the capital of France?"})
    assert result.rankings.passages[0, 0] == 1
