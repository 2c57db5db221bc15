"""A swept setting: the measure along its values, and which values cannot be told from the best."""

from typing import NamedTuple

from rag_ablation.report.study.charts import _sweep_names
from rag_ablation.report.study.charts._look import (
    AXIS,
    BETTER,
    GRID,
    HEAD,
    INK,
    LABEL,
    NOTE,
    ZERO,
    fitted,
)
from rag_ablation.report.study.charts._members import (
    IN_THE_LADDER,
    Panel,
    best_label,
    best_of,
    interval_of,
    is_numeric,
    levels_of,
    mark,
    named,
    number_of,
    panels_of,
    reference_label,
    runs_of,
    title_of,
)
from rag_ablation.report.study.charts._placing import Label, Place, along, around, put
from rag_ablation.report.study.charts._plot import Box, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Scale, known, linear, spans_a_decade
from rag_ablation.report.study.charts._sheet import Anchor, Sheet, width_in_both
from rag_ablation.report.study.content import SweepCurve
from rag_ablation.report.study.naming import setting_name
from rag_ablation.report.study.words import Text, same, text

AXIS_ROOM, BETWEEN, STACKED = 36.0, 20.0, 18.0
HEAD_ROOM, PLOT_HEIGHT, TICKS_ROOM, BAR_ROOM, LINE, NAME_ROOM = 28.0, 168.0, 26.0, 10.0, 16.0, 22.0
BARE_HEAD_ROOM = 12.0
BAR, OVERHANG = 5.0, 5.0
MOST_BESIDE = 3
INSET = 0.04


class Layout(NamedTuple):
    """How panels are laid out.

    Args:
        columns: beside each other.
        rows: below each other.
        width: of a plot.
        head: room for the panels' names.
        under: room for the ranges under the axis.
    """

    columns: int
    rows: int
    width: float
    head: float
    under: float

    @property
    def pitch(self) -> float:
        """From one row to the next."""
        return self.head + PLOT_HEIGHT + TICKS_ROOM + self.under + STACKED

    def box(self, place: int) -> Box:
        """Where a panel's plot lies."""
        row, column = divmod(place, self.columns)
        left = AXIS_ROOM + column * (self.width + BETWEEN)
        return Box(left, self.head + row * self.pitch, self.width, PLOT_HEIGHT)


def paint(curve: SweepCurve, width: float) -> Sheet:
    """Draw a panel for each value of the other settings; values that are no numbers are drawn as rows."""
    if not is_numeric(curve):
        return _sweep_names.paint(curve, width)
    panels, x, y = panels_of(curve), _along(curve), _up(curve)
    layout = _layout(panels, x, width)
    sheet = Sheet(width, layout.rows * layout.pitch - STACKED + NAME_ROOM, title_of(curve))
    plots = [sheet.plot(layout.box(place), x, y) for place in range(len(panels))]
    for place, (plot, panel) in enumerate(zip(plots, panels, strict=True)):
        _axes(sheet, plot, panel, labelled=place % layout.columns == 0)
        _curve(plot, curve, panel)
        _ranges(sheet, plot, panel)
    for plot, panel in zip(plots, panels, strict=True):
        _names(sheet, plot, curve, panel)
    _name_reference(sheet, plots[0], curve, panels[0])
    name = setting_name(curve.axes[0])
    axis = text(f"{name}, log scale", f"{name}，对数") if x.log else same(name)
    sheet.write(Point(AXIS_ROOM, sheet.height - 5), axis, AXIS)
    return sheet


