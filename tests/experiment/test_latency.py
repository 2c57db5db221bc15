from dataclasses import dataclass, field

import numpy as np
import pytest

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.latency import Latency, measure_latency
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.context import GoldContext, TopContext
from tests.builders import evaluation_set, passages, queries


@dataclass
class Counting:
    """A retriever that counts its searches and what was in each."""

    depth: int = 2
    searches: list[int] = field(default_factory=list)

    def index(self, corpus, cache):  # type: ignore[no-untyped-def]
        return self

    def search(self, questions, visible):  # type: ignore[no-untyped-def]
        self.searches.append(len(questions))
        return StageResult(Rankings.from_order(np.array([[0, 1]])), {})


def questions(count: int) -> EvalSet:
    return evaluation_set(passages({"a": "x", "b": "y"}), queries({f"q{row:03}": "x" for row in range(count)}), {})


def measured(count: int, retriever: Counting, **settings: int) -> Latency:
    pipeline = Pipeline(names={"sparse": "counting"}, sparse=retriever, context=TopContext())  # type: ignore[arg-type]
    return measure_latency(pipeline, questions(count), LatencySettings(**settings), NoCache())


def test_every_timed_answer_is_really_asked_one_question_at_a_time_after_a_discarded_pass() -> None:
    retriever = Counting()
    found = measured(30, retriever, questions=25, passes=3)
    assert retriever.searches == [1] * (25 * (3 + 1))
    assert (found.questions, found.passes) == (25, 3)


@pytest.mark.parametrize(
    ("count", "statistics"),
    [(19, None), (20, {"mean", "p50"}), (60, {"mean", "p50", "p95"}), (500, {"mean", "p50", "p95", "p99"})],
)
def test_a_statistic_needs_enough_questions(count: int, statistics: set[str] | None) -> None:
    found = measured(count, Counting(), questions=1000)
    if statistics is None:
        assert found.milliseconds == {}
        assert "at least 20" in str(found.reason)
    else:
        assert set(found.milliseconds["end_to_end"]) == statistics


def test_the_whole_takes_at_least_as_long_as_its_stages() -> None:
    found = measured(40, Counting(), questions=40)
    assert found.milliseconds["end_to_end"]["mean"] >= found.milliseconds["sparse"]["mean"]
    assert set(found.milliseconds) == {"sparse", "context", "end_to_end"}


def test_an_arm_that_retrieves_nothing_has_no_latency_and_says_why() -> None:
    found = measure_latency(
        Pipeline(names={"context": "gold"}, context=GoldContext()), questions(30), LatencySettings(), NoCache()
    )
    assert found.milliseconds == {}
    assert found.reason == "nothing is retrieved"
