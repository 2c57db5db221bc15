from collections.abc import Iterable, Iterator
from typing import BinaryIO

from rag_ablation.core.corpus import Passage
from rag_ablation.core.errors import DataError
from rag_ablation.data._folder import CORPUS
from rag_ablation.data._index import CorpusIndex
from rag_ablation.data.native import passage_at

MOST_NEAR = 64


class CorpusFile:
    """Passages read again from their place in the file, when their text is wanted after all.

    Args:
        handle: the corpus.
        index: what the first reading found.
        kept: rows of the passages that stay in memory once read; of others the last few.
    """

    def __init__(self, handle: BinaryIO, index: CorpusIndex, kept: Iterable[int]) -> None:
        self.handle, self.index = handle, index
        self.rows = sorted(set(kept))
        self._kept = {row: self._read(row) for row in self.rows}
        self._near: dict[int, Passage] = {}

    def passage(self, row: int) -> Passage:
        """One passage."""
        found = self._kept.get(row) or self._near.get(row)
        if found is None:
            if len(self._near) >= MOST_NEAR:
                del self._near[next(iter(self._near))]
            found = self._near[row] = self._read(row)
        return found

    def kept(self) -> tuple[Passage, ...]:
        """The passages in memory, in id order."""
        return tuple(sorted(self._kept.values(), key=lambda passage: passage.id))

    def in_order(self) -> Iterator[Passage]:
        """The whole corpus in id order, one passage at a time."""
        for name in sorted(self.index.line_of):
            yield self._read(self.index.row(name))

    def _read(self, row: int) -> Passage:
        line, offset = self.index.place(row)
        again = passage_at(CORPUS, self.handle, line, offset)
        if again is None or again.content != self.index.content(row):
            raise DataError.of("line", "other content than a moment ago", "a file at rest", file=CORPUS, line=line)
        return again.passage
