"""Serving time of one arm: one question after another, warm, never from the store.

Legend: P passes, S sampled questions, K times of an answer.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rag_ablation.core.evalset import EvalSet
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.serving import Workbench, answer, asked, machine, milliseconds, no_time, sampled, too_few
from rag_ablation.stages.base import ArrayCache


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Serving time of one arm.

    Args:
        milliseconds: by stage point, `end_to_end` and, with two retrievers, `end_to_end_if_parallel`
            (the longer leg instead of both), the statistics that the sample is large enough for.
        questions: S.
        passes: P timed passes after one discarded.
        machine: what it was measured on.
        reason: why there is nothing, None where there is.
    """

    milliseconds: Mapping[str, Mapping[str, float]]
    questions: int
    passes: int
    machine: Mapping[str, object]
    reason: str | None = None


def absent(reason: str) -> Latency:
    """No latency, and why."""
    return Latency(milliseconds={}, questions=0, passes=0, machine={}, reason=reason)


def measure_latency(pipeline: Pipeline, evalset: EvalSet, settings: LatencySettings, cache: ArrayCache) -> Latency:
    """Time an arm as it would serve: batch size 1, models warm, one question after another.

    Rewriting, query analysis and encoding are inside; the corpus' postings, embeddings and the token vectors of
    passages seen in the discarded pass are ready beforehand. End to end is timed whole. Arms are compared on
    `measure_interleaved` only.

    Args:
        pipeline: the arm, without `auto`.
        evalset: where the sample comes from.
        settings: size of the sample, passes, seed.
        cache: where the corpus' arrays come from; no ranking is ever read.
    """
    rows = sampled(evalset, settings)
    reason = no_time(pipeline) or too_few(len(rows))
    if reason is not None:
        return absent(reason)
    steps, questions = Workbench(cache).steps(pipeline, evalset), asked(evalset, rows)
    passes = range(settings.passes + 1)
    seconds = np.array([[answer(steps, question, time.perf_counter) for question in questions] for _ in passes])
    return Latency(
        milliseconds=milliseconds(steps, seconds[1:]),
        questions=len(rows),
        passes=settings.passes,
        machine=machine(),
    )
