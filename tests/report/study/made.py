"""A study made by hand: ranked lists of ids in, what a report is made from out.

Values come from `measures.evaluate` and fates from `measures.fates`, as for any other lists.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.core.results import SCORED, Mean
from rag_ablation.experiment.factors import change
from rag_ablation.experiment.study import Role, Study, StudyArm
from rag_ablation.measures.evaluate import Evaluation, evaluate
from rag_ablation.measures.family import Step, compare_family
from rag_ablation.measures.fates import FATES, Fates, Units, Way, fates
from rag_ablation.measures.uncertainty import clustered_mean
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep
from rag_ablation.report.study.inputs import ArmResult, Row, Source, StudyResults, Timing
from rag_ablation.report.study.words import same

PRIMARY = "final/ndcg@10"
CUTOFFS = (1, 3, 5, 10, 50)
SLOTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "sparse": ("sparse", {"name": "bm25", "depth": 100}),
    "dense": ("dense", {"name": "sentence_transformers", "depth": 100}),
    "fused": ("fusion", {"name": "rrf", "rank_constant": 60, "window": 100, "weights": None, "unit": "passage"}),
    "reranked": ("rerank", {"name": "cross_encoder", "depth": 50, "keep_tail": True}),
}
TOP = {"name": "top", "depth": 10, "unit": "passage", "budget": None, "max_passages": None, "neighbours": 0}
Lists = Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was asked: one question, or several, by id.

    Args:
        gold: grade by unit, by question; a question without any is unscored.
        types: by question, `plain` where not given.
        groups: by question, its own where not given.
        clause_of: clause by passage; where given, labels and scoring are at the clause.
    """

    gold: Mapping[str, Mapping[str, int]]
    types: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, int] = field(default_factory=dict)
    clause_of: Mapping[str, str] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        return "clause" if self.clause_of else "passage"


def arm(key: str, asked: Asked, parents: tuple[str, ...] = (), /, **lists: Mapping[str, Sequence[str]]) -> ArmResult:
    """An arm of the ladder from its ranked lists by point (`sparse`, `dense`, `fused`, `reranked`), by question."""
    points = [point for point in SLOTS if point in lists]
    settings = {SLOTS[point][0]: dict(SLOTS[point][1]) for point in points} | {
        "context": dict(TOP),
        "dataset": {"sample": None},
        "access": {"split": "dev"},
        "scoring": {"unit": None, "relevant_from": 1, "cutoffs": list(CUTOFFS)},
    }
    evaluated = {point: _evaluated(asked, lists[point]) for point in points}
    evaluated |= {"final": evaluated[points[-1]], "context": _evaluated(asked, lists[points[-1]], TOP["depth"])}
    queries, found = sorted(asked.gold), _fates(asked, {point: lists[point] for point in points})
    groups = np.array([asked.groups.get(query, place) for place, query in enumerate(queries)], dtype=np.int64)
    values = {
        f"{point}/{measure}@{cutoff}": _column(one, queries, measure, cutoff)
        for point, one in evaluated.items()
        for measure, cutoff in one.means
        if measure not in ("recall_micro", "recall_weighted")
    }
    status = [evaluated["final"].status[query] for query in queries]
    record = ArmRecord(
        id=key,
        arm=f"{key} made",
        variant=f"preset_{key}",
        parents=(),
        status="finished",
        dataset="made",
        side="dev",
        final=points[-1],
        settings=settings,
        digests={"corpus": "c", "queries": "q", "labels": "l"},
        points={
            point: {
                f"{measure}@{cutoff}": _recorded(mean, values.get(f"{point}/{measure}@{cutoff}"), groups)
                for (measure, cutoff), mean in one.means.items()
            }
            for point, one in evaluated.items()
        },
        evidence={
            "unit": asked.unit,
            "counts": {str(fate): n for fate, n in found.counts().items()},
            "by_type": {},
            "group_counts": {},
            "gap": {part: float(share) for part, share in found.gap().items()},
            "gap_by_type": {},
        },
        counts={"questions": len(queries), "scored": status.count(SCORED), "groups": len(set(groups.tolist()))},
    )
    tables = {"fates": _fate_rows(asked, found), "top": _top_rows({point: lists[point] for point in points})}
    return ArmResult(
        arm=StudyArm(key=key, role=Role.LADDER, overrides=(), parents=parents),
        record=record,
        query_ids=queries,
        types=[asked.types.get(query, "plain") for query in queries],
        statuses=status,
        groups=groups,
        values=values,
        rows=lambda name, query: [row for row in tables[name] if query in (None, row["query_id"])],
        judged=lambda: {query: dict(own) for query, own in asked.gold.items() if own},
    )


