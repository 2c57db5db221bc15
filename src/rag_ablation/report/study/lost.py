"""Where evidence is lost: fates by arm, parts of the gap, and the way of the evidence through one arm."""

from collections.abc import Sequence

from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.study import Role
from rag_ablation.measures.fates import FATES, Fate
from rag_ablation.report.flow import Flow, cuts_of, of_ranks
from rag_ablation.report.losses import NO_CONTEXT, NO_UNITS, WHOLE, gap_in_tenths, left_out
from rag_ablation.report.study._recorded import Phrase, highest, listed, noun_of
from rag_ablation.report.study.content import Lost
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.words import Part, Text, code, text

NO_LOSS = frozenset({Fate.KEPT, Fate.NOT_VISIBLE, Fate.REDUNDANT})
LABELLED = text(
    "Counts are of labelled evidence only. Recall says nothing of what is relevant and nobody has labelled.",
    "只统计已标注的证据。相关而无人标注的内容，召回率无从反映。",
)
OTHER_UNITS = "other gold units than the arms shown"
REASONS = {
    "failed": "失败",
    "interrupted": "中断",
    NO_CONTEXT: "没有上下文",
    NO_UNITS: "计分的题没有标注证据",
    OTHER_UNITS: "标注证据与所示方案不同",
}


def lost_of(results: StudyResults, focus: str | None = None) -> Lost | None:
    """What became of the evidence in the ladder's arms and in the brackets.

    Args:
        results: the study.
        focus: key of the arm whose flow is shown; None for the arm of the ladder with the highest mean.

    Returns:
        None where no arm of the ladder has recorded fates.
    """
    candidates = [arm for arm in results.arms if arm.arm.role is not Role.SWEEP]
    usable = [arm for arm in candidates if not left_out(arm.record)]
    ladder = [arm for arm in usable if arm.arm.role is Role.LADDER]
    if not ladder:
        return None
    named = next((arm for arm in ladder if arm.key == focus), None)
    chosen = named or highest(ladder, results.study.primary) or ladder[0]
    total = _total(chosen.record)
    shown = [arm for arm in usable if _total(arm.record) == total]
    gap = {arm.key: gap_in_tenths(arm.record) for arm in shown}
    flow = _flow(chosen)
    return Lost(
        finding=_finding(chosen, total),
        arms=tuple(arm.key for arm in shown),
        counts={arm.key: _counts(arm.record) for arm in shown},
        total=total,
        gap=gap,
        recall={key: WHOLE - sum(parts.values()) for key, parts in gap.items()},
        flow=flow,
        flow_arm=None if flow is None else chosen.key,
        side=(*_cuts(shown), *_hidden(shown), LABELLED, *_absent(candidates, shown)),
    )


def _total(record: ArmRecord) -> int:
    return sum(record.evidence["counts"].values())


def _counts(record: ArmRecord) -> dict[str, int]:
    return {str(fate): record.evidence["counts"].get(fate, 0) for fate in FATES}


def _flow(arm: ArmResult) -> Flow | None:
    rows = arm.rows("fates", None)
    if not rows:
        return None
    names = ("fate", *(name for name in rows[0] if name.startswith("rank_")))
    table = {name: [row[name] for row in rows] for name in names}
    return of_ranks(arm.key, arm.record.counts["scored"], cuts_of(arm.record), table)


