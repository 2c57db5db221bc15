"""`rag-ablation run chunking=…` through the command line."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from mlflow import MlflowClient

from rag_ablation.core.record import ArmRecord
from rag_ablation.tracking.files import read_values
from tests.e2e.program import Done, environment, rag_ablation, tiny, whole

COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")
FAST = ("latency=none", "tracking=files")
needs_collections = pytest.mark.skipif(
    COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections"
)


def documents(folder: Path) -> Path:
    """Two rule books of a few clauses, whole; the answers are quoted without their place."""
    folder.mkdir(parents=True)
    books = {
        "travel": "# 差旅\n\n第一条 住宿费每晚380元。\n第二条 交通费实报实销。\n第三条 预借款不超过一万元。",
        "leave": "# 休假\n\n第一条 年假每年十天。\n第二条 病假须附证明。\n第三条 婚假三天。",
    }
    asked = {
        "q1": ("住宿费每晚多少", "travel", "每晚380元"),
        "q2": ("预借款上限", "travel", "不超过一万元"),
        "q3": ("年假几天", "leave", "每年十天"),
        "q4": ("婚假几天", "leave", "婚假三天"),
    }
    corpus = [{"_id": id, "title": "", "text": text} for id, text in books.items()]
    questions = [
        {"_id": id, "text": text, "metadata": {"spans": [{"corpus_id": book, "text": quote}]}}
        for id, (text, book, quote) in asked.items()
    ]
    for name, lines in (("corpus", corpus), ("queries", questions)):
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    rows = "".join(f"{id}\t{book}\t1\n" for id, (_, book, _) in asked.items())
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows, encoding="utf-8")
    (folder / "dataset.yaml").write_text("language: zh\n", encoding="utf-8")
    return folder


def test_documents_are_cut_at_their_clauses_and_quotes_find_their_chunk(tmp_path: Path) -> None:
    data = documents(tmp_path / "data")
    done = rag_ablation(tmp_path, "run", "chunking=clause", "chunking.size=30", "unit=passage", *whole(data), *FAST)
    assert done.status == 0, done.said
    (record,) = done.records()
    assert (record.counts["chunking_sources"], record.counts["passages"]) == (2, 6)
    assert (record.counts["chunking_spans_by_quote"], record.counts["scored"]) == (4, 4)
    assert record.digests["mapping"] == "span-coverage/1"
    mean = record.mean("final", "recall@1")
    assert mean is not None
    assert mean.value == 1.0
    lines = (tmp_path / "runs" / record.id / "qrels.txt").read_text().splitlines()
    assert lines[0] == "q1 0 travel@0-21 1"
    assert record.arm == "A bm25 clause s=30 o=0 unit=passage"


def test_scored_at_the_document_where_no_unit_is_given_and_said(tmp_path: Path) -> None:
    data = documents(tmp_path / "data")
    done = rag_ablation(tmp_path, "run", "chunking=sentence", "chunking.size=12", *whole(data), *FAST)
    assert done.status == 0, done.said
    (record,) = done.records()
    assert record.settings["scoring"]["unit"] == "document"
    assert "scored at the unit document" in done.out
    assert record.counts["scored"] == 4


def test_gold_without_a_span_is_refused_at_the_passage_before_anything_runs(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    words = ("run", "chunking=fixed", "chunking.size=8", "unit=passage", *whole(data), *FAST)
    done = rag_ablation(tmp_path, *words)
    assert done.status == 2
    assert "24 gold units were cut and have no usable answer span" in done.err
    assert not done.records()
    taken = rag_ablation(tmp_path, *words, "chunking.without_spans=whole")
    assert taken.status == 0, taken.said
    assert taken.records()[0].counts["chunking_gold_without_span"] == 24


def test_settings_are_parameters_and_counts_are_metrics_in_mlflow(tmp_path: Path) -> None:
    data = documents(tmp_path / "data")
    done = rag_ablation(tmp_path, "run", "chunking=fixed", "chunking.size=16", *whole(data), "latency=none")
    assert done.status == 0, done.said
    store = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    found = store.get_experiment_by_name("data")
    assert found is not None
    (run,) = store.search_runs([found.experiment_id])
    assert (run.data.params["chunking.name"], run.data.params["chunking.size"]) == ("fixed", "16")
    assert run.data.metrics["counts/chunking_spans"] == 4
    assert run.data.tags["rag.mapping_digest"] == "span-coverage/1"
    assert len(run.data.metrics) <= 160


def test_without_chunking_the_rankings_are_what_they_were_before_there_was_any(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", *whole(tiny(tmp_path / "data")), *FAST)
    assert done.status == 0, done.said
    (record,) = done.records()
    ranked = (tmp_path / "runs" / record.id / "rankings" / "sparse.trec").read_bytes()
    # written by the commit before chunking: bde17b6
    assert sha256(ranked).hexdigest() == "1e316ab580931a263de7c4c14b5585b3d4f4ff6c537b699f06060824ff0cdb10"
    assert "chunks" not in record.digests
    assert not [name for name in record.counts if name.startswith("chunking")]


def test_chunking_loads_no_model_library(tmp_path: Path) -> None:
    script = (
        "import sys; from rag_ablation.cli import main; status = main(sys.argv[1:]); "
        "print([name for name in ('torch', 'sentence_transformers', 'transformers') if name in sys.modules], status)"
    )
    words = ["run", "variant=bm25", "chunking=sentence", *whole(documents(tmp_path / "data")), *FAST]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] 0", done.stdout + done.stderr


def swept(root: Path, name: str, unit: str, *more: str) -> Done:
    data = ("dataset=folder", f"dataset.path={COLLECTIONS}/{name}", "split=none")
    grid = ("variant=bm25", "chunking=fixed", "chunking.size=128,256", f"unit={unit}")
    return rag_ablation(root, "run", "-m", *grid, *data, *FAST, *more)


def groups_of(root: Path, record: ArmRecord) -> list[float]:
    return read_values(root / "runs" / record.id, ["group"])["group"].tolist()


@needs_collections
@pytest.mark.collections
@pytest.mark.parametrize("unit", ["document", "clause"])
def test_sizes_are_swept_and_compared_at_a_unit_that_does_not_move(tmp_path: Path, unit: str) -> None:
    done = swept(tmp_path, "xquad_zh", unit)
    assert done.status == 0, done.said
    small, large = done.records()
    assert [record.counts["passages"] for record in (small, large)] == [586, 331]
    assert [record.counts["chunking_spans_split"] for record in (small, large)] == [42, 8]
    assert {record.counts["scored"] for record in (small, large)} == {1190}
    assert groups_of(tmp_path, small) == groups_of(tmp_path, large)
    assert {small.digests[name] == large.digests[name] for name in ("corpus", "queries", "labels")} == {True}
    assert small.digests["chunks"] != large.digests["chunks"]
    assert "chunking.size" in done.out
    assert "not comparable" not in done.out


@needs_collections
@pytest.mark.collections
def test_at_the_passage_sizes_are_not_subtracted(tmp_path: Path) -> None:
    done = swept(tmp_path, "xquad_en", "passage", "dataset.sample=200")
    assert done.status == 0, done.said
    assert "not comparable: chunks differ" in done.out
    assert all(record.counts["chunking_spans"] == 200 for record in done.records())


@needs_collections
@pytest.mark.collections
def test_the_uncut_arm_compares_at_the_clause_and_has_the_same_questions(tmp_path: Path) -> None:
    data = ("dataset=folder", f"dataset.path={COLLECTIONS}/xquad_en", "split=none")
    done = rag_ablation(tmp_path, "run", "-m", "chunking=none,sentence", "unit=clause", *data, *FAST)
    assert done.status == 0, done.said
    uncut, cut = done.records()
    assert groups_of(tmp_path, uncut) == groups_of(tmp_path, cut)
    assert uncut.digests["visibility"] == cut.digests["visibility"]
    assert "chunking none → sentence" in " ".join(done.out.split())
    assert "not comparable" not in done.out
