"""`rag-ablation study run`: the arms of a study, then everything they show."""

import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from rag_ablation.commands._definitions import definition_name
from rag_ablation.commands._plan_notes import with_plans
from rag_ablation.commands._study_arms import PreparedStudy
from rag_ablation.commands._study_folder import Manifest, open_results, read_timing, study_folder, write_manifest
from rag_ablation.commands._study_report import write_report
from rag_ablation.commands.latency import time_study
from rag_ablation.commands.run import open_tracker
from rag_ablation.commands.sweep import (
    ArmsFailedError,
    Launch,
    Sweep,
    counted_lines,
    finished_before,
    run_arms,
)
from rag_ablation.core.digest import digest_json
from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.study import Role
from rag_ablation.report.answers import with_answers
from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.markdown import leaderboard_markdown
from rag_ablation.report.study.terminal import board_of
from rag_ablation.report.terminal import show
from rag_ablation.tracking.base import RunStart
from rag_ablation.tracking.files import read_record

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """What came of a study's arms.

    Args:
        failed: whether an arm has no result.
        lines: what was not run, in one line each.
        report: what they show.
        records: of the arms, each named by its key.
    """

    failed: bool
    lines: list[str]
    report: StudyReport
    records: list[ArmRecord]


def run_study(prepared: PreparedStudy, root: Path, launch: Launch, words: tuple[str, ...], console: "Console") -> int:
    """Run what has not finished before, time the arms together, write and log the report, print the conclusion.

    Args:
        prepared: what `prepare_study` gave.
        root: folder under which everything is written.
        launch: runs arms under a tracker run and gives their run folders.
        words: what was typed after the verb: the study, and settings for all arms.
        console: where the conclusion is printed.

    Returns:
        Exit status: 1 if an arm has no result.
    """
    tracker = open_tracker(prepared.sweep.first.tracking, root)
    folder = study_folder(prepared.study.name, root)
    failed = False
    start = _start(prepared)
    with suppress(ArmsFailedError), tracker.start(start) as run_id:
        done = _run(prepared, root, _Launched(launch, run_id), words)
        tracker.summarise(run_id, leaderboard_markdown(done.report), folder)
        show(with_answers(board_of(done.report), done.records, prepared.study.name), console)
        failed = done.failed
        for line in [*done.lines, f"report: {folder / 'report.html'}"]:
            console.print(line, soft_wrap=True, highlight=False, markup=False)
        if failed:
            raise ArmsFailedError
    if tracker.place:
        console.print(f"runs:   {tracker.place}   (open them with: rag-ablation ui)", soft_wrap=True, highlight=False)
    return 1 if failed else 0


@dataclass(frozen=True, slots=True)
class _Launched:
    """How arms are run, and the tracker's run that they belong to."""

    launch: Launch
    run_id: str


def _start(prepared: PreparedStudy) -> RunStart:
    sweep = prepared.sweep
    declared = digest_json([prepared.study.to_json(), [arm.digest for arm in sweep.arms]])
    return RunStart(
        experiment=sweep.first.tracking.experiment or prepared.study.name,
        name=f"study {prepared.study.name}",
        kind="study",
        parent=None,
        tags={"rag.study": prepared.study.name, **sweep.tags},
        digest=declared if sweep.first.resume else None,
    )


def _run(prepared: PreparedStudy, root: Path, by: _Launched, words: tuple[str, ...]) -> _Done:
    study, folder = prepared.study, study_folder(prepared.study.name, root)
    wanted = sorted({place for key, place in prepared.places.items() if key not in prepared.skipped})
    sweep = Sweep(tuple(prepared.sweep.arms[place] for place in wanted), tuple(range(len(wanted))))
    kept = finished_before(sweep, root)
    ended = dict(zip(wanted, run_arms(sweep, kept, by.launch, by.run_id), strict=True))
    places = {arm.key: prepared.places[arm.key] for arm in study.arms if arm.key not in prepared.skipped}
    folders = {key: found for key, place in places.items() if (found := ended[place].folder) is not None}
    runs = {key: found.name for key, found in folders.items()}
    not_run = {key: ended[place].reason for key, place in places.items() if ended[place].folder is None}
    manifest = Manifest(
        study=study,
        runs=runs,
        skipped=prepared.skipped,
        not_run=not_run,
        commands=_commands(study.name, words),
        definition=definition_name(words[0]),
        tracking={"name": sweep.first.tracking.name, "experiment": prepared.sweep.arms[0].logged_in},
    )
    write_manifest(folder, manifest)
    records = [replace(read_record(found), arm=key) for key, found in folders.items()]
    failed = {record.arm for record in records if record.status != "finished"}
    if study.latency is not None and read_timing(folder, runs) is None:
        timed = [
            arm.key for arm in study.arms if arm.role is not Role.SWEEP and arm.key in runs and arm.key not in failed
        ]
        experiments = {key: prepared.prepared(key).experiment for key in timed}
        time_study(experiments, study.latency, manifest, root)
    report = write_report(folder, with_plans(open_results(study.name, root), root))
    lines = [*(f"not run: {key}: {reason}" for key, reason in not_run.items()), *counted_lines(sweep, kept)]
    lines += [f"{key} is {same}, run once" for key, same in prepared.same.items()]
    return _Done(failed=bool(failed or not_run), lines=lines, report=report, records=records)


def _commands(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    typed = shlex.join(words)
    return (
        f"rag-ablation study plan {typed}",
        f"rag-ablation study run {typed}",
        f"rag-ablation latency {name} latency.questions=60 latency.passes=3",
        f"rag-ablation report {name}",
    )
