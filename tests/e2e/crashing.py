"""`python -m tests.e2e.crashing STATE ROOT PLACES WORDS…`: a command killed at each of its steps, then given again.

STATE is a folder that is copied to ROOT each time. Before and after each call of one of the PLACES (joined by commas)
is a step. Prints what each kill left behind, and what came of the same command after it, a line of JSON each; the first
line is the undisturbed run.
"""

import contextlib
import importlib
import io
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import rag_ablation.commands._holdout_amend as amending
import rag_ablation.commands._holdout_run as running
import rag_ablation.commands._holdout_score as scoring
from rag_ablation.cli import ROOT_VARIABLE, main
from rag_ablation.holdout.ledger import read_ledger
from rag_ablation.tracking import mlflow_tracker
from rag_ablation.tracking.files import is_whole
from rag_ablation.tracking.records import holdout_records

PLACES: Mapping[str, tuple[Any, str]] = {
    "fsync": (os, "fsync"),
    "replace": (os, "replace"),
    "arm": (scoring, "run"),
    "write arm": (scoring, "write_record"),
    "add entry": (running, "add_entry"),
    "add under root": (running, "add_to_root"),
    "write results": (running, "write_runs"),
    "log": (running, "log"),
    "amend entry": (amending, "add_entry"),
    "push": (mlflow_tracker.MlflowTracker, "push"),
    "note": (mlflow_tracker.MlflowTracker, "summarise"),
}


def watched(places: Iterable[str], at: int) -> list[str]:
    """Make steps count, and the one of this number the last; gives the names of steps as they come."""
    names: list[str] = []

    def step(name: str) -> None:
        if len(names) == at:
            os.kill(os.getpid(), signal.SIGKILL)
        names.append(name)

    def wrapped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            if any("/store/" in str(value) for value in given):
                return real(*given, **named)
            step(f"before {name}")
            made = real(*given, **named)
            step(f"after {name}")
            return made

        return call

    for name in places:
        place, attribute = PLACES[name]
        setattr(place, attribute, wrapped(name, getattr(place, attribute)))
    return names


def in_child(words: list[str], places: Iterable[str], at: int, report: Path) -> int:
    """The command in a process of its own; its exit status, or −9 where it was killed."""
    child = os.fork()
    if not child:
        names = watched(places, at)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = main(words)
        report.write_text(json.dumps({"steps": names, "said": said.getvalue(), "modules": sorted(sys.modules)}))
        os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def left(root: Path) -> dict[str, Any]:
    """Ledger, results and list under the root, as a reader finds them."""
    ledger = read_ledger(root / "data" / "splits" / "ledger.jsonl")
    files = sorted((root / "studies" / "tiny" / "holdout").rglob("holdout.json"))
    written = {str(path.parent.name): json.loads(path.read_text()) for path in files}
    return {
        "kinds": [str(entry.kind) for entry in ledger.entries],
        "times": [entry.details["times"] for entry in ledger.entries if "times" in entry.details],
        "results": [entry.details["results"] for entry in ledger.entries if "results" in entry.details],
        "decisions": [entry.details["decision"] for entry in ledger.entries if "decision" in entry.details],
        "under root": sorted(str(entry.kind) for entry in read_ledger(root / "seen.jsonl").entries),
        "written": {name: form["words"] for name, form in written.items()},
        "whole": all(is_whole(root / "runs" / run) for form in written.values() for run in form["runs"].values()),
        "marks": sorted({str(record.holdout["marks"]) for record in holdout_records(root / "runs")}),
    }


def tried(state: Path, root: Path, places: list[str], words: list[str], at: int) -> dict[str, Any]:
    """One kill and one more go."""
    report = root.with_name("said.json")
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(state, root, symlinks=True)
    killed = in_child(words, places, at, report)
    found = left(root)
    again = in_child(words, (), -1, report) if killed == -signal.SIGKILL else killed
    said = json.loads(report.read_text())
    return {"killed": killed, "found": found, "again": again, "left": left(root), **said}


def everything(state: Path, root: Path, places: list[str], words: list[str]) -> None:
    """The undisturbed run, then a kill at every step."""
    first = tried(state, root, places, words, -1)
    for name in first.pop("modules"):  # imported once, here, not by every child
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    print(json.dumps(first), flush=True)
    for at, step in enumerate(first["steps"]):
        one = tried(state, root, places, words, at)
        one.pop("modules")
        print(json.dumps({**one, "at": at, "step": step}), flush=True)


if __name__ == "__main__":
    os.environ[ROOT_VARIABLE] = sys.argv[2]
    everything(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].split(","), sys.argv[4:])
