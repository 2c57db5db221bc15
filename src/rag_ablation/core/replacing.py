"""A file that is whole or as it was, whatever happens while it is written."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ASIDE = ".aside"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name beside a file to write to; the new file takes the old one's place when the block has ended well.

    Args:
        path: the file. Two processes must not write it at the same time.
    """
    aside = path.with_name(path.name + ASIDE)
    try:
        yield aside
        os.replace(aside, path)  # noqa: PTH105 — atomic, and says so
    except OSError as error:  # a full disk does not say in which file
        error.filename = error.filename or str(path)
        raise


def replace_text(path: Path, text: str) -> None:
    """Write a text file that is whole or as it was."""
    with replacing(path) as aside:
        aside.write_text(text, encoding="utf-8")


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file a second place, by hard link where that can be.

    What was at that place before is replaced, never written into: it may be linked to from a third.
    """
    if target.exists() and target.samefile(source):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as aside:
        aside.unlink(missing_ok=True)
        try:
            os.link(source, aside)
        except OSError:
            shutil.copy2(source, aside)
