"""The members of a sweep: in panels, about the best of them, and in ranges that cannot be told from it."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from rag_ablation.report.leaderboard import number
from rag_ablation.report.study.charts._look import BETTER, INK, NOTE, OPEN, fitted
from rag_ablation.report.study.charts._placing import Label
from rag_ablation.report.study.charts._plot import Dot, Plot, Point, Stroke
from rag_ablation.report.study.charts._scale import Number
from rag_ablation.report.study.content import Setting, SweepCurve
from rag_ablation.report.study.naming import setting_name, setting_value
from rag_ablation.report.study.words import Text, text

RING = Dot(INK, 7.5, ring=True)
IN_THE_LADDER = text("in the ladder", "阶梯所用")


class Panel(NamedTuple):
    """The members that differ in the first setting alone.

    Args:
        name: the other settings and their values; empty without any.
        members: in the order of the first setting where it is a number.
    """

    name: str
    members: tuple[Setting, ...]


class Run(NamedTuple):
    """Members next to each other that cannot be told from the best."""

    first: Setting
    last: Setting


def is_numeric(curve: SweepCurve) -> bool:
    """Whether the first setting runs along an axis of numbers."""
    values = [setting.values[0] for setting in curve.settings]
    return bool(values) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def number_of(setting: Setting) -> float:
    """Value of the first setting; a number."""
    value = setting.values[0]
    return float(value) if isinstance(value, int | float) else 0.0


def panels_of(curve: SweepCurve) -> tuple[Panel, ...]:
    """A panel for each combination of the other settings, in the order in which they come."""
    others = list(dict.fromkeys(setting.values[1:] for setting in curve.settings))
    panels = []
    for values in others:
        members = [setting for setting in curve.settings if setting.values[1:] == values]
        if is_numeric(curve):
            members.sort(key=number_of)
        named = zip(curve.axes[1:], values, strict=True)
        name = ", ".join(f"{setting_name(axis)} {setting_value(value)}" for axis, value in named)
        panels.append(Panel(name, tuple(members)))
    return tuple(panels)


def best_of(curve: SweepCurve) -> Setting | None:
    """The best on these questions."""
    return next((setting for setting in curve.settings if setting.key == curve.best), None)


def interval_of(curve: SweepCurve, setting: Setting) -> tuple[Number, Number]:
    """Interval of the paired difference to the best, drawn about the member's own place.

    It is the mean of the best plus the ends of the difference: where it reaches the mean of the best, the member
    cannot be told from it. The best itself has none.
    """
    best = best_of(curve)
    if best is None or best.mean.value is None:
        return None, None
    if setting.to_best is None:
        return (best.mean.value, best.mean.value) if setting is best else (None, None)
    if setting.to_best.low is None or setting.to_best.high is None:
        return None, None
    return best.mean.value + setting.to_best.low, best.mean.value + setting.to_best.high


def runs_of(members: Sequence[Setting]) -> tuple[Run, ...]:
    """Ranges that cannot be told from the best; a hole ends a range."""
    found = []
    for told, group in groupby(members, key=lambda setting: setting.told):
        if not told:
            together = list(group)
            found.append(Run(together[0], together[-1]))
    return tuple(found)


def named(runs: Sequence[Run]) -> Text:
    """`1–5, 20`."""
    ends = [_ends(run) for run in runs]
    return text(", ".join(ends), "、".join(ends))


def levels_of(curve: SweepCurve) -> list[tuple[float, Stroke]]:
    """The means that are drawn as lines: dotted that of the best single parent, dashed that of the best setting."""
    best = best_of(curve)
    found = [] if curve.reference is None else [(curve.reference[1], Stroke(OPEN, 1, (1, 3)))]
    if best is not None and best.mean.value is not None:
        found.append((best.mean.value, Stroke(INK, 1, (4, 3))))
    return found


def mark(plot: Plot, curve: SweepCurve, member: Setting, at: Point) -> None:
    """A member's dot, in the units of the plot; filled where it cannot be told from the best, which has a ring."""
    plot.dot(*at, Dot(OPEN, 3.5, hollow=True) if member.told else Dot(BETTER, 3.5))
    if member.key == curve.best:
        plot.dot(*at, RING)


def best_label(curve: SweepCurve, best: Setting) -> Text:
    """What stands beside the best."""
    value = "" if best.mean.value is None else number(best.mean.value)
    if curve.chosen == best.key:
        return text(f"best here {value}, in the ladder", f"本题集最佳 {value}，阶梯所用")
    return text(f"best here {value}", f"本题集最佳 {value}")


def reference_label(curve: SweepCurve, room: float) -> Label | None:
    """What stands at the line of the best single parent; None without one."""
    if curve.reference is None:
        return None
    key, mean = curve.reference
    name, value = fitted(key, NOTE, room), number(mean)
    return Label(text(f"{name} alone {value}", f"仅 {name} {value}"), NOTE)


def title_of(curve: SweepCurve) -> Text:
    """What a sweep's chart shows."""
    en, zh = (mark.join(curve.axes) for mark in (", ", "、"))
    return text(f"{curve.arm} by {en}; best here: {curve.best}", f"{curve.arm} 随 {zh}；本题集最佳：{curve.best}")


def _ends(run: Run) -> str:
    first, last = setting_value(run.first.values[0]), setting_value(run.last.values[0])
    return first if first == last else f"{first}–{last}"
