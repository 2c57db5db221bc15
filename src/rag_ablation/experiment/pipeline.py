"""Which stages an arm has, in which order, and what makes a set of stages runnable."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Protocol, Self, cast

from rag_ablation.core.errors import Problem
from rag_ablation.stages.answering import Generator, Judge
from rag_ablation.stages.base import Chunker, ContextBuilder, Fuser, Reranker, Retriever, Rewriter, Stage

POINT_OF_SLOT: Mapping[str, str] = {
    "sparse": "sparse",
    "dense": "dense",
    "fusion": "fused",
    "rerank": "reranked",
    "context": "context",
}
ORDER = ("rewrite", *POINT_OF_SLOT, "generate", "judge")
RANKING_POINTS = ("sparse", "dense", "fused", "reranked")
RETRIEVERS = ("sparse", "dense")
FINAL = "final"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """The slots of one arm; None is an empty slot.

    Args:
        names: name of the stage in each filled slot.
        chunking: cuts the passages before anything is indexed.
        rewrite: puts the questions into other words before anything is searched.
        sparse: lexical retriever.
        dense: retriever by embeddings.
        fusion: makes one ranking of two.
        rerank: rescores the head of the last ranking.
        context: chooses what the generator is shown.
        generate: answers from the context.
        judge: says whether the answers are right.
    """

    names: Mapping[str, str]
    chunking: Chunker | None = None
    rewrite: Rewriter | None = None
    sparse: Retriever | None = None
    dense: Retriever | None = None
    fusion: Fuser | None = None
    rerank: Reranker | None = None
    context: ContextBuilder | None = None
    generate: Generator | None = None
    judge: Judge | None = None

    def filled(self) -> Iterator[tuple[str, Stage]]:
        """Filled slots behind the chunking, in order, with their stages."""
        for slot in ORDER:
            stage = getattr(self, slot)
            if stage is not None:
                yield slot, stage

    def retrievers(self) -> dict[str, Retriever]:
        """The retrievers by slot."""
        return {slot: stage for slot in RETRIEVERS if (stage := getattr(self, slot)) is not None}

    @property
    def points(self) -> tuple[str, ...]:
        """The measuring points in order, without `final`."""
        return tuple(POINT_OF_SLOT[slot] for slot, _ in self.filled() if slot in POINT_OF_SLOT)

    @property
    def final(self) -> str | None:
        """The last ranking point, None where the arm ranks nothing."""
        ranking = [point for point in self.points if point in RANKING_POINTS]
        return ranking[-1] if ranking else None

    def measures_at(self, point: str) -> bool:
        """Whether the arm has a measuring point; `final` is its last ranking point."""
        return point in self.points or (point == FINAL and self.final is not None)

    def problems(self) -> list[Problem]:
        """What keeps these stages from running together."""
        found: list[Problem] = []
        retrievers = self.retrievers()
        if len(retrievers) > 1 and self.fusion is None:
            found.append(_problem("fusion", "none", "a fuser, since there are two retrievers, for example rrf"))
        if self.fusion is not None and len(retrievers) < 2:
            found.append(_problem("fusion", self.names["fusion"], f"fusion=none with {len(retrievers)} retriever"))
        if self.rerank is not None and not retrievers:
            found.append(_problem("rerank", self.names["rerank"], "rerank=none, since there is no retriever"))
        if self.context is not None and self.context.needs_ranking and not retrievers:
            found.append(_problem("context", self.names["context"], "a retriever, or context=gold: nothing is ranked"))
        if self.rewrite is not None and not retrievers:
            found.append(_problem("rewrite", self.names["rewrite"], "rewrite=none, since there is no retriever"))
        if self.generate is not None and self.context is None:
            found.append(_problem("generate", self.names["generate"], "a context, for example top"))
        if self.judge is not None and self.generate is None:
            found.append(_problem("judge", self.names["judge"], "a generator, for example generate=extractive"))
        if self.fusion is not None:
            found += [
                _problem("fusion.window", str(self.fusion.window), f"at most {slot}.depth, which is {stage.depth}")
                for slot, stage in retrievers.items()
                if stage.depth < self.fusion.window
            ]
        return found

    def resolved(self, language: str) -> Self:
        """The same with every `auto` replaced by what it stands for.

        A reranker that reads the dense model's vectors takes the model of the dense slot.

        Args:
            language: language of the dataset.
        """
        changed: dict[str, object] = {}
        for slot, stage in self.filled():
            if slot == "rerank" and self.names[slot] == "late_interaction" and self.dense is not None:
                stage = _with_model_of(stage, changed.get("dense", self.dense))  # noqa: PLW2901
            changed[slot] = stage.resolved(language) if hasattr(stage, "resolved") else stage
        return replace(self, **cast("Any", changed))

    def settings(self) -> dict[str, dict[str, object]]:
        """Settings of the filled slots, by slot."""
        before: list[tuple[str, Stage]] = [] if self.chunking is None else [("chunking", self.chunking)]
        return {slot: {"name": self.names[slot], **_settings(stage)} for slot, stage in (*before, *self.filled())}


class _HasModel(Protocol):
    model: str


def _with_model_of(stage: Stage, other: object) -> Stage:
    own = cast("_HasModel", stage)
    model = getattr(other, "model", "auto")
    return cast("Stage", replace(cast("Any", stage), model=model)) if own.model == "auto" else stage


def _settings(stage: Stage) -> dict[str, object]:
    settings = asdict(cast("Any", stage))
    return {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}


def _problem(field: str, found: str, expected: str) -> Problem:
    return Problem(field=field, found=found, expected=expected)
