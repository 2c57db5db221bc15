"""Contents to draw, made by hand: the usual, and what is hard to draw."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.factors import Change
from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Step, compare_family
from rag_ablation.measures.fates import FATES
from rag_ablation.measures.uncertainty import Interval, clustered_mean, paired_difference
from rag_ablation.report.flow import Cuts, of_ranks
from rag_ablation.report.study.content import (
    Ceilings,
    Curve,
    Denominators,
    Ladder,
    LadderRow,
    LadderStep,
    Lost,
    Plane,
    Setting,
    SweepCurve,
    Timed,
)
from rag_ablation.report.study.words import same

MARKUP = "<b>&\"'</b>"
LONG = "B+D cross-encoder over the first five hundred passages, titles prepended"
CUTOFFS = (1, 3, 5, 10, 20, 50, 100)
NOTHING = same("")
NO_MEAN = RecordedMean(value=None, n=0, excluded={"no_relevant": 9}, reason="no question could be scored")
Values = NDArray[np.float64]


class Scored(NamedTuple):
    """Values of arms on the same questions."""

    values: Mapping[str, Values]
    groups: NDArray[np.int64]


def scored(keys: Sequence[str], n: int = 127, n_groups: int = 14, seed: int = 1, spread: float = 0.3) -> Scored:
    """Values on a few levels, as nDCG has them, later arms higher."""
    rng = np.random.default_rng(seed)
    base = rng.random(n)
    lift = np.linspace(0, spread, len(keys))
    levels = np.array([0.0, 0.39, 0.5, 0.63, 1.0])
    values = {}
    for key, up in zip(keys, lift, strict=True):
        noisy = np.clip(base + up + rng.normal(0, 0.18, n), 0, 1)
        values[key] = levels[np.abs(noisy[:, None] - levels).argmin(axis=1)]
    return Scored(values, np.arange(n) % n_groups)


def mean_of(values: Values, groups: NDArray[np.int64]) -> RecordedMean:
    found = clustered_mean(values, groups)
    return RecordedMean(
        value=found.mean, n=found.n, excluded={}, low=found.low, high=found.high, n_groups=found.n_groups
    )


def ladder(parents: Mapping[str, Sequence[str]], made: Scored | None = None) -> Ladder:
    """A ladder by key and parents."""
    made = made or scored(list(parents))
    pairs = [(child, parent) for child, found in parents.items() for parent in found]
    steps = [Step(f"{child} − {parent}", made.values[child], made.values[parent]) for child, parent in pairs]
    compared = dict(zip(pairs, compare_family(steps, made.groups, resamples=200), strict=True))
    rows = []
    for child, found in parents.items():
        rows.append(
            LadderRow(
                key=child,
                variant="variant",
                role=Role.LADDER,
                changed=NOTHING,
                mean=mean_of(made.values[child], made.groups),
                steps=tuple(
                    LadderStep(
                        child=child,
                        parent=parent,
                        label=f"{child} − {parent}",
                        better_parent=place == 0 and len(found) > 1,
                        change=Change(("one thing",)),
                        comparison=compared[child, parent],
                        refused=None,
                        detectable=0.1,
                        gaps=tuple(sorted((made.values[child] - made.values[parent]).tolist(), reverse=True)),
                    )
                    for place, parent in enumerate(found)
                ),
                note=None,
            )
        )
    return Ladder(
        finding=NOTHING, measure="final/ndcg@10", rows=tuple(rows), shown=tuple(_steps(rows)[-3:]), remark=None, side=()
    )


USUAL = {
    "A": (),
    "B": ("A",),
    "C": ("A", "B"),
    "A+D": ("A",),
    "B+D": ("B",),
    "D′": ("C",),
    "D": ("C", "A+D", "B+D"),
}
TWELVE = {MARKUP: (), LONG: (MARKUP,), **{f"arm {n:02}": (LONG, MARKUP) for n in range(10)}}


def undecided() -> Ladder:
    return ladder(USUAL, scored(list(USUAL), spread=0.0))


def few_groups() -> Ladder:
    return ladder(USUAL, scored(list(USUAL), n=9, n_groups=4))


def one_arm() -> Ladder:
    return ladder({"A": ()})


def undefined() -> Ladder:
    """Nothing could be scored."""
    nothing = Scored({key: np.full(9, np.nan) for key in USUAL}, np.arange(9))
    found = ladder(USUAL, nothing)
    rows = tuple(
        replace(
            row, mean=NO_MEAN if row.key != "B" else None, steps=tuple(replace(step, gaps=()) for step in row.steps)
        )
        for row in found.rows
    )
    return replace(found, rows=rows, shown=_steps(rows)[-3:])


def denominators(scored: int = 127, **excluded: int) -> Denominators:
    asked = scored + sum(excluded.values())
    return Denominators(
        asked=asked,
        asked_groups=61,
        scored=scored,
        scored_groups=57,
        gold=170,
        unit="passage",
        excluded=excluded,
        passages=1284,
        documents=46,
        setup=NOTHING,
    )


def lost(keys: Sequence[str], total: int = 170, seed: int = 3) -> Lost:
    rng = np.random.default_rng(seed)
    counts = {}
    for key in keys:
        drawn = rng.multinomial(total, [0.8, 0.01, 0.03, 0.03, 0.02, 0.03, 0.05, 0.03])
        counts[key] = dict(zip(map(str, FATES), map(int, drawn), strict=False))
    return Lost(
        finding=NOTHING,
        arms=tuple(keys),
        counts=counts,
        total=total,
        gap={},
        recall={},
        flow=of_ranks(keys[-1], 7, CUTS, FATE_TABLE) if keys and total else None,
        flow_arm=keys[-1] if keys else None,
        side=(),
    )


def ceilings(points: Sequence[str] = ("sparse", "dense", "fused", "reranked", "context"), others: int = 6) -> Ceilings:
    groups = np.arange(127) % 57
    return Ceilings(
        finding=NOTHING,
        arm="D",
        points=tuple(_rising(point, 0.35 + 0.08 * place, groups, place) for place, point in enumerate(points)),
        ceiling=_rising("ceiling", 0.86, groups, 99, certain=True),
        pool=50,
        others={f"arm {n}": _rising("final", 0.3 + 0.06 * n, groups, 50 + n) for n in range(others)},
        side=(),
    )


def with_holes(content: Ceilings) -> Ceilings:
    """The first curve undefined throughout, the second at one cutoff."""
    first, second, *others = content.points
    nothing = replace(first, means=(NO_MEAN,) * len(first.means))
    hole = replace(second, means=(*second.means[:2], NO_MEAN, *second.means[3:]))
    return replace(content, points=(nothing, hole, *others))


def cut(curve: Curve, last: int) -> Curve:
    """The same up to a cutoff."""
    kept = [place for place, cutoff in enumerate(curve.cutoffs) if cutoff <= last]
    return Curve(
        point=curve.point,
        cutoffs=tuple(curve.cutoffs[place] for place in kept),
        means=tuple(curve.means[place] for place in kept),
    )


def sweep(
    axes: Mapping[str, Sequence[object]], *, arm: str = "C", chosen: int | None = None, peak: int = 1, n: int = 127
) -> SweepCurve:
    """A grid of one or two axes; the member number `peak` is best, the farther the worse."""
    first, *rest = axes.values()
    grid = [(value, other) for other in rest[0] for value in first] if rest else [(value,) for value in first]
    rng = np.random.default_rng(5)
    groups = np.arange(n) % (n // 2 + 1)
    base = rng.random(n)
    values = [
        np.clip(base + 0.3 - 0.02 * abs(place - peak) + rng.normal(0, 0.12, n), 0, 1) for place in range(len(grid))
    ]
    means = [float(found.mean()) for found in values]
    best = int(np.argmax(means))
    settings = []
    for place, (found, key) in enumerate(zip(values, grid, strict=True)):
        gap = paired_difference(found, values[best], groups)
        settings.append(
            Setting(
                key=f"{arm} {key}",
                values=key,
                mean=mean_of(found, groups),
                to_best=None if place == best else gap,
                told=place != best and _told(gap),
            )
        )
    return SweepCurve(
        title=NOTHING,
        finding=NOTHING,
        arm=arm,
        axes=tuple(axes),
        settings=tuple(settings),
        best=settings[best].key,
        chosen=None if chosen is None else settings[chosen].key,
        reference=("B", min(means) - 0.02),
    )


RRF = {"fusion.rank_constant": (1, 2, 5, 10, 20, 40, 60, 100, 200), "fusion.window": (20, 50, 100)}


def plane(times: Mapping[str, float | None], made: Scored | None = None, swept: int = 0) -> Plane:
    """Arms by p50; those of a sweep beside the last."""
    made = made or scored(list(times), spread=0.25)
    arms = [_timed(key, Role.LADDER, time, mean_of(made.values[key], made.groups)) for key, time in times.items()]
    last = arms[-1]
    for n in range(swept):
        quality = RecordedMean(value=(last.quality.value or 0.5) - 0.01 * n, n=127, excluded={})
        arms.append(_timed(f"sweep {n}", Role.SWEEP, 40.0 + 9 * n, quality))
    return Plane(finding=NOTHING, arms=tuple(_with_front(arms)), questions=60, passes=3, side=())


TIMES = {"A": 5.2, "B": 24.0, "C": 30.0, "A+D": 199.0, "B+D": 214.0, "D′": 58.0, "D": 229.0}
CROWDED = {
    **{f"arm {n:02} with rerank": 200.0 + 3 * n for n in range(10)}, LONG: 205.0, MARKUP: 214.0
}  # fmt: skip

CUTS = Cuts(retrievers=("sparse", "dense"), fused=True, reranked=True, window=100, pool=50, depth=10)
FATE_TABLE = {
    "fate": ["kept"] * 8 + ["not_retrieved", "lost_in_fusion", "ranked_low", "lost_in_rerank", "not_promoted"],
    "rank_sparse": [1, 2, 3, 1, 2, 3, None, 90, None, 70, 80, 2, 12],
    "rank_dense": [1, 2, 3, 60, 70, None, 9, 40, None, 40, 90, 1, 22],
    "rank_fused": [1, 2, 3, 4, 5, 6, 30, 40, None, 60, 80, 1, 20],
    "rank_last": [1, 2, 3, 4, 5, 6, 7, 8, None, 60, 80, 20, 30],
    "rank_offered": [1, 2, 3, 4, 5, 6, 7, 8, None, None, None, None, None],
    "rank_context": [1, 2, 3, 4, 5, 6, 7, 8, None, None, None, None, None],
}


def _steps(rows: Sequence[LadderRow]) -> tuple[LadderStep, ...]:
    return tuple(step for row in rows for step in row.steps)


def _told(gap: Interval) -> bool:
    return gap.low is not None and gap.high is not None and not gap.low <= 0 <= gap.high


def _rising(point: str, start: float, groups: NDArray[np.int64], seed: int, *, certain: bool = False) -> Curve:
    rng = np.random.default_rng(seed)
    hard = rng.random(groups.size)
    means = []
    for cutoff in CUTOFFS:
        share = min(1.0, start + (0.16 if certain else 0.13) * np.log2(cutoff + 1) - 0.1)
        found = mean_of((hard < share).astype(float), groups)
        means.append(RecordedMean(value=found.value, n=127, excluded={}) if certain else found)
    return Curve(point=point, cutoffs=CUTOFFS, means=tuple(means))


def _timed(key: str, role: Role, time: float | None, quality: RecordedMean, *, front: bool = False) -> Timed:
    return Timed(
        key=key,
        role=role,
        p50=time,
        mean_ms=time,
        p95=None if time is None or role is Role.SWEEP else time * 1.25,
        p99=None,
        quality=quality,
        front=front,
    )


def _with_front(arms: Sequence[Timed]) -> list[Timed]:
    def beaten(arm: Timed) -> bool:
        return any(
            (other.p50 or 1e9) < (arm.p50 or 1e9) and (other.quality.value or 0) > (arm.quality.value or 0)
            for other in arms
        )

    return [_timed(arm.key, arm.role, arm.p50, arm.quality, front=not beaten(arm)) for arm in arms]
