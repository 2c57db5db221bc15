"""The native layout at the border: rows from it, rows into it, and its own checks told by places in the source."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from rag_ablation.core.errors import DataError, Problem
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data._about import read_about
from rag_ablation.data._report import Report
from rag_ablation.data.exchange._rows import CORPUS, QRELS, QUERIES, Grade, Origin, Record, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.jsonl import read_records
from rag_ablation.data.load import ABOUT, load
from rag_ablation.data.qrels import HEADER

QRELS_LINE = re.compile(rf"on line ([0-9]+) of {re.escape(QRELS)}")
CORPUS_LOOK_UPS = frozenset({"corpus-id", "metadata.evidence_groups", "metadata.asked_about"})


def rows_of(folder: Path, qrels: str | None) -> tuple[Rows, Benchmark]:
    """Rows of a dataset folder, as its lines hold them.

    Args:
        folder: in the native or the BEIR layout.
        qrels: which file of `qrels/`, where there are several.

    Raises:
        DataError: it cannot be used.
    """
    benchmark = load(folder, qrels=qrels)
    rows = Rows(about=_about(benchmark))
    kept = frozenset(benchmark.queries.ids)
    for file, records in ((CORPUS, rows.passages), (QUERIES, rows.questions)):
        for line in read_records(file, (folder / file).read_bytes(), Report()).rows:
            if file == CORPUS or line.id in kept:
                records[line.id] = record_of(Origin(file, line.number), line.values)
    units = benchmark.passages.units(benchmark.label_unit).ids
    labels = benchmark.qrels
    cells = zip(labels.query_rows.tolist(), labels.unit_rows.tolist(), labels.grades.tolist(), strict=True)
    rows.judgements.update(
        {(benchmark.queries.ids[query], units[unit]): Grade(Origin(QRELS), grade) for query, unit, grade in cells}
    )
    return rows, benchmark


def record_of(origin: Origin, values: Mapping[str, object]) -> Record:
    """A native record: what stands beside `metadata` counts as metadata."""
    title, text, metadata = values.get("title"), values.get("text"), values.get("metadata")
    beside = {key: value for key, value in values.items() if key not in ("_id", "title", "text", "metadata")}
    inside = metadata if isinstance(metadata, dict) else {}
    return Record(origin, str(title or ""), str(text or ""), beside | inside)


def write_native(rows: Rows, folder: Path) -> None:
    """Write the four files; line n of a file is the n-th row."""
    write_about(rows, folder)
    write_records(folder / CORPUS, rows.passages, titles=True)
    write_records(folder / QUERIES, rows.questions, titles=False)
    write_qrels(folder / QRELS, rows)


def write_about(rows: Rows, folder: Path) -> None:
    """Write dataset.yaml."""
    text = yaml.safe_dump(rows.about, allow_unicode=True, sort_keys=False)
    (folder / ABOUT).write_bytes(text.encode("utf-8"))


def write_records(path: Path, records: Mapping[str, Record], *, titles: bool) -> None:
    """Write `_id`, `title` (of passages), `text` and `metadata`, one object a line."""
    write_json_lines(
        path,
        (
            {"_id": name} | ({"title": row.title} if titles else {}) | {"text": row.text, "metadata": row.metadata}
            for name, row in records.items()
        ),
    )


def write_json_lines(path: Path, objects: Iterable[Mapping[str, object]]) -> None:
    """Write one object a line, in UTF-8 with LF."""
    with path.open("wb") as handle:
        for value in objects:
            handle.write(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")


def write_qrels(path: Path, rows: Rows) -> None:
    """Write the table that the native and the BEIR layout share."""
    lines = ["\t".join(HEADER)]
    lines += [f"{query}\t{unit}\t{row.grade}" for (query, unit), row in rows.judgements.items()]
    path.write_bytes(("\n".join(lines) + "\n").encode("utf-8"))


def take_about(source: Source, rows: Rows, default_name: str) -> None:
    """Fill dataset.yaml from the source's own, where there is one, and from the options."""
    path = source.path / ABOUT
    if source.path.is_dir() and path.is_file():
        about = read_about(ABOUT, source.read(path) or b"", rows.report)
        rows.about |= {
            "name": about.name,
            "language": about.language,
            "unit": about.unit and about.unit.value,
            "label_unit": about.label_unit and about.label_unit.value,
            "identities": {name: list(roles) for name, roles in about.identities.items()} or None,
            **about.rest,
        }
    options = source.options
    given = {"name": options.name, "language": options.language, "label_unit": options.label_unit}
    rows.about |= {key: value for key, value in given.items() if value is not None}
    rows.about = {"name": default_name} | {key: value for key, value in rows.about.items() if value is not None}


def check(rows: Rows, folder: Path) -> Benchmark | None:
    """Load what was written; its problems are told by their places in the source.

    Where a row of the source could not be read, what that alone explains is not told again.
    """
    try:
        return load(folder)
    except DataError as error:
        told = [problem for problem in error.problems if not _explained(problem, rows.unreadable)]
        for problem in _Places(rows).told(told):
            rows.report.add(problem)
        return None


class _Places:
    """Where the rows of the written files stand in the source."""

    def __init__(self, rows: Rows) -> None:
        self.of = {
            CORPUS: [row.origin for row in rows.passages.values()],
            QUERIES: [row.origin for row in rows.questions.values()],
            QRELS: [row.origin for row in rows.judgements.values()],
        }

    def told(self, problems: Iterable[Problem]) -> list[Problem]:
        return [self._told(problem) for problem in problems]

    def _told(self, problem: Problem) -> Problem:
        first = 2 if problem.file == QRELS else 1
        if problem.file not in self.of or problem.line is None:
            return problem
        origin = self.of[problem.file][problem.line - first]
        found = QRELS_LINE.sub(lambda match: f"at {self.of[QRELS][int(match[1]) - 2]}", problem.found)
        return Problem(
            file=origin.file,
            line=origin.line,
            field=origin.key(problem.field),
            found=found,
            expected=problem.expected,
        )


def _explained(problem: Problem, unreadable: set[str]) -> bool:
    if CORPUS in unreadable and (problem.field in CORPUS_LOOK_UPS or (problem.file == CORPUS and problem.line is None)):
        return True
    if QUERIES in unreadable and (problem.field == "query-id" or (problem.file == QUERIES and problem.line is None)):
        return True
    return bool(unreadable) and problem.field == "metadata.status" and "no row of" in problem.found


def _about(benchmark: Benchmark) -> dict[str, object]:
    identities = {name: list(roles) for name, roles in benchmark.identities.items()}
    return {
        "name": benchmark.name,
        "language": benchmark.language,
        "unit": benchmark.unit.value,
        "label_unit": benchmark.label_unit.value,
        **({"identities": identities} if identities else {}),
        **benchmark.about,
    }
