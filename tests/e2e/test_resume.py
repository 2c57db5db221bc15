"""A sweep that was stopped goes on where it stopped: finished arms are kept, everything else is run again."""

import os
import re
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest
from mlflow.entities import Run

import rag_ablation
from rag_ablation.cli import main
from rag_ablation.core.process import alive
from rag_ablation.core.record import ArmRecord
from rag_ablation.tracking.files import read_record
from tests.e2e.interrupting import Waiting, kill, started, statuses, store, tracked, wait_until, whole_runs
from tests.e2e.program import Done, tiny, whole
from tests.e2e.program import rag_ablation as command

FOUR = ("variant=bm25", "variant=bm25 sparse.k1=2", "variant=bm25 sparse=waiting", "variant=bm25 sparse.k1=3")
NAMES = ["A bm25", "A bm25 sparse.k1=2", "A bm25 sparse=waiting", "A bm25 sparse.k1=3"]


def sweep(root: Path, *arms: str) -> list[str]:
    """Words of a sweep over 24 questions, with the configuration of the waiting stage."""
    listed = ",".join(f"'{arm}'" for arm in arms)
    mine = ["--config-dir", str(root / "mine")]
    return ["run", "-m", *mine, f"hydra.sweeper.arms=[{listed}]", *whole(root / "data"), "latency=none"]


def prepared(root: Path) -> Waiting:
    tiny(root / "data")
    return Waiting(root / "plugin", root / "mine")


def records(root: Path) -> list[ArmRecord]:
    """Finished arms that are whole, by name."""
    return sorted((read_record(root / "runs" / name) for name in whole_runs(root)), key=lambda arm: arm.arm)


@dataclass(frozen=True)
class Crash:
    """A sweep of four arms, killed while the third ran, and started again."""

    root: Path
    words: list[str]
    environment: dict[str, str]
    before: list[Run]
    again: Done

    def arms(self) -> list[Run]:
        return tracked(self.root, "data", "arm")


@pytest.fixture(scope="module")
def crash(tmp_path_factory: pytest.TempPathFactory) -> Crash:
    root = tmp_path_factory.mktemp("root")
    waiting, words = prepared(root), sweep(root, *FOUR)
    process = started(root, *words, more=waiting.environment)
    waiting.until_at_work()
    kill(process)
    before = tracked(root, "data", "arm")
    waiting.let_go()
    again = command(root, *words, **waiting.environment)
    return Crash(root, words, waiting.environment, before, again)


def test_a_killed_sweep_had_two_arms_finished_and_one_begun(crash: Crash) -> None:
    assert statuses(crash.before) == list(zip(NAMES[:3], ["FINISHED", "FINISHED", "RUNNING"], strict=True))


def test_finished_arms_keep_their_run_their_numbers_and_their_end(crash: Crash) -> None:
    assert crash.again.status == 0, crash.again.said
    for before, after in zip(crash.before[:2], crash.arms()[:2], strict=True):
        assert after.info.run_id == before.info.run_id
        assert after.info.end_time == before.info.end_time
        assert after.data.metrics == before.data.metrics
        assert after.data.tags == before.data.tags
    assert "arms that had finished before, kept as they were: 2" in crash.again.out


def test_what_had_not_finished_is_run_again_and_no_number_of_the_killed_arm_is_left(crash: Crash) -> None:
    assert statuses(crash.arms())[2:] == [(NAMES[2], "FAILED"), (NAMES[2], "FINISHED"), (NAMES[3], "FINISHED")]
    killed = crash.arms()[2]
    assert killed.info.run_id == crash.before[2].info.run_id
    assert "killed" in killed.data.tags["rag.error"]
    assert not killed.data.metrics
    assert not killed.data.params
    finished = [run for run in crash.arms() if run.info.status == "FINISHED"]
    assert [run.info.run_name for run in finished] == NAMES
    assert {run.data.tags["rag.run_folder"] for run in finished} == whole_runs(crash.root)


def test_nothing_is_said_to_change_what_was_logged(crash: Crash) -> None:
    assert "Changing param values" not in crash.again.said
    assert "Traceback" not in crash.again.said


def test_the_sweep_is_one_parent_that_ends_well(crash: Crash) -> None:
    (parent,) = tracked(crash.root, "data", "sweep")
    assert parent.info.status == "FINISHED"
    assert "rag.error" not in parent.data.tags
    assert {run.data.tags["mlflow.parentRunId"] for run in crash.arms()} == {parent.info.run_id}
    note = parent.data.tags["mlflow.note.content"]
    assert all(f"| {name} |" in note for name in NAMES)
    assert [file.path for file in store(crash.root).list_artifacts(parent.info.run_id)] == ["leaderboard.md"]


