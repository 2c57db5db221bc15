"""Runs in MLflow that begin, end, are killed and go on."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from mlflow import MlflowClient
from mlflow.entities import Run
from mlflow.exceptions import MlflowException

from rag_ablation.core import process
from rag_ablation.core.errors import TrackingError
from rag_ablation.tracking import mlflow_store
from rag_ablation.tracking.base import RunStart
from rag_ablation.tracking.mlflow_store import open_store
from rag_ablation.tracking.mlflow_tracker import MlflowTracker


@pytest.fixture(scope="module")
def tracker(tmp_path_factory: pytest.TempPathFactory) -> MlflowTracker:
    """A new store; what was left behind by a first opening that was killed is in the way."""
    root = tmp_path_factory.mktemp("root")
    (root / "mlflow.db.aside").write_bytes(b"half of a database")
    (root / "mlflow.db.aside-journal").write_bytes(b"what would be played back into a new one")
    return MlflowTracker.open(None, root)


def parent(experiment: str, digest: str | None = "same") -> RunStart:
    return RunStart(experiment=experiment, name="sweep", kind="sweep", parent=None, tags={}, digest=digest)


def runs(tracker: MlflowTracker, experiment: str) -> list[Run]:
    """Oldest first."""
    return list(tracker.client.search_runs([tracker.experiment_id(experiment)], order_by=["attributes.start_time ASC"]))


def test_what_has_the_same_identity_goes_on_as_one_run(tracker: MlflowTracker) -> None:
    with pytest.raises(ValueError, match="broken"), tracker.start(parent("one")) as first:
        raise ValueError("broken")
    with tracker.start(parent("one")) as second:
        assert tracker.client.get_run(second).info.status == "RUNNING"
    with tracker.start(parent("one", "other")) as third, tracker.start(parent("one", None)) as fourth:
        pass
    assert first == second
    assert len({second, third, fourth}) == 3
    assert [run.info.status for run in runs(tracker, "one")] == ["FINISHED"] * 3


def test_a_run_that_is_under_way_is_not_taken_over(tracker: MlflowTracker) -> None:
    with tracker.start(parent("two")) as first, tracker.start(parent("two")) as second:
        assert first != second
    assert [run.info.status for run in runs(tracker, "two")] == ["FINISHED"] * 2


def lost(tracker: MlflowTracker, experiment: str, **tags: str) -> str:
    """A run of a process on this machine that did not say how it ended."""
    with tracker.start(parent(experiment)) as run_id:
        pass
    tracker.client.update_run(run_id, status="RUNNING")
    for name, value in tags.items():
        tracker.client.set_tag(run_id, f"rag.{name}", value)
    return run_id


def test_a_killed_parent_goes_on_without_what_was_said_of_its_death(tracker: MlflowTracker) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as other:
        other.wait()
    killed = lost(tracker, "three", pid=str(other.pid), process_start="1")
    anew = MlflowTracker(tracker.uri, tracker.root)
    with anew.start(parent("three", "another")):
        assert anew.client.get_run(killed).info.status == "FAILED"
        assert "killed" in anew.client.get_run(killed).data.tags["rag.error"]
    with anew.start(parent("three")) as run_id:
        assert run_id == killed
        tags = anew.client.get_run(killed).data.tags
        assert tags["rag.pid"] == str(os.getpid())
        assert "rag.error" not in tags


@pytest.mark.skipif(not process.PROCESSES.is_dir(), reason="the system does not say when a process began")
def test_a_killed_run_is_told_from_a_process_that_has_got_its_number(tracker: MlflowTracker) -> None:
    killed = lost(tracker, "four", pid=str(os.getpid()), process_start="1")
    anew = MlflowTracker(tracker.uri, tracker.root)
    with anew.start(parent("four", "another")):
        assert anew.client.get_run(killed).info.status == "FAILED"


def test_arms_of_workers_end_with_their_sweep(tracker: MlflowTracker) -> None:
    with suppress(KeyboardInterrupt), tracker.start(parent("five")) as run_id:
        experiment = tracker.experiment_id("five")
        tracker.client.create_run(experiment, run_name="arm", tags={"mlflow.parentRunId": run_id, "rag.kind": "arm"})
        raise KeyboardInterrupt
    assert {run.info.status for run in runs(tracker, "five")} == {"KILLED"}


def test_the_files_of_a_run_that_goes_on_are_replaced(tracker: MlflowTracker, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "note.md").write_text(folder.name)
    with tracker.start(parent("six")) as run_id:
        for folder in (first, first, second):
            tracker.summarise(run_id, "note", folder)
    artifacts = Path(tracker.client.get_run(run_id).info.artifact_uri.removeprefix("file://"))
    assert (artifacts / "note.md").read_text() == "second"
    assert (first / "note.md").read_text() == "first"


def test_what_the_store_refuses_is_said_in_our_words(tracker: MlflowTracker, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MlflowException("database or disk is full")

    with tracker.start(parent("seven")) as run_id, monkeypatch.context() as patch:
        patch.setattr(tracker.client, "set_tag", refuse)
        with pytest.raises(TrackingError, match=r"mlflow\.db cannot be read or written: database or disk is full"):
            tracker.summarise(run_id, "note", None)


def test_a_database_is_not_there_until_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_: str) -> MlflowClient:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mlflow_store, "_client", stopped)
        with pytest.raises(KeyboardInterrupt):
            open_store(f"sqlite:///{tmp_path / 'mlflow.db'}", tmp_path)
    assert not (tmp_path / "mlflow.db").exists()


@pytest.mark.slow
def test_a_store_whose_first_opening_is_killed_can_be_opened(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from rag_ablation.tracking.mlflow_tracker import MlflowTracker; "
        "MlflowTracker.open(None, Path(sys.argv[1]))"
    )
    moments = random.Random(7)
    n_killed = 0
    for number in range(8):
        root = tmp_path / str(number)
        root.mkdir()
        with subprocess.Popen([sys.executable, "-c", script, str(root)]) as making:
            while not list(root.glob("mlflow.db*")) and making.poll() is None:
                time.sleep(0.01)
            time.sleep(moments.uniform(0, 2.5))
            making.kill()
        n_killed += making.returncode == -signal.SIGKILL
        opened = subprocess.run([sys.executable, "-c", script, str(root)], capture_output=True, text=True, check=False)
        assert opened.returncode == 0, opened.stderr
    assert n_killed >= 4
