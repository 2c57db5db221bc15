"""Serving time of several arms in one process, each question put to all of them before the next.

A machine that slows down half-way slows all arms alike, so that only times taken this way are compared.

Legend: A arms, P passes, S sampled questions, K times of an answer.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from rag_ablation.core.errors import RagAblationError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.serving import (
    Clock,
    Question,
    Step,
    Workbench,
    answer,
    asked,
    machine,
    milliseconds,
    no_time,
    sampled,
    too_few,
)
from rag_ablation.stages.base import ArrayCache


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Serving time of several arms, one question after another, all arms on a question before the next.

    Args:
        milliseconds: by arm key, by point (`end_to_end` among them), by statistic (`p50`, `mean`, `p95`, `p99`).
        questions: size of the sample.
        passes: timed passes after one discarded.
        machine: what it was measured on.
        absent: why an arm has no time, by arm key.
        when: ISO time of the measurement.
        sample: ids of the questions that were asked.
    """

    milliseconds: Mapping[str, Mapping[str, Mapping[str, float]]]
    questions: int
    passes: int
    machine: Mapping[str, Any]
    absent: Mapping[str, str]
    when: str
    sample: tuple[str, ...] = ()


def measure_interleaved(
    pipelines: Mapping[str, Pipeline],
    evalsets: Mapping[str, EvalSet],
    settings: LatencySettings,
    cache: ArrayCache,
    on_pass: Callable[[int, int], None] = lambda _done, _in_all: None,
    *,
    clock: Clock = time.perf_counter,
) -> Timing:
    """Time arms as they would serve, side by side: batch size 1, models warm, the same questions for all.

    After one discarded pass, P are timed. The order in which the arms take a question changes from question
    to question and from pass to pass (`balanced_orders`). Arms with an equal stage over the same passages share
    one index or reranker in memory. What is inside an answer is that of `measure_latency`.

    Args:
        pipelines: the arms by key, without `auto`.
        evalsets: what each arm is asked and serves from, by key; the questions are the same, the passages need
            not be where arms are cut differently.
        settings: size of the sample, passes, seed.
        cache: where the corpus' arrays come from; no ranking is ever read.
        on_pass: called after each pass with how many are done and how many there are, the discarded one included.
        clock: seconds, only differences count.

    Returns:
        The times; an arm that has none, or whose stage fails on the way, stands in `absent` with the reason.

    Raises:
        ValueError: arms that are asked different questions.
    """
    evalsets = {arm: evalsets[arm] for arm in pipelines}
    _check_same_questions(evalsets)
    rows = sampled(next(iter(evalsets.values())), settings) if evalsets else []
    course, bench = _Course(clock), Workbench(cache)
    for arm, pipeline in pipelines.items():
        course.enter(arm, pipeline, evalsets[arm], rows, bench)
    course.run(settings.passes + 1, len(rows), on_pass)
    timed = course.running()
    return Timing(
        milliseconds={arm: milliseconds(course.steps[arm], np.array(course.seconds[arm][1:])) for arm in timed},
        questions=len(rows) if timed else 0,
        passes=settings.passes if timed else 0,
        machine=machine(),
        absent=course.absent,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        sample=tuple(evalsets[timed[0]].queries.ids[row] for row in rows) if timed else (),
    )


def balanced_orders(count: int) -> list[tuple[int, ...]]:
    """Orders in which every arm comes equally often at every place, and equally often right after every other.

    A mere rotation keeps neighbours: one arm would nearly always find the caches as the same other left them.

    Args:
        count: A, number of arms.

    Returns:
        A orders where A is even; twice as many, each with its reverse, where it is odd.

    References:
        Williams (1949), Experimental designs balanced for the estimation of residual effects of treatments.
    """
    zigzag = [-(place // 2) if place % 2 == 0 else (place + 1) // 2 for place in range(count)]
    orders = [tuple((start + step) % count for step in zigzag) for start in range(count)]
    return orders if count % 2 == 0 else orders + [order[::-1] for order in orders]


class _Course:
    """The arms that are still in the running, and the times they have taken."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.absent: dict[str, str] = {}
        self.steps: dict[str, tuple[Step, ...]] = {}
        self.questions: dict[str, list[Question]] = {}
        self.seconds: dict[str, list[list[list[float]]]] = {}
        """(P + 1, S, K) by arm, the discarded pass first."""

    def running(self) -> list[str]:
        """The arms that have not failed."""
        return [arm for arm in self.steps if arm not in self.absent]

    def enter(self, arm: str, pipeline: Pipeline, evalset: EvalSet, rows: list[int], bench: Workbench) -> None:
        """Make an arm ready, outside the clock, or say why it is not timed."""
        reason = no_time(pipeline) or too_few(len(rows))
        if reason is not None:
            self.absent[arm] = reason
            return
        try:
            self.steps[arm] = bench.steps(pipeline, evalset)
        except RagAblationError as error:
            self.absent[arm] = _told(error)
        self.questions[arm], self.seconds[arm] = asked(evalset, rows), []

    def run(self, passes: int, n_questions: int, on_pass: Callable[[int, int], None]) -> None:
        """Put every question to every arm, in an order that changes with question and pass."""
        for number in range(passes):
            arms = self.running()
            orders = balanced_orders(len(arms))
            if not arms:
                return
            for arm in arms:
                self.seconds[arm].append([])
            for place in range(n_questions):
                for turn in orders[(place + number) % len(orders)]:
                    self._answer(arms[turn], place)
            on_pass(number + 1, passes)

    def _answer(self, arm: str, place: int) -> None:
        if arm in self.absent:
            return
        try:
            self.seconds[arm][-1].append(answer(self.steps[arm], self.questions[arm][place], self.clock))
        except RagAblationError as error:
            self.absent[arm] = _told(error)


def _told(error: RagAblationError) -> str:
    return " ".join(str(error).split())


def _check_same_questions(evalsets: Mapping[str, EvalSet]) -> None:
    """Refuse arms whose times would be of different questions."""
    first = next(iter(evalsets), None)
    for arm, evalset in evalsets.items():
        if first is not None and evalset.queries.ids != evalsets[first].queries.ids:
            message = f"arms {first!r} and {arm!r} are asked different questions, expected the same ones for all arms"
            raise ValueError(message)
