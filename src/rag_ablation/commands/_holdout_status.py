"""What a dataset's ledger says, split by split and entry by entry; no label is read for it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_ablation.commands._holdout_check import check_witnesses
from rag_ablation.commands.run import open_tracker
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.wording import counted
from rag_ablation.data.bundled import dataset_path
from rag_ablation.data.load import load
from rag_ablation.experiment.experiment import TrackingSettings
from rag_ablation.holdout.entry import Entry
from rag_ablation.holdout.opening import openings, times_opened
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import dataset_ledger, seen_before
from rag_ablation.holdout.split import Split, questions_of
from rag_ablation.tracking.base import Tracker
from rag_ablation.tracking.uri import DATABASE

SHORT = 12


def status(dataset: str, qrels: str | None, root: Path, tracking_uri: str | None) -> dict[str, Any]:
    """Splits and entries, in JSON values.

    Args:
        dataset: folder, or `bundled:NAME`.
        qrels: for a BEIR folder, which file of `qrels/`.
        root: folder under which everything is written.
        tracking_uri: of the tracker, None for the default.

    Raises:
        RagAblationError: the dataset cannot be read, or its ledger was tampered with.
    """
    folder = dataset_path(dataset)
    benchmark = load(folder, qrels=qrels)
    place = Place.of(benchmark, folder, root)
    ledger = dataset_ledger(place)
    problem = None
    try:
        check_witnesses(None, place, _tracker(tracking_uri, root))
    except HoldoutError as error:
        problem = str(error)
    return {
        "dataset": benchmark.name,
        "ledger": str(ledger.path),
        "head": ledger.head or None,
        "problem": problem,
        "holdouts": [row for name in place.splits() for row in _holdouts(benchmark, place.split(name), place)],
        "entries": [_entry(entry) for entry in ledger.entries],
    }


def _tracker(uri: str | None, root: Path) -> Tracker:
    """The tracker that may know of entries; none is made for a look at the ledger."""
    there = uri or os.environ.get("MLFLOW_TRACKING_URI") or (root / DATABASE).exists()
    return open_tracker(TrackingSettings(name="mlflow" if there else "files", uri=uri), root)


def status_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The same for people, a line each."""
    yield f"{found['dataset']}: ledger {found['ledger']}, entries: {len(found['entries'])}"
    if found["problem"]:
        yield f"problem: {found['problem']}"
    if not found["holdouts"]:
        yield "no split, so no holdout"
    for row in found["holdouts"]:
        fold = "" if row["fold"] is None else f", fold {row['fold']}"
        size = f"{counted(row['questions'], 'question')} in {counted(row['groups'], 'group')}"
        state = "unopened" if not row["opened"] else f"opened {counted(row['opened'], 'time')}"
        yield f"split {row['split']}{fold}: {size}: {state}, {row['seen']} seen before or by an opening"
    for entry in found["entries"]:
        size = (
            f" {counted(entry['questions'], 'question')} in {counted(entry['groups'], 'group')}"
            if entry["groups"]
            else ""
        )
        yield f"{entry['time']} {entry['digest'][:SHORT]} {entry['kind']}{size}{entry['said']}"


def _holdouts(benchmark: Benchmark, split: Split, place: Place) -> Iterator[dict[str, Any]]:
    """Each fold of a split's holdout."""
    folds: Sequence[int | None] = [None] if split.folds == 1 else range(1, split.folds + 1)
    for fold in folds:
        names = split.held_out(fold)
        there = questions_of(benchmark, split, names)
        yield {
            "split": split.name,
            "fold": fold,
            "questions": len(names),
            "groups": len({split.groups[name] for name in names}),
            "opened": times_opened(openings(dataset_ledger(place), there)),
            "seen": len(seen_before(place, there).seen),
        }


def _entry(entry: Entry) -> dict[str, Any]:
    details = entry.details
    said = [
        f"{name} {details[name]}"
        for name in ("study", "name", "split", "fold", "decision", "reason")
        if details.get(name)
    ]
    return {
        "time": entry.time,
        "kind": str(entry.kind),
        "digest": entry.digest,
        "previous": entry.previous,
        "questions": len(entry.questions),
        "groups": len({question.group for question in entry.questions}),
        "said": f": {', '.join(said)}" if said else "",
    }
