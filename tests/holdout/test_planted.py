"""Near-duplicates planted into real questions are caught, and few questions are joined that should not be."""

import os
from pathlib import Path

import pytest
from benchmarks.near_duplicates import KINDS, PLANTED_OF_A_KIND, planted_and_caught

from rag_ablation.data.load import load
from rag_ablation.holdout.components import graph

COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")

pytestmark = [
    pytest.mark.collections,
    pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections"),
]


@pytest.mark.parametrize("name", sorted(KINDS))
def test_at_least_95_of_100_planted_copies_are_caught(name: str) -> None:
    texts = load(Path(str(COLLECTIONS)) / name).queries.texts
    caught = {kind: planted_and_caught(texts, edit) for kind, edit in KINDS[name].items()}
    assert sum(caught.values()) / (PLANTED_OF_A_KIND * len(caught)) >= 0.95
    assert min(n for kind, n in caught.items() if kind != "other courtesy") >= 90


@pytest.mark.parametrize("name", sorted(KINDS))
def test_at_most_2_percent_are_joined_by_wording_alone_to_another_answer_location(name: str) -> None:
    assert graph(load(Path(str(COLLECTIONS)) / name)).by_text_alone.mean() <= 0.02
