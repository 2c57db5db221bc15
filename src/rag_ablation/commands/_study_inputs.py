"""From run folders and a dataset to what a study's report is made from."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from rag_ablation.commands._recorded import recorded_benchmark
from rag_ablation.core.errors import ProblemsError, RagAblationError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.study import StudyArm
from rag_ablation.report.study.inputs import ArmResult, Source, SourcePassage
from rag_ablation.tracking.files import QRELS, read_record, read_table, read_values, value_columns

LABELS = ("query_id", "type", "status")


def arm_result(arm: StudyArm, folder: Path) -> ArmResult:
    """Read one arm's run folder.

    Raises:
        RagAblationError: it is not whole.
    """
    record = read_record(folder)
    if record.status != "finished":
        return ArmResult.failed(arm, record)
    labels = read_table(folder, "per_question", columns=LABELS)
    values = read_values(folder, ["group", *value_columns(folder)])
    groups = values.pop("group").astype(np.int64)
    return ArmResult(
        arm=arm,
        record=record,
        query_ids=[row["query_id"] for row in labels],
        types=[row["type"] for row in labels],
        statuses=[row["status"] for row in labels],
        groups=groups,
        values=values,
        rows=lambda name, query: read_table(folder, name, query),
        judged=lambda: _judged(folder),
    )


def source_of(record: ArmRecord, query_ids: Sequence[str], root: Path) -> Source:
    """The dataset's own words on the questions that were asked, or why there are none: it is gone, or has changed."""
    try:
        benchmark = recorded_benchmark(record, root)
    except ProblemsError as error:
        return Source(absent="; ".join(str(problem) for problem in error.problems))
    except RagAblationError as error:
        return Source(absent=str(error).splitlines()[0])
    return _source(benchmark, frozenset(query_ids))


def _source(benchmark: Benchmark, asked: frozenset[str]) -> Source:
    passages = benchmark.passages.rows

    @cache
    def by_id() -> Mapping[str, int]:
        return {passage.id: row for row, passage in enumerate(passages)}

    def passage(name: str) -> SourcePassage | None:
        row = by_id().get(name)
        if row is None:
            return None
        found = passages[row]
        return SourcePassage(found.id, found.title, found.text, found.doc_id, found.location)

    own = [
        (query, labels)
        for query, labels in zip(benchmark.queries.rows, benchmark.labels, strict=True)
        if query.id in asked
    ]
    return Source(
        questions={query.id: query.text for query, _ in own},
        answers={query.id: str(labels["answer"]) for query, labels in own if labels.get("answer")},
        passage=passage,
        n_documents=len({found.doc_id for found in passages}),
        description=_about(benchmark, "description"),
        licence=_about(benchmark, "licence"),
        origin=_about(benchmark, "source"),
    )


def _about(benchmark: Benchmark, name: str) -> str | None:
    """What the dataset says of itself, in one line; None where it says nothing or no words."""
    found = benchmark.about.get(name)
    return " ".join(found.split()) or None if isinstance(found, str) else None


def _judged(folder: Path) -> Mapping[str, Mapping[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / QRELS).read_text(encoding="utf-8").splitlines():
        query, _, unit, grade = line.split(" ", 3)
        judged.setdefault(query, {})[unit] = int(grade)
    return judged
