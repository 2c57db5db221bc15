"""The walk of one arm over one evaluation set: stages in order, each measured at its point."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from rag_ablation.core.corpus import Unit
from rag_ablation.core.digest import digest_arrays, digest_texts
from rag_ablation.core.errors import ModelError, RagAblationError, StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import SCORED, Answered, PointValues, Rewriting, RunResult, StageOutput, StageResult
from rag_ablation.core.structure import Structure
from rag_ablation.experiment.answering import answered, shown_gold, with_answers
from rag_ablation.experiment.evidence import evidence_of
from rag_ablation.experiment.experiment import Experiment, Scoring
from rag_ablation.experiment.gold import passage_gold
from rag_ablation.experiment.keys import stage_key
from rag_ablation.experiment.pipeline import POINT_OF_SLOT, Pipeline
from rag_ablation.experiment.rewriting import rewriting_of, searched_inputs, wanted_of
from rag_ablation.experiment.store import LookingStore, StageStore
from rag_ablation.measures.answers import POINT as ANSWER
from rag_ablation.measures.ranking import mean, question_status, score_point
from rag_ablation.stages._joining import search_texts
from rag_ablation.stages.base import ContextInput, Retriever, Stage

OnStage = Callable[[StageOutput], None]


@dataclass
class _Walk:
    """What has been rewritten and ranked so far."""

    evalset: EvalSet
    store: StageStore
    pipeline: Pipeline
    on_stage: OnStage
    outputs: list[StageOutput] = field(default_factory=list)
    rankings: dict[str, Rankings] = field(default_factory=dict)
    violations: int = 0
    rewriting: Rewriting | None = None
    inputs: dict[str, object] = field(init=False)

    def __post_init__(self) -> None:
        """What every stage of this walk depends on."""
        self.inputs = {
            "texts": digest_texts(self.evalset.passages.texts),
            "queries": digest_texts(self.evalset.queries.texts),
            "visible": self.evalset.visibility.digest(),
        }

    @property
    def last(self) -> Rankings | None:
        """The last ranking, None before the first."""
        return next(reversed(self.rankings.values())) if self.rankings else None


def run(experiment: Experiment, evalset: EvalSet, store: StageStore, on_stage: OnStage) -> RunResult:
    """Run every stage of an arm, from the store where it was computed before, and measure it.

    Args:
        experiment: a configuration without `auto`.
        evalset: one side of a dataset.
        store: where stage results live.
        on_stage: told of each stage when it is done.

    Returns:
        The result; every mean with its n and exclusions.

    Raises:
        StageError: a stage failed, or showed a question a passage that it may not see.
        ModelError: a model cannot be had.
    """
    walk = _Walk(evalset, store, experiment.pipeline, on_stage)
    _rank(walk)
    return _result(experiment, walk)


def look(experiment: Experiment, evalset: EvalSet, store: LookingStore) -> tuple[StageOutput | RecordedStage, ...]:
    """Which stages of an arm are in the store; nothing is ranked or scored, and no server is asked.

    Args:
        experiment: a configuration without `auto`.
        evalset: one side of a dataset.
        store: where stage results live.

    Returns:
        One output a stage, before them the rewriter where there is one; `reused` where it is there, else with no
        seconds (NaN) and an empty ranking.

    Raises:
        ModelError: a model cannot be had.
    """
    walk = _Walk(evalset, store, experiment.pipeline, lambda _: None)
    _rank(walk)
    return (*(() if walk.rewriting is None else (walk.rewriting.stage,)), *walk.outputs)


def _rank(walk: _Walk) -> None:
    """The stages in order, up to the context."""
    walk.rewriting = rewriting_of(walk.pipeline, walk.evalset.queries, walk.store)
    for part in (_retrieve, _fuse, _rerank, _context):
        part(walk)


def _retrieve(walk: _Walk) -> None:
    inputs = searched_inputs(walk.rewriting, wanted_of(walk.rewriting, walk.evalset))
    for slot, retriever in walk.pipeline.retrievers().items():
        search = partial(_search, walk, slot, retriever)
        walk.rankings[slot] = _stage(walk, slot, retriever, inputs, search)


def _search(walk: _Walk, slot: str, retriever: Retriever) -> StageResult:
    """Search for the questions as asked, as an arm without a rewriter does, or for what they were rewritten to."""
    evalset, wanted = walk.evalset, wanted_of(walk.rewriting, walk.evalset)
    index = retriever.index(evalset.passages, walk.store)

    def as_asked() -> StageResult:
        return index.search(evalset.queries, evalset.visibility)

    if wanted is None:
        return as_asked()
    key = stage_key(retriever, walk.pipeline.settings()[slot], walk.inputs)
    return search_texts(index, retriever.depth, wanted, lambda: walk.store.stage(key, as_asked).result)


def _fuse(walk: _Walk) -> None:
    fuser = walk.pipeline.fusion
    if fuser is None:
        return
    lists = dict(walk.rankings)
    inputs: dict[str, object] = {slot: rankings.digest() for slot, rankings in lists.items()}
    inputs["units"] = [
        digest_arrays({"rows": walk.evalset.passages.units(unit).rows}) for unit in (Unit.CLAUSE, Unit.DOCUMENT)
    ]
    fused = _stage(walk, "fusion", fuser, inputs, lambda: fuser.fuse(lists, walk.evalset.passages))
    walk.rankings["fusion"] = fused


def _rerank(walk: _Walk) -> None:
    reranker, pool = walk.pipeline.rerank, walk.last
    if reranker is None or pool is None:
        return

    def rescore() -> StageResult:
        return reranker.prepare(walk.evalset.passages, walk.store).rerank(pool, walk.evalset.queries)

    walk.rankings["rerank"] = _stage(walk, "rerank", reranker, {"pool": pool.digest()}, rescore)


def _context(walk: _Walk) -> None:
    builder = walk.pipeline.context
    if builder is None:
        return
    evalset = walk.evalset
    given = ContextInput(
        ranking=walk.last if builder.needs_ranking else None,
        gold=passage_gold(evalset),
        queries=evalset.queries,
        corpus=Structure(evalset.passages),
        visible=evalset.visibility,
    )
    inputs: dict[str, object] = {
        "ranking": None if given.ranking is None else given.ranking.digest(),
        "gold": digest_arrays({"keys": given.gold.keys, "grades": given.gold.grades}) if builder.needs_gold else None,
        "structure": given.corpus.digest(),
    }
    _stage(walk, "context", builder, inputs, lambda: builder.build(given))


def _stage(
    walk: _Walk, slot: str, stage: Stage, inputs: Mapping[str, object], compute: Callable[[], StageResult]
) -> Rankings:
    """Take a stage's result from the store or compute it, check it, and record it."""
    try:
        key = stage_key(stage, walk.pipeline.settings()[slot], {**walk.inputs, **inputs})
        stored = walk.store.stage(key, compute)
    except (StageError, ModelError):
        raise
    except (RagAblationError, ValueError, RuntimeError, OSError) as error:
        raise StageError(slot, f"{type(error).__name__}: {error}") from error
    rankings = stored.result.rankings
    walk.violations += walk.evalset.visibility.violations(rankings.passages)
    if walk.violations:
        raise StageError(slot, _leak(walk.evalset, rankings))
    output = StageOutput(
        slot=slot,
        name=walk.pipeline.names[slot],
        point=POINT_OF_SLOT[slot],
        result=stored.result,
        seconds=stored.seconds,
        reused=stored.reused,
        digest=rankings.digest(),
    )
    walk.outputs.append(output)
    walk.on_stage(output)
    return rankings


