"""`rag-ablation run` through the command line, into a real MLflow store."""

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mlflow import MlflowClient

from rag_ablation.tracking.files import read_values
from tests.e2e.program import PROGRAM, Done, environment, rag_ablation, tiny, whole
from tests.paths import CASES


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Two BM25 arms and the oracle, side by side, on a made set of 24 questions."""
    root = tmp_path_factory.mktemp("root")
    data = whole(tiny(root / "data"))
    grid = "hydra.sweeper.arms=['variant=bm25','variant=bm25 sparse.k1=0.5','variant=oracle']"
    return rag_ablation(root, "run", "-m", grid, *data)


def client(root: Path) -> MlflowClient:
    return MlflowClient(f"sqlite:///{root}/mlflow.db")


def runs(root: Path, experiment: str = "data") -> list:  # type: ignore[type-arg]
    store = client(root)
    found = store.get_experiment_by_name(experiment)
    assert found is not None
    return list(store.search_runs([found.experiment_id], order_by=["attributes.start_time ASC"]))


def arms(root: Path, experiment: str = "data") -> list:  # type: ignore[type-arg]
    return [run for run in runs(root, experiment) if run.data.tags["rag.kind"] == "arm"]


def test_a_sweep_ends_well_and_says_where_the_runs_are(sweep: Done) -> None:
    assert sweep.status == 0, sweep.said
    assert "rag-ablation ui" in sweep.out
    assert "scored 24 of 24 questions; excluded: none" in sweep.out


def test_the_table_names_each_arm_with_n_and_groups(sweep: Done) -> None:
    lines = [line for line in sweep.out.splitlines() if "24 (24)" in line]
    assert any(line.lstrip().startswith("A bm25 ") for line in lines)
    assert any(
        "Oracle oracle" in line and "–" in line and "ceiling of the context; no generator" in line for line in lines
    )


def test_one_parent_holds_the_children(sweep: Done) -> None:
    parent = next(run for run in runs(sweep.root) if run.data.tags["rag.kind"] == "sweep")
    children = arms(sweep.root)
    assert len(children) == 3
    assert {run.data.tags["mlflow.parentRunId"] for run in children} == {parent.info.run_id}
    assert {run.info.status for run in (parent, *children)} == {"FINISHED"}
    assert "| A bm25 |" in parent.data.tags["mlflow.note.content"]


def test_a_child_stands_alone(sweep: Done) -> None:
    run = arms(sweep.root)[0]
    assert run.info.run_name == "A bm25"
    assert run.data.params["sparse.k1"] == "1.5"
    assert "dense.model" not in run.data.params
    assert 0 < run.data.metrics["final/recall_at_1"] <= 1
    assert run.data.metrics["sparse/ndcg_at_10"] == run.data.metrics["final/ndcg_at_10"]
    assert run.data.metrics["final/ndcg_at_10_lo"] <= run.data.metrics["final/ndcg_at_10"]
    assert run.data.metrics["counts/scored"] == 24
    assert run.data.metrics["latency/end_to_end_p50_ms"] > 0
    assert len(run.data.tags["rag.labels_digest"]) == 64
    assert run.inputs.dataset_inputs[0].dataset.name == "data"
    assert len(run.data.metrics) <= 150


def test_recall_is_a_curve_over_the_cutoff(sweep: Done) -> None:
    run = arms(sweep.root)[0]
    steps = client(sweep.root).get_metric_history(run.info.run_id, "curve/final_recall")
    assert [point.step for point in steps] == [1, 3, 5, 10, 20, 50, 100]
    values = [point.value for point in steps]
    assert values == sorted(values)


def test_the_oracle_has_a_context_and_no_ranking(sweep: Done) -> None:
    run = next(run for run in arms(sweep.root) if run.data.tags["rag.variant"] == "oracle")
    assert run.data.metrics["context/recall_at_10"] == 1.0
    assert not [name for name in run.data.metrics if name.startswith("final/")]
    assert run.data.tags["rag.latency"] == "nothing is retrieved"


def test_the_artifacts_are_the_run_folder(sweep: Done) -> None:
    run = arms(sweep.root)[0]
    artifacts = {file.path for file in client(sweep.root).list_artifacts(run.info.run_id)}
    assert {"result.json", "per_question.parquet", "qrels.txt", "rankings", "config.yaml"} <= artifacts
    line = (
        (sweep.root / "runs" / run.data.tags["rag.run_folder"] / "rankings" / "sparse.trec").read_text().splitlines()[0]
    )
    assert line.split()[:2] == ["q00", "Q0"]


def test_a_mean_can_be_recomputed_from_the_per_question_values(sweep: Done) -> None:
    record = sweep.records()[0]
    values = read_values(sweep.root / "runs" / record.id, ["final/mrr@10"])["final/mrr@10"]
    mean = record.mean("final", "mrr@10")
    assert mean is not None
    assert mean.value == pytest.approx(values.mean(), abs=1e-15)
    assert (mean.n, mean.n_groups) == (24, 24)


def test_results_are_read_back_by_metric_name(sweep: Done) -> None:
    done = rag_ablation(sweep.root, "runs", "--experiment", "data", "--metric", "final/mrr_at_10")
    assert done.status == 0
    value = arms(sweep.root)[0].data.metrics["final/mrr_at_10"]
    assert f"{value:.4f}" in done.out
    wrong = rag_ablation(sweep.root, "runs", "--experiment", "data", "--metric", "final/mrr_at_11")
    assert wrong.status == 1
    assert "final/mrr@10" in wrong.err


def test_a_second_call_computes_no_stage_and_gives_the_same_numbers(sweep: Done) -> None:
    before = sweep.records()
    again = rag_ablation(sweep.root, "run", *whole(sweep.root / "data"), "variant=bm25")
    assert again.status == 0, again.said
    record = again.records()[-1]
    assert record.counts["stages_computed"] == 0
    assert all(stage.reused for stage in record.stages)
    assert record.points == before[0].points
    assert [stage.seconds for stage in record.stages] == [stage.seconds for stage in before[0].stages]


def test_bm25_loads_no_model_library(tmp_path: Path) -> None:
    script = (
        "import sys; from rag_ablation.cli import main; status = main(sys.argv[1:]); "
        "print([name for name in ('torch', 'sentence_transformers', 'transformers') if name in sys.modules], status)"
    )
    words = ["run", "variant=bm25", *whole(tiny(tmp_path / "data"))]
    done = subprocess.run(
        [sys.executable, "-c", script, *words], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[] 0", done.stdout + done.stderr


def test_line_order_changes_nothing(tmp_path: Path) -> None:
    data = tiny(tmp_path / "one")
    other = tmp_path / "other"
    other.mkdir()
    for name in ("corpus.jsonl", "queries.jsonl"):
        lines = (data / name).read_text().splitlines()
        (other / name).write_text("\n".join(reversed(lines)) + "\n")
    head, *rows = (data / "qrels.tsv").read_text().splitlines()
    (other / "qrels.tsv").write_text("\n".join([head, *reversed(rows)]) + "\n")
    found = [rag_ablation(tmp_path, "run", *whole(folder), "latency=none") for folder in (data, other)]
    first, second = found[1].records()
    assert first.points == second.points
    assert [stage.digest for stage in first.stages] == [stage.digest for stage in second.stages]
    assert {k: v for k, v in first.digests.items() if k in ("corpus", "queries", "labels")} == {
        k: v for k, v in second.digests.items() if k in ("corpus", "queries", "labels")
    }


def test_an_edited_corpus_is_never_answered_from_the_old_index(tmp_path: Path) -> None:
    """Same ids, same bytes, same modification time: only the content tells."""
    case, data = CASES / "22-index-built-from-an-older-corpus", tmp_path / "data"
    data.mkdir()
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        (data / name).write_bytes((case / name).read_bytes())
    moment = (data / "corpus.jsonl").stat().st_mtime_ns
    first = rag_ablation(tmp_path, "run", *whole(data))
    (data / "corpus.jsonl").write_bytes((case / "corpus-v2.jsonl").read_bytes())
    os.utime(data / "corpus.jsonl", ns=(moment, moment))
    second = rag_ablation(tmp_path, "run", *whole(data))
    assert (first.status, second.status) == (0, 0)
    before, after = second.records()
    assert before.points["final"]["recall@1"].value == 1.0
    assert after.points["final"]["recall@1"].value == 0.0
    assert before.digests["corpus"] != after.digests["corpus"]


def test_a_failing_arm_ends_failed_and_the_others_go_on(tmp_path: Path) -> None:
    grid = "hydra.sweeper.arms=['variant=bm25','variant=dense dense.model=models/does-not-exist','variant=bm25 sparse.k1=1']"
    done = rag_ablation(tmp_path, "run", "-m", grid, *whole(tiny(tmp_path / "data")))
    assert done.status == 1
    statuses = {run.info.run_name: run.info.status for run in runs(tmp_path)}
    assert [statuses[name] for name in ("A bm25", "A bm25 sparse.k1=1")] == ["FINISHED", "FINISHED"]
    failed = next(run for run in arms(tmp_path) if run.info.status == "FAILED")
    assert failed.data.tags["rag.variant"] == "dense"
    assert "models/does-not-exist" in failed.data.tags["rag.error"]
    assert not failed.data.metrics
    assert statuses["sweep of 3 arms"] == "FAILED"
    assert "models/does-not-exist" in done.out
    assert "Traceback" not in done.said


def test_a_sweep_with_a_wrong_setting_starts_nothing_and_names_every_problem(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", "-m", "sparse.b=0.5,7", "sparse.depth=0,10", *whole(tiny(tmp_path / "data")))
    assert done.status == 2
    assert "sparse.b: found 7" in done.err
    assert "sparse.depth: found 0" in done.err
    assert not list(tmp_path.glob("runs/*/result.json"))


def test_equal_arms_run_once(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", "-m", "sparse.k1=1.5,1.50,2", *whole(tiny(tmp_path / "data")), "latency=none")
    assert done.status == 0, done.said
    assert len(done.records()) == 2
    assert "arms with the settings of another, run once: 1" in done.out


def test_a_setting_of_an_empty_slot_is_left_out_of_that_arm(tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    grid = ["variant=bm25,oracle", "sparse.k1=1,2", "sparse.b=0.5"]
    done = rag_ablation(tmp_path, "run", "-m", *data, "latency=none", *grid)
    assert done.status == 0, done.said
    found = sorted(
        (record.variant, record.settings.get("sparse", {}).get("k1"), record.settings.get("sparse", {}).get("b"))
        for record in done.records()
    )
    assert found == [("bm25", 1.0, 0.5), ("bm25", 2.0, 0.5), ("oracle", None, None)]


def test_a_setting_that_no_arm_uses_is_an_error(tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    done = rag_ablation(tmp_path, "run", "-m", *data, "variant=bm25,oracle", "fusion.rank_constant=1,2")
    assert done.status == 2
    assert "rank_constant" in done.said
    assert not done.records()


def test_an_interrupted_run_is_not_left_running(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data", n=400)
    for number, status in ((signal.SIGINT, "KILLED"), (signal.SIGTERM, "KILLED")):
        root = tmp_path / number.name
        root.mkdir()
        process = subprocess.Popen(
            [PROGRAM, "run", *whole(data), "latency.questions=400", "latency.passes=2000"],
            env=environment(root),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        _wait_for(lambda: bool(list(root.glob("store/*/*/meta.json"))))  # noqa: B023
        time.sleep(0.5)
        process.send_signal(number)
        process.communicate(timeout=60)
        assert process.returncode != 0
        assert [run.info.status for run in runs(root)] == [status]


def test_a_run_that_was_killed_outright_ends_failed_when_the_next_one_begins(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data", n=400)
    command = [PROGRAM, "run", *whole(data), "latency.questions=400", "latency.passes=2000"]
    with subprocess.Popen(
        command, env=environment(tmp_path), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _wait_for(lambda: bool(list(tmp_path.glob("store/*/*/meta.json"))))
        process.kill()
    assert [run.info.status for run in runs(tmp_path)] == ["RUNNING"]
    done = rag_ablation(tmp_path, "run", *whole(data), "latency=none")
    assert done.status == 0, done.said
    assert [run.info.status for run in runs(tmp_path)] == ["FAILED", "FINISHED"]


@pytest.mark.slow
def test_eight_runs_at_once_share_a_new_database(tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    together, alone = tmp_path / "together", tmp_path / "alone"
    together.mkdir()
    alone.mkdir()
    values = [0.1, 0.4, 0.8, 1.0, 1.2, 1.6, 2.0, 3.0]
    with ThreadPoolExecutor(8) as pool:
        done = list(
            pool.map(lambda k1: rag_ablation(together, "run", *data, f"sparse.k1={k1}", "latency=none"), values)
        )
    assert [found.status for found in done] == [0] * 8, [found.err for found in done if found.status]
    assert not [found for found in done if "locked" in found.said or "already exists" in found.said]
    serial = rag_ablation(alone, "run", "-m", *data, "sparse.k1=" + ",".join(map(str, values)), "latency=none")
    assert serial.status == 0, serial.said

    def quality(root: Path) -> dict[str, dict[str, float]]:
        return {
            run.data.params["sparse.k1"]: {
                k: v for k, v in run.data.metrics.items() if not k.startswith(("compute", "counts"))
            }
            for run in arms(root)
        }

    assert quality(together) == quality(alone)
    assert len(quality(together)) == 8


@pytest.mark.slow
def test_a_parallel_launcher_gives_the_same_numbers_and_no_latency(tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    grid = ["sparse.k1=0.5,1.0,1.5,2.0"]
    parallel, serial = tmp_path / "parallel", tmp_path / "serial"
    parallel.mkdir()
    serial.mkdir()
    one = rag_ablation(parallel, "run", "-m", *data, *grid, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2")
    two = rag_ablation(serial, "run", "-m", *data, *grid)
    assert (one.status, two.status) == (0, 0), one.said + two.said
    assert {str(r.settings["sparse"]): r.points for r in one.records()} == {
        str(r.settings["sparse"]): r.points for r in two.records()
    }
    assert all("parallel launcher" in record.latency["reason"] for record in one.records())
    parent = next(run for run in runs(parallel) if run.data.tags["rag.kind"] == "sweep")
    assert {run.data.tags["mlflow.parentRunId"] for run in arms(parallel)} == {parent.info.run_id}


@pytest.mark.parametrize(
    ("uri", "words"),
    [
        ("file:./mlruns", ["tracking.uri", "file:./mlruns", "sqlite:///"]),
        ("sqlite:///a-regular-file/tracking.db", ["tracking.uri", "a-regular-file"]),
    ],
)
def test_a_store_that_cannot_be_used_is_refused_before_any_work(tmp_path: Path, uri: str, words: list[str]) -> None:
    (tmp_path / "a-regular-file").write_text("x")
    done = rag_ablation(tmp_path, "run", *whole(tiny(tmp_path / "data")), f"tracking.uri={uri}")
    assert done.status == 2
    assert all(word in done.err for word in words)
    assert "Traceback" not in done.said
    assert not (tmp_path / "store").exists()


def test_files_only_needs_no_mlflow(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", *whole(tiny(tmp_path / "data")), "tracking=files")
    assert done.status == 0, done.said
    assert not (tmp_path / "mlflow.db").exists()
    assert done.records()[0].points["final"]["recall@1"].n == 24


def test_cfg_job_prints_the_composed_configuration(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", "variant=rrf", "--cfg", "job")
    assert done.status == 0
    assert "rank_constant: 60" in done.out


def test_an_unknown_key_is_an_error(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", "sparse.k9=1")
    assert done.status == 2
    assert "sparse.k9" in done.said or "k9" in done.said
    done = rag_ablation(tmp_path, "run", "+sparse.k9=1")
    assert done.status == 2
    assert "sparse.k9: found a key that does not exist" in done.err


def test_a_users_own_variant_is_added_by_a_config_folder(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "variant"
    folder.mkdir(parents=True)
    (folder / "sharp.yaml").write_text(
        "# @package _global_\ndefaults:\n  - override /sparse: bm25\nvariant: {name: sharp, label: S, parents: [bm25], watch: b}\n"
        "sparse: {b: 0.2}\n"
    )
    done = rag_ablation(
        tmp_path, "run", "--config-dir", str(tmp_path / "mine"), "variant=sharp", *whole(tiny(tmp_path / "data"))
    )
    assert done.status == 0, done.said
    assert done.records()[0].settings["sparse"]["b"] == 0.2


def test_no_secret_is_written_anywhere(tmp_path: Path) -> None:
    """A password in the tracking URI, and secrets under keys that do not exist."""
    password = "EXAMPLE-not-a-real-password-0003"
    done = rag_ablation(
        tmp_path, "run", *whole(tiny(tmp_path / "data")), f"tracking.uri=http://me:{password}@127.0.0.1:9"
    )
    other = rag_ablation(
        tmp_path, "run", "-m", *whole(tmp_path / "data"), "+rerank.api_key=EXAMPLE-not-a-real-key-0001", "sparse.k1=1,2"
    )
    assert (done.status, other.status) == (2, 2)
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for text in [done.said.encode(), other.said.encode(), *written]:
        assert b"EXAMPLE" not in text


def _wait_for(condition, seconds: float = 60) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.05)


def test_a_sweep_over_two_datasets_runs_both(tmp_path: Path) -> None:
    one, two = tiny(tmp_path / "one"), tiny(tmp_path / "two", n=30)
    words = ["run", "-m", "dataset=folder", f"dataset.path={one},{two}", "split=none", "latency=none"]
    done = rag_ablation(tmp_path, *words)
    assert done.status == 0, done.said
    assert sorted(record.dataset for record in done.records()) == ["one", "two"]


def test_questions_that_another_split_holds_out_are_not_run_by_way_of_a_second_split(tmp_path: Path) -> None:
    """Two splits made apart and put side by side."""
    data, other = tiny(tmp_path / "data"), tiny(tmp_path / "other" / "data")
    for folder, name, seed in ((data, "default", "0"), (other, "mine", "1")):
        done = rag_ablation(tmp_path, "data", "split", str(folder), "--name", name, "--seed", seed)
        assert done.status == 0, done.said
    (other / "splits" / "mine.json").rename(data / "splits" / "mine.json")
    done = rag_ablation(tmp_path, "run", "dataset=folder", f"dataset.path={data}", "dataset.split=mine")
    assert done.status == 2
    assert "stand in the holdout of split 'default'" in done.err


def test_nothing_of_the_holdout_is_written(tmp_path: Path) -> None:
    """Neither ids nor texts of held-out questions stand in any file of a run on dev."""
    data = tiny(tmp_path / "data")
    assert rag_ablation(tmp_path, "data", "split", str(data)).status == 0
    split = json.loads((data / "splits" / "default.json").read_text())
    root = tmp_path / "root"
    root.mkdir()
    done = rag_ablation(root, "run", "dataset=folder", f"dataset.path={data}")
    assert done.status == 0, done.said
    written = b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file())
    assert len(split["holdout"]) > 3
    for name in split["holdout"]:
        assert name.encode() not in written
    for name in split["dev"]:
        assert name.encode() in written


def test_a_sample_counts_its_own_questions_as_unrestricted(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", *whole(tiny(tmp_path / "data")), "dataset.sample=5")
    assert done.records()[0].counts["unrestricted"] == 5
    assert "access: unrestricted" in done.out


def test_a_slot_that_is_set_to_null_is_refused_in_a_line(tmp_path: Path) -> None:
    done = rag_ablation(tmp_path, "run", "sparse=null")
    assert (done.status, done.out) == (2, "")
    assert done.err == "Config group override must be a string or a list. Got NoneType\n"
