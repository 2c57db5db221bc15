"""What is read off an arm's record and values about its answers.

Legend: Q questions.
"""

import shlex
from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.answers import (
    CORRECT,
    CORRECT_HIGH,
    CORRECT_LOW,
    FAILED,
    NEEDS_REVIEW,
    POINT,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    WRONG_ON_NO_ANSWER,
)
from rag_ablation.report.study.content import Above, Became, End, Paid
from rag_ablation.report.study.inputs import ArmResult, StudyResults

GENERATE = "generate"
JUDGE = "judge"
GOLD, CLOSED_BOOK = "gold", "closed_book"
Share = tuple[float, float]
"""Right answers where every open verdict is wrong, and where every one is right."""


def was_asked(arm: ArmResult) -> bool:
    """Whether an arm has answers."""
    return arm.finished and "asked" in arm.record.answers


def answering(results: StudyResults) -> tuple[ArmResult, ...]:
    """Finished arms of the ladder and brackets that have a generator; those to which it is not applicable too."""
    return tuple(arm for arm in results.arms if arm.arm.role is not Role.SWEEP and arm.finished and arm.record.answers)


def asked(results: StudyResults) -> list[ArmResult]:
    """Those of them that have answers."""
    return [arm for arm in answering(results) if was_asked(arm)]


def has_answers(results: StudyResults) -> bool:
    """Whether the report speaks of answers at all."""
    return bool(asked(results))


def end_of(arm: ArmResult) -> End | None:
    """What a bracket marks: the gold alone is the ceiling, no context the floor."""
    context = arm.record.settings.get("context", {})
    if arm.arm.role is not Role.BRACKET:
        return None
    if context.get("name") == GOLD and not context.get("distractors"):
        return End.CEILING
    return End.FLOOR if context.get("name") == CLOSED_BOOK else None


def bracket_of(results: StudyResults, end: End) -> ArmResult | None:
    """The first arm that marks an end, None without one."""
    return next((arm for arm in answering(results) if end_of(arm) is end), None)


def mean_of_answers(arm: ArmResult, measure: str) -> RecordedMean | None:
    """A recorded mean of answers, None where it was not measured or has no questions."""
    found = arm.record.mean(POINT, measure)
    return found if found is not None and found.n else None


def share_of(arm: ArmResult) -> Share | None:
    """Right answers from the open verdicts at their worst to at their best, None where nothing was judged."""
    low, high = (mean_of_answers(arm, name) for name in (CORRECT_LOW, CORRECT_HIGH))
    if low is None or high is None or low.value is None or high.value is None:
        return None
    return low.value, high.value


def judged_on(arm: ArmResult) -> int:
    """Questions that the share of right answers stands on."""
    found = mean_of_answers(arm, CORRECT_LOW)
    return 0 if found is None else found.n


def column(arm: ArmResult, measure: str) -> NDArray[np.float64]:
    """(Q,) a measure of answers, NaN where a question is not in it."""
    found = arm.values.get(f"{POINT}/{measure}")
    return np.full(len(arm.query_ids), np.nan) if found is None else found


def answerable(arm: ArmResult) -> Mapping[Became, int]:
    """Questions with an answer in the corpus, by what became of them."""
    there = ~np.isnan(column(arm, REFUSED_WRONG))
    open_ = column(arm, NEEDS_REVIEW)
    return _first_that_holds(
        there,
        (
            (Became.RIGHT, column(arm, CORRECT) == 1),
            (Became.OPEN, open_ == 1),
            (Became.FAILED, column(arm, FAILED) == 1),
            (Became.REFUSED, column(arm, REFUSED_WRONG) == 1),
            (Became.NOT_JUDGED, np.isnan(open_)),
            (Became.WRONG, there),
        ),
    )


def unanswerable(arm: ArmResult) -> Mapping[Became, int]:
    """Questions without an answer, by what became of them; a refusal that was judged wrong is one of its own."""
    there = ~np.isnan(column(arm, FAILED)) & np.isnan(column(arm, REFUSED_WRONG))
    return _first_that_holds(
        there,
        (
            (Became.REFUSED_RIGHT, column(arm, REFUSED_RIGHT) == 1),
            (Became.OPEN, column(arm, NEEDS_REVIEW) == 1),
            (Became.FAILED, column(arm, FAILED) == 1),
            (Became.WRONG, column(arm, WRONG_ON_NO_ANSWER) == 1),
            (Became.REFUSED, there),
        ),
    )


def open_verdicts(arm: ArmResult) -> int:
    """Verdicts that wait for review, on questions with and without an answer."""
    return int(np.count_nonzero(column(arm, NEEDS_REVIEW) == 1))


def above(arm: Share, ceiling: Share) -> Above | None:
    """How an arm stands to the ceiling."""
    if arm[0] > ceiling[1]:
        return Above.SURE
    return Above.OPEN if arm[1] > ceiling[0] and (arm[0] != arm[1] or ceiling[0] != ceiling[1]) else None


def way(arm: Share, floor: Share, ceiling: Share) -> Share | None:
    """Share of the way from floor to ceiling; None where the ceiling may not lie above the floor."""
    if ceiling[0] <= floor[1]:
        return None
    found = [(own - start) / (end - start) for own, start, end in product(arm, floor, ceiling)]
    return min(found), max(found)


def reviewed_by(results: StudyResults, arm: ArmResult) -> str:
    """What is exported for review: the whole study, or the run of an arm where a plan is scored."""
    name = results.study.name if results.holdout is None else results.name_of(arm.key)
    return f"rag-ablation review export {shlex.quote(name)}"


def paid_of(arm: ArmResult) -> Paid:
    """What the answers of an arm that was asked cost."""
    said = arm.record.answers
    asked, n, cost = int(said["asked"]), int(said.get("n_priced") or 0), said.get("cost")
    return Paid(
        per_question=float(cost) / n if n and cost is not None else None,
        n=n,
        asked=asked,
        tokens={kind: total / asked for kind, total in said.get("tokens", {}).items()} if asked else {},
    )


def _first_that_holds(there: NDArray[np.bool_], cases: Sequence[tuple[Became, NDArray[np.bool_]]]) -> dict[Became, int]:
    left, found = there.copy(), {}
    for became, holds in cases:
        found[became] = int(np.count_nonzero(left & holds))
        left &= ~holds
    return found
