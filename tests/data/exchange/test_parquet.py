"""Parquet as the `datasets` library leaves it on the hub."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from tests.data.exchange.ways import given, grades, refused, taken
from tests.data.folders import native, passage, question, table


def hub(folder: Path, **files: Mapping[str, Sequence[object]]) -> Path:
    defaults = {
        "corpus/corpus-00000-of-00002": {"_id": ["007"], "title": ["T"], "text": ["a"]},
        "corpus/corpus-00001-of-00002": {"_id": ["NA"], "title": [""], "text": ["b"]},
        "queries/queries-00000-of-00001": {"_id": ["1", "2"], "title": ["", ""], "text": ["?", "??"]},
        "qrels/test-00000-of-00001": {"query-id": [1], "corpus-id": ["007"], "score": [1.0]},
    }
    for name, columns in (defaults | files).items():
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table(dict(columns)), path)
    return folder


def test_shards_and_whole_numbers(tmp_path: Path) -> None:
    outcome, benchmark = taken("parquet", hub(tmp_path / "h"))
    assert benchmark.passages.ids == ("007", "NA")
    assert grades(benchmark) == {("1", "007"): 1}
    assert benchmark.queries.rows[0].metadata == {}
    assert "whole numbers in query-id, taken as their texts: 1 (1)" in outcome.notices
    assert outcome.losses == ("1 of 2 questions have no row in qrels, split test and are left out",)


def test_several_splits_need_a_choice(tmp_path: Path) -> None:
    more = {"qrels/train-00000-of-00001": {"query-id": ["2"], "corpus-id": ["NA"], "score": [2]}}
    folder = hub(tmp_path / "h", **more)
    assert "qrels: found test, train, expected a choice: --split-name test" in refused("parquet", folder)
    outcome, benchmark = taken("parquet", folder, split="train")
    assert grades(benchmark) == {("2", "NA"): 2}
    assert outcome.losses[0] == "judgements of other splits, not taken: test"


def test_a_metadata_column_may_be_an_object_or_json(tmp_path: Path) -> None:
    corpus = {
        "_id": ["007", "NA"],
        "text": ["a", "b"],
        "metadata": [{"doc_id": "D", "n": None}, {"doc_id": None, "n": 3}],
    }
    queries = {"_id": ["1"], "text": ["?"], "metadata": ['{"type": "t"}']}
    folder = tmp_path / "h"
    hub(folder, corpus=corpus, queries=queries)
    benchmark = taken("parquet", folder)[1]
    assert [(row.doc_id, row.metadata) for row in benchmark.passages.rows] == [("D", {}), ("NA", {"n": 3})]
    assert benchmark.queries.types == ("t",)


def test_problems_name_file_and_row(tmp_path: Path) -> None:
    rows = {"qrels/test-00000-of-00001": {"query-id": ["1", "1"], "corpus-id": ["007", "x"], "score": [0.5, 1.0]}}
    said = refused("parquet", hub(tmp_path / "h", **rows))
    assert "qrels/test-00000-of-00001.parquet:1: score: found the number 0.5" in said
    assert "qrels/test-00000-of-00001.parquet:2: corpus-id: found 'x'" in said


def test_what_is_no_parquet_and_what_is_missing(tmp_path: Path) -> None:
    folder = hub(tmp_path / "h")
    (folder / "queries" / "queries-00000-of-00001.parquet").write_bytes(b"no")
    assert "queries/queries-00000-of-00001.parquet: file: found no readable Parquet" in refused("parquet", folder)
    assert "corpus: found no such file; in the folder: no such folder" in refused("parquet", tmp_path / "none")


def test_there_and_back(tmp_path: Path) -> None:
    corpus = [passage("d1", acl=["x"], doc_id="D", odd={"a": [1, None]}), passage("d2")]
    folder = native(
        tmp_path / "n", corpus, [question("q1", answer=None)], table(("q1", "d1", 5)), "name: n\nlanguage: en"
    )
    outcome, target = given("parquet", folder)
    back, whole = taken("parquet", target)[1], taken("beir", given("beir", folder)[1])[1]
    assert back.fingerprints == whole.fingerprints
    assert outcome.losses == ()
