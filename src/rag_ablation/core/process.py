"""This process and others of this machine: which are there, and whether this one has been told to end."""

import os
import signal
from pathlib import Path
from types import FrameType
from typing import NoReturn

PROCESSES = Path("/proc")
TERMINATED = 143
INTERRUPTED = 130
_told: list[int] = []


def alive(pid: int, start: str | None = None) -> bool:
    """Whether a process is there; one that may not be asked is.

    Args:
        pid: its number.
        start: what `started` said of it then; another process that got its number since is another one.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    state, now = _state(pid)
    return state != "Z" and (start is None or now is None or now == start)


def started(pid: int) -> str | None:
    """When a process began, in the system's own count; None where the system does not say."""
    return _state(pid)[1]


def _state(pid: int) -> tuple[str | None, str | None]:
    """State (`Z`: ended, and nobody has asked how) and moment of the start, from Linux's `/proc`."""
    try:
        said = (PROCESSES / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None, None
    fields = said.rpartition(")")[2].split()  # after the program's name, which may hold anything
    return fields[0], fields[19]


def listen() -> None:
    """From now on Ctrl-C and a request to terminate are remembered, and raised as exceptions."""
    _told.clear()
    signal.signal(signal.SIGINT, _tell)
    signal.signal(signal.SIGTERM, _tell)


def told_to_end() -> int | None:
    """Exit status of a process that was told to end, None where nobody did.

    The exception alone does not say so: it is raised wherever the process happens to be, and a library may turn it
    into an exception of its own.
    """
    if not _told:
        return None
    return INTERRUPTED if _told[0] == signal.SIGINT else TERMINATED


def _tell(number: int, frame: FrameType | None) -> NoReturn:
    _told.append(number)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(TERMINATED)
