"""Every other measure and every other part of the questions; exploratory, the rule reads none of it."""

from collections.abc import Iterable, Iterator, Mapping

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.answers import (
    CITATION_PRECISION,
    CORRECT,
    CORRECT_HIGH,
    CORRECT_LOW,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    SUPPORTED,
)
from rag_ablation.measures.answers import POINT as ANSWER
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.measures.uncertainty import Interval, clustered_mean, paired_difference
from rag_ablation.report.study.asked import Primary, ranked
from rag_ablation.report.study.content import Ladder, MeasureRow, Measures, SliceRow
from rag_ablation.report.study.figures import thousands
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text, code, text

SHOWN_OF_ANSWERS = (CORRECT, CORRECT_LOW, CORRECT_HIGH, REFUSED_RIGHT, REFUSED_WRONG, CITATION_PRECISION, SUPPORTED)
SHOWN = ("ndcg", "mrr", "recall", "hit", "all_hit", "evidence_hit", "precision")
CUTOFFS = (1, 5, 10)
POINTS = ("final", "context", ANSWER)
NO_MEASURES = frozenset({"judged", "recall_ceiling", "tokens"})
"""Columns that say something of the questions or of the labels, not of how well an arm does."""
DIMENSIONS = ("language", "identity", "gold")
"""Question types have a section of their own."""


def measures_of(results: StudyResults, ladder: Ladder) -> Measures | None:
    """Means and differences of the other measures, and means on the other slices; None of a study.

    Args:
        results: of the plan's arms.
        ladder: candidate against each baseline.
    """
    arms = ranked(results)
    if results.holdout is None or not arms:
        return None
    rows, primary = tuple(_rows(results, ladder)), Primary.of(results)
    slices = tuple(_slices(arms, primary))
    return Measures(
        finding=_finding(len(rows), answers=any(row.column.startswith(f"{ANSWER}/") for row in rows)),
        arms=tuple(arm.key for arm in arms),
        labels=tuple(step.label for step in ladder.steps() if step.comparison is not None),
        rows=rows,
        slices=slices,
        measure=primary.column,
        fewest=GROUPS_FOR_A_VERDICT,
    )


def _rows(results: StudyResults, ladder: Ladder) -> Iterator[MeasureRow]:
    """Every measure that every arm has, at the end of the ranking and in the context; the primary one first."""
    arms = {arm.key: arm for arm in ranked(results)}
    there = [set(arm.values) for arm in arms.values()]
    common = set.intersection(*there) if there else set()
    for column in sorted(common, key=lambda column: _place(column, results.study.primary)):
        if not _is_measure(column) or _waits(column, arms.values()):
            continue
        yield MeasureRow(
            column=column,
            primary=column == results.study.primary,
            shown=column == results.study.primary or _is_shown(column),
            means={key: clustered_mean(arm.values[column], arm.groups) for key, arm in arms.items()},
            differences=_differences(arms, ladder, column),
        )


def _differences(arms: Mapping[str, ArmResult], ladder: Ladder, column: str) -> dict[str, Interval]:
    return {
        step.label: paired_difference(
            arms[step.child].values[column], arms[step.parent].values[column], arms[step.child].groups
        )
        for step in ladder.steps()
        if step.comparison is not None
    }


def _slices(arms: list[ArmResult], primary: Primary) -> Iterator[SliceRow]:
    """Parts of a dimension that has several; of the last ranking alone, which is where slices are recorded."""
    if primary.point != "final":
        return
    for dimension in DIMENSIONS:
        parts = arms[0].record.slices.get(dimension, {})
        rows = [
            SliceRow(dimension=dimension, part=part, means=_means(arms, dimension, part, primary)) for part in parts
        ]
        told = [row for row in rows if any(mean.n for mean in row.means.values())]
        if len(told) > 1:
            yield from told


def _means(arms: list[ArmResult], dimension: str, part: str, primary: Primary) -> dict[str, RecordedMean]:
    found = {arm.key: arm.record.slices.get(dimension, {}).get(part, {}).get(primary.measure) for arm in arms}
    return {key: mean for key, mean in found.items() if mean is not None}


def _is_measure(column: str) -> bool:
    point, _, name = column.partition("/")
    return point in POINTS and name.partition("@")[0] not in NO_MEASURES


def _is_shown(column: str) -> bool:
    point, _, name = column.partition("/")
    measure, _, cutoff = name.partition("@")
    if point == ANSWER:
        return measure in SHOWN_OF_ANSWERS
    return point == "final" and measure in SHOWN and int(cutoff) in CUTOFFS


def _waits(column: str, arms: Iterable[ArmResult]) -> bool:
    """Whether the share of right answers of an arm is undefined, as a verdict is open: its bounds stand in its place.

    Also a measure of answers that nobody has a question for.
    """
    point, _, measure = column.partition("/")
    if point != ANSWER:
        return False
    means = [arm.record.mean(point, measure) for arm in arms]
    return any(mean is None or mean.value is None for mean in means)


def _place(column: str, primary: str) -> tuple[bool, int, int, int, str]:
    point, _, name = column.partition("/")
    measure, _, cutoff = name.partition("@")
    shown = SHOWN_OF_ANSWERS if point == ANSWER else SHOWN
    order = shown.index(measure) if measure in shown else len(shown)
    return column != primary, POINTS.index(point) if point in POINTS else len(POINTS), order, int(cutoff or 0), column


def _finding(n: int, *, answers: bool) -> Text:
    return say(
        "The rule reads one measure. The others stand here to look at: no verdict, intervals not adjusted. All {n}, at "
        "the end of the ranking and in the context{answers}, are in {file}.",
        "规则只看一个指标。其余列在这里供人查看：不下结论，区间未经校正。全部 {n} 个（末端排序与上下文{answers}）见 "
        "{file}。",
        n=thousands(n),
        answers=text(" and of the answers", "，以及答案") if answers else Text((), ()),
        file=code("results.parquet"),
    )
