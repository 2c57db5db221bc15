"""A measure by the name a person types."""

from collections.abc import Sequence
from pathlib import Path

from rag_ablation.core.errors import CommandError

PRIMARY = "final/ndcg@10"


def unknown_measure(name: str, known: Sequence[str], folder: Path) -> CommandError:
    """That a run has no such measure, with those that it has at that measuring point, else its points.

    Args:
        name: what was asked for.
        known: names of the values that the run has.
        folder: of the run.
    """
    by_point: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for other in known:
        point, _, measure = other.partition("/")
        names, cutoffs = by_point.setdefault(point, ({}, {}))
        names[measure.partition("@")[0]] = cutoffs[measure.partition("@")[2]] = None
    point = name.partition("/")[0]
    if point in by_point:
        names, cutoffs = by_point[point]
        which = f"MEASURE one of {', '.join(names)}"
        cut = ", ".join(filter(None, cutoffs))
        expected = f"{point}/MEASURE@K, {which}; K one of {cut}" if cut else f"{point}/MEASURE, {which}"
    else:
        expected = f"POINT/MEASURE@K with one of the points {', '.join(by_point)}, such as {known[0]}"
    return CommandError.of("--measure", repr(name), expected, file=str(folder))
