"""The run folder: the record of an arm on disk, complete before anything else hears of it.

Legend: Q questions, K columns.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from rag_ablation.core.digest import digest_file
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.replacing import replace_text
from rag_ablation.core.results import RunResult, measure_name
from rag_ablation.experiment.answering import answer_table
from rag_ablation.experiment.rewriting import rewriting_table

RESULT = "result.json"
PER_QUESTION = "per_question.parquet"
QRELS = "qrels.txt"
SETTINGS = "config.yaml"
RANKINGS = "rankings"
TOP = "top.parquet"
ANSWERS = "answers.parquet"
REWRITES = "rewrites.parquet"
TOP_RANKS = 10


def write_record(folder: Path, record: ArmRecord, evalset: EvalSet | None, result: RunResult | None) -> None:
    """Write everything about an arm; `result.json` comes last and holds the digests of the other files.

    Args:
        folder: the run folder, made if needed.
        record: what to write as `result.json`.
        evalset: what was run on, None for an arm that failed before.
        result: what was measured, None for an arm that failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if evalset is not None and result is not None:
        (folder / RANKINGS).mkdir(exist_ok=True)
        ids = (evalset.queries.ids, evalset.passages.ids)
        for output in result.outputs:
            text = _trec_run(ids, _Lists(output.digest, output.result.rankings), output.point)
            (folder / RANKINGS / f"{output.point}.trec").write_bytes(text)
        (folder / QRELS).write_bytes(_trec_qrels(evalset))
        _write_values(folder / PER_QUESTION, evalset, result)
        _write_table(folder / TOP, _top(evalset, result))
        for name, columns in ({} if result.evidence is None else result.evidence.tables).items():
            _write_table(folder / f"{name}.parquet", columns)
        if result.rewriting is not None:
            _write_table(folder / REWRITES, rewriting_table(evalset, result.rewriting))
        if result.answered is not None and result.answered.absent is None:
            _write_table(folder / ANSWERS, answer_table(evalset, result.answered))
    settings = yaml.safe_dump(_plain(record.settings), allow_unicode=True, sort_keys=False)
    (folder / SETTINGS).write_text(settings, encoding="utf-8")
    if record.status == "finished":
        record = replace(record, files=_digests(folder))
    text_json = json.dumps(record.to_json(), ensure_ascii=False, indent=1, allow_nan=False)
    replace_text(folder / RESULT, text_json + "\n")


def read_record(folder: Path) -> ArmRecord:
    """Read a run folder's record.

    Raises:
        CommandError: there is none, or it is not ours.
    """
    path = folder / RESULT
    try:
        return ArmRecord.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CommandError.of(
            "the record of a run", str(error), "a file written by `rag-ablation run`", file=str(path)
        ) from error


def is_whole(folder: Path) -> bool:
    """Whether a run folder holds a finished arm, with every file as it was written."""
    try:
        record = read_record(folder)
    except CommandError:
        return False
    return record.status == "finished" and not damaged(folder, record)


def damaged(folder: Path, record: ArmRecord) -> list[str]:
    """Names of the files of a finished arm that are not there, or not as they were written."""
    names = record.files or {PER_QUESTION: ""}
    return [name for name, digest in names.items() if _digest(folder / name) != digest]


def read_values(folder: Path, columns: list[str]) -> dict[str, NDArray[np.float64]]:
    """Per-question values of a run by column, `query_id` order; `group` is a column too.

    Args:
        folder: the run folder.
        columns: names like `final/ndcg@10`; those that are not there are left out.
    """
    from pyarrow import parquet  # noqa: PLC0415

    path = folder / PER_QUESTION
    with _whole_file(path):
        present = [name for name in columns if name in parquet.read_schema(path).names]
        table = parquet.read_table(path, columns=present)
    return {name: table[name].to_numpy().astype(np.float64) for name in present}


