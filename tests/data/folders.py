"""Dataset folders of a few lines."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

HEADER = "query-id\tcorpus-id\tscore\n"


def passage(name: str, text: str = "text", **metadata: object) -> dict[str, object]:
    return {"_id": name, "title": "", "text": text, "metadata": metadata}


def question(name: str, text: str = "what?", **metadata: object) -> dict[str, object]:
    return {"_id": name, "text": text, "metadata": metadata}


def jsonl(records: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def table(*rows: tuple[str, str, int | str]) -> str:
    return HEADER + "".join(f"{query}\t{unit}\t{grade}\n" for query, unit, grade in rows)


def native(
    folder: Path,
    corpus: Iterable[Mapping[str, object]] | str | bytes = (passage("d1"), passage("d2")),
    queries: Iterable[Mapping[str, object]] | str | bytes = (question("q1"),),
    qrels: str | bytes = HEADER + "q1\td1\t1\n",
    about: str | None = None,
) -> Path:
    """Write a native folder; files given as text or bytes are written as they are."""
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / "corpus.jsonl", corpus)
    write(folder / "queries.jsonl", queries)
    write(folder / "qrels.tsv", qrels)
    if about is not None:
        write(folder / "dataset.yaml", about)
    return folder


def beir(
    folder: Path,
    splits: Mapping[str, str],
    corpus: Iterable[Mapping[str, object]] = ({"_id": "d1", "title": "", "text": "a"}, {"_id": "d2", "text": "b"}),
    queries: Iterable[Mapping[str, object]] = ({"_id": "q1", "text": "?"}, {"_id": "q2", "text": "??"}),
) -> Path:
    (folder / "qrels").mkdir(parents=True)
    write(folder / "corpus.jsonl", corpus)
    write(folder / "queries.jsonl", queries)
    for name, rows in splits.items():
        write(folder / "qrels" / f"{name}.tsv", rows)
    return folder


def write(file: Path, content: Iterable[Mapping[str, object]] | str | bytes) -> None:
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        file.write_bytes((content if isinstance(content, str) else jsonl(content)).encode())


def twelve_questions(folder: Path) -> Path:
    """Two questions on each of six clauses, half of type a and half of type b; three texts stand under two ids."""
    corpus = [passage(f"d{n}", f"text {n % 6}", doc_id="D", location=str(n)) for n in range(9)]
    asked = [question(f"q{n:02d}", f"what {n}", type="ab"[n % 2], answer="SECRET") for n in range(12)]
    rows = [(f"q{n:02d}", f"d{n // 2}", 1) for n in range(12)]
    return native(folder, corpus, asked, table(*rows), "name: tiny\nlanguage: en")