@pytest.mark.slow
def test_a_sweep_that_goes_on_leaves_the_table_of_an_earlier_sweep_as_it_was(crash: Crash, tmp_path: Path) -> None:
    """The parent's files are links to the newest sweep's; what they were linked to before is not written into."""
    (first,) = crash.root.glob("runs/*-sweep-*/leaderboard.md")
    text = first.read_text(encoding="utf-8")
    assert command(crash.root, *crash.words, **crash.environment).status == 0
    first.write_text("mine", encoding="utf-8")
    assert command(crash.root, *crash.words, **crash.environment).status == 0
    assert first.read_text(encoding="utf-8") == "mine"
    first.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_a_tracking_store_that_is_gone_is_made_again_with_every_arm_in_it(crash: Crash, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(crash.root, root)
    (root / "mlflow.db").unlink()
    done = command(root, *crash.words, **crash.environment)
    assert done.status == 0, done.said
    assert statuses(tracked(root, "data", "arm")) == [(name, "FINISHED") for name in NAMES]
    assert "kept" not in done.out


def test_a_run_folder_that_is_damaged_is_not_taken_for_a_finished_arm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny(tmp_path / "data")
    words = ["run", "-m", "sparse.k1=1,2,3,4,5", *whole(tmp_path / "data"), "latency=none", "tracking=files"]
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path))
    assert main(words) == 0
    before = records(tmp_path)
    table, ranking, record, longer, _ = [tmp_path / "runs" / arm.id for arm in before]
    os.truncate(table / "per_question.parquet", (table / "per_question.parquet").stat().st_size - 10)
    (ranking / "rankings" / "sparse.trec").unlink()
    os.truncate(record / "result.json", 2000)
    with (longer / "fates.parquet").open("ab") as file:
        file.write(b"more")
    capsys.readouterr()
    assert main(words) == 0
    assert "arms that had finished before, kept as they were: 1" in capsys.readouterr().out
    assert [(arm.arm, arm.points) for arm in records(tmp_path)] == [(arm.arm, arm.points) for arm in before]
    assert main(words) == 0
    assert "kept as they were: 5" in capsys.readouterr().out


