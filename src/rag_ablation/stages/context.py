"""What the generator is shown.

Legend: Q questions, C passages in a context.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.stages.base import ContextInput, check_whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class TopContext:
    """The head of the last ranking.

    Args:
        depth: most passages in a context.
    """

    depth: int = 10

    def __post_init__(self) -> None:
        """Check ranges."""
        check_whole_number("depth", self.depth)

    @property
    def needs_ranking(self) -> bool:
        """A context of ranked passages needs a ranking."""
        return True

    @property
    def libraries(self) -> tuple[str, ...]:
        """Nothing beside this file changes the result."""
        return ()

    def fingerprint(self) -> Mapping[str, object]:
        """No model."""
        return {}

    def build(self, given: ContextInput) -> StageResult:
        """The first `depth` passages of each ranking, in their order.

        Raises:
            ValueError: there is no ranking.
        """
        if given.ranking is None:
            message = "context=top needs a ranking"
            raise ValueError(message)
        head = given.ranking.head(self.depth)
        return StageResult(Rankings.from_order(head.passages), {"context_depth": self.depth})


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldContext:
    """The visible gold evidence itself: the ceiling of what any ranking could hand over.

    Args:
        depth: most passages in a context.
        relevant_from: least grade that counts as evidence; the run's own setting.
    """

    depth: int = 10
    relevant_from: int = 1

    def __post_init__(self) -> None:
        """Check ranges."""
        check_whole_number("depth", self.depth)
        check_whole_number("relevant_from", self.relevant_from)

    @property
    def needs_ranking(self) -> bool:
        """Gold needs no ranking."""
        return False

    @property
    def libraries(self) -> tuple[str, ...]:
        """Nothing beside this file changes the result."""
        return ()

    def fingerprint(self) -> Mapping[str, object]:
        """No model."""
        return {}

    def build(self, given: ContextInput) -> StageResult:
        """Gold passages by grade down, then passage row up; what `depth` leaves out is counted."""
        gold = given.gold
        relevant = gold.grades >= self.relevant_from
        query_rows, units = gold.query_rows[relevant], gold.unit_rows[relevant]
        grades = gold.grades[relevant].astype(np.int64)
        order = np.lexsort((units, -grades, query_rows))
        query_rows, units = query_rows[order], units[order]
        first = np.searchsorted(query_rows, query_rows)
        place = np.arange(query_rows.size) - first
        fits = place < self.depth
        passages = np.full((len(given.queries), self.depth), EMPTY, dtype=np.int32)
        passages[query_rows[fits], place[fits]] = units[fits]
        facts = {"context_depth": self.depth, "n_gold_left_out": int(np.count_nonzero(~fits))}
        return StageResult(Rankings.from_order(passages), facts)
