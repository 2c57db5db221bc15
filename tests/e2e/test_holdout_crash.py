"""A holdout whose process is killed at any step: the same command completes it, and nothing is opened twice."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.holdouts import PLAN, STUDY, Bench, Stages, replace_in
from tests.e2e.interrupting import tracked
from tests.e2e.program import environment
from tests.paths import ROOT

ON_DISK = "fsync,replace,arm,write arm,add entry,add under root,write results,log"
AMENDING = "fsync,arm,write arm,amend entry,add entry,write results,log"
HOLDOUT = ("holdout", "--study", STUDY, "--name", PLAN)
AMEND = ("holdout", "amend", "--study", STUDY, "--name", PLAN, "--labels", "--reason", "a gold passage was wrong")


def crashed(state: Path, root: Path, places: str, *words: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The undisturbed run, and a kill at each step."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.crashing", str(state), str(root), places, *words],
        env=environment(root),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    first, *rest = map(json.loads, done.stdout.splitlines())
    assert first["again"] == 0, first["said"]
    return first, rest


@pytest.mark.slow
def test_a_kill_at_any_step_opens_once_and_the_same_command_completes_it(
    stages: Stages, frozen: Bench, no_checkout: None
) -> None:
    first, rest = crashed(stages.kept / "frozen", frozen.root, ON_DISK, *HOLDOUT)
    assert len(rest) >= 24
    assert first["left"]["kinds"] == ["in_use", "opened", "closed"]
    for one in rest:
        step = (one["at"], one["step"], one["said"])
        assert (one["killed"], one["again"]) == (-signal.SIGKILL, 0), step
        assert one["left"]["kinds"][:3] == ["in_use", "opened", "closed"], step
        assert set(one["left"]["kinds"][3:]) <= {"replayed"}, step
        for part in ("times", "results", "decisions", "under root", "written", "marks"):
            assert one["left"][part] == first["left"][part], (part, *step)
        assert one["left"]["whole"], step
        if one["step"].endswith("arm"):  # nothing is read before the disk says so
            assert one["found"]["kinds"] == one["found"]["under root"] == ["in_use", "opened"], step


@pytest.mark.slow
def test_a_kill_at_any_step_of_an_amendment_amends_once(stages: Stages, spent: Bench, no_checkout: None) -> None:
    name = spent.split.holdout[0]
    replace_in(spent.data / "qrels.tsv", f"{name}\tp{int(name[1:]) // 2:02}\t2", f"{name}\tp39\t2")
    state = Path(shutil.copytree(spent.root, stages.kept / "relabelled", dirs_exist_ok=True))
    first, rest = crashed(state, spent.root, AMENDING, *AMEND)
    assert first["left"]["kinds"] == ["in_use", "opened", "closed", "amended", "closed"]
    for one in rest[:-1]:
        step = (one["at"], one["step"], one["said"])
        assert one["left"]["kinds"] == first["left"]["kinds"], step
        for part in ("results", "decisions", "written", "marks"):
            assert one["left"][part] == first["left"][part], (part, *step)
        assert one["left"]["whole"], step
        if one["found"]["written"].keys() != first["left"]["written"].keys():
            assert (one["killed"], one["again"]) == (-signal.SIGKILL, 0), step
        else:  # all is there
            assert one["again"] == 2, step
            assert "nothing to amend" in one["said"]


def test_a_kill_around_the_tracking_store_leaves_what_was_scored_and_logs_it_then(
    stages: Stages, logged: Bench, tmp_path: Path
) -> None:
    first, rest = crashed(stages.kept / "tracked", logged.root, "push", *HOLDOUT)
    assert [one["step"] for one in rest] == ["before push", "after push"] * 2
    for one in rest:
        assert (one["killed"], one["again"]) == (-signal.SIGKILL, 0), one["said"]
        assert one["left"]["kinds"] == ["in_use", "opened", "closed", "replayed"]
        assert one["left"]["written"] == first["left"]["written"]
        assert one["left"]["marks"] == first["left"]["marks"]
    store = logged.store_in(tmp_path)
    (parent,) = [run for run in tracked(store, f"{STUDY}/holdout", "holdout") if run.info.status == "FINISHED"]
    arms = tracked(store, f"{STUDY}/holdout", "arm")
    assert sorted(run.data.tags["rag.study_arm"] for run in arms if run.info.status == "FINISHED") == ["A", "A2"]
    assert {run.data.tags["split"] for run in (parent, *arms)} == {"holdout"}
