"""Quality against what it takes, time or money: a point for each arm."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.report.leaderboard import named
from rag_ablation.report.study.charts._look import AXIS, BETTER, GRID, NAME, NOTE, ZERO, fitted
from rag_ablation.report.study.charts._placing import Label, Place, around, put
from rag_ablation.report.study.charts._plot import MEAN, Box, Dot, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Scale, ends_inside, inside, known, linear, logarithmic
from rag_ablation.report.study.charts._sheet import Anchor, Sheet, box_of
from rag_ablation.report.study.content import CostPlane, Plane
from rag_ablation.report.study.words import Text, same, text

AXIS_ROOM, TOP, UNDER = 36.0, 26.0, 40.0
PLOT_HEIGHT = 236.0
TICK = 4.0
LONGEST_NAME = 0.3
RIGHT = 34.0
RINGS = (8.0, 13.0, 20.0, 30.0, 42.0, 56.0, 72.0, 92.0)
FARTHER = 0.4
STRANGER = 3 * FARTHER
LED = 3 * FARTHER  # from here on a line leads to the dot
SMALL = Dot("#9a9fa3", 2.5)
BAR = 5.0
TIME = text("p50 end to end, ms (log scale)", "端到端 p50，毫秒（对数）")
RIGHT_ANSWERS = text("right answers", "答对的比例")


class Spot(NamedTuple):
    """An arm on a plane.

    Args:
        key: of the arm.
        role: step or member of a sweep.
        x: what it takes, above 0.
        tail: how far that reaches in bad cases, None where not known.
        quality: with its interval; without a value its ends are bounds, drawn as a bar without a dot.
        front: whether no other matches it in both and beats it in one.
    """

    key: str
    role: Role
    x: float
    tail: float | None
    quality: RecordedMean
    front: bool

    @property
    def middle(self) -> float:
        """Where it stands on the upright axis."""
        found = self.quality
        if found.value is not None:
            return found.value
        return ((found.low or 0.0) + (found.high or 0.0)) / 2


class Axes(NamedTuple):
    """What the axes of a plane are called."""

    up: Text
    along: Text


def paint(plane: Plane, measure: str, width: float) -> Sheet:
    """Draw quality and latency; an arm without a p50 or a mean has no place on it."""
    spots = [
        Spot(arm.key, arm.role, arm.p50, arm.p95, arm.quality, arm.front)
        for arm in plane.arms
        if arm.p50 and arm.quality.value is not None
    ]
    sheet = Sheet(width, TOP + PLOT_HEIGHT + UNDER, _title(plane))
    if not spots:
        sheet.write(Point(0, TOP), text("no arm has a time at p50", "没有方案有 p50 耗时"), NOTE)
        return sheet
    return _painted(sheet, spots, Axes(same(named(measure)) if measure else text("quality", "质量"), TIME))


def paint_cost(plane: CostPlane, width: float) -> Sheet:
    """Draw right answers and cost."""
    spots = [
        Spot(arm.key, arm.role, arm.cost, None, arm.right, arm.front)
        if arm.right.value is not None
        else Spot(arm.key, arm.role, arm.cost, None, _bounds(arm.low, arm.high, arm.right.n), arm.front)
        for arm in plane.arms
    ]
    names = [spot.key for spot in spots if spot.role is not Role.SWEEP]
    title = text(f"Right answers against cost of {', '.join(names)}", f"{'、'.join(names)} 答对的比例与成本")
    unit = f", {plane.currency}" if plane.currency else ""
    along = text(f"cost of a question{unit} (log scale)", f"每题成本{unit.replace(', ', '，')}（对数）")
    return _painted(Sheet(width, TOP + PLOT_HEIGHT + UNDER, title), spots, Axes(RIGHT_ANSWERS, along))


def _bounds(low: float, high: float, n: int) -> RecordedMean:
    return RecordedMean(value=None, n=n, excluded={}, low=low, high=high)


def _painted(sheet: Sheet, arms: Sequence[Spot], axes: Axes) -> Sheet:
    across = [x for arm in arms for x in known((arm.x, arm.tail if arm.role is not Role.SWEEP else None))]
    plot = sheet.plot(Box(AXIS_ROOM, TOP, sheet.width - AXIS_ROOM - RIGHT, PLOT_HEIGHT), logarithmic(across), _up(arms))
    _axes(sheet, plot, axes)
    _front(plot, arms)
    for arm in sorted(arms, key=lambda arm: arm.role is not Role.SWEEP):
        _mark(plot, arm)
    _names(sheet, plot, arms)
    return sheet


def _up(arms: Sequence[Spot]) -> Scale:
    swept = [arm.middle for arm in arms if arm.role is Role.SWEEP]
    ends = [end for arm in arms if arm.role is not Role.SWEEP for end in ends_inside(arm.quality)]
    return linear([*swept, *ends], about=5)


def _axes(sheet: Sheet, plot: Plot, axes: Axes) -> None:
    plot.across(plot.y.ticks, Stroke(GRID))
    plot.ticks(plot.x.ticks, Stroke(ZERO))
    sheet.write(Point(0, 15), axes.up, AXIS)
    sheet.write_up(plot, 6)
    places = [plot.at(tick, plot.y.low).x for tick in plot.x.ticks]
    labels = [plot.x.label(tick) for tick in plot.x.ticks]
    sheet.write_along(places, labels, plot.box.bottom + 17)
    sheet.write(Point(plot.box.right, plot.box.bottom + 35), axes.along, AXIS, Anchor.END)


def _front(plot: Plot, arms: Sequence[Spot]) -> None:
    """A dashed line through the arms that no other beats on both; it rises where a better one is bought."""
    for (time, value), (later, higher) in pairwise(_on_front(arms)):
        plot.line([time, later, later], [value, value, higher], Stroke(ZERO, 1, (3, 3)))


def _on_front(arms: Sequence[Spot]) -> list[tuple[float, float]]:
    return sorted((arm.x, arm.quality.value) for arm in arms if arm.front and arm.quality.value is not None)


def _mark(plot: Plot, arm: Spot) -> None:
    quality = arm.quality
    if arm.role is Role.SWEEP:
        plot.dot(arm.x, arm.middle, SMALL)
        return
    if quality.low is not None and quality.high is not None:
        stroke = Stroke(ZERO, 1.4) if quality.value is not None else Stroke(BETTER, BAR)
        plot.line([arm.x, arm.x], [inside(quality.low), inside(quality.high)], stroke)
    if arm.tail is not None:
        plot.line([arm.x, arm.tail], [arm.middle] * 2, Stroke(ZERO, 1.4))
        unit = (plot.y.high - plot.y.low) / plot.box.height
        plot.line([arm.tail] * 2, [arm.middle - TICK * unit, arm.middle + TICK * unit], Stroke(ZERO, 1.4))
    if quality.value is not None:
        plot.dot(arm.x, quality.value, MEAN)


def _names(sheet: Sheet, plot: Plot, arms: Sequence[Spot]) -> None:
    """Each beside its dot; one that another dot is as near to, or that finds no room, has a line to its dot."""
    named = [arm for arm in arms if arm.role is not Role.SWEEP]
    lines = [*(shape for arm in arms for shape in _shapes(plot, arm)), *_front_boxes(plot, arms)]
    for arm in named:
        sheet.keep_free(around(_point(plot, arm), MEAN.radius + 1))
    inside_of = Box(plot.box.left, 0, sheet.width - plot.box.left, plot.box.bottom - 2)
    pixels = sheet.pixels()
    for arm in named:
        dot = _point(plot, arm)
        others = [_point(plot, other) for other in arms if other is not arm]
        label = Label(same(fitted(arm.key, NAME, LONGEST_NAME * sheet.width)), NAME)
        places = [_with_strangers(place, label, dot, others) for place in _around(dot)]
        place = put(sheet, label, places, inside_of, lines)
        if place is not None and place.cost >= LED:
            end = _nearest(sheet.taken[-1], dot)
            share = min(1.0, (MEAN.radius + 1) / max(math.hypot(end.x - dot.x, end.y - dot.y), 1.0))
            start = Point(dot.x + share * (end.x - dot.x), dot.y + share * (end.y - dot.y))
            pixels.line([start.x, end.x], [start.y, end.y], Stroke(ZERO, 0.8))


def _with_strangers(place: Place, label: Label, dot: Point, others: Sequence[Point]) -> Place:
    """Dearer where another dot is nearer to the label than its own, or nearly so."""
    box = box_of(place.at, label.text, label.look, place.anchor)
    own = _distance(box, dot)
    return place._replace(cost=place.cost + STRANGER * any(_distance(box, other) < own + 3 for other in others))


def _distance(box: Box, dot: Point) -> float:
    near = _nearest(box, dot)
    return math.hypot(near.x - dot.x, near.y - dot.y)


def _nearest(box: Box, dot: Point) -> Point:
    return Point(min(max(dot.x, box.left), box.right), min(max(dot.y, box.top), box.bottom))


def _front_boxes(plot: Plot, arms: Sequence[Spot]) -> Iterator[Box]:
    """The dashed line of the front."""
    for (time, value), (later, higher) in pairwise(_on_front(arms)):
        start, turn, end = plot.at(time, value), plot.at(later, value), plot.at(later, higher)
        yield Box(start.x, start.y - 1, turn.x - start.x, 2)
        yield Box(turn.x - 1, end.y, 2, turn.y - end.y)


def _around(dot: Point) -> Iterator[Place]:
    """Places about a dot, nearest first; above and right before below and left."""
    for far, ring in enumerate(RINGS):
        cost, slant = far * FARTHER, ring * 0.6
        high, low = dot.y - slant, dot.y + slant + NAME.size * 0.7
        yield Place(Point(dot.x + ring, high), Anchor.START, cost)
        yield Place(Point(dot.x - ring, high), Anchor.END, cost)
        yield Place(Point(dot.x + ring, low), Anchor.START, cost)
        yield Place(Point(dot.x - ring, low), Anchor.END, cost)
        yield Place(Point(dot.x + ring, dot.y + 4), Anchor.START, cost)
        yield Place(Point(dot.x - ring, dot.y + 4), Anchor.END, cost)
        yield Place(Point(dot.x, dot.y - ring), Anchor.MIDDLE, cost)
        yield Place(Point(dot.x, dot.y + ring + NAME.size * 0.7), Anchor.MIDDLE, cost)


def _shapes(plot: Plot, arm: Spot) -> Iterator[Box]:
    """The lines of an arm, or its small dot."""
    dot = _point(plot, arm)
    if arm.role is Role.SWEEP:
        yield around(dot, SMALL.radius)
        return
    quality = arm.quality
    if quality.low is not None and quality.high is not None:
        top, bottom = plot.at(arm.x, min(quality.high, 1.0)).y, plot.at(arm.x, max(quality.low, 0.0)).y
        yield Box(dot.x - 1, top, 2, bottom - top)
    if arm.tail is not None:
        yield Box(dot.x, dot.y - TICK, plot.at(arm.tail, plot.y.low).x - dot.x, 2 * TICK)


def _point(plot: Plot, arm: Spot) -> Point:
    return plot.at(arm.x, arm.middle)


def _title(plane: Plane) -> Text:
    names = [arm.key for arm in plane.arms if arm.role is not Role.SWEEP]
    return text(f"Quality against latency of {', '.join(names)}", f"{'、'.join(names)} 的质量与延迟")
