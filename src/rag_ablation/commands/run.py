"""`rag-ablation run`: one arm over one side of a dataset, recorded and logged."""

import secrets
import time
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from rag_ablation.config import build
from rag_ablation.core.errors import ConfigError, HoldoutError, RagAblationError, SystemRefusalError
from rag_ablation.core.evalset import Benchmark, EvalSet, Side, evalset
from rag_ablation.core.process import told_to_end
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.results import StageOutput
from rag_ablation.core.secrets import masked_text
from rag_ablation.core.visibility import Access
from rag_ablation.data.bundled import dataset_path
from rag_ablation.data.load import load
from rag_ablation.data.settled import REVIEWS, read_reviews
from rag_ablation.experiment.chunking import Cutter, chunked
from rag_ablation.experiment.experiment import Experiment, TrackingSettings
from rag_ablation.experiment.latency import Latency, absent, measure_latency
from rag_ablation.experiment.record import arm_name, failed_record, record_of
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.holdout.door import opened_ids
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import dataset_ledger, note_scored, root_ledger
from rag_ablation.holdout.split import Split, dev_side, split_notices, whole
from rag_ablation.tracking.base import FilesOnly, RunStart, Tracker
from rag_ablation.tracking.files import write_record
from rag_ablation.tracking.records import finished_arms

