import json
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.experiment.store import StageStore

KEY = {"what": "stage", "settings": {"depth": 2}}


def result() -> StageResult:
    return StageResult(Rankings.from_scores(np.array([[3, 1]]), np.array([[0.5, 0.5]])), {"n_pairs": 2})


def test_a_second_request_is_reused_with_the_seconds_of_the_computation(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    first, second = store.stage(KEY, result), store.stage(KEY, result)
    assert (first.reused, second.reused) == (False, True)
    assert second.seconds == first.seconds
    assert second.result.rankings.passages.tolist() == [[1, 3]]
    assert second.result.facts == {"n_pairs": 2}


def test_another_setting_is_another_entry(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    store.stage(KEY, result)
    assert not store.stage({**KEY, "settings": {"depth": 3}}, result).reused


def test_the_order_of_a_keys_fields_does_not_matter(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    store.stage({"a": 1, "b": 2}, result)
    assert store.stage({"b": 2, "a": 1}, result).reused


def test_a_computation_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> StageResult:
        message = "no"
        raise ValueError(message)

    store = StageStore(tmp_path)
    with pytest.raises(ValueError, match="no"):
        store.stage(KEY, fail)
    assert not store.stage(KEY, result).reused


@pytest.mark.parametrize("damage", ["truncate", "other bytes", "no meta", "no array"])
def test_a_damaged_entry_is_computed_again(tmp_path: Path, damage: str) -> None:
    store = StageStore(tmp_path)
    store.stage(KEY, result)
    meta = next(tmp_path.rglob("meta.json"))
    array = meta.parent / "scores.npy"
    if damage == "truncate":
        array.write_bytes(array.read_bytes()[:-4])
    elif damage == "other bytes":
        array.write_bytes(array.read_bytes()[:-1] + b"\x01")
    elif damage == "no meta":
        meta.unlink()
    else:
        array.unlink()
    assert not store.stage(KEY, result).reused
    assert store.stage(KEY, result).reused


def test_pickled_arrays_are_never_read(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    store.arrays(KEY, lambda: {"values": np.arange(3)})
    entry = next(tmp_path.rglob("meta.json")).parent
    np.save(entry / "values.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert store.arrays(KEY, lambda: {"values": np.arange(3)})["values"].tolist() == [0, 1, 2]


def test_two_threads_that_want_the_same_compute_it_once(tmp_path: Path) -> None:
    calls: list[int] = []
    gate = threading.Barrier(4)

    def compute() -> StageResult:
        calls.append(1)
        return result()

    def work() -> None:
        gate.wait()
        StageStore(tmp_path).stage(KEY, compute)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def test_a_process_killed_while_writing_leaves_no_entry(tmp_path: Path) -> None:
    script = f"""
import os, numpy as np
from rag_ablation.experiment import store as module
from pathlib import Path
def die(*_): os.kill(os.getpid(), 9)
module.os.rename = die
module.StageStore(Path({str(tmp_path)!r})).arrays({{"what": "x"}}, lambda: {{"a": np.arange(5)}})
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    store = StageStore(tmp_path)
    assert store.arrays({"what": "x"}, lambda: {"a": np.arange(6)})["a"].size == 6


def test_the_key_is_kept_in_words_beside_the_value(tmp_path: Path) -> None:
    StageStore(tmp_path).stage(KEY, result)
    assert json.loads(next(tmp_path.rglob("meta.json")).read_text())["key"] == KEY
