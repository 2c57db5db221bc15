"""The charts of a study's report as markup that a page holds inside."""

from collections.abc import Sequence
from functools import partial

from markupsafe import Markup

from rag_ablation.measures.family import Word
from rag_ablation.report.flow_svg import GOLD_UNITS, Gold
from rag_ablation.report.study.charts import (
    _answers,
    _denominators,
    _fates,
    _flow,
    _gaps,
    _ladder,
    _plane,
    _recall,
    _sweep,
)
from rag_ablation.report.study.charts._ladder import LadderScale
from rag_ablation.report.study.charts._sheet import Sheet
from rag_ablation.report.study.charts._svg import inline
from rag_ablation.report.study.charts.drawing import Drawing, drawing, own_settings
from rag_ablation.report.study.content import (
    Answers,
    Ceilings,
    CostPlane,
    Denominators,
    Ladder,
    LadderRow,
    LadderStep,
    Lost,
    Plane,
    SweepCurve,
)

CELL_HEIGHT = 600.0  # lines of the scale run through a row of any height; what is beyond it is cut off


def denominators(content: Denominators) -> Drawing:
    """What was asked as one bar: scored, then left out by reason."""
    return drawing(partial(_denominators.paint, content))


def ladder_scale(ladder: Ladder) -> LadderScale:
    """One scale for all rows of the ladder."""
    return _ladder.scale_of(ladder)


def mean_axis(scale: LadderScale) -> Markup:
    """Tick marks over the column of means, 160 px wide."""
    with own_settings():
        return _cell(_ladder.axis(scale.mean, _ladder.MEAN_WIDTH, signed=False))


def mean_cell(row: LadderRow, scale: LadderScale, height: float = CELL_HEIGHT) -> Markup:
    """The mean of an arm; the lines of the axis alone where it has none."""
    with own_settings():
        return _cell(_ladder.mean_cell(row, scale, height))


def difference_axis(scale: LadderScale) -> Markup:
    """Tick marks over the column of differences, 200 px wide."""
    with own_settings():
        return _cell(_ladder.axis(scale.difference, _ladder.DIFFERENCE_WIDTH, signed=True))


def difference_cell(step: LadderStep | None, scale: LadderScale, height: float = CELL_HEIGHT) -> Markup:
    """A step's difference; the lines of the axis alone for None or where the two do not compare."""
    with own_settings():
        return _cell(_ladder.difference_cell(step, scale, height))


def verdict_key(word: Word) -> Markup:
    """The mark of a verdict for a key, 30 px wide."""
    with own_settings():
        return _cell(_ladder.key(word))


def gaps(steps: Sequence[LadderStep]) -> Drawing:
    """Differences question by question, a panel for each step."""
    return drawing(partial(_gaps.paint, steps))


def fates(content: Lost, gold: Gold = GOLD_UNITS) -> Drawing:
    """What became of the gold, a bar for each arm.

    Args:
        content: the counts.
        gold: what its units are called.
    """
    return drawing(partial(_fates.paint, content, gold))


def flow(content: Lost, gold: Gold = GOLD_UNITS) -> Drawing | None:
    """The way of the evidence through one arm, None where there is none.

    Args:
        content: the counts.
        gold: what its units are called.
    """
    return None if content.flow is None else _flow.both(content.flow, gold)


def recall(content: Ceilings) -> Drawing:
    """Recall by cutoff, a panel for each measuring point."""
    return drawing(partial(_recall.paint, content))


def sweep(content: SweepCurve) -> Drawing:
    """A swept setting, a panel for each value of the others."""
    return drawing(partial(_sweep.paint, content))


def plane(content: Plane, measure: str = "") -> Drawing:
    """Quality against latency.

    Args:
        content: the timed arms.
        measure: `final/ndcg@10`, for the axis; "quality" without it.
    """
    return drawing(partial(_plane.paint, content, measure))


def answers(content: Answers) -> Drawing:
    """Right answers of every arm between floor and ceiling."""
    return drawing(partial(_answers.paint, content))


def cost_plane(content: CostPlane) -> Drawing:
    """Right answers against cost."""
    return drawing(partial(_plane.paint_cost, content))


def _cell(sheet: Sheet) -> Markup:
    return Markup(inline(sheet, "cell", hidden=True))  # noqa: S704 - drawn here, and what is written is escaped
