"""From a format of others to a native folder, and back: start reading here.

The order of work: the format's `read` fills plain rows and notes every problem, the rows are written aside
in the native layout, `load` checks them, and only what passed takes its place.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.core.errors import DataError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Status
from rag_ablation.data.exchange._native import check, rows_of, take_about, write_about, write_native
from rag_ablation.data.exchange._rows import Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange._staging import staged
from rag_ablation.data.exchange.catalogue import FORMATS, reader, writer
from rag_ablation.data.exchange.options import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a conversion.

    Args:
        benchmark: the dataset that was written, or read.
        files: names of the files written, sorted.
        notices: what a reader should know, one sentence each.
        losses: what did not come over, one sentence each.
        missing: what the source did not say, so that a default holds.
    """

    benchmark: Benchmark
    files: tuple[str, ...]
    notices: tuple[str, ...]
    losses: tuple[str, ...]
    missing: tuple[str, ...] = ()


Finish = Callable[[Benchmark, Mapping[str, frozenset[str]], Path], None]


def import_dataset(
    format_name: str, source: str, target: Path, options: Options, finish: Finish | None = None
) -> Outcome:
    """Write a native folder from a source in another format.

    Args:
        format_name: one of the catalogue.
        source: path, or the id of a dataset.
        target: where nothing is yet.
        options: choices.
        finish: given the dataset, which questions each table of judgements has a row of, and the folder before it
            takes its place; whatever it raises leaves nothing written.

    Raises:
        DataError: with every problem, told by file and line of the source; nothing was written.
    """
    read = reader(format_name, options)
    rows = Rows()
    with staged(target) as folder:
        origin = Source(source, options, rows)
        take_about(origin, rows, target.expanduser().absolute().name)
        read(origin, rows)
        write_native(rows, folder)
        benchmark = check(rows, folder)
        if rows.report.problems or benchmark is None:
            heading = f"{source} ({FORMATS[format_name].title}) cannot be imported"
            raise rows.report.error(heading, [*dict.fromkeys(problem.file for problem in rows.report.problems)])
        if finish is not None:
            finish(benchmark, _judged_in(rows), folder)
        files = _names(folder)
    twice = rows.passages.keys() & rows.questions.keys()
    shared = (
        [f"ids that stand for both a question and a passage: {len(twice)} (first: {min(twice)!r})"] if twice else []
    )
    return Outcome(
        benchmark=benchmark,
        files=files,
        notices=(*rows.report.notices, *rows.counted(), *shared, *benchmark.notices),
        losses=tuple(rows.losses),
        missing=_missing(rows),
    )


def export_dataset(format_name: str, source: Path, target: Path, options: Options) -> Outcome:
    """Write a dataset folder in another format; `dataset.yaml` goes beside, for the way back.

    Args:
        format_name: one of the catalogue.
        source: folder in the native or the BEIR layout.
        target: where nothing is yet.
        options: choices.

    Raises:
        DataError: the source cannot be used or holds what the format cannot, or an option is wrong; nothing was
            written.
    """
    write = writer(format_name, options)
    if options.split is not None and (not options.split or Path(options.split).name != options.split):
        raise DataError.of("--split-name", repr(options.split), "the name of a file, without a folder")
    rows, benchmark = rows_of(source, options.qrels)
    with staged(target) as folder:
        losses = write(rows, folder, options)
        write_about(rows, folder)
        if rows.report.problems:
            raise DataError(f"{source} cannot be exported as {FORMATS[format_name].title}", rows.report.problems)
        files = _names(folder)
    splits = source / "splits"
    if splits.is_dir() and any(splits.iterdir()):
        losses.append("splits/ (make a split where the dataset is used)")
    return Outcome(
        benchmark=benchmark,
        files=files,
        notices=(*rows.report.notices, *rows.counted()),
        losses=tuple(losses),
    )


def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()))


def _judged_in(rows: Rows) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for (query, _), grade in rows.judgements.items():
        found.setdefault(Path(grade.origin.file).stem, set()).add(query)
    return {name: frozenset(queries) for name, queries in found.items()}


def _missing(rows: Rows) -> tuple[str, ...]:
    """Which fields that matter no row, or not every row, has."""
    passages = [row.metadata for row in rows.passages.values()]
    questions = [row.metadata for row in rows.questions.values()]
    answerable = [row for row in questions if row.get("status") != Status.NO_ANSWER.value]
    return tuple(
        sentence
        for sentence in (
            _without(passages, "passages", ("doc_id",), "each is its own document"),
            _without(passages, "passages", ("location",), "each is its own answer location"),
            _without(questions, "questions", ("type",), "type unspecified"),
            _without(answerable, "answerable questions", ("answer", "answers"), "no reference answer"),
        )
        if sentence
    )


def _without(rows: Collection[dict[str, object]], what: str, keys: tuple[str, ...], so: str) -> str:
    number = sum(all(row.get(key) is None for key in keys) for row in rows)
    return f"{number} of {len(rows)} {what} without {' and '.join(keys)}: {so}" if number else ""
