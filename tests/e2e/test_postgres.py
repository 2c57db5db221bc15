"""Runs in a real PostgreSQL database, started for the test and thrown away."""

import importlib.util
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.e2e.program import rag_ablation, tiny, whole

BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
OWNER = "postgres"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BINARIES is None, reason="no PostgreSQL server on this machine"),
    pytest.mark.skipif(importlib.util.find_spec("psycopg") is None, reason="psycopg (extra postgres) is not installed"),
]


@pytest.fixture
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URI of an empty database. The server refuses to run as root, so it runs as its own user there."""
    assert BINARIES is not None
    folder = Path("/tmp") / f"rag-ablation-postgres-{os.getpid()}"
    folder.mkdir(mode=0o700)
    as_owner: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, OWNER)
        as_owner = ["runuser", "-u", OWNER, "--"]
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = str(folder / "data")

    def call(program: str, *words: str) -> None:
        subprocess.run([*as_owner, str(BINARIES / program), *words], check=True, capture_output=True, cwd=folder)

    call("initdb", "-D", data, "-U", "me", "-A", "trust")
    call("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", f"-p {port} -k {folder} -h 127.0.0.1", "start")
    try:
        yield f"postgresql://me:EXAMPLE-password@127.0.0.1:{port}/postgres"
    finally:
        call("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def test_four_runs_at_once_share_a_new_database(database: str, tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    values = [0.5, 1.0, 1.5, 2.0]

    def run(k1: float) -> object:
        return rag_ablation(tmp_path, "run", *data, f"sparse.k1={k1}", "latency=none", MLFLOW_TRACKING_URI=database)

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(run, values))
    assert [found.status for found in done] == [0] * 4, [found.said for found in done]  # type: ignore[attr-defined]
    assert not [found for found in done if "EXAMPLE" in found.said]  # type: ignore[attr-defined]
    client = MlflowClient(database)
    experiment = client.get_experiment_by_name("data")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    assert sorted(float(run.data.params["sparse.k1"]) for run in runs) == values
    assert {run.info.status for run in runs} == {"FINISHED"}
    assert {len(run.data.metrics) for run in runs} == {len(runs[0].data.metrics)}
    assert {file.path for file in client.list_artifacts(runs[0].info.run_id)} >= {"result.json", "rankings"}
    assert not (tmp_path / "mlflow.db").exists()
