"""Samples: a line a question with its gold chunks and answer, and the chunks as JSONL or CSV."""

from collections.abc import Mapping
from pathlib import Path

from rag_ablation.core.queries import Status
from rag_ablation.data._report import shown
from rag_ablation.data.exchange._grades import read_grade
from rag_ablation.data.exchange._losses import passages_only, status_of
from rag_ablation.data.exchange._native import write_json_lines
from rag_ablation.data.exchange._rows import CORPUS, QRELS, QUERIES, Origin, Record, Rows
from rag_ablation.data.exchange._source import Source, pick
from rag_ablation.data.exchange.options import Options

SAMPLE_FILES = ("samples.jsonl", "questions.jsonl", "queries.jsonl")
CHUNK_FILES = ("corpus.jsonl", "chunks.jsonl", "corpus.csv", "chunks.csv")
CHUNK_IDS = ("chunk_id", "_id", "id")
CHUNK_TEXTS = ("text", "content", "contents")
VERSIONS = ("dataset_version", "corpus_version")
OWN_KEYS = frozenset(
    {"sample_id", "question", "gold_chunks", "gold_grades", "gold_answer", "answerable", "answer", "answers", "status"}
)


KEPT_KEYS = frozenset({"answer", "answers", "status"})


def read(source: Source, rows: Rows) -> None:
    """Read samples and chunks.

    `answerable: false` is `no_answer`; gold chunks make a question `reviewed`, and without any it is `unreviewed`.

    Args:
        source: the folder.
        rows: filled, with every problem.
    """
    _read_chunks(source, rows)
    path = source.find("questions", SAMPLE_FILES)
    if path is None:
        rows.unreadable |= {QUERIES, QRELS}
        return
    lines = source.json_lines(path)
    if not lines.complete:
        rows.unreadable |= {QUERIES, QRELS}
    _take_versions([line.values for line in lines.rows], rows)
    gold: list[tuple[Origin, str, str, object]] = []
    for line in lines.rows:
        gold += _add_sample(line.origin, line.values, rows)
    for origin, name, chunk, value in gold:
        grade = read_grade(origin, value, source.options, rows)
        if grade is not None:
            rows.add_judgement(origin, name, chunk, grade)


def write(rows: Rows, folder: Path, options: Options) -> list[str]:
    """Write samples.jsonl and corpus.jsonl.

    Args:
        rows: what to write.
        folder: where.
        options: none is used.

    Returns:
        What samples cannot hold: metadata with the name of a key of their own.
    """
    passages_only(rows)
    grades: dict[str, dict[str, int]] = {}
    for (query, unit), row in rows.judgements.items():
        grades.setdefault(query, {})[unit] = row.grade
    versions = {key: rows.about[key] for key in VERSIONS if isinstance(rows.about.get(key), str)}
    write_json_lines(
        folder / "samples.jsonl", (_sample(name, row, grades, versions) for name, row in rows.questions.items())
    )
    write_json_lines(
        folder / "corpus.jsonl",
        (
            {"chunk_id": name, "title": row.title, "text": row.text, "metadata": row.metadata}
            for name, row in rows.passages.items()
        ),
    )
    taken = [key for row in rows.questions.values() for key in row.metadata if key in OWN_KEYS - KEPT_KEYS]
    return [f"metadata of questions named {key}" for key in sorted(set(taken))]


def _sample(
    name: str, row: Record, grades: Mapping[str, Mapping[str, int]], versions: Mapping[str, object]
) -> dict[str, object]:
    own = grades.get(name, {})
    status = status_of(row)
    answerable = {Status.REVIEWED: True, Status.NO_ANSWER: False, Status.UNREVIEWED: None}[status]
    return {
        "sample_id": name,
        "question": row.text,
        "gold_chunks": [unit for unit, grade in own.items() if grade > 0],
        **({"gold_grades": dict(own)} if any(grade != 1 for grade in own.values()) else {}),
        **({"gold_answer": row.metadata["answer"]} if "answer" in row.metadata else {}),
        **({"answers": row.metadata["answers"]} if "answers" in row.metadata else {}),
        "answerable": answerable,
        **versions,
        **{key: value for key, value in row.metadata.items() if key not in OWN_KEYS | set(VERSIONS)},
    }


def _read_chunks(source: Source, rows: Rows) -> None:
    path = source.find("corpus", CHUNK_FILES)
    if path is None:
        rows.unreadable.add(CORPUS)
    elif path.suffix == ".csv":
        from rag_ablation.data.exchange.csv_files import read_passages  # noqa: PLC0415

        read_passages(source, path, rows)
    else:
        lines = source.json_lines(path)
        for line in lines.rows:
            _add_chunk(line.origin, dict(line.values), rows)
        if not lines.complete:
            rows.unreadable.add(CORPUS)


