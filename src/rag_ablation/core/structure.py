"""The corpus as a context builder walks it: what belongs together, and what stands beside what.

Legend: N passages.
"""

from collections import defaultdict
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.digest import digest_json
from rag_ablation.core.order import natural


class Structure:
    """Documents, units and texts of a corpus; each is worked out once, when first asked for.

    Args:
        passages: (N,) the corpus.
    """

    def __init__(self, passages: Passages) -> None:
        """Nothing is worked out yet."""
        self.passages = passages
        self._units: dict[Unit, NDArray[np.int32]] = {}

    def digest(self) -> str:
        """Of where each passage stands: what duplicates and neighbours depend on."""
        return digest_json([[passage.doc_id, passage.location] for passage in self.passages.rows])

    def text(self, row: int) -> str:
        """A passage as every stage reads it."""
        return self.passages.text(row)

    def unit_rows(self, unit: Unit) -> NDArray[np.int32]:
        """(N,) unit of each passage."""
        if unit not in self._units:
            self._units[unit] = self.passages.units(unit).rows
        return self._units[unit]

    def neighbours(self, row: int, count: int) -> list[int]:
        """The passages before and after one in its document, the nearest first, before before after."""
        if not count:
            return []
        document, place = self._documents[self.passages.rows[row].doc_id], self._places[row]
        near = [place + side * distance for distance in range(1, count + 1) for side in (-1, 1)]
        return [document[other] for other in near if 0 <= other < len(document)]

    def place(self, row: int) -> int:
        """Place of a passage in its document, from 0."""
        return self._places[row]

    @cached_property
    def _documents(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        rows = self.passages.rows
        for row, passage in enumerate(rows):
            found[passage.doc_id].append(row)
        for some in found.values():
            some.sort(key=lambda row: (natural(rows[row].location or ""), natural(rows[row].id)))
        return dict(found)

    @cached_property
    def _places(self) -> dict[int, int]:
        return {row: place for some in self._documents.values() for place, row in enumerate(some)}
