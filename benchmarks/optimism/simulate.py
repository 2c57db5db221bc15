"""The simulation, cell by cell. A cell gives the same numbers whatever others are run.

Legend: R repetitions, A arms (the baseline first), Q questions of a side.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.calibration.made import CORRELATIONS, LARGEST_GROUP, SCORES, Floats, Groups, latent, made_scores
from rag_ablation.holdout.rule import Decision, Rule, Ruling, decide
from rag_ablation.measures.planning import ASSUMED_DEVIATIONS, Ends, wilson
from rag_ablation.measures.uncertainty import Interval, paired_difference

ARMS, GROUPS = 60, 100
SMALLEST = (0.0, 0.02)
DEV, HOLDOUT = 1, 2
AT_ONCE = 50
CONFIDENCE, BOUND = 0.95, 0.05

Decide = Callable[[Rule, dict[str, Interval]], Ruling]


class Side(NamedTuple):
    """Scores of every arm on one side of the split.

    Args:
        scores: (R, A, Q) the baseline first.
        groups: (Q,) group of each question.
    """

    scores: Floats
    groups: Groups

    def gap(self, repetition: int, arm: int) -> Interval:
        """Difference of one arm from the baseline."""
        scores = self.scores[repetition]
        return paired_difference(scores[arm], scores[0], self.groups, confidence=CONFIDENCE)


class Chosen(NamedTuple):
    """The arm that was chosen in one repetition.

    Args:
        dev: its difference from the baseline on the questions it was chosen on.
        holdout: the same on the holdout.
        decisions: what the rule comes to on the holdout, for each smallest difference.
    """

    dev: Interval
    holdout: Interval
    decisions: tuple[Decision, ...]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What came of choosing among arms of one quality.

    Args:
        kind: of the scores.
        correlation: of the scores of a group.
        n_arms: to choose from, without the baseline.
        n_dev: questions of dev.
        n_holdout: questions of the holdout.
        n_groups: groups of either side.
        dev: (R,) differences of the chosen arms on dev.
        holdout: (R,) differences of the same arms on the holdout.
        claimed: (R,) whether the unadjusted interval on dev lies above 0.
        decisions: (R,) what the rule came to, by smallest difference.
    """

    kind: str
    correlation: float
    n_arms: int
    n_dev: int
    n_holdout: int
    n_groups: int
    dev: Floats
    holdout: Floats
    claimed: tuple[bool, ...]
    decisions: dict[float, tuple[Decision, ...]]

    @property
    def repetitions(self) -> int:
        """R."""
        return len(self.claimed)

    def false_adopts(self, smallest: float) -> "Share":
        """How often the rule adopted the arm, which is no better than the baseline."""
        return share(self.decisions[smallest].count(Decision.ADOPT), self.repetitions)


class Share(NamedTuple):
    """A share of the repetitions, with its 95 % interval (Wilson)."""

    value: float
    ends: Ends


def share(count: int, repetitions: int) -> Share:
    """A count as a share of the repetitions."""
    return Share(count / repetitions, wilson(count / repetitions, repetitions))


def simulate(repetitions: int, decide_by: Decide = decide) -> list[Cell]:
    """Every cell."""
    return [cell(kind, one, repetitions=repetitions, decide_by=decide_by) for kind in SCORES for one in CORRELATIONS]


def cell(
    kind: str,
    correlation: float,
    *,
    repetitions: int,
    n_arms: int = ARMS,
    n_groups: int = GROUPS,
    decide_by: Decide = decide,
) -> Cell:
    """Choose the arm with the highest mean on dev, and look at it on the holdout; many times."""
    rules = [Rule("simulated", smallest, CONFIDENCE) for smallest in SMALLEST]
    found: list[Chosen] = []
    questions = 0, 0
    for dev, holdout in draws(kind, correlation, repetitions=repetitions, n_arms=n_arms, n_groups=n_groups):
        questions = dev.groups.size, holdout.groups.size
        for repetition, arm in enumerate(best(dev)):
            gap = holdout.gap(repetition, arm)
            decisions = tuple(decide_by(rule, {"baseline": gap}).decision for rule in rules)
            found.append(Chosen(dev.gap(repetition, arm), gap, decisions))
    return Cell(
        kind=kind,
        correlation=correlation,
        n_arms=n_arms,
        n_dev=questions[0],
        n_holdout=questions[1],
        n_groups=n_groups,
        dev=np.array([one.dev.mean for one in found], dtype=np.float64),
        holdout=np.array([one.holdout.mean for one in found], dtype=np.float64),
        claimed=tuple(one.dev.low is not None and one.dev.low > 0 for one in found),
        decisions={smallest: tuple(one.decisions[place] for one in found) for place, smallest in enumerate(SMALLEST)},
    )


def best(dev: Side) -> list[int]:
    """The arm with the highest mean in each repetition, the first of equals; never the baseline."""
    return (1 + dev.scores[:, 1:].mean(axis=-1).argmax(axis=1)).tolist()


def draws(
    kind: str, correlation: float, *, repetitions: int, n_arms: int, n_groups: int
) -> Iterator[tuple[Side, Side]]:
    """Dev and holdout of some repetitions at once; arms and baseline have one true mean on both."""
    rng = np.random.default_rng((SCORES.index(kind), int(100 * correlation), n_arms, n_groups))
    for start in range(0, repetitions, AT_ONCE):
        shape = min(AT_ONCE, repetitions - start), n_arms + 1
        dev, holdout = (
            Side(scores(kind, latent(rng, shape, groups, correlation)), groups)
            for groups in (sized_groups(n_groups, side) for side in (DEV, HOLDOUT))
        )
        yield dev, holdout


def sized_groups(n_groups: int, side: int) -> Groups:
    """(Q,) groups of 1 to 8 questions, always the same for a side and a number of groups."""
    sizes = np.random.default_rng((n_groups, side)).integers(1, LARGEST_GROUP + 1, size=n_groups)
    return np.repeat(np.arange(n_groups), sizes)


def scores(kind: str, drawn: Floats) -> Floats:
    """Scores from a latent variable; normal ones so that two arms differ by a standard deviation of .3."""
    made = made_scores(kind, drawn)
    return made * (ASSUMED_DEVIATIONS["other"] / math.sqrt(2)) if kind == "normal" else made


def broken(cells: list[Cell]) -> list[str]:
    """One sentence for each cell in which the rule, with a smallest difference of 0, adopts too often."""
    found = []
    for one in cells:
        rate = one.false_adopts(0.0)
        if rate.ends.low > BOUND:
            found.append(
                f"false adopts, {one.kind}, {one.n_groups} groups, correlation {one.correlation}: "
                f"{100 * rate.value:.1f} % (95 % interval from {100 * rate.ends.low:.1f} %), "
                f"expected at most {100 * BOUND:.0f} %"
            )
    return found
