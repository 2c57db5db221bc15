"""What one process at a time may do, the others being told so or kept waiting."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def alone(lock: Path, refusal: Callable[[], Exception]) -> Iterator[None]:
    """Hold a lock while the block runs.

    Args:
        lock: its file; the folder is made where it is missing.
        refusal: what to raise where another process holds it.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    held = FileLock(lock, timeout=0)
    try:
        held.acquire()
    except Timeout as error:
        raise refusal() from error
    try:
        yield
    finally:
        held.release()


@contextmanager
def in_turn(lock: Path) -> Iterator[None]:
    """Hold a lock while the block runs, after every other process that holds it; for work of a moment.

    Args:
        lock: its file; the folder is made where it is missing.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(lock):
        yield
