"""Right answers of every arm between floor and ceiling: a rate where all is settled, else a bar between its bounds."""

from collections.abc import Iterator, Sequence

from rag_ablation.measures.answers import CORRECT, CORRECT_HIGH, CORRECT_LOW
from rag_ablation.report.study.charts._look import BETTER, GRID, INK, NAME, SECOND, ZERO, Type, fitted, width_of
from rag_ablation.report.study.charts._plot import MEAN, Box, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Scale, inside
from rag_ablation.report.study.charts._sheet import Anchor, Sheet, width_in_both
from rag_ablation.report.study.content import Answers, AnswersRow
from rag_ablation.report.study.words import Text, same, text

PITCH, TOP, UNDER, BASE = 24.0, 6.0, 24.0, 4.0
THICK = 7.0
BESIDE = 10.0
LONGEST_NAME = 0.3
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
WIDE = 500.0
COUNT = Type(12, INK)
NONE = Type(12, SECOND)


def paint(answers: Answers, width: float) -> Sheet:
    """Draw a row for each arm; one without a share keeps its place and shows a dash."""
    rows = answers.rows
    sheet = Sheet(width, TOP + max(len(rows), 1) * PITCH + UNDER, _title(rows))
    names = [fitted(row.key, NAME, LONGEST_NAME * width) for row in rows]
    left = max((width_of(name, NAME) for name in names), default=0.0) + BESIDE
    right = width - max((width_in_both(_count(row), COUNT) for row in rows), default=0.0) - BESIDE
    box = Box(left, TOP, right - left, len(rows) * PITCH)
    plot = sheet.plot(box, Scale(0, 1, TICKS if width > WIDE else TICKS[::2]), Scale(len(rows), 0))
    plot.upright(plot.x.ticks, Stroke(GRID))
    _ceiling(plot, answers)
    for place, (row, name) in enumerate(zip(rows, names, strict=True)):
        middle = TOP + (place + 0.5) * PITCH
        sheet.write(Point(left - BESIDE, middle + BASE), same(name), NAME, Anchor.END)
        sheet.write(Point(right + BESIDE, middle + BASE), _count(row), COUNT if row.share else NONE)
        _mark(plot, place + 0.5, row)
    places = [plot.at(tick, len(rows)).x for tick in plot.x.ticks]
    sheet.write_along(places, [f"{100 * tick:.0f} %" for tick in plot.x.ticks], box.bottom + 17)
    return sheet


def _mark(plot: Plot, y: float, row: AnswersRow) -> None:
    """A dot with its interval, or a bar without a dot and, thin, how far the intervals of both its ends reach."""
    share, right = row.share, row.means.get(CORRECT)
    low, high = row.means.get(CORRECT_LOW), row.means.get(CORRECT_HIGH)
    if share is None or low is None or high is None:
        return
    if right is not None and right.value is not None:
        if right.low is not None and right.high is not None:
            plot.line([inside(right.low), inside(right.high)], [y, y], Stroke(INK, 1.6))
        plot.dot(right.value, y, MEAN)
        return
    if low.low is not None and high.high is not None:
        plot.line([inside(low.low), inside(high.high)], [y, y], Stroke(ZERO, 1.2))
    half = THICK / PITCH / 2
    least = 1.5 / plot.box.width
    plot.bar(share[0] - least, share[1] + least, y - half, y + half, BETTER if row.end is None else INK)


def _ceiling(plot: Plot, answers: Answers) -> None:
    """Dashed lines at the ends of the ceiling, one where nothing is open."""
    found = None if answers.ceiling is None else answers.ceiling.share
    if found is not None:
        for end in dict.fromkeys(found):
            plot.line([end, end], [0, plot.y.low], Stroke(ZERO, 1, (3, 3)))


def _count(row: AnswersRow) -> Text:
    """`104–111 of 127`."""
    if row.share is None:
        return same("–")
    first, last = row.right
    shown = f"{first}–{last}" if row.is_open else f"{first}"
    return text(f"{shown} of {row.n}", f"{row.n} 题中 {shown}")


def _title(rows: Sequence[AnswersRow]) -> Text:
    en, zh = ("; ".join(_said(rows, language)) for language in ("en", "zh"))
    return text(f"Right answers: {en}", f"答对：{zh.replace('; ', '；')}")


def _said(rows: Sequence[AnswersRow], language: str) -> Iterator[str]:
    for row in rows:
        yield f"{row.key} {_count(row).plain(language)}"
