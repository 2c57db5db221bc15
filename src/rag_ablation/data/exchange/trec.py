"""TREC: topics and corpus as tables or JSONL, and qrels of four columns."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.queries import Status
from rag_ablation.core.wording import counted
from rag_ablation.data.exchange._grades import read_grade
from rag_ablation.data.exchange._losses import passages_only, status_of, unheld
from rag_ablation.data.exchange._native import write_json_lines
from rag_ablation.data.exchange._rows import CORPUS, QRELS, QUERIES, Origin, Record, Rows
from rag_ablation.data.exchange._source import Source, pick
from rag_ablation.data.exchange.options import Options
from rag_ablation.data.jsonl import Line

CORPUS_FILES = ("corpus.tsv", "corpus.jsonl", "collection.tsv", "collection.jsonl")
TOPIC_FILES = ("topics.tsv", "topics.jsonl", "queries.tsv", "queries.jsonl")
QRELS_FILES = ("qrels.txt", "qrels.tsv", "qrels", "qrels.qrels", "qrels.trec")
ID_KEYS = ("_id", "id", "docid", "doc_id", "docno", "pid", "qid", "query_id", "topic_id")
TEXT_KEYS = ("text", "contents", "content", "body", "passage", "query", "question")
TITLE_KEYS = ("title",)
HEADER_WORDS = frozenset({*ID_KEYS, *TEXT_KEYS, *TITLE_KEYS, "query-id", "corpus-id", "url"})
COLUMNS = {2: ("id", "text"), 3: ("id", "title", "text"), 4: ("id", "url", "title", "text")}
SPACES = re.compile(r"[ \t]+")
FORM = "4 columns separated by blanks or tabs: question, iteration, passage, grade"
UNFIT = re.compile(r"[\t\n\r]")


class _Table(NamedTuple):
    """One of the two tables: native file, option, usual names, and the columns that a line may have."""

    native: str
    role: str
    files: Sequence[str]
    columns: Mapping[int, tuple[str, ...]]


class _Item(NamedTuple):
    """A passage or a topic as its file has it."""

    origin: Origin
    name: object
    title: object
    text: object


PASSAGES = _Table(CORPUS, "corpus", CORPUS_FILES, COLUMNS)
TOPICS = _Table(QUERIES, "questions", TOPIC_FILES, {2: COLUMNS[2]})


def read(source: Source, rows: Rows) -> None:
    """Read a folder of corpus, topics and qrels.

    A topic without a judgement becomes a question of status `unreviewed`.

    Args:
        source: the folder.
        rows: filled, with every problem.
    """
    for table in (PASSAGES, TOPICS):
        path = source.find(table.role, table.files)
        if path is None:
            rows.unreadable.add(table.native)
        elif path.suffix == ".jsonl":
            _read_json(source, path, table, rows)
        else:
            _read_tsv(source, path, table, rows)
    path = source.find("qrels", QRELS_FILES)
    if path is None:
        rows.unreadable.add(QRELS)
        return
    lines = source.lines(path)
    for line in lines.rows:
        _add_judgement(Origin(source.shown(path), line.number), line.text, source.options, rows)
    if not lines.complete:
        rows.unreadable.add(QRELS)
    if QRELS not in rows.unreadable:
        rows.mark_unjudged()


def write(rows: Rows, folder: Path, options: Options) -> list[str]:
    """Write corpus, topics and qrels.txt; a table whose texts hold tabs or line breaks becomes JSONL, which is said.

    Args:
        rows: what to write; ids with blanks are problems, since qrels and run files are separated by blanks.
        folder: where.
        options: none is used.

    Returns:
        What TREC cannot hold.
    """
    passages_only(rows)
    for records in (rows.passages, rows.questions):
        for name, row in records.items():
            if any(map(str.isspace, name)) or name.startswith("\ufeff"):
                rows.problem(row.origin, "_id", repr(name), "an id without blanks: TREC files are separated by them")
    titled = any(row.title for row in rows.passages.values())
    _write_table(rows, folder / "corpus.tsv", rows.passages, titled=titled)
    _write_table(rows, folder / "topics.tsv", rows.questions, titled=False)
    lines = [f"{query} 0 {unit} {row.grade}\n" for (query, unit), row in rows.judgements.items()]
    (folder / "qrels.txt").write_bytes("".join(lines).encode("utf-8"))
    return [*_lost_statuses(rows), *unheld(rows, question_keys={"status"})]


def _lost_statuses(rows: Rows) -> list[str]:
    """Questions whose status would be read otherwise: with judgements as reviewed, without as unreviewed."""
    judged = {query_id for query_id, _ in rows.judgements}
    statuses = {name: status_of(row) for name, row in rows.questions.items()}
    refusals = sum(status is Status.NO_ANSWER for status in statuses.values())
    rest = sum(status is Status.UNREVIEWED and name in judged for name, status in statuses.items())
    lost = (
        [f"the status no_answer ({counted(refusals, 'question')}, read as reviewed or unreviewed)"] if refusals else []
    )
    return lost + (
        [f"the status unreviewed ({counted(rest, 'question')} with judgements, read as reviewed)"] if rest else []
    )


def _write_table(rows: Rows, path: Path, records: Mapping[str, Record], *, titled: bool) -> None:
    cells = [(name, *((row.title,) if titled else ()), row.text) for name, row in records.items()]
    unfit = sum(any(map(UNFIT.search, row)) for row in cells)
    if not unfit and not (cells and _is_header(cells[0])):
        path.write_bytes("".join("\t".join(row) + "\n" for row in cells).encode("utf-8"))
        return
    keys = ("id", "title", "contents") if titled else ("id", "contents")
    write_json_lines(path.with_suffix(".jsonl"), (dict(zip(keys, row, strict=True)) for row in cells))
    rows.report.notices.append(
        f"{path.with_suffix('.jsonl').name} in place of {path.name}: "
        + (f"{counted(unfit, 'row')} with a tab or a line break" if unfit else "its first row reads like a header")
    )


def _is_header(cells: Sequence[str]) -> bool:
    return all(cell.strip().lower() in HEADER_WORDS for cell in cells)


def _read_tsv(source: Source, path: Path, table: _Table, rows: Rows) -> None:
    name, lines = source.shown(path), source.lines(path)
    body = lines.rows
    if body and _is_header(body[0].text.split("\t")):
        rows.report.notices.append(f"{name}: the first line is a header, and no row")
        body = body[1:]
    width = len(body[0].text.split("\t")) if body else 2
    for line in body:
        _add_cells(Origin(name, line.number), line, table, (width, rows))
    if not lines.complete:
        rows.unreadable.add(table.native)


def _add_cells(origin: Origin, line: Line, table: _Table, to: tuple[int, Rows]) -> None:
    width, rows = to
    cells = line.text.split("\t")
    if len(cells) != width or width not in table.columns:
        forms = " or ".join(", ".join(form) for form in table.columns.values())
        found = f"{counted(len(cells), 'column')} ({line.text[:80]!r})"
        rows.problem(origin, "columns", found, f"columns separated by tabs, the same on every line: {forms}")
        rows.unreadable.add(table.native)
        return
    values = dict(zip(table.columns[width], cells, strict=True))
    item = _Item(origin, values.pop("id"), values.pop("title", ""), values.pop("text"))
    _add(table, rows, item, {key: value for key, value in values.items() if value})


def _read_json(source: Source, path: Path, table: _Table, rows: Rows) -> None:
    lines = source.json_lines(path)
    for line in lines.rows:
        values = dict(line.values)
        found: list[object] = []
        for keys, needed in ((ID_KEYS, True), (TITLE_KEYS, False), (TEXT_KEYS, True)):
            key = pick(values, keys)
            if key is None and needed:
                rows.problem(line.origin, keys[0], "no such key", f"one of the keys {', '.join(keys)}")
                rows.unreadable.add(table.native)
            found.append("" if key is None else values.pop(key))
        if table is TOPICS and found[1]:
            values["title"] = found[1]
        inner = values.pop("metadata", None)
        name, title, text = found
        item = _Item(line.origin, name, title, text)
        _add(
            table,
            rows,
            item,
            values | (inner if isinstance(inner, dict) else {} if inner is None else {"metadata": inner}),
        )
    if not lines.complete:
        rows.unreadable.add(table.native)


def _add(table: _Table, rows: Rows, item: _Item, metadata: Mapping[str, object]) -> None:
    if table is TOPICS:
        rows.add_question(item.origin, item.name, item.text, metadata)
    elif isinstance(item.title, str | None):
        rows.add_passage(item.origin, item.name, item.title or "", item.text, metadata)
    else:
        rows.problem(item.origin, "title", f"{item.title!r}"[:80], "a string")
        rows.unreadable.add(CORPUS)


def _add_judgement(origin: Origin, text: str, options: Options, rows: Rows) -> None:
    cells = SPACES.split(text.strip(" \t"))
    if len(cells) != 4:
        rows.problem(origin, "columns", f"{counted(len(cells), 'column')} ({text[:80]!r})", FORM)
        rows.unreadable.add(QRELS)
        return
    if cells[1] not in ("0", "Q0"):
        rows.count("judgements of another iteration than 0; the iteration is not kept", f"{origin}: {cells[1]}")
    grade = read_grade(origin, cells[3], options, rows)
    if grade is not None:
        rows.add_judgement(origin, cells[0], cells[2], grade)