def _digests(folder: Path) -> dict[str, str]:
    """Every file of a run folder but the record itself."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return {name: digest_file(folder / name) for name in names if not name.startswith(RESULT)}


def _digest(path: Path) -> str | None:
    try:
        return digest_file(path)
    except OSError:
        return None


@contextmanager
def _whole_file(path: Path) -> Iterator[None]:
    """Say which file is missing or damaged.

    Raises:
        CommandError: it is.
    """
    expected = "a file that is whole; run the arm again"
    try:
        yield
    except FileNotFoundError as error:
        raise CommandError.of(path.name, "no such file", expected, file=str(path.parent)) from error
    except (OSError, ValueError) as error:  # a damaged file; ArrowInvalid is a ValueError
        raise CommandError.of(path.name, str(error)[:200], expected, file=str(path.parent)) from error


def _plain(value: object) -> object:
    """Nested dictionaries and lists, as YAML writes them."""
    return json.loads(json.dumps(value))


class _Lists:
    """Rankings that are equal when their digest is: lets a sweep format a shared stage once."""

    def __init__(self, digest: str, rankings: Rankings) -> None:
        self.digest = digest
        self.rankings = rankings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Lists) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@lru_cache(maxsize=4)
def _trec_run(ids: tuple[tuple[str, ...], tuple[str, ...]], lists: _Lists, tag: str) -> bytes:
    """A TREC run file; scores fall strictly (depth − rank), so that no reader re-orders ties."""
    query_ids, passage_ids = ids
    rankings = lists.rankings
    depth = rankings.passages.shape[1]
    lines: list[str] = []
    for query_id, ranked in zip(query_ids, rankings.passages.tolist(), strict=True):
        lines += [
            f"{query_id} Q0 {passage_ids[row]} {rank} {depth - rank} {tag}"
            for rank, row in enumerate(ranked, start=1)
            if row >= 0
        ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _trec_qrels(evalset: EvalSet) -> bytes:
    units = evalset.label_units().ids
    qrels = evalset.qrels
    rows = zip(qrels.query_rows.tolist(), qrels.unit_rows.tolist(), qrels.grades.tolist(), strict=True)
    query_ids = evalset.queries.ids
    return "".join(f"{query_ids[query]} 0 {units[unit]} {grade}\n" for query, unit, grade in rows).encode("utf-8")


def _write_values(path: Path, evalset: EvalSet, result: RunResult) -> None:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    columns: dict[str, object] = {
        "query_id": list(evalset.queries.ids),
        "type": list(evalset.queries.types),
        "group": evalset.groups,
        "status": list(result.status),
    }
    for point, values in result.points.items():
        columns |= {
            f"{point}/{measure_name(measure, cutoff)}": _nullable(array)
            for (measure, cutoff), array in values.per_query.items()
        }
    parquet.write_table(pa.table(columns), path, compression="zstd")


def _write_table(path: Path, columns: Mapping[str, object]) -> None:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    parquet.write_table(pa.table(dict(columns)), path, compression="zstd")


def _top(evalset: EvalSet, result: RunResult) -> dict[str, object]:
    """The first ten of every question at every point, with their scores; null where a stage gave none."""
    columns: dict[str, list[object]] = {name: [] for name in ("query_id", "point", "rank", "passage_id", "score")}
    for output in result.outputs:
        head = output.result.rankings.head(TOP_RANKS)
        passages, scores = head.passages, head.scores
        query_rows, places = np.nonzero(passages >= 0)
        found = scores[query_rows, places]
        columns["query_id"] += [evalset.queries.ids[row] for row in query_rows.tolist()]
        columns["point"] += [output.point] * query_rows.size
        columns["rank"] += (places + 1).tolist()
        columns["passage_id"] += [evalset.passages.ids[row] for row in passages[query_rows, places].tolist()]
        columns["score"] += [None if np.isnan(score) else float(score) for score in found]
    return dict(columns)


def value_columns(folder: Path) -> list[str]:
    """Names of the per-question values of a run, `final/ndcg@10` and the like."""
    from pyarrow import parquet  # noqa: PLC0415

    with _whole_file(folder / PER_QUESTION):
        names: list[str] = parquet.read_schema(folder / PER_QUESTION).names
    return [name for name in names if "/" in name]


def read_table(
    folder: Path, name: str, query: str | None = None, columns: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Rows of a long-form table of a run; of one question, or of all.

    Args:
        folder: the run folder.
        name: `fates`, `context`, `top`, `per_question`; of an arm with a generator `answers`, with a rewriter
            `rewrites`.
        query: id of the question.
        columns: those to read, None for all.

    Raises:
        CommandError: the run has no such table, or a damaged one.
    """
    from pyarrow import parquet  # noqa: PLC0415

    path = folder / f"{name}.parquet"
    filters = None if query is None else [("query_id", "=", query)]
    with _whole_file(path):
        table = parquet.read_table(path, filters=filters, columns=columns and list(columns))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _nullable(values: NDArray[np.float64]) -> object:
    """An unscored question is null, never a number."""
    import pyarrow as pa  # noqa: PLC0415

    return pa.array(values, mask=np.isnan(values))


def curve(record: ArmRecord, point: str, measure: str) -> Mapping[int, float]:
    """A mean by cutoff, undefined ones left out."""
    found = {
        int(name.split("@")[1]): mean.value
        for name, mean in record.points.get(point, {}).items()
        if name.startswith(f"{measure}@") and mean.value is not None
    }
    return dict(sorted(found.items()))
