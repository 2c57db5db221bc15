"""Differences question by question: bars sorted from the largest gain to the largest loss."""

from collections.abc import Sequence
from typing import NamedTuple

from rag_ablation.report.leaderboard import signed
from rag_ablation.report.study.charts._look import (
    AXIS,
    BETTER,
    GRID,
    HEAD,
    INK,
    LABEL,
    NOTE,
    WORSE,
    ZERO,
    fitted,
    width_of,
)
from rag_ablation.report.study.charts._plot import Box, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Scale
from rag_ablation.report.study.charts._sheet import Anchor, Sheet
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.figures import outcomes
from rag_ablation.report.study.prose import dotted
from rag_ablation.report.study.words import Text, same, text

AXIS_ROOM, BETWEEN = 32.0, 26.0
LINE, PLOT_HEIGHT, UNDER = 17.0, 140.0, 8.0
STACKED = 22.0
APART = 4.0  # narrower bars do not stand apart: the air between them would alias


class Counts(NamedTuple):
    """Questions by the sign of their difference."""

    wins: int
    ties: int
    losses: int


def paint(steps: Sequence[LadderStep], width: float) -> Sheet:
    """Draw a panel for each step, beside each other or, in a narrow column, below."""
    columns = len(steps) if width > 500 else 1
    rows = -(-len(steps) // max(columns, 1))
    room = (width - BETWEEN * (columns - 1)) / max(columns, 1)
    two_lines = any(not _one_line(step, room) for step in steps)
    head = LINE * (2 if two_lines else 1) + 14
    height = head + PLOT_HEIGHT + UNDER
    sheet = Sheet(width, rows * height + (rows - 1) * STACKED if rows else LINE, _title(steps))
    scale = _scale(steps)
    for place, step in enumerate(steps):
        row, column = divmod(place, columns)
        corner = Point(column * (room + BETWEEN), row * (height + STACKED))
        _head(sheet, step, corner, room, two_lines=two_lines)
        box = Box(corner.x + AXIS_ROOM, corner.y + head, room - AXIS_ROOM, PLOT_HEIGHT)
        plot = sheet.plot(box, Scale(0, max(len(step.gaps), 1)), scale)
        _panel(sheet, plot, step)
    return sheet


def counts(step: LadderStep) -> Counts:
    """Wins, ties and losses of the bars that are drawn."""
    wins, losses = sum(gap > 0 for gap in step.gaps), sum(gap < 0 for gap in step.gaps)
    return Counts(wins, len(step.gaps) - wins - losses, losses)


def _scale(steps: Sequence[LadderStep]) -> Scale:
    largest = max((abs(gap) for step in steps for gap in step.gaps), default=1.0)
    end = next((end for end in (0.1, 0.2, 0.5, 1.0) if largest <= end), largest)
    return Scale(-end, end, (-end, -end / 2, 0.0, end / 2, end))


def _head(sheet: Sheet, step: LadderStep, corner: Point, room: float, *, two_lines: bool) -> None:
    base = corner.y + 15
    said = _said(step)
    if two_lines:
        sheet.write(Point(corner.x, base), same(fitted(step.label, HEAD, room)), HEAD)
        sheet.write(Point(corner.x, base + LINE), said, AXIS)
    else:
        sheet.write(Point(corner.x, base), same(step.label), HEAD)
        sheet.write(Point(corner.x + room, base), said, AXIS, Anchor.END)


def _panel(sheet: Sheet, plot: Plot, step: LadderStep) -> None:
    plot.across([tick for tick in plot.y.ticks if tick], Stroke(GRID))
    for tick in plot.y.ticks:
        at = plot.at(0, tick)
        decimals = 2 if plot.y.high < 1 else 1
        sheet.write(Point(at.x - 5, at.y + 4), same(signed(tick, decimals)), AXIS, Anchor.END)
    if step.gaps:
        _bars(plot, [gap for gap in step.gaps if gap > 0], 0, BETTER)
        losses = [gap for gap in step.gaps if gap < 0]
        _bars(plot, losses, len(step.gaps) - len(losses), WORSE)
    plot.across([0.0], Stroke(ZERO))
    mean = _mean(step)
    if mean is None:
        middle = Point(plot.box.left + plot.box.width / 2, plot.at(0, 0).y - 6)
        sheet.write(middle, text("undefined", "无定义"), NOTE, Anchor.MIDDLE)
        return
    plot.across([mean], Stroke(INK, 1.2, (1.2, 2.4)))
    value = signed(mean)
    _beside_the_mean(sheet, plot, step, text(f"mean {value}", f"均值 {value}"), mean)


def _bars(plot: Plot, gaps: Sequence[float], first: int, colour: str) -> None:
    """Bars that stand apart where there is room, else one shape with steps."""
    if not gaps:
        return
    pitch = plot.box.width / plot.x.high
    xs: list[float] = []
    ys: list[float] = []
    if pitch < APART:
        for start, end, gap in _blocks(gaps, pitch):
            xs += [first + start, first + end]
            ys += [gap, gap]
        plot.outline([xs[0], *xs, xs[-1]], [0, *ys, 0], colour)
        return
    air = 0.5 / pitch
    for place, gap in enumerate(gaps, start=first):
        xs += [place + air, place + air, place + 1 - air, place + 1 - air]
        ys += [0, gap, gap, 0]
    plot.outline(xs, ys, colour)


def _blocks(gaps: Sequence[float], pitch: float) -> list[tuple[int, int, float]]:
    """Runs of equal height; of a great many questions, one for each half pixel."""
    step = max(1, int(0.5 / pitch))
    found: list[tuple[int, int, float]] = []
    for start in range(0, len(gaps), step):
        end = min(start + step, len(gaps))
        gap = gaps[(start + end - 1) // 2]
        if found and found[-1][2] == gap:
            found[-1] = (found[-1][0], end, gap)
        else:
            found.append((start, end, gap))
    return found


def _beside_the_mean(sheet: Sheet, plot: Plot, step: LadderStep, label: Text, mean: float) -> None:
    """Above its line at the right, or below it at the left: where the sorted bars leave paper."""
    share = max(width_of(label.plain(language), LABEL) for language in ("en", "zh")) / plot.box.width
    number = max(1, round(share * len(step.gaps)))
    line = plot.at(0, mean).y
    if mean < 0 and all(gap >= 0 for gap in step.gaps[:number]):
        sheet.write(Point(plot.box.left + 2, line + 14), label, LABEL)
        return
    over = line - 5 if all(gap <= max(mean, 0) for gap in step.gaps[-number:]) and mean >= 0 else plot.box.top + 14
    sheet.write(Point(plot.box.right, over), label, LABEL, Anchor.END)


def _mean(step: LadderStep) -> float | None:
    if step.comparison is not None:
        return step.comparison.interval.mean
    return sum(step.gaps) / len(step.gaps) if step.gaps else None


def _said(step: LadderStep) -> Text:
    return dotted(*outcomes(*counts(step)))


def _one_line(step: LadderStep, room: float) -> bool:
    return width_of(step.label, HEAD) + width_of(_said(step).plain(), AXIS) + 14 <= room


def _title(steps: Sequence[LadderStep]) -> Text:
    labels = [step.label for step in steps]
    return text(
        f"Differences question by question, sorted: {'; '.join(labels)}", f"逐题差值，由大到小：{'；'.join(labels)}"
    )
