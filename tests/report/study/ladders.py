"""Ladders computed from made-up values: intervals, tests and words come from the same measures as in a study."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.factors import Change
from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Step, compare_family
from rag_ablation.measures.uncertainty import clustered_mean
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep
from rag_ablation.report.study.words import Kind, Piece, Text, code, text

QUESTIONS, GROUPS = 127, 57
MEASURE = "final/ndcg@10"


class Made(NamedTuple):
    """An arm to make up: how good it is, what it is compared with, what it changes."""

    key: str
    variant: str
    quality: float
    parents: tuple[str, ...]
    change: tuple[str, ...]
    changed: Text


EIGHT = (
    Made("A", "bm25", 0.66, (), (), text("BM25, jieba", "BM25，jieba 分词")),
    Made("B", "dense", 0.74, ("A",), ("retrievers {bm25} → {dense}",), text("dense replaces BM25", "稠密替换 BM25")),
    Made("C", "rrf", 0.79, ("A", "B"), ("retrievers {bm25} → {bm25, dense}",), text("A, B fused by RRF", "A、B 以 RRF 融合")),
    Made("A+D", "bm25_rerank", 0.83, ("A",), ("rerank none → cross_encoder",), text("A, first 50 reranked", "A 的前 50 重排")),
    Made("B+D", "dense_rerank", 0.86, ("B",), ("rerank none → cross_encoder",), text("B, first 50 reranked", "B 的前 50 重排")),
    Made("D′", "late_interaction", 0.80, ("C",), ("rerank none → late_interaction",), text("C, first 50 reranked", "C 的前 50 重排")),
    Made("D", "rerank", 0.87, ("C", "A+D", "B+D"), ("rerank none → cross_encoder", "dense.depth 50 → 100"), text("C, first 50 reranked", "C 的前 50 重排")),
)  # fmt: skip


@cache
def groups(n: int = QUESTIONS, n_groups: int = GROUPS) -> NDArray[np.int64]:
    return np.sort(np.arange(n) % n_groups).astype(np.int64)


def values_of(made: Sequence[Made], n: int = QUESTIONS) -> dict[str, NDArray[np.float64]]:
    """Arms agree on most questions, as real ones do."""
    rng = np.random.default_rng(11)
    ease, found = rng.random(n), {}
    for arm in made:
        own = np.where(rng.random(n) < 0.3, rng.random(n), ease)
        found[arm.key] = np.where(own < arm.quality, np.where(own < arm.quality - 0.2, 1.0, 0.631), 0.0)
    return found


def mean_of(values: NDArray[np.float64], of_groups: NDArray[np.int64]) -> RecordedMean:
    found = clustered_mean(values, of_groups)
    return RecordedMean(
        value=found.mean, n=found.n, excluded={}, low=found.low, high=found.high, n_groups=found.n_groups
    )


def label_of(child: str, parent: str) -> str:
    first, second = (f"({name})" if "+" in name else name for name in (child, parent))
    return f"{first} − {second}"


def steps_of(
    made: Sequence[Made], values: Mapping[str, NDArray[np.float64]], of_groups: NDArray[np.int64]
) -> dict[tuple[str, str], LadderStep]:
    pairs = [(arm, parent) for arm in made for parent in arm.parents]
    family = [Step(label_of(arm.key, parent), values[arm.key], values[parent]) for arm, parent in pairs]
    compared = compare_family(family, of_groups, resamples=200)
    found = {}
    for (arm, parent), comparison in zip(pairs, compared, strict=True):
        best = max(arm.parents, key=lambda key: float(values[key].mean()))
        found[arm.key, parent] = LadderStep(
            child=arm.key,
            parent=parent,
            label=label_of(arm.key, parent),
            better_parent=len(arm.parents) > 1 and parent == best,
            change=Change(arm.change),
            comparison=comparison,
            refused=None,
            detectable=0.084,
            gaps=tuple(sorted((values[arm.key] - values[parent]).tolist(), reverse=True)),
        )
    return found


def bracket(key: str, variant: str, note: Text, changed: Text) -> LadderRow:
    return LadderRow(key=key, variant=variant, role=Role.BRACKET, changed=changed, mean=None, steps=(), note=note)


BRACKETS = (
    bracket(
        "Oracle",
        "oracle",
        text("no ranking, so no nDCG; the ceiling of context recall, 1.000 (n 127)", "没有排序，故无 nDCG；上下文召回的上限 1.000（n 127）"),
        text("the evidence itself as context", "直接以证据为上下文"),
    ),
    bracket("Floor", "closed_book", text("no ranking; the floor", "没有排序；下限"), text("no context", "没有上下文")),
)  # fmt: skip


def ladder_of(made: Sequence[Made] = EIGHT, *, n: int = QUESTIONS, n_groups: int = GROUPS) -> Ladder:
    """A ladder from made-up arms, with its brackets."""
    values, of_groups = values_of(made, n), groups(n, n_groups)
    steps = steps_of(made, values, of_groups)
    start = text("start of the ladder: nothing to compare with", "阶梯起点：没有可比的")
    rows = tuple(
        LadderRow(
            key=arm.key,
            variant=arm.variant,
            role=Role.LADDER,
            changed=arm.changed,
            mean=mean_of(values[arm.key], of_groups),
            steps=tuple(steps[arm.key, parent] for parent in arm.parents),
            note=None if arm.parents else start,
        )
        for arm in made
    )
    count = f"these {n} questions ({n_groups} groups)"
    return Ladder(
        finding=text(
            (
                f"{len(steps)} declared steps; whether each is better, worse or not distinguishable on {count} stands below.",
            ),
            (f"预先声明 {len(steps)} 步；每一步在这 {n} 题（{n_groups} 组）上更好、更差还是无法区分，见下。",),
        ),
        measure=MEASURE,
        rows=(*rows, *BRACKETS),
        shown=tuple(steps.values())[:3],
        remark=text(
            ("Of two parents the better one counts: against ", code("B"), " the gain is small."),
            ("两个来源中较好者才算数：相对 ", code("B"), " 增益不大。"),
        )
        if len(steps) > 1
        else None,
        side=(
            text(
                "Dot: point estimate. Line: 95 % interval, cluster-robust t by group. A verdict needs both an interval "
                "that excludes 0 and a Holm-adjusted p of at most .05.",
                "点：估计值。线：95 % 区间，按组的稳健 t。下结论既要区间不含 0，又要 Holm 校正后的 p 不大于 .05。",
            ),
            text(
                "Smallest difference likely to show (80 % power): 0.054 to 0.170 by step; for planning, it does not prove that there is no effect.",
                "可检出的最小差异（功效 80 %）：各步 0.054 至 0.170；供规划之用，不能证明没有效应。",
            ),
        ),
    )


def undecided(words: str, zh: str) -> Text:
    return text((Piece(words, Kind.UNDECIDED),), (Piece(zh, Kind.UNDECIDED),))
