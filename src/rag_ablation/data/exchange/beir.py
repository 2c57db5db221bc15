"""BEIR: corpus.jsonl, queries.jsonl and `qrels/<split>.tsv`.

BEIR's own files have a `metadata` object in both tables, so that everything of a row has a place in them. Its
loader reads `_id`, `title` and `text` alone.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rag_ablation.core.wording import counted
from rag_ablation.data import beir as layout
from rag_ablation.data._report import shown
from rag_ablation.data.exchange._grades import read_grade
from rag_ablation.data.exchange._losses import status_of
from rag_ablation.data.exchange._native import record_of, write_qrels, write_records
from rag_ablation.data.exchange._rows import CORPUS, QRELS, QUERIES, Origin, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange.options import DEFAULT_SPLIT, Options
from rag_ablation.data.jsonl import Line

JOINED = "+"
GRADE_WORDS = frozenset({"score", "grade", "relevance", "rel"})
FORM = "3 columns separated by tabs: query-id, corpus-id, score"


def read(source: Source, rows: Rows) -> None:
    """Read one split of a BEIR folder, or several that are named with `+` between them.

    Args:
        source: the folder.
        rows: filled, with every problem.
    """
    read_tables(source, rows)
    files = _chosen(source, rows)
    read_judgements(source, rows, files)
    if files:
        rows.leave_out_unjudged(" or ".join(source.shown(file) for file in files))


def read_tables(source: Source, rows: Rows) -> None:
    """Read corpus.jsonl and queries.jsonl, which the native layout has too."""
    for name, add in ((CORPUS, _add_passage), (QUERIES, _add_question)):
        path = source.path / name
        if not path.is_file():
            rows.problem(Origin(name), "file", f"no such file; in the folder: {source.listing()}", f"a file {name}")
            rows.unreadable.add(name)
            continue
        records = source.json_lines(path)
        for record in records.rows:
            add(rows, record.origin, record.values)
        if not records.complete:
            rows.unreadable.add(name)


def read_judgements(source: Source, rows: Rows, files: Sequence[Path]) -> None:
    """Read tables of three columns; no file means that there was a problem already."""
    if not files:
        rows.unreadable.add(QRELS)
    for file in files:
        lines = source.lines(file)
        for line in _body(lines.rows):
            _add_judgement(Origin(source.shown(file), line.number), line.text, source.options, rows)
        if not lines.complete:
            rows.unreadable.add(QRELS)


def write(rows: Rows, folder: Path, options: Options) -> list[str]:
    """Write a BEIR folder.

    Args:
        rows: what to write.
        folder: where.
        options: `split` names the table of judgements.

    Returns:
        What BEIR cannot hold: nothing.
    """
    (folder / layout.FOLDER).mkdir()
    write_records(folder / CORPUS, rows.passages, titles=True)
    write_records(folder / QUERIES, rows.questions, titles=False)
    write_qrels(folder / layout.FOLDER / f"{options.split or DEFAULT_SPLIT}{layout.SUFFIX}", rows)
    judged = {query_id for query_id, _ in rows.judgements}
    apart = [name for name, row in rows.questions.items() if name not in judged]
    if apart:
        statuses = sorted({status_of(rows.questions[name]).value for name in apart})
        rows.report.notices.append(
            f"{counted(len(apart), 'question')} without a judgement ({', '.join(statuses)}): BEIR's own loader does "
            "not read them; their status is in metadata"
        )
    quoted = [name for pair in rows.judgements for name in pair if name.startswith('"')]
    if quoted:
        rows.report.notices.append(f"{len(quoted)} cells of qrels begin with a quote, which BEIR's loader takes off")
    return []


def _chosen(source: Source, rows: Rows) -> list[Path]:
    """The tables of judgements to read; none after a problem."""
    folder = source.path / layout.FOLDER
    available = sorted(file.stem for file in folder.glob(f"*{layout.SUFFIX}") if file.is_file())
    wanted = source.options.split or source.options.qrels
    if wanted is None and len(available) > 1:
        found = f"several files: {', '.join(available)}"
        rows.problem(Origin(f"{layout.FOLDER}/"), "qrels", found, f"a choice: --split-name {available[-1]}")
        return []
    names = [wanted] if wanted is None or wanted in available else list(dict.fromkeys(wanted.split(JOINED)))
    chosen = [layout.choose_qrels(available, name, rows.report) for name in names]
    others = [name for name in available if name not in chosen]
    if others and None not in chosen:
        rows.losses.append(f"judgements of other splits, not taken: {', '.join(others)}")
    return [] if None in chosen else [folder / f"{name}{layout.SUFFIX}" for name in chosen]


def _body(lines: list[Line]) -> Iterator[Line]:
    """All lines but the header, which some mirrors leave out."""
    for place, line in enumerate(lines):
        if place or line.text.split("\t")[-1].strip().lower() not in GRADE_WORDS:
            yield line


def _add_passage(rows: Rows, origin: Origin, values: dict[str, object]) -> None:
    record = record_of(origin, values)
    if not isinstance(values.get("title"), str | None):
        rows.problem(origin, "title", shown(values["title"]), "a string")
    rows.add_passage(origin, values.get("_id"), record.title, values.get("text"), record.metadata)
    _check_metadata(rows, origin, values)


def _add_question(rows: Rows, origin: Origin, values: dict[str, object]) -> None:
    record = record_of(origin, values)
    text = values.get("text")
    rows.add_question(origin, values.get("_id"), text, record.metadata)
    _check_metadata(rows, origin, values)


def _check_metadata(rows: Rows, origin: Origin, values: dict[str, object]) -> None:
    metadata = values.get("metadata")
    if not isinstance(metadata, dict | None):
        rows.problem(origin, "metadata", shown(metadata), "an object")
    elif metadata:
        for key in sorted((values.keys() & metadata.keys()) - {"_id", "title", "text"}):
            rows.problem(origin, key, "the key both in metadata and beside it", "one place for it, in metadata")


def _add_judgement(origin: Origin, text: str, options: Options, rows: Rows) -> None:
    cells = text.split("\t")
    if len(cells) != 3:
        found = f"{counted(len(cells), 'column')} ({text[:80]!r})"
        rows.problem(origin, "columns", found, FORM)
        rows.unreadable.add(QRELS)
        return
    grade = read_grade(origin, cells[2], options, rows)
    if grade is not None:
        rows.add_judgement(origin, cells[0], cells[1], grade)
