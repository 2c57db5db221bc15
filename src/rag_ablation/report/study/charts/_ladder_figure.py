"""The whole ladder as one figure, for notebooks; a page has it as a table."""

from rag_ablation.report.leaderboard import named, signed
from rag_ablation.report.study.charts._ladder import MARKS, mark_difference, mark_mean, rules, scale_of
from rag_ablation.report.study.charts._look import AXIS, INK, LABEL, NAME, OPEN, Type, fitted
from rag_ablation.report.study.charts._plot import Box, Plot, Point
from rag_ablation.report.study.charts._scale import Scale
from rag_ablation.report.study.charts._sheet import Sheet
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep
from rag_ablation.report.study.naming import against
from rag_ablation.report.study.verdict.terms import word_of_step
from rag_ablation.report.study.words import same, text

PITCH, HEAD_ROOM, UNDER = 26.0, 44.0, 4.0
NAMES, MEANS, STEPS, DIFFERENCES, SAYS = 0.0, 0.19, 0.41, 0.53, 0.79


def paint(ladder: Ladder, width: float) -> Sheet:
    """Draw a line for each step, and one for each arm without; arms without a mean are left out."""
    rows = [row for row in ladder.rows if row.mean is not None]
    lines = max(1, sum(max(1, len(row.steps)) for row in rows))
    measure = named(ladder.measure)
    sheet = Sheet(width, HEAD_ROOM + PITCH * lines + UNDER, text(f"The ladder on {measure}", f"阶梯：{measure}"))
    scale = scale_of(ladder)
    means = _column(sheet, scale.mean, (MEANS, STEPS), lines)
    differences = _column(sheet, scale.difference, (DIFFERENCES, SAYS), lines)
    sheet.write(Point(means.box.left, 12), text(f"{measure}, 95 % interval", f"{measure}，95 % 区间"), AXIS)
    sheet.write(Point(differences.box.left, 12), text("difference, 95 % interval", "差值，95 % 区间"), AXIS)
    _ticks(sheet, means, signed=False)
    _ticks(sheet, differences, signed=True)
    line = 0
    for row in rows:
        _arm(sheet, means, row, line)
        for place, step in enumerate(row.steps):
            _step(
                sheet,
                differences,
                step,
                line + place,
                marked=len(row.steps) > 1 and step.better_parent and step.ruled is None,
            )
        line += max(1, len(row.steps))
    return sheet


def _column(sheet: Sheet, scale: Scale, ends: tuple[float, float], lines: int) -> Plot:
    left, right = (share * sheet.width for share in ends)
    plot = sheet.plot(Box(left, HEAD_ROOM, right - left - 20, PITCH * lines), scale, Scale(lines, 0))
    rules(plot, zero=ends[0] == DIFFERENCES)
    return plot


def _ticks(sheet: Sheet, plot: Plot, *, signed: bool) -> None:
    labels = [plot.x.label(tick, signed=signed) for tick in plot.x.ticks]
    places = [plot.at(tick, 0).x for tick in plot.x.ticks]
    sheet.write_along(places, labels, HEAD_ROOM - 8, 6)


def _arm(sheet: Sheet, means: Plot, row: LadderRow, line: int) -> None:
    name = fitted(row.key, NAME, MEANS * sheet.width - 12)
    sheet.write(Point(NAMES, _base(line)), same(name), NAME)
    if row.mean is not None:
        mark_mean(means, line + 0.5, row.mean)


def _step(sheet: Sheet, differences: Plot, step: LadderStep, line: int, *, marked: bool) -> None:
    room = (DIFFERENCES - STEPS) * sheet.width - 8
    name = fitted(f"{against(step.parent)}{' ◂' if marked else ''}", LABEL, room)
    sheet.write(Point(STEPS * sheet.width, _base(line)), same(name), LABEL)
    comparison = step.comparison
    if comparison is None or comparison.interval.mean is None:
        sheet.write(Point(SAYS * sheet.width, _base(line)), text("undefined", "无定义"), AXIS)
        return
    mark_difference(differences, line + 0.5, comparison)
    _, stroke = MARKS[comparison.word]
    decided = stroke.colour != OPEN
    look = Type(12, stroke.colour if decided else INK, bold=decided)
    value, word = signed(comparison.interval.mean), word_of_step(step)
    said = text(f"{value} {word.plain()}", f"{value} {word.plain('zh')}")
    sheet.write(Point(SAYS * sheet.width, _base(line)), said, look)


def _base(line: int) -> float:
    return HEAD_ROOM + PITCH * (line + 0.5) + 4
