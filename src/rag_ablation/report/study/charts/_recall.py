"""Recall by cutoff, one panel for each measuring point, under what a perfect ranking could reach."""

from collections.abc import Iterator
from typing import NamedTuple

from rag_ablation.report.leaderboard import number
from rag_ablation.report.study.charts._look import (
    AXIS,
    BETTER,
    GRID,
    HEAD,
    INK,
    NOTE,
    REFERENCE,
    VALUE,
    ZERO,
    fitted,
    width_of,
)
from rag_ablation.report.study.charts._placing import Label, Place, along, around, put
from rag_ablation.report.study.charts._plot import Box, Dot, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Scale, ends_inside, inside, known, linear
from rag_ablation.report.study.charts._sheet import Anchor, Sheet
from rag_ablation.report.study.content import Ceilings, Curve
from rag_ablation.report.study.terms import GLOSSES
from rag_ablation.report.study.words import Text, same, text

AXIS_ROOM, BETWEEN = 30.0, 16.0
HEAD_ROOM, PLOT_HEIGHT, TICKS_ROOM, STACKED = 38.0, 132.0, 20.0, 18.0
NEARLY_ALL = 0.9
SPOKEN_OF = 10
RERANKED = "reranked"
CONTEXT = "context"
MOST_BESIDE = {True: 5, False: 2}
NARROW = 500.0
ENDS_ROOM, BESIDE, LINE = 100.0, 6.0, 14.0


class Name(NamedTuple):
    """A label beside a panel, by its distance from the panel's top."""

    y: float
    text: Text


class Grid(NamedTuple):
    """How panels are laid out."""

    columns: int
    rows: int
    width: float

    def corner(self, place: int) -> Point:
        """Upper left of a panel's plot."""
        row, column = divmod(place, self.columns)
        height = HEAD_ROOM + PLOT_HEIGHT + TICKS_ROOM + STACKED
        return Point(AXIS_ROOM + column * (self.width + BETWEEN), HEAD_ROOM + row * height)


def paint(ceilings: Ceilings, width: float) -> Sheet:
    """Draw the panels in the order of the pipeline."""
    right = ENDS_ROOM if ceilings.others and width > NARROW else 0.0
    grid = _grid(len(ceilings.points), width - right)
    height = grid.corner(max(len(ceilings.points) - 1, 0)).y + PLOT_HEIGHT + TICKS_ROOM
    sheet = Sheet(width, height, _title(ceilings))
    x, y = _scales(ceilings)
    names = _names_of_others(ceilings, y) if width > NARROW else ()
    for place, curve in enumerate(ceilings.points):
        corner = grid.corner(place)
        plot = sheet.plot(Box(corner.x, corner.y, grid.width, PLOT_HEIGHT), x, y)
        sheet.write(Point(corner.x, corner.y - HEAD_ROOM + 15), _heading(curve.point, grid.width), HEAD)
        _axes(sheet, plot, labelled=place % grid.columns == 0)
        _references(plot, ceilings)
        if place == 0:
            sheet.write(Point(plot.box.right, corner.y - 5), text("ceiling", "上限"), NOTE, Anchor.END)
        _curve(sheet, plot, curve, ceilings)
        if place == min(grid.columns, len(ceilings.points)) - 1:
            for name in names:
                sheet.write(Point(plot.box.right + BESIDE, plot.box.top + name.y), name.text, NOTE)
        if ceilings.pool is not None and place in _pool_panels(ceilings):
            _pool(sheet, plot, ceilings.pool)
    return sheet


