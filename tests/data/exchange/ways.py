"""There and back, in as few words as a test can do with."""

from pathlib import Path

import pytest

from rag_ablation.core.errors import DataError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.exchange.convert import Outcome, export_dataset, import_dataset
from rag_ablation.data.exchange.options import Options
from rag_ablation.data.load import load


def taken(format_name: str, source: Path, **options: object) -> tuple[Outcome, Benchmark]:
    """Import beside the source, and load what came of it."""
    target = source.parent / f"{source.stem}-taken"
    outcome = import_dataset(format_name, str(source), target, Options(**options))  # type: ignore[arg-type]
    return outcome, load(target)


def refused(format_name: str, source: Path, **options: object) -> str:
    """The report of an import that must fail, and must leave nothing behind."""
    before = sorted(path for path in source.parent.rglob("*"))
    with pytest.raises(DataError) as caught:
        taken(format_name, source, **options)
    assert sorted(path for path in source.parent.rglob("*")) == before
    return str(caught.value)


def given(format_name: str, source: Path, **options: object) -> tuple[Outcome, Path]:
    """Export beside the source."""
    target = source.parent / f"{source.stem}-{format_name}"
    return export_dataset(format_name, source, target, Options(**options)), target  # type: ignore[arg-type]


def grades(benchmark: Benchmark) -> dict[tuple[str, str], int]:
    labels, units = benchmark.qrels, benchmark.passages.units(benchmark.label_unit).ids
    cells = zip(labels.query_rows.tolist(), labels.unit_rows.tolist(), labels.grades.tolist(), strict=True)
    return {(benchmark.queries.ids[query], units[unit]): grade for query, unit, grade in cells}


def statuses(benchmark: Benchmark) -> dict[str, str]:
    return {row.id: row.status.value for row in benchmark.queries.rows}
