"""A measure along a cutoff, a setting or a time."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A measure by cutoff at one measuring point.

    Args:
        point: measuring point.
        cutoffs: ascending.
        means: one for each cutoff.
    """

    point: str
    cutoffs: tuple[int, ...]
    means: tuple[RecordedMean, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """Recall by cutoff at each measuring point of one arm, under what a perfect ranking could reach.

    Args:
        finding: one computed sentence.
        arm: key.
        points: one curve for each measuring point, in the order of the pipeline.
        ceiling: of recall, at the same cutoffs.
        pool: depth of the pool, None without a reranker.
        others: recall at `final` of the other arms of the ladder, by key.
        side: notes for the margin.
    """

    finding: Text
    arm: str
    points: tuple[Curve, ...]
    ceiling: Curve
    pool: int | None
    others: Mapping[str, Curve]
    side: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One member of a sweep.

    Args:
        key: of the arm.
        values: of the axes, in their order.
        mean: of the primary measure.
        to_best: interval of this setting − the best, None for the best itself.
        told: whether it can be told from the best (its interval to the best excludes 0).
    """

    key: str
    values: tuple[object, ...]
    mean: RecordedMean
    to_best: Interval | None
    told: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepCurve:
    """A swept setting; exploratory.

    Args:
        title: of the section.
        finding: best setting on these questions, and the range that cannot be told from it, holes named.
        arm: key of the swept arm.
        axes: names of the settings; the first runs along the axis, panels are made of the others.
        settings: members in the order of their values.
        best: key of the best.
        chosen: key of the setting that the ladder uses, None where the sweep does not hold it.
        reference: mean of the best single parent of the arm, by its key; None without one.
        to_reference: paired difference of the best setting from that parent, None where they do not compare.
    """

    title: Text
    finding: Text
    arm: str
    axes: tuple[str, ...]
    settings: tuple[Setting, ...]
    best: str
    chosen: str | None
    reference: tuple[str, float] | None
    to_reference: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One arm on the plane of quality and latency.

    Args:
        key: of the arm.
        role: step or member of a sweep.
        p50: milliseconds end to end, None where the sample is too small.
        mean_ms: the same, mean.
        p95: the same.
        p99: the same.
        quality: mean of the primary measure.
        front: whether no other arm matches it in both and beats it in one, by point estimates.
    """

    key: str
    role: Role
    p50: float | None
    mean_ms: float | None
    p95: float | None
    p99: float | None
    quality: RecordedMean
    front: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """Quality and latency of the arms, timed interleaved.

    Args:
        finding: one computed sentence.
        arms: those that were timed.
        questions: size of the sample.
        passes: timed passes.
        side: notes for the margin: how it was timed, why percentiles are absent, cost.
    """

    finding: Text
    arms: tuple[Timed, ...]
    questions: int
    passes: int
    side: tuple[Text, ...]
