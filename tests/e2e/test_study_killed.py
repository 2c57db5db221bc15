"""A study that is killed again and again gives, in the end, what one undisturbed run gives."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from rag_ablation.commands._study_folder import MANIFEST, open_results
from rag_ablation.core.digest import digest_arrays
from rag_ablation.core.replacing import ASIDE
from rag_ablation.tracking.files import is_whole, read_record
from tests.e2e.interrupting import started, tracked
from tests.e2e.program import rag_ablation

KILLS, TRIES = 10, 30
STUDY = "ladder_en"
WORDS = ("study", "run", STUDY, "study.latency=null")


def killed(root: Path, after_s: float) -> bool:
    """Start the study and end it outright; whether it was still running."""
    process = started(root, *WORDS)
    try:
        said = process.communicate(timeout=after_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return process.returncode == -signal.SIGKILL
    assert process.returncode == 0, said
    return False


def finished(root: Path) -> dict[str, tuple[str, int]]:
    """Run folder and end of every arm that the tracking store holds as finished, by run id."""
    if not (root / "mlflow.db").exists():
        return {}
    with sqlite3.connect(root / "mlflow.db") as database:
        rows = database.execute(
            "select r.run_uuid, t.value, r.end_time from runs r join tags t on t.run_uuid = r.run_uuid "
            "where r.status = 'FINISHED' and t.key = 'rag.run_folder'"
        ).fetchall()
    return {run: (folder, end) for run, folder, end in rows}


def check_that_what_looks_whole_is_whole(root: Path) -> None:
    """Every file that a reader would take: the records of runs, the study's results, and the entries of the store."""
    for path in root.glob("runs/*/result.json"):
        record = read_record(path.parent)
        assert record.status == "finished", record.error
        assert is_whole(path.parent), path
    folder = root / "studies" / STUDY
    if (folder / MANIFEST).exists():
        assert open_results(STUDY, root).arms
    for path in folder.glob("*"):
        if path.suffix == ".parquet":
            assert pq.read_table(path).num_rows
        elif path.suffix == ".html":
            assert path.read_text(encoding="utf-8").rstrip().endswith("</html>")
        else:
            assert path.suffix in {".json", ".md", ASIDE}, path
    for path in root.glob("store/*/*/meta.json"):
        meta = json.loads(path.read_text(encoding="utf-8"))
        arrays = {name: np.load(path.parent / f"{name}.npy", allow_pickle=False) for name in meta["names"]}
        assert digest_arrays(arrays) == meta["content"], path


def results(root: Path) -> dict[str, bytes]:
    """Every file of the study and of its arms that holds a number, but for names of runs and for times."""
    folder = root / "studies" / STUDY
    runs = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["runs"]
    found = {"results.parquet": (folder / "results.parquet").read_bytes()}
    for report in ("report.md", "report.html"):
        text = (folder / report).read_text(encoding="utf-8").replace(str(root), "ROOT")
        for key, name in runs.items():
            text = text.replace(name, key)
        found[report] = text.encode()
    for key, name in runs.items():
        files = [path for path in (root / "runs" / name).rglob("*") if path.suffix in {".trec", ".txt", ".parquet"}]
        found |= {f"{key}/{path.relative_to(root / 'runs' / name)}": path.read_bytes() for path in files}
        record = read_record(root / "runs" / name)
        found[f"{key}/means"] = repr((record.points, record.slices, record.evidence, record.threats)).encode()
    return found


@pytest.mark.slow
@pytest.mark.models
def test_ten_kills_at_random_moments_change_no_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean, broken = tmp_path / "clean", tmp_path / "broken"
    clean.mkdir()
    broken.mkdir()
    start = time.monotonic()
    done = rag_ablation(clean, *WORDS)
    assert done.status == 0, done.said
    longest = (time.monotonic() - start) / 3  # long enough to get on, short enough not to get through
    moments = random.Random(20261130)
    said: list[str] = []
    known: dict[str, tuple[str, int]] = {}
    for _ in range(TRIES):
        begin = time.monotonic()
        if killed(broken, moments.uniform(0.3, longest)):
            said.append(f"{time.monotonic() - begin:.0f} s ({len(finished(broken))} arms)")
        else:  # nothing was left to do: kill within what a study takes to find that out
            longest = time.monotonic() - begin
        assert known.items() <= finished(broken).items(), "a finished arm changed"
        known = finished(broken)
        check_that_what_looks_whole_is_whole(broken)
        if len(said) == KILLS:
            break
    assert len(said) == KILLS
    done = rag_ablation(broken, *WORDS)
    assert done.status == 0, done.said
    one, other = results(clean), results(broken)
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
    arms = tracked(broken, STUDY, "arm")
    runs = json.loads((broken / "studies" / STUDY / MANIFEST).read_text(encoding="utf-8"))["runs"]
    assert {folder for folder, _ in finished(broken).values()} == set(runs.values()), "each arm is finished once"
    assert {run.info.status for run in arms} <= {"FINISHED", "FAILED"}
    assert [run.info.status for run in tracked(broken, STUDY, "study")] == ["FINISHED"]
    reused = {folder for folder, _ in known.values()}
    assert reused <= set(runs.values())
    assert f"kept as they were: {len(reused)}" in done.out
    with capsys.disabled():
        n_failed = sum(run.info.status == "FAILED" for run in arms)
        print(f"\n{len(said)} kills interrupted, after {', '.join(said)}")
        print(
            f"arms killed: {n_failed}; finished before the last run and kept: {len(reused)} of {len(set(runs.values()))}"
        )
