import json
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.errors import ModelError, StageError
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.visibility import Access, visibility
from rag_ablation.stages import cross_encoder as module
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.cross_encoder import ENGLISH, MULTILINGUAL, CrossEncoderReranker
from tests.stages.conftest import corpus_of, make_cross_encoder, questions_of

TEXTS = {"p1": "red cat", "p2": "blue dog", "p3": "red cat", "p4": "green fish"}
ALL = Rankings.from_order(np.array([[3, 2, 1, 0]]))


def rerank(settings, texts=TEXTS, rankings=ALL, asked=None):
    asked = asked or {"q1": "red cat sun"}
    return settings.prepare(corpus_of(texts), NoCache()).rerank(rankings, questions_of(asked))


def test_equal_texts_tie_exactly_and_the_id_decides(cross_encoder):
    result = rerank(CrossEncoderReranker(model=cross_encoder))
    order, scores = result.rankings.passages[0].tolist(), result.rankings.scores[0]
    assert scores[order.index(0)] == scores[order.index(2)]
    assert order.index(0) < order.index(2)
    assert (result.facts["n_pairs"], result.facts["n_pairs_scored"]) == (4, 3)


def test_scores_are_the_model_s_raw_ones(cross_encoder):
    import torch
    from sentence_transformers import CrossEncoder

    result = rerank(CrossEncoderReranker(model=cross_encoder))
    model = CrossEncoder(cross_encoder, device="cpu")
    raw = model.predict([("red cat sun", text) for text in TEXTS.values()], activation_fn=torch.nn.Identity())
    order = result.rankings.passages[0]
    np.testing.assert_allclose(result.rankings.scores[0], raw[order], atol=1e-5)
    assert (result.rankings.scores[0] < 0).any() or (result.rankings.scores[0] > 1).any()


def test_only_the_head_is_scored_and_the_tail_kept(cross_encoder):
    result = rerank(CrossEncoderReranker(model=cross_encoder, depth=2))
    assert sorted(result.rankings.passages[0, :2].tolist()) == [2, 3]
    assert result.rankings.passages[0, 2:].tolist() == [1, 0]
    assert result.facts["n_pairs"] == 2
    dropped = rerank(CrossEncoderReranker(model=cross_encoder, depth=2, keep_tail=False))
    assert dropped.rankings.passages.shape == (1, 2)


def test_a_passage_that_is_cut_is_reported(cross_encoder):
    texts = {"long": "本条为背景说明，与限额无关。" * 200 + "sun", "s1": "报销。", "s2": "发票"}
    ranking = Rankings.from_order(np.array([[0, 1, 2]]))
    facts = rerank(CrossEncoderReranker(model=cross_encoder), texts, ranking, {"q1": "打车"}).facts
    assert (facts["n_pairs"], facts["n_truncated"], facts["truncated_ids"]) == (3, 1, ["long"])
    assert facts["limit_tokens"] == 64
    shorter = rerank(CrossEncoderReranker(model=cross_encoder, max_length=5), texts, ranking, {"q1": "打车"}).facts
    assert (shorter["limit_tokens"], shorter["n_truncated"]) == (5, 3)


def test_more_tokens_than_the_model_has_positions_is_refused(cross_encoder):
    with pytest.raises(ModelError, match="max_length: found 65, expected at most 64"):
        rerank(CrossEncoderReranker(model=cross_encoder, max_length=65))


def test_empty_pools_need_no_model(cross_encoder, monkeypatch):
    monkeypatch.setattr(module, "load_cross_encoder", None)
    for ranking in (Rankings.empty(1), Rankings.from_order(np.array([[-1, -1]]))):
        result = rerank(CrossEncoderReranker(model=cross_encoder), TEXTS, ranking)
        assert result.facts["n_pairs"] == 0
        assert result.rankings.passages.shape == ranking.passages.shape


def test_a_score_that_is_no_number_stops_the_stage(cross_encoder, monkeypatch):
    def not_a_number(self, pool):
        n = len(pool.pairs)
        return np.full(n, np.nan, dtype=np.float32), np.zeros(n, dtype=np.int32), 64

    monkeypatch.setattr(module.CrossEncoderPairs, "_score", not_a_number)
    with pytest.raises(StageError, match=r"question 'q1': model .* scored passage 'p4' with nan"):
        rerank(CrossEncoderReranker(model=cross_encoder))


def test_the_order_in_which_candidates_come_changes_nothing(cross_encoder):
    forward = rerank(CrossEncoderReranker(model=cross_encoder))
    backward = rerank(CrossEncoderReranker(model=cross_encoder), rankings=Rankings.from_order(np.array([[0, 1, 2, 3]])))
    assert forward.rankings.digest() == backward.rankings.digest()


def test_what_is_hidden_is_not_brought_back(cross_encoder):
    acl = {"p1": frozenset({"finance"}), "p2": frozenset({"staff"}), "p3": frozenset({"finance"})}
    passages, queries = corpus_of(TEXTS, acl), questions_of({"q1": "red cat"}, identity="staff")
    seen = visibility(passages, queries, Access(identities={}))
    ranking = Rankings.from_order(np.array([[1, 3]]))
    result = CrossEncoderReranker(model=cross_encoder).prepare(passages, NoCache()).rerank(ranking, queries)
    assert seen.violations(result.rankings.passages) == 0
    assert sorted(result.rankings.passages[0].tolist()) == [1, 3]


def test_a_bi_encoder_is_refused(bi_encoder):
    with pytest.raises(ModelError, match="expected a CrossEncoder"):
        CrossEncoderReranker(model=bi_encoder).fingerprint()


def test_a_packaged_model_is_no_cross_encoder():
    with pytest.raises(ModelError, match=r"no cross-encoder.*rerank=late_interaction"):
        CrossEncoderReranker(model="minilm").fingerprint()


def test_a_model_with_several_labels_is_refused(tmp_path):
    folder = make_cross_encoder(tmp_path / "three", labels=3)
    with pytest.raises(ModelError, match="found 3 labels, expected one score"):
        rerank(CrossEncoderReranker(model=str(folder)))


def test_auto_follows_the_language():
    assert CrossEncoderReranker().resolved("en").model == ENGLISH
    assert CrossEncoderReranker().resolved("zh").model == MULTILINGUAL
    assert CrossEncoderReranker().resolved("mixed").model == MULTILINGUAL
    assert CrossEncoderReranker(model="x/y").resolved("zh").model == "x/y"


@pytest.mark.parametrize(
    "wrong",
    [{"depth": 0}, {"depth": "ten"}, {"keep_tail": 1}, {"max_length": 0}, {"batch_size": True}, {"model": ""}],
)
def test_wrong_settings_are_named(wrong):
    (field,) = wrong
    with pytest.raises(ValueError, match=f"{field}: found .*, expected"):
        CrossEncoderReranker(**wrong)


def test_facts_are_json(cross_encoder):
    json.dumps(dict(rerank(CrossEncoderReranker(model=cross_encoder)).facts), allow_nan=False)


@pytest.mark.models
def test_a_real_cross_encoder_puts_the_answer_first(real_cross_encoder):
    texts = {
        "p1": "The museum is closed on Mondays.",
        "p2": "The capital of France is Paris, a city of two million people.",
        "p3": "Bread is made from flour, water and salt.",
    }
    ranking = Rankings.from_order(np.array([[0, 2, 1]]))
    settings = CrossEncoderReranker(model=real_cross_encoder)
    result = rerank(settings, texts, ranking, {"q": "What is the capital of France?"})
    assert result.rankings.passages[0, 0] == 1
    assert settings.fingerprint()["name"] == Path(real_cross_encoder).name
