"""Passages that were cut out of longer ones, and what became of the labels.

Legend: Q questions, N chunks, S source passages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.digest import digest_texts
from rag_ablation.core.qrels import Qrels

SPAN_SEPARATOR = "@"


class Piece(NamedTuple):
    """A stretch of a text, in code points; `end` is behind its last character."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunks:
    """A corpus after cutting.

    Args:
        passages: (N,) the chunks; all but id and text is inherited from the source.
        sources: (N,) int32, the row of the source passage.
        starts: (N,) int32, where a chunk begins in the source's text, in code points.
        ends: (N,) int32, behind its last character.
    """

    passages: Passages
    sources: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    @classmethod
    def of(cls, sources: Passages, pieces: Sequence[Sequence[Piece]]) -> "Chunks":
        """Cut passages; the id of a chunk is `<source id>@<start>-<end>`.

        Args:
            sources: (S,) the passages.
            pieces: (S,) the pieces of each text, at least one each and none twice.
        """
        cut = [
            (f"{source.id}{SPAN_SEPARATOR}{piece.start}-{piece.end}", row, piece)
            for row, (source, own) in enumerate(zip(sources.rows, pieces, strict=True))
            for piece in own
        ]
        cut.sort(key=lambda chunk: chunk[0])
        rows = tuple(
            replace(sources.rows[row], id=name, text=sources.rows[row].text[piece.start : piece.end])
            for name, row, piece in cut
        )
        columns = np.array([(row, *piece) for _, row, piece in cut], dtype=np.int32).reshape(-1, 3).T.copy()
        columns.setflags(write=False)
        return cls(Passages(rows, sources.template), columns[0], columns[1], columns[2])

    def digest(self) -> str:
        """Identity of the cut: which chunks there are, and their texts."""
        return digest_texts([text for row in self.passages.rows for text in (row.id, row.text)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabelling:
    """What became of the labels when passages were cut.

    Args:
        cut: the chunker in words, such as `fixed 400/80`: name, size, overlap.
        unit: evaluation unit that was chosen for want of one, None where the dataset's own or the user's holds.
        evidence: gold at the chunks, for a context that is handed the evidence itself.
        lost_grades: (Q,) int8, highest grade of a gold unit that no chunk covers, 0 for none; at the
            passage unit only.
        tallies: (Q,) int64 counts by name; they are summed in the record.
        n_sources: S.
    """

    cut: str
    unit: Unit | None
    evidence: Qrels
    lost_grades: NDArray[np.int8]
    tallies: Mapping[str, NDArray[np.int64]]
    n_sources: int

    def counts(self) -> dict[str, int]:
        """Sums of the tallies, with the number of source passages."""
        return {"sources": self.n_sources, **{name: int(tally.sum()) for name, tally in self.tallies.items()}}

    def select(self, query_rows: Sequence[int]) -> "Relabelling":
        """The same for these questions, ascending."""
        rows = list(query_rows)
        return replace(
            self,
            evidence=self.evidence.select(rows),
            lost_grades=self.lost_grades[rows],
            tallies={name: tally[rows] for name, tally in self.tallies.items()},
        )
