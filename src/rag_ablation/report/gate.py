"""Whether a candidate may pass: does the interval of its difference rule out a drop beyond a limit?"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rag_ablation.core.wording import counted
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT, Warned
from rag_ablation.measures.grouped import TIE
from rag_ablation.measures.planning import POWER, assumed_deviation, groups_needed
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.leaderboard import MINUS, signed

SAID = {
    Warned.FEW_GROUPS: "under 20 groups: such intervals hold the truth less often than they say",
    Warned.FEW_DIFFERING_GROUPS: "under 20 groups differ at all: such intervals hold the truth less often than "
    "they say",
}


class Ruling(StrEnum):
    """What a gate finds."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A ruling with what it stands on.

    Args:
        ruling: passed, failed or undecided.
        reason: why, one sentence.
        max_drop: the limit, from 0, in units of the measure.
        interval: candidate − baseline.
        needed: groups that would decide with a power of .8; None where the gate has decided, or no number is enough.
        planned_from: what that number assumes, empty where the gate has decided.
        warnings: what weakens the ruling, one sentence each.
    """

    ruling: Ruling
    reason: str
    max_drop: float
    interval: Interval
    needed: int | None = None
    planned_from: str = ""
    warnings: tuple[str, ...] = ()


def gate(interval: Interval, max_drop: float, *, measure: str, warned: Sequence[Warned] = ()) -> Gate:
    """Rule on a difference.

    With m the limit: passed where the low end is at −m or above, since a drop of exactly the limit is not
    beyond it; failed where the high end is below −m; else undecided. Ends within 1e-12 of −m are at it. Under 6
    groups, and where nothing is scored on both sides, nothing is decided.

    Args:
        interval: of candidate − baseline, paired by question.
        max_drop: m, from 0.
        measure: name of the measure, by which a deviation is assumed where none can be measured.
        warned: what weakens the interval.
    """
    warnings = tuple(SAID[warning] for warning in warned)
    ruling, reason = _ruling(interval, max_drop)
    if ruling is not Ruling.UNDECIDED:
        return Gate(ruling=ruling, reason=reason, max_drop=max_drop, interval=interval, warnings=warnings)
    needed, planned_from = _needed(interval, max_drop, measure)
    return Gate(
        ruling=ruling,
        reason=reason,
        max_drop=max_drop,
        interval=interval,
        needed=needed,
        planned_from=planned_from,
        warnings=warnings,
    )


def planned(found: Gate) -> str:
    """How many groups an undecided gate would need, in a sentence; empty where it has decided."""
    if found.ruling is not Ruling.UNDECIDED:
        return ""
    now = counted(found.interval.n_groups, "group")
    if found.needed is None:
        return f"planning: there are {now}, and no number can be named that would decide at this limit"
    return (
        f"planning: there are {now}; about {found.needed} would decide with a power of {POWER:.0%} "
        f"({found.planned_from})"
    )


def _ruling(interval: Interval, max_drop: float) -> tuple[Ruling, str]:
    if interval.mean is None:
        return Ruling.UNDECIDED, "no question is scored on both sides"
    if interval.low is None or interval.high is None or interval.n_groups < GROUPS_FOR_A_VERDICT:
        groups = counted(interval.n_groups, "group")
        return Ruling.UNDECIDED, f"{groups}: under {GROUPS_FOR_A_VERDICT} nothing is decided"
    limit = f"{MINUS}{max_drop:g}" if max_drop else "0"
    if interval.low >= -max_drop - TIE:
        return Ruling.PASSED, f"the interval begins at {_end(interval.low)} and rules out a drop beyond {limit}"
    if interval.high < -max_drop - TIE:
        return Ruling.FAILED, f"the interval ends at {_end(interval.high)}, so that the drop is beyond {limit}"
    ends = f"{_end(interval.low)} to {_end(interval.high)}"
    return Ruling.UNDECIDED, f"the interval, {ends}, holds values on both sides of {limit}"


def _needed(interval: Interval, max_drop: float, measure: str) -> tuple[int | None, str]:
    """Groups that would do, and on what assumption; few groups tell no deviation worth planning with."""
    error, n_groups = interval.standard_error, interval.n_groups
    if interval.mean is None or not error or n_groups < GROUPS_FOR_A_VERDICT:
        deviation = assumed_deviation(measure)
        return _groups(max_drop, deviation, 1), (
            f"of one question each, if the two are equal in truth and differences have a deviation of {deviation}: "
            "assumed, not measured"
        )
    needed = _groups(max_drop, error, n_groups)
    if needed is None or needed > n_groups:
        return needed, "like these, if the two are equal in truth"
    return _groups(abs(interval.mean + max_drop), error, n_groups), "like these, if the difference stays as it is"


def _groups(difference: float, error: float, n_groups: int) -> int | None:
    return groups_needed(difference, standard_error=error, n_groups=n_groups, least=GROUPS_FOR_A_VERDICT, power=POWER)


def _end(value: float) -> str:
    """An end of an interval, finer than the tables have it, to tell it from the limit."""
    return signed(value, 4)
