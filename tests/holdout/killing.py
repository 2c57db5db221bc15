"""`python -m tests.holdout.killing FOLDER`: kill a process at each line of an addition, and look at what is left.

Prints, for each way to begin, how many processes were killed and in which states the ledger was found.
"""

import json
import os
import shutil
import signal
import stat
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from rag_ablation.holdout import _ledgerfile, entry, ledger
from tests.holdout.ledgers import add, filled, words

WATCHED = {module.__file__ for module in (_ledgerfile, entry, ledger)}


def killed_at(step: int, work: Callable[[], object]) -> bool:
    """Do some work in a process of its own that is killed before the line of that number; whether it got that far."""
    child = os.fork()
    if not child:
        left = [step]

        def trace(frame: FrameType, event: str, _: object) -> Callable[..., object] | None:
            if frame.f_code.co_filename not in WATCHED:
                return None
            left[0] -= event == "line"
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def killed_half_written(work: Callable[[], object]) -> bool:
    """The same, killed when half of the bytes are in the file."""
    child = os.fork()
    if not child:

        def half(handle: int) -> None:
            state = os.fstat(handle)
            if stat.S_ISREG(state.st_mode):
                os.ftruncate(handle, state.st_size // 2)
                os.kill(os.getpid(), signal.SIGKILL)

        os.fsync = half
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def found(path: Path, before: list[str]) -> str:
    """Whether the entry is there, after one more was added."""
    there = words(path)
    assert there in (before, [*before, "new"]), there
    add(path, "next")
    assert words(path) == [*there, "next"]
    return "with" if there != before else "without"


def tried(folder: Path, n_before: int, shipped: Path | None) -> dict[str, int]:
    """States by number of times, over all lines of an addition."""
    before = [str(number) for number in range(n_before)]
    states: Counter[str] = Counter()
    at_work, step = True, 0
    while at_work:
        path = folder / f"{step}" / "splits" / "ledger.jsonl"
        if shipped is None:
            filled(path, *before)
        at_work = killed_at(step, lambda path=path: add(path, "new", start_from=shipped))  # type: ignore[misc]
        if at_work and not path.exists() and shipped is not None:
            assert not words(path)
            add(path, "next", start_from=shipped)
            assert words(path) == [*before, "next"]
            states["without"] += 1
        elif at_work:
            states[found(path, before)] += 1
        shutil.rmtree(folder / f"{step}")
        step += 1
    path = folder / "half" / "ledger.jsonl"
    filled(path, *before)
    assert killed_half_written(lambda: add(path, "new"))
    assert found(path, before) == "without"
    return dict(states)


if __name__ == "__main__":
    home = Path(sys.argv[1])
    shipped = filled(home / "shipped.jsonl", "0", "1")
    said = {
        "first": tried(home / "first", 0, None),
        "third": tried(home / "third", 2, None),
        "copied": tried(home / "copied", 2, shipped),
    }
    sys.stdout.write(json.dumps(said))