def _add_chunk(origin: Origin, values: dict[str, object], rows: Rows) -> None:
    name_key, text_key = pick(values, CHUNK_IDS), pick(values, CHUNK_TEXTS)
    name = values.pop(name_key) if name_key else None
    text = values.pop(text_key) if text_key else None
    title, metadata = values.pop("title", ""), values.pop("metadata", None)
    if not isinstance(title, str | None):
        rows.problem(origin, "title", shown(title), "a string")
    if not isinstance(metadata, dict | None):
        rows.problem(origin, "metadata", shown(metadata), "an object")
    inner = metadata if isinstance(metadata, dict) else {}
    rows.add_passage(origin, name, title if isinstance(title, str) else "", text, values | inner)


def _take_versions(samples: list[dict[str, object]], rows: Rows) -> None:
    """A version that all samples share is one of the dataset."""
    for key in VERSIONS:
        found = {str(sample.get(key)) for sample in samples if sample.get(key) is not None}
        if len(found) == 1 and all(sample.get(key) is not None for sample in samples):
            rows.about[key] = found.pop()
            for sample in samples:
                del sample[key]
        elif found:
            rows.report.notices.append(
                f"{key} is not the same in all samples ({', '.join(sorted(found))}): it stays with each question"
            )


def _add_sample(origin: Origin, values: dict[str, object], rows: Rows) -> list[tuple[Origin, str, str, object]]:
    """Take a question; its judgements are returned for when all questions are known."""
    name, answerable = values.get("sample_id"), values.get("answerable")
    gold = _gold(origin, values, rows)
    positive = [chunk for chunk, grade in gold if grade != 0]
    if not isinstance(answerable, bool | None):
        rows.problem(origin, "answerable", shown(answerable), "true, false or null")
    elif answerable is False and positive:
        rows.problem(origin, "answerable", f"false, with {len(positive)} gold chunks", "no gold chunks, or true")
    metadata = {key: value for key, value in values.items() if key not in OWN_KEYS}
    metadata |= _answers(origin, values, rows)
    status = values.get("status")
    if "answerable" not in values and status is not None:
        metadata["status"] = status
    elif answerable is False:
        metadata["status"] = Status.NO_ANSWER.value
    elif not gold or (answerable is None and values.get("answerable", True) is None):
        metadata["status"] = Status.UNREVIEWED.value
        rows.count("samples without gold chunks, or not known to be answerable, taken as unreviewed", str(name))
    if status is not None and status != metadata.get("status", Status.REVIEWED.value):
        rows.problem(origin, "status", shown(status), "what answerable and gold_chunks say, or no status")
    rows.add_question(origin, name, values.get("question"), metadata)
    return [(origin, name, chunk, grade) for chunk, grade in gold] if isinstance(name, str) and name else []


def _gold(origin: Origin, values: Mapping[str, object], rows: Rows) -> list[tuple[str, object]]:
    chunks, grades = values.get("gold_chunks"), values.get("gold_grades")
    if not isinstance(chunks, list | None) or not all(isinstance(chunk, str) and chunk for chunk in chunks or []):
        rows.problem(origin, "gold_chunks", shown(chunks), "a list of ids (strings)")
        rows.unreadable.add(QRELS)
        return []
    if not isinstance(grades, dict | None):
        rows.problem(origin, "gold_grades", shown(grades), "an object: id to grade")
        rows.unreadable.add(QRELS)
        return []
    found: dict[str, object] = dict.fromkeys(chunks or [], 1)
    return list((found | (grades or {})).items())


def _answers(origin: Origin, values: Mapping[str, object], rows: Rows) -> dict[str, object]:
    answer, other, answers = values.get("gold_answer"), values.get("answer"), values.get("answers")
    if answer is not None and other is not None and answer != other:
        rows.problem(origin, "answer", "an answer other than gold_answer", "one of the two")
    answer = other if answer is None else answer
    if isinstance(answer, list) and answer and answers is None:
        answers, answer = answer, answer[0]
    if isinstance(answer, list) and not answer:
        answer = None
    if not isinstance(answer, str | None):
        rows.problem(origin, "gold_answer", shown(answer), "a string, a list of strings, or null")
    said = {"answer": values.keys() & {"answer", "gold_answer"}, "answers": answers is not None or "answers" in values}
    return {key: value for key, value in (("answer", answer), ("answers", answers)) if said[key]}
