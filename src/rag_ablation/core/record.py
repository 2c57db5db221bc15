"""The record of one arm: all that a reader, a table or a tracker needs, in JSON values.

The per-question values, rankings and qrels stand beside it as files.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

LAYOUT = "rag-ablation.result/2"

Status = Literal["finished", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedMean:
    """A mean as it is written down.

    Args:
        value: None where undefined.
        n: questions in it.
        excluded: questions left out, by reason.
        reason: why it is undefined, None where it is defined.
        low: lower end of the 95 % interval, None where there is none.
        high: upper end.
        n_groups: resampling units in it, None where there is no interval.
        basis: for a share of questions, which Wilson interval it is; None for the cluster-robust t interval.
    """

    value: float | None
    n: int
    excluded: Mapping[str, int]
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    n_groups: int | None = None
    basis: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedStage:
    """A stage as it is written down; see `StageOutput`."""

    slot: str
    name: str
    point: str
    seconds: float
    reused: bool
    digest: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRecord:
    """One arm of a study or one ad-hoc run.

    Args:
        id: name of its run folder.
        arm: a name a person can read.
        variant: name of the preset.
        parents: presets it is compared with.
        status: how it ended.
        error: what went wrong, None where nothing did.
        dataset: name of the dataset.
        source: where the dataset was read from: `path`, `qrels`.
        split: name of the split file, None for the whole set.
        side: `dev`, `none` or `holdout`.
        final: the last ranking point, None for an arm without one.
        settings: effective settings, unused slots left out, secrets masked.
        digests: `config`, `corpus`, `queries`, `labels`, `split`, `code`; `reviews`, where people have looked at
            answers to its questions.
        points: by measuring point, by `measure@cutoff`; at `answer`, by measure.
        slices: by dimension (`type`, `language`, `identity`, `gold`), by part, by `measure@cutoff`, at `final`.
        evidence: where the relevant units went: `unit`, `counts`, `by_type`, `group_counts`, `gap`, `gap_by_type` (see
            `Evidence`); empty for an arm without a context.
        answers: of an arm with a generator: `asked`, `tokens` (`prompt`, `completion`), `cost` in all and `n_priced`,
            the questions that have one; or `absent`, why nothing was asked. Empty for any other.
        counts: questions, groups, exclusions, what the stages counted.
        stages: the stages in order.
        latency: see `Latency`; empty for a failed arm.
        environment: versions of what can change a result, machine.
        notices: what a reader should know, one sentence each.
        threats: what may be wrong with a conclusion, one sentence each.
        files: digest of every other file of its run folder, by name; empty for an arm that did not finish.
        holdout: of a run on the holdout: `plan` (identity), `name`, `study`, `fold`, `opened` (digest of the ledger's
            entry), `key` (of the arm), `marks` (what every table must say of it); empty for any other.
    """

    id: str
    arm: str
    variant: str
    parents: tuple[str, ...]
    status: Status
    error: str | None = None
    dataset: str
    source: Mapping[str, Any] = field(default_factory=dict)
    split: str | None = None
    side: str
    final: str | None = None
    settings: Mapping[str, Any]
    digests: Mapping[str, str] = field(default_factory=dict)
    points: Mapping[str, Mapping[str, RecordedMean]] = field(default_factory=dict)
    slices: Mapping[str, Mapping[str, Mapping[str, RecordedMean]]] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    stages: tuple[RecordedStage, ...] = ()
    latency: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    threats: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    holdout: Mapping[str, Any] = field(default_factory=dict)

    @property
    def on_holdout(self) -> bool:
        """Whether it was run on a holdout; a record that was edited to say another side still names its opening."""
        return self.side == "holdout" or bool(self.holdout)

    @property
    def marks(self) -> tuple[str, ...]:
        """What every table and page with this run must say."""
        return tuple(self.holdout.get("marks", ()))

    def to_json(self) -> dict[str, object]:
        """JSON values only; an undefined mean is null beside its reason."""
        return {"layout": LAYOUT, **asdict(self)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`.

        Raises:
            ValueError: another layout.
        """
        if values.get("layout") != LAYOUT:
            message = f"layout: found {values.get('layout')!r}, expected {LAYOUT!r}"
            raise ValueError(message)
        given = {name: value for name, value in values.items() if name != "layout"}
        given["points"] = {point: _means(means) for point, means in given["points"].items()}
        given["slices"] = {
            dimension: {part: _means(means) for part, means in parts.items()}
            for dimension, parts in given["slices"].items()
        }
        given["stages"] = tuple(RecordedStage(**stage) for stage in given["stages"])
        for name in ("parents", "notices", "threats"):
            given[name] = tuple(given[name])
        return cls(**given)

    def mean(self, point: str, measure: str) -> RecordedMean | None:
        """A mean by point and `measure@cutoff`, None where it was not measured."""
        return self.points.get(point, {}).get(measure)


def _means(values: Mapping[str, Any]) -> dict[str, RecordedMean]:
    return {measure: RecordedMean(**mean) for measure, mean in values.items()}
