"""Serving time: one question after another, warm, never from the store.

Legend: S sampled questions, P passes.
"""

import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.structure import Structure
from rag_ablation.core.visibility import Visibility
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.pipeline import POINT_OF_SLOT, Pipeline
from rag_ablation.stages.base import ArrayCache, ContextInput

LEAST_QUESTIONS: Mapping[str, int] = {"mean": 20, "p50": 20, "p95": 60, "p99": 500}
END_TO_END = "end_to_end"
IF_PARALLEL = "end_to_end_if_parallel"

Step = tuple[str, Callable[[Queries, Visibility, dict[str, Rankings]], StageResult]]


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

    Query analysis and encoding are inside; the corpus' postings, embeddings and the token vectors of
    passages seen in the discarded pass are ready beforehand. End to end is timed whole.

    Args:
        pipeline: the arm, without `auto`.
        evalset: where the sample comes from.
        settings: size of the sample, passes, seed.
        cache: where the corpus' arrays come from; no ranking is ever read.
    """
    if not pipeline.retrievers():
        return absent("nothing is retrieved")
    if pipeline.context is not None and pipeline.context.needs_gold:
        return absent("the context is made of labels, which no server has")
    count = min(settings.questions, len(evalset.queries))
    if count < LEAST_QUESTIONS["p50"]:
        least = LEAST_QUESTIONS["p50"]
        return absent(f"{count} questions; a median of serving time needs at least {least}")
    rows = sorted(np.random.default_rng(settings.seed).choice(len(evalset.queries), count, replace=False).tolist())
    questions = [(evalset.queries.select([row]), evalset.visibility.select([row])) for row in rows]
    steps = _steps(pipeline, evalset, cache)
    seconds = np.array([_pass(steps, questions) for _ in range(settings.passes + 1)])[1:]
    per_question = np.median(seconds, axis=0) * 1000
    named = dict(zip([*(point for point, _ in steps), END_TO_END], per_question.T, strict=True))
    if {"sparse", "dense"} <= named.keys():
        legs = np.stack([named["sparse"], named["dense"]])
        named[IF_PARALLEL] = named[END_TO_END] - legs.sum(axis=0) + legs.max(axis=0)
    return Latency(
        milliseconds={name: _statistics(values) for name, values in named.items()},
        questions=count,
        passes=settings.passes,
        machine=machine(),
    )


def machine() -> dict[str, object]:
    """What the times were measured on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _steps(pipeline: Pipeline, evalset: EvalSet, cache: ArrayCache) -> list[Step]:
    """One callable a stage; indexes are built here, outside the clock."""
    steps: list[Step] = []
    for slot, retriever in pipeline.retrievers().items():
        index = retriever.index(evalset.passages, cache)
        steps.append((POINT_OF_SLOT[slot], lambda queries, seen, _, index=index: index.search(queries, seen)))  # type: ignore[misc]
    fuser, reranker, builder = pipeline.fusion, pipeline.rerank, pipeline.context
    if fuser is not None:
        steps.append((POINT_OF_SLOT["fusion"], lambda _, __, lists: fuser.fuse(dict(lists), evalset.passages)))
    if reranker is not None:
        pairs = reranker.prepare(evalset.passages, cache)
        steps.append((POINT_OF_SLOT["rerank"], lambda queries, _, lists: pairs.rerank(_last(lists), queries)))
    if builder is not None:
        corpus = Structure(evalset.passages)
        nothing = np.empty(0, dtype=np.int64)
        no_gold = Qrels.from_rows(nothing, nothing, nothing.astype(np.int8), (1, len(evalset.passages)))
        steps.append(
            (
                POINT_OF_SLOT["context"],
                lambda queries, seen, lists: builder.build(
                    ContextInput(
                        ranking=_last(lists),
                        gold=no_gold,
                        queries=queries,
                        corpus=corpus,
                        visible=seen,
                    )
                ),
            )
        )
    return steps


def _last(lists: Mapping[str, Rankings]) -> Rankings:
    return next(reversed(lists.values()))  # type: ignore[call-overload, no-any-return]


def _pass(steps: list[Step], questions: list[tuple[Queries, Visibility]]) -> NDArray[np.float64]:
    """(S, steps + 1) seconds; the last column is the whole."""
    taken = np.empty((len(questions), len(steps) + 1))
    for row, (queries, seen) in enumerate(questions):
        lists: dict[str, Rankings] = {}
        begin = time.perf_counter()
        for column, (point, step) in enumerate(steps):
            start = time.perf_counter()

            lists[point] = step(queries, seen, lists).rankings
            taken[row, column] = time.perf_counter() - start
        taken[row, -1] = time.perf_counter() - begin
    return taken


def _statistics(values: NDArray[np.float64]) -> dict[str, float]:
    quantiles = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    found = {"mean": float(values.mean())}
    found |= {name: float(np.quantile(values, share)) for name, share in quantiles.items()}
    return {name: value for name, value in found.items() if values.size >= LEAST_QUESTIONS[name]}
