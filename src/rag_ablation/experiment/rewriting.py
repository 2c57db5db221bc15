"""From questions to the texts that are searched for: computed once, kept, recorded.

Legend: Q questions.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from rag_ablation.core.digest import digest_json, digest_texts
from rag_ablation.core.errors import StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.queries import Queries
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import Rewriting
from rag_ablation.experiment.keys import stage_key
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.store import StageStore
from rag_ablation.experiment.timed import timed
from rag_ablation.stages._joining import Wanted
from rag_ablation.stages.base import HOW_ASKED, NoCache, Response, Rewriter, Rewritten

SLOT = POINT = "rewrite"


def rewriting_of(pipeline: Pipeline, queries: Queries, store: StageStore) -> Rewriting | None:
    """The texts of every question, from the store where they are there; None for an arm without a rewriter.

    A store that computes nothing lets a rewriter work that asks nobody, and keeps nothing; the texts of any other that
    are not there are not known.

    Args:
        pipeline: the arm, without `auto`.
        queries: (Q,) questions.
        store: where texts and responses are kept.

    Raises:
        StageError: the rewriter failed, or gave something that is no text to search for.
        ModelError: a model cannot be had.
    """
    rewriter = pipeline.rewrite
    if rewriter is None:
        return None
    name, inputs = pipeline.names[SLOT], {"queries": digest_texts(queries.texts)}
    settings = {field: value for field, value in pipeline.settings()[SLOT].items() if field not in HOW_ASKED}
    key = {**stage_key(rewriter, settings, inputs), "what": "texts"}
    kept = store.texts(key)
    if kept is None and rewriter.remote and not store.computes:
        return Rewriting(texts=None, stage=_recorded(name, {"texts": [], "seconds": float("nan"), "facts": {}}, False))
    entry = _made(rewriter, queries, key, store) if kept is None else kept
    texts = tuple(tuple(own) for own in cast("Sequence[Sequence[str]]", entry["texts"]))
    return Rewriting(texts=texts, stage=_recorded(name, entry, kept is not None))


def wanted_of(rewriting: Rewriting | None, evalset: EvalSet) -> Wanted | None:
    """What a retriever searches for; None where that is the questions as asked, or is not known.

    Args:
        rewriting: of the arm.
        evalset: the questions.
    """
    if rewriting is None or rewriting.texts is None:
        return None
    wanted = Wanted(queries=evalset.queries, texts=rewriting.texts, visible=evalset.visibility)
    return None if wanted.as_asked else wanted


def searched_inputs(rewriting: Rewriting | None, wanted: Wanted | None) -> dict[str, object]:
    """What the ranking of a retriever depends on beside the questions as asked.

    Args:
        rewriting: of the arm.
        wanted: what `wanted_of` made of it.
    """
    if wanted is not None:
        return {"texts_searched": digest_json([sorted({*own}) for own in wanted.texts])}
    return {} if rewriting is None or rewriting.texts is not None else {"texts_searched": None}


def rewriting_table(evalset: EvalSet, found: Rewriting) -> dict[str, Sequence[object]]:
    """Long-form columns: a row for each text of each question, in the order in which they were made.

    Args:
        evalset: the questions.
        found: their texts.
    """
    rows = [
        (query, place, text)
        for query, texts in zip(evalset.queries.ids, found.texts or (), strict=True)
        for place, text in enumerate(texts, start=1)
    ]
    return {name: [row[column] for row in rows] for column, name in enumerate(("query_id", "place", "text"))}


def _made(rewriter: Rewriter, queries: Queries, key: Mapping[str, object], store: StageStore) -> Response:
    made, seconds = timed(SLOT, lambda: rewriter.rewrite(queries, store if store.computes else NoCache()))
    _check(made, queries)
    entry: Response = {"texts": [list(own) for own in made.texts], "facts": dict(made.facts), "seconds": seconds}
    if made.complete and store.computes:
        store.keep_texts(key, entry)
    return entry


def _check(made: Rewritten, queries: Queries) -> None:
    if len(made.texts) != len(queries):
        raise StageError(SLOT, f"texts of {len(made.texts)} questions, expected {len(queries)}")
    for query, texts in zip(queries.ids, made.texts, strict=True):
        if not texts or not all(text.strip() for text in texts):
            raise StageError(SLOT, "found an empty text or none, expected at least one, none of them empty", query)
        if len(set(texts)) < len(texts):
            raise StageError(SLOT, "found a text twice, expected different ones", query)


def _recorded(name: str, entry: Response, reused: bool) -> RecordedStage:
    return RecordedStage(
        slot=SLOT,
        name=name,
        point=POINT,
        seconds=cast("float", entry["seconds"]),
        reused=reused,
        digest=digest_json(entry["texts"]),
        facts=dict(cast("Mapping[str, object]", entry["facts"])),
    )
