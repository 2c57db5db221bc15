"""The ladder: every arm, every step, and one sentence on what came of them."""

from collections.abc import Sequence

from rag_ablation.experiment.study import Role, StudyArm
from rag_ablation.report.study.asked import Primary
from rag_ablation.report.study.changed import changed_from
from rag_ablation.report.study.choice import shown
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep
from rag_ablation.report.study.family import family_of
from rag_ablation.report.study.figures import mean, n_of
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.ladder_words import finding, remark, side
from rag_ablation.report.study.naming import variant_of
from rag_ablation.report.study.prose import listed, say
from rag_ablation.report.study.verdict.ladder_words import ruled_finding, ruled_side
from rag_ablation.report.study.words import Text, code, same, text

HANDED_ROLE = {
    "gold": text("with the gold handed over,", "直接给标注证据时"),
    "closed_book": text("without any context,", "不给上下文时"),
    "random": text("with passages at random,", "随机给段落时"),
}
"""What the context of an arm without a ranking is."""


def ladder_of(results: StudyResults) -> Ladder:
    """Judge the family and lay out every arm.

    Args:
        results: the study's arms.

    Returns:
        Rows in the order of the study, ceilings and floors last; of the family's steps see `family_of`.
    """
    steps = family_of(results)
    arms = [arm for role in (Role.LADDER, Role.BRACKET) for arm in results.study.arms if arm.role is role]
    rows = tuple(_row(results, arm, [step for step in steps if step.child == arm.key]) for arm in arms)
    drawn = shown(rows)
    return Ladder(
        finding=finding(results, steps) if results.holdout is None else ruled_finding(steps),
        measure=results.study.primary,
        rows=rows,
        shown=drawn,
        remark=remark(results, rows, drawn) if results.holdout is None else None,
        side=side(results, steps) if results.holdout is None else ruled_side(results, steps),
    )


def _row(results: StudyResults, arm: StudyArm, steps: Sequence[LadderStep]) -> LadderRow:
    run, primary = results.arm(arm.key), Primary.of(results)
    return LadderRow(
        key=arm.key,
        variant=variant_of(results, arm),
        role=arm.role,
        changed=same("–") if run is None else changed_from(run, _parents(results, arm)),
        mean=None if run is None else primary.mean(run),
        steps=tuple(steps),
        note=_note(results, arm, run, bool(steps)),
    )


def _parents(results: StudyResults, arm: StudyArm) -> list[ArmResult]:
    return [parent for key in arm.parents if (parent := results.arm(key)) is not None]


def _note(results: StudyResults, arm: StudyArm, run: ArmResult | None, compared: bool) -> Text | None:
    """What stands in place of steps, or beside those that could not be compared."""
    if run is None:
        return _not_run(results, arm)
    if not run.finished:
        return say("{status}: {reason}", "{status}：{reason}", status=code(run.record.status), reason=failure(run))
    if results.study.primary not in run.values:
        return _handed(results, run)
    return None if compared else _uncompared(results, arm)


def _uncompared(results: StudyResults, arm: StudyArm) -> Text:
    if arm.parents:
        were = "was" if len(arm.parents) == 1 else "were"
        gone = listed(arm.parents)
        return say(f"nothing to compare with: {{gone}} {were} skipped", "无可比较：{gone} 已跳过", gone=gone)
    if results.holdout is not None:
        return say("a baseline of the plan", "计划的基线")
    if arm.role is Role.BRACKET:
        return say("a ceiling or a floor: no step", "上限或下限：不是一步")
    return say("start of the ladder: nothing to compare with", "阶梯的起点：无可比较")


def _not_run(results: StudyResults, arm: StudyArm) -> Text:
    skipped = next((skip.reason for skip in results.skipped if skip.arm.key == arm.key), None)
    if skipped is not None:
        return say("skipped: {reason}", "跳过：{reason}", reason=skipped)
    why = results.not_reached.get(arm.key)
    if why:
        return say("not reached: {reason}", "未运行到：{reason}", reason=" ".join(why.split()))
    return say("not run", "未运行")


def failure(run: ArmResult) -> str:
    """First line of what went wrong."""
    return next(iter((run.record.error or "").strip().splitlines()), "no reason recorded")


def _handed(results: StudyResults, run: ArmResult) -> Text:
    """An arm whose context was not ranked: what it marks, and what its context holds."""
    context = run.record.settings.get("context", {})
    none = say("no ranking, so no {name}", "无排序，故无 {name}", name=Primary.of(results).heading)
    if run.record.final is not None:
        return say("{what} was not measured", "未测 {what}", what=code(results.study.primary))
    role = HANDED_ROLE.get(str(context.get("name")))
    held = run.record.mean("context", f"recall@{context.get('depth')}")
    if role is None or held is None or held.value is None:
        return none
    return say(
        "{none}; {role} context recall is {value} ({n})",
        "{none}；{role}上下文召回为 {value}（{n}）",
        none=none,
        role=role,
        value=mean(held.value),
        n=n_of(held.n),
    )
