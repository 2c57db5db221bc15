"""The chunkers: windows, sentences, clauses.

All count in characters (code points). What they return are pieces in order of the text; without overlap
they follow each other without a gap, so that put together they are the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag_ablation.core.chunks import Piece
from rag_ablation.stages._sentences import breaks, row_around, table_rows
from rag_ablation.stages.base import check_whole_number
from rag_ablation.stages.chunking.clauses import clauses
from rag_ablation.stages.chunking.packing import between, fitting, packed, without_blanks


@dataclass(frozen=True, kw_only=True)
class _Sized:
    """Settings that all chunkers have.

    Args:
        size: widest chunk in characters; white space at a chunk's end is not counted.
        overlap: characters that a chunk may repeat of the one before, fewer than `size`.
        coverage: at the passage unit, least share of an answer span's characters that makes a chunk gold.
        without_spans: at the passage unit, what happens with a gold passage that was cut and has no usable
            span: `refuse`, or `whole`, where all its chunks are gold.
    """

    size: int = 400
    overlap: int = 0
    coverage: float = 0.5
    without_spans: Literal["refuse", "whole"] = "refuse"

    def __post_init__(self) -> None:
        """Check ranges."""
        check_whole_number("size", self.size)
        check_whole_number("overlap", self.overlap, least=0)
        if self.overlap >= self.size:
            message = f"overlap: found {self.overlap}, expected fewer characters than size, which is {self.size}"
            raise ValueError(message)
        if not 0 < self.coverage <= 1:
            message = f"coverage: found {self.coverage}, expected a share above 0, at most 1"
            raise ValueError(message)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Nothing beside this package changes the result."""
        return ()

    def fingerprint(self) -> Mapping[str, object]:
        """No model."""
        return {}


@dataclass(frozen=True, kw_only=True)
class FixedChunker(_Sized):
    """Windows of `size` characters, each `size − overlap` behind the last.

    A table row that a window would cut goes into the next one, if it is not longer than a window.
    """

    def cut(self, text: str) -> list[Piece]:
        """The windows of a text; one for an empty text."""
        rows = table_rows(text)
        found: list[Piece] = []
        start = 0
        while start < len(text):
            end = min(start + self.size, len(text))
            row = row_around(rows, end)
            if row is not None and row.start > start and len(text[row.start : row.end].rstrip()) <= self.size:
                end = row.start
            if found and end == found[-1].end:  # only what the last window holds already: on to the row itself
                start = end
                continue
            found.append(Piece(start, end))
            if end == len(text):
                break
            again = max(end - self.overlap, start + 1)
            row = row_around(rows, again)
            start = min(row.end, end) if row is not None and row.start > start else again
        return without_blanks(text, found)


@dataclass(frozen=True, kw_only=True)
class SentenceChunker(_Sized):
    """Whole sentences, as many as fit into `size`.

    A longer sentence is cut behind sentences that it quotes, then behind commas, then at white space, then
    anywhere. Of the chunk before as many whole sentences are repeated as fit into `overlap`.
    """

    def cut(self, text: str) -> list[Piece]:
        """The chunks of a text; one for an empty text."""
        return without_blanks(text, _by_sentences(text, Piece(0, len(text)), breaks(text).levels(), self))


@dataclass(frozen=True, kw_only=True)
class ClauseChunker(_Sized):
    """One chunk a clause; a longer one is cut as `SentenceChunker` does, and repeats nothing of another."""

    size: int = 800

    def cut(self, text: str) -> list[Piece]:
        """The clauses of a text; one for an empty text."""
        levels = breaks(text).levels()
        found = [piece for clause in clauses(text) for piece in _by_sentences(text, clause, levels, self)]
        return without_blanks(text, found)


def _by_sentences(text: str, piece: Piece, levels: tuple[tuple[int, ...], ...], settings: _Sized) -> list[Piece]:
    if len(text[piece.start : piece.end].rstrip()) <= settings.size:
        return [piece]
    units = [
        unit for sentence in between(piece, levels[0]) for unit in fitting(text, sentence, levels[1:], settings.size)
    ]
    return packed(text, units, settings.size, settings.overlap)