def bracket(key: str, asked: Asked) -> ArmResult:
    """An arm that is handed the gold: a context, no ranking."""
    perfect = {query: sorted(own, key=lambda unit: -own[unit]) for query, own in asked.gold.items()}
    made = arm(key, asked, sparse=perfect)
    settings = {**made.record.settings, "context": {"name": "gold", "depth": 10}}
    del settings["sparse"]
    record = replace(made.record, final=None, settings=settings, points={"context": made.record.points["context"]})
    there = {name: column for name, column in made.values.items() if name.startswith("context/")}
    return replace(made, record=record, values=there, arm=replace(made.arm, role=Role.BRACKET))


def failed(key: str, parents: tuple[str, ...] = ()) -> ArmResult:
    """An arm that ended in an error."""
    nothing = arm(key, Asked(gold={"q1": {"a": 1}}), parents, sparse={"q1": ["a"]})
    record = replace(nothing.record, status="failed", error="no model", final=None, points={}, evidence={}, counts={})
    return ArmResult.failed(nothing.arm, record)


def set_to(made: ArmResult, **settings: Mapping[str, object]) -> ArmResult:
    """The same with other settings in some slots."""
    merged = {slot: {**made.record.settings.get(slot, {}), **given} for slot, given in settings.items()}
    return replace(made, record=replace(made.record, settings={**made.record.settings, **merged}))


def as_role(made: ArmResult, role: Role) -> ArmResult:
    """The same in another role."""
    return replace(made, arm=replace(made.arm, role=role))


def study(*arms: ArmResult, timing: Timing | None = None, source: Source | None = None) -> StudyResults:
    """Results of these arms, the first before its children."""
    declared = Study(
        name="made",
        question={},
        primary=PRIMARY,
        smallest_difference=0.02,
        strict=False,
        fail_fast=False,
        latency=None,
        arms=tuple(made.arm for made in arms),
    )
    return StudyResults(study=declared, arms=arms, timing=timing, source=source or Source(absent="no dataset"))


def ladder(results: StudyResults, *shown: str) -> Ladder:
    """The ladder of these results; `shown` by label."""
    pairs = [
        (child, parent)
        for child in results.arms
        for key in child.arm.parents
        if (parent := results.arm(key)) is not None and child.finished and parent.finished
    ]
    steps = tuple(_step(child, parent) for child, parent in pairs)
    rows = tuple(
        LadderRow(
            key=made.key,
            variant=made.record.variant,
            role=made.arm.role,
            changed=same(""),
            mean=made.record.mean("final", "ndcg@10"),
            steps=tuple(step for step in steps if step.child == made.key),
            note=None,
        )
        for made in results.arms
    )
    drawn = tuple(step for step in steps if step.label in shown)
    return Ladder(finding=same(""), measure=PRIMARY, rows=rows, shown=drawn, remark=None, side=())


