"""`rag-ablation study plan`: what a study will do and what it can show, printed before anything runs."""

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rag_ablation.commands._study_arms import PreparedStudy
from rag_ablation.commands._study_plan import PlannedArm, PlannedStep, StudyPlan, study_plan
from rag_ablation.core.wording import counted
from rag_ablation.experiment.study import Role, Study
from rag_ablation.report.leaderboard import ABSENT, Leaderboard, Table
from rag_ablation.report.study.naming import label_of

EXPLORATORY = "sweeps, slices and other measures are exploratory: intervals, no verdict"


def show_plan(prepared: PreparedStudy, root: Path, words: Sequence[str], *, as_json: bool) -> int:
    """Print the plan of a study.

    Args:
        prepared: what `prepare_study` gave.
        root: folder under which everything is written.
        words: what was typed after the verb: the study, and settings for all arms.
        as_json: print JSON instead of tables.

    Returns:
        0.

    Raises:
        RagAblationError: data or store cannot be used.
    """
    found = study_plan(prepared, root)
    if as_json:
        values = {**asdict(found), "same": prepared.same, "seconds": found.seconds, "n_untimed": found.n_untimed}
        sys.stdout.write(json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return 0
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    show(board_of_plan(prepared, found, words), Console())
    return 0


def board_of_plan(prepared: PreparedStudy, found: StudyPlan, words: Sequence[str]) -> Leaderboard:
    """The plan as tables and remarks; `words` go on to the command that runs it."""
    tables = [_arms(prepared.study, found)]
    if found.steps:
        tables.append(_steps(prepared.study, found))
    command = shlex.join(["rag-ablation", "study", "run", *words])
    return Leaderboard(tables=tuple(tables), remarks=(*_remarks(prepared, found), f"next: {command}"))


def _arms(study: Study, found: StudyPlan) -> Table:
    excluded = found.asked - found.scored
    title = (
        f"study {study.name} on {found.dataset} ({found.side}): {found.asked} questions, {found.scored} scored in "
        f"{counted(found.n_groups, 'group')}, {excluded} excluded"
    )
    return Table(
        title=title,
        headings=("arm", "settings", "part", "state", "stages to compute", "in the store", "about"),
        rows=tuple(_arm(arm) for arm in found.arms),
        numeric_from=6,
    )


def _arm(arm: PlannedArm) -> tuple[str, ...]:
    to_run = arm.state == "to run"
    if not to_run or arm.reason:
        return (arm.key, arm.name, arm.role, arm.state, ABSENT, ABSENT, ABSENT)
    about = "not timed yet" if arm.seconds is None else f"{arm.seconds:.0f} s"
    return (
        arm.key,
        arm.name,
        arm.role,
        arm.state,
        ", ".join(arm.missing) or "none",
        ", ".join(arm.stored) or "none",
        about,
    )


def _steps(study: Study, found: StudyPlan) -> Table:
    return Table(
        title=f"the family: {counted(len(found.steps), 'step')} on {study.primary}, adjusted by Holm",
        headings=("step", "what changes", "watch", "smallest detectable difference"),
        rows=tuple(_step(study, step) for step in found.steps),
        numeric_from=3,
    )


def _cost(found: StudyPlan) -> str:
    asking = "; ".join(f"{arm.key} ({', '.join(arm.asks)})" for arm in found.arms if arm.asks)
    return f"not known before; a server is asked by {asking}" if asking else "0, no paid service is called"


def _step(study: Study, planned: PlannedStep) -> tuple[str, ...]:
    step = planned.step
    factors = step.change.factors
    confounded = f" ({len(factors)} factors: confounded)" if step.change.confounded else ""
    smallest = None if step.unmeasured else planned.plan.smallest_difference
    basis = "measured" if planned.plan.basis.startswith("clustered") else "assumed"
    return (
        label_of(step.child, step.parent),
        f"{step.change}{confounded}",
        study.arm(step.child).watch.get("en", ABSENT),
        ABSENT if smallest is None else f"{smallest:.3f} ({basis})",
    )


def _remarks(prepared: PreparedStudy, found: StudyPlan) -> list[str]:
    study, overall = prepared.study, found.overall
    remarks = _reasons("skipped", [arm for arm in found.arms if arm.state == "skipped"])
    remarks += _reasons("will fail", [arm for arm in found.arms if arm.state == "to run" and arm.reason])
    remarks += [f"{key} is {same}: run once" for key, same in prepared.same.items()]
    remarks += [f"threat: {step.step.child} and {step.step.parent} do not differ" for step in found.steps if step.same]
    point = study.primary.partition("/")[0]
    remarks += [
        f"threat: {label_of(step.child, step.parent)} cannot be scored, since there is no measuring point {point} in "
        f"{' and '.join(step.unmeasured)}; it stays in the family with p = 1"
        for step in prepared.steps
        if step.unmeasured
    ]
    remarks += [
        f"threat: no scored question is of type {watched.type}, which {label_of(watched.child, watched.parent)} is "
        f"watched on; there are: {', '.join(found.types)}"
        for watched in study.watched
        if watched.type not in found.types
    ]
    n_steps = sum(arm.role == Role.SWEEP for arm in found.arms)
    if n_steps:
        remarks.append(EXPLORATORY)
    remarks.append(_power(study, found))
    kept = sum(arm.state == "finished" for arm in found.arms)
    left = sum(arm.state == "to run" for arm in found.arms)
    untimed = f", {counted(found.n_untimed, 'arm')} with a stage that was never timed here" if found.n_untimed else ""
    remarks.append(
        f"to run: {counted(left, 'arm')}, about {found.seconds:.0f} s of computing by the last time of each stage here"
        f"{untimed}; finished before and kept: {kept}; cost: {_cost(found)}"
    )
    if overall.smallest_p * overall.family > 0.05:
        remarks.append(
            f"threat: with {counted(found.n_groups, 'group')} no p falls below {overall.smallest_p:.2g}, "
            f"{overall.smallest_adjusted_p:.2g} after Holm: no step can be decided"
        )
    return remarks


def _reasons(word: str, arms: Sequence[PlannedArm]) -> list[str]:
    """One line for each reason, with the arms that it concerns."""
    concerned: dict[str, list[str]] = {}
    for arm in arms:
        concerned.setdefault(" ".join((arm.reason or "").split()), []).append(arm.key)
    return [f"{word}: {', '.join(keys)}: {reason}" for reason, keys in concerned.items()]


def _power(study: Study, found: StudyPlan) -> str:
    overall = found.overall
    differences = [step.plan.smallest_difference for step in found.steps if not step.step.unmeasured]
    largest = max((one for one in differences if one is not None), default=None)
    said = "no difference can be planned for" if largest is None else f"up to {largest:.3f} must lie between two arms"
    against = ""
    if largest is not None:
        word = "above" if largest > study.smallest_difference else "within"
        against = f", {word} the smallest difference that matters ({study.smallest_difference:g})"
    return (
        f"planning: to show with 80 % power at α = .05 over {counted(overall.family, 'step')}, {said}{against}; "
        f"{overall.effective_groups:.0f} effective groups; for planning, it does not prove that there is no effect"
    )
