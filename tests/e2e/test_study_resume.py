"""A study that was stopped, and two that were started at once."""

import json
import signal
import sqlite3
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

import pytest
from mlflow.entities import Run

from rag_ablation.commands import latency, report
from rag_ablation.commands._study_folder import at_work
from rag_ablation.core.errors import CommandError
from rag_ablation.tracking.files import read_record
from tests.e2e.interrupting import Waiting, kill, started, statuses, tracked, wait_until, whole_runs
from tests.e2e.program import Done, rag_ablation
from tests.e2e.studies import ARMS, table, write_study

WAITS = {"key": "W", "set": "variant=bm25 sparse=waiting", "parents": ["A"]}
RUN = ("study", "run", "tiny")
LOGGED = (*RUN, "tracking=mlflow")
PARALLEL = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")


def prepared(root: Path) -> Waiting:
    """A study of which the second arm waits."""
    write_study(root, [ARMS[0], WAITS, *ARMS[1:]])
    return Waiting(root / "plugin", root / "experiments")


def by_name(runs: list[Run]) -> list[tuple[str, str]]:
    """Name without its label, and status."""
    return [(name.partition(" ")[2], status) for name, status in statuses(runs)]


def arms(root: Path) -> list[Run]:
    return tracked(root, "tiny", "arm")


def parents(root: Path) -> list[tuple[str, str]]:
    return statuses(tracked(root, "tiny", "study"))


@dataclass(frozen=True)
class Killed:
    """A study, killed when its second arm was recorded on disk and not yet logged, and run again."""

    root: Path
    before: list[Run]
    left: str
    again: Done


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    root = tmp_path_factory.mktemp("root")
    waiting = prepared(root)
    process = started(root, *LOGGED, more=waiting.environment)
    waiting.until_at_work()
    known = whole_runs(root)
    database = sqlite3.connect(root / "mlflow.db", isolation_level=None)
    database.execute("BEGIN IMMEDIATE")  # until it ends, nobody else can write
    waiting.let_go()
    wait_until(lambda: whole_runs(root) > known, "the arm is recorded")
    kill(process)
    database.close()
    (left,) = whole_runs(root) - known
    return Killed(root, arms(root), left, rag_ablation(root, *LOGGED, **waiting.environment))


def test_an_arm_that_was_recorded_and_not_logged_is_run_again(killed: Killed) -> None:
    assert by_name(killed.before) == [("bm25", "FINISHED"), ("bm25 sparse=waiting", "RUNNING")]
    assert killed.again.status == 0, killed.again.said
    assert by_name(arms(killed.root)) == [
        ("bm25", "FINISHED"),
        ("bm25 sparse=waiting", "FAILED"),
        ("bm25 sparse=waiting", "FINISHED"),
        ("bm25 sparse.b=0", "FINISHED"),
        ("oracle", "FINISHED"),
    ]
    assert not arms(killed.root)[1].data.metrics
    runs = json.loads((killed.root / "studies" / "tiny" / "study.json").read_text(encoding="utf-8"))["runs"]
    assert killed.left not in runs.values()
    assert set(runs.values()) | {killed.left} == whole_runs(killed.root)
    one, other = (read_record(killed.root / "runs" / name) for name in (killed.left, runs["W"]))
    assert one.points == other.points


def test_a_finished_arm_of_a_killed_study_is_kept(killed: Killed) -> None:
    first, last = killed.before[0], arms(killed.root)[0]
    assert last.info.run_id == first.info.run_id
    assert last.info.end_time == first.info.end_time
    assert last.data.metrics == first.data.metrics
    assert "arms that had finished before, kept as they were: 1" in killed.again.out


def test_a_killed_study_is_one_parent_that_ends_well(killed: Killed) -> None:
    (parent,) = tracked(killed.root, "tiny", "study")
    assert parent.info.status == "FINISHED"
    assert "rag.error" not in parent.data.tags
    assert {run.data.tags["mlflow.parentRunId"] for run in arms(killed.root)} == {parent.info.run_id}


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[int, str], tuple[int, str]]:
    """Two runs of one study, started at the same moment: root, and status and words of the faster and the slower."""
    root = tmp_path_factory.mktemp("root")
    waiting = prepared(root)
    both = [started(root, *RUN, more=waiting.environment) for _ in range(2)]
    waiting.until_at_work()
    wait_until(lambda: any(process.poll() is not None for process in both), "one ends")
    first, other = sorted(both, key=lambda process: process.poll() is None)
    said_first = "".join(first.communicate(timeout=60))
    assert other.poll() is None
    waiting.let_go()
    said_other = "".join(other.communicate(timeout=60))
    return root, (first.returncode, said_first), (other.returncode, said_other)


