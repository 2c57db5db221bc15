"""Grades of a reviewed file joined to a dataset, with its splits, and what to type next."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.commands._data_split import DEFAULTS, PLAIN_WORD, side_lines
from rag_ablation.commands._recorded import recorded_path
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Status
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.wording import counted
from rag_ablation.data.bundled import PREFIX, dataset_path
from rag_ablation.data.judging import DEV, Relabelled, add_judgements, write_copy, write_in_place
from rag_ablation.data.load import load
from rag_ablation.data.review import Sheet, read_sheet
from rag_ablation.holdout.place import LEDGER, Place
from rag_ablation.holdout.seen import dataset_ledger
from rag_ablation.holdout.split import (
    Split,
    extend_split,
    write_split,
)
from rag_ablation.report.study.inputs import StudyResults

DATASETS = "datasets"
SPLITS = "splits"
SHORT_DIGEST = 12


@dataclass(frozen=True, slots=True)
class Target:
    """Where labels go.

    Args:
        folder: for a copy, None for one under the root.
        in_place: whether the dataset itself is changed.
    """

    folder: Path | None
    in_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Set:
    """The dataset of a study, with its splits."""

    record: ArmRecord
    folder: Path
    place: Place
    benchmark: Benchmark
    splits: tuple[Split, ...]


def dataset_of(record: ArmRecord, root: Path) -> tuple[Path, Benchmark]:
    """Folder and content of the dataset that an arm ran on.

    Raises:
        RagAblationError: it is gone, or wrong.
    """
    folder = dataset_path(recorded_path(record, root))
    return folder, load(folder, qrels=record.source["qrels"])


def applied(results: StudyResults, file: Path, target: Target, root: Path) -> list[str]:
    """Take the grades of a reviewed file over, and say what changed.

    Nothing is written before all of it is known to fit: the rows, the dataset with its new labels, and every
    split, extended so that each question keeps its side.

    Args:
        results: of the study that was pooled.
        file: the reviewed file.
        target: a copy, or the dataset itself.
        root: folder under which everything is written.

    Raises:
        RagAblationError: with every row that cannot be taken over, or what else is wrong.
    """
    found = _set_of(results, root, in_place=target.in_place)
    sheet = _graded(file)
    joined = add_judgements(found.folder, found.record.source["qrels"], sheet.judgements, _sides(found), file=str(file))
    said = _counts(sheet, joined)
    if not joined.added:
        return [*said, "nothing was written"]
    grown = [extend_split(joined.benchmark, split) for split in found.splits]
    if target.in_place:
        place, written = found.folder, _write_in_place(found, joined, grown)
    else:
        digest = joined.benchmark.fingerprints["labels"][:SHORT_DIGEST]
        place = target.folder or root / DATASETS / f"{found.benchmark.name}-judged-{digest}"
        there = target.folder is None and place.exists()
        written = [f"already there: {place}"] if there else _write_copy(found, joined, grown, place)
    return [*written, *said, *_changes(found, joined, grown), *_next(results.study.name, found.record, place)]


def _set_of(results: StudyResults, root: Path, *, in_place: bool) -> _Set:
    """The dataset as it is now; corpus and questions must be those that were pooled.

    Raises:
        CommandError: no arm has finished, the data has changed, or it must not be.
    """
    record = next((arm.record for arm in results.arms if arm.finished), None)
    if record is None:
        raise CommandError.of("study", f"{results.study.name}, without a finished arm", "one that was run")
    path = record.source["path"]
    if in_place and path.startswith(PREFIX):
        found = f"{path}, which ships with the package"
        raise CommandError.of("--in-place", found, "--to DIR, which writes a copy with the added labels")
    folder, benchmark = dataset_of(record, root)
    changed = [part for part in ("corpus", "queries") if benchmark.fingerprints[part] != record.digests[part]]
    if changed:
        found = f"{' and '.join(changed)} that changed since the study was run"
        raise CommandError.of(
            "dataset", found, "the data that was judged, or a new run and a new pool", file=str(folder)
        )
    place = Place.of(benchmark, folder, root)
    needed = place.splits() if record.split is None else {*place.splits(), record.split}
    splits = tuple(place.split(name) for name in sorted(needed))
    return _Set(record=record, folder=folder, place=place, benchmark=benchmark, splits=splits)


def _graded(file: Path) -> Sheet:
    sheet = read_sheet(file)
    if not sheet.judgements:
        found = f"no grade in {counted(sheet.n_without_grade, 'row')}"
        raise CommandError.of("grade", found, "a whole number in the column grade of what was judged", file=str(file))
    return sheet


def _sides(found: _Set) -> dict[str, str]:
    """Side of each question in the study's split; one that any split holds out is of that holdout."""
    chosen = [split for split in found.splits if split.name == found.record.split] or found.splits
    sides = {name: DEV for split in chosen for name in split.dev}
    for split in found.splits:
        sides |= dict.fromkeys(split.holdout, f"the holdout of the split {split.name!r}")
    return sides


