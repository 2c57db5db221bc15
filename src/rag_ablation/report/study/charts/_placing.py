"""Where a label stands: never over other words, and over as few shapes as can be."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from rag_ablation.report.study.charts._look import Type
from rag_ablation.report.study.charts._plot import Box, Point
from rag_ablation.report.study.charts._sheet import Anchor, Sheet, box_of
from rag_ablation.report.study.words import Text


class Place(NamedTuple):
    """A possible place of a label.

    Args:
        at: point on the base line.
        anchor: which point of the text that is.
        cost: what it costs to stand here, in shapes that are lain over.
    """

    at: Point
    anchor: Anchor = Anchor.START
    cost: float = 0.0


class Label(NamedTuple):
    """A text and how it is set."""

    text: Text
    look: Type


def put(sheet: Sheet, label: Label, places: Iterable[Place], inside: Box, avoid: Sequence[Box] = ()) -> Place | None:
    """Write a label where it lies over no other text and over the fewest shapes.

    Args:
        sheet: to write on.
        label: to write.
        places: of equal ones the first is taken.
        inside: it does not leave this.
        avoid: shapes that it should not lie over.

    Returns:
        The place taken; None, and nothing is written, where every place is taken by other texts.
    """
    found: tuple[float, Place] | None = None
    for place in places:
        box = box_of(place.at, label.text, label.look, place.anchor)
        if not within(box, inside) or touched(box, sheet.taken):
            continue
        cost = place.cost + touched(box, avoid)
        if found is None or cost < found[0]:
            found = cost, place
    if found is None:
        return None
    sheet.write(found[1].at, label.text, label.look, found[1].anchor)
    return found[1]


def touched(box: Box, others: Iterable[Box]) -> int:
    """How many boxes a box lies over."""
    return sum(
        box.left < other.right and other.left < box.right and box.top < other.bottom and other.top < box.bottom
        for other in others
    )


def within(box: Box, other: Box) -> bool:
    """Whether a box does not leave another."""
    return box.left >= other.left and box.right <= other.right and box.top >= other.top and box.bottom <= other.bottom


def along(points: Sequence[Point], parts: int) -> Iterator[Box]:
    """A line through points as a row of small boxes, so many for each of its pieces."""
    for start, end in pairwise(points):
        for share in (part / parts for part in range(parts)):
            yield around(Point(start.x + share * (end.x - start.x), start.y + share * (end.y - start.y)), 2)


def around(at: Point, radius: float) -> Box:
    """The square about a dot."""
    return Box(at.x - radius, at.y - radius, 2 * radius, 2 * radius)