def test_of_two_runs_of_a_study_at_once_one_is_refused_and_the_other_is_whole(
    raced: tuple[Path, tuple[int, str], tuple[int, str]],
) -> None:
    root, (refused, why), (status, said) = raced
    assert refused == 2
    assert "study: found 'tiny', which another process under this root is running" in why
    assert "Traceback" not in why
    assert status == 0, said
    assert len(whole_runs(root)) == 4
    assert {row["arm"] for row in table(root, "mean")} == {"A", "W", "A2", "Oracle"}


def test_a_study_that_is_running_is_neither_reported_nor_timed(
    raced: tuple[Path, tuple[int, str], tuple[int, str]], tmp_path: Path
) -> None:
    root = raced[0]
    report_here = Namespace(study="tiny", language="en", holdout=None, to=None)
    with at_work("tiny", root):
        with pytest.raises(CommandError, match="another process under this root"):
            report.execute(report_here, root)
        with pytest.raises(CommandError, match="another process under this root"):
            latency.execute(Namespace(study="tiny", settings=[]), root)
        assert report.execute(Namespace(study="tiny", language="en", holdout=None, to=tmp_path), root) == 0
    assert report.execute(report_here, root) == 0


@pytest.mark.slow
def test_a_study_that_is_stopped_says_so_and_goes_on_later(tmp_path: Path) -> None:
    waiting = prepared(tmp_path)
    for number, status, word in ((signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")):
        waiting.hold()
        process = started(tmp_path, *LOGGED, more=waiting.environment)
        waiting.until_at_work()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (status, "")
        assert err == f"rag-ablation: {word}; what has finished is kept: the same command goes on from there\n"
        assert parents(tmp_path) == [("study tiny", "KILLED")]
        assert by_name(arms(tmp_path))[0] == ("bm25", "FINISHED")
        assert by_name(arms(tmp_path))[-1] == ("bm25 sparse=waiting", "KILLED")
        assert not arms(tmp_path)[-1].data.metrics
    waiting.let_go()
    done = rag_ablation(tmp_path, *LOGGED, **waiting.environment)
    assert done.status == 0, done.said
    assert "kept as they were: 1" in done.out
    assert [status for _, status in by_name(arms(tmp_path))] == ["FINISHED", "KILLED", "KILLED", *["FINISHED"] * 3]
    assert parents(tmp_path) == [("study tiny", "FINISHED")]


@pytest.mark.slow
def test_a_finished_and_timed_study_can_be_run_once_more_and_runs_nothing(tmp_path: Path) -> None:
    write_study(tmp_path, latency={"questions": 20, "passes": 1, "seed": 0})
    first = rag_ablation(tmp_path, *LOGGED)
    assert first.status == 0, first.said
    before = arms(tmp_path)
    times = (tmp_path / "studies" / "tiny" / "latency.json").read_bytes()
    again = rag_ablation(tmp_path, *LOGGED)
    assert again.status == 0, again.said
    assert "kept as they were: 3" in again.out
    assert [(run.info.run_id, run.info.end_time) for run in arms(tmp_path)] == [
        (run.info.run_id, run.info.end_time) for run in before
    ]
    assert parents(tmp_path) == [("study tiny", "FINISHED")]
    assert (tmp_path / "studies" / "tiny" / "latency.json").read_bytes() == times


@pytest.mark.slow
def test_a_study_side_by_side_that_is_stopped_leaves_no_arm_running(tmp_path: Path) -> None:
    waiting = prepared(tmp_path)
    process = started(tmp_path, *LOGGED, *PARALLEL, more=waiting.environment)
    waiting.until_at_work()
    wait_until(lambda: len(whole_runs(tmp_path)) == 3, "the three other arms are recorded")
    wait_until(lambda: [status for _, status in by_name(arms(tmp_path))].count("FINISHED") == 3, "they are logged")
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 143
    assert "rag-ablation: terminated; what has finished is kept" in said
    assert parents(tmp_path) == [("study tiny", "KILLED")]
    found = dict(by_name(arms(tmp_path)))
    assert found.pop("bm25 sparse=waiting") == "KILLED"
    assert set(found.values()) == {"FINISHED"}
    waiting.let_go()
    done = rag_ablation(tmp_path, *LOGGED, *PARALLEL, **waiting.environment)
    assert done.status == 0, done.said
    assert "kept as they were: 3" in done.out
    assert parents(tmp_path) == [("study tiny", "FINISHED")]
