"""From places where a text may be cut to pieces of a given size.

The width of a piece does not count white space at its end, which always stays with what it follows.
"""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from rag_ablation.core.chunks import Piece


def between(piece: Piece, places: Sequence[int]) -> list[Piece]:
    """Cut a piece at those of the places (ascending) that lie within it."""
    inner = places[bisect_right(places, piece.start) : bisect_left(places, piece.end)]
    edges = [piece.start, *inner, piece.end]
    return [Piece(start, end) for start, end in itertools.pairwise(edges)]


def fitting(text: str, piece: Piece, levels: Sequence[Sequence[int]], size: int) -> list[Piece]:
    """Cut a piece that is too wide at the strongest places that help, and pack what comes out.

    Args:
        text: the whole text.
        piece: the stretch to cut.
        levels: places where it may be cut, strongest kind first; after the last it is cut anywhere.
        size: widest piece, in characters.
    """
    if _width(text, piece.start, piece.end) <= size:
        return [piece]
    if not levels:
        solid = piece.start + _width(text, piece.start, piece.end)
        starts = list(range(piece.start, solid, size))
        return [Piece(a, b) for a, b in zip(starts, [*starts[1:], piece.end], strict=True)]
    parts = between(piece, levels[0])
    units = [unit for part in parts for unit in fitting(text, part, levels[1:], size)]
    return packed(text, units, size, 0)


def packed(text: str, units: Sequence[Piece], size: int, overlap: int) -> list[Piece]:
    """Put neighbouring units together, as many as fit.

    Args:
        text: the whole text.
        units: neighbouring pieces, none wider than `size`.
        size: widest result, in characters.
        overlap: characters; as many whole units as fit into them are repeated from the result before.
    """
    found: list[Piece] = []
    first, count = 0, len(units)
    while first < count:
        last = first
        while last + 1 < count and _width(text, units[first].start, units[last + 1].end) <= size:
            last += 1
        found.append(Piece(units[first].start, units[last].end))
        following = last + 1
        if following == count:
            break
        begin = following
        while (
            begin - 1 > first
            and units[last].end - units[begin - 1].start <= overlap
            and _width(text, units[begin - 1].start, units[following].end) <= size
        ):
            begin -= 1
        first = begin
    return found


def without_blanks(text: str, pieces: Sequence[Piece]) -> list[Piece]:
    """Join a piece of nothing but white space to the one before it, or, at the beginning, to the next."""
    kept: list[Piece] = []
    begin: int | None = None
    for piece in pieces:
        start = piece.start if begin is None else begin
        if text[start : piece.end].strip():
            kept.append(Piece(start, piece.end))
            begin = None
        elif kept:
            kept[-1] = Piece(kept[-1].start, piece.end)
        else:
            begin = start
    return kept or [Piece(0, len(text))]


def _width(text: str, start: int, end: int) -> int:
    return len(text[start:end].rstrip())
