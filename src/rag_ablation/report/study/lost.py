"""Where evidence is lost: fates by arm, parts of the gap, and the way of the evidence through one arm."""

from collections.abc import Sequence

from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.study import Role
from rag_ablation.measures.fates import FATES, Fate
from rag_ablation.report.flow import Flow, cuts_of, of_ranks
from rag_ablation.report.losses import NO_CONTEXT, NO_UNITS, WHOLE, gap_in_tenths, left_out
from rag_ablation.report.study.answers.lost import kept_as, kept_sentence
from rag_ablation.report.study.content import Lost
from rag_ablation.report.study.figures import thousands
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.nouns import gold, name_of_unit, noun_of
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.recorded import highest
from rag_ablation.report.study.terms import STATES
from rag_ablation.report.study.words import Text, code, same, text

NO_LOSS = frozenset({Fate.KEPT, Fate.NOT_VISIBLE, Fate.REDUNDANT})
LABELLED = text(
    "Counts are of labelled evidence only. Recall says nothing of what is relevant and nobody has labelled.",
    "只统计已标注的证据。相关而无人标注的内容，召回率无从反映。",
)
OTHER_UNITS = "other gold units than the arms shown"
REASONS = {
    **STATES,
    NO_CONTEXT: text(NO_CONTEXT, "没有上下文"),
    NO_UNITS: text(NO_UNITS, "计分的题没有标注证据"),
    OTHER_UNITS: text(OTHER_UNITS, "标注证据与所示方案不同"),
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
        answers={arm.key: became for arm in shown if (became := kept_as(arm)) is not None},
        answered=kept_sentence(chosen, chosen.record.evidence["counts"].get(Fate.KEPT, 0)),
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
    head = say(
        "Of {gold} {arm} keeps {kept} in the context",
        f"{{gold}}中，{{arm}} 有 {{kept}} {noun.zh}进入上下文",
        gold=gold(total, name_of_unit(arm.record)),
        arm=arm.key,
        kept=thousands(counts[Fate.KEPT]),
    )
    losses = {fate: counts[fate] for fate in FATES if fate not in NO_LOSS and counts[fate]}
    if not losses:
        others = [fate for fate in FATES if fate in NO_LOSS - {Fate.KEPT} and counts[fate]]
        rest = [say("; {fate} {n}", "; {fate} {n}", fate=code(fate), n=thousands(counts[fate])) for fate in others]
        return say("{head}; it loses none{rest}.", "{head}，没有损失{rest}。", head=head, rest=joined(rest, "", ""))
    most = max(losses.values())
    worst = [code(fate) for fate, n in losses.items() if n == most]
    if len(worst) == 1:
        return say(
            "{head}; its largest loss is {fate}, {n}.",
            f"{{head}}，最大的损失是 {{fate}}，{{n}} {noun.zh}。",
            head=head,
            fate=worst[0],
            n=thousands(most),
        )
    return say(
        "{head}; its largest losses are {fates}, {n} each.",
        f"{{head}}，最大的损失是 {{fates}}，各 {{n}} {noun.zh}。",
        head=head,
        fates=listed(worst),
        n=thousands(most),
    )


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
        say(
            "Depths are in passages. The pool, which the next stage reads, has a depth of {pool}. The context draws on "
            "the first {depth} of the last ranking. Lists are read to a depth of {window}.",
            "深度以段计。候选池即下一阶段所读的段落，深度为 {pool}。上下文取自最后排序的前 {depth} 段。"
            "各检索列表读到第 {window} 名。",
            pool=pool,
            depth=depth,
            window=window,
        )
    ]


def _by_depth(found: Sequence[tuple[str, int]]) -> Text:
    """`10 (A, B) and 50 (C)`, or the one number."""
    arms_of: dict[int, list[str]] = {}
    for key, depth in found:
        arms_of.setdefault(depth, []).append(key)
    if len(arms_of) == 1:
        return same(str(found[0][1]))
    return listed(
        [
            say("{depth} ({arms})", "{depth}（{arms}）", depth=str(depth), arms=joined(keys, ", ", "、"))
            for depth, keys in sorted(arms_of.items())
        ]
    )


def _hidden(arms: Sequence[ArmResult]) -> list[Text]:
    """Units that nobody of the run's identity may see."""
    found = {arm.key: n for arm in arms if (n := arm.record.evidence["counts"].get(Fate.NOT_VISIBLE, 0))}
    if not found:
        return []
    each = [say("{n} in {key}", "{key} 有 {n}", n=str(n), key=key) for key, n in found.items()]
    return [
        say(
            "Outside identity or version, and without weight in the points: {fate} {each}.",
            "身份或版本之外、在百分点中不计权重者 {fate}：{each}。",
            fate=code(Fate.NOT_VISIBLE),
            each=joined(each, ", ", "，"),
        )
    ]


def _absent(candidates: Sequence[ArmResult], shown: Sequence[ArmResult]) -> list[Text]:
    """Arms without a column, and why."""
    gone = [arm for arm in candidates if not any(arm is other for other in shown)]
    return [
        say(
            "No fates of {arm}: {why}.",
            "{arm} 没有去向记录：{why}。",
            arm=arm.key,
            why=REASONS.get(reason, same(reason)),
        )
        for arm in gone
        for reason in [left_out(arm.record) or OTHER_UNITS]
    ]
