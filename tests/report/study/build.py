"""Small studies by hand: arms from a list of values each, and whatever else a test wants to say of them.

    study(arm("A", [0, 1, 1]), arm("B", [1, 1, None], parents=("A",)))

is a study of two arms on three questions, each a group of its own; None is a question that is not scored.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rag_ablation.core.record import ArmRecord, RecordedMean, RecordedStage
from rag_ablation.experiment.study import Role, Study, StudyArm, Sweep, Watched
from rag_ablation.measures.fates import FATES
from rag_ablation.measures.uncertainty import clustered_mean
from rag_ablation.report.study.inputs import ArmResult, Row, Skipped, Source, StudyResults, Timing

PRIMARY = "final/ndcg@10"
DIGESTS = {
    "config": "0" * 64,
    "code": "1" * 64,
    "corpus": "2" * 64,
    "queries": "3" * 64,
    "labels": "4" * 64,
    "split": "5" * 64,
    "visibility": "6" * 64,
}
SHARED: Mapping[str, Any] = {
    "context": {"name": "top", "depth": 10},
    "dataset": {"sample": None},
    "access": {"split": "dev", "identity": None, "as_of": None, "versions": "all"},
    "scoring": {"unit": None, "cutoffs": [10], "relevant_from": 1},
}
BM25 = {"sparse": {"name": "bm25", "idf": "okapi", "analyser": "jieba", "depth": 100}}
DENSE = {"dense": {"name": "sentence_transformers", "model": "e5_small", "depth": 100}}
RRF = {**BM25, **DENSE, "fusion": {"name": "rrf", "rank_constant": 60, "window": 100}}
RERANK = {"rerank": {"name": "cross_encoder", "model": "small", "depth": 50}}
GOLD = {"context": {"name": "gold", "depth": 10}}
ENVIRONMENT: Mapping[str, Any] = {
    "python": "3.11.7",
    "libraries": {"rag-ablation": "0.1.0", "numpy": "2.4.6"},
    "models": {},
    "commit": "abcdef0123456",
    "dirty": False,
}


def arm(
    key: str,
    values: Sequence[float | None],
    *,
    parents: Sequence[str] = (),
    settings: Mapping[str, Any] = BM25,
    role: Role = Role.LADDER,
    groups: Sequence[int] | None = None,
    types: Sequence[str] | None = None,
    statuses: Sequence[str] | None = None,
    columns: Mapping[str, Sequence[float | None]] | None = None,
    tables: Mapping[str, Sequence[Row]] | None = None,
    judged: Mapping[str, Mapping[str, int]] | None = None,
    **record: Any,
) -> ArmResult:
    """A finished arm.

    Args:
        key: in the study.
        values: of `final/ndcg@10`, one for each question q001, q002, …; None where unscored.
        parents: keys.
        settings: filled slots; what every configuration holds besides is put beneath.
        role: step, member of a sweep, or bracket.
        groups: of the questions; None: each its own.
        types: of the questions; None: all `plain`.
        statuses: of the questions; None: `scored`, or `no_answer` where there is no value.
        columns: further values by `point/measure@cutoff`.
        tables: rows of `fates`, `context` or `top`.
        judged: grades by question and unit.
        record: fields of the record that shall differ.
    """
    ids = [f"q{place:03d}" for place in range(1, len(values) + 1)]
    members = np.arange(len(values)) if groups is None else np.array(groups)
    said = list(statuses or ["no_answer" if value is None else "scored" for value in values])
    found = {name: floats(column) for name, column in {PRIMARY: values, **(columns or {})}.items()}
    counts = {"questions": len(ids), "passages": 40, "scored": said.count("scored"), "access_violations": 0}
    made = {
        **_identity(key, settings),
        "status": "finished",
        "final": "sparse",
        "digests": DIGESTS,
        "points": _points(found, members),
        "counts": counts,
        "environment": ENVIRONMENT,
        **record,
    }
    if "evidence" in record:
        made["evidence"] = _evidence(record["evidence"])
    rows = tables or {}
    return ArmResult(
        arm=StudyArm(key=key, role=role, overrides=(), parents=tuple(parents)),
        record=ArmRecord(**made),
        query_ids=ids,
        types=list(types or ["plain"] * len(ids)),
        statuses=said,
        groups=members.astype(np.int64),
        values=found,
        rows=lambda name, query: [row for row in rows.get(name, ()) if query in (None, row["query_id"])],
        judged=lambda: judged or {},
    )


def bracket(key: str, n: int, *, settings: Mapping[str, Any] = GOLD, recall: float = 1.0, **record: Any) -> ArmResult:
    """An arm without a ranking, whose context is handed to it."""
    made = arm(key, [recall] * n, role=Role.BRACKET, settings=settings, final=None, **record)
    points = {"context": {"recall@10": RecordedMean(value=recall, n=n, excluded={}, n_groups=n)}}
    record_fields = {**_fields(made.record), "points": points}
    return _with(made, ArmRecord(**record_fields), {"context/recall@10": made.values[PRIMARY]})


def failed(key: str, error: str = "no model", *, parents: Sequence[str] = (), **record: Any) -> ArmResult:
    """An arm that did not end: a state, a reason, no numbers."""
    made = {**_identity(key, record.pop("settings", BM25)), "status": "failed", "error": error, **record}
    declared = StudyArm(key=key, role=Role.LADDER, overrides=(), parents=tuple(parents))
    return ArmResult.failed(declared, ArmRecord(**made))


def skipped(key: str, reason: str = "its model cannot be had", *, parents: Sequence[str] = ()) -> Skipped:
    """An arm that was not run."""
    declared = StudyArm(key=key, role=Role.LADDER, overrides=("variant=rerank",), parents=tuple(parents), optional=True)
    return Skipped(arm=declared, reason=reason)


def stage(slot: str, name: str, **facts: Any) -> RecordedStage:
    """A stage that counted something."""
    return RecordedStage(slot=slot, name=name, point=slot, seconds=1.0, reused=False, digest=slot + name, facts=facts)


def timing(milliseconds: Mapping[str, float], *, questions: int = 20, passes: int = 1, **absent: str) -> Timing:
    """Median serving time of arms, and why others have none."""
    found = {key: {"end_to_end": {"p50": value, "mean": value}} for key, value in milliseconds.items()}
    return Timing(
        milliseconds=found,
        questions=questions,
        passes=passes,
        machine={"cores": 2},
        absent=absent,
        when="2026-03-15T10:00:00+00:00",
    )


def study(
    *arms: ArmResult | Skipped,
    sweeps: Sequence[Sweep] = (),
    watched: Sequence[Watched] = (),
    smallest_difference: float = 0.02,
    primary: str = PRIMARY,
    timing: Timing | None = None,
    source: Source | None = None,
    commands: Sequence[str] = (),
    undeclared: Sequence[StudyArm] = (),
    not_reached: Mapping[str, str] | None = None,
    **declared: Any,
) -> StudyResults:
    """A study and its results.

    Args:
        arms: run or skipped, in the order of the study.
        sweeps: of settings.
        watched: differences asked for by name.
        smallest_difference: that matters.
        primary: measure of the family.
        timing: serving times.
        source: the dataset's own words.
        commands: how to repeat it.
        undeclared: arms of the study that were neither run nor skipped.
        not_reached: why some of those were not, by key.
        declared: fields of the study that shall differ.
    """
    made: dict[str, Any] = {
        "name": "made",
        "question": {"en": "What pays?", "zh": "哪一步值得？"},
        "primary": primary,
        "smallest_difference": smallest_difference,
        "strict": False,
        "fail_fast": False,
        "latency": None,
        "arms": (*(found.arm for found in arms), *undeclared),
        "sweeps": tuple(sweeps),
        "watched": tuple(watched),
        **declared,
    }
    return StudyResults(
        study=Study(**made),
        arms=tuple(found for found in arms if isinstance(found, ArmResult)),
        skipped=tuple(found for found in arms if isinstance(found, Skipped)),
        not_reached=not_reached or {},
        timing=timing,
        source=source or Source(n_documents=4),
        commands=tuple(commands),
    )


def floats(values: Sequence[float | None]) -> Any:
    """NaN for None."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def ups(n: int, of: int, *, by: float = 0.5, base: float = 0.2) -> list[float]:
    """`of` values at the base, the first n of them higher."""
    return [base + by if place < n else base for place in range(of)]


