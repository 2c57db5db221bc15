"""Ids of ir_datasets, on datasets registered for the test: nothing is downloaded."""

import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from rag_ablation.core.errors import DataError
from rag_ablation.data.exchange.convert import import_dataset
from rag_ablation.data.exchange.options import Options
from rag_ablation.data.load import load
from tests.data.exchange.ways import grades, statuses

ir_datasets = pytest.importorskip("ir_datasets", reason="the extra ir-datasets is not installed")


@pytest.fixture
def name(tmp_path: Path) -> str:
    """A dataset made of local files by the library itself."""
    (tmp_path / "docs.tsv").write_text("007\tfirst\nNA\tsecond\n")
    (tmp_path / "queries.tsv").write_text("q1\twhat?\nq2\twho?\n")
    (tmp_path / "qrels.txt").write_text("q1 0 007 1\nq1 0 NA -1\n")
    files = {"docs_tsv": "docs.tsv", "queries_tsv": "queries.tsv", "qrels_trec": "qrels.txt"}
    made = ir_datasets.create_dataset(**{key: str(tmp_path / file) for key, file in files.items()})
    return registered(made)


def registered(made: object) -> str:
    called = f"tiny-{uuid4().hex}/test"
    ir_datasets.registry.register(called, made)
    return called


def test_a_registered_dataset(name: str, tmp_path: Path) -> None:
    outcome = import_dataset("ir_datasets", name, tmp_path / "out", Options(grades={-1: 0}, name="tiny"))
    benchmark = load(tmp_path / "out")
    assert grades(benchmark) == {("q1", "007"): 1, ("q1", "NA"): 0}
    assert statuses(benchmark) == {"q1": "reviewed", "q2": "unreviewed"}
    assert benchmark.about == {"source": f"ir_datasets {name}"}
    assert "grades changed from -1 to 0, as --grade-map says: 1" in outcome.notices


def test_a_negative_grade_needs_a_word(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=rf"{name} qrels:2: score: found -1, .*--grade-map=-1:0"):
        import_dataset("ir_datasets", name, tmp_path / "out", Options())
    assert not (tmp_path / "out").exists()


def test_an_unknown_id(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'no/such', which ir_datasets does not know"):
        import_dataset("ir_datasets", "no/such", tmp_path / "out", Options())


def test_data_that_cannot_be_fetched(tmp_path: Path) -> None:
    class Offline:
        def has_docs(self) -> bool:
            return True

        has_queries = has_qrels = has_docs

        def docs_iter(self) -> Iterator[object]:
            raise OSError("Max retries exceeded")

        metadata = None

    with pytest.raises(DataError, match=r"docs: found no data \(OSError: Max retries exceeded\), expected its files"):
        import_dataset("ir_datasets", registered(Offline()), tmp_path / "out", Options())


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(DataError, match=r'pip install "rag-ablation\[ir-datasets\]"'):
        import_dataset("ir_datasets", "x", tmp_path / "out", Options())
