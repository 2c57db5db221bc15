"""The file of a ledger: one process at a time adds to it, and whatever happens it is whole.

Each addition writes the whole file aside and moves it into place, so that neither a process that is killed nor a full
disk leaves half a line, and a reader never meets one. It is small: an entry of a thousand questions takes 50 kB.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

from rag_ablation.core.errors import SystemRefusalError
from rag_ablation.core.replacing import ASIDE

LOCK = ".lock"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """No other process adds to a ledger meanwhile; its folder is made where it is missing.

    Raises:
        SystemRefusalError: the folder cannot be made or written to.
    """
    with _refusing(path):
        missing = [folder for folder in path.parents if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        _onto_disk([folder.parent for folder in missing])
        lock = FileLock(path.with_name(f".{path.name}{LOCK}"))
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file, on the disk when this returns; it is as it was, or has all of the content.

    Raises:
        SystemRefusalError: the disk is full, or the folder cannot be written to; the file is as it was.
    """
    aside = path.with_name(f".{path.name}{ASIDE}")
    with _refusing(path):
        try:
            aside.unlink(missing_ok=True)
            with aside.open("wb") as handle:
                handle.write(content)
                handle.flush()
                os.fsync(handle.fileno())
            if path.exists():
                shutil.copymode(path, aside)
            os.replace(aside, path)  # noqa: PTH105 — atomic, and says so
        except OSError:
            with suppress(OSError):
                aside.unlink(missing_ok=True)
            raise
        _onto_disk([path.parent])


def read_whole(path: Path) -> bytes:
    """The bytes of a file, none where there is none.

    Raises:
        SystemRefusalError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        message = f"the system refuses: {path}: {error.strerror}; without this ledger nothing can be scored"
        raise SystemRefusalError(message) from error


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"the system refuses: {path}: {error.strerror}; nothing was noted in this ledger, which is as it was"
        raise SystemRefusalError(message) from error


def _onto_disk(folders: Sequence[Path]) -> None:
    """See the names in these folders onto the disk, where the system lets one."""
    for folder in folders:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
