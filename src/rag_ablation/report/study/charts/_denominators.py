"""What was asked as one bar: scored, then left out by reason."""

from collections.abc import Iterable, Iterator

from rag_ablation.report.study.charts._look import AXIS, BETTER, EXCLUDED, GRID, on, width_of
from rag_ablation.report.study.charts._plot import Point
from rag_ablation.report.study.charts._sheet import Anchor, Sheet
from rag_ablation.report.study.content import Denominators
from rag_ablation.report.study.words import Text, same, text

HEIGHT, BASE, GAP, INSET = 24.0, 16.0, 2.0, 8.0


def excluded_colours(denominators: Denominators) -> dict[str, str]:
    """The colour of each reason for which a question was left out, for a key beside the bar."""
    there = [reason for reason, count in denominators.excluded.items() if count]
    return {reason: EXCLUDED[place % len(EXCLUDED)] for place, reason in enumerate(there)}


def paint(denominators: Denominators, width: float) -> Sheet:
    """Draw the bar."""
    sheet = Sheet(width, HEIGHT, _title(denominators))
    pixels = sheet.pixels()
    parts = list(_parts(denominators))
    total = sum(count for count, _, _ in parts)
    if not total:
        pixels.bar(0, width, 0, HEIGHT, GRID)
        sheet.write(Point(INSET, BASE), text("0 asked", "0 题"), AXIS)
        return sheet
    unit = (width - GAP * (len(parts) - 1)) / total
    left = 0.0
    for place, (count, colour, labels) in enumerate(parts):
        right = left + count * unit
        pixels.bar(left, right, 0, HEIGHT, colour)
        label = _longest(labels, right - left, colour)
        if label is not None and place:
            sheet.write(Point((left + right) / 2, BASE), label, on(colour), Anchor.MIDDLE)
        elif label is not None:
            sheet.write(Point(left + INSET, BASE), label, on(colour))
        left = right + GAP
    return sheet


def _parts(denominators: Denominators) -> Iterator[tuple[int, str, tuple[Text, ...]]]:
    """Count, colour and possible labels of each part that is not empty."""
    scored = denominators.scored
    if scored:
        yield scored, BETTER, (text(f"{scored} scored", f"{scored} 计分"), same(str(scored)))
    for reason, colour in excluded_colours(denominators).items():
        count = denominators.excluded[reason]
        yield count, colour, (same(f"{count} {reason}"), same(str(count)))


def _longest(labels: Iterable[Text], room: float, colour: str) -> Text | None:
    look = on(colour)
    for label in labels:
        if max(width_of(label.plain(language), look) for language in ("en", "zh")) + 4 <= room:
            return label
    return None


def _title(denominators: Denominators) -> Text:
    out = [(count, reason) for reason, count in denominators.excluded.items() if count]
    return text(
        ", ".join([f"{denominators.asked} questions: {denominators.scored} scored", *(f"{n} {why}" for n, why in out)]),
        "，".join([f"{denominators.asked} 题：{denominators.scored} 计分", *(f"{n} {why}" for n, why in out)]),
    )