def _write_copy(found: _Set, joined: Relabelled, grown: Sequence[Split], to: Path) -> list[str]:
    """The copy has every split, and what is known of questions that were opened."""

    def finish(aside: Path) -> None:
        for split in grown:
            write_split(split, aside / SPLITS / f"{split.name}.json")
        ledger = dataset_ledger(found.place).path
        if ledger.exists():
            (aside / SPLITS).mkdir(exist_ok=True)
            shutil.copyfile(ledger, aside / SPLITS / LEDGER)

    write_copy(joined, to, finish)
    return [f"written: {to}, a copy of {found.benchmark.name} with the added labels"]


def _write_in_place(found: _Set, joined: Relabelled, grown: Sequence[Split]) -> list[str]:
    kept = write_in_place(joined)
    for split in grown:
        there = found.place.split_file(split.name)
        if there is not None:
            write_split(split, there)
    return [f"changed: {found.folder / joined.source.qrels_file}; as it was: {kept.name}"]


def _counts(sheet: Sheet, joined: Relabelled) -> list[str]:
    """What became of the rows."""
    relevant = sum(item.grade > 0 for item in joined.added)
    said = [f"{counted(len(joined.added), 'judgement')} added, {relevant} of grade 1 or more"]
    if joined.n_known:
        said.append(f"{joined.n_known} there already with the same grade")
    if sheet.n_without_grade:
        said.append(f"{counted(sheet.n_without_grade, 'row')} without a grade left out")
    status = {query.id: query.status for query in joined.benchmark.queries.rows}
    draft = sum(status[item.query_id] is Status.UNREVIEWED for item in joined.added)
    if draft:
        said.append(f"{draft} of questions that stay unreviewed and are in no mean (their status is in queries.jsonl)")
    return ["; ".join(said)]


def _changes(found: _Set, joined: Relabelled, grown: Sequence[Split]) -> list[str]:
    """How labels and splits differ from what they were; of the holdout no more than numbers."""
    before, after = (
        benchmark.fingerprints["labels"][:SHORT_DIGEST] for benchmark in (found.benchmark, joined.benchmark)
    )
    lines = [f"fingerprint of the labels: {before} → {after}"]
    for old, new in zip(found.splits, grown, strict=True):
        now, then = side_lines([new])[0], side_lines([old])[0].partition(": ")[2]
        same = now.endswith(then)
        lines.append(f"{now}; {'as before' if same else f'before: {then}'}; every question keeps its side")
        parted = new.audit.get("groups_on_both_sides")
        if parted:
            lines.append(
                f"notice: split {new.name}: groups that reach across the sides by these labels: {parted}; "
                "nothing was moved"
            )
    return lines


def _next(study: str, record: ArmRecord, place: Path) -> list[str]:
    """The command that scores every arm on the new labels."""
    path = str(place)
    words = [f"rag-ablation study run {study}", "dataset=folder"]
    words.append(f"dataset.path={path}" if PLAIN_WORD.fullmatch(path) else f"'dataset.path=\"{path}\"'")
    if record.source["qrels"] is not None:
        words.append(f"dataset.qrels={record.source['qrels']}")
    if record.split not in (None, DEFAULTS.name):
        words.append(f"dataset.split={record.split}")
    if record.side != DEV:
        words.append(f"split={record.side}")
    return [
        "next, to score every arm on these labels, with the rankings that are in the stage store:",
        f"  {' '.join(words)}",
    ]
