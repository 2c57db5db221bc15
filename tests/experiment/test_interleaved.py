"""Times come from a clock that only the stages move, so that every expected number is worked out by hand."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

import numpy as np
import pytest

from rag_ablation.core.errors import ModelError, StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.interleaved import Timing, balanced_orders, measure_interleaved
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.report.study import inputs
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.context import ClosedBook, GoldContext, TopContext
from tests.builders import evaluation_set, passages, queries

TEXTS = {"a": "x", "b": "y"}
FOUND = Rankings.from_order(np.array([[0, 1]]))

Cost = Callable[[str, int], float]
"""Seconds of an answer, from the stage's name and how often it has answered this question before."""


@dataclass(eq=False)
class World:
    """A clock in whole seconds, and a diary of who did what."""

    cost: Cost = lambda _name, _before: 1.0
    tick: float = 0.0
    now: float = 0.0
    made: list[str] = field(default_factory=list)
    answered: list[tuple[str, str]] = field(default_factory=list)

    def clock(self) -> float:
        self.now += self.tick
        return self.now

    def answer(self, name: str, question: str) -> StageResult:
        self.now += self.cost(name, self.answered.count((name, question)))
        self.answered.append((name, question))
        return StageResult(FOUND, {})


@dataclass(frozen=True, kw_only=True)
class Timed:
    """A retriever, fuser or reranker that takes what the world says; equal where its name is."""

    name: str
    world: World = field(compare=False)
    depth: int = 2
    window: int = 2
    fails: Exception | None = field(default=None, compare=False)

    def index(self, corpus, cache):  # type: ignore[no-untyped-def]
        self.world.made.append(self.name)
        if isinstance(self.fails, ModelError):
            raise self.fails
        return self

    prepare = index

    def search(self, questions, visible):  # type: ignore[no-untyped-def]
        if isinstance(self.fails, StageError) and ("other", questions.ids[0]) in self.world.answered:
            raise self.fails
        return self.world.answer(self.name, *questions.ids)

    def rerank(self, rankings, questions):  # type: ignore[no-untyped-def]
        return self.world.answer(self.name, *questions.ids)

    def fuse(self, lists, corpus):  # type: ignore[no-untyped-def]
        self.world.now += self.world.cost(self.name, 0)
        return StageResult(FOUND, {})


def questions(count: int, texts: Mapping[str, str] = TEXTS) -> EvalSet:
    return evaluation_set(passages(texts), queries({f"q{row:03}": "x" for row in range(count)}), {})


def arm(**stages: object) -> Pipeline:
    return Pipeline(names=dict.fromkeys(stages, "made"), **stages)  # type: ignore[arg-type]


def arms(world: World, *names: str) -> dict[str, Pipeline]:
    """One arm a name, each with a retriever of that name."""
    return {name: arm(sparse=Timed(name=name, world=world)) for name in names}


def measured(world: World, pipelines: Mapping[str, Pipeline], count: int = 20, **settings: int) -> Timing:
    evalsets = dict.fromkeys(pipelines, questions(count))
    wanted = LatencySettings(**{"questions": count, **settings})
    return measure_interleaved(pipelines, evalsets, wanted, NoCache(), clock=world.clock)


def test_every_arm_answers_a_question_before_any_arm_is_asked_the_next() -> None:
    world = World()
    found = measured(world, arms(world, "A", "B", "C"), count=25, passes=2)
    assert len(world.answered) == 3 * 25 * (1 + 2)
    rounds = [world.answered[start : start + 3] for start in range(0, len(world.answered), 3)]
    assert all({name for name, _ in one} == {"A", "B", "C"} for one in rounds)
    assert [{question for _, question in one} for one in rounds] == [{id} for id in found.sample] * 3
    assert (found.questions, found.passes) == (25, 2)


@pytest.mark.parametrize("count", range(1, 10))
def test_every_arm_stands_equally_often_at_every_place_and_after_every_other(count: int) -> None:
    orders = balanced_orders(count)
    times = 1 if count % 2 == 0 else 2
    assert all(sorted(order) == list(range(count)) for order in orders)
    places = Counter((place, one) for order in orders for place, one in enumerate(order))
    assert places == {(place, one): times for place in range(count) for one in range(count)}
    after = Counter(pair for order in orders for pair in pairwise(order))
    assert after == {(left, right): times for left in range(count) for right in range(count) if left != right}


