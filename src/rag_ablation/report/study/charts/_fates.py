"""What became of the gold: one bar of the same length for each arm."""

from collections.abc import Mapping

from rag_ablation.measures.fates import Fate
from rag_ablation.report.flow_svg import Gold
from rag_ablation.report.study.charts._look import AXIS, FATE_COLOURS, GRID, NAME, fitted, on, width_of
from rag_ablation.report.study.charts._plot import Plot, Point
from rag_ablation.report.study.charts._sheet import Anchor, Sheet
from rag_ablation.report.study.content import Lost
from rag_ablation.report.study.words import Text, same, text

THICK, PITCH, TOP, BASE = 22.0, 30.0, 2.0, 15.5
BESIDE = 8.0
LONGEST_NAME = 0.3


def paint(lost: Lost, gold: Gold, width: float) -> Sheet:
    """Draw the bars; kept first, then from the latest loss to the earliest."""
    names = [fitted(arm, NAME, LONGEST_NAME * width) for arm in lost.arms]
    left = max((width_of(name, NAME) for name in names), default=0.0) + BESIDE
    right = width - width_of(str(lost.total), AXIS) - BESIDE
    sheet = Sheet(width, max(len(names), 1) * PITCH - (PITCH - THICK) + 2 * TOP, _title(lost, gold))
    pixels = sheet.pixels()
    for place, (arm, name) in enumerate(zip(lost.arms, names, strict=True)):
        top = TOP + place * PITCH
        sheet.write(Point(left - BESIDE, top + BASE), same(name), NAME, Anchor.END)
        counts = lost.counts.get(arm, {})
        _bar(sheet, pixels, counts, Point(left, top), (right - left) / max(lost.total, 1))
        if not sum(counts.values()):
            pixels.bar(left, right, top + THICK / 2 - 0.5, top + THICK / 2 + 0.5, GRID)
        sheet.write(Point(right + BESIDE - 2, top + BASE), same(str(sum(counts.values()))), AXIS)
    return sheet


def _bar(sheet: Sheet, pixels: Plot, counts: Mapping[str, int], corner: Point, unit: float) -> None:
    left = corner.x
    for fate, colour in FATE_COLOURS.items():
        count = counts.get(fate, 0)
        if not count:
            continue
        room = count * unit
        pixels.bar(left, left + (room - 1 if room > 3 else room), corner.y, corner.y + THICK, colour)
        label, look = same(str(count)), on(colour)
        if width_of(label.plain(), look) + 4 <= room:
            sheet.write(Point(left + (room - 1) / 2, corner.y + BASE), label, look, Anchor.MIDDLE)
        left += room


def _title(lost: Lost, gold: Gold) -> Text:
    kept = [(arm, lost.counts.get(arm, {}).get(Fate.KEPT, 0)) for arm in lost.arms]
    return text(
        f"Fates of {lost.total} {gold.en}; kept: {', '.join(f'{arm} {count}' for arm, count in kept)}",
        f"{lost.total} {gold.zh}的去向；保留：{'、'.join(f'{arm} {count}' for arm, count in kept)}",
    )
