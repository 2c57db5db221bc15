"""Swept settings against the best of them.

Exploratory: the best setting is the best on these questions, since it was looked for on them; the intervals of the
others to it are paired and clustered by group, and not adjusted for how many settings there are.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from numbers import Real
from typing import TypeGuard

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Sweep
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.differences import refusal
from rag_ablation.report.study.asked import Primary, same_questions
from rag_ablation.report.study.content import Setting, SweepCurve
from rag_ablation.report.study.figures import difference, mean, n_of, over
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.naming import setting_name, setting_value
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.recorded import excludes_zero
from rag_ablation.report.study.words import Text, code

Values = tuple[object, ...]
LEAST_RANGE = 4


def sweeps_of(results: StudyResults) -> tuple[SweepCurve, ...]:
    """Compare the settings of every sweep with the best of them.

    Args:
        results: the study's arms.

    Returns:
        One curve for each sweep with two settings or more whose mean is defined and which compare; those that
        failed, are undefined or do not compare are counted in its finding.
    """
    found = [_curve(results, sweep) for sweep in results.study.sweeps]
    return tuple(curve for curve in found if curve is not None)


def _curve(results: StudyResults, sweep: Sweep) -> SweepCurve | None:
    primary = Primary.of(results)
    arms = [arm for key in sweep.members if (arm := results.arm(key)) is not None and _usable(arm, primary)]
    if len(arms) < 2:
        return None
    best = max(arms, key=lambda arm: (_value(primary, arm), arm.key == sweep.arm))
    arms = [arm for arm in arms if arm is best or _comparable(arm, best)]
    settings = sorted(
        (_setting(arm, best, sweep.axes, primary) for arm in arms), key=lambda setting: _order(setting.values)
    )
    if len(settings) < 2:
        return None
    reference = _reference(results, sweep, primary)
    to_reference = None if reference is None else _paired(best, results.arm(reference[0]), primary)
    return SweepCurve(
        title=_title(sweep),
        finding=_finding(sweep, settings, best.key, _against(reference, to_reference)),
        arm=sweep.arm,
        axes=sweep.axes,
        settings=tuple(settings),
        best=best.key,
        chosen=_chosen(results, sweep, settings),
        reference=reference,
        to_reference=to_reference,
    )


def _usable(arm: ArmResult, primary: Primary) -> bool:
    found = primary.mean(arm)
    return found is not None and found.value is not None and primary.column in arm.values


def _comparable(arm: ArmResult, best: ArmResult) -> bool:
    return same_questions(arm, best) and refusal(arm.record, best.record) is None


def _value(primary: Primary, arm: ArmResult) -> float:
    found = primary.mean(arm)
    return float("-inf") if found is None or found.value is None else found.value


def _setting(arm: ArmResult, best: ArmResult, axes: Sequence[str], primary: Primary) -> Setting:
    to_best = None
    if arm is not best:
        to_best = paired_difference(arm.values[primary.column], best.values[primary.column], best.groups)
    return Setting(
        key=arm.key,
        values=values_of(arm, axes),
        mean=primary.mean(arm) or RecordedMean(value=None, n=0, excluded={}),
        to_best=to_best,
        told=to_best is not None and excludes_zero(to_best.low, to_best.high),
    )


def values_of(arm: ArmResult, axes: Sequence[str]) -> Values:
    """An arm's settings on the axes of a sweep, None where it has no such setting."""
    found: list[object] = []
    for axis in axes:
        value: object = arm.record.settings
        for name in axis.split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        found.append(value)
    return tuple(found)


def at_values(axes: Sequence[str], values: Sequence[object]) -> Text:
    """`rank_constant 1, window 50`."""
    each = [
        say("{axis} {value}", "{axis} {value}", axis=code(setting_name(axis)), value=setting_value(value))
        for axis, value in zip(axes, values, strict=True)
    ]
    return joined(each, ", ", "，")


def _order(values: Values) -> tuple[tuple[int, float, str], ...]:
    """Panels first, then along the axis; numbers by size, before words."""
    first, *others = values
    return tuple(
        (0, float(value), "") if isinstance(value, Real) else (1, 0.0, str(value)) for value in (*others, first)
    )


def _chosen(results: StudyResults, sweep: Sweep, settings: Sequence[Setting]) -> str | None:
    """The member that holds the swept arm's own values: the arm itself where it is one."""
    if any(setting.key == sweep.arm for setting in settings):
        return sweep.arm
    arm = results.arm(sweep.arm)
    own = None if arm is None else values_of(arm, sweep.axes)
    return next((setting.key for setting in settings if setting.values == own), None)


def _reference(results: StudyResults, sweep: Sweep, primary: Primary) -> tuple[str, float] | None:
    parents = [arm for key in results.study.arm(sweep.arm).parents if (arm := results.arm(key)) is not None]
    found = [
        (arm.key, mean.value) for arm in parents if (mean := primary.mean(arm)) is not None and mean.value is not None
    ]
    return max(found, key=lambda pair: pair[1], default=None)


def _paired(best: ArmResult, parent: ArmResult | None, primary: Primary) -> Interval | None:
    """Best − parent, None where the two do not compare."""
    if parent is None or primary.column not in parent.values or not _comparable(best, parent):
        return None
    return paired_difference(best.values[primary.column], parent.values[primary.column], best.groups)


