"""A drawing in pixels from the top left: a matplotlib figure for its shapes, and its words in both languages."""

from collections.abc import Sequence
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.patheffects import Normal, withStroke
from matplotlib.transforms import Affine2D

from rag_ablation.report.study.charts._look import AXIS, PAPER, Type, width_of
from rag_ablation.report.study.charts._plot import DPI, Box, Plot, Point
from rag_ablation.report.study.charts._scale import Scale
from rag_ablation.report.study.words import Text, same

LATIN = ("Segoe UI", "Roboto", "Helvetica Neue", "Arial", "Liberation Sans", "DejaVu Sans")
CHINESE = (
    *("PingFang SC", "PingFang HK", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC"),
    *("Noto Sans CJK JP", "WenQuanYi Micro Hei", "Arial Unicode MS"),
)
ASCENT, DESCENT = 0.92, 0.3


class Anchor(StrEnum):
    """Which point of a text its place is."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


class Written(NamedTuple):
    """A text with its place on the base line."""

    at: Point
    text: Text
    look: Type
    anchor: Anchor


class Sheet:
    """A drawing.

    Args:
        width: in pixels.
        height: in pixels.
        title: what the drawing shows, for those who do not see it.
    """

    def __init__(self, width: float, height: float, title: Text) -> None:
        self.width = width
        self.height = height
        self.title = title
        self.figure = Figure(figsize=(width / DPI, height / DPI), dpi=DPI)
        self.figure.patch.set_facecolor(PAPER)
        self.written: list[Written] = []
        self.taken: list[Box] = []

    def plot(self, box: Box, x: Scale, y: Scale) -> Plot:
        """A region with two axes."""
        place = (
            box.left / self.width,
            1 - box.bottom / self.height,
            box.width / self.width,
            box.height / self.height,
        )
        return Plot(self.figure.add_axes(place), box, x, y)

    def pixels(self) -> Plot:
        """The whole drawing as a region whose numbers are pixels."""
        return self.plot(Box(0, 0, self.width, self.height), Scale(0, self.width), Scale(self.height, 0))

    def write(self, at: Point, text: Text, look: Type, anchor: Anchor = Anchor.START) -> Box:
        """Set a text; one that would leave the drawing at a side is moved inside.

        Returns:
            Where it stands, by a guess of its width.
        """
        room = box_of(at, text, look, anchor)
        if room.left < 0 <= self.width - room.width:
            at = Point(at.x - room.left, at.y)
        elif room.right > self.width >= room.width:
            at = Point(at.x - (room.right - self.width), at.y)
        self.written.append(Written(at, text, look, anchor))
        self.taken.append(box_of(at, text, look, anchor))
        return self.taken[-1]

    def write_along(self, places: Sequence[float], labels: Sequence[str], base: float, apart: float = 8.0) -> None:
        """Set the labels of a horizontal axis, as many as have room.

        Args:
            places: of the labels' middles.
            labels: one for each.
            base: line that they stand on.
            apart: least room between two.
        """
        for index in thinned(places, [width_of(label, AXIS) for label in labels], apart):
            self.write(Point(places[index], base), same(labels[index]), AXIS, Anchor.MIDDLE)

    def write_up(self, plot: Plot, beside: float = 5.0) -> None:
        """Set the labels of a region's vertical axis."""
        for tick in plot.y.ticks:
            at = plot.at(plot.x.low, tick)
            self.write(Point(at.x - beside, at.y + 4), same(plot.y.label(tick)), AXIS, Anchor.END)

    def keep_free(self, box: Box) -> None:
        """Let no label that seeks its place stand here."""
        self.taken.append(box)

    def in_language(self, language: str) -> Figure:
        """The figure with its words in one language; complete once it is asked for, so ask once.

        Args:
            language: `en` or `zh`.
        """
        pixels = Affine2D().scale(1, -1).translate(0, self.height).scale(1 / DPI) + self.figure.dpi_scale_trans
        for at, text, look, anchor in self.written:
            drawn = self.figure.text(
                at.x,
                at.y,
                text.plain(language),
                transform=pixels,
                ha={Anchor.START: "left", Anchor.MIDDLE: "center", Anchor.END: "right"}[anchor],
                va="baseline",
                fontsize=look.size,
                fontweight="bold" if look.bold else "normal",
                fontfamily=families(),
                color=look.colour,
                parse_math=False,
            )
            if look.halo:
                drawn.set_path_effects([withStroke(linewidth=3, foreground=PAPER), Normal()])
        return self.figure


def box_of(at: Point, text: Text, look: Type, anchor: Anchor) -> Box:
    """The room of a text in the language that needs more."""
    wide = width_in_both(text, look)
    left = at.x - {Anchor.START: 0.0, Anchor.MIDDLE: wide / 2, Anchor.END: wide}[anchor]
    return Box(left, at.y - ASCENT * look.size, wide, (ASCENT + DESCENT) * look.size)


def width_in_both(text: Text, look: Type) -> float:
    """The width in the language that needs more."""
    return max(width_of(text.plain(language), look) for language in ("en", "zh"))


def thinned(places: Sequence[float], widths: Sequence[float], apart: float = 8.0) -> list[int]:
    """Which labels along an axis to write, so that none touches another; the first and the last come first."""
    kept: list[int] = []
    for index in dict.fromkeys([0, len(places) - 1, *range(len(places))]):
        need = (abs(places[index] - places[other]) - (widths[index] + widths[other]) / 2 for other in kept)
        if all(gap >= apart for gap in need):
            kept.append(index)
    return sorted(kept)


@cache
def families() -> list[str]:
    """Font families that are installed here, Latin before Chinese."""
    there = set(font_manager.get_font_names())
    found = [next((name for name in names if name in there), None) for names in (LATIN, CHINESE)]
    return [name for name in found if name is not None] or ["sans-serif"]
