"""Which steps of a ladder a reader is told of first, and which arm stands on decided ground."""

from collections.abc import Sequence
from typing import NamedTuple

from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Word
from rag_ablation.report.study.content import LadderRow, LadderStep

MOST_SHOWN = 3


class Choice(NamedTuple):
    """The steps of the conclusion.

    Args:
        gain: the arm that is better than its better parent: the last of the ladder, unless an earlier one stands
            higher on these questions, which would make the later one no news.
        loss: the largest decided loss against a better parent.
        open: the undecided step against a better parent that came nearest to a decision.
    """

    gain: LadderStep | None
    loss: LadderStep | None
    open: LadderStep | None

    def steps(self) -> tuple[LadderStep, ...]:
        """Those that there are."""
        return tuple(step for step in self if step is not None)


def chosen(rows: Sequence[LadderRow]) -> Choice:
    """Choose the steps of the conclusion."""
    means = {row.key: row.mean.value for row in rows if row.mean is not None and row.mean.value is not None}
    judged = [step for row in rows for step in row.steps if step.better_parent and step.comparison is not None]
    gains = [step for step in judged if word_of(step) is Word.BETTER]
    losses = [step for step in judged if word_of(step) is Word.WORSE]
    undecided = [step for step in judged if word_of(step) is Word.NOT_DISTINGUISHABLE]
    return Choice(
        gain=max(reversed(gains), key=lambda step: means.get(step.child, 0.0), default=None),
        loss=min(losses, key=gap_of, default=None),
        open=min(undecided, key=_distance, default=None),
    )


def shown(rows: Sequence[LadderRow]) -> tuple[LadderStep, ...]:
    """Steps worth a look question by question: those of the conclusion, then an arm against both its parents.

    Returns:
        Three at most, in ladder order; those of the rule, where a plan has one.
    """
    ruled = tuple(step for row in rows for step in row.steps if step.ruled is not None and step.comparison is not None)
    if ruled:
        return ruled[:MOST_SHOWN]
    found = chosen(rows)
    pair = pair_of(rows)
    wanted: list[LadderStep] = []
    for step in (*found.steps(), *(pair or ())):
        if step is not None and step not in wanted:
            wanted.append(step)
    kept = wanted[:MOST_SHOWN]
    return tuple(step for row in rows for step in row.steps if step in kept)


def pair_of(rows: Sequence[LadderRow]) -> tuple[LadderStep, LadderStep] | None:
    """An arm against its better parent and against the best other one; of the conclusion's arms where it can be."""
    concluded = [step.child for step in chosen(rows).steps()]
    several = [row for row in rows if sum(step.comparison is not None for step in row.steps) > 1]
    several.sort(key=lambda row: concluded.index(row.key) if row.key in concluded else len(concluded))
    for row in several:
        better = next((step for step in row.steps if step.better_parent), None)
        others = [step for step in row.steps if not step.better_parent and step.comparison is not None]
        if better is not None and others:
            return better, min(others, key=gap_of)
    return None


def best_of(rows: Sequence[LadderRow]) -> LadderRow | None:
    """The arm of the ladder with the highest mean, the first of equals."""
    return max(
        (row for row in rows if row.role is Role.LADDER and _mean(row) is not None),
        key=lambda row: _mean(row) or 0.0,
        default=None,
    )


def focus_of(rows: Sequence[LadderRow]) -> str | None:
    """The arm that other sections look into: a plan's candidate, that of the gain, else that of the highest mean."""
    candidate = next((row.key for row in rows if any(step.ruled is not None for step in row.steps)), None)
    if candidate is not None:
        return candidate
    gain, best = chosen(rows).gain, best_of(rows)
    return gain.child if gain is not None else None if best is None else best.key


def standing(rows: Sequence[LadderRow]) -> tuple[LadderRow, tuple[LadderStep, ...]] | None:
    """The arm that can be defended: from the highest mean down, better parent by better parent, to a decided gain.

    Returns:
        Its row, and the undecided steps that lead from it up to the highest mean, the topmost first.
    """
    row, by_key = best_of(rows), {row.key: row for row in rows}
    open_steps: list[LadderStep] = []
    while row is not None:
        step = next((step for step in row.steps if step.better_parent and step.comparison is not None), None)
        if step is None or word_of(step) is Word.BETTER or step.parent not in by_key:
            return row, tuple(open_steps)
        open_steps.append(step)
        row = by_key[step.parent]
    return None


def word_of(step: LadderStep) -> Word | None:
    """A step's verdict, None where it could not be compared."""
    return None if step.comparison is None else step.comparison.word


def gap_of(step: LadderStep) -> float:
    """Mean difference; 0 for a step that could not be compared."""
    found = None if step.comparison is None else step.comparison.interval.mean
    return 0.0 if found is None else found


def _mean(row: LadderRow) -> float | None:
    return None if row.mean is None else row.mean.value


def _distance(step: LadderStep) -> tuple[float, float]:
    """How far from a decision: adjusted p, then p itself, which still tells those at 1 apart."""
    return (2.0, 2.0) if step.comparison is None else (step.comparison.adjusted_p, step.comparison.test.p)
