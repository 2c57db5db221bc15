"""Groups to sides. Legend: G groups, S strata, H questions in the holdout."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ATTEMPTS = 32
MOST_PASSES = 50
TOLERANCE = 0.05
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Target:
    """How much of each stratum, and of the whole, the holdout should get, and by how much it may miss that."""

    share: float
    strata: Counter[str]
    tolerance: float = TOLERANCE

    @property
    def n_questions(self) -> int:
        """Number of questions."""
        return self.strata.total()

    @property
    def slack(self) -> float:
        """By how many questions the holdout may miss its share: the tolerance, but at least one question."""
        return max(self.tolerance * self.n_questions, 1.0)

    def met(self, n_holdout: int) -> bool:
        """Whether both sides have questions and the share is near enough."""
        return 0 < n_holdout < self.n_questions and self.off(n_holdout) <= self.slack + EQUAL

    def off(self, n_holdout: int) -> float:
        """By how many questions the holdout misses its share."""
        return abs(n_holdout - self.share * self.n_questions)


def allocate(members: Sequence[Counter[str]], target: Target, seed: int) -> list[bool]:
    """Choose the groups of the holdout.

    Groups are taken in a seeded order, the largest first, and each goes to the side that still lacks
    more of what the group holds, stratum by stratum; then single moves that bring the strata and the
    total nearer to their share are made until there is none. If the share is missed, up to 31 more orders
    are tried. Only the raw stream of PCG64, which NumPy never changes, and exactly rounded sums are used,
    so that the same seed gives the same sides on every machine and version.

    Args:
        members: (G,) questions of each group by stratum, in an order that depends on ids alone.
        target: wanted part of the holdout.
        seed: 0 or more.

    Returns:
        (G,) True where a group is in the holdout; the nearest attempt where none came near enough.
    """
    stream = np.random.PCG64(seed)
    best: list[bool] = []
    for attempt in range(ATTEMPTS):
        keys = [int(key) for key in stream.random_raw(len(members))]
        coins = [bool(int(coin) >> 63) for coin in stream.random_raw(len(members))]
        order = sorted(range(len(members)), key=lambda group: (keys[group], group))
        if attempt == 0:
            order.sort(key=lambda group: -members[group].total())
        chosen = _fill(members, order, coins, target)
        _improve(members, order, chosen, target)
        if not best or target.off(_size(members, chosen)) < target.off(_size(members, best)) - EQUAL:
            best = chosen
        if target.met(_size(members, best)):
            break
    return best


def _fill(members: Sequence[Counter[str]], order: Sequence[int], coins: Sequence[bool], target: Target) -> list[bool]:
    """One pass over the groups."""
    got = {side: Counter[str]() for side in (False, True)}
    part = {True: target.share, False: 1 - target.share}
    chosen = [False] * len(members)
    for group in order:
        size = members[group].total()
        over = {side: got[side].total() + size > part[side] * target.n_questions + EQUAL for side in (False, True)}
        if over[True] != over[False]:
            chosen[group] = over[False]
        else:
            lack = {side: _lack(members[group], got[side], part[side], target) for side in (False, True)}
            chosen[group] = coins[group] if abs(lack[True] - lack[False]) <= EQUAL else lack[True] > lack[False]
        got[chosen[group]] += members[group]
    return chosen


def _lack(group: Counter[str], got: Counter[str], part: float, target: Target) -> float:
    """How far a side is from its share of what a group holds: 1 where it has nothing, 0 where it is full."""
    return math.fsum(n * (1 - got[name] / (part * target.strata[name])) for name, n in group.items()) / group.total()


def _improve(members: Sequence[Counter[str]], order: Sequence[int], chosen: list[bool], target: Target) -> None:
    """Move single groups while that lowers the squared distances; never empty a side, fill an empty one."""
    off = {name: -target.share * n for name, n in target.strata.items()}
    for group, side in enumerate(chosen):
        for name, n in members[group].items():
            off[name] += n * side
    held = _size(members, chosen)
    for _ in range(MOST_PASSES):
        moved = False
        for group in order:
            size = members[group].total()
            sign = -1 if chosen[group] else 1
            if not 0 < held + sign * size < target.n_questions:
                continue
            total = held - target.share * target.n_questions
            change = [size * (2 * sign * total + size)]
            change += [n * (2 * sign * off[name] + n) for name, n in members[group].items()]
            if math.fsum(change) < -EQUAL or held in (0, target.n_questions):
                chosen[group], moved, held = not chosen[group], True, held + sign * size
                for name, n in members[group].items():
                    off[name] += sign * n
        if not moved:
            return


def _size(members: Sequence[Counter[str]], chosen: Sequence[bool]) -> int:
    return sum(group.total() for group, side in zip(members, chosen, strict=True) if side)
