"""A study that is killed again and again gives, in the end, what one undisturbed run gives."""

import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.program import PROGRAM, environment, rag_ablation

KILLS = 10
WORDS = ("study", "run", "ladder_en", "study.latency=null")


def killed(root: Path, after_s: float) -> bool:
    """Start the study and end it outright; whether it was still running."""
    process = subprocess.Popen(
        [PROGRAM, *WORDS],
        env=environment(root),
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(timeout=after_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def results(root: Path) -> tuple[bytes, dict[str, Any], dict[str, str]]:
    """The study's table, the rankings of each arm as bytes, and its run folders."""
    folder = root / "studies" / "ladder_en"
    runs = json.loads((folder / "study.json").read_text(encoding="utf-8"))["runs"]
    rankings = {
        key: {path.name: path.read_bytes() for path in sorted((root / "runs" / name / "rankings").iterdir())}
        for key, name in runs.items()
    }
    return (folder / "results.parquet").read_bytes(), rankings, runs


@pytest.mark.slow
@pytest.mark.models
def test_ten_kills_at_random_moments_change_no_number(tmp_path: Path) -> None:
    clean, broken = tmp_path / "clean", tmp_path / "broken"
    clean.mkdir()
    broken.mkdir()
    start = time.monotonic()
    done = rag_ablation(clean, *WORDS)
    assert done.status == 0, done.said
    whole_s = time.monotonic() - start
    moments = random.Random(20261130)
    n_killed, kept = 0, set()
    for _ in range(KILLS):
        n_killed += killed(broken, moments.uniform(0.05, 0.6) * whole_s)
        kept |= {path.parent.name for path in broken.glob("runs/*/result.json")}
    assert n_killed >= KILLS // 2
    done = rag_ablation(broken, *WORDS)
    assert done.status == 0, done.said
    table, rankings, runs = results(broken)
    assert (table, rankings) == results(clean)[:2]
    reused = kept & set(runs.values())
    assert reused, "no arm that had finished before a kill was kept"
    finished = [
        path for path in broken.glob("runs/*/result.json") if json.loads(path.read_text())["status"] == "finished"
    ]
    by_arm = {json.loads(path.read_text())["arm"] for path in finished}
    assert len(by_arm) == len(set(runs.values()))
