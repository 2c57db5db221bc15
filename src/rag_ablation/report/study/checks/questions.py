"""Checks of the questions: how many groups they form, how they are spread, how far their passages are judged."""

import shlex

import numpy as np

from rag_ablation.experiment.threats import COLLAPSED_SHARE
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT, GROUPS_WITHOUT_WARNING, Word
from rag_ablation.report.study.asked import reference, scored_rows
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.choice import word_of
from rag_ablation.report.study.content import Severity, Threat, Unjudged, UnjudgedStep
from rag_ablation.report.study.figures import counted, gap, groups, mean, n_of, percent, short
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text


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
    name = text("Collapsed split", "分割塌缩")
    arm = reference(found.results)
    if arm is None or not scored_rows(arm).any():
        return None
    sizes = np.unique(arm.groups[scored_rows(arm)], return_counts=True)[1]
    largest, n = int(sizes.max()), int(sizes.sum())
    measured = say(
        "largest group: {k} of {n} ({share}).",
        "最大的组：{n} 中 {k} 题（{share}）。",
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
        say("a split of weaker linkage: {command}", "换较弱的连接方式重新分割：{command}", command=code(command)),
    )


def unjudged_passages(found: Found) -> Threat | None:
    """Arms whose first results are judged to different shares."""
    name = text("Unjudged passages", "未判定的段落")
    if not any(step.comparison for step in found.ladder.steps()):
        return None
    shares = found.unjudged
    if shares is None or not shares.steps:
        return raised(
            Severity.LOW,
            name,
            text("how much of the results is judged could not be computed.", "无法计算结果中有判定的比例。"),
            None,
        )
    warned = [step for step in shares.steps if step.warned]
    command = code(f"rag-ablation judge pool {shlex.quote(found.results.study.name)}")
    if warned:
        return raised(Severity.HIGH, name, _warned(shares, warned), say("{command}", "{command}", command=command))
    turned = [step for step in shares.steps if _could_turn(found, step)]
    if turned:
        return raised(Severity.MEDIUM, name, _turned(shares, turned), say("{command}", "{command}", command=command))
    return clear(name, _within(shares))


def _warned(shares: Unjudged, warned: list[UnjudgedStep]) -> Text:
    each = [
        say("{label} by {gap}", "{label} 相差 {gap}", label=step.label, gap=mean(abs(step.child - step.parent)))
        for step in warned
    ]
    bounds = [_bound(step) for step in warned if step.all_relevant is not None]
    said = say(
        "judged@{k} differs, {each} (limit {limit}; {n}).",
        "judged@{k}：{each}（限 {limit}；{n}）。",
        k=str(shares.cutoff),
        each=joined(each, ", ", "，"),
        limit=short(shares.limit),
        n=n_of(shares.n),
    )
    return joined([said, *bounds], " ", "")


def _bound(step: UnjudgedStep) -> Text:
    return say(
        "If every unjudged passage were relevant, {label} would be {other}, not {scored}.",
        "若未判定者全部相关，{label} 将是 {other}，而不是 {scored}。",
        label=step.label,
        other=gap(None if step.all_relevant is None else step.all_relevant.mean),
        scored=gap(step.as_scored.mean),
    )


def _could_turn(found: Found, step: UnjudgedStep) -> bool:
    """Whether a decided step would lose its side of 0 if every unjudged passage were relevant."""
    own = next((own for own in found.ladder.steps() if own.label == step.label), None)
    bound = step.all_relevant
    if own is None or bound is None or bound.low is None or bound.high is None:
        return False
    return (word_of(own) is Word.BETTER and bound.low <= 0) or (word_of(own) is Word.WORSE and bound.high >= 0)


def _turned(shares: Unjudged, turned: list[UnjudgedStep]) -> Text:
    said = say(
        "shares differ by {limit} or less, but a verdict hangs on passages that nobody has judged.",
        "比例相差不超过 {limit}，但有结论取决于无人判定的段落。",
        limit=short(shares.limit),
    )
    return joined([said, *[_bound(step) for step in turned]], " ", "")


def _within(shares: Unjudged) -> Text:
    largest = max(abs(step.child - step.parent) for step in shares.steps)
    ends = [share for step in shares.steps for share in (step.child, step.parent)]
    return say(
        "judged@{k} is {a} to {b} and differs by {largest} at most (limit {limit}; {n}).",
        "judged@{k} 为 {a} 至 {b}，最多相差 {largest}（限 {limit}；{n}）。",
        k=str(shares.cutoff),
        a=mean(min(ends)),
        b=mean(max(ends)),
        largest=mean(largest),
        limit=short(shares.limit),
        n=n_of(shares.n),
    )
