"""A split that a dataset brings along, taken as it is, and audited."""

from collections.abc import Collection

import numpy as np

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.holdout._audit import Sides, audit
from rag_ablation.holdout._plan import SplitSettings, form
from rag_ablation.holdout._splitfile import Split
from rag_ablation.holdout.components import graph
from rag_ablation.holdout.likeness import near


def take_split(benchmark: Benchmark, name: str, dev: Collection[str], holdout: Collection[str]) -> Split:
    """Make a split of sides that are given.

    The holdout stays whole, so that figures on it compare with published ones. A dev question that belongs
    together with one of the holdout is set aside, and so is a question of neither side.

    Args:
        benchmark: the whole dataset.
        name: name of the split.
        dev: ids of the questions to tune on.
        holdout: ids of the questions kept for the end.

    Raises:
        HoldoutError: a question is on both sides, or a side is left empty.
    """
    both = sorted(set(dev) & set(holdout))
    if both:
        message = (
            f"no split was written: the sides that were given share {len(both)} of their questions (first: "
            f"{both[0]!r}); expected none. Take the questions out of one of the two, or make a split of your own"
        )
        raise HoldoutError(message)
    settings = SplitSettings(name=name)
    joined = graph(benchmark, settings.linkage)
    ids = benchmark.queries.ids
    held = np.array([query in set(holdout) for query in ids], dtype=bool)
    given = np.array([query in set(dev) for query in ids], dtype=bool)
    kept = given & ~np.isin(joined.groups, joined.groups[held])
    if not held.any() or not kept.any():
        side = "dev" if held.any() else "holdout"
        message = f"no split was written: {side} would be empty, once no group of questions stands on both sides"
        raise HoldoutError(message)
    placed = np.flatnonzero(held | kept)
    found = audit(benchmark, joined, Sides(kept, held, held.astype(np.int64)))
    return Split(
        name=name,
        seed=settings.seed,
        holdout_share=float(held.sum() / placed.size),
        made_by=form(settings, near()) | {"taken": True},
        dev=tuple(ids[row] for row in np.flatnonzero(kept)),
        holdout=tuple(ids[row] for row in np.flatnonzero(held)),
        unassigned=tuple(ids[row] for row in np.flatnonzero(~held & ~kept)),
        groups={ids[row]: int(joined.groups[row]) for row in placed},
        fingerprints=benchmark.content_fingerprints,
        audit=found | {"set_aside_from_dev": int((given & ~kept).sum())},
    )
