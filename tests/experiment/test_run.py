"""The walk, with stages that misbehave."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.corpus import Passages
from rag_ablation.core.errors import StageError
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import RunResult, StageResult
from rag_ablation.core.visibility import Access
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.stages.context import GoldContext
from tests.builders import evaluation_set, experiment, passage, passages, queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A retriever whose ranking is given; not a pattern to copy, since its behaviour is no setting."""

    depth: int = 2

    @property
    def libraries(self) -> tuple[str, ...]:
        return ()

    def fingerprint(self) -> dict[str, object]:
        return {}

    def index(self, corpus, cache):  # type: ignore[no-untyped-def]
        return self

    def search(self, questions, visible):  # type: ignore[no-untyped-def]
        return StageResult(ANSWER["now"](len(questions)), {})


ANSWER: dict[str, Callable[[int], Rankings]] = {"now": lambda count: Rankings.from_order(np.array([[0, 1]] * count))}


def walked(
    tmp_path: Path, corpus: Passages, gold: dict[str, dict[str, int]], access: Access | None = None
) -> RunResult:
    data = evaluation_set(corpus, queries({"q": "?"}), gold, *([access] if access else []))
    pipeline = Pipeline(names={"sparse": "fixed"}, sparse=Fixed())  # type: ignore[arg-type]
    return run(experiment(pipeline), data, StageStore(tmp_path), lambda output: None)


def test_a_passage_shown_against_the_filter_fails_the_arm(tmp_path: Path) -> None:
    corpus = Passages((passage("a", "secret", acl=["hr"]), passage("b", "open")))
    with pytest.raises(StageError, match="sparse: question q: returned passage a, which the question may not see"):
        walked(tmp_path, corpus, {"q": {"b": 1}}, Access(identity="staff", identities={}))


def test_a_ranking_with_a_passage_twice_fails_the_arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ANSWER, "now", lambda count: Rankings.from_order(np.array([[0, 0]] * count)))
    with pytest.raises(StageError, match="twice"):
        walked(tmp_path, passages({"a": "x", "b": "y"}), {"q": {"b": 1}})


def test_each_point_is_measured_and_final_is_the_last_ranking(tmp_path: Path) -> None:
    found = walked(tmp_path, passages({"a": "x", "b": "y"}), {"q": {"b": 1}})
    assert found.final == "sparse"
    assert found.points["final"] is found.points["sparse"]
    assert found.points["final"].means["mrr", 2].value == 0.5
    assert found.points["final"].means["recall", 1].value == 0.0


def test_nothing_to_score_is_undefined(tmp_path: Path) -> None:
    found = walked(tmp_path, passages({"a": "x", "b": "y"}), {"q": {"b": 0}})
    mean = found.points["final"].means["recall", 1]
    assert (mean.value, mean.n, mean.reason) == (None, 0, "no_relevant")
    assert found.counts["scored"] == 0


def test_the_oracle_hands_over_the_gold_by_grade(tmp_path: Path) -> None:
    data = evaluation_set(
        passages({"a": "x", "b": "y", "c": "z"}), queries({"q": "?"}), {"q": {"a": 1, "c": 2, "b": 0}}
    )
    pipeline = Pipeline(names={"context": "gold"}, context=GoldContext(depth=1))
    found = run(experiment(pipeline), data, StageStore(tmp_path), lambda output: None)
    assert found.final is None
    assert found.outputs[0].result.rankings.passages.tolist() == [[2]]
    assert found.outputs[0].result.facts["n_gold_left_out"] == 1
