"""A folder that appears whole or not at all."""

import glob
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag_ablation.core.errors import DataError, Problem
from rag_ablation.core.process import alive


@contextmanager
def staged(target: Path, field: str = "DST") -> Iterator[Path]:
    """Give a folder to write into; it becomes the target when the block ends well, and goes when it does not.

    Args:
        target: a path where there is nothing yet, or an empty folder.
        field: how messages call it.

    Raises:
        DataError: something is there, or nothing can be written there.
    """
    target = target.expanduser().absolute()
    _check_free(target, field)
    parent = next(folder for folder in target.parents if folder.exists())
    aside = parent / f".{target.name}.{os.getpid()}.aside"
    for left in parent.glob(f".{glob.escape(target.name)}.*.aside"):
        pid = left.name.split(".")[-2]
        if pid.isdigit() and not alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True)  # of a conversion that was killed outright
    try:
        aside.mkdir()
    except OSError as error:
        raise _refused(f"{parent}, where nothing can be written ({error.strerror})", field) from error
    try:
        yield aside
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.rmdir()
        aside.rename(target)
    except OSError as error:
        raise _refused(f"{target}, which could not be written ({error.strerror or error})", field) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _check_free(target: Path, field: str) -> None:
    if target.is_dir() and not target.is_symlink():
        if any(target.iterdir()):
            raise _refused(f"{target}, a folder that is not empty", field)
    elif target.exists() or target.is_symlink():
        raise _refused(f"{target}, which is there already and is no folder", field)


def _refused(found: str, field: str) -> DataError:
    problem = Problem(field=field, found=found, expected="a path where there is nothing yet, or an empty folder")
    return DataError("nothing was written", [problem])
