"""Charts read back: what stands in the markup, for tests."""

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
NUMBER = re.compile(r"-?\d+\.?\d*")


class Path(NamedTuple):
    """A shape by its colours and its points; lines along an axis have theirs filled in."""

    fill: str | None
    stroke: str | None
    width: str | None
    points: list[tuple[float, float]]

    @property
    def xs(self) -> list[float]:
        return [x for x, _ in self.points]

    @property
    def ys(self) -> list[float]:
        return [y for _, y in self.points]


def parsed(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def texts(markup: str, language: str = "en") -> list[str]:
    """What a reader of one language sees, in the order of the markup."""
    return [content for content, _, _ in placed(markup, language)]


def placed(markup: str, language: str = "en") -> list[tuple[str, float, float]]:
    """Texts with their places."""
    found = []
    for element in parsed(markup).iter(f"{SVG}text"):
        spans = [span.text or "" for span in element.iter(f"{SVG}tspan") if span.get("class") == language]
        content = spans[0] if spans else element.text or ""
        found.append((content, float(element.attrib["x"]), float(element.attrib["y"])))
    return found


def circles(markup: str) -> list[ElementTree.Element]:
    return list(parsed(markup).iter(f"{SVG}circle"))


def centres(markup: str, fill: str) -> list[tuple[float, float]]:
    """Of the circles of one colour."""
    return [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in circles(markup) if dot.get("fill") == fill]


def paths(markup: str, *, fill: str | None = None, stroke: str | None = None) -> list[Path]:
    """Shapes of a colour."""
    found = (
        Path(path.get("fill"), path.get("stroke"), path.get("stroke-width"), list(_points(path.attrib["d"])))
        for path in parsed(markup).iter(f"{SVG}path")
    )
    return [path for path in found if (fill is None or path.fill == fill) and (stroke is None or path.stroke == stroke)]


def _points(path: str) -> Iterator[tuple[float, float]]:
    x = y = 0.0
    for command, written in re.findall(r"([MLHVCQZ])([^MLHVCQZ]*)", path):
        numbers = [float(number) for number in NUMBER.findall(written)]
        if command == "H":
            x = numbers[0]
        elif command == "V":
            y = numbers[0]
        elif numbers:
            x, y = numbers[-2:]
        if command != "Z":
            yield x, y
