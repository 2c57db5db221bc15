"""How an arm serves one question: its steps, made ready once, and what can be said of the times they take.

Legend: P passes, S sampled questions, K times of an answer (its steps in order, then the whole).
"""

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.structure import Structure
from rag_ablation.core.visibility import Visibility
from rag_ablation.experiment.experiment import LatencySettings
from rag_ablation.experiment.pipeline import POINT_OF_SLOT, Pipeline
from rag_ablation.experiment.rewriting import POINT as REWRITE
from rag_ablation.stages._joining import Texts, Wanted, search_texts
from rag_ablation.stages.base import ArrayCache, ContextBuilder, ContextInput, Index, NoCache, Rewriter

LEAST_QUESTIONS: Mapping[str, int] = {"mean": 20, "p50": 20, "p95": 60, "p99": 500}
END_TO_END = "end_to_end"
IF_PARALLEL = "end_to_end_if_parallel"
QUANTILES: Mapping[str, float] = {"p50": 0.5, "p95": 0.95, "p99": 0.99}

Question = tuple[Queries, Visibility]
Clock = Callable[[], float]
Made = TypeVar("Made")


@dataclass(slots=True)
class Asking:
    """One question on its way through an arm.

    Args:
        queries: the question.
        seen: what it may see.
        texts: what is searched for, None for the question as asked.
        lists: what was ranked so far, by point, in order.
    """

    queries: Queries
    seen: Visibility
    texts: Texts | None = None
    lists: dict[str, Rankings] = field(default_factory=dict)

    @property
    def last(self) -> Rankings:
        """The last ranking."""
        return self.lists[next(reversed(self.lists))]


Step = tuple[str, Callable[[Asking], None]]


class Workbench:
    """Indexes and rerankers in memory: stages of one kind and setting over the same passages share one.

    Args:
        cache: where the corpus' arrays come from; no ranking is ever read.
    """

    def __init__(self, cache: ArrayCache) -> None:
        """Nothing is made yet."""
        self._cache = cache
        self._made: list[tuple[object, Passages, object]] = []

    def steps(self, pipeline: Pipeline, evalset: EvalSet) -> tuple[Step, ...]:
        """The steps of an answer, one a filled slot, in order, up to the context; what they need is made here.

        Args:
            pipeline: the arm, without `auto`.
            evalset: whose passages it serves from.
        """
        passages, cache, found = evalset.passages, self._cache, list[Step]()
        if pipeline.rewrite is not None:
            found.append((REWRITE, _rewriting(pipeline.rewrite)))
        for slot, retriever in pipeline.retrievers().items():
            index = self._once(retriever, passages, lambda retriever=retriever: retriever.index(passages, cache))  # type: ignore[misc]
            found.append(_ranking(slot, _searching(index, retriever.depth)))
        fuser, reranker, builder = pipeline.fusion, pipeline.rerank, pipeline.context
        if fuser is not None:
            found.append(_ranking("fusion", lambda asking: fuser.fuse(dict(asking.lists), passages)))
        if reranker is not None:
            pairs = self._once(reranker, passages, lambda: reranker.prepare(passages, cache))
            found.append(_ranking("rerank", lambda asking: pairs.rerank(asking.last, asking.queries)))
        if builder is not None:
            corpus = self._once(Structure, passages, lambda: Structure(passages))
            found.append(_ranking("context", _building(builder, corpus)))
        return tuple(found)

    def _once(self, stage: object, passages: Passages, make: Callable[[], Made]) -> Made:
        """What was made for an equal stage over equal passages, else what is made now."""
        for other, over, made in self._made:
            if type(other) is type(stage) and other == stage and (over is passages or over == passages):
                return cast("Made", made)
        fresh = make()
        self._made.append((stage, passages, fresh))
        return fresh


