"""A swept setting whose values are names: a row for each, its interval to the best beside a dashed line."""

from rag_ablation.report.leaderboard import number
from rag_ablation.report.study.charts._look import (
    BETTER,
    GRID,
    HEAD,
    LABEL,
    ZERO,
    Type,
    fitted,
    width_of,
)
from rag_ablation.report.study.charts._members import (
    IN_THE_LADDER,
    Panel,
    best_label,
    interval_of,
    levels_of,
    mark,
    panels_of,
    reference_label,
    title_of,
)
from rag_ablation.report.study.charts._placing import Place, put
from rag_ablation.report.study.charts._plot import Box, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Scale, known, linear
from rag_ablation.report.study.charts._sheet import Anchor, Sheet, width_in_both
from rag_ablation.report.study.content import Setting, SweepCurve
from rag_ablation.report.study.naming import setting_name, setting_value
from rag_ablation.report.study.words import Text, same, text

PITCH, HEAD_ROOM, AXIS_ROOM, STACKED = 24.0, 26.0, 20.0, 14.0
REFERENCE_ROOM = 16.0
BESIDE = 10.0
LONGEST_NAME = 0.32
PLAIN = Type(12)


def paint(curve: SweepCurve, width: float) -> Sheet:
    """Draw a block of rows for each value of the other settings."""
    panels = panels_of(curve)
    left = BESIDE + max(
        (width_of(_name(member, width), PLAIN) for panel in panels for member in panel.members), default=0
    )
    right = BESIDE + max(
        (width_in_both(_said(curve, member), LABEL) for panel in panels for member in panel.members), default=0
    )
    above = REFERENCE_ROOM if curve.reference is not None else 0.0
    heights = [HEAD_ROOM + PITCH * len(panel.members) + STACKED for panel in panels]
    sheet = Sheet(width, above + sum(heights) + AXIS_ROOM, title_of(curve))
    x, top = _across(curve), 0.0
    for panel, height in zip(panels, heights, strict=True):
        heading = ", ".join(part for part in (setting_name(curve.axes[0]), panel.name) if part)
        sheet.write(Point(0, top + 15), same(fitted(heading, HEAD, width)), HEAD)
        top += above if panel is panels[0] else 0.0
        box = Box(left, top + HEAD_ROOM, width - left - right, PITCH * len(panel.members))
        plot = sheet.plot(box, x, Scale(len(panel.members), 0))
        _rows(sheet, plot, curve, panel)
        if panel is panels[0]:
            _name_reference(sheet, plot, curve)
        top += height
        if panel is panels[-1]:
            _axis(sheet, plot)
    return sheet


def _across(curve: SweepCurve) -> Scale:
    values = [end for setting in curve.settings for end in (setting.mean.value, *interval_of(curve, setting))]
    return linear(values if curve.reference is None else [*values, curve.reference[1]])


def _rows(sheet: Sheet, plot: Plot, curve: SweepCurve, panel: Panel) -> None:
    plot.upright(plot.x.ticks, Stroke(GRID))
    for level, stroke in levels_of(curve):
        plot.upright([level], stroke)
    for place, member in enumerate(panel.members):
        y = place + 0.5
        base = plot.box.top + PITCH * y + 4
        sheet.write(Point(plot.box.left - BESIDE, base), same(_name(member, sheet.width)), PLAIN, Anchor.END)
        sheet.write(Point(plot.box.right + BESIDE, base), _said(curve, member), PLAIN)
        if member.mean.value is None:
            continue
        ends = known(interval_of(curve, member))
        if ends:
            plot.line(ends, [y] * len(ends), Stroke(ZERO, 1.5) if member.told else Stroke(BETTER, 1.5))
        mark(plot, curve, member, Point(member.mean.value, y))


def _name_reference(sheet: Sheet, plot: Plot, curve: SweepCurve) -> None:
    label = reference_label(curve, sheet.width / 4)
    if label is not None and curve.reference is not None:
        x, y = plot.at(curve.reference[1], 0)
        places = [Place(Point(x + right, y - 6), side) for right, side in ((0, Anchor.MIDDLE), (-4, Anchor.START))]
        put(sheet, label, places, Box(0, 0, sheet.width, sheet.height))


def _axis(sheet: Sheet, plot: Plot) -> None:
    places = [plot.at(tick, 0).x for tick in plot.x.ticks]
    labels = [plot.x.label(tick) for tick in plot.x.ticks]
    sheet.write_along(places, labels, plot.box.bottom + 16)


def _name(member: Setting, width: float) -> str:
    return fitted(setting_value(member.values[0]), PLAIN, LONGEST_NAME * width)


def _said(curve: SweepCurve, member: Setting) -> Text:
    """The mean in figures, and what is particular about it."""
    if member.mean.value is None:
        return text("undefined", "无定义")
    if member.key == curve.best:
        return best_label(curve, member)
    value = number(member.mean.value)
    if member.key == curve.chosen:
        return text(f"{value}, {IN_THE_LADDER.plain()}", f"{value}，{IN_THE_LADDER.plain('zh')}")
    return same(value)
