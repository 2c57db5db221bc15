"""Checks of the questions: how many groups they form, how they are spread over groups and over types."""

import shlex

import numpy as np

from rag_ablation.experiment.threats import COLLAPSED_SHARE
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT, GROUPS_WITHOUT_WARNING
from rag_ablation.report.study.asked import reference, scored_rows
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.figures import counted, groups, percent
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import code, text


def few_groups(found: Found) -> Threat | None:
    """Under 20 groups intervals are rough, under 6 there is no verdict."""
    name = text("Few groups", "组数少")
    arm = reference(found.results)
    if arm is None:
        return None
    scored = scored_rows(arm)
    n, n_groups = int(scored.sum()), int(np.unique(arm.groups[scored]).size)
    if not n:
        return None
    held = say(
        "{n} in {g}", "{n}，{g}", n=counted(n, "scored question", "scored questions", "道计分题"), g=groups(n_groups)
    )
    if n_groups >= GROUPS_WITHOUT_WARNING:
        return clear(name, say("{held}.", "{held}。", held=held))
    few = n_groups < GROUPS_FOR_A_VERDICT
    limit = GROUPS_FOR_A_VERDICT if few else GROUPS_WITHOUT_WARNING
    what = (
        text("no step can be decided", "任何一步都无法判定")
        if few
        else text("intervals are rough there", "区间因而粗略")
    )
    return raised(
        Severity.HIGH if few else Severity.MEDIUM,
        name,
        say(
            "{held}, under {limit}: {what}.",
            "{held}，不足 {limit} 组：{what}。",
            held=held,
            limit=str(limit),
            what=what,
        ),
        text("more questions on other answer locations", "增加答案位置不同的题"),
    )


def few_groups_in_slices(found: Found) -> Threat | None:
    """Question types that stand on few groups."""
    name = text("Few groups in slices", "切片组数少")
    rows = [row for row in (found.types.rows[:-1] if found.types else ()) if row.n]
    if not rows:
        return None
    under = [row for row in rows if row.n_groups < GROUPS_WITHOUT_WARNING]
    least = [row for row in rows if row.n_groups < GROUPS_FOR_A_VERDICT]
    if not under:
        return clear(
            name,
            say(
                "each of {n} scored types has {limit} groups or more.",
                "{n} 个计分类型各有至少 {limit} 组。",
                n=str(len(rows)),
                limit=str(GROUPS_WITHOUT_WARNING),
            ),
        )
    each = [say("{type} has {g}", "{type} 只有 {g}", type=code(row.type), g=groups(row.n_groups)) for row in least]
    tail = text("", "")
    if each:
        tail = say(
            "; {each}, under {few}",
            "；{each}，不足 {few} 组",
            each=joined(each, ", ", "，"),
            few=str(GROUPS_FOR_A_VERDICT),
        )
    return raised(
        Severity.MEDIUM if least or 2 * len(under) > len(rows) else Severity.LOW,
        name,
        say(
            "{n} of {m} scored types have under {limit} groups{tail}.",
            "{m} 个计分类型中有 {n} 个不足 {limit} 组{tail}。",
            n=str(len(under)),
            m=str(len(rows)),
            limit=str(GROUPS_WITHOUT_WARNING),
            tail=tail,
        ),
        text("read differences by type as hypotheses", "按类型的差异只作假设"),
    )


def collapsed_split(found: Found) -> Threat | None:
    """One group that holds more than a fifth of the scored questions."""
    name = text("Collapsed split", "划分过于集中")
    arm = reference(found.results)
    if arm is None or not scored_rows(arm).any():
        return None
    sizes = np.unique(arm.groups[scored_rows(arm)], return_counts=True)[1]
    largest, n = int(sizes.max()), int(sizes.sum())
    measured = say(
        "largest group: {k} of {n} ({share}).",
        "最大的组：{n} 中有 {k} 题（{share}）。",
        k=str(largest),
        n=counted(n, "scored question", "scored questions", "道计分题"),
        share=percent(largest, n),
    )
    if largest == 1 or largest / n <= COLLAPSED_SHARE:
        return clear(name, measured)
    path = str(arm.record.source.get("path", "DIR"))
    command = f"rag-ablation data split {shlex.quote(path)} --linkage primary_gold --name NAME"
    return raised(
        Severity.HIGH,
        name,
        measured,
        say("a split of weaker linkage: {command}", "换较弱的连接方式重新划分：{command}", command=code(command)),
    )
