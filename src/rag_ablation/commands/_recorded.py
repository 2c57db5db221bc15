"""An arm as its record says it was run, and the dataset that it ran on, built again."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, cast

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import ABOUT, FINGERPRINTS, Benchmark
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.visibility import Versions
from rag_ablation.data.bundled import dataset_path
from rag_ablation.data.load import load
from rag_ablation.experiment.experiment import (
    DatasetSettings,
    Experiment,
    Scoring,
    TrackingSettings,
    VariantSettings,
)
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.holdout.door import admit, without_held_out
from rag_ablation.holdout.place import Place
from rag_ablation.stages.catalogue import SLOTS, stage_class


def recorded_path(record: ArmRecord, root: Path) -> str:
    """Where the dataset of a run lies; one that lay under the root is looked for there, wherever the root is by now.

    Args:
        record: of a finished arm.
        root: folder under which everything is written.
    """
    path, before = str(record.source["path"]), record.source.get("root")
    if before is None or before == str(root) or not Path(path).is_relative_to(before):
        return path
    moved = root / Path(path).relative_to(before)
    return str(moved) if moved.is_dir() else path


def recorded_experiment(record: ArmRecord, root: Path) -> Experiment:
    """The experiment of a recorded arm; it is not logged anywhere.

    Args:
        record: of a finished arm.
        root: folder under which everything is written.
    """
    variant = VariantSettings(name=record.variant, parents=record.parents)
    return experiment_of(record.settings, variant, recorded_path(record, root))


def experiment_of(settings: Mapping[str, Any], variant: VariantSettings, path: str) -> Experiment:
    """The experiment of effective settings; it is not logged anywhere.

    Args:
        settings: as `Experiment.effective` gives them.
        variant: the preset.
        path: of the dataset.

    Raises:
        KeyError, TypeError, ValueError, LookupError: they are no effective settings.
    """
    access, scoring = settings["access"], settings["scoring"]
    return Experiment(
        variant=variant,
        pipeline=recorded_pipeline(settings),
        dataset=DatasetSettings(path=path, **settings["dataset"]),
        side=access["split"],
        identity=access["identity"],
        as_of=None if access["as_of"] is None else date.fromisoformat(access["as_of"]),
        versions=Versions(access["versions"]),
        scoring=Scoring(
            unit=None if scoring["unit"] is None else Unit(scoring["unit"]),
            cutoffs=tuple(scoring["cutoffs"]),
            measures=tuple(scoring["measures"]),
            relevant_from=scoring["relevant_from"],
            type_weights=scoring["type_weights"],
        ),
        latency=None,
        tracking=TrackingSettings(name="files"),
    )


def recorded_benchmark(record: ArmRecord, root: Path) -> Benchmark:
    """The dataset of a run, as it was, without the questions that are held out and not opened.

    Args:
        record: of a finished arm.
        root: folder under which everything is written.

    Raises:
        CommandError: it has changed since.
        RagAblationError: it is gone, or wrong.
    """
    template = record.settings["dataset"]["passage_text"]
    folder = dataset_path(recorded_path(record, root))
    benchmark = load(folder, qrels=record.source["qrels"], template=template)
    parts = [part for part in (*FINGERPRINTS, ABOUT) if part in record.digests]  # runs of before have no `about`
    changed = [part for part in parts if benchmark.fingerprints[part] != record.digests[part]]
    if changed:
        found = f"{' and '.join(changed)} changed since this run was made"
        raise CommandError.of("dataset", found, "the files as they were, or a new run", file=str(record.source["path"]))
    return without_held_out(benchmark, Place.of(benchmark, folder, root))


def recorded_place(record: ArmRecord, root: Path) -> Place:
    """Where the dataset of a run lies.

    Args:
        record: of a finished arm.
        root: folder under which everything is written.

    Raises:
        ConfigError: it is not there.
    """
    folder = dataset_path(recorded_path(record, root))
    return Place(folder=folder, root=root, queries=record.digests["queries"], name=record.dataset)


def admit_record(record: ArmRecord, root: Path) -> None:
    """Let a run be shown: one on a holdout only where the ledger of its dataset says that it was opened.

    Args:
        record: of the run.
        root: folder under which everything is written.

    Raises:
        HoldoutError: the ledger does not.
        ConfigError: the dataset is not there.
    """
    if record.on_holdout:
        admit(recorded_place(record, root), str(record.holdout.get("opened", "")), f"run {record.id}")


def recorded_pipeline(settings: Mapping[str, Any]) -> Pipeline:
    """The stages of a recorded arm.

    Args:
        settings: effective settings.
    """
    filled = {slot: settings[slot] for slot in SLOTS if slot in settings}
    stages = {slot: recorded_stage(slot, section) for slot, section in filled.items()}
    return Pipeline(names={slot: section["name"] for slot, section in filled.items()}, **cast("dict[str, Any]", stages))


def recorded_stage(slot: str, settings: Mapping[str, Any]) -> object:
    """One stage from its recorded settings."""
    values = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items() if name != "name"
    }
    return stage_class(slot, settings["name"])(**values)
