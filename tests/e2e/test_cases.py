"""Inputs that broke tools like this one, run end to end. Each stands for its kind of fault."""

from pathlib import Path

import pytest

from rag_ablation.core.record import ArmRecord
from tests.e2e.program import Done, rag_ablation, whole
from tests.paths import CASES
from tests.stages.conftest import make_bi_encoder, make_cross_encoder


def dataset(name: str, folder: Path) -> Path:
    folder.mkdir()
    for file in (CASES / name).iterdir():
        if file.suffix in (".jsonl", ".tsv"):
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bi-encoder with random weights: right for plumbing, never for quality."""
    return make_bi_encoder(tmp_path_factory.mktemp("encoder"))


def ladder(root: Path, data: Path, encoder: Path, *words: str) -> Done:
    model = f"dense.model={encoder}"
    arms = [
        "variant=bm25",
        f"variant=dense {model}",
        f"variant=rrf {model}",
        f"variant=late_interaction {model}",
    ]
    grid = "hydra.sweeper.arms=[" + ",".join(f"'{arm}'" for arm in arms) + "]"
    return rag_ablation(root, "run", "-m", grid, *whole(data), *words)


def rankings(root: Path, record: ArmRecord, point: str) -> dict[str, list[str]]:
    """Ranked ids by question, from the TREC run file."""
    found: dict[str, list[str]] = {}
    for line in (root / "runs" / record.id / "rankings" / f"{point}.trec").read_text(encoding="utf-8").splitlines():
        query, _, passage, *_ = line.split()
        found.setdefault(query, []).append(passage)
    return found


def test_two_passages_with_one_text_both_survive_fusion(tmp_path: Path, encoder: Path) -> None:
    done = ladder(tmp_path, dataset("01-rrf-same-text-two-ids", tmp_path / "data"), encoder)
    assert done.status == 0, done.said
    record = next(record for record in done.records() if record.variant == "rrf")
    fused = rankings(tmp_path, record, "fused")["q1"]
    assert len(fused) == len(set(fused))
    assert {"T26-4.2", "W26-2.1"} <= set(fused)


def test_depth_beyond_the_corpus_is_served_and_said(tmp_path: Path, encoder: Path) -> None:
    done = ladder(tmp_path, dataset("06-k-larger-than-corpus", tmp_path / "data"), encoder)
    assert done.status == 0, done.said
    for record in done.records():
        assert max(map(len, rankings(tmp_path, record, record.final or "").values())) <= 3
        assert "asked for 100, the corpus has 3" in record.notices
        if record.variant != "bm25":
            assert record.points["final"]["recall@10"].value == 1.0


def test_chinese_works_with_the_shipped_default(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", *whole(dataset("07-chinese-without-spaces", tmp_path / "data")))
    assert done.status == 0, done.said
    assert rankings(tmp_path, done.records()[0], "sparse") == {"q1": ["a"]}


def test_a_question_without_hits_stays_in_the_mean(tmp_path: Path) -> None:
    data = dataset("05-bm25-no-known-token", tmp_path / "data")
    done = rag_ablation(tmp_path, "run", *whole(data))
    record = done.records()[0]
    assert record.points["final"]["recall@3"].value == 0.5
    assert record.points["final"]["mrr@3"].value == 0.5
    assert record.counts["scored"] == 2
    assert record.stages[0].facts["n_without_hits"] == 1
    assert record.stages[0].facts["n_queries_without_known_token"] == 1


def test_bom_crlf_and_blank_lines_change_nothing(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", *whole(dataset("14-bom-crlf-blank-lines", tmp_path / "data")))
    assert done.status == 0, done.said
    record = done.records()[0]
    assert record.points["final"]["recall@1"].value == 1.0
    assert record.counts["passages"] == 3
    assert sum("jsonl" in notice or "tsv" in notice for notice in record.notices) == 3


def test_a_passage_cut_before_reranking_is_recorded_logged_and_said(tmp_path: Path) -> None:
    data = dataset("16-rerank-truncation-is-reported", tmp_path / "data")
    model = make_cross_encoder(tmp_path / "cross-encoder")
    done = rag_ablation(
        tmp_path, "run", "variant=bm25_rerank", f"rerank.model={model}", "sparse.analyser=char_bigram", *whole(data)
    )
    assert done.status == 0, done.said
    facts = next(stage.facts for stage in done.records()[0].stages if stage.slot == "rerank")
    assert facts["n_truncated"] == 1
    assert facts["truncated_ids"] == ["long"]
    assert facts["limit_tokens"] > 0
    assert "were cut at the model's limit" in done.out
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{tmp_path}/mlflow.db")
    (run,) = client.search_runs([client.get_experiment_by_name("data").experiment_id])
    assert run.data.metrics["counts/reranked_truncated"] == 1


def test_the_access_filter_acts_before_the_cut_in_every_stage(tmp_path: Path, encoder: Path) -> None:
    """Four passages that only finance may see match better than the one that staff may see."""
    data = dataset("26-access-filter-before-the-cut", tmp_path / "data")
    arms = [
        "variant=bm25 sparse.depth=3",
        f"variant=dense dense.depth=3 dense.model={encoder}",
        f"variant=rrf sparse.depth=3 dense.depth=3 fusion.window=3 dense.model={encoder}",
        f"variant=late_interaction sparse.depth=3 dense.depth=3 fusion.window=3 rerank.depth=3 dense.model={encoder}",
        "variant=oracle",
    ]
    grid = "hydra.sweeper.arms=[" + ",".join(f"'{arm}'" for arm in arms) + "]"
    everyone = rag_ablation(tmp_path, "run", "-m", grid, *whole(data), "latency=none")
    staff = rag_ablation(tmp_path, "run", "-m", grid, *whole(data), "identity=staff", "latency=none")
    assert (everyone.status, staff.status) == (0, 0), everyone.said + staff.said
    unfiltered = {stage.digest for record in staff.records()[: len(arms)] for stage in record.stages}
    for record in staff.records()[len(arms) :]:
        assert record.settings["access"]["identity"] == "staff"
        assert record.counts["access_violations"] == 0
        assert not {stage.digest for stage in record.stages if stage.slot in ("sparse", "dense")} & unfiltered
        for path in (tmp_path / "runs" / record.id / "rankings").glob("*.trec"):
            assert {line.split()[2] for line in path.read_text().splitlines()} == {"s1"}, path
        if record.final is not None:
            assert record.points["final"]["recall@3"].value == 1.0
            assert record.points["final"]["mrr@3"].value == 1.0


def test_gold_that_the_runs_identity_hides_excludes_the_question_with_a_reason(tmp_path: Path) -> None:
    data = dataset("26-access-filter-before-the-cut", tmp_path / "data")
    done = rag_ablation(tmp_path, "run", *whole(data), "identity=visitor")
    record = done.records()[0]
    assert record.counts["excluded_not_visible"] == 1
    mean = record.points["final"]["recall@10"]
    assert (mean.value, mean.n) == (None, 0)
    assert mean.reason == "not_visible"
    assert "excluded: 1 not_visible" in done.out
    text = (tmp_path / "runs" / record.id / "result.json").read_text(encoding="utf-8")
    assert "NaN" not in text


def test_a_cross_encoder_that_cannot_be_had_fails_the_arm_with_what_to_do(tmp_path: Path) -> None:
    data = dataset("07-chinese-without-spaces", tmp_path / "data")
    done = rag_ablation(tmp_path, "run", "variant=bm25_rerank", *whole(data))
    assert done.status == 1
    (record,) = done.records()
    assert record.status == "failed"
    assert record.points == {}
    assert "BAAI/bge-reranker-v2-m3" in (record.error or "")
    assert "rerank.model" in done.out or "model" in done.out


def test_a_bi_encoder_is_no_cross_encoder(tmp_path: Path, encoder: Path) -> None:
    data = dataset("07-chinese-without-spaces", tmp_path / "data")
    done = rag_ablation(tmp_path, "run", "variant=bm25_rerank", f"rerank.model={encoder}", *whole(data))
    assert done.status == 1
    assert "expected a CrossEncoder folder" in (done.records()[0].error or "")
