"""Several texts of one question: each searched by itself, and their rankings joined to one.

Legend: Q questions, M questions with several texts, K columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.core.results import StageResult
from rag_ablation.core.visibility import Visibility
from rag_ablation.stages._fusion import fuse_units
from rag_ablation.stages.base import Index

RANK_CONSTANT = 60
OF_QUESTIONS = "n_quer"
"""How the name of a fact begins that counts something of the questions; all others are of the corpus."""

Texts = Sequence[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is searched for.

    Args:
        queries: (Q,) questions as asked.
        texts: (Q,) one or more different texts of each.
        visible: what each question may see.
    """

    queries: Queries
    texts: Texts
    visible: Visibility

    @property
    def as_asked(self) -> bool:
        """Whether nothing but the questions themselves is searched for."""
        return all(texts == (asked,) for texts, asked in zip(self.texts, self.queries.texts, strict=True))

    def others(self) -> list[list[str]]:
        """(Q,) texts of each question that are not the question itself, in one order, however they were given."""
        return [sorted({*own} - {asked}) for own, asked in zip(self.texts, self.queries.texts, strict=True)]


class _Part(NamedTuple):
    """One search: the rows of the questions that it counts for, and what it found for these, in their order."""

    rows: NDArray[np.int64]
    result: StageResult


def search_texts(
    index: Index, depth: int, wanted: Wanted, search_asked: Callable[[], StageResult] | None = None
) -> StageResult:
    """Search for every text of every question, and join the rankings of a question's texts.

    A question with one text keeps the retriever's own ranking and scores. Those of several are joined by reciprocal
    rank fusion (rank constant 60), by exact sums and the tie rule of fusion, and cut at the depth. The questions as
    asked are searched together as if nothing had been rewritten, so that what is not rewritten stays the same to the
    bit; the order in which the texts of a question are given does not matter. Facts of questions count over all
    searches.

    Args:
        index: of the retriever.
        depth: the retriever's.
        wanted: what is searched for.
        search_asked: gives what the index finds for the questions as asked; None asks the index.
    """
    search_asked = search_asked or (lambda: index.search(wanted.queries, wanted.visible))
    if wanted.as_asked:
        return search_asked()
    parts = _parts(index, wanted, search_asked)
    n_texts = np.array([len(set(texts)) for texts in wanted.texts], dtype=np.int64)
    several = np.flatnonzero(n_texts > 1)
    joined = _joined(parts, several, depth)
    width = max([part.result.rankings.passages.shape[1] for part in parts] + [joined.passages.shape[1]])
    passages = np.full((len(n_texts), width), EMPTY, dtype=np.int32)
    scores = np.full((len(n_texts), width), np.nan)
    for rows, ranked in [*((part.rows, part.result.rankings) for part in parts), (several, joined)]:
        passages[rows], scores[rows] = EMPTY, np.nan
        columns = slice(0, ranked.passages.shape[1])
        passages[rows, columns], scores[rows, columns] = ranked.passages, ranked.scores
    facts = {**_facts([part.result for part in parts]), "n_texts": int(n_texts.sum()), "n_joined": int(several.size)}
    return StageResult(Rankings.from_order(passages, scores), facts)


def _parts(index: Index, wanted: Wanted, search_asked: Callable[[], StageResult]) -> list[_Part]:
    """The questions as asked in one search, where they are wanted, and the other texts, one of each in a search."""
    parts = []
    own = [asked in texts for asked, texts in zip(wanted.queries.texts, wanted.texts, strict=True)]
    if any(own):
        result, rows = search_asked(), np.flatnonzero(own)
        found = Rankings(result.rankings.passages[rows], result.rankings.scores[rows])
        parts.append(_Part(rows, replace(result, rankings=found)))
    others = wanted.others()
    for place in range(max(map(len, others), default=0)):
        chosen = [row for row, texts in enumerate(others) if len(texts) > place]
        asked = Queries(tuple(replace(wanted.queries.rows[row], text=others[row][place]) for row in chosen))
        result = index.search(asked, wanted.visible.select(chosen))
        parts.append(_Part(np.array(chosen, dtype=np.int64), result))
    return parts


def _joined(parts: Sequence[_Part], several: NDArray[np.int64], depth: int) -> Rankings:
    """(M, K) rankings of the questions with several texts."""
    if not several.size:
        return Rankings.empty(0)
    lists = []
    for part in parts:
        ranked = part.result.rankings.passages[:, :depth]
        aligned = np.full((several.size, ranked.shape[1]), EMPTY, dtype=np.int32)
        here = np.isin(part.rows, several)
        aligned[np.searchsorted(several, part.rows[here])] = ranked[here]
        lists.append(aligned)
    fused = fuse_units(lists, [Fraction(1)] * len(lists), RANK_CONSTANT)
    return Rankings.from_order(fused.units[:, :depth], fused.scores[:, :depth])


def _facts(results: Sequence[StageResult]) -> dict[str, object]:
    """Facts of the first search, with what it counts of questions summed over all, and every warning once."""
    found = dict(results[0].facts)
    for name, value in found.items():
        counts = [result.facts.get(name, 0) for result in results]
        if name.startswith(OF_QUESTIONS) and isinstance(value, int):
            found[name] = sum(count for count in counts if isinstance(count, int))
    warnings = [one for result in results for one in _listed(result.facts.get("warnings"))]
    return {**found, "warnings": list(dict.fromkeys(warnings))} if "warnings" in found else found


def _listed(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