def _evidence(given: Mapping[str, Any]) -> dict[str, Any]:
    """Whole evidence from its counts: what is not kept was lost in retrieval, every unit weighing the same."""
    counts = {fate: given["counts"].get(fate, 0) for fate in FATES}
    lost = 1 - counts["kept"] / max(1, sum(counts.values()))
    gap = dict.fromkeys(("fusion", "reranking", "promotion", "context", "redundant"), 0.0)
    found = {"unit": "passage", "by_type": {}, "group_counts": {}, "gap": {"retrieval": lost, **gap}, "gap_by_type": {}}
    return {**found, **given, "counts": counts}


def _identity(key: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"20260314-101500-{key}",
        "arm": f"{key} name",
        "variant": f"variant_{key}",
        "parents": (),
        "dataset": "made",
        "source": {"path": "data/made", "qrels": None},
        "side": "dev",
        "split": "default",
        "settings": {**SHARED, **settings},
    }


def _points(found: Mapping[str, Any], groups: Any) -> dict[str, dict[str, RecordedMean]]:
    points: dict[str, dict[str, RecordedMean]] = {}
    for column, values in found.items():
        point, _, measure = column.partition("/")
        interval = clustered_mean(values, groups)
        points.setdefault(point, {})[measure] = RecordedMean(
            value=interval.mean,
            n=interval.n,
            excluded={},
            reason=None if interval.mean is not None else "nothing is scored",
            low=interval.low,
            high=interval.high,
            n_groups=interval.n_groups,
        )
    return points


def _fields(record: ArmRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in ArmRecord.__dataclass_fields__}


def _with(made: ArmResult, record: ArmRecord, values: Mapping[str, Any]) -> ArmResult:
    return ArmResult(
        arm=made.arm,
        record=record,
        query_ids=made.query_ids,
        types=made.types,
        statuses=made.statuses,
        groups=made.groups,
        values=values,
        rows=made.rows,
        judged=made.judged,
    )
