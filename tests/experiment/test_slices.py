"""Means over parts of the questions: every question is somewhere, and nothing is lost unseen."""

from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.corpus import Passages
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import RunResult
from rag_ablation.core.visibility import Access
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.run import run
from rag_ablation.experiment.slices import dimensions, sliced
from rag_ablation.experiment.store import StageStore
from tests.builders import evaluation_set, passage
from tests.experiment.test_run import ANSWER, Fixed, experiment

ROLES = Access(identities={"clerk": ("finance",), "guest": ("none",)})


def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[EvalSet, RunResult]:
    """Four questions: two of one type, one that nobody may answer, one that is not reviewed."""
    corpus = Passages(
        (passage("a", "open"), passage("b", "limited", acl=["finance"]), passage("c", "open"), passage("d", "open"))
    )
    asked = Queries(
        (
            Query(id="q1", text="住宿标准是多少", type="single_hop", metadata={}),
            Query(id="q2", text="what is the limit", type="permission", identity="clerk", metadata={}),
            Query(id="q3", text="tell me", type="permission", status=Status.NO_ANSWER, identity="guest", metadata={}),
            Query(id="q4", text="and this?", type="single_hop", metadata={"language": "fr"}),
        )
    )
    data = evaluation_set(corpus, asked, {"q1": {"a": 1}, "q2": {"b": 2}, "q4": {"a": 1, "c": 1, "d": 1}}, ROLES)
    order = np.array([[0, 2], [1, 0], [0, 2], [2, -1]])
    monkeypatch.setitem(ANSWER, "now", lambda count: Rankings.from_order(order[:count]))
    pipeline = Pipeline(names={"sparse": "fixed"}, sparse=Fixed())  # type: ignore[arg-type]
    return data, run(experiment(pipeline), data, StageStore(tmp_path), lambda output: None)


def test_each_question_is_in_one_part_of_each_dimension(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = made(tmp_path, monkeypatch)
    assert dimensions(data, 1) == {
        "type": ["single_hop", "permission", "permission", "single_hop"],
        "language": ["zh", "en", "en", "fr"],
        "identity": ["none named", "clerk", "guest", "none named"],
        "gold": ["1", "1", "0", "3 or more"],
    }


def test_a_part_has_its_n_exclusions_and_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, result = made(tmp_path, monkeypatch)
    found = sliced(data, result, 1)
    permission = found["type"]["permission"]["mrr@1"]
    assert (permission.value, permission.n, permission.excluded, permission.n_groups) == (1.0, 1, {"no_answer": 1}, 1)
    both = found["type"]["single_hop"]["recall@1"]
    assert both.value == pytest.approx((1 + 1 / 3) / 2)
    assert both.low is not None
    assert both.high is not None
    assert both.low < both.value < both.high


def test_a_part_that_nothing_can_score_is_undefined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, result = made(tmp_path, monkeypatch)
    guest = sliced(data, result, 1)["identity"]["guest"]["recall@1"]
    assert (guest.value, guest.n, guest.reason, guest.n_groups) == (None, 0, "no_answer", None)


def test_the_parts_of_a_dimension_add_up_to_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, result = made(tmp_path, monkeypatch)
    for parts in sliced(data, result, 1).values():
        counted = sum(means["mrr@1"].n + sum(means["mrr@1"].excluded.values()) for means in parts.values())
        assert counted == len(data.queries)
