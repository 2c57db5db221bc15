"""How long it takes to decide the fates of 10,000 questions on five arms at depth 1,000, two gold units each.

python -m benchmarks.fates [QUESTIONS]

The rankings are made: gold stands somewhere in the first 2,000 of each list, so that a half is not retrieved. The arms
are two single retrievers, their fusion, and two rerankings of it. Beside it, one loop over units that looks every rank
up in Python lists (their making included), on a sample of the same questions, whose fates must be the same.
"""

import sys
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import timed
from rag_ablation.measures.fates import FATES, Fate, Fates, Units, Way, fates

QUESTIONS = 10_000
DEPTH = 1_000
PASSAGES = 50_000
GOLD = 2
POOL, CONTEXT = 50, 10
SAMPLED = 200
LIMIT_S = 5.0

Lists = NDArray[np.int32]


def made_list(rng: np.random.Generator, gold: NDArray[np.int64], depth: int) -> Lists:
    """(Q, depth) distinct passages, the gold ones at a random rank of twice the depth, beyond which they fall out."""
    n_questions = gold.shape[0]
    starts = rng.integers(0, PASSAGES, n_questions)
    listed = ((starts[:, None] + 7 * np.arange(depth)[None, :]) % PASSAGES).astype(np.int32)
    listed[(listed[:, :, None] == gold[:, None, :]).any(axis=2)] = PASSAGES
    for column in range(gold.shape[1]):
        # odd and even ranks, so that two gold passages never take the same place
        ranks = 2 * rng.integers(0, depth, n_questions) + column
        inside = np.flatnonzero(ranks < depth)
        listed[inside, ranks[inside]] = gold[inside, column]
    return listed


def made_arms(rng: np.random.Generator, gold: NDArray[np.int64], depth: int) -> list[Way]:
    """Two retrievers alone, their fusion, and two rerankings of it."""
    sparse, dense, fused = (made_list(rng, gold, depth) for _ in range(3))
    arms = [_way({"sparse": sparse}, None, sparse), _way({"dense": dense}, None, dense)]
    both = {"sparse": sparse, "dense": dense}
    arms.append(_way(both, fused, fused))
    for _ in range(2):
        last = fused.copy()
        last[:, :POOL] = rng.permuted(last[:, :POOL], axis=1)
        arms.append(_way(both, fused, last, pool=POOL))
    return arms


def _way(lists: Mapping[str, Lists], fused: Lists | None, last: Lists, pool: int | None = None) -> Way:
    return Way(
        lists=lists,
        window=last.shape[1],
        fused=fused,
        last=last,
        context=last[:, :CONTEXT],
        context_depth=CONTEXT,
        rerank_depth=pool,
    )


def one_by_one(way: Way, units: Units) -> list[Fate]:
    """The table of DESIGN 5.9 unit by unit, over Python lists; every passage is its own unit."""
    lists = [listed.tolist() for listed in way.lists.values()]
    fused = lists[0] if way.fused is None else way.fused.tolist()
    last = [] if way.last is None else way.last.tolist()
    context = way.context.tolist()
    found = []
    for query, unit in zip(units.query_rows.tolist(), units.unit_rows.tolist(), strict=True):
        rows = [listed[query] for listed in lists]
        found.append(_fate(way, unit, rows, fused[query], last[query], context[query]))
    return found


def _fate(
    way: Way, unit: int, lists: Sequence[list[int]], fused: list[int], last: list[int], context: list[int]
) -> Fate:
    m, b = way.context_depth, way.considered
    if unit in context:
        return Fate.KEPT
    if not any(unit in listed[: way.window] for listed in lists):
        return Fate.NOT_RETRIEVED
    if unit not in fused[:b]:
        return Fate.LOST_IN_FUSION if any(unit in listed[:b] for listed in lists) else Fate.RANKED_LOW
    if unit in last[:m]:
        return Fate.LOST_IN_CONTEXT
    return Fate.LOST_IN_RERANK if unit in fused[:m] else Fate.NOT_PROMOTED


def main() -> None:
    """Print the time, and how it compares with the loop."""
    n_questions = int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS
    rng = np.random.default_rng(0)
    gold = rng.integers(0, PASSAGES // 2, (n_questions, 1)) + np.arange(GOLD)[None, :] * (PASSAGES // 2)
    arms = made_arms(rng, gold, DEPTH)
    unit_rows = np.arange(PASSAGES + 1, dtype=np.int32)
    units = _units(gold, n_questions)
    found: list[Fates] = []
    taken = timed(lambda: found.extend(fates(way, unit_rows, units) for way in arms))
    gaps = timed(lambda: [one.gap() for one in found])
    verdict = "within" if taken.cpu_s + gaps.cpu_s < LIMIT_S else "OVER"
    print(f"{n_questions} questions x {len(arms)} arms x depth {DEPTH}, {GOLD} gold units each")
    print(f"  fates: {taken}; gap in points: {gaps}; {verdict} the limit of {LIMIT_S:.0f} s")
    sample = _units(gold, min(SAMPLED, n_questions))
    loop: list[list[Fate]] = []
    slow = timed(lambda: loop.extend(one_by_one(_head(way), sample) for way in arms))
    for one, other in zip(found, loop, strict=True):
        if [FATES[code] for code in one.codes[: len(other)].tolist()] != other:
            raise SystemExit("the fates differ from those of the loop")
    estimate = slow.cpu_s * n_questions / min(SAMPLED, n_questions)
    print(f"  unit by unit, from {min(SAMPLED, n_questions)} questions with the same fates: about {estimate:.1f} s CPU")
    print(f"  ratio: {estimate / taken.cpu_s:.1f}")


def _units(gold: NDArray[np.int64], n_questions: int) -> Units:
    n_gold = gold.shape[1]
    query_rows = np.repeat(np.arange(n_questions, dtype=np.int64), n_gold)
    return Units(query_rows, gold[:n_questions].reshape(-1), np.ones(query_rows.size, dtype=bool))


def _head(way: Way) -> Way:
    """The sampled questions only."""
    cut = {name: listed[:SAMPLED] for name, listed in way.lists.items()}
    fused = None if way.fused is None else way.fused[:SAMPLED]
    last = way.context if way.last is None else way.last
    return _way(cut, fused, last[:SAMPLED], way.rerank_depth)


if __name__ == "__main__":
    main()
