"""What the generator is shown.

Legend: Q questions, K columns, N passages.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.results import StageResult
from rag_ablation.stages._packing import Offer, Packing, beside, pack, padded
from rag_ablation.stages.base import REASONS, ContextInput, LeftOut, check_choice, check_whole_number


@dataclass(frozen=True, slots=True, kw_only=True)
class TopContext(Packing):
    """The head of the last ranking.

    Args:
        unit: within a unit only the first passage is taken, the others are duplicates: `passage` (no
            duplicates), `clause` or `document`.
        neighbours: passages before and after each one, in its document, that are taken with it.
    """

    unit: Literal["passage", "clause", "document"] = "passage"
    neighbours: int = 0

    def __post_init__(self) -> None:
        """Check ranges."""
        Packing.__post_init__(self)
        check_choice("unit", self.unit, tuple(Unit))
        check_whole_number("neighbours", self.neighbours, least=0)

    @property
    def needs_ranking(self) -> bool:
        """A context of ranked passages needs a ranking."""
        return True

    @property
    def needs_gold(self) -> bool:
        """It looks at no label."""
        return False

    def build(self, given: ContextInput) -> StageResult:
        """The first `depth` passages of each ranking, in their order, as far as they fit.

        Raises:
            ValueError: there is no ranking.
        """
        if given.ranking is None:
            message = "context=top needs a ranking"
            raise ValueError(message)
        unit_rows = None if self.unit == "passage" else given.corpus.unit_rows(Unit(self.unit))
        offer = Offer(given.ranking.head(self.depth).passages, unit_rows, self.neighbours)
        return pack(self, offer, given.corpus, given.visible)


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldContext(Packing):
    """The visible gold evidence itself: the ceiling of what any ranking could hand over.

    Args:
        relevant_from: least grade that counts as evidence; the run's own setting.
        distractors: how many of the top-ranked passages that are no evidence follow the gold.
    """

    relevant_from: int = 1
    distractors: int = 0

    def __post_init__(self) -> None:
        """Check ranges."""
        Packing.__post_init__(self)
        check_whole_number("relevant_from", self.relevant_from)
        check_whole_number("distractors", self.distractors, least=0)

    @property
    def needs_ranking(self) -> bool:
        """Gold needs no ranking; distractors do."""
        return self.distractors > 0

    @property
    def needs_gold(self) -> bool:
        """It is made of labels."""
        return True

    def build(self, given: ContextInput) -> StageResult:
        """Gold passages by grade down, then passage row up, then the distractors, as far as they fit.

        Raises:
            ValueError: distractors are wanted and there is no ranking.
        """
        gold = self._gold(given)
        if self.distractors and given.ranking is None:
            message = "context=gold with distractors needs a ranking"
            raise ValueError(message)
        follow = [[] for _ in gold] if given.ranking is None else self._distractors(given.ranking.passages, gold)
        taken = padded([[*row[: self.depth], *more] for row, more in zip(gold, follow, strict=True)])
        result = pack(self, Offer(taken), given.corpus, given.visible)
        beyond = [row[self.depth :] for row in gold]
        arrays = dict(result.arrays) | {
            "offered": padded([[*row, *more] for row, more in zip(gold, follow, strict=True)]),
            "left_out": beside(result.arrays["left_out"], beyond),
            "left_out_why": beside(
                result.arrays["left_out_why"], [[REASONS.index(LeftOut.MAX_PASSAGES)] * len(row) for row in beyond]
            ),
        }
        shown = [set(row) for row in result.rankings.passages.tolist()]
        left_out = sum(1 for row, some in zip(gold, shown, strict=True) for passage in row if passage not in some)
        return StageResult(result.rankings, {**result.facts, "n_gold_left_out": left_out}, arrays)

    def _distractors(self, ranked: NDArray[np.int32], gold: list[list[int]]) -> list[list[int]]:
        return [_without(row, set(some))[: self.distractors] for row, some in zip(ranked, gold, strict=True)]

    def _gold(self, given: ContextInput) -> list[list[int]]:
        relevant = given.gold.grades >= self.relevant_from
        query_rows, passages = given.gold.query_rows[relevant], given.gold.unit_rows[relevant]
        grades = given.gold.grades[relevant].astype(np.int64)
        order = np.lexsort((passages, -grades, query_rows))
        found: list[list[int]] = [[] for _ in range(len(given.queries))]
        for query, passage in zip(query_rows[order].tolist(), passages[order].tolist(), strict=True):
            found[query].append(passage)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomContext(Packing):
    """Visible passages at random: what a context is worth that was not searched for.

    Args:
        seed: 0 or more; the draw of a question depends on it and on the question's id alone.
    """

    seed: int = 0

    def __post_init__(self) -> None:
        """Check ranges."""
        Packing.__post_init__(self)
        check_whole_number("seed", self.seed, least=0)

    @property
    def needs_ranking(self) -> bool:
        """Nothing is ranked."""
        return False

    @property
    def needs_gold(self) -> bool:
        """It looks at no label."""
        return False

    def build(self, given: ContextInput) -> StageResult:
        """`depth` distinct visible passages of each question, in random order, as far as they fit."""
        drawn = []
        for row, name in enumerate(given.queries.ids):
            there = np.flatnonzero(given.visible.mask(row))
            start = int.from_bytes(sha256(f"{self.seed}\n{name}".encode()).digest()[:8], "big")
            order = np.random.default_rng(start).permutation(there.size)[: self.depth]
            drawn.append(there[order].tolist())
        return pack(self, Offer(padded(drawn)), given.corpus, given.visible)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedBook(Packing):
    """Nothing at all: what a generator knows without retrieval.

    It takes the limits of the other contexts, so that one sweep can set them for all; they are without effect.
    """

    @property
    def needs_ranking(self) -> bool:
        """Nothing is ranked."""
        return False

    @property
    def needs_gold(self) -> bool:
        """It looks at no label."""
        return False

    def build(self, given: ContextInput) -> StageResult:
        """An empty context for every question."""
        return pack(self, Offer(padded([[] for _ in given.queries.ids])), given.corpus, given.visible)


def _without(ranked: NDArray[np.int32], gold: set[int]) -> list[int]:
    return [passage for passage in ranked.tolist() if passage >= 0 and passage not in gold]
