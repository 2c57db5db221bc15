"""Commands that are stopped in the middle: an arm that waits until it is let go, and processes to kill."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from mlflow import MlflowClient
from mlflow.entities import Run

from rag_ablation.cli.hydra_words import config_folder
from rag_ablation.tracking.files import is_whole
from tests.e2e.program import PROGRAM, environment

FOLDER_VARIABLE = "WAITING_BM25_FOLDER"
AT_WORK, GO = "at_work", "go"
PLUGIN = f'''
import os
import time
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.stages.bm25 import Bm25


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingBm25(Bm25):
    """BM25 that says when it is at work, and goes on when it is let go."""

    def index(self, passages, cache):
        folder = Path(os.environ["{FOLDER_VARIABLE}"])
        (folder / f"{AT_WORK}-{{os.getpid()}}").touch()
        (folder / "{AT_WORK}").touch()
        deadline = time.monotonic() + 120
        while not (folder / "{GO}").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        return Bm25.index(self, passages, cache)
'''


class Waiting:
    """The stage `sparse=waiting`, installed as a plug-in for the commands that get its environment.

    Args:
        folder: of its own, made if needed.
        configuration: folder of configuration files in which the stage is to be found.
    """

    def __init__(self, folder: Path, configuration: Path) -> None:
        self.folder = folder
        info = folder / "waiting_bm25-1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: waiting-bm25\nVersion: 1\n")
        (info / "entry_points.txt").write_text("[rag_ablation.stages]\nsparse.waiting = waiting_bm25:WaitingBm25\n")
        self.module = folder / "waiting_bm25.py"
        self.module.write_text(PLUGIN)
        (configuration / "sparse").mkdir(parents=True, exist_ok=True)
        settings = (config_folder() / "sparse" / "bm25.yaml").read_text(encoding="utf-8")
        (configuration / "sparse" / "waiting.yaml").write_text(settings.replace("name: bm25", "name: waiting"))

    @property
    def environment(self) -> dict[str, str]:
        paths = [str(self.folder), os.environ.get("PYTHONPATH", "")]
        return {"PYTHONPATH": os.pathsep.join(filter(None, paths)), FOLDER_VARIABLE: str(self.folder)}

    def until_at_work(self) -> None:
        wait_until((self.folder / AT_WORK).exists, "the arm begins to work")

    def let_go(self) -> None:
        (self.folder / GO).touch()

    def hold(self) -> None:
        """Make it wait again."""
        for path in [self.folder / GO, *self.folder.glob(f"{AT_WORK}*")]:
            path.unlink(missing_ok=True)

    def workers(self) -> list[int]:
        """Processes in which the stage was at work."""
        return [int(path.name.rpartition("-")[2]) for path in self.folder.glob(f"{AT_WORK}-*")]


def started(root: Path, *words: str, more: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
    """A command that runs beside the test, in a process group of its own."""
    return subprocess.Popen(
        [PROGRAM, *words],
        env=environment(root, **(more or {})),
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill(process: "subprocess.Popen[str]") -> None:
    """End a command and all that it started outright."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL, "it had ended before"


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: did not happen within {seconds:.0f} s"
        time.sleep(0.02)


def store(root: Path) -> MlflowClient:
    return MlflowClient(f"sqlite:///{root / 'mlflow.db'}")


def tracked(root: Path, experiment: str, kind: str) -> list[Run]:
    """Runs of a kind in the tracking store, oldest first."""
    client = store(root)
    found = client.get_experiment_by_name(experiment)
    assert found is not None
    wanted = f"tags.`rag.kind` = '{kind}'"
    return list(client.search_runs([found.experiment_id], wanted, order_by=["attributes.start_time ASC"]))


def statuses(runs: list[Run]) -> list[tuple[str, str]]:
    return [(str(run.info.run_name), str(run.info.status)) for run in runs]


def whole_runs(root: Path) -> set[str]:
    """Names of the run folders that hold a finished arm."""
    return {path.parent.name for path in root.glob("runs/*/result.json") if is_whole(path.parent)}
