"""Everything that a study's report says, computed: figures first, sentences made from them, nothing drawn.

A section that has nothing to say is None, and the page leaves it out. Arms are named by their keys in the study.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.factors import Change
from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Comparison
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.flow import Flow
from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence of the conclusion, with its figures in small type below."""

    sentence: Text
    figures: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Denominators:
    """What was asked, what was scored, what was left out.

    Args:
        asked: questions of the side.
        asked_groups: their groups.
        scored: questions in the means.
        scored_groups: their groups.
        gold: relevant units of the scored questions.
        unit: evaluation unit.
        excluded: questions left out, by reason, those with 0 included.
        passages: of the corpus.
        documents: of the corpus, None where not known.
        setup: measure, unit, interval, family, weights in one line.
    """

    asked: int
    asked_groups: int
    scored: int
    scored_groups: int
    gold: int
    unit: str
    excluded: Mapping[str, int]
    passages: int
    documents: int | None
    setup: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a reader takes away.

    Args:
        title: the study's question, or its name.
        sentences: two of them where something was compared, else one.
        denominators: see there.
        next: what follows, at most four sentences.
        alone: sentence for a study whose arms failed or were skipped, None where all ran.
    """

    title: Text
    sentences: tuple[Said, ...]
    denominators: Denominators
    next: tuple[Text, ...]
    alone: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderStep:
    """One arm against one parent on the primary measure.

    Args:
        child: key.
        parent: key.
        label: `C − A`, `D − (B+D)`.
        better_parent: whether this parent is the better of several on these questions.
        change: what differs in the settings.
        comparison: the verdict and its figures, None where the two do not compare.
        refused: why they do not, None where they do.
        detectable: smallest difference that was likely to show, None where unknown.
        gaps: differences of the questions, largest gain first.
    """

    child: str
    parent: str
    label: str
    better_parent: bool
    change: Change
    comparison: Comparison | None
    refused: str | None
    detectable: float | None
    gaps: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRow:
    """One arm of the ladder.

    Args:
        key: of the arm.
        variant: name of its preset.
        role: step or bracket.
        changed: its one change in words.
        mean: of the primary measure, None without one.
        steps: against each parent.
        note: in place of steps: where the ladder starts, why there is no ranking, why it was skipped or failed.
    """

    key: str
    variant: str
    role: Role
    changed: Text
    mean: RecordedMean | None
    steps: tuple[LadderStep, ...]
    note: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """Every arm, every step.

    Args:
        finding: one computed sentence.
        measure: `final/ndcg@10`.
        rows: a parent before its children.
        shown: steps drawn question by question, three at most, those of the conclusion first.
        remark: what the drawn steps show, None without any.
        side: notes for the margin.
    """

    finding: Text
    measure: str
    rows: tuple[LadderRow, ...]
    shown: tuple[LadderStep, ...]
    remark: Text | None
    side: tuple[Text, ...]

    def steps(self) -> tuple[LadderStep, ...]:
        """The family in ladder order."""
        return tuple(step for row in self.rows for step in row.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A mean or a difference on a part of the questions.

    Args:
        value: None where undefined.
        low: lower end of the interval.
        high: upper end.
        n: questions.
        n_groups: groups.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One question type, or all scored questions together.

    Args:
        type: its name; empty for all.
        asked: questions of the type.
        n: of them scored.
        n_groups: their groups.
        means: by arm key.
        differences: by label of the step.
        undefined: why there is nothing, None where there is.
        left_out: questions that are not scored, by reason, the most first.
        contributions: by label of every compared step, what the type adds to its mean difference; they add up to it.
    """

    type: str
    asked: int
    n: int
    n_groups: int
    means: Mapping[str, Cell]
    differences: Mapping[str, Cell]
    undefined: Text | None
    left_out: Mapping[str, int] = field(default_factory=dict)
    contributions: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Types:
    """Who gained and who lost; exploratory.

    Args:
        finding: one computed sentence.
        measure: `final/ndcg@10`.
        arms: keys, in the order of the columns.
        labels: of the steps, in the order of the columns.
        rows: most questions first, all scored questions last.
        watched: sentences on the differences that the study named before its runs: unadjusted, no verdict.
        concentration: sentences on how much of a step of the conclusion one type makes; exploratory.
        notes: how the numbers of the rows add up.
    """

    finding: Text
    measure: str
    arms: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[TypeRow, ...]
    watched: tuple[Text, ...]
    concentration: tuple[Text, ...] = ()
    notes: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Where evidence is lost.

    Args:
        finding: one computed sentence.
        arms: keys, in the order of the columns.
        counts: by arm key, by fate; every arm sums to `total`.
        total: relevant units.
        gap: by arm key, points of recall by part, in tenths of a point so that parts add up; a part that cannot be is
            left out.
        recall: by arm key, the context's recall in tenths of a point.
        flow: the way of the evidence through one arm, None without one.
        flow_arm: key of that arm.
        side: notes for the margin.
    """

    finding: Text
    arms: tuple[str, ...]
    counts: Mapping[str, Mapping[str, int]]
    total: int
    gap: Mapping[str, Mapping[str, int]]
    recall: Mapping[str, int]
    flow: Flow | None
    flow_arm: str | None
    side: tuple[Text, ...]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One passage of a ranking, for people to read.

    Args:
        rank: from 1.
        passage_id: its id.
        heading: title and location.
        body: its text, shown folded.
        grade: judged grade, None where nobody judged it.
        gold: whether it is relevant.
        skipped: ranks left out before it.
    """

    rank: int
    passage_id: str
    heading: str
    body: str
    grade: int | None
    gold: bool
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipColumn:
    """One arm's ranking of a question that moved.

    Args:
        key: of the arm.
        variant: name of its preset.
        value: of the primary measure.
        passages: the first ones, and every gold passage that has a recorded rank.
        missing: gold units without a recorded rank, by id.
    """

    key: str
    variant: str
    value: float
    passages: tuple[Listed, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A question that moved.

    Args:
        query_id: its id.
        question: its text; empty where the dataset could not be read again.
        type: question type.
        label: of the step.
        difference: of the step on this question.
        why: what the ranks show, None where they show nothing in particular.
        answer: reference answer, None without one.
        n_gold: relevant units.
        columns: arms side by side.
    """

    query_id: str
    question: str
    type: str
    label: str
    difference: float
    why: Text | None
    answer: str | None
    n_gold: int
    columns: tuple[FlipColumn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Which questions moved, with their evidence."""

    finding: Text
    questions: tuple[Flip, ...]


class Severity(StrEnum):
    """How much a threat weighs."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threat:
    """One check of what may be wrong with the conclusion.

    Args:
        severity: `clear` where it was checked and nothing was found.
        name: of the check.
        measured: what was found, with its figures.
        act: what to do, None where nothing.
    """

    severity: Severity
    name: Text
    measured: Text
    act: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Threats:
    """All checks, worst first, cleared ones too."""

    finding: Text
    checks: tuple[Threat, ...]

    def count(self, severity: Severity) -> int:
        """How many of one severity."""
        return sum(check.severity is severity for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedStep:
    """What unjudged passages could do to one step.

    Args:
        label: of the step.
        child: mean share of the first results that are judged.
        parent: the same of the parent.
        as_scored: difference where no unjudged passage is relevant.
        all_relevant: difference if every unjudged passage in either head were relevant; None where not computable.
            A second scenario beside `as_scored`, not a bound.
        warned: whether the shares differ by more than the limit.
    """

    label: str
    child: float
    parent: float
    as_scored: Interval
    all_relevant: Interval | None
    warned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Passages that nobody has judged.

    Args:
        finding: one computed sentence.
        cutoff: results looked at.
        n: scored questions.
        steps: of the ladder.
        limit: difference of shares that is warned about.
    """

    finding: Text
    cutoff: int
    n: int
    steps: tuple[UnjudgedStep, ...]
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReport:
    """The report.

    Args:
        study: its name.
        side: `dev`.
        date: day of the newest run.
        conclusion: first screen.
        ladder: every arm, every step.
        types: None with fewer than two types.
        lost: None without a recorded context.
        ceilings: None without a ranking.
        sweeps: one for each swept arm.
        plane: None where nothing was timed together.
        flips: None where no question moved.
        threats: all checks.
        unjudged: None where it cannot be computed.
        commands: groups of (comment or None, command) lines: how to repeat it, then how to look closer.
        provenance: (name, content) lines.
        glossary: (word, meaning) lines.
        repeats: how far the numbers can be had again; None for the page's own sentence.
    """

    study: str
    side: str
    date: str
    conclusion: Conclusion
    ladder: Ladder
    types: Types | None
    lost: Lost | None
    ceilings: Ceilings | None
    sweeps: tuple[SweepCurve, ...]
    plane: Plane | None
    flips: Flips | None
    threats: Threats
    unjudged: Unjudged | None
    commands: tuple[tuple[tuple[Text | None, str], ...], ...]
    provenance: tuple[tuple[Text, Text], ...]
    glossary: tuple[tuple[Text, Text], ...]
    repeats: Text | None = None
