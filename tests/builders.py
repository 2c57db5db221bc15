"""Hand-made nouns of a few lines."""

from collections.abc import Mapping, Sequence
from datetime import date

import numpy as np

from rag_ablation.core.corpus import Passage, Passages, Unit
from rag_ablation.core.evalset import EvalSet, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.core.visibility import Access, Versions, Visibility, visibility
from rag_ablation.experiment.experiment import DatasetSettings, Experiment, Scoring, TrackingSettings, VariantSettings
from rag_ablation.experiment.pipeline import Pipeline

OPEN = Access(identities={})


def passage(id: str, text: str, *, acl: Sequence[str] | None = None, **fields: object) -> Passage:
    values: dict[str, object] = {"title": "", "doc_id": "doc", "location": id, "metadata": {}, **fields}
    return Passage(id=id, text=text, acl=None if acl is None else frozenset(acl), **values)  # type: ignore[arg-type]


def passages(texts: Mapping[str, str]) -> Passages:
    return Passages(tuple(passage(id, texts[id]) for id in sorted(texts)))


def queries(texts: Mapping[str, str], **fields: object) -> Queries:
    return Queries(tuple(Query(id=id, text=texts[id], metadata={}, **fields) for id in sorted(texts)))  # type: ignore[arg-type]


def see_all(corpus: Passages, questions: Queries) -> Visibility:
    return visibility(corpus, questions, OPEN)


def evaluation_set(
    corpus: Passages,
    questions: Queries,
    gold: Mapping[str, Mapping[str, int]],
    access: Access = OPEN,
) -> EvalSet:
    rows = corpus.row_of()
    judged = [
        (query, rows[id], grade)
        for query, row in enumerate(questions.rows)
        for id, grade in gold.get(row.id, {}).items()
    ]
    columns = np.array(judged, dtype=np.int64).reshape(-1, 3)
    shape = (len(questions), len(corpus))
    qrels = Qrels.from_rows(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int8), shape)
    return EvalSet(
        name="made",
        language="en",
        split=None,
        side="none",
        passages=corpus,
        queries=questions,
        groups=np.arange(len(questions), dtype=np.int32),
        qrels=qrels,
        removed=qrels.without(np.ones(qrels.keys.size, dtype=bool)),
        evidence_groups=EvidenceGroups.none(),
        label_unit=Unit.PASSAGE,
        visibility=visibility(corpus, questions, access),
        fingerprints={"corpus": "c", "queries": "q", "labels": "l"},
    )


def experiment(pipeline: Pipeline) -> Experiment:
    """An arm of these stages over the whole of a set, cut at 1 and 2."""
    return Experiment(
        variant=VariantSettings(name="made"),
        pipeline=pipeline,
        dataset=DatasetSettings(path="x"),
        side="none",
        identity=None,
        as_of=None,
        versions=Versions.ALL,
        scoring=Scoring(cutoffs=(1, 2), measures=("recall", "mrr", "judged")),
        latency=None,
        tracking=TrackingSettings(),
    )


__all__ = ["OPEN", "Status", "date", "evaluation_set", "experiment", "passage", "passages", "queries", "see_all"]