def _leak(evalset: EvalSet, rankings: Rankings) -> str:
    for row, query in enumerate(evalset.queries.ids):
        found = rankings.passages[row][rankings.passages[row] >= 0]
        hidden = found[~evalset.visibility.mask(row)[found]]
        if hidden.size:
            passage = evalset.passages.ids[int(hidden[0])]
            return f"question {query}: returned passage {passage}, which the question may not see"
    return "returned a passage that the question may not see"


def _result(experiment: Experiment, walk: _Walk) -> RunResult:
    evalset, scoring = walk.evalset, experiment.scoring
    points = {output.point: _scored(evalset, output.result.rankings, scoring) for output in walk.outputs}
    status = question_status(evalset, unit=scoring.unit or evalset.label_unit, relevant_from=scoring.relevant_from)
    if "context" in points:
        points["context"] = _with_tokens(points["context"], walk.outputs[-1].result, status)
    said = _answered(experiment, walk, status)
    if said is not None:
        points[ANSWER] = said.values
    final = walk.pipeline.final
    if final is not None:
        points["final"] = points[final]
    counts = {
        "questions": len(evalset.queries),
        "passages": len(evalset.passages),
        "groups": int(np.unique(evalset.groups[[reason == SCORED for reason in status]]).size),
        "access_violations": walk.violations,
        "unrestricted": evalset.visibility.n_unrestricted,
    }
    if evalset.relabelling is not None:
        counts |= {f"chunking_{name}": n for name, n in evalset.relabelling.counts().items()}
    counts |= {("scored" if reason == SCORED else f"excluded_{reason}"): n for reason, n in Counter(status).items()}
    evidence = evidence_of(
        walk.pipeline, evalset, walk.outputs, status, (scoring.unit or evalset.label_unit, scoring.relevant_from)
    )
    if evidence is not None and said is not None and said.absent is None:
        evidence = with_answers(evidence, evalset, said)
    return RunResult(
        outputs=tuple(walk.outputs),
        points=points,
        final=final,
        status=status,
        counts={"scored": 0, **counts},
        evidence=evidence,
        answered=said,
        rewriting=walk.rewriting,
    )


def _answered(experiment: Experiment, walk: _Walk, status: Sequence[str]) -> Answered | None:
    """Answers from the context, which is always the last output of an arm with a generator."""
    if walk.pipeline.generate is None:
        return None
    gold = shown_gold(passage_gold(walk.evalset), experiment.scoring.relevant_from)
    context = walk.outputs[-1].result.rankings
    return answered(walk.pipeline, walk.evalset, context, (gold, status), walk.store)


def _with_tokens(values: PointValues, context: StageResult, status: Sequence[str]) -> PointValues:
    """The context's length beside what it recalls; the cutoff in its name is the context's depth."""
    if "tokens" not in context.arrays:
        return values
    scored = np.array([reason == SCORED for reason in status], dtype=bool)
    tokens = np.where(scored, context.arrays["tokens"].astype(np.float64), np.nan)
    key = ("tokens", int(str(context.facts["context_depth"])))
    tokens_mean = {**values.means, key: mean(tokens, status)}
    return replace(values, per_query={**values.per_query, key: tokens}, means=tokens_mean)


def _scored(evalset: EvalSet, rankings: Rankings, scoring: Scoring) -> PointValues:
    return score_point(
        evalset,
        rankings,
        unit=scoring.unit or evalset.label_unit,
        cutoffs=scoring.cutoffs,
        measures=scoring.measures,
        relevant_from=scoring.relevant_from,
        type_weights=scoring.type_weights,
    )