def _layout(panels: tuple[Panel, ...], x: Scale, width: float) -> Layout:
    columns = min(len(panels), MOST_BESIDE) if width > 500 else 1
    across = (width - AXIS_ROOM - BETWEEN * (columns - 1)) / columns
    plot = Box(0, 0, across, PLOT_HEIGHT)
    beside = all(_range_label(panel, plot, x)[0] for panel in panels)
    head = HEAD_ROOM if any(panel.name for panel in panels) else BARE_HEAD_ROOM
    return Layout(columns, -(-len(panels) // columns), across, head, BAR_ROOM + (0 if beside else LINE))


def _along(curve: SweepCurve) -> Scale:
    values = sorted({number_of(setting) for setting in curve.settings})
    low, high = values[0], values[-1]
    if low == high:
        return Scale(low - 1, high + 1, tuple(values))
    if spans_a_decade(values):
        room = (high / low) ** INSET
        return Scale(low / room, high * room, tuple(values), log=True)
    room = (high - low) * INSET
    return Scale(low - room, high + room, tuple(values))


def _up(curve: SweepCurve) -> Scale:
    """Over all that is drawn, with room for a label over the best."""
    values = known(setting.mean.value for setting in curve.settings)
    values += known(end for setting in curve.settings for end in interval_of(curve, setting))
    if curve.reference is not None:
        values.append(curve.reference[1])
    best = best_of(curve)
    if best is not None and best.mean.value is not None:
        values.append(best.mean.value + 0.16 * (max(values) - min(values)))
    return linear(values)


def _axes(sheet: Sheet, plot: Plot, panel: Panel, *, labelled: bool) -> None:
    if panel.name:
        name = same(fitted(panel.name, HEAD, plot.box.width))
        sheet.write(Point(plot.box.left, plot.box.top - HEAD_ROOM + 15), name, HEAD)
    plot.across(plot.y.ticks, Stroke(GRID))
    plot.ticks(plot.x.ticks, Stroke(ZERO))
    places = [plot.at(tick, plot.y.low).x for tick in plot.x.ticks]
    sheet.write_along(places, [f"{tick:g}" for tick in plot.x.ticks], plot.box.bottom + 16)
    if labelled:
        sheet.write_up(plot)


def _curve(plot: Plot, curve: SweepCurve, panel: Panel) -> None:
    """Band, best as a dashed line, curve; filled dots cannot be told from the best."""
    xs = [number_of(member) for member in panel.members]
    ends = [interval_of(curve, member) for member in panel.members]
    plot.band(xs, [low for low, _ in ends], [high for _, high in ends], BETTER)
    for level, stroke in levels_of(curve):
        plot.across([level], stroke)
    plot.line(xs, [member.mean.value for member in panel.members], Stroke(BETTER, 1.6))
    for x, member in zip(xs, panel.members, strict=True):
        if member.mean.value is not None:
            mark(plot, curve, member, Point(x, member.mean.value))


def _ranges(sheet: Sheet, plot: Plot, panel: Panel) -> None:
    """A black bar under each range that cannot be told from the best, and its values."""
    runs = runs_of(panel.members)
    top = plot.box.bottom + TICKS_ROOM
    unit = (plot.y.high - plot.y.low) / plot.box.height
    for run in runs:
        ends = [plot.at(number_of(member), plot.y.low).x for member in run]
        left, right = (plot.x_of(place) for place in (ends[0] - OVERHANG, ends[1] + OVERHANG))
        low = plot.y.low - unit * (TICKS_ROOM + BAR)
        plot.bar(left, right, low, low + unit * BAR, INK)
    if not runs:
        return
    beside, label, left = _range_label(panel, plot.box, plot.x)
    base = top + BAR + (2 if beside else LINE)
    sheet.write(Point(left if beside else plot.box.left, base), label, AXIS)


def _range_label(panel: Panel, box: Box, x: Scale) -> tuple[bool, Text, float]:
    """Whether the label has room beside the bars, the longest that has, and where it starts."""
    runs = runs_of(panel.members)
    values = named(runs)
    if not runs:
        return True, values, box.left
    full = text(f"{values.plain()}: cannot be told from the best", f"{values.plain('zh')}：与最佳分不开")
    start, end = (box.left + box.width * x.place(number_of(member)) for member in (runs[0].first, runs[-1].last))
    for label in (full, values):
        wide = width_in_both(label, AXIS)
        if end + OVERHANG + 6 + wide <= box.right:
            return True, label, end + OVERHANG + 6
        if start - OVERHANG - 6 - wide >= box.left:
            return True, label, start - OVERHANG - 6 - wide
    return False, full if width_in_both(full, AXIS) <= box.width else values, box.left


def _names(sheet: Sheet, plot: Plot, curve: SweepCurve, panel: Panel) -> None:
    """Words at the best and at the ladder's setting."""
    dots = _dots(plot, panel)
    for member in panel.members:
        if member.mean.value is None or member.key not in {curve.best, curve.chosen}:
            continue
        x, y = plot.at(number_of(member), member.mean.value)
        if member.key == curve.best:
            beside = Place(Point(x + 11, y - 8)), Place(Point(x - 11, y - 8), Anchor.END)
            over = (Place(Point(x, y - up), Anchor.MIDDLE) for up in (13, 26))
            put(sheet, Label(best_label(curve, member), LABEL), (*beside, *over), _room(sheet, plot), dots)
        else:
            near = [
                Place(Point(x, y + down), anchor)
                for down in (18, -9, 30, -22)
                for anchor in (Anchor.MIDDLE, Anchor.START, Anchor.END)
            ]
            put(sheet, Label(IN_THE_LADDER, NOTE), near, _room(sheet, plot), dots)


def _name_reference(sheet: Sheet, plot: Plot, curve: SweepCurve, panel: Panel) -> None:
    """The best single parent, at the end of its dotted line."""
    label = reference_label(curve, plot.box.width / 2)
    if label is None or curve.reference is None:
        return
    y = plot.at(plot.x.low, curve.reference[1]).y
    ends = ((plot.box.right, Anchor.END), (plot.box.left, Anchor.START))
    places = [Place(Point(x, y + down), anchor) for x, anchor in ends for down in (13, -5, 18, -10, 30, -22)]
    lines = [Box(plot.box.left, plot.at(plot.x.low, level).y - 1, plot.box.width, 2) for level, _ in levels_of(curve)]
    put(sheet, label, places, _room(sheet, plot), [*_dots(plot, panel), *lines, *_segments(plot, panel)])


def _dots(plot: Plot, panel: Panel) -> list[Box]:
    there = ((number_of(member), member.mean.value) for member in panel.members)
    return [around(plot.at(x, value), 4) for x, value in there if value is not None]


def _segments(plot: Plot, panel: Panel) -> list[Box]:
    """The curve as a row of small boxes."""
    there = [(number_of(member), member.mean.value) for member in panel.members]
    points = [plot.at(x, value) for x, value in there if value is not None]
    return list(along(points, 12))


def _room(sheet: Sheet, plot: Plot) -> Box:
    """A little more than the plot."""
    left, top, width, height = plot.box
    return Box(left, top - 6, min(width + 6, sheet.width - left), height + 4)
