"""Questions that moved between two arms, and where their first relevant unit stood.

Legend: Q questions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIRST_HIT = "mrr@"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """Rank of the first relevant unit of each question at one measuring point.

    Args:
        ranks: (Q,) from 1; NaN where a question is unscored or has none down to `depth`.
        depth: how far down was looked.
    """

    ranks: NDArray[np.float64]
    depth: int

    def at(self, row: int) -> int | None:
        """The rank of one question, None where there is none down to `depth`."""
        rank = self.ranks[row]
        return None if np.isnan(rank) else int(rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One question that moved.

    Args:
        row: its row among the questions.
        before: value in the one arm.
        after: value in the other.
    """

    row: int
    before: float
    after: float

    @property
    def difference(self) -> float:
        """After − before."""
        return self.after - self.before


def movers(query_ids: Sequence[str], before: NDArray[np.float64], after: NDArray[np.float64], most: int) -> list[Moved]:
    """Questions whose value differs, those that moved most first, then by id.

    Args:
        query_ids: (Q,) ids.
        before: (Q,) values of the one arm, NaN where unscored; such a question has not moved.
        after: (Q,) values of the other arm.
        most: how many to give.
    """
    gaps = np.nan_to_num(after - before)
    rows = sorted(np.flatnonzero(gaps).tolist(), key=lambda row: (-round(abs(float(gaps[row])), 12), query_ids[row]))
    return [Moved(row=row, before=float(before[row]), after=float(after[row])) for row in rows[:most]]


def first_ranks(values: Mapping[str, NDArray[np.float64]], point: str) -> Ranks | None:
    """Ranks of the first relevant unit, which the reciprocal rank tells; None where it was not measured.

    Args:
        values: (Q,) by `point/measure@cutoff`.
        point: measuring point.
    """
    prefix = f"{point}/{FIRST_HIT}"
    depth = max((int(name.removeprefix(prefix)) for name in values if name.startswith(prefix)), default=0)
    if not depth:
        return None
    reciprocal = values[f"{prefix}{depth}"]
    found = np.where(reciprocal > 0, reciprocal, np.nan)
    return Ranks(ranks=np.rint(1 / found), depth=depth)
