"""New judgements joined to a dataset: checked, then written into a copy of it or in its place."""

import os
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Status
from rag_ablation.data._folder import ABOUT, CORPUS, QUERIES, Source, find_source
from rag_ablation.data._report import Place, Report, shown
from rag_ablation.data.exchange._staging import staged
from rag_ablation.data.load import benchmark_of
from rag_ablation.data.qrels import Judgement
from rag_ablation.data.review import HEADING

DEV = "dev"
KEPT_BESIDE = ("README*", "LICENSE*", "LICENCE*", "NOTICE*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabelled:
    """A dataset with new judgements, not yet written.

    Args:
        benchmark: as it will be.
        source: its files as they were read.
        qrels: content of the judgements' file as it will be.
        added: judgements that are new.
        n_known: judgements that were there already, with the same grade.
    """

    benchmark: Benchmark
    source: Source
    qrels: bytes
    added: tuple[Judgement, ...]
    n_known: int


def add_judgements(
    folder: Path, qrels: str | None, judgements: Sequence[Judgement], sides: Mapping[str, str], *, file: str
) -> Relabelled:
    """Check reviewed judgements against a dataset and join them to it; nothing is written.

    Args:
        folder: the dataset.
        qrels: BEIR only, which file of `qrels/`.
        judgements: each pair once, with its line in the reviewed table.
        sides: side of each question; empty where the set has no split. Only questions of dev may be judged.
        file: name of the reviewed table, for messages.

    Raises:
        DataError: with every row that cannot be taken over, or every problem of the dataset.
    """
    report = Report()
    source = find_source(folder, qrels, report, hold_corpus=True)
    benchmark = benchmark_of(source, report)
    found = Report()
    added = _checked(benchmark, judgements, sides, (file, found))
    if found.count:
        raise found.error(HEADING, [file])
    content = _appended(source.contents[source.qrels_file], added)
    joined = replace(source, contents={**source.contents, source.qrels_file: content})
    return Relabelled(
        benchmark=benchmark_of(joined, Report()) if added else benchmark,
        source=source,
        qrels=content,
        added=tuple(added),
        n_known=len(judgements) - len(added),
    )


def write_copy(relabelled: Relabelled, target: Path, finish: Callable[[Path], None]) -> None:
    """Write the dataset with its new judgements to another place, whole or not at all.

    Args:
        relabelled: what to write.
        target: where there is nothing yet.
        finish: called with the folder before it gets its name, to add what belongs to it.

    Raises:
        DataError: something is there, or nothing can be written there.
    """
    folder = relabelled.source.folder
    with staged(target, "--to") as aside:
        beside = [file.name for pattern in KEPT_BESIDE for file in folder.glob(pattern) if file.is_file()]
        for name in (ABOUT, CORPUS, QUERIES, *beside):
            if (folder / name).is_file():
                shutil.copyfile(folder / name, aside / name)
        file = aside / relabelled.source.qrels_file
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(relabelled.qrels)
        finish(aside)


def write_in_place(relabelled: Relabelled) -> Path:
    """Put the new judgements into the dataset's own file, all at once.

    Args:
        relabelled: what to write.

    Returns:
        Where the file as it was is kept, beside the new one.

    Raises:
        CommandError: the file cannot be written, or has changed meanwhile.
    """
    path = relabelled.source.folder / relabelled.source.qrels_file
    before = relabelled.source.contents[relabelled.source.qrels_file]
    kept = path.with_name(f"{path.name}.before-{sha256(before).hexdigest()[:8]}")
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        if path.read_bytes() != before:
            found = "judgements that changed meanwhile"
            raise CommandError.of("--in-place", found, "the same command again", file=str(path))
        kept.write_bytes(before)
        with aside.open("wb") as handle:
            handle.write(relabelled.qrels)
            handle.flush()
            os.fsync(handle.fileno())
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        found = f"a file that cannot be written ({error.strerror})"
        raise CommandError.of("--in-place", found, "a writable dataset, or --to DIR", file=str(path)) from error
    return kept


def _checked(
    benchmark: Benchmark, judgements: Sequence[Judgement], sides: Mapping[str, str], to: tuple[str, Report]
) -> list[Judgement]:
    """Judgements that are new, by question and unit; what cannot be taken over goes to the report."""
    file, report = to
    row_of = {name: row for row, name in enumerate(benchmark.queries.ids)}
    units = {name: row for row, name in enumerate(benchmark.passages.units(benchmark.label_unit).ids)}
    known = dict(zip(benchmark.qrels.keys.tolist(), benchmark.qrels.grades.tolist(), strict=True))
    added = []
    for item in judgements:
        place, count = Place(file, item.line), report.count
        row, unit = row_of.get(item.query_id), units.get(item.unit_id)
        if row is None:
            expected = f"a question of {benchmark.name}{_mangled(item.query_id, row_of)}"
            report.problem(place, "query_id", shown(item.query_id), expected)
        elif sides and sides.get(item.query_id) != DEV:
            found = f"{item.query_id!r}, a question that stands in {sides.get(item.query_id, 'no side of the split')}"
            report.problem(place, "query_id", found, "a question of dev; no other is judged before it is opened")
        if unit is None:
            expected = f"an id of the label unit {benchmark.label_unit}{_mangled(item.unit_id, units)}"
            report.problem(place, "unit", shown(item.unit_id), expected)
        if row is None or unit is None or report.count > count:
            continue
        earlier = known.get(row * len(units) + unit)
        if earlier is None:
            _check_status(benchmark.queries.rows[row].status, item, place, report)
            added.append(item)
        elif earlier != item.grade:
            found = f"{item.grade} for a pair that has the grade {earlier} already"
            report.problem(place, "grade", found, "a pair without judgement; to correct one, edit the dataset itself")
    return sorted(added, key=lambda item: (item.query_id, item.unit_id))


def _check_status(status: Status, item: Judgement, place: Place, report: Report) -> None:
    if status is Status.NO_ANSWER and item.grade > 0:
        found = f"{item.grade} for question {item.query_id!r}, whose status says that nothing answers it"
        expected = "grade 0; or, if this does answer it, the status reviewed and the answer in queries.jsonl first"
        report.problem(place, "grade", found, expected)


def _mangled(name: str, known: Mapping[str, int]) -> str:
    """A hint where a spreadsheet program made a number of an id."""
    try:
        value = float(name)
    except ValueError:
        return ""
    near = next((other for other in known if _is_number(other, value)), None)
    hint = "spreadsheet programs turn such ids into numbers: import the column as text"
    return "" if near is None else f"; {near!r} was meant? ({hint})"


def _is_number(name: str, value: float) -> bool:
    try:
        return float(name) == value
    except ValueError:
        return False


def _appended(content: bytes, added: Sequence[Judgement]) -> bytes:
    """The file with more rows at its end, in the line ends that it has."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    head = content if content.endswith(b"\n") or not added else content + end
    rows = [f"{item.query_id}\t{item.unit_id}\t{item.grade}".encode() for item in added]
    return head + b"".join(row + end for row in rows)
