"""A split that grows: every question keeps its side, new ones find theirs.

Legend: Q questions, G groups.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.holdout._allocate import Target, allocate
from rag_ablation.holdout._audit import SEEN, Sides, audit
from rag_ablation.holdout._plan import stratum
from rag_ablation.holdout._splitfile import Split
from rag_ablation.holdout.components import Graph, Linkage, graph
from rag_ablation.holdout.meaning import Meaning

UNPLACED = -1


@dataclass(frozen=True, slots=True)
class _Growth:
    """What an extension found.

    Args:
        folds: (Q,) 0 for dev, the number of the holdout fold from 1, −1 where set aside.
        parted: groups of the new graph that have old questions on several sides or folds.
    """

    folds: NDArray[np.int64]
    parted: frozenset[int]


def extend_split(benchmark: Benchmark, split: Split) -> Split:
    """Place the questions that a split does not know, and leave every other where it is.

    A new question goes where its group is. A new group is allocated with the seed of the split, so that the
    holdout comes nearest to its share. A new question whose group has questions on both sides (or in two
    folds) is set aside. Old questions that new labels connect across the sides are counted and never moved.

    Args:
        benchmark: the whole dataset, as it is now.
        split: the split, as it was.

    Returns:
        The split for the data as it is, to be written in the place of the old one.

    Raises:
        HoldoutError: none of the split's questions is in the data, or a side would be empty.
    """
    known = {*split.dev, *split.holdout}
    ids = benchmark.queries.ids
    if not known & set(ids):
        message = f"none of the questions of the split {split.name!r} is in the data: make a split under another name"
        raise HoldoutError(message)
    joined = graph_of(benchmark, split)
    grown = _grow(benchmark, split, joined)
    numbers = _numbers(joined, grown)
    dev, held = grown.folds == 0, grown.folds > 0
    empty = [f"holdout fold {fold}" for fold in range(1, split.folds + 1) if not (grown.folds == fold).any()]
    empty = (["holdout"] if not held.any() else empty) + ([] if dev.any() else ["dev"])
    if empty:
        message = (
            f"the split {split.name!r} cannot be extended: {' and '.join(empty)} would be empty, since none of its "
            "questions is left; bring them back, or remove the split's file and make a new one"
        )
        raise HoldoutError(message)
    placed = dict(zip(ids, numbers.tolist(), strict=True))
    new = set(ids) - known - set(split.unassigned)
    found = audit(benchmark, joined, Sides(dev, held, np.maximum(grown.folds, 0))) | {
        "new_questions": len(new),
        "removed_questions": len(known - set(ids)),
        "groups_on_both_sides": len(grown.parted),
    }
    found |= {SEEN: split.audit[SEEN]} if SEEN in split.audit else {}
    return Split(
        name=split.name,
        seed=split.seed,
        holdout_share=split.holdout_share,
        made_by=split.made_by,
        dev=_names(ids, dev),
        holdout=_names(ids, held),
        groups={name: placed[name] for name in (*_names(ids, dev), *_names(ids, held))},
        fold_of={ids[row]: int(grown.folds[row]) for row in np.flatnonzero(held)} if split.fold_of else {},
        unassigned=_names(ids, grown.folds == UNPLACED),
        fingerprints=benchmark.content_fingerprints,
        audit=found,
        extends=(*split.extends, split.digest()),
    )


def graph_of(benchmark: Benchmark, split: Split) -> Graph:
    """What joins the questions by the settings with which a split was made.

    Raises:
        ModelError: its embedding model cannot be had.
    """
    given = split.made_by.get("meaning")
    meaning = Meaning(str(given["model"]), float(given["cosine"])) if isinstance(given, Mapping) else None
    return graph(benchmark, Linkage(str(split.made_by["linkage"])), meaning)


def _grow(benchmark: Benchmark, split: Split, joined: Graph) -> _Growth:
    ids = benchmark.queries.ids
    old = dict.fromkeys(split.dev, 0) | {name: split.fold_of.get(name, 1) for name in split.holdout}
    sides: defaultdict[int, set[int]] = defaultdict(set)
    for name, group in zip(ids, joined.groups.tolist(), strict=True):
        if name in old:
            sides[group].add(old[name])
    fresh = sorted(set(joined.groups.tolist()) - sides.keys())
    placed = _allocate(benchmark, split, joined, fresh)
    folds = np.full(len(ids), UNPLACED, dtype=np.int64)
    for row, (name, group) in enumerate(zip(ids, joined.groups.tolist(), strict=True)):
        if name in old:
            folds[row] = old[name]
        elif group in placed:
            folds[row] = placed[group]
        elif len(sides[group]) == 1:
            folds[row] = next(iter(sides[group]))
    return _Growth(folds, frozenset(group for group, some in sides.items() if len(some) > 1))


def _allocate(benchmark: Benchmark, split: Split, joined: Graph, fresh: list[int]) -> dict[int, int]:
    """Fold of each new group; the holdout's folds in turn, the emptiest first."""
    fields = split.made_by.get("stratify")
    names = [str(name) for name in fields] if isinstance(fields, list) else []
    members: dict[int, Counter[str]] = {group: Counter() for group in fresh}
    for query, group in zip(benchmark.queries.rows, joined.groups.tolist(), strict=True):
        if group in members:
            members[group][stratum(query, names)] += 1
    if not members:
        return {}
    n_new = sum(map(Counter.total, members.values()))
    still = {*benchmark.queries.ids}
    held = sum(name in still for name in split.holdout)
    n_old = held + sum(name in still for name in split.dev)
    share = (split.holdout_share * (n_old + n_new) - held) / n_new
    groups = [members[group] for group in fresh]
    if len(groups) == 1 or not 0 < share < 1:
        chosen = [share >= 0.5] * len(groups)
    else:
        chosen = allocate(groups, Target(share, sum(groups, Counter())), split.seed)
    sizes = Counter({fold: sum(name in still for name in split.fold(fold)) for fold in range(1, split.folds + 1)})
    placed: dict[int, int] = {}
    for group, out in zip(fresh, chosen, strict=True):
        fold = min(sizes, key=lambda number: (sizes[number], number)) if out else 0
        placed[group] = fold
        if out:
            sizes[fold] += members[group].total()
    return placed


def _numbers(joined: Graph, grown: _Growth) -> NDArray[np.int64]:
    """Group numbers; a group that stands on several sides has one number on each."""
    numbers = joined.groups.astype(np.int64)
    following = int(numbers.max(initial=-1)) + 1
    for group in sorted(grown.parted):
        rows = joined.groups == group
        for fold in sorted(set(grown.folds[rows].tolist()) - {UNPLACED})[1:]:
            numbers[rows & (grown.folds == fold)] = following
            following += 1
    return numbers


def _names(ids: tuple[str, ...], chosen: NDArray[np.bool_]) -> tuple[str, ...]:
    return tuple(name for name, here in zip(ids, chosen.tolist(), strict=True) if here)
