import pytest

from rag_ablation.experiment.factors import change, chunking_alone

BM25 = {"name": "bm25", "k1": 1.5}
DENSE = {"name": "sentence_transformers", "model": "minilm"}
RRF = {"name": "rrf", "rank_constant": 60}
TOP = {"name": "top", "depth": 10}


def test_a_second_retriever_and_its_fuser_are_one_factor() -> None:
    found = change({"sparse": BM25, "context": TOP}, {"sparse": BM25, "dense": DENSE, "fusion": RRF, "context": TOP})
    assert len(found.factors) == 1
    assert not found.confounded


def test_another_retriever_in_the_place_of_the_first_is_one_factor() -> None:
    assert len(change({"sparse": BM25}, {"dense": DENSE}).factors) == 1


def test_a_filled_slot_is_one_factor_whatever_its_settings() -> None:
    found = change({"sparse": BM25}, {"sparse": BM25, "rerank": {"name": "cross_encoder", "depth": 50, "model": "x"}})
    assert found.factors == ("rerank none → cross_encoder",)


def test_each_setting_of_a_filled_slot_is_a_factor() -> None:
    before = {"sparse": BM25, "dense": DENSE, "fusion": RRF}
    after = {"sparse": {**BM25, "k1": 0.9}, "dense": DENSE, "fusion": {**RRF, "rank_constant": 10}}
    found = change(before, after)
    assert found.factors == ("sparse.k1 1.5 → 0.9", "fusion.rank_constant 60 → 10")
    assert found.confounded


def test_equal_settings_change_nothing() -> None:
    assert str(change({"sparse": BM25}, {"sparse": dict(BM25)})) == "nothing"


@pytest.mark.parametrize(
    "setting", ["concurrency", "timeout_s", "retries", "max_requests", "max_cost", "prices", "currency", "api_key_env"]
)
@pytest.mark.parametrize("slot", ["rewrite", "generate", "judge"])
def test_how_a_server_is_asked_and_what_it_costs_is_no_factor(slot: str, setting: str) -> None:
    asked = {"name": "openai", "model": "a"}
    assert str(change({slot: {**asked, setting: 1}}, {slot: {**asked, setting: 2}})) == "nothing"
    assert change({slot: asked}, {slot: {**asked, "model": "b"}}).factors == (f"{slot}.model a → b",)


def test_another_identity_is_a_factor() -> None:
    assert len(change({"access": {"identity": None}}, {"access": {"identity": "hr"}}).factors) == 1


def test_chunking_filled_is_one_factor_and_each_of_its_settings_is_one() -> None:
    cut = {"name": "fixed", "size": 400, "overlap": 0}
    assert change({"sparse": BM25}, {"sparse": BM25, "chunking": cut}).factors == ("chunking none → fixed",)
    found = change({"sparse": BM25, "chunking": cut}, {"sparse": BM25, "chunking": {**cut, "size": 800}})
    assert found.factors == ("chunking.size 400 → 800",)


def test_a_cut_is_alone_only_where_nothing_else_differs() -> None:
    before, after = {"sparse": BM25}, {"sparse": BM25, "chunking": {"name": "fixed"}}
    assert chunking_alone(before, after)
    assert not chunking_alone(before, {**after, "sparse": {**BM25, "k1": 2}})
    assert not chunking_alone(before, before)