def no_time(pipeline: Pipeline) -> str | None:
    """Why an arm has no serving time, None where it has one."""
    if not pipeline.retrievers():
        return "nothing is retrieved"
    if pipeline.context is not None and pipeline.context.needs_gold:
        return "the context is made of labels, which no server has"
    if pipeline.rewrite is not None and pipeline.rewrite.remote:
        return f"rewrite={pipeline.names['rewrite']} asks a server, whose time is not this machine's"
    return None


def too_few(questions: int) -> str | None:
    """Why a sample of so many questions says nothing, None where it says something."""
    least = LEAST_QUESTIONS["p50"]
    return f"{questions} questions; a median of serving time needs at least {least}" if questions < least else None


def sampled(evalset: EvalSet, settings: LatencySettings) -> list[int]:
    """Rows of the sampled questions, ascending; they depend on the seed and the number of questions alone."""
    n = len(evalset.queries)
    count = min(settings.questions, n)
    return sorted(np.random.default_rng(settings.seed).choice(n, count, replace=False).tolist())


def asked(evalset: EvalSet, rows: Sequence[int]) -> list[Question]:
    """These questions one by one, each with what it may see."""
    return [(evalset.queries.select([row]), evalset.visibility.select([row])) for row in rows]


def answer(steps: Sequence[Step], question: Question, clock: Clock) -> list[float]:
    """(K,) seconds of each step and of the whole, which is timed whole."""
    asking = Asking(*question)
    taken: list[float] = []
    begin = clock()
    for _, step in steps:
        start = clock()
        step(asking)
        taken.append(clock() - start)
    return [*taken, clock() - begin]


def milliseconds(steps: Sequence[Step], seconds: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    """Statistics by point; a question counts with the median of its passes.

    Args:
        steps: of the arm.
        seconds: (P, S, K) times of the passes that count.

    Returns:
        By stage point, `end_to_end` and, with two retrievers, `end_to_end_if_parallel` (the longer leg
        instead of both, answer by answer), the statistics that the sample is large enough for.
    """
    named = dict(zip([*(point for point, _ in steps), END_TO_END], np.moveaxis(seconds, -1, 0), strict=True))
    if {"sparse", "dense"} <= named.keys():
        named[IF_PARALLEL] = named[END_TO_END] - np.minimum(named["sparse"], named["dense"])
    return {name: _statistics(np.median(taken, axis=0) * 1000) for name, taken in named.items()}


def machine() -> dict[str, object]:
    """What the times were measured on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _rewriting(rewriter: Rewriter) -> Callable[[Asking], None]:
    """Nothing is taken from a store: what is timed is the work."""

    def rewrite(asking: Asking) -> None:
        asking.texts = rewriter.rewrite(asking.queries, NoCache()).texts

    return rewrite


def _ranking(slot: str, compute: Callable[[Asking], StageResult]) -> Step:
    """A step that adds a ranking at the slot's point."""
    point = POINT_OF_SLOT[slot]

    def step(asking: Asking) -> None:
        asking.lists[point] = compute(asking).rankings

    return point, step


def _searching(index: Index, depth: int) -> Callable[[Asking], StageResult]:
    def search(asking: Asking) -> StageResult:
        if asking.texts is None:
            return index.search(asking.queries, asking.seen)
        return search_texts(index, depth, Wanted(queries=asking.queries, texts=asking.texts, visible=asking.seen))

    return search


def _building(builder: ContextBuilder, corpus: Structure) -> Callable[[Asking], StageResult]:
    nothing = np.empty(0, dtype=np.int64)
    no_gold = Qrels.from_rows(nothing, nothing, nothing.astype(np.int8), (1, len(corpus.passages)))
    return lambda asking: builder.build(
        ContextInput(ranking=asking.last, gold=no_gold, queries=asking.queries, corpus=corpus, visible=asking.seen)
    )


def _statistics(values: NDArray[np.float64]) -> dict[str, float]:
    found = {"mean": float(values.mean())}
    found |= {name: float(np.quantile(values, share)) for name, share in QUANTILES.items()}
    return {name: value for name, value in found.items() if values.size >= LEAST_QUESTIONS[name]}