def _grid(count: int, width: float) -> Grid:
    most = MOST_BESIDE[width > NARROW]
    rows = -(-count // most) or 1
    columns = -(-count // rows) if count > most else min(count, most) or 1
    across = max(columns, 2) if width > NARROW else columns
    return Grid(columns, rows, (width - AXIS_ROOM - BETWEEN * (across - 1)) / across)


def _heading(point: str, room: float) -> Text:
    """A measuring point as it is typed; in Chinese with its meaning."""
    gloss = GLOSSES.get(point)
    name = fitted(point, HEAD, room)
    whole = f"{point} {gloss}"
    return text(name, whole) if gloss and width_of(whole, HEAD) <= room else same(name)


def _scales(ceilings: Ceilings) -> tuple[Scale, Scale]:
    curves = [*ceilings.points, ceilings.ceiling, *ceilings.others.values()]
    cutoffs = sorted({cutoff for curve in curves for cutoff in curve.cutoffs}) or [1]
    powers = [cutoff for cutoff in cutoffs if cutoff in {1, 10, 100, 1000}]
    ticks = tuple(map(float, powers if len(powers) > 1 else cutoffs))
    low, high = cutoffs[0], max(cutoffs[-1], cutoffs[0] * 2)
    x = Scale(low / (high / low) ** 0.04, high * (high / low) ** 0.04, ticks, log=True)
    values = [end for curve in curves for mean in curve.means for end in ends_inside(mean)]
    return x, linear([1.0, *known(values)], pad=0.0)


def _axes(sheet: Sheet, plot: Plot, *, labelled: bool) -> None:
    plot.across(plot.y.ticks, Stroke(GRID))
    places = [plot.at(tick, plot.y.low).x for tick in plot.x.ticks]
    labels = [plot.x.label(tick) for tick in plot.x.ticks]
    inner = [
        min(place, plot.box.right - width_of(label, AXIS) / 2 + 4) for place, label in zip(places, labels, strict=True)
    ]
    sheet.write_along(inner, labels, plot.box.bottom + 15, 6)
    if labelled:
        sheet.write_up(plot)


def _references(plot: Plot, ceilings: Ceilings) -> None:
    for other in ceilings.others.values():
        plot.line(other.cutoffs, [mean.value for mean in other.means], Stroke(REFERENCE))
    ceiling = ceilings.ceiling
    plot.line(ceiling.cutoffs, [mean.value for mean in ceiling.means], Stroke(INK, 1.2, (4, 3)))


def _names_of_others(ceilings: Ceilings, y: Scale) -> tuple[Name, ...]:
    """The arms of the grey curves, where those end; arms that end together share a line."""
    ends = sorted(
        ((1 - y.place(known(values)[-1])) * PLOT_HEIGHT, key)
        for key, curve in ceilings.others.items()
        if known(values := [mean.value for mean in curve.means])
    )
    groups: list[list[tuple[float, str]]] = []
    for end in ends:
        if groups and end[0] - groups[-1][0][0] < LINE:
            groups[-1].append(end)
        else:
            groups.append([end])
    room = ENDS_ROOM - BESIDE
    keys = ([key for _, key in sorted(group, key=lambda end: list(ceilings.others).index(end[1]))] for group in groups)
    return tuple(
        Name(group[0][0] + 4, text(fitted(", ".join(named), NOTE, room), fitted("、".join(named), NOTE, room)))
        for group, named in zip(groups, keys, strict=True)
    )


def _curve(sheet: Sheet, plot: Plot, curve: Curve, ceilings: Ceilings) -> None:
    """The mean with its band, and the value at the cutoff that is spoken of."""
    there = [(cutoff, mean.value) for cutoff, mean in zip(curve.cutoffs, curve.means, strict=True)]
    defined = [(cutoff, value) for cutoff, value in there if value is not None]
    if not defined:
        middle = Point(plot.box.left + plot.box.width / 2, plot.box.top + PLOT_HEIGHT / 2)
        sheet.write(middle, text("undefined", "无定义"), NOTE, Anchor.MIDDLE)
        return
    plot.band(curve.cutoffs, [inside(m.low) for m in curve.means], [inside(m.high) for m in curve.means], BETTER)
    plot.line(curve.cutoffs, [value for _, value in there], Stroke(BETTER, 1.8))
    cutoff, value = max((pair for pair in defined if pair[0] <= SPOKEN_OF), default=defined[0])
    plot.dot(cutoff, value, Dot(BETTER, 3.5))
    x, y = plot.at(cutoff, value)
    places = [Place(Point(x + right, y + down), Anchor.START) for down in (18, 30, -9) for right in (2, -12, -26)]
    label = Label(same(number(value)), VALUE)
    put(sheet, label, places, plot.box, [around(plot.at(*pair), 3) for pair in defined])
    if plot.x.place(defined[-1][0]) < NEARLY_ALL:
        end = text(f"ends at {defined[-1][0]}", f"止于 {defined[-1][0]}")
        last = plot.at(*defined[-1])
        places = [Place(Point(last.x + 8, last.y + down)) for down in (4, 18, 30, 42, -10)]
        put(sheet, Label(end, NOTE), places, plot.box, list(_along_others(plot, ceilings)))


def _along_others(plot: Plot, ceilings: Ceilings) -> Iterator[Box]:
    """The grey curves and the ceiling as a row of small boxes."""
    for curve in (*ceilings.others.values(), ceilings.ceiling):
        there = [(cutoff, mean.value) for cutoff, mean in zip(curve.cutoffs, curve.means, strict=True)]
        yield from along([plot.at(cutoff, value) for cutoff, value in there if value is not None], 4)


def _pool(sheet: Sheet, plot: Plot, pool: int) -> None:
    """A dotted line where the pool ends, named at its foot on the side that has room."""
    if not plot.x.low < pool < plot.x.high:
        return
    plot.line([pool, pool], [plot.y.low, plot.y.high], Stroke(ZERO, 1, (1, 2)))
    x, y = plot.at(pool, plot.y.low)
    label = Label(text(f"pool {pool}", f"候选池 {pool}"), NOTE)
    sides = ((x - 4, Anchor.END), (x + 4, Anchor.START))
    put(sheet, label, [Place(Point(at, y - up), side) for up in (5, 20) for at, side in sides], plot.box)


def _pool_panels(ceilings: Ceilings) -> range | tuple[int, ...]:
    """The ranking that the pool is taken from, and what the reranker made of it."""
    points = [curve.point for curve in ceilings.points]
    if RERANKED not in points:
        return tuple(place for place, point in enumerate(points) if point != CONTEXT)
    last = points.index(RERANKED)
    return range(max(last - 1, 0), last + 1)


def _title(ceilings: Ceilings) -> Text:
    points = [curve.point for curve in ceilings.points]
    return text(
        f"Recall by cutoff at the measuring points of {ceilings.arm} ({', '.join(points)}), with its ceiling",
        f"{ceilings.arm} 各测量点（{'、'.join(points)}）随截断数的召回与上限",
    )
