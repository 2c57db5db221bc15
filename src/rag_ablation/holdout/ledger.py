"""The ledger: what was looked at, in a chain of entries to which one can only add.

Each line is one entry in JSON and holds the digest of the one before; so an entry that is removed, edited or moved
shows. A line is on the disk before the labels are read that it speaks of.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock

from rag_ablation.core.errors import HoldoutError, Problem
from rag_ablation.core.replacing import ASIDE
from rag_ablation.holdout.entry import Entry, Kind, Question

LOCK = ".lock"
BEGIN = ""


Addition = tuple[Kind, Sequence[Question], Mapping[str, Any]]
"""Kind, questions and details of an entry that is to be added."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What a ledger file says.

    Args:
        path: the file, whether it is there or not.
        entries: in the order in which they were made; those of a joined branch stand before the entry that joins it.
        head: digest that the next entry will hold; empty where there is none yet.
    """

    path: Path
    entries: tuple[Entry, ...] = ()
    head: str = BEGIN

    def of(self, *kinds: Kind) -> tuple[Entry, ...]:
        """Entries of these kinds."""
        return tuple(entry for entry in self.entries if entry.kind in kinds)

    def entry(self, digest: str) -> Entry | None:
        """The entry of a digest, None where there is none."""
        return next((entry for entry in self.entries if entry.digest == digest), None)

    def lacks(self, digests: Sequence[str]) -> list[str]:
        """Those of these digests that are no entry here."""
        known = {entry.digest for entry in self.entries}
        return [digest for digest in digests if digest and digest not in known]


def read_ledger(path: Path) -> Ledger:
    """Read a ledger and check its chain.

    Args:
        path: the file; one that is not there is an empty ledger.

    Raises:
        HoldoutError: an entry was edited, removed or moved, or a line was cut off; file and line are named.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Ledger(path=path)
    entries, head = _chain(content, path)
    return Ledger(path=path, entries=tuple(_flat(entries)), head=head)


def append(
    path: Path,
    make: Callable[[Ledger], Addition | None],
    *,
    start_from: Path | None = None,
) -> tuple[Ledger, Entry | None]:
    """Add an entry; it is on the disk when this returns.

    Args:
        path: the file.
        make: what to add to the ledger as it is now, None for nothing. No other process can add meanwhile.
        start_from: where there is no file yet, the one whose entries come before.

    Returns:
        The ledger as it is then, and the entry.

    Raises:
        HoldoutError: see `read_ledger`; what `make` raises goes through, and nothing is added.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.name}{LOCK}")):
        begun = path.exists()
        ledger = read_ledger(path if begun or start_from is None else start_from)
        made = make(ledger)
        if made is None:
            return ledger, None
        kind, questions, details = made
        entry = Entry(
            kind=kind,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            previous=ledger.head,
            questions=tuple(sorted(questions)),
            details=dict(details),
        )
        _write(path, _before(path, start_from) + entry.line().encode() + b"\n", new=not begun)
    return Ledger(path=path, entries=(*ledger.entries, entry), head=entry.digest), entry


def join(path: Path, other: Path) -> tuple[Ledger, Entry | None]:
    """Take the entries of another ledger over that has the same beginning.

    Args:
        path: the ledger that goes on.
        other: the one whose entries are added; it stays as it is.

    Returns:
        The ledger as it is then, and the entry that joins; None where the other holds nothing new.

    Raises:
        HoldoutError: one of them is damaged, or they have no beginning in common.
    """
    theirs, _ = _chain(other.read_bytes(), other)

    def joined(ours: Ledger) -> Addition | None:
        known = {entry.digest for entry in ours.entries}
        new = [entry for entry in theirs if entry.digest not in known]
        if not new:
            return None
        if len(new) == len(theirs):
            message = f"{path} and {other} have no entry in common: they are ledgers of different datasets"
            raise HoldoutError(message)
        branch = [entry.to_json() for entry in new]
        return Kind.JOINED, (), {"heads": [ours.head, theirs[-1].digest], "entries": branch}

    return append(path, joined)


def _before(path: Path, start_from: Path | None) -> bytes:
    """What is to be written before a new entry: all that it goes on from, or the end of a line that has none."""
    if path.exists():
        content = path.read_bytes()
        return b"\n" if content and not content.endswith(b"\n") else b""
    content = start_from.read_bytes() if start_from is not None and start_from.exists() else b""
    return content if content.endswith(b"\n") or not content else content + b"\n"


def _write(path: Path, content: bytes, *, new: bool) -> None:
    """Add bytes to a file and see them onto the disk; a new file is there with all of them, or not."""
    target = path.with_name(path.name + ASIDE) if new else path
    with target.open("wb" if new else "ab") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())
    if new:
        os.replace(target, path)  # noqa: PTH105 — atomic, and says so
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _chain(content: bytes, path: Path) -> tuple[list[Entry], str]:
    """Entries as they stand, and the digest of the last.

    Raises:
        HoldoutError: the chain is broken.
    """
    entries: list[Entry] = []
    head = BEGIN
    for number, line in enumerate(content.split(b"\n"), start=1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not text:
            continue
        entry = _parsed(text, path, number)
        if entry.previous != head:
            found = f"an entry after {_short(entry.previous)}, where {_short(head)} stands before it"
            raise _broken(path, number, "previous", found)
        entries.append(entry)
        head = entry.digest
    return entries, head


def _flat(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Entries of joined branches before the entry that joins them."""
    for entry in entries:
        if entry.kind is Kind.JOINED:
            yield from _flat([Entry.from_json(values) for values in entry.details["entries"]])
        yield entry


def _parsed(text: bytes, path: Path, number: int) -> Entry:
    try:
        return Entry.from_json(json.loads(text.decode()))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise _broken(path, number, "entry", str(error)) from error


def _short(digest: str) -> str:
    return f"{digest[:12]}…" if digest else "the beginning"


def _broken(path: Path, line: int, what: str, found: str) -> HoldoutError:
    expected = (
        "the ledger as it was written: an entry was edited, removed or moved. Bring the file back from a backup or "
        "from version control; a line that was cut off when the machine went down may be deleted, nothing was read "
        "under it"
    )
    return HoldoutError(str(Problem(field=what, found=found, expected=expected, file=str(path), line=line)))
