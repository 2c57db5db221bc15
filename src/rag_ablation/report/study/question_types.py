"""Who gained and who lost: the primary measure by question type.

Exploratory: intervals are not adjusted for how many are looked at, and no cell carries a verdict.

Legend: Q questions.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.results import SCORED
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.measures.uncertainty import Interval, clustered_mean, paired_difference
from rag_ablation.report.study.asked import ranked, scored_rows
from rag_ablation.report.study.choice import chosen
from rag_ablation.report.study.concentration import contributions_of, share_sentence, shares_of
from rag_ablation.report.study.content import Cell, Ladder, LadderStep, TypeRow, Types
from rag_ablation.report.study.denominators import reason
from rag_ablation.report.study.figures import gap, over, span, thousands
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.prose import joined, say, sentence
from rag_ablation.report.study.recorded import excludes_zero
from rag_ablation.report.study.watched import watched_sentence, watches_of
from rag_ablation.report.study.words import Text, code, text

ALL = ""


class _Part(NamedTuple):
    """A question type and (Q,) which questions are of it."""

    type: str
    rows: NDArray[np.bool_]


def types_of(results: StudyResults, ladder: Ladder) -> Types | None:
    """Cut the primary measure of the ladder's arms, and the steps that are drawn, by question type.

    Args:
        results: the study's arms.
        ladder: every step.

    Returns:
        Types with most scored questions first, those without any after them, all scored questions last; None with
        fewer than two types or no arm that has the measure.
    """
    arms = ranked(results)
    if not arms or len(set(arms[0].types)) < 2:
        return None
    first = arms[0]
    kinds = np.array(first.types, dtype=object)
    parts = [_Part(kind, np.asarray(kinds == kind, dtype=bool)) for kind in sorted(set(first.types))]
    everything = _Part(ALL, np.ones(kinds.size, dtype=bool))
    made = _with_contributions(results, ladder, [_row(results, arms, ladder.shown, part) for part in parts])
    rows = sorted(made, key=lambda row: (-row.n, -row.asked, row.type))
    whole = _row(results, arms, ladder.shown, everything)
    return Types(
        finding=_finding(results, rows, ladder.shown),
        measure=results.study.primary,
        arms=tuple(arm.key for arm in arms),
        labels=tuple(step.label for step in ladder.shown),
        rows=(*rows, whole),
        watched=tuple(watched_sentence(results, watch) for watch in watches_of(results)),
        concentration=tuple(
            share_sentence(share) for share in shares_of(results, chosen(ladder.rows).steps()) if _several(rows)
        ),
        notes=_notes(rows, whole),
    )


def _several(rows: Sequence[TypeRow]) -> bool:
    return sum(row.n > 0 for row in rows) > 1


def _with_contributions(results: StudyResults, ladder: Ladder, rows: Sequence[TypeRow]) -> list[TypeRow]:
    """Of every compared step, what each type adds to its mean difference."""
    found = {step.label: contributions_of(results, step) for step in ladder.steps() if step.comparison is not None}
    return [
        replace(row, contributions={label: each[row.type] for label, each in found.items() if row.n and each})
        for row in rows
    ]


def _notes(rows: Sequence[TypeRow], whole: TypeRow) -> tuple[Text, ...]:
    """Why groups of the types may add up to more than there are."""
    groups = sum(row.n_groups for row in rows)
    if groups <= whole.n_groups:
        return ()
    return (
        say(
            "Questions of several types may form one group, so the groups of the types add up to {n}, not {m}.",
            "一组可以跨几个类型，因此各类型的组数合计为 {n}，而不是 {m}。",
            n=thousands(groups),
            m=thousands(whole.n_groups),
        ),
    )


def _row(results: StudyResults, arms: Sequence[ArmResult], steps: Sequence[LadderStep], part: _Part) -> TypeRow:
    first, column = arms[0], results.study.primary
    scored = scored_rows(first) & part.rows
    of = {arm.key: arm.values[column][part.rows] for arm in arms}
    groups = first.groups[part.rows]
    means = {arm.key: _cell(clustered_mean(of[arm.key], groups)) for arm in arms}
    differences = {step.label: _cell(paired_difference(of[step.child], of[step.parent], groups)) for step in steps}
    return TypeRow(
        type=part.type,
        asked=int(part.rows.sum()),
        n=int(scored.sum()),
        n_groups=int(np.unique(first.groups[scored]).size),
        means=means,
        differences=differences,
        undefined=None if scored.any() else _undefined(first, part),
        left_out=_left_out(first, part),
    )


def _cell(interval: Interval) -> Cell:
    return Cell(value=interval.mean, low=interval.low, high=interval.high, n=interval.n, n_groups=interval.n_groups)


def _left_out(arm: ArmResult, part: _Part) -> dict[str, int]:
    """Questions of a part that are not scored, by reason."""
    found = Counter(status for status, row in zip(arm.statuses, part.rows, strict=True) if row and status != SCORED)
    return dict(found.most_common())


def _undefined(arm: ArmResult, part: _Part) -> Text:
    """Why a type has no value: how many of its questions are left out for which reason."""
    left = [say("{n} {why}", "{n} 题 {why}", n=str(n), why=reason(name)) for name, n in _left_out(arm, part).items()]
    return say("undefined: {left}", "无定义：{left}", left=joined(left, ", ", "，"))


def _finding(results: StudyResults, rows: Sequence[TypeRow], steps: Sequence[LadderStep]) -> Text:
    """The largest loss whose interval excludes 0, else the largest gain, else that there is none."""
    if not steps:
        return say("Means by question type; no two arms were compared.", "按问题类型的均值；没有比较任何两个方案。")
    looked = [
        (row, step, cell)
        for row in rows
        for step in steps
        if (cell := row.differences[step.label]).n_groups >= GROUPS_FOR_A_VERDICT and cell.value is not None
    ]
    if not looked:
        few = str(GROUPS_FOR_A_VERDICT)
        return say(
            "No type has {few} groups or more on a drawn step, too few to look at.",
            "在所画的比较上没有一个类型达到 {few} 组，太少，不足以看出什么。",
            few=few,
        )
    clear = [found for found in looked if excludes_zero(found[2].low, found[2].high)]
    n = str(len(looked))
    if not clear:
        return say("No interval by type excludes 0, of {n} looked at.", "所看的 {n} 个分类区间全都包含 0。", n=n)
    losses = [found for found in clear if _value(found[2]) < 0]
    extreme = (
        min(losses, key=lambda found: _value(found[2])) if losses else max(clear, key=lambda found: _value(found[2]))
    )
    return sentence(_most(results, extreme, len(looked), lost=bool(losses)))


def _most(results: StudyResults, found: tuple[TypeRow, LadderStep, Cell], looked: int, *, lost: bool) -> Text:
    row, step, cell = found
    what = text("loses", "损失") if lost else text("gains", "增益")
    among = say(
        "the largest loss among {n} differences looked at"
        if lost
        else "of {n} differences looked at no loss is clear of 0",
        "为所看 {n} 个差值中最大的损失" if lost else "所看 {n} 个差值中没有区间不含 0 的损失",
        n=str(looked),
    )
    return say(
        "{child} {what} most against {parent} on {type}: {gap} ({ends}), {on}; {among}.",
        "{child} 相对 {parent} {what}最大的是 {type}：{gap}（{ends}），{on}；{among}。",
        child=arm_name(results, step.child),
        parent=arm_name(results, step.parent),
        what=what,
        type=code(row.type),
        gap=gap(cell.value),
        ends=span(cell.low, cell.high),
        on=over(cell.n, cell.n_groups),
        among=among,
    )


def _value(cell: Cell) -> float:
    return 0.0 if cell.value is None else cell.value