def _finding(arm: ArmResult, total: int) -> Text:
    counts, noun = _counts(arm.record), noun_of(arm.record)
    kept = counts[Fate.KEPT]
    en = f"Of {total} gold {noun.en(total)} {arm.key} keeps {kept} in the context; "
    zh = f"{total} {noun.measure}标注证据中，{arm.key} 有 {kept} {noun.measure}进入上下文，"
    losses = {fate: counts[fate] for fate in FATES if fate not in NO_LOSS and counts[fate]}
    if not losses:
        others = {fate: counts[fate] for fate in FATES if fate in NO_LOSS - {Fate.KEPT} and counts[fate]}
        rest = [part for fate, n in others.items() for part in ("; ", code(str(fate)), f" {n}")]
        return text((f"{en}it loses none", *rest, "."), (f"{zh}没有损失", *rest, "。"))
    most = max(losses.values())
    worst = [code(str(fate)) for fate, n in losses.items() if n == most]
    if len(worst) == 1:
        return text(
            (f"{en}its largest loss is ", worst[0], f", {most}."),
            (f"{zh}最大的损失是 ", worst[0], f"，{most} {noun.measure}。"),
        )
    return text(
        (f"{en}its largest losses are ", *_between(worst, ", ", " and "), f", {most} each."),
        (f"{zh}最大的损失是 ", *_between(worst, "、", "、"), f"，各 {most} {noun.measure}。"),
    )


def _between(parts: Sequence[Part], comma: str, last: str) -> list[Part]:
    out: list[Part] = [parts[0]]
    for place, part in enumerate(parts[1:], start=2):
        out += [last if place == len(parts) else comma, part]
    return out


def _cuts(arms: Sequence[ArmResult]) -> list[Text]:
    """Pool, context and window in passages; one clause for each depth, the arms named where they differ."""
    ladder = [arm for arm in arms if arm.arm.role is Role.LADDER]
    ranked = [(arm.key, cuts) for arm in ladder if (cuts := cuts_of(arm.record)).retrievers]
    if not ranked:
        return []
    pool = _by_depth([(key, cuts.pool) for key, cuts in ranked])
    depth = _by_depth([(key, cuts.depth) for key, cuts in ranked])
    window = _by_depth([(key, cuts.window) for key, cuts in ranked])
    return [
        text(
            f"Depths are in passages. The pool, which the next stage reads, has a depth of "
            f"{pool.en}. The context draws on the first {depth.en} of the last ranking. "
            f"Lists are read to a depth of {window.en}.",
            f"深度以段计。候选池即下一阶段所读的段落，深度为 {pool.zh}。"
            f"上下文取自最后排序的前 {depth.zh} 段。各检索列表读到第 {window.zh} 名。",
        )
    ]


def _by_depth(found: Sequence[tuple[str, int]]) -> Phrase:
    """`10 (A, B) and 50 (C)`, or the one number."""
    arms_of: dict[int, list[str]] = {}
    for key, depth in found:
        arms_of.setdefault(depth, []).append(key)
    if len(arms_of) == 1:
        return Phrase(str(found[0][1]), str(found[0][1]))
    parts = sorted(arms_of.items())
    return Phrase(
        listed([f"{depth} ({', '.join(keys)})" for depth, keys in parts]).en,
        listed([f"{depth}（{'、'.join(keys)}）" for depth, keys in parts]).zh,
    )


def _hidden(arms: Sequence[ArmResult]) -> list[Text]:
    """Units that nobody of the run's identity may see."""
    found = {arm.key: n for arm in arms if (n := arm.record.evidence["counts"].get(Fate.NOT_VISIBLE, 0))}
    if not found:
        return []
    en = ", ".join(f"{n} in {key}" for key, n in found.items())
    zh = "，".join(f"{key} 有 {n}" for key, n in found.items())
    return [
        text(
            ("Outside identity or version, and without weight in the points: ", code(str(Fate.NOT_VISIBLE)), f" {en}."),
            ("身份或版本之外、在百分点中不计权重者 ", code(str(Fate.NOT_VISIBLE)), f"：{zh}。"),
        )
    ]


def _absent(candidates: Sequence[ArmResult], shown: Sequence[ArmResult]) -> list[Text]:
    """Arms without a column, and why."""
    found = []
    for arm in candidates:
        if not any(arm is other for other in shown):
            reason = left_out(arm.record) or OTHER_UNITS
            found.append(
                text(f"No fates of {arm.key}: {reason}.", f"{arm.key} 没有去向记录：{REASONS.get(reason, reason)}。")
            )
    return found
