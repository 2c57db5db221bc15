import posixpath
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.tracking.names import original_name, tracker_name
from tests.paths import CASES

VALID = re.compile(r"^[/\w.\- :]*$", re.ASCII)
AWKWARD = st.text(alphabet=st.sampled_from("a@_/.xt5f% (k=:"), min_size=1, max_size=12)


@given(st.one_of(st.text(min_size=1, max_size=30), AWKWARD))
def test_every_name_comes_back_and_is_valid(name: str) -> None:
    stored = tracker_name(name)
    assert original_name(stored) == name
    assert VALID.match(stored)
    assert posixpath.normpath(stored) == stored
    assert not stored.startswith(("/", ".."))


@given(AWKWARD, AWKWARD)
def test_two_names_never_become_one(left: str, right: str) -> None:
    assert (tracker_name(left) == tracker_name(right)) == (left == right)


def test_names_that_the_tracker_refuses_are_stored_one_to_one() -> None:
    config = yaml.safe_load((CASES / "19-metric-names-the-tracker-refuses" / "config.yaml").read_text(encoding="utf-8"))
    stored = {tracker_name(name): name for name in config["metrics"]}
    assert len(stored) == 6
    assert "recall_at_5" in stored
    assert {original_name(name) for name in stored} == set(config["metrics"])
    assert tracker_name("recall@5") != tracker_name("recall_at_5")


def test_the_cutoff_is_readable() -> None:
    assert tracker_name("final/ndcg@10") == "final/ndcg_at_10"


def test_a_name_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 250"):
        tracker_name("é" * 100)
