"""The charts as the page places them; drawings are the only markup that is taken as it is."""

from markupsafe import Markup

from rag_ablation.report.flow_svg import Gold
from rag_ablation.report.study import charts
from rag_ablation.report.study.content import (
    Ceilings,
    Denominators,
    Ladder,
    LadderRow,
    LadderStep,
    Lost,
    Plane,
    SweepCurve,
)
from rag_ablation.report.study.shown.nouns import unit_noun

STYLE = charts.STYLE
HIGHEST_ROW = 600.0  # lines of the scale run through a row of any height; what is beyond it is cut off


def denominators(counts: Denominators) -> Markup:
    """What was asked, scored and left out."""
    return _both(charts.denominators(counts))


def gaps(steps: tuple[LadderStep, ...]) -> Markup:
    """Differences question by question."""
    return _both(charts.gaps(steps))


def fates(lost: Lost, unit: str) -> Markup:
    """What became of the gold."""
    return _both(charts.fates(lost, _gold(unit)))


def flow(lost: Lost, unit: str) -> Markup:
    """The way of the evidence through one arm."""
    return _both(charts.flow(lost, _gold(unit)))


def recall(ceilings: Ceilings) -> Markup:
    """Recall by cutoff."""
    return _both(charts.recall(ceilings))


def sweep(curve: SweepCurve) -> Markup:
    """A swept setting."""
    return _both(charts.sweep(curve))


def plane(content: Plane, measure: str) -> Markup:
    """Quality and latency."""
    return _both(charts.plane(content, measure))


class LadderCells:
    """The small drawings in the cells of the ladder, all on one scale."""

    def __init__(self, ladder: Ladder) -> None:
        self._scale = charts.ladder_scale(ladder)

    def mean_axis(self) -> Markup:
        """Over the column of means."""
        return _safe(charts.mean_axis(self._scale))

    def difference_axis(self) -> Markup:
        """Over the column of differences."""
        return _safe(charts.difference_axis(self._scale))

    def mean(self, row: LadderRow) -> Markup:
        """The mean of an arm; the lines of the scale alone without one."""
        return _safe(charts.mean_cell(row, self._scale, HIGHEST_ROW))

    def difference(self, step: LadderStep | None) -> Markup:
        """A difference; the lines of the scale alone for None."""
        return _safe(charts.difference_cell(step, self._scale, HIGHEST_ROW))


def excluded_colours(counts: Denominators) -> dict[str, str]:
    """Colour of each reason in the bar of denominators."""
    return charts.excluded_colours(counts)


def fate_colour(fate: str) -> str:
    """Colour of a fate in the bars and in the flow."""
    return next((colour for name, colour in charts.FATE_COLOURS.items() if name == fate), "none")


def _gold(unit: str) -> Gold:
    noun = unit_noun(unit)
    return Gold(f"gold {noun.many}", f"{noun.zh}标注证据")


def _both(drawn: charts.Drawing | None) -> Markup:
    """For wide pages and for phones; the page shows one."""
    return Markup("") if drawn is None else _safe(drawn.wide + drawn.narrow)


def _safe(svg: str) -> Markup:
    return Markup(svg)  # noqa: S704 - drawn by `charts`, which escapes what it writes
