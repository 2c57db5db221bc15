"""A region of a drawing with two axes, and the few shapes that charts are made of."""

import math
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.markers import MarkerStyle

from rag_ablation.report.study.charts._look import BETTER, INK, OPEN, PAPER, WORSE
from rag_ablation.report.study.charts._scale import Number, Scale

DPI = 72


class Point(NamedTuple):
    """A place in pixels, from the top left."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle in pixels."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height


class Stroke(NamedTuple):
    """A line.

    Args:
        colour: of the line.
        width: in pixels.
        dash: lengths of dashes and gaps; empty for a solid line.
    """

    colour: str
    width: float = 1.0
    dash: tuple[float, ...] = ()


class Dot(NamedTuple):
    """A mark at a point.

    Args:
        colour: of the mark.
        radius: in pixels.
        hollow: whether paper shows inside.
        diamond: whether it is a diamond, else a circle.
        ring: whether it has no inside at all.
    """

    colour: str
    radius: float = 4.0
    hollow: bool = False
    diamond: bool = False
    ring: bool = False


MEAN = Dot(INK)
GAIN = Dot(BETTER, 4.5)
LOSS = Dot(WORSE, 5.0, diamond=True)
UNDECIDED = Dot(OPEN, hollow=True)


class Plot:
    """A region; what is drawn later lies over what was drawn before.

    Args:
        axes: of matplotlib, in the units of the data.
        box: where it lies.
        x: horizontal axis.
        y: vertical axis.
    """

    def __init__(self, axes: Axes, box: Box, x: Scale, y: Scale) -> None:
        self.axes, self.box, self.x, self.y = axes, box, x, y
        self._layers = count(2)
        axes.set_axis_off()
        axes.set_xscale("log" if x.log else "linear")
        axes.set_yscale("log" if y.log else "linear")
        axes.set_xlim(x.low, x.high)
        axes.set_ylim(y.low, y.high)

    def at(self, x: float, y: float) -> Point:
        """The pixel of a pair of values."""
        return Point(
            self.box.left + self.box.width * self.x.place(x), self.box.bottom - self.box.height * self.y.place(y)
        )

    def x_of(self, pixel: float) -> float:
        """The value that lies at a pixel from the left."""
        share = (pixel - self.box.left) / self.box.width
        if self.x.log:
            return float(self.x.low * (self.x.high / self.x.low) ** share)
        return self.x.low + (self.x.high - self.x.low) * share

    def line(self, xs: Sequence[Number], ys: Sequence[Number], stroke: Stroke) -> None:
        """A line through points; it breaks where a value is undefined."""
        self.axes.plot(
            _floats(xs),
            _floats(ys),
            color=stroke.colour,
            linewidth=stroke.width,
            linestyle=(0, tuple(length / stroke.width for length in stroke.dash)) if stroke.dash else "-",
            solid_capstyle="butt",
            dash_capstyle="butt",
            clip_on=False,
            zorder=next(self._layers),
        )

    def across(self, ys: Sequence[float], stroke: Stroke) -> None:
        """Horizontal lines over the whole region, as one shape."""
        xs = [self.x.low, self.x.high, None] * len(ys)
        self.line(xs, [value for y in ys for value in (y, y, None)], stroke)

    def upright(self, xs: Sequence[float], stroke: Stroke) -> None:
        """Vertical lines over the whole region, as one shape."""
        ys = [self.y.low, self.y.high, None] * len(xs)
        self.line([value for x in xs for value in (x, x, None)], ys, stroke)

    def ticks(self, xs: Sequence[float], stroke: Stroke, length: float = 4.0) -> None:
        """Short lines under the horizontal axis, as one shape; the length is in pixels."""
        end = self.y.low - (self.y.high - self.y.low) * length / self.box.height
        self.line([value for x in xs for value in (x, x, None)], [self.y.low, end, None] * len(xs), stroke)

    def band(self, xs: Sequence[float], lows: Sequence[Number], highs: Sequence[Number], colour: str) -> None:
        """A tinted area between two lines."""
        self.axes.fill_between(
            list(xs),
            _floats(lows),
            _floats(highs),
            color=colour,
            alpha=0.16,
            linewidth=0,
            clip_on=False,
            zorder=next(self._layers),
        )

    def bar(self, left: float, right: float, bottom: float, top: float, colour: str) -> None:
        """A filled rectangle."""
        self.outline([left, right, right, left], [bottom, bottom, top, top], colour)

    def outline(self, xs: Sequence[float], ys: Sequence[float], colour: str) -> None:
        """A filled polygon."""
        self.axes.fill(list(xs), list(ys), color=colour, linewidth=0, clip_on=False, zorder=next(self._layers))

    def dot(self, x: float, y: float, dot: Dot) -> None:
        """A mark."""
        edge = 0.0 if not (dot.hollow or dot.ring) else 1.5
        self.axes.plot(
            [x],
            [y],
            linestyle="none",
            marker=MarkerStyle("D" if dot.diamond else "o"),
            markersize=2 * dot.radius * (math.sqrt(0.5) if dot.diamond else 1.0),
            markerfacecolor="none" if dot.ring else PAPER if dot.hollow else dot.colour,
            markeredgecolor=dot.colour if edge else "none",
            markeredgewidth=edge,
            clip_on=False,
            zorder=next(self._layers),
        )


def _floats(values: Sequence[Number]) -> list[float]:
    return [math.nan if value is None else float(value) for value in values]