def _step(child: ArmResult, parent: ArmResult) -> LadderStep:
    label = f"{child.key} − {parent.key}"
    (compared,) = compare_family(
        [Step(label, child.values[PRIMARY], parent.values[PRIMARY])], child.groups, resamples=20
    )
    return LadderStep(
        child=child.key,
        parent=parent.key,
        label=label,
        better_parent=False,
        change=change(parent.record.settings, child.record.settings),
        comparison=compared,
        refused=None,
        detectable=None,
        gaps=(),
    )


def _evaluated(asked: Asked, lists: Lists, depth: int | None = None) -> Evaluation:
    return evaluate(
        [
            {"id": query, "status": "reviewed" if own else "no_answer", "gold": own, "ranked": lists[query][:depth]}
            for query, own in sorted(asked.gold.items())
        ],
        cutoffs=CUTOFFS,
        gold_unit=asked.unit,
        dedup={"to": "clause", "map": asked.clause_of} if asked.clause_of else None,
    )


def _column(found: Evaluation, queries: Sequence[str], measure: str, cutoff: int) -> NDArray[np.float64]:
    values = [found.per_query.get(query, {}).get((measure, cutoff)) for query in queries]
    return np.array([np.nan if value is None else value for value in values])


def _recorded(mean: Mean, values: NDArray[np.float64] | None, groups: NDArray[np.int64]) -> RecordedMean:
    interval = None if values is None else clustered_mean(values, groups)
    return RecordedMean(
        value=mean.value,
        n=mean.n,
        excluded=mean.excluded,
        reason=mean.reason,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n_groups=None if interval is None else interval.n_groups,
    )


def _fates(asked: Asked, lists: Mapping[str, Lists]) -> Fates:
    """Fates with the settings of `SLOTS` and a context of ten."""
    queries = sorted(asked.gold)
    names = sorted({name for own in lists.values() for ranked in own.values() for name in ranked} | {*_units(asked)})
    row = {name: place for place, name in enumerate(names)}
    units = np.array([row.get(asked.clause_of.get(name, name), row[name]) for name in names], dtype=np.int32)

    def rows(point: str, depth: int | None = None) -> NDArray[np.int32]:
        width = max(len(lists[point][query]) for query in queries)
        table = np.full((len(queries), width), -1, dtype=np.int32)
        for place, query in enumerate(queries):
            ranked = lists[point][query]
            table[place, : len(ranked)] = [row[name] for name in ranked]
        return table[:, :depth]

    way = Way(
        lists={point: rows(point) for point in lists if point in ("sparse", "dense")},
        window=100,
        fused=rows("fused") if "fused" in lists else None,
        last=rows([*lists][-1]),
        context=rows([*lists][-1], 10),
        context_depth=10,
        rerank_depth=50 if "reranked" in lists else None,
    )
    gold = [
        (place, row[unit])
        for place, query in enumerate(queries)
        for unit, grade in sorted(asked.gold[query].items())
        if grade > 0
    ]
    pairs = np.array(gold, dtype=np.int64).reshape(-1, 2)
    return fates(way, units, Units(pairs[:, 0], pairs[:, 1], np.ones(len(pairs), dtype=bool)))


def _units(asked: Asked) -> list[str]:
    return [unit for own in asked.gold.values() for unit in own]


def _fate_rows(asked: Asked, found: Fates) -> list[Row]:
    gold = [(query, unit) for query in sorted(asked.gold) for unit, g in sorted(asked.gold[query].items()) if g > 0]
    return [
        {"query_id": query, "unit": unit, "grade": asked.gold[query][unit], "fate": str(FATES[found.codes[place]])}
        | {f"rank_{point}": int(ranks[place]) or None for point, ranks in found.ranks.items()}
        for place, (query, unit) in enumerate(gold)
    ]


def _top_rows(lists: Mapping[str, Lists]) -> list[Row]:
    return [
        {"query_id": query, "point": point, "rank": rank, "passage_id": name, "score": None}
        for point, own in lists.items()
        for query, ranked in own.items()
        for rank, name in enumerate(ranked[:10], start=1)
    ]
