"""The file of synonyms: a term and its synonyms a line, parted by tabs."""

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.core.errors import ConfigError, Problem

HEADING = "the synonyms cannot be used"
COMMENT = "#"
FORM = "a term and at least one synonym, parted by tabs"


@dataclass(frozen=True, slots=True)
class SynonymFile:
    """What a file of synonyms holds.

    Args:
        synonyms: of each term, in the order of the file; the terms from the longest on, then by code point.
        digest: SHA-256 of the bytes that were read.
    """

    synonyms: Mapping[str, tuple[str, ...]]
    digest: str


def read_synonyms(path: Path) -> SynonymFile:
    """Read a file: UTF-8 with or without a byte order mark; blank lines and lines that start with `#` say nothing.

    Args:
        path: of the file.

    Raises:
        ConfigError: with every line that is wrong.
    """
    content = path.read_bytes()
    found: dict[str, tuple[str, ...]] = {}
    line_of: dict[str, int] = {}
    problems: list[Problem] = []
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            text = line.decode("utf-8").rstrip()
        except UnicodeDecodeError as error:
            found_bytes = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
            problems.append(_problem(path, number, "encoding", found_bytes, "UTF-8"))
            continue
        if not text or text.startswith(COMMENT):
            continue
        cells = [_plain(cell) for cell in text.split("\t")]
        wrong = _wrong(cells, line_of)
        if wrong is not None:
            problems.append(_problem(path, number, *wrong))
            continue
        line_of[folded(cells[0])] = number
        found[cells[0]] = tuple(cells[1:])
    if not found and not problems:
        problems.append(_problem(path, None, "synonyms", "no line", f"lines of {FORM}"))
    if problems:
        raise ConfigError(HEADING, problems)
    ordered = sorted(found, key=lambda term: (-len(term), term))
    return SynonymFile({term: found[term] for term in ordered}, hashlib.sha256(content).hexdigest())


def folded(text: str) -> str:
    """A text as terms are compared: NFKC and case folding."""
    return unicodedata.normalize("NFKC", text).casefold()


def _plain(cell: str) -> str:
    return unicodedata.normalize("NFKC", cell).strip()


def _wrong(cells: list[str], line_of: Mapping[str, int]) -> tuple[str, str, str] | None:
    """Field, found and expected of the first thing that is wrong with a line."""
    return _wrong_form(cells) or _repeated(cells, line_of)


def _wrong_form(cells: list[str]) -> tuple[str, str, str] | None:
    term, *others = cells
    if any("\r" in cell for cell in cells):
        return "line", "a carriage return inside it", "lines that end in LF or CRLF"
    if not others:
        return "line", f"{term!r} alone", FORM
    if "" in cells:
        return f"column {cells.index('') + 1}", "nothing", "a word or a phrase"
    if not any(map(str.isalnum, term)):
        return "term", repr(term), "a word or a phrase"
    return None


def _repeated(cells: list[str], line_of: Mapping[str, int]) -> tuple[str, str, str] | None:
    term = cells[0]
    if folded(term) in line_of:
        return "term", f"{term!r}, as in line {line_of[folded(term)]}", "each term once, with all its synonyms"
    seen: set[str] = set()
    for cell in cells:
        if folded(cell) in seen:
            return "synonym", f"{cell!r} a second time", "words that differ from the term and from each other"
        seen.add(folded(cell))
    return None


def _problem(path: Path, line: int | None, field: str, found: str, expected: str) -> Problem:
    return Problem(file=str(path), line=line, field=field, found=found, expected=expected)