def test_the_order_of_arms_changes_from_question_to_question_and_from_pass_to_pass() -> None:
    world = World()
    measured(world, arms(world, "A", "B", "C", "D"), count=20)
    orders = ["".join(name for name, _ in world.answered[start : start + 4]) for start in range(0, 160, 4)]
    assert orders[:4] == ["ABDC", "BCAD", "CDBA", "DACB"]
    assert orders[:20] == orders[:4] * 5
    assert orders[20:24] == ["BCAD", "CDBA", "DACB", "ABDC"]


def test_the_first_pass_is_not_counted() -> None:
    world = World(cost=lambda _, before: 1000.0 if before == 0 else 2.0)
    found = measured(world, arms(world, "A", "B"))
    assert found.milliseconds["A"]["sparse"] == {"mean": 2000, "p50": 2000}


def test_a_question_counts_with_the_median_of_its_passes() -> None:
    world = World(cost=lambda _, before: (1000.0, 1.0, 9.0, 2.0)[before])
    found = measured(world, arms(world, "A"), passes=3)
    assert found.milliseconds["A"]["end_to_end"]["mean"] == 2000


def test_the_whole_is_timed_whole_and_is_no_sum_of_stages() -> None:
    world = World(tick=0.25)
    pipeline = arm(sparse=Timed(name="find", world=world), rerank=Timed(name="sort", world=world))
    found = measured(world, {"A": pipeline}).milliseconds["A"]
    # the clock moves .25 s with each reading: one between the two of a stage, five after the whole began
    assert (found["sparse"]["p50"], found["reranked"]["p50"]) == (1250, 1250)
    assert found["end_to_end"]["p50"] == 2000 + 5 * 250


def test_if_parallel_takes_the_longer_leg_of_each_answer() -> None:
    turns = {"words": (0.0, 1.0, 9.0), "vectors": (0.0, 9.0, 1.0)}
    world = World(cost=lambda name, before: turns[name][before] if name in turns else 3.0)
    pipeline = arm(**{slot: Timed(name=name, world=world) for slot, name in LEGS.items()})
    found = measured(world, {"A": pipeline}, passes=2).milliseconds["A"]
    assert {point: statistics["p50"] for point, statistics in found.items()} == {
        "sparse": 5000,
        "dense": 5000,
        "fused": 3000,
        "end_to_end": 13_000,
        "end_to_end_if_parallel": 12_000,  # 9 + 3 both times, which the medians of the legs do not show
    }


LEGS = {"sparse": "words", "dense": "vectors", "fusion": "both"}


def test_arms_share_a_stage_of_equal_settings_and_no_other() -> None:
    world = World()
    words, vectors, fuser = (Timed(name=name, world=world) for name in LEGS.values())
    sort = Timed(name="sort", world=world)
    pipelines = {
        "A": arm(sparse=words),
        "B": arm(dense=Timed(name="vectors", world=world)),
        "C": arm(sparse=Timed(name="words", world=world), dense=vectors, fusion=fuser),
        "A+D": arm(sparse=words, rerank=sort),
        "C deeper": arm(sparse=Timed(name="words", world=world, depth=9), dense=vectors, fusion=fuser, rerank=sort),
    }
    measured(world, pipelines)
    assert Counter(world.made) == {"words": 2, "vectors": 1, "sort": 1}


def test_arms_over_different_passages_share_nothing_and_are_asked_the_same() -> None:
    world = World()
    pipelines = arms(world, "A") | {"A cut": arm(sparse=Timed(name="A", world=world))}
    pipelines["A again"] = pipelines["A"]
    evalsets = {
        "A": questions(30),
        "A cut": questions(30, {"a1": "x", "a2": "x", "b1": "y"}),
        "A again": questions(30),  # read a second time: equal, not the same object
    }
    found = measure_interleaved(pipelines, evalsets, LatencySettings(), NoCache(), clock=world.clock)
    assert world.made == ["A", "A"]
    assert Counter(question for _, question in world.answered) == dict.fromkeys(found.sample, 3 * 2)
    assert len(found.sample) == 20
    assert set(found.milliseconds) == {"A", "A cut", "A again"}