@pytest.mark.slow
def test_whatever_could_change_a_result_runs_the_arm_again(tmp_path: Path) -> None:
    waiting = prepared(tmp_path)
    waiting.let_go()
    words = [*sweep(tmp_path, "variant=bm25", "variant=bm25 sparse=waiting"), "tracking=files"]

    def newly_run(**more: str) -> list[str]:
        known = whole_runs(tmp_path)
        done = command(tmp_path, *words, **{**waiting.environment, **more})
        assert done.status == 0, done.said
        return [arm.arm for arm in records(tmp_path) if arm.id not in known]

    both = ["A bm25", "A bm25 sparse=waiting"]
    assert newly_run() == both
    labels = tmp_path / "data" / "qrels.tsv"
    labels.write_text(labels.read_text().replace("q03\tp03\t1", "q03\tp03\t2"))
    assert newly_run() == both, "a label"
    waiting.module.write_text(waiting.module.read_text() + "\n# changed\n")
    assert newly_run() == both[1:], "the code of a plug-in, which only one arm uses"
    package = Path(rag_ablation.__file__).parent
    shutil.copytree(package.parent, tmp_path / "other" / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(package.parent.parent / "conf", tmp_path / "other" / "conf")
    with (tmp_path / "other" / "src" / "rag_ablation" / "measures" / "formulas.py").open("a") as file:
        file.write("\n# changed\n")
    path = os.pathsep.join([str(tmp_path / "other" / "src"), waiting.environment["PYTHONPATH"]])
    assert newly_run(PYTHONPATH=path) == both, "the code of the package"


@pytest.mark.slow
def test_arms_side_by_side_end_with_their_command_and_the_finished_ones_are_kept(tmp_path: Path) -> None:
    """Only the command is killed, as a machine out of memory does; its workers must not go on by themselves."""
    waiting = prepared(tmp_path)
    words = [*sweep(tmp_path, *FOUR), "tracking=files", "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    process = started(tmp_path, *words, more=waiting.environment)
    waiting.until_at_work()
    wait_until(lambda: len(whole_runs(tmp_path)) == 3, "the three other arms finish")
    os.kill(process.pid, signal.SIGKILL)
    (worker,) = waiting.workers()
    wait_until(lambda: not alive(worker), "the worker ends", seconds=20)
    process.communicate(timeout=20)
    kept = whole_runs(tmp_path)
    waiting.let_go()
    done = command(tmp_path, *words, **waiting.environment)
    assert done.status == 0, done.said
    assert "kept as they were: 3" in done.out
    assert kept < whole_runs(tmp_path)
    assert len(whole_runs(tmp_path)) == 4


@pytest.mark.slow
def test_arms_over_two_datasets_are_found_again_each_where_it_was_logged(tmp_path: Path) -> None:
    one, two = tiny(tmp_path / "one"), tiny(tmp_path / "two", n=30)
    words = ["run", "-m", "dataset=folder", f"dataset.path={one},{two}", "split=none", "latency=none"]
    assert command(tmp_path, *words).status == 0
    assert "kept as they were: 2" in command(tmp_path, *words).out
    assert [len(tracked(tmp_path, name, "arm")) for name in ("one", "two")] == [1, 1]


MISSING = "variant=dense dense.model=models/does-not-exist"


def test_one_failing_arm_is_told_when_it_fails_and_the_others_go_on(tmp_path: Path) -> None:
    waiting = prepared(tmp_path)
    words = [*sweep(tmp_path, "variant=bm25", MISSING, "variant=bm25 sparse=waiting"), "tracking=files"]
    process = started(tmp_path, *words, more=waiting.environment)
    waiting.until_at_work()
    assert process.stderr is not None
    told = process.stderr.readline()
    assert told.startswith("failed: B dense dense.model=models/does-not-exist: dense.model: found 'models/does-not-ex")
    assert process.poll() is None, "the last arm is still at work"
    waiting.let_go()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    check_a_table_of_two_finished_and_one_failed(out)


def check_a_table_of_two_finished_and_one_failed(out: str) -> None:
    rows = [line for line in out.partition("where evidence is lost")[0].splitlines() if line.startswith((" A ", " B "))]
    assert len(rows) == 3
    (failed,) = [row for row in rows if "failed:" in row]
    assert failed.startswith(" B dense")
    assert not re.search(r"\d", failed), "a failed arm has no numbers"
    assert all("24 (24)" in row for row in rows if row != failed)


@pytest.mark.slow
def test_one_failing_arm_beside_others_is_told_and_they_go_on(tmp_path: Path) -> None:
    prepared(tmp_path)
    words = sweep(tmp_path, "variant=bm25", MISSING, "variant=bm25 sparse.k1=2")
    done = command(tmp_path, *words, "tracking=files", "hydra/launcher=joblib", "hydra.launcher.n_jobs=3")
    assert done.status == 1
    assert "failed: B dense dense.model=models/does-not-exist: dense.model: found 'models/does-not-ex" in done.err
    check_a_table_of_two_finished_and_one_failed(done.out)


@pytest.mark.slow
def test_a_worker_that_is_killed_ends_the_sweep_with_what_to_do(tmp_path: Path) -> None:
    waiting = prepared(tmp_path)
    words = [*sweep(tmp_path, *FOUR), "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"]
    process = started(tmp_path, *words, more=waiting.environment)
    waiting.until_at_work()
    wait_until(lambda: [status for _, status in statuses(tracked(tmp_path, "data", "arm"))].count("FINISHED") == 3, "3")
    (worker,) = waiting.workers()
    os.kill(worker, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "a worker process ended without a word" in err
    assert "Traceback" not in err
    assert sorted(status for _, status in statuses(tracked(tmp_path, "data", "arm"))) == ["FAILED", *["FINISHED"] * 3]
    waiting.let_go()
    done = command(tmp_path, *words, **waiting.environment)
    assert done.status == 0, done.said
    assert "kept as they were: 3" in done.out


@pytest.mark.slow
def test_eight_arms_at_once_on_a_new_store_lose_no_metric(tmp_path: Path) -> None:
    tiny(tmp_path / "data")
    words = ["run", "-m", *whole(tmp_path / "data"), "sparse.k1=0.1,0.4,0.8,1.0,1.2,1.6,2.0,3.0", "latency=none"]
    together, alone = tmp_path / "together", tmp_path / "alone"
    found = {}
    for root, more in ((together, ["hydra/launcher=joblib", "hydra.launcher.n_jobs=8"]), (alone, [])):
        root.mkdir()
        done = command(root, *words, *more)
        assert done.status == 0, done.said
        assert not [word for word in ("locked", "duplicate column", "already exists") if word in done.said]
        runs = tracked(root, "data", "arm")
        assert {run.info.status for run in runs} == {"FINISHED"}
        timed = ("compute/", "counts/stages_")
        found[root] = {
            run.data.params["sparse.k1"]: {k: v for k, v in run.data.metrics.items() if not k.startswith(timed)}
            for run in runs
        }
    assert len(found[together]) == 8
    assert found[together] == found[alone]
