"""The report of a plan on its holdout, made from what its runs recorded and from what the ledger says."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from rag_ablation.commands._definitions import find_plan
from rag_ablation.commands._holdout_folder import holdout_folder, read_runs
from rag_ablation.commands._holdout_opening import Opening, opening_of
from rag_ablation.commands._holdout_outcome import Outcome
from rag_ablation.commands._holdout_score import Verdict, verdict
from rag_ablation.commands._plan_check import other_libraries
from rag_ablation.commands._study_inputs import arm_result, source_of
from rag_ablation.commands._study_report import write_report
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import CommandError
from rag_ablation.experiment.study import Role, Study, StudyArm
from rag_ablation.holdout.freeze import FrozenPlan, read_plan
from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.inputs import ArmResult, HoldoutVerdict, StudyResults
from rag_ablation.tracking.files import damaged, read_record


def write_outcome(outcome: Outcome, root: Path, language: str = "en") -> StudyReport:
    """Write `report.html`, `report.md` and `results.parquet` of a plan.

    Args:
        outcome: what came of it.
        root: folder under which everything is written.
        language: in which the page opens and the note is written.

    Raises:
        RagAblationError: a run is not whole, or the ledger does not say that its holdout was opened.
    """
    return write_report(outcome.folder, holdout_results(outcome.plan, outcome.folder, root), language)


def open_holdout_results(study: str, name: str, root: Path) -> tuple[Path, StudyResults]:
    """Results of a plan by its name, with the folder that they stand in.

    Args:
        study: name of the study.
        name: of the plan, or `NAME/amended-1` for those on corrected labels.
        root: folder under which everything is written.

    Raises:
        RagAblationError: there is no such plan, it was not run, or the ledger does not say that it was.
    """
    plan_name, _, part = name.partition("/")
    plan = read_plan(find_plan(study, plan_name, root))
    folder = holdout_folder(plan.study, plan.name, root) / part
    return folder, holdout_results(plan, folder, root)


def holdout_results(plan: FrozenPlan, folder: Path, root: Path) -> StudyResults:
    """Everything that the report of a plan is made from.

    Args:
        plan: the plan.
        folder: of its results.
        root: folder under which everything is written.

    Raises:
        RagAblationError: it was not run, a run is not whole, or the ledger does not say that its holdout was opened.
    """
    runs = read_runs(folder)
    if runs is None:
        expected = f"a plan that was run: rag-ablation holdout --study {plan.study} --name {plan.name}"
        raise CommandError.of("--holdout", f"{plan.name!r}, which has no results", expected, file=str(folder))
    study = _study(plan)
    folders = {key: root / RUNS / name for key, name in runs.runs.items()}
    opening = opening_of(plan, runs, root)
    _refuse_damaged(plan, folders)
    arms = tuple(arm_result(arm, folders[arm.key]) for arm in study.arms)
    first = arms[0]
    return StudyResults(
        study=study,
        arms=arms,
        source=source_of(first.record, first.query_ids, root),
        commands=tuple(_commands(plan)),
        holdout=_verdict(plan, verdict(plan, folders), opening, _elsewhere(plan, arms)),
    )


def _elsewhere(plan: FrozenPlan, arms: Sequence[ArmResult]) -> tuple[str, ...]:
    """Libraries that these runs were made with and that are not the plan's, in words."""
    made_with = [arm.record.environment for arm in arms]
    said = [other_libraries(plan, {"python": one["python"], **one["libraries"]}) for one in made_with]
    return tuple(dict.fromkeys(line for lines in said for line in lines))


def _verdict(plan: FrozenPlan, found: Verdict, opening: Opening, libraries: tuple[str, ...]) -> HoldoutVerdict:
    candidate, first = plan.candidate.key, opening.first
    return HoldoutVerdict(
        plan=plan.name,
        study=plan.study,
        candidate=candidate,
        frozen=plan.frozen,
        digest=plan.digest(),
        opened=first.time,
        entry=first.digest,
        times=opening.times,
        marks=opening.marks(plan),
        ruling=found.ruling,
        flattery={name.removeprefix(f"{candidate} − "): gap for name, gap in found.flattery.items()},
        reason=first.details["reason"],
        libraries=libraries,
        replays=opening.replays,
        amended=opening.amended,
    )


def _study(plan: FrozenPlan) -> Study:
    """The plan as the report knows studies: baselines first, then the candidate, which is compared with each."""
    baselines = tuple(arm.key for arm in plan.baselines)
    return Study(
        name=f"{plan.study}, holdout {plan.name}",
        question=plan.question,
        primary=plan.rule.primary,
        smallest_difference=plan.rule.smallest_difference,
        strict=False,
        fail_fast=True,
        latency=None,
        arms=tuple(
            StudyArm(
                key=arm.key,
                role=Role.LADDER,
                overrides=(f"variant={arm.variant}",),
                parents=baselines if arm is plan.candidate else (),
            )
            for arm in plan.arms
        ),
    )


def _commands(plan: FrozenPlan) -> Sequence[str]:
    study, name = shlex.quote(plan.study), shlex.quote(plan.name)
    return (
        f"rag-ablation freeze show {name} --study {study}",
        f"rag-ablation holdout --study {study} --name {name}",
        f"rag-ablation holdout status {shlex.quote(str(plan.dataset['path']))}",
        f"rag-ablation report {study} --holdout {name}",
    )


def _refuse_damaged(plan: FrozenPlan, folders: dict[str, Path]) -> None:
    """Check that every run is there, with every file as it was written.

    Raises:
        CommandError: one is not, with what to do.
    """
    for key, folder in folders.items():
        bad = damaged(folder, read_record(folder))
        if bad:
            found = f"{', '.join(bad)}: not there, or not as it was written"
            expected = (
                f"a whole run; a replay makes it anew: rag-ablation holdout --study {plan.study} --name {plan.name}"
            )
            raise CommandError.of(f"arm {key}", found, expected, file=str(folder))
