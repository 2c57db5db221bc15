"""Which cells have a bound, and which of them are outside."""

import math
from collections.abc import Iterator

from benchmarks.calibration.made import SPARSE_KIND
from benchmarks.calibration.simulate import Calibration, Cell, Coverage
from rag_ablation.measures.family import ALPHA, GROUPS_WITHOUT_WARNING

ENOUGH = 2_000
"""From so many repetitions on the share itself must lie within its bound."""
COVERAGE = (0.93, 0.97)
ERRORS_ALLOWED = 3.0


def is_bounded(cell: Coverage) -> bool:
    """Whether coverage is promised: not for one-sided sparse differences, and not under 20 groups."""
    return cell.kind != SPARSE_KIND and cell.n_groups >= GROUPS_WITHOUT_WARNING


def broken(found: Calibration) -> list[str]:
    """One sentence for each bound that is broken.

    Coverage of a paired difference by group is 93 to 97 % where it is promised; the family-wise error is at most
    5 %, of adjusted p and of the words. A run of fewer than 2,000 repetitions cannot tell so finely: there three
    standard errors of the simulation are allowed.
    """
    return [
        f"{what}, {_told(cell)}: {100 * share:.1f} %, expected {_expected(low, high)}"
        for what, cell, share, low, high in _bounded(found)
        if not low - slack(low, found.repetitions) <= share <= high + slack(high, found.repetitions)
    ]


def n_bounded(found: Calibration) -> int:
    """How many shares were held against a bound."""
    return sum(1 for _ in _bounded(found))


def slack(bound: float, repetitions: int) -> float:
    """How far beyond a bound a share may lie."""
    return 0.0 if repetitions >= ENOUGH else ERRORS_ALLOWED * math.sqrt(bound * (1 - bound) / repetitions)


def _bounded(found: Calibration) -> Iterator[tuple[str, Cell, float, float, float]]:
    for cell in found.coverages:
        if is_bounded(cell):
            yield "coverage", cell, cell.by_group, *COVERAGE
    for family in found.claims:
        yield "family-wise error of adjusted p", family, family.adjusted, 0.0, ALPHA
        yield "family-wise error of the words", family, family.words, 0.0, ALPHA


def _expected(low: float, high: float) -> str:
    return f"{100 * low:.0f} to {100 * high:.0f} %" if low else f"at most {100 * high:.0f} %"


def _told(cell: Cell) -> str:
    return f"{cell.kind}, {cell.n} questions ({cell.n_groups} groups), correlation {cell.correlation}"
