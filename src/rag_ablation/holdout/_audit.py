"""What came of a split, in numbers and ids, never in labels."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.evalset import Benchmark
from rag_ablation.holdout.components import NEAREST_FROM, Graph

MOST_PAIRS = 10
SEEN = "seen_before"
"""Key of the counts of questions that had been looked at when the split was made; not there where none had."""
DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Sides:
    """Where each question went.

    Args:
        dev: (Q,) bool.
        holdout: (Q,) bool.
        folds: (Q,) int64, number of the holdout fold from 1; 0 outside the holdout.
    """

    dev: NDArray[np.bool_]
    holdout: NDArray[np.bool_]
    folds: NDArray[np.int64]


def audit(benchmark: Benchmark, graph: Graph, sides: Sides) -> dict[str, object]:
    """Sizes, achieved shares, and what is most alike across the sides.

    Args:
        benchmark: the whole dataset.
        graph: what joins its questions.
        sides: where they went.
    """
    types = benchmark.queries.types
    numbers, held, dev = graph.groups, sides.holdout, sides.dev
    placed = held | dev
    sizes = Counter(Counter(numbers[placed].tolist()).values())
    by_type = Counter(np.array(types)[placed].tolist())
    held_by_type = Counter(np.array(types)[held].tolist())
    n = int(placed.sum())
    found: dict[str, object] = {
        "n": n,
        "groups": len(set(numbers[placed].tolist())),
        "questions_by_side": {"dev": int(dev.sum()), "holdout": int(held.sum())},
        "groups_by_side": {"dev": _distinct(numbers[dev]), "holdout": _distinct(numbers[held])},
        "component_sizes": {str(size): sizes[size] for size in sorted(sizes)},
        "largest_group": max(sizes, default=0),
        "share": int(held.sum()) / n,
        "share_by_type": {t: held_by_type[t] / by_type[t] for t in sorted(by_type)},
        "gold_locations_on_both_sides": graph.n_parted(held, dev),
        "joined_by_text_alone": int(graph.by_text_alone[placed].sum()),
        "nearest_across": nearest(benchmark.queries.ids, graph, sides),
        "nearest_from": NEAREST_FROM,
    }
    if sides.folds.max(initial=0) > 1:
        found["questions_by_fold"] = _by_fold(sides.folds)
        found["groups_by_fold"] = {
            str(fold): _distinct(numbers[sides.folds == fold]) for fold in range(1, int(sides.folds.max()) + 1)
        }
    return found


def nearest(ids: Sequence[str], graph: Graph, sides: Sides) -> list[Mapping[str, object]]:
    """The pairs of question texts across the sides that are most alike, at most ten."""
    pairs = graph.pairs
    across = (sides.dev[pairs.left] & sides.holdout[pairs.right]) | (sides.holdout[pairs.left] & sides.dev[pairs.right])
    rows = sorted(np.flatnonzero(across).tolist(), key=lambda row: (-pairs.likeness[row], row))[:MOST_PAIRS]
    found: list[Mapping[str, object]] = []
    for row in rows:
        left, right = int(pairs.left[row]), int(pairs.right[row])
        dev, holdout = (left, right) if sides.dev[left] else (right, left)
        found.append(
            {"dev": ids[dev], "holdout": ids[holdout], "likeness": round(float(pairs.likeness[row]), DECIMALS)}
        )
    return found


def _by_fold(folds: NDArray[np.int64]) -> dict[str, int]:
    return {str(fold): int((folds == fold).sum()) for fold in range(1, int(folds.max()) + 1)}


def _distinct(numbers: NDArray[np.integer]) -> int:
    return len(set(numbers.tolist()))
