"""The ledger: what was looked at, in a chain of entries to which one can only add.

Each line is one entry in JSON and holds the digest of the one before; so an entry that is removed, edited or moved
shows. A line is on the disk before the labels are read that it speaks of.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from rag_ablation.core.errors import HoldoutError, Problem
from rag_ablation.holdout._ledgerfile import alone, read_whole, write_whole
from rag_ablation.holdout.entry import Entry, Kind, Question

BEGIN = ""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SETTLED_NS = 2_000_000_000
"""A file that changed within this time may change again without a new time stamp."""


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

    def goes_on_from(self, other: "Ledger") -> bool:
        """Whether all entries of another are here, too."""
        return not self.lacks([entry.digest for entry in other.entries])


def read_ledger(path: Path) -> Ledger:
    """Read a ledger and check its chain.

    Args:
        path: the file; one that is not there is an empty ledger.

    Raises:
        HoldoutError: an entry was edited, removed or moved, or a line was cut off; file and line are named.
        SystemRefusalError: the file cannot be read.
    """
    try:
        state = path.stat()
    except OSError:  # not there, or not to be read, which reading it says
        return _read(path)
    if abs(time.time_ns() - max(state.st_mtime_ns, state.st_ctime_ns)) < SETTLED_NS:
        return _read(path)
    return _remembered(path, (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns))


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
        start_from: another file whose entries come before, taken over byte for byte where there is no file yet, or
            one that holds only some of them.

    Returns:
        The ledger as it is then, and the entry.

    Raises:
        HoldoutError: see `read_ledger`; what `make` raises goes through, and nothing is added.
        SystemRefusalError: the file cannot be written; it is as it was.
    """
    target = path.resolve()
    with alone(target):
        ledger, content = _begun(path, start_from)
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
        line = entry.line().encode()
        entry = Entry.from_line(line)
        write_whole(target, content + line + b"\n")
    return Ledger(path=path, entries=tuple(_flat([*ledger.entries, entry])), head=entry.digest), entry


def join(path: Path, other: Path) -> tuple[Ledger, Entry | None]:
    """Take the entries of another ledger of the same dataset over.

    Args:
        path: the ledger that goes on.
        other: the one whose entries are added; it stays as it is.

    Returns:
        The ledger as it is then, and the entry that joins; None where the other holds nothing new.

    Raises:
        HoldoutError: one of them is not there or damaged, or they are of different datasets.
        SystemRefusalError: the file cannot be written; it is as it was.
    """
    for file in (path, other):
        if not file.is_file():
            message = f"there is no ledger {file}; nothing was joined"
            raise HoldoutError(message)
    theirs = _chain(read_whole(other), other)

    def joined(ours: Ledger) -> Addition | None:
        known = {entry.digest for entry in ours.entries}
        new = [entry for entry in theirs if entry.digest not in known]
        if not new:
            return None
        if len(new) == len(theirs) and not _questions(ours.entries) & _questions(_flat(theirs)):
            message = (
                f"{path} and {other} are ledgers of different datasets: no entry and no version of the questions in "
                "common; nothing was joined"
            )
            raise HoldoutError(message)
        branch = [entry.to_json() for entry in new]
        return Kind.JOINED, (), {"heads": [ours.head, theirs[-1].digest], "entries": branch}

    return append(path, joined)


def _begun(path: Path, start_from: Path | None) -> tuple[Ledger, bytes]:
    """The ledger that is to be added to, and its bytes, ending where a line begins."""
    source = path
    if start_from is not None:
        ours, theirs = _read(path), _read(start_from)
        source = start_from if theirs.goes_on_from(ours) and not ours.goes_on_from(theirs) else path
    content = read_whole(source)
    ledger = _of(_chain(content, source), path)
    return ledger, content if content.endswith(b"\n") or not content else content + b"\n"


def _read(path: Path) -> Ledger:
    return _of(_chain(read_whole(path), path), path)


@lru_cache(maxsize=64)
def _remembered(path: Path, state: tuple[int, ...]) -> Ledger:
    """A ledger whose file has not changed is not read again: a sweep asks for it at every arm."""
    return _read(path)


def _of(chain: Sequence[Entry], path: Path) -> Ledger:
    return Ledger(path=path, entries=tuple(_flat(chain)), head=chain[-1].digest if chain else BEGIN)


def _chain(content: bytes, path: Path) -> list[Entry]:
    """Entries as they stand.

    Raises:
        HoldoutError: the chain is broken.
    """
    entries: list[Entry] = []
    lines = content.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text:
            continue
        try:
            entry = Entry.from_line(text)
            list(_flat([entry]))
        except ValueError as error:
            cut = number == len(lines) and isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
            raise _cut_off(path, number) if cut else _broken(path, number, "entry", str(error)) from error
        head = entries[-1].digest if entries else BEGIN
        if entry.previous != head:
            found = f"an entry after {_short(entry.previous)}, where {_short(head)} stands before it"
            raise _broken(path, number, "previous", found)
        entries.append(entry)
    return entries


def _flat(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Each entry once, those of joined branches before the entry that joins them."""
    known: set[str] = set()
    for entry in _opened_out(entries):
        if entry.digest not in known:
            known.add(entry.digest)
            yield entry


def _opened_out(entries: Sequence[Entry]) -> Iterator[Entry]:
    for entry in entries:
        if entry.kind is Kind.JOINED:
            yield from _opened_out(entry.branch())
        yield entry


def _questions(entries: Sequence[Entry] | Iterator[Entry]) -> set[object]:
    """Fingerprints of the questions that entries speak of: what tells one dataset from another."""
    return {entry.details["queries"] for entry in entries if "queries" in entry.details}


def _short(digest: str) -> str:
    return f"{digest[:12]}…" if digest else "the beginning"


def _broken(path: Path, line: int, what: str, found: str) -> HoldoutError:
    expected = (
        "the ledger as it was written: an entry was edited, removed or moved. Bring the file back from a backup or "
        "from version control; if two versions of it were merged there line by line, bring back both and join them: "
        "rag-ablation holdout join A B"
    )
    return HoldoutError(str(Problem(field=what, found=found, expected=expected, file=str(path), line=line)))


def _cut_off(path: Path, line: int) -> HoldoutError:
    expected = (
        "a whole line: the file was cut off, for example while it was copied. Copy it again, or bring it back from a "
        "backup or from version control. Where there is none, delete this line; what it noted is then lost"
    )
    found = "a line that is cut off"
    return HoldoutError(str(Problem(field="entry", found=found, expected=expected, file=str(path), line=line)))
