"""What arms answered, as tables: right answers, refusals, citations, and the evidence that was there."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.experiment.answering import NO_REFERENCE
from rag_ablation.measures.answers import (
    ANSWERABLE,
    CITATION_PRECISION,
    CORRECT,
    CORRECT_HIGH,
    CORRECT_LOW,
    DECLINED,
    FAILED,
    NEEDS_REVIEW,
    NO_ANSWER,
    NO_TEXT,
    NOT_JUDGED,
    NOTHING_CITED,
    OPEN,
    POINT,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    SUPPORTED,
)
from rag_ablation.report.kept import kept_table
from rag_ablation.report.leaderboard import ABSENT, Leaderboard, Table, number

COST_DIGITS = 4
ANSWER_HEADINGS = ("arm", "right answers", "n (groups)", "refused right", "refused wrong")
REST_HEADINGS = ("arm", "citation precision", "supported", "failed", "needs review", "cost per question")
GOLD = "gold"
NO_GENERATOR = "it has no generator"
WHY = {
    ANSWERABLE: "no question without an answer",
    NO_ANSWER: "no question with an answer",
    NOT_JUDGED: "not judged",
    OPEN: "verdicts open",
    DECLINED: "refused",
    NO_TEXT: "failed",
    NOTHING_CITED: "nothing cited",
    NO_REFERENCE: "nothing to compare with",
}
"""Why a mean of answers is undefined, in words."""


def with_answers(board: Leaderboard, arms: Sequence[ArmRecord], study: str | None = None) -> Leaderboard:
    """The leaderboard and below it what was answered; the same board where no arm has a generator.

    Args:
        board: of these arms.
        arms: records in order.
        study: that they belong to, whose open verdicts are reviewed together; None for none.
    """
    if not any(arm.answers for arm in arms):
        return board
    asked = [arm for arm in arms if arm.answers]
    tables = [answers_table(asked), rest_table(asked)]
    if kept := [arm for arm in asked if arm.evidence.get("answers")]:
        tables.append(kept_table(kept))
    remarks = [*_left_out(arms), *_above_ceiling(asked), *_waiting(asked, study)]
    return replace(board, tables=(*board.tables, *tables), remarks=(*board.remarks, *remarks))


def answers_table(arms: Sequence[ArmRecord]) -> Table:
    """Right answers and refusals, an arm a row.

    Args:
        arms: finished records with a generator.
    """
    return Table(
        title=(
            f"answers, {_judged_by(arms)}; in brackets the 95 % interval; right answers: while verdicts are open, from "
            "all of those wrong to all of them right, and the interval from the lower end of the one to the upper end "
            "of the other; refused right: of the questions without an answer; refused wrong: of those with one"
        ),
        headings=ANSWER_HEADINGS,
        rows=tuple(_answers_row(arm) for arm in arms),
        numeric_from=1,
    )


def rest_table(arms: Sequence[ArmRecord]) -> Table:
    """Citations, failures, what waits for a person, and cost, an arm a row.

    Args:
        arms: finished records with a generator.
    """
    priced = any(arm.answers.get("n_priced") for arm in arms)
    headings = REST_HEADINGS if priced else REST_HEADINGS[:-1]
    return Table(
        title="what answers to questions with an answer rest on; failed and needs review: of all that are judged",
        headings=headings,
        rows=tuple(_rest_row(arm)[: len(headings)] for arm in arms),
        numeric_from=1,
    )


def judge_of(arm: ArmRecord) -> str:
    """The judge of an arm and its version, `rules 1`, and whether people settled verdicts; empty where nobody judged.

    Args:
        arm: a finished record.
    """
    stage = next((stage for stage in arm.stages if stage.slot == "judge"), None)
    if stage is None:
        return ""
    version = stage.facts.get("rules") or arm.settings.get("judge", {}).get("model")
    name = stage.name if version is None else f"{stage.name} {version}"
    return f"{name} and people" if stage.facts.get("n_reviewed") else name


def n_open(arm: ArmRecord) -> int:
    """How many verdicts wait for a person, those on questions without an answer included.

    Args:
        arm: a finished record.
    """
    return _times(arm.mean(POINT, NEEDS_REVIEW))


def _judged_by(arms: Sequence[ArmRecord]) -> str:
    """Who judged; where several did, with their arms."""
    judged: dict[str, list[str]] = {}
    for arm in arms:
        if "absent" not in arm.answers:
            judged.setdefault(judge_of(arm), []).append(arm.arm)
    if len(judged) <= 1:
        judge = next(iter(judged), "")
        return f"judged by {judge}" if judge else "not judged"
    said = [f"{judge or 'nobody'} ({', '.join(names)})" for judge, names in judged.items()]
    return f"judged by {', by '.join(said)}"


def _answers_row(arm: ArmRecord) -> tuple[str, ...]:
    if "absent" in arm.answers:
        return (arm.arm, *[ABSENT] * (len(ANSWER_HEADINGS) - 1))
    return (
        arm.arm,
        _right(arm),
        _counted(arm),
        _of(arm.mean(POINT, REFUSED_RIGHT)),
        _of(arm.mean(POINT, REFUSED_WRONG)),
    )


def _rest_row(arm: ArmRecord) -> tuple[str, ...]:
    if "absent" in arm.answers:
        return (arm.arm, *[ABSENT] * (len(REST_HEADINGS) - 1))
    return (
        arm.arm,
        _mean(arm.mean(POINT, CITATION_PRECISION)),
        _mean(arm.mean(POINT, SUPPORTED)),
        str(_times(arm.mean(POINT, FAILED))),
        str(n_open(arm)) if judge_of(arm) else ABSENT,
        _cost(arm),
    )


def _right(arm: ArmRecord) -> str:
    found = arm.mean(POINT, CORRECT)
    if found is None or found.reason != OPEN:
        return f"{_mean_alone(found)}{_ends(found, found)}"
    low, high = arm.mean(POINT, CORRECT_LOW), arm.mean(POINT, CORRECT_HIGH)
    return f"{_mean_alone(low)}–{_mean_alone(high)}, {_times(high) - _times(low)} open{_ends(low, high)}"


def _ends(lower: RecordedMean | None, upper: RecordedMean | None) -> str:
    """The interval from the lower end of the one to the upper end of the other; why there is none."""
    if lower is None or upper is None or lower.value is None:
        return ""
    if lower.low is None or upper.high is None:
        return " (no interval: one group)" if lower.n_groups == 1 else " (no interval)"
    return f" ({number(lower.low)} to {number(upper.high)})"


def _counted(arm: ArmRecord) -> str:
    """Questions with an answer that are judged, and their groups."""
    found = arm.mean(POINT, CORRECT_LOW)
    groups = "" if found is None or found.n_groups is None else f" ({found.n_groups})"
    return f"{0 if found is None else found.n}{groups}"


def _of(found: RecordedMean | None) -> str:
    """A share as a count with its interval: `3 of 11 (0.100 to 0.600)`."""
    if found is None or found.value is None:
        return _mean_alone(found)
    return f"{_times(found)} of {found.n}{_ends(found, found)}"


def _mean(found: RecordedMean | None) -> str:
    """A mean with its n and its interval: `0.684, n 49 (0.550 to 0.800)`; none of no width."""
    if found is None or found.value is None:
        return _mean_alone(found)
    if found.low is not None and found.low == found.high:
        return f"{number(found.value)}, all {found.n} alike"
    return f"{number(found.value)}, n {found.n}{_ends(found, found)}"


def _mean_alone(found: RecordedMean | None) -> str:
    """A value, or why there is none."""
    if found is None:
        return ABSENT
    if found.value is None:
        return f"undefined: {why_undefined(found)}"
    return number(found.value)


def why_undefined(found: RecordedMean) -> str:
    """The reasons that concern the questions of a measure of answers, else that there are no such questions.

    Args:
        found: an undefined mean.
    """
    if found.reason == OPEN:
        return WHY[OPEN]
    there = [reason for reason in found.excluded if reason in WHY]
    own = [reason for reason in there if reason not in (ANSWERABLE, NO_ANSWER)]
    return " or ".join(WHY[reason] for reason in own or there) or str(found.reason)


def _times(found: RecordedMean | None) -> int:
    """How many questions a share stands for."""
    return 0 if found is None or found.value is None else round(found.value * found.n)


def _cost(arm: ArmRecord) -> str:
    cost, priced = arm.answers.get("cost"), arm.answers.get("n_priced")
    if cost is None or not priced:
        return ABSENT
    currency = arm.settings.get("generate", {}).get("currency", "")
    return f"{number(cost / priced, COST_DIGITS)} {currency}".rstrip()


def _left_out(arms: Sequence[ArmRecord]) -> list[str]:
    """Why an arm has no answers, one line for each reason."""
    why: dict[str, list[str]] = {}
    for arm in arms:
        if reason := str(arm.answers.get("absent", "")) if arm.answers else _without(arm):
            why.setdefault(reason, []).append(arm.arm)
    return [f"no answers: {', '.join(names)}: {reason}" for reason, names in why.items()]


def _without(arm: ArmRecord) -> str:
    return NO_GENERATOR if arm.status == "finished" else arm.status


def _above_ceiling(arms: Sequence[ArmRecord]) -> list[str]:
    """Arms that are right more often than one that is handed the gold, whatever open verdicts become."""
    given = [arm for arm in arms if arm.final is None and arm.settings.get("context", {}).get("name") == GOLD]
    ceiling = given[0].mean(POINT, CORRECT_HIGH) if given else None
    if ceiling is None or ceiling.value is None:
        return []
    found = [
        f"{arm.arm} {number(low.value)}, n {low.n}"
        for arm in arms
        if (low := arm.mean(POINT, CORRECT_LOW)) is not None and low.value is not None and low.value > ceiling.value
    ]
    top = f"{given[0].arm} ({number(ceiling.value)}, n {ceiling.n})"
    return (
        [f"above the ceiling: {'; '.join(found)}, against {top} at most: look at gold and generator"] if found else []
    )


def _waiting(arms: Sequence[ArmRecord], study: str | None) -> list[str]:
    """How many verdicts wait for a person, and what to type."""
    waiting = [arm for arm in arms if n_open(arm)]
    if not waiting:
        return []
    told = ", ".join(f"{arm.arm} {n_open(arm)}" for arm in waiting)
    return [
        f"verdicts that wait for a person: {told}",
        f"next: rag-ablation review export {waiting[0].id if study is None else shlex.quote(study)}",
    ]