RUNS = "runs"
STORE = "store"
OnStage = Callable[[str, StageOutput], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workplace:
    """Where a run writes, and what it belongs to.

    Args:
        root: folder under which everything is written.
        parent: tracker id of the sweep's run, None for a single run.
        overrides: what the command line set for this arm.
        tags: further tags of its run in the tracker.
        parallel: whether other arms run at the same time, so that no time can be trusted.
    """

    root: Path
    parent: str | None = None
    overrides: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    parallel: bool = False


def open_tracker(tracking: TrackingSettings, root: Path) -> Tracker:
    """The tracker that settings name, opened once per process.

    Raises:
        TrackingError: it cannot be used.
    """
    if tracking.name == "files":
        return FilesOnly(lambda: {digest: arm.id for digest, arm in finished_arms(root / RUNS).items()})
    return _mlflow(tracking.uri, root)


def open_evalset(experiment: Experiment, root: Path) -> EvalSet:
    """Read the dataset and keep the one side that the run may see, with what people made of answers.

    Raises:
        DataError: the files are wrong.
        HoldoutError: the split does not fit, or is missing.
        ConfigError: the sample is larger than the side, or the labels cannot follow the chunks.
    """
    settings = experiment.dataset
    folder = dataset_path(settings.path)
    benchmark = load(folder, qrels=settings.qrels, template=settings.passage_text)
    place = Place.of(benchmark, folder, root)
    root_ledger(place.root)  # a ledger that was tampered with refuses a sweep before its first arm
    opened = opened_ids(dataset_ledger(place))
    splits = place.splits()
    notices: tuple[str, ...] = ()
    if experiment.side == "none":
        if splits:
            raise ConfigError.of(
                "split",
                "none",
                f"dev, since {benchmark.name} has a split ({', '.join(splits)}); none reads the holdout",
            )
        chosen = whole(benchmark)
    else:
        split = place.split(settings.split)
        chosen = dev_side(benchmark, split)
        notices = split_notices(benchmark, split)
        _refuse_held_out(split, [place.split(name) for name in splits if name != split.name], opened)
    found = evalset_of(experiment, benchmark, chosen, notices)
    return replace(found, reviews=read_reviews(root / REVIEWS))


def evalset_of(experiment: Experiment, benchmark: Benchmark, chosen: Side, notices: Sequence[str] = ()) -> EvalSet:
    """One side of a dataset as an experiment sees it.

    Args:
        experiment: who asks and when, which sample, what is cut.
        benchmark: the whole dataset.
        chosen: the side.
        notices: what else a reader should know, one sentence each.

    Raises:
        ConfigError: the sample is larger than the side, or the labels cannot follow the chunks.
    """
    access = Access(
        identity=experiment.identity,
        as_of=experiment.as_of,
        versions=experiment.versions,
        identities=benchmark.identities,
    )
    found = evalset(benchmark, chosen, access)
    found = replace(found, notices=(*found.notices, *notices))
    settings = experiment.dataset
    if settings.sample is not None:
        found = _sampled(found, settings.sample, settings.sample_seed)
    return _chunked(found, benchmark, experiment)


def place_of(experiment: Experiment, data: EvalSet, root: Path) -> Place:
    """Where the dataset of an experiment lies."""
    folder = dataset_path(experiment.dataset.path)
    return Place(folder=folder, root=root, queries=data.fingerprints["queries"], name=data.name)


def resolved_for(experiment: Experiment, data: EvalSet) -> Experiment:
    """The experiment with every `auto` replaced by what it stands for on this data."""
    return experiment.resolved(data.language, None if data.relabelling is None else data.relabelling.unit)


def run_arm(container: Mapping[str, object], place: Workplace, on_stage: OnStage) -> tuple[ArmRecord, Path]:
    """Run one arm, write its record and log it. A failing stage gives a record that says so.

    Args:
        container: composed configuration, plain nested mappings.
        place: where to write.
        on_stage: told of each finished stage, with the arm's name.

    Returns:
        The record and its run folder.

    Raises:
        RagAblationError: the configuration, data or tracking store cannot be used; there is no record.
        OSError: the run folder cannot be written; there is no record.
    """
    experiment = build(container)
    tracker = open_tracker(experiment.tracking, place.root)
    data = open_evalset(experiment, place.root)
    experiment = resolved_for(experiment, data)
    note_scored(place_of(experiment, data, place.root), data)
    folder = new_run_folder(place.root, experiment.variant.name)
    identity = {"id": folder.name, "arm": arm_name(experiment, place.overrides), "dataset": data.name}
    start = RunStart(
        experiment=experiment.tracking.experiment or data.name,
        name=identity["arm"],
        kind="arm",
        parent=place.parent,
        tags={
            **place.tags,
            "rag.variant": experiment.variant.name,
            "rag.side": data.side,
            "rag.dataset": data.name,
        },
    )
    failure: ArmRecord | None = None
    try:
        with tracker.start(start) as run_id:
            try:
                record = _measured(experiment, identity, data, place, folder, on_stage)
                tracker.push(run_id, record, folder)
            except BaseException as error:
                interrupted = told_to_end() is not None or not isinstance(error, Exception)
                failed = failed_record(experiment, identity, _told(error, interrupted), interrupted=interrupted)
                write_record(folder, failed, None, None)
                failure = failed
                _write_traceback(folder)
                tracker.push(run_id, failure, folder)
                raise
    except Exception:
        if failure is None or failure.status == "interrupted":
            raise
        return failure, folder
    return record, folder


def new_run_folder(root: Path, name: str) -> Path:
    """A new folder under `runs/`; the name says when and what, and never repeats."""
    moment = time.strftime("%Y%m%d-%H%M%S")
    folder = root / RUNS / f"{moment}-{name}-{secrets.token_hex(3)}"
    folder.mkdir(parents=True)
    return folder


def _measured(
    experiment: Experiment,
    identity: Mapping[str, str],
    data: EvalSet,
    place: Workplace,
    folder: Path,
    on_stage: OnStage,
) -> ArmRecord:
    store = StageStore(place.root / STORE)
    result = run(experiment, data, store, lambda output: on_stage(identity["arm"], output))
    latency = _latency(experiment, data, store, parallel=place.parallel)
    record = record_of(experiment, identity, data, result, latency)
    record = replace(record, source={**record.source, "root": str(place.root)})
    write_record(folder, record, data, result)
    return record


def _latency(experiment: Experiment, data: EvalSet, store: StageStore, *, parallel: bool) -> Latency:
    if experiment.latency is None:
        return absent("switched off (latency=none)")
    if parallel:
        return absent("not measured beside other arms under a parallel launcher")
    return measure_latency(experiment.pipeline, data, experiment.latency, store)


def _refuse_held_out(split: Split, others: Sequence[Split], opened: Collection[str]) -> None:
    """A question that another split holds out, unopened, is not looked at by way of this one.

    Raises:
        HoldoutError: the dev side holds such questions.
    """
    for other in others:
        shared = (set(split.dev) & set(other.holdout)).difference(opened)
        if shared:
            message = (
                f"split {split.name!r}: {len(shared)} of its {len(split.dev)} dev questions stand in the holdout of "
                f"split {other.name!r}; run on that one (dataset.split={other.name}), or remove the one not in use"
            )
            raise HoldoutError(message)


@lru_cache(maxsize=4)
def _mlflow(uri: str | None, root: Path) -> Tracker:
    from rag_ablation.tracking.mlflow_tracker import MlflowTracker  # noqa: PLC0415

    return MlflowTracker.open(uri, root)


def _sampled(data: EvalSet, count: int, seed: int) -> EvalSet:
    if count > len(data.queries):
        raise ConfigError.of("dataset.sample", count, f"at most {len(data.queries)}, the questions of this side")
    rows: Sequence[int] = np.random.default_rng(seed).choice(len(data.queries), count, replace=False).tolist()
    return data.sample(rows)


def _chunked(data: EvalSet, benchmark: Benchmark, experiment: Experiment) -> EvalSet:
    """Cut, where the arm says so; only the labels of the questions that are run go with it."""
    chunker = experiment.pipeline.chunking
    if chunker is None:
        return data
    labels = dict(zip(benchmark.queries.ids, benchmark.labels, strict=True))
    kept = {name: labels[name] for name in data.queries.ids}
    return chunked(data, kept, Cutter(experiment.pipeline.names["chunking"], chunker), experiment.scoring.unit)


def _told(error: BaseException, interrupted: bool) -> str:
    """What a person is told; a fault of ours also says what kind it is."""
    if interrupted:
        return "interrupted"
    if isinstance(error, OSError):
        error = SystemRefusalError.of(error)
    if isinstance(error, RagAblationError):
        return masked_text(str(error))
    return masked_text(f"{type(error).__name__}: {error}")


def _write_traceback(folder: Path) -> None:
    (folder / "traceback.txt").write_text(masked_text(traceback.format_exc()), encoding="utf-8")
