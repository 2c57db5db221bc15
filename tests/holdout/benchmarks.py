"""Benchmarks of a few lines, and splits of them."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np

from rag_ablation.core.corpus import Passage, Passages, Unit
from rag_ablation.core.digest import digest_json
from rag_ablation.core.evalset import Benchmark, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.holdout.split import (
    Split,
    SplitSettings,
    groups,
    make_split,
)

CASE = Path(__file__).parents[1] / "cases" / "25-split-by-answer-location"


def benchmark(
    passages: Iterable[Passage],
    queries: Iterable[Query],
    gold: Iterable[tuple[str, str, int]],
    labels: Mapping[str, Mapping[str, object]] | None = None,
    label_unit: Unit = Unit.PASSAGE,
) -> Benchmark:
    """By hand, as data/ would make it."""
    corpus = Passages(tuple(sorted(passages, key=lambda row: row.id)))
    asked = Queries(tuple(sorted(queries, key=lambda row: row.id)))
    units = {name: row for row, name in enumerate(corpus.units(label_unit).ids)}
    row_of = {name: row for row, name in enumerate(asked.ids)}
    rows = sorted(gold)
    marks = labels or {}
    return Benchmark(
        name="tiny",
        language="en",
        passages=corpus,
        queries=asked,
        labels=tuple(marks.get(name, {}) for name in asked.ids),
        qrels=Qrels.from_rows(
            np.array([row_of[query] for query, _, _ in rows], dtype=np.int64),
            np.array([units[unit] for _, unit, _ in rows], dtype=np.int64),
            np.array([grade for _, _, grade in rows], dtype=np.int8),
            (len(row_of), len(units)),
        ),
        evidence_groups=EvidenceGroups.none(),
        unit=Unit.PASSAGE,
        label_unit=label_unit,
        identities={},
        fingerprints={
            "corpus": digest_json([[row.id, row.text, row.doc_id, row.location] for row in corpus.rows]),
            "queries": digest_json([[row.id, row.text, row.type, row.group] for row in asked.rows]),
            "labels": digest_json([rows, {name: dict(value) for name, value in marks.items()}]),
        },
    )


def passage(name: str, doc: str = "D", location: str | None = None, version: str | None = None) -> Passage:
    return Passage(id=name, title="", text=unlike(name), doc_id=doc, location=location, version=version, metadata={})


def question(name: str, kind: str = "single", group: str | None = None, status: Status = Status.REVIEWED) -> Query:
    return Query(id=name, text=unlike(name), type=kind, group=group, status=status, metadata={})


def unlike(name: str) -> str:
    """A text that is near that of no other name."""
    return sha256(name.encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))


def singles(count: int, kinds: int = 1) -> Benchmark:
    """Questions that share nothing."""
    names = [f"{n:03d}" for n in range(count)]
    return benchmark(
        [passage(f"d{name}", location=name) for name in names],
        [question(f"q{name}", f"t{n % kinds}") for n, name in enumerate(names)],
        [(f"q{name}", f"d{name}", 1) for name in names],
    )


def clustered(sizes: Iterable[int]) -> Benchmark:
    """One location for each size, with so many questions."""
    asked = [(f"q{place:03d}-{n:03d}", f"d{place:03d}") for place, size in enumerate(sizes) for n in range(size)]
    return benchmark(
        [passage(name, location=name) for name in {unit for _, unit in asked}],
        [question(name) for name, _ in asked],
        [(name, unit, 1) for name, unit in asked],
    )


def case_25(order: int = 1) -> Benchmark:
    corpus = [json.loads(line) for line in (CASE / "corpus.jsonl").read_text("utf-8").splitlines()][::order]
    asked = [json.loads(line) for line in (CASE / "queries.jsonl").read_text("utf-8").splitlines()][::order]
    rows = [line.split("\t") for line in (CASE / "qrels.tsv").read_text("utf-8").splitlines()[1:]][::order]
    return benchmark(
        [passage(row["_id"], row["metadata"]["doc_id"], row["metadata"]["location"], "2026") for row in corpus],
        [question(row["_id"], row["metadata"]["type"]) for row in asked],
        [(query, unit, int(grade)) for query, unit, grade in rows],
    )


def numbers(found: Benchmark) -> list[int]:
    return groups(found).tolist()


def made(seed: int = 0, name: str = "default", found: Benchmark | None = None) -> Split:
    return make_split(found or case_25(), SplitSettings(name=name, holdout_share=0.5, seed=seed))


def edited(found: Benchmark, **fingerprints: str) -> Benchmark:
    fields = {name: getattr(found, name) for name in Benchmark.__slots__}
    return Benchmark(**(fields | {"fingerprints": {**found.fingerprints, **fingerprints}}))
