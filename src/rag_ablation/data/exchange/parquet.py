"""Parquet: corpus, queries and qrels, as BEIR collections lie on the Hugging Face hub."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rag_ablation.data._report import shown
from rag_ablation.data.exchange._grades import read_grade
from rag_ablation.data.exchange._rows import CORPUS, QRELS, QUERIES, Origin, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange.options import DEFAULT_SPLIT, Options
from rag_ablation.data.jsonl import parse_json

IDS = ("_id", "id")
QRELS_FOLDERS = ("qrels", "default", "data")
SHARD = re.compile(r"-[0-9]{5}-of-[0-9]{5}$")
ONE_SHARD = "-00000-of-00001.parquet"


def read(source: Source, rows: Rows) -> None:
    """Read `corpus`, `queries` and one split of `qrels`: a file each, or a folder of shards.

    Args:
        source: the folder.
        rows: filled, with every problem.
    """
    for name, native, add in (("corpus", CORPUS, rows_passage), ("queries", QUERIES, rows_question)):
        files = _files(source, name)
        if not files:
            expected = f"{name}.parquet, or a folder {name}/ of .parquet files"
            rows.problem(Origin(""), name, f"no such file; in the folder: {source.listing()}", expected)
            rows.unreadable.add(native)
        for file in files:
            _read_rows(source, file, native, rows, add)
    split, files = _qrels_files(source, rows)
    if not files:
        rows.unreadable.add(QRELS)
    judgements: list[tuple[Origin, Mapping[str, object]]] = []
    for file in files:
        _read_rows(source, file, QRELS, rows, lambda _, origin, values: judgements.append((origin, values)))
    for origin, values in judgements:
        _add_judgement(origin, values, source.options, rows)
    if files:
        rows.leave_out_unjudged(f"qrels, split {split}")


def write(rows: Rows, folder: Path, options: Options) -> list[str]:
    """Write one shard of each; `metadata` is JSON in a column of text, since its form differs from row to row.

    Args:
        rows: what to write.
        folder: where.
        options: `split` names the judgements.

    Returns:
        What Parquet cannot hold: nothing.
    """
    for name, records in (("corpus", rows.passages), ("queries", rows.questions)):
        columns: dict[str, Sequence[object]] = {
            "_id": list(records),
            "title": [row.title for row in records.values()],
            "text": [row.text for row in records.values()],
            "metadata": [json.dumps(row.metadata, ensure_ascii=False) for row in records.values()],
        }
        if name == "queries":
            del columns["title"]
        _write(folder / name / f"{name}{ONE_SHARD}", columns, "string")
    pairs = list(rows.judgements)
    columns = {
        "query-id": [query for query, _ in pairs],
        "corpus-id": [unit for _, unit in pairs],
        "score": [row.grade for row in rows.judgements.values()],
    }
    _write(folder / "qrels" / f"{options.split or DEFAULT_SPLIT}{ONE_SHARD}", columns, "int64")
    return []


def _write(path: Path, columns: Mapping[str, Sequence[object]], last: str) -> None:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    path.parent.mkdir()
    kinds = [pa.string()] * (len(columns) - 1) + [pa.string() if last == "string" else pa.int64()]
    arrays = [pa.array(values, kind) for values, kind in zip(columns.values(), kinds, strict=True)]
    parquet.write_table(pa.table(dict(zip(columns, arrays, strict=True))), path)


def _files(source: Source, name: str) -> list[Path]:
    single = source.path / f"{name}.parquet"
    if single.is_file():
        return [single]
    return sorted((source.path / name).glob("*.parquet"))


def _qrels_files(source: Source, rows: Rows) -> tuple[str, list[Path]]:
    """Files of the chosen split, which is the part of a name before the number of the shard."""
    single = source.path / "qrels.parquet"
    folders = [name for name in QRELS_FOLDERS if any((source.path / name).glob("*.parquet"))]
    found = [single] if single.is_file() else sorted((source.path / (folders or [""])[0]).glob("*.parquet"))
    if not folders and not single.is_file():
        found = []
    splits: dict[str, list[Path]] = {}
    for file in found:
        splits.setdefault(SHARD.sub("", file.stem), []).append(file)
    wanted = source.options.split
    if wanted is None and len(splits) == 1:
        wanted = next(iter(splits))
    if wanted not in splits:
        names = ", ".join(splits) or f"no file; in the folder: {source.listing()}"
        expected = (
            f"a choice: --split-name {next(iter(splits), DEFAULT_SPLIT)}" if splits else "qrels.parquet or qrels/"
        )
        rows.problem(Origin(""), "qrels", names, expected)
        return "", []
    if len(splits) > 1:
        rows.losses.append(f"judgements of other splits, not taken: {', '.join(sorted(splits.keys() - {wanted}))}")
    return wanted, splits[wanted]


def _read_rows(
    source: Source,
    file: Path,
    native: str,
    rows: Rows,
    add: "Callable[[Rows, Origin, dict[str, object]], None]",
) -> None:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    name, number = source.shown(file), 0
    try:
        with parquet.ParquetFile(file) as opened:
            for batch in opened.iter_batches():
                for values in batch.to_pylist():
                    number += 1
                    add(rows, Origin(name, number), values)
    except (pa.ArrowException, OSError) as error:
        rows.problem(Origin(name), "file", f"no readable Parquet ({error})", "a Parquet file")
        rows.unreadable.add(native)


def rows_passage(rows: Rows, origin: Origin, values: dict[str, object]) -> None:
    """Take a row of the corpus."""
    name, text, title = _id(rows, values, IDS), values.pop("text", None), values.pop("title", None)
    rows.add_passage(origin, name, title if isinstance(title, str) else "", text, _metadata(rows, origin, values))


def rows_question(rows: Rows, origin: Origin, values: dict[str, object]) -> None:
    """Take a row of the queries."""
    name, text = _id(rows, values, IDS), values.pop("text", None)
    rows.add_question(origin, name, text, _metadata(rows, origin, values))


def _id(rows: Rows, values: dict[str, object], names: Sequence[str]) -> object:
    """An id; a column of whole numbers gives their exact texts, and is said."""
    key = next((name for name in names if name in values), names[0])
    value = values.pop(key, None)
    if isinstance(value, int) and not isinstance(value, bool):
        rows.count(f"whole numbers in {key}, taken as their texts", str(value))
        return str(value)
    return value


def _metadata(rows: Rows, origin: Origin, values: Mapping[str, object]) -> dict[str, object]:
    """Other columns, and the `metadata` column as an object or as JSON; a column is null where a row has none."""
    inner = values.get("metadata")
    if isinstance(inner, str) and inner:
        try:
            inner = parse_json(inner)
        except ValueError as error:
            rows.problem(origin, "metadata", f"no usable JSON ({error})", "an object, or JSON")
            inner = None
    if not isinstance(inner, dict | None) and inner != "":
        rows.problem(origin, "metadata", shown(inner), "an object, or JSON")
    beside = {key: value for key, value in values.items() if key != "metadata"}
    if isinstance(inner, dict) and inner is values.get("metadata"):
        inner = {key: value for key, value in inner.items() if value is not None}
    given = {key: value for key, value in beside.items() if value not in (None, "")}
    try:
        text = json.dumps(given | (inner if isinstance(inner, dict) else {}), default=str, allow_nan=False)
    except ValueError:
        rows.problem(origin, "metadata", "a number that is not finite", "finite numbers or nulls")
        return {}
    plain: dict[str, object] = json.loads(text)
    return plain


def _add_judgement(origin: Origin, values: Mapping[str, object], options: Options, rows: Rows) -> None:
    cells = dict(values)
    query, unit = (
        _id(rows, cells, ("query-id", "query_id", "qid")),
        _id(rows, cells, ("corpus-id", "corpus_id", "docid")),
    )
    score = cells.get("score", cells.get("relevance"))
    if "score" not in cells and "relevance" not in cells:
        rows.count("judgements without a grade, taken as 1")
        score = 1
    grade = read_grade(origin, score, options, rows)
    if not isinstance(query, str) or not isinstance(unit, str):
        rows.problem(origin, "query-id, corpus-id", f"{shown(query)} and {shown(unit)}", "two ids (strings)")
        rows.unreadable.add(QRELS)
    elif grade is not None:
        rows.add_judgement(origin, query, unit, grade)
