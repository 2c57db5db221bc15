"""Means and differences of the ladder, one small drawing for each cell of its table, all on one scale."""

from typing import NamedTuple

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.family import Comparison, Word
from rag_ablation.report.study.charts._look import BETTER, GRID, INK, OPEN, WORSE, ZERO
from rag_ablation.report.study.charts._plot import GAIN, LOSS, MEAN, UNDECIDED, Box, Dot, Plot, Stroke
from rag_ablation.report.study.charts._scale import Scale, ends_inside, inside, linear
from rag_ablation.report.study.charts._sheet import Sheet
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep
from rag_ablation.report.study.words import text

MEAN_WIDTH, DIFFERENCE_WIDTH = 160.0, 200.0
AXIS_HEIGHT, AXIS_BASE, TICK = 18.0, 12.0, 3.0
INSET = 12.0
FIRST_LINE = 14.0  # from the top of a cell to the middle of the first line of the numbers beside it
KEY_WIDTH, KEY_HEIGHT = 30.0, 12.0
MARKS: dict[Word, tuple[Dot, Stroke]] = {
    Word.BETTER: (GAIN, Stroke(BETTER, 3)),
    Word.WORSE: (LOSS, Stroke(WORSE, 3)),
    Word.NOT_DISTINGUISHABLE: (UNDECIDED, Stroke(OPEN, 1.5)),
    Word.NO_VERDICT: (UNDECIDED, Stroke(OPEN, 1.5)),
}
EMPTY = text("", "")


class LadderScale(NamedTuple):
    """The two axes that all rows share.

    Args:
        mean: of the primary measure.
        difference: of child − parent; holds 0.
    """

    mean: Scale
    difference: Scale


def scale_of(ladder: Ladder) -> LadderScale:
    """One scale for all rows."""
    means = [row.mean for row in ladder.rows if row.mean is not None]
    gaps = [step.comparison.interval for step in ladder.steps() if step.comparison is not None]
    return LadderScale(
        linear([value for mean in means for value in ends_inside(mean)], about=6),
        linear([0.0, *(value for gap in gaps for value in (gap.mean, gap.low, gap.high))]),
    )


def axis(scale: Scale, width: float, *, signed: bool) -> Sheet:
    """The tick marks that stand over a column."""
    sheet = Sheet(width, AXIS_HEIGHT, EMPTY)
    inner = _inner(sheet, scale, AXIS_HEIGHT - TICK, TICK)
    rules(inner, zero=signed)
    labels = [scale.label(tick, signed=signed) for tick in scale.ticks]
    places = [inner.at(tick, 0).x for tick in scale.ticks]
    sheet.write_along(places, labels, AXIS_BASE, 4)
    return sheet


def mean_cell(row: LadderRow, scale: LadderScale, height: float) -> Sheet:
    """The mean of an arm with its interval."""
    sheet = Sheet(MEAN_WIDTH, height, EMPTY)
    inner = _inner(sheet, scale.mean, 0, height)
    rules(inner, zero=False)
    if row.mean is not None:
        mark_mean(inner, _first_line(height), row.mean)
    return sheet


def difference_cell(step: LadderStep | None, scale: LadderScale, height: float) -> Sheet:
    """A difference with its interval, marked by its verdict; rules alone where there is none."""
    sheet = Sheet(DIFFERENCE_WIDTH, height, EMPTY)
    inner = _inner(sheet, scale.difference, 0, height)
    rules(inner, zero=True)
    if step is not None and step.comparison is not None:
        mark_difference(inner, _first_line(height), step.comparison)
    return sheet


def key(word: Word) -> Sheet:
    """The mark of a verdict, as it stands in a key."""
    sheet = Sheet(KEY_WIDTH, KEY_HEIGHT, EMPTY)
    plot = sheet.plot(Box(0, 0, KEY_WIDTH, KEY_HEIGHT), Scale(0, 1), Scale(0, 1))
    dot, stroke = MARKS[word]
    plot.line([0, 1], [0.5, 0.5], stroke)
    plot.dot(0.5, 0.5, dot)
    return sheet


def mark_mean(plot: Plot, y: float, mean: RecordedMean) -> None:
    """A black dot: no verdict attaches to a mean."""
    if mean.value is None:
        return
    if mean.low is not None and mean.high is not None:
        plot.line([inside(mean.low), inside(mean.high)], [y, y], Stroke(INK, 1.6))
    plot.dot(mean.value, y, MEAN)


def mark_difference(plot: Plot, y: float, comparison: Comparison) -> None:
    """Filled where decided, else hollow; never left out."""
    interval = comparison.interval
    if interval.mean is None:
        return
    dot, stroke = MARKS[comparison.word]
    if interval.low is not None and interval.high is not None:
        plot.line([interval.low, interval.high], [y, y], stroke)
    plot.dot(interval.mean, y, dot)


def rules(plot: Plot, *, zero: bool) -> None:
    """Lines at the ticks; of differences the one at 0 is darker."""
    plot.upright([tick for tick in plot.x.ticks if not (zero and tick == 0)], Stroke(GRID))
    if zero and 0 in plot.x.ticks:
        plot.upright([0], Stroke(ZERO))


def _first_line(height: float) -> float:
    return 1 - min(FIRST_LINE, height / 2) / height


def _inner(sheet: Sheet, scale: Scale, top: float, height: float) -> Plot:
    return sheet.plot(Box(INSET, top, sheet.width - 2 * INSET, height), scale, Scale(0, 1))