def test_arms_that_are_asked_different_questions_are_refused() -> None:
    world = World()
    evalsets = {"A": questions(30), "B": questions(31)}
    with pytest.raises(ValueError, match="'A' and 'B' are asked different questions"):
        measure_interleaved(arms(world, "A", "B"), evalsets, LatencySettings(), NoCache(), clock=world.clock)


def test_arms_without_a_serving_time_say_why_and_are_never_asked() -> None:
    world = World()
    pipelines = {
        **arms(world, "A"),
        "floor": arm(context=ClosedBook()),
        "oracle": arm(context=GoldContext()),
        "oracle with distractors": arm(sparse=Timed(name="gold", world=world), context=GoldContext(distractors=2)),
        "A in context": arm(sparse=Timed(name="A", world=world), context=TopContext()),
    }
    found = measured(world, pipelines)
    assert found.absent == {
        "floor": "nothing is retrieved",
        "oracle": "nothing is retrieved",
        "oracle with distractors": "the context is made of labels, which no server has",
    }
    assert world.made == ["A"]
    assert set(found.milliseconds["A in context"]) == {"sparse", "context", "end_to_end"}
    assert set(found.milliseconds) == {"A", "A in context"}


def test_under_20_questions_no_arm_has_a_time() -> None:
    world = World()
    found = measured(world, arms(world, "A", "B"), count=19)
    assert found.absent == dict.fromkeys("AB", "19 questions; a median of serving time needs at least 20")
    assert (found.milliseconds, found.questions, found.passes, found.sample) == ({}, 0, 0, ())
    assert world.answered == []


@pytest.mark.parametrize(
    ("count", "statistics"),
    [(20, {"mean", "p50"}), (59, {"mean", "p50"}), (60, {"mean", "p50", "p95"}), (500, {"mean", "p50", "p95", "p99"})],
)
def test_a_statistic_needs_enough_questions(count: int, statistics: set[str]) -> None:
    world = World()
    assert set(measured(world, arms(world, "A"), count=count).milliseconds["A"]["end_to_end"]) == statistics


def test_an_arm_whose_model_cannot_be_had_is_left_out_with_the_reason() -> None:
    world = World()
    broken = Timed(name="broken", world=world, fails=ModelError("no such\nmodel"))
    found = measured(world, {"D": arm(sparse=Timed(name="A", world=world), rerank=broken), **arms(world, "A")})
    assert found.absent == {"D": "no such model"}
    assert set(found.milliseconds) == {"A"}


def test_an_arm_that_fails_on_the_way_is_left_out_and_the_others_go_on() -> None:
    world = World()
    broken = Timed(name="broken", world=world, fails=StageError("sparse", "lost", "q007"))
    found = measured(world, {"X": arm(sparse=broken), **arms(world, "other", "B")}, passes=2)
    assert found.absent == {"X": "sparse, question 'q007': lost"}
    assert {name: statistics["end_to_end"]["p50"] for name, statistics in found.milliseconds.items()} == {
        "other": 1000,
        "B": 1000,
    }
    assert Counter(name for name, _ in world.answered)["B"] == 20 * 3


def test_progress_counts_the_discarded_pass_too() -> None:
    world, told = World(), []
    pipelines = arms(world, "A")
    measure_interleaved(
        pipelines,
        {"A": questions(20)},
        LatencySettings(passes=2),
        NoCache(),
        on_pass=lambda done, in_all: told.append((done, in_all)),
        clock=world.clock,
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_it_says_when_and_on_what_machine_and_is_what_a_report_takes() -> None:
    world = World()
    found = measured(world, arms(world, "A"))
    assert datetime.fromisoformat(found.when).tzinfo is not None
    assert {"processor", "cores", "python"} <= set(found.machine)
    assert inputs.Timing is Timing


def test_without_an_arm_there_is_nothing() -> None:
    assert measured(World(), {}).milliseconds == {}
