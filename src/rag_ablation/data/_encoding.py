"""Which encoding bytes that are no UTF-8 are in, as far as the bytes themselves tell."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

MARKS = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
HEAD_BYTES = 4
MUCH = 0.8
PAIR = re.compile(rb"[\x81-\xfe][\x40-\xfe]")


class _Legacy(NamedTuple):
    """A two-byte encoding and where its common characters and punctuation lie.

    The common third of each character set stands in one block (GB 2312 level 1; Big5 level 1), and nearly
    all running text is from it; text of the other encoding, or of a one-byte one, falls outside.
    """

    name: str
    leads: Sequence[range]
    trails: Sequence[range]


LEGACY = (
    _Legacy("gb18030", (range(0xA1, 0xA4), range(0xB0, 0xD8)), (range(0xA1, 0xFF),)),
    _Legacy("big5", (range(0xA1, 0xA4), range(0xA4, 0xC7)), (range(0x40, 0x7F), range(0xA1, 0xFF))),
)


def wide_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32, by the mark or by the zero bytes of a first ASCII character; else None.

    Args:
        head: the first four bytes of a file that begins with an ASCII character (JSON, a table, YAML do).
    """
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    zeros = tuple(byte == 0 for byte in head)
    if zeros == (False, True, True, True):
        return "utf-32-le"
    if zeros == (True, True, True, False):
        return "utf-32-be"
    if zeros[:2] == (False, True):
        return "utf-16-le"
    return "utf-16-be" if zeros[:2] == (True, False) else None


def narrow_encoding(sample: Sequence[bytes]) -> str | None:
    """`gb18030`, `big5`, `cp1252` or `latin-1`; None where the bytes do not tell.

    Args:
        sample: lines that are no UTF-8.
    """
    high = b"".join(sample)
    n_high = sum(byte >= 0x80 for byte in high)
    shares = [(_share(legacy, sample, n_high), legacy.name) for legacy in LEGACY if _decodes(legacy.name, sample)]
    best = max(shares, default=(0.0, ""))
    if best[0] >= MUCH:
        return best[1]
    neighbours = sum(left >= 0x80 and right >= 0x80 for line in sample for left, right in pairwise(line))
    if 2 * neighbours > n_high:
        return None  # words of such letters only: Cyrillic, Greek, Korean …, which look alike here
    controls = any(0x80 <= byte < 0xA0 for byte in high)
    return "latin-1" if not controls else "cp1252" if _decodes("cp1252", sample) else None


def _share(legacy: _Legacy, sample: Sequence[bytes], n_high: int) -> float:
    """Part of the bytes above ASCII that are of common characters."""
    common = 0
    for line in sample:
        for pair in PAIR.findall(line):
            if any(pair[0] in leads for leads in legacy.leads) and any(pair[1] in trails for trails in legacy.trails):
                common += 1 + (pair[1] >= 0x80)
    return common / n_high


def _decodes(encoding: str, sample: Sequence[bytes]) -> bool:
    try:
        for line in sample:
            line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
