"""How long a family of comparisons takes: 20 steps, 10,000 resamples, 1,190 questions in groups and one by one.

python -m benchmarks.comparisons [QUESTIONS]

Beside it, the bootstrap with a Python loop over resamples, on a sample of them, from the same draws: its means must
be the same.
"""

import sys

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import timed
from rag_ablation.measures.bootstrap import RESAMPLES, bootstrap_intervals
from rag_ablation.measures.family import Comparison, Step, compare_family

STEPS = 20
QUESTIONS = 1_190
LOOPED = 200
LIMIT_S = 3.0


def made_steps(n: int) -> list[Step]:
    """Arms whose nDCG differs from their parent's on a third of the questions."""
    rng = np.random.default_rng(0)
    parent = rng.random(n)
    moved = (rng.random((STEPS, n)) < 1 / 3) * rng.normal(0.02, 0.3, (STEPS, n))
    return [Step(f"step {place + 1}", parent + gaps, parent) for place, gaps in enumerate(moved)]


def looped(gaps: NDArray[np.float64], groups: NDArray[np.int64], resamples: int) -> NDArray[np.float64]:
    """(C, 2) interval ends of a loop over resamples and comparisons, from the draws of the package."""
    n_groups = int(groups.max()) + 1
    sizes = np.bincount(groups, minlength=n_groups)
    draws = np.random.default_rng((0, n_groups)).integers(0, n_groups, size=(resamples, n_groups))
    ends = []
    for row in gaps:
        sums = np.bincount(groups, weights=row, minlength=n_groups)
        order = np.lexsort((sums, sizes))
        means = [sums[order][draw].sum() / sizes[order][draw].sum() for draw in draws]
        ends.append(np.quantile(means, (0.025, 0.975)))
    return np.array(ends)


def main() -> None:
    """Print the time of a family, and how the bootstrap compares with the loop."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS
    steps = made_steps(n)
    gaps = np.stack([step.child - step.parent for step in steps])
    for name, n_groups in (("one question in each group", n), ("about four", n // 4)):
        members = np.random.default_rng(1).integers(0, n_groups, n)
        groups = np.arange(n) if n_groups == n else np.unique(members, return_inverse=True)[1].astype(np.int64)
        found: list[Comparison] = []
        taken = timed(lambda groups=groups, found=found: found.extend(compare_family(steps, groups)))
        verdict = "within" if taken.wall_s < LIMIT_S else "OVER"
        print(f"{STEPS} steps x {RESAMPLES} resamples x {n} questions, {name} ({int(groups.max()) + 1} groups)")
        print(f"  the family, tests and words included: {taken}; {verdict} the limit of {LIMIT_S:.0f} s")
        ours = timed(lambda groups=groups: bootstrap_intervals(gaps, groups))
        ends: list[NDArray[np.float64]] = []
        slow = timed(lambda groups=groups, ends=ends: ends.append(looped(gaps, groups, LOOPED)))
        same = [[one.low, one.high] for one in bootstrap_intervals(gaps, groups, resamples=LOOPED)]
        if not np.allclose(ends[0], same, rtol=0, atol=1e-12):
            raise SystemExit("the intervals differ from those of the loop")
        print(f"  bootstrap: {ours.cpu_s:.2f} s CPU; a loop, from {LOOPED} resamples with the same ends: ", end="")
        print(f"about {slow.cpu_s * RESAMPLES / LOOPED:.1f} s CPU")


if __name__ == "__main__":
    main()
