"""`rag-ablation latency`: the arms of a study timed together, one question after another."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from rag_ablation.commands._plan_notes import with_plans
from rag_ablation.commands._recorded import recorded_experiment
from rag_ablation.commands._study_folder import (
    Manifest,
    at_work,
    open_results,
    read_manifest,
    refuse_damaged,
    study_folder,
    write_timing,
)
from rag_ablation.commands._study_report import write_report
from rag_ablation.commands.run import RUNS, STORE, open_evalset
from rag_ablation.commands.sweep import reads
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.experiment.experiment import Experiment, LatencySettings
from rag_ablation.experiment.interleaved import measure_interleaved
from rag_ablation.experiment.store import StageStore
from rag_ablation.report.study.terminal import board_of
from rag_ablation.tracking.files import read_record

SETTINGS = ("questions", "passes", "seed")


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("latency", help="time the arms of a study together, interleaved")
    parser.add_argument("study", help="name of a study that was run under this root")
    parser.add_argument(
        "settings", nargs="*", metavar="latency.KEY=N", help="latency.questions=60 latency.passes=3 latency.seed=0"
    )


def execute(args: argparse.Namespace, root: Path) -> int:
    """Time every finished arm, and write the study's report again.

    Raises:
        CommandError: the study was not run, a run of it is damaged, it is running, or a setting does not exist.
    """
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    settings = _settings(args.settings)
    name = read_manifest(args.study, root).study.name
    with at_work(name, root) as folder:
        manifest = read_manifest(name, root)
        refuse_damaged(manifest, root)
        records = {key: read_record(root / RUNS / run) for key, run in manifest.runs.items()}
        finished = {key: record for key, record in records.items() if record.status == "finished"}
        experiments = {key: recorded_experiment(record, root) for key, record in finished.items()}
        time_study(experiments, settings, manifest, root)
        report = write_report(folder, with_plans(open_results(name, root), root))
    show(board_of(report), Console())
    return 0


def time_study(
    experiments: Mapping[str, Experiment], settings: LatencySettings, manifest: Manifest, root: Path
) -> None:
    """Time arms together and write it down beside the study's other results.

    Args:
        experiments: by key of the arm, without `auto`.
        settings: size of the sample, passes, seed.
        manifest: which runs belong to the study.
        root: folder under which everything is written.
    """
    evalsets: dict[tuple[object, ...], EvalSet] = {}
    by_arm: dict[str, EvalSet] = {}
    for key, experiment in experiments.items():
        read = reads(experiment)
        if read not in evalsets:
            evalsets[read] = open_evalset(experiment, root)
        by_arm[key] = evalsets[read]
    timing = measure_interleaved(
        {key: experiment.pipeline for key, experiment in experiments.items()},
        by_arm,
        settings,
        StageStore(root / STORE),
    )
    folder = study_folder(manifest.study.name, root)
    write_timing(folder, timing, manifest.runs)


def _settings(words: Sequence[str]) -> LatencySettings:
    given: dict[str, int] = {}
    for word in words:
        key, _, value = word.removeprefix("latency.").partition("=")
        if key not in SETTINGS or not value.isdigit() or not word.startswith("latency."):
            expected = ", ".join(f"latency.{name}=N" for name in SETTINGS)
            raise CommandError.of("latency", repr(word), f"one of {expected}")
        given[key] = int(value)
    try:
        return LatencySettings(**given)
    except ValueError as error:
        raise CommandError.of("latency", str(error), "whole numbers of at least 1") from error
