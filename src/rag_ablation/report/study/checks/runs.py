"""Checks of the runs: what is missing, whether all were made by the same code, what was swept."""

import shlex
from collections.abc import Callable

from rag_ablation.experiment.study import Role
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.content import Severity, SweepCurve, Threat
from rag_ablation.report.study.figures import counted, questions
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.missing import missing_of, never_run
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.words import Text, code, text

SHORT = 12


def missing_arms(found: Found) -> Threat | None:
    """Arms that failed, or that nothing could be had for."""
    name = text("Arms that are missing", "缺失的方案")
    results = found.results
    failed = [arm for arm in results.arms if not arm.finished]
    never, each = never_run(results), missing_of(results)
    if not each:
        n = counted(len(results.arms), "arm", "arms", "个方案")
        return clear(name, say("{n} declared, all finished.", "声明的 {n} 全部完成。", n=n))
    command = code(f"rag-ablation study run {shlex.quote(results.study.name)}")
    act = say("mend and run again: {command}", "修复后再运行：{command}", command=command)
    if not failed and not never:
        act = say("install the model and run again: {command}", "装好模型后再运行：{command}", command=command)
    on_ladder = any(arm.arm.role is Role.LADDER for arm in failed) or bool(never)
    return raised(
        Severity.HIGH if on_ladder else Severity.MEDIUM,
        name,
        say("{each}.", "{each}。", each=joined(each, "; ", "；")),
        act,
    )


def same_code(found: Found) -> Threat | None:
    """Whether all arms were made by the same code, libraries and weights."""
    name = text("Code and libraries of the arms", "各方案的代码与库")
    arms = [arm for arm in found.results.arms if arm.finished]
    if not arms:
        return None
    differing = [what for what, of in IDENTITIES if len({of(arm) for arm in arms}) > 1]
    several = _models_of_several_weights(arms)
    n = counted(len(arms), "arm", "arms", "个方案")
    if several or differing:
        each = [*differing]
        each += [say("weights of {model}", "{model} 的权重", model=code(model)) for model in several]
        return raised(
            Severity.HIGH if several else Severity.MEDIUM,
            name,
            say("not the same on {n}: {each}.", "{n} 之间不同：{each}。", n=n, each=listed(each)),
            say(
                "run all arms again with one installation: {command}",
                "用同一套安装重新运行全部方案：{command}",
                command=code(f"rag-ablation study run {shlex.quote(found.results.study.name)}"),
            ),
        )
    digest = arms[0].record.digests.get("code", "–")[:SHORT]
    measured = say(
        "code {digest}, libraries, Python and weights are the same on {n}",
        "{n} 的代码 {digest}、库、Python 与权重均相同",
        digest=code(digest),
        n=n,
    )
    if arms[0].record.environment.get("dirty"):
        return raised(
            Severity.LOW,
            name,
            say(
                "{measured}, but the checkout had uncommitted changes: the commit alone does not give this code.",
                "{measured}，但工作区有未提交的改动：仅凭提交号得不到这份代码。",
                measured=measured,
            ),
            text("commit before the study that counts", "正式研究之前先提交"),
        )
    return clear(name, say("{measured}.", "{measured}。", measured=measured))


def swept_here(found: Found) -> Threat | None:
    """Settings that were looked for on the questions they are judged on."""
    name = text("Sweep chosen on these questions", "扫描在同一题集上选出")
    curves = found.sweeps
    if not curves:
        return clear(name, text("nothing was swept.", "没有扫描。")) if found.ladder.steps() else None
    used = [curve for curve in curves if curve.chosen == curve.best]
    each = [_swept(curve) for curve in curves]
    return raised(
        Severity.MEDIUM if used else Severity.LOW,
        name,
        joined(each, " ", ""),
        text(
            "declare a setting before it is run; a swept one is a hypothesis for the next study",
            "先声明设置再运行；扫出的设置只是下一项研究的假设",
        ),
    )


def _swept(curve: SweepCurve) -> Text:
    others = [setting for setting in curve.settings if setting.key != curve.best]
    best = next(setting for setting in curve.settings if setting.key == curve.best)
    use = say(
        "The ladder uses it: its step is flattered if it was chosen after a look at these questions.",
        "阶梯用的正是它：若是看过这些题之后才选的，这一步就被高估。",
    )
    other = say("The ladder does not use it.", "阶梯没有用它。")
    said = say(
        "{arm}: the best of {m} settings is the best on {n}; {k} of the {others} others cannot be told from it.",
        "{arm}：{m} 个设置中的最佳是对这 {n} 而言；其余 {others} 个中有 {k} 个与最佳分不开。",
        arm=curve.arm,
        m=str(len(curve.settings)),
        n=say("these {n}", "{n}", n=questions(best.mean.n)),
        k=str(sum(not setting.told for setting in others)),
        others=str(len(others)),
    )
    return joined([said, use if curve.chosen == curve.best else other], " ", "")


def _models_of_several_weights(arms: list[ArmResult]) -> list[str]:
    weights: dict[str, set[str]] = {}
    for arm in arms:
        for model in arm.record.environment.get("models", {}).values():
            weights.setdefault(str(model.get("name")), set()).add(str(model.get("weights")))
    return sorted(name for name, found in weights.items() if len(found) > 1)


def _libraries(arm: ArmResult) -> str:
    return repr(sorted(arm.record.environment.get("libraries", {}).items()))


IDENTITIES: tuple[tuple[Text, Callable[[ArmResult], str]], ...] = (
    (text("code", "代码"), lambda arm: str(arm.record.digests.get("code"))),
    (text("libraries", "库"), _libraries),
    (text("Python", "Python"), lambda arm: str(arm.record.environment.get("python"))),
)
"""What must be the same on all arms, and how it is told."""
