"""A random sample that looks into every part of a whole, however small the part."""

from collections.abc import Mapping, Sequence

import numpy as np


def allocation(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    """How many to draw from each stratum: equally many, and all of one that has fewer.

    Args:
        sizes: members of each stratum.
        n: how many in all, at most as many as there are members.

    Returns:
        By stratum, in the order given; they sum to `n`.

    Raises:
        ValueError: more are asked for than there are.
    """
    if not 0 <= n <= sum(sizes.values()):
        message = f"n: found {n}, expected 0 to {sum(sizes.values())}"
        raise ValueError(message)
    drawn: dict[str, int] = {}
    smallest_first = sorted(sizes, key=lambda name: (sizes[name], name))
    for place, name in enumerate(smallest_first):
        drawn[name] = min(sizes[name], (n - sum(drawn.values())) // (len(sizes) - place))
    return {name: drawn[name] for name in sizes}


def stratified(strata: Mapping[str, Sequence[str]], n: int, seed: int) -> list[str]:
    """Draw without replacement from every stratum, and put what was drawn in random order.

    Args:
        strata: members of each; the order of members does not matter.
        n: how many in all.
        seed: of the draws.

    Raises:
        ValueError: see `allocation`.
    """
    rng = np.random.default_rng(seed)
    wanted = allocation({name: len(members) for name, members in strata.items()}, n)
    drawn: list[str] = []
    for name in sorted(strata):
        members = sorted(strata[name])
        drawn += [members[row] for row in rng.choice(len(members), wanted[name], replace=False)]
    return [drawn[row] for row in rng.permutation(len(drawn))]