def _against(reference: tuple[str, float] | None, found: Interval | None) -> Text | None:
    """The best setting against the better single parent of the arm."""
    if reference is None or found is None or found.mean is None:
        return None
    return say(
        "Against {parent}, the parent with the highest mean: {difference}, {on}.",
        "与均值最高的父方案 {parent} 相比：{difference}，{on}。",
        parent=reference[0],
        difference=difference(found),
        on=over(found.n, found.n_groups),
    )


def _title(sweep: Sweep) -> Text:
    axes = listed([code(setting_name(axis)) for axis in sweep.axes])
    return say("{arm}: {axes}", "{arm}：{axes}", arm=sweep.arm, axes=axes)


def _finding(sweep: Sweep, settings: Sequence[Setting], best_key: str, against: Text | None) -> Text:
    best = next(setting for setting in settings if setting.key == best_key)
    others = len(settings) - 1
    open_ = [setting for setting in settings if setting.key != best_key and not setting.told]
    head = say(
        "Best on these questions: {values} ({mean}, {n}).",
        "本题集上最佳：{values}（{mean}，{n}）。",
        values=at_values(sweep.axes, best.values),
        mean=mean(best.mean.value),
        n=n_of(best.mean.n),
    )
    parts = [head, *_edge(sweep.axes, settings, best), _how_many(len(open_), others)]
    if 0 < len(open_) < others:
        parts.append(_ranges(sweep.axes, settings, {best_key, *(setting.key for setting in open_)}))
    if against is not None:
        parts.append(against)
    missing = len(sweep.members) - len(settings)
    if missing:
        parts.append(_left_out(missing))
    return joined(parts, " ", "")


def _edge(axes: Sequence[str], settings: Sequence[Setting], best: Setting) -> list[Text]:
    """On which side of the best setting nothing was tried."""
    sides = []
    for place, axis in enumerate(axes):
        tried = sorted({float(value) for setting in settings if _is_number(value := setting.values[place])})
        own = best.values[place]
        if len(tried) < 2 or not _is_number(own) or tried[0] < float(own) < tried[-1]:
            continue
        words = ("below", "以下") if float(own) == tried[0] else ("above", "以上")
        sides.append(
            say(
                f"no {{axis}} {words[0]} {{value}}",
                f"{{axis}} {{value}} {words[1]}",
                axis=code(setting_name(axis)),
                value=setting_value(own),
            )
        )
    if not sides:
        return []
    tried_not = say("{sides}", "{sides}", sides=joined(sides, " and ", "、"))
    return [
        say(
            "It lies on the edge of the grid: {sides} was tried.",
            "它在网格边上：{sides}都没有试。",
            sides=tried_not,
        )
    ]


def _left_out(missing: int) -> Text:
    zh = "另有 {n} 个设置没有可比的均值，未列出。"
    if missing == 1:
        return say("{n} more setting has no mean that compares, and is left out.", zh, n="1")
    return say("{n} more settings have no mean that compares, and are left out.", zh, n=str(missing))


def _how_many(open_: int, others: int) -> Text:
    if others == 1:
        if open_:
            return say("The other cannot be told from it.", "另一个与最佳分不开。")
        return say("The other can be told from it.", "另一个与最佳分得开。")
    if not open_:
        return say("Each of the {m} others can be told from it.", "其余 {m} 个均与最佳分得开。", m=str(others))
    if open_ == others:
        return say("None of the {m} others can be told from it.", "其余 {m} 个均与最佳分不开。", m=str(others))
    return say(
        "{n} of the {m} others cannot be told from it.",
        "其余 {m} 个中有 {n} 个与最佳分不开。",
        n=str(open_),
        m=str(others),
    )


def _ranges(axes: Sequence[str], settings: Sequence[Setting], inside: set[str]) -> Text:
    """The best and what cannot be told from it, panel by panel: `window 20, rank_constant 1, 2; window 100, …`."""
    panels = []
    for others, members in groupby(settings, key=lambda setting: setting.values[1:]):
        runs = _runs([(setting.values[0], setting.key in inside) for setting in members])
        if not runs:
            continue
        along = say("{axis} {runs}", "{axis} {runs}", axis=code(setting_name(axes[0])), runs=", ".join(runs))
        if not others:
            panels.append(along)
            continue
        panels.append(say("{panel}, {along}", "{panel}，{along}", panel=at_values(axes[1:], others), along=along))
    return say("With it: {panels}.", "连同最佳：{panels}。", panels=joined(panels, "; ", "；"))


def _runs(along: Sequence[tuple[object, bool]]) -> list[str]:
    """Neighbours on an even grid as `1–5`, so that one between them that is told from the best shows as a hole."""
    found: list[str] = []
    for inside, members in groupby(along, key=lambda pair: pair[1]):
        values = [value for value, _ in members]
        if not inside:
            continue
        found += [f"{values[0]}–{values[-1]}"] if _even(values) else [setting_value(value) for value in values]
    return found


def _even(values: Sequence[object]) -> bool:
    """Whether values are numbers at equal distances, and so many that their ends say it shorter."""
    numbers = [float(value) for value in values if _is_number(value)]
    if len(numbers) < len(values) or len(values) < LEAST_RANGE:
        return False
    steps = [after - before for before, after in pairwise(numbers)]
    return all(math.isclose(step, steps[0]) for step in steps)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, Real) and not isinstance(value, bool)
