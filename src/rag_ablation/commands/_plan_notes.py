"""What became of the plans that were frozen from a study, for the study's own report."""

from dataclasses import replace
from pathlib import Path

from rag_ablation.commands._definitions import frozen_folders
from rag_ablation.commands._holdout_folder import holdout_folder, read_runs
from rag_ablation.commands._holdout_opening import opening_of
from rag_ablation.commands._study_folder import read_manifest
from rag_ablation.commands._study_report import PAGE
from rag_ablation.core.errors import RagAblationError
from rag_ablation.holdout.freeze import FrozenPlan, plans
from rag_ablation.report.study.inputs import PlanNote, StudyResults

AMENDED = "amended-"


def with_plans(results: StudyResults, root: Path) -> StudyResults:
    """The same with what became of the study's plans.

    A plan that cannot be read is no reason to show no report; its results are told by its own report alone.

    Args:
        results: of a study.
        root: folder under which everything is written.
    """
    try:
        definition = read_manifest(results.study.name, root).definition
        folders = [*frozen_folders(definition, root), *frozen_folders(results.study.name, root)]
        found = {plan.name: plan for folder in reversed(folders) for plan in plans(folder)}
    except RagAblationError:
        return results
    own = [plan for _, plan in sorted(found.items()) if plan.study == results.study.name]
    return replace(results, plans=tuple(_note(plan, root) for plan in own))


def _note(plan: FrozenPlan, root: Path) -> PlanNote:
    note = PlanNote(
        plan=plan.name,
        candidate=plan.candidate.key,
        frozen=plan.frozen,
        decision=None,
        n=int(plan.split["questions"]),
        n_groups=int(plan.split["groups"]),
    )
    folder = _newest(holdout_folder(plan.study, plan.name, root))
    try:
        runs = read_runs(folder)
        if runs is None:
            return note
        opening = opening_of(plan, runs, root)
        return replace(
            note,
            decision=str(runs.words["decision"]),
            times=opening.times,
            marks=opening.marks(plan),
            page=(folder / PAGE).relative_to(root).as_posix(),
        )
    except RagAblationError as error:
        return replace(note, problem=str(error).splitlines()[0])


def _newest(folder: Path) -> Path:
    """The folder with the results on the newest labels."""
    amended = sorted(folder.glob(f"{AMENDED}*"), key=lambda path: int(path.name.removeprefix(AMENDED) or 0))
    return amended[-1] if amended else folder
