"""From a drawing to an `<svg>` that a page holds inside: no prolog, no ids, no fonts, both languages.

The shapes are those that matplotlib's SVG backend writes, with every reference resolved and every number rounded.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from rag_ablation.report.study.charts._sheet import Anchor, Sheet, Written
from rag_ablation.report.study.words import Text

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}
CIRCLE = re.compile(r"M 0 ([\d.]+) +(C [-\d. ]+){8}z *")
STEP = re.compile(r"([MLCQz])([^MLCQz]*)")
KEPT = ("fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity")

Attributes = dict[str, str]


def inline(sheet: Sheet, kind: str, *, hidden: bool = False) -> str:
    """The drawing as one `<svg>` element.

    Args:
        sheet: to draw.
        kind: class that says when it is shown.
        hidden: whether it only repeats what stands beside it, so that it is not read aloud.
    """
    role = 'aria-hidden="true" focusable="false"' if hidden else 'role="img"'
    title = "" if hidden else _title(sheet.title)
    width, height = number(sheet.width), number(sheet.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart {kind}" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" stroke-linejoin="round" {role}>{title}'
        + "".join(_shapes(sheet))
        + "".join(map(_text, sheet.written))
        + "</svg>"
    )


def number(value: float) -> str:
    """One decimal, none where it is 0."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _title(title: Text) -> str:
    return f"<title data-zh={quoteattr(title.plain('zh'))}>{escape(title.plain('en'))}</title>"


def _text(written: Written) -> str:
    at, text, look, anchor = written
    style = f"font-size:{look.size:g}px;fill:{look.colour}"
    if look.bold:
        style += ";font-weight:600"
    if look.halo:
        style += ";paint-order:stroke;stroke:#fff;stroke-width:3px"
    place = f'x="{number(at.x)}" y="{number(at.y)}"'
    if anchor is not Anchor.START:
        place += f' text-anchor="{anchor}"'
    return f'<text {place} style="{style}">{_both(text)}</text>'


def _both(text: Text) -> str:
    """One text where the languages agree, else both, of which the page hides one."""
    en, zh = (escape(text.plain(language)) for language in ("en", "zh"))
    return en if en == zh else f'<tspan class="en">{en}</tspan><tspan class="zh">{zh}</tspan>'


def _shapes(sheet: Sheet) -> Iterator[str]:
    file = BytesIO()
    sheet.figure.patch.set_visible(False)
    sheet.figure.savefig(file, format="svg", metadata=NO_METADATA)
    root = ElementTree.fromstring(file.getvalue())  # noqa: S314 - written by matplotlib, from shapes alone
    marks = {f"#{path.get('id')}": path for defined in root.iter(f"{SVG}defs") for path in defined.iter(f"{SVG}path")}
    inside = {id(path) for path in marks.values()}
    for element in root.iter():
        if element.tag == f"{SVG}use":
            mark = marks[element.attrib[HREF]]
            yield _mark(mark, element)
        elif element.tag == f"{SVG}path" and id(element) not in inside:
            steps = _steps(element.attrib["d"])
            yield _path(steps, _style(element))


def _mark(mark: ElementTree.Element, use: ElementTree.Element) -> str:
    """A mark at its place; a circle is written as one."""
    x, y = float(use.attrib["x"]), float(use.attrib["y"])
    style = {**_style(mark), **_style(use)}
    if circle := CIRCLE.fullmatch(mark.attrib["d"]):
        place = f'cx="{number(x)}" cy="{number(y)}" r="{number(float(circle[1]))}"'
        return f"<circle {place}{_written(style)}/>"
    return _path(_steps(mark.attrib["d"], x, y), style)


def _path(steps: list[tuple[str, list[float]]], style: Attributes) -> str:
    return f'<path d="{"".join(_compact(steps))}"{_written(style)}{_crisp(steps, style)}/>'


def _steps(path: str, dx: float = 0.0, dy: float = 0.0) -> list[tuple[str, list[float]]]:
    """Commands with their numbers, moved."""
    found = []
    for command, written in STEP.findall(path):
        values = [float(value) for value in written.split()]
        found.append((command, [value + (dy if place % 2 else dx) for place, value in enumerate(values)]))
    return found


def _compact(steps: list[tuple[str, list[float]]]) -> Iterator[str]:
    """Rounded, with the short forms of lines along an axis; a point that repeats the last one is left out."""
    last: list[str] = []
    for command, values in steps:
        written = [number(value) for value in values]
        if command == "L" and written == last:
            continue
        if command == "L" and written[1] == last[1]:
            yield f"H{written[0]}"
        elif command == "L" and written[0] == last[0]:
            yield f"V{written[1]}"
        else:
            yield command.upper() + " ".join(written)
        last = written[-2:] or last


def _crisp(steps: list[tuple[str, list[float]]], style: Attributes) -> str:
    """Thin solid lines along an axis lie on whole pixels."""
    thin = style.get("stroke") is not None and style.get("stroke-width", "1") == "1"
    if not thin or "stroke-dasharray" in style or style.get("fill") != "none":
        return ""
    points = [values[-2:] for _, values in steps if values]
    along = all(
        command != "L" or min(abs(here[0] - before[0]), abs(here[1] - before[1])) < 0.01
        for (command, _), before, here in zip(steps[1:], points, points[1:], strict=False)
    )
    return ' shape-rendering="crispEdges"' if along else ""


def _style(element: ElementTree.Element) -> Attributes:
    pairs = (part.partition(":") for part in element.get("style", "").split(";") if part.strip())
    style = {name.strip(): value.strip() for name, _, value in pairs}
    found = {name: _value(name, style[name]) for name in KEPT if name in style}
    if found.get("fill-opacity") == "0":
        del found["fill-opacity"]
        found["fill"] = "none"
    return found


def _value(name: str, value: str) -> str:
    if name in {"stroke-width", "stroke-dasharray"}:
        return " ".join(number(float(length)) for length in value.split(","))
    return value


def _written(style: Attributes) -> str:
    return "".join(f' {name}="{value}"' for name, value in style.items())
