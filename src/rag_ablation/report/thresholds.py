"""The choice of a threshold, as plain values and on one screen."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rag_ablation.core.wording import counted
from rag_ablation.experiment.thresholds import Stretch, Thresholds
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.report.leaderboard import ABSENT, MINUS, Leaderboard, Table, number, signed

STEPS = 10
NOTHING_FOR_REFUSING = "no question without an answer is among them: nothing here speaks for refusing"
NOTHING_FOR_ANSWERING = "no question with an answer is among them: nothing here speaks for answering"


def values_of(found: Thresholds) -> dict[str, Any]:
    """Every stretch and the choice, in JSON values; an end that is infinite is null.

    Args:
        found: what was judged.
    """
    first, last = found.as_good
    chosen = found.chosen
    return {
        "threshold": chosen.threshold,
        "settings": f"generate.threshold={chosen.threshold!r}",
        "n": len(found.answerable),
        "n_groups": len(np.unique(found.groups)),
        "n_answerable": int(found.answerable.sum()),
        "n_no_answer": int((~found.answerable).sum()),
        "best": _row(found, found.best),
        "as_good": {
            "above": _end(found.stretches[first].above),
            "up_to": _end(found.stretches[last].up_to),
        },
        "curve": [_row(found, place) for place in range(len(found.stretches))],
        "notes": list(_notes(found)),
    }


def drawn(told: Mapping[str, Any]) -> Leaderboard:
    """The curve at its tenths, what was chosen, and what to type.

    Args:
        told: `values_of`, with `arm`, `dataset`, `side`, `scorer` and `judge`.
    """
    curve = told["curve"]
    best = curve.index(told["best"])
    places = sorted({best, *(round(step * (len(curve) - 1) / STEPS) for step in range(STEPS + 1))})
    table = Table(
        title=(
            f"{told['arm']} on {told['dataset']} ({told['side']}): right outcomes by threshold, scorer "
            f"{told['scorer']}, judged by {told['judge']}; {len(places)} of {len(curve)} thresholds that differ in an "
            "answer"
        ),
        headings=(
            "threshold",
            "right outcomes",
            "right answers",
            "open",
            "refused right",
            "refused wrong",
            f"{MINUS} best",
            "95 % interval",
            "",
        ),
        rows=tuple(_cells(told, curve[place], chosen=place == best) for place in places),
        numeric_from=0,
    )
    side = "dev questions" if told["side"] == "dev" else "questions"
    remarks = [
        f"chosen on these {told['n']} {side} ({told['n_groups']} groups): {told['n_answerable']} with an answer, "
        f"{told['n_no_answer']} without; what it is worth elsewhere they do not say",
        f"cannot be told from the best: {_range(told['as_good'])}",
        *(f"note: {note}" for note in told["notes"]),
        f"next: {told['settings']}",
    ]
    return Leaderboard(tables=(table,), remarks=tuple(remarks))


def _row(found: Thresholds, place: int) -> dict[str, Any]:
    stretch, interval = found.stretches[place], found.to_best[place]
    answerable = found.answerable
    return {
        "threshold": stretch.threshold,
        "above": _end(stretch.above),
        "up_to": _end(stretch.up_to),
        "right": int(stretch.right.sum()),
        "right_answers": int(stretch.right[answerable].sum()),
        "open": int(stretch.open.sum()),
        "correct_low": _share(stretch, answerable),
        "refused_right": int(stretch.refused[~answerable].sum()),
        "refused_wrong": int(stretch.refused[answerable].sum()),
        "difference": interval.mean,
        "low": interval.low,
        "high": interval.high,
    }


def _share(stretch: Stretch, answerable: "np.ndarray[Any, np.dtype[np.bool_]]") -> float | None:
    n = int(answerable.sum())
    return int(stretch.right[answerable].sum()) / n if n else None


def _cells(told: Mapping[str, Any], row: Mapping[str, Any], *, chosen: bool) -> tuple[str, ...]:
    ends = ABSENT if row["low"] is None else f"{signed(row['low'])} to {signed(row['high'])}"
    return (
        str(row["threshold"]).replace("-", MINUS),
        f"{row['right']} of {told['n']}",
        f"{row['right_answers']} of {told['n_answerable']} ({number(row['correct_low'])})",
        str(row["open"]),
        f"{row['refused_right']} of {told['n_no_answer']}",
        f"{row['refused_wrong']} of {told['n_answerable']}",
        ABSENT if chosen else signed(row["difference"]),
        ABSENT if chosen else ends,
        "best" if chosen else "",
    )


def _range(ends: Mapping[str, float | None]) -> str:
    above, up_to = ends["above"], ends["up_to"]
    if above is None or up_to is None:
        if above is None and up_to is None:
            return "any threshold"
        return f"thresholds up to {up_to:.4g}" if above is None else f"thresholds above {above:.4g}"
    return f"thresholds above {above:.4g} and up to {up_to:.4g}"


def _notes(found: Thresholds) -> Sequence[str]:
    notes = []
    if found.answerable.all():
        notes.append(NOTHING_FOR_REFUSING)
    if not found.answerable.any():
        notes.append(NOTHING_FOR_ANSWERING)
    if waiting := int(found.chosen.open.sum()):
        notes.append(f"verdicts that wait for a person at this threshold: {waiting}; they count as not right")
    n_groups = len(np.unique(found.groups))
    if n_groups < GROUPS_FOR_A_VERDICT:
        notes.append(f"{counted(n_groups, 'group')}: under {GROUPS_FOR_A_VERDICT} an interval tells nothing")
    return notes


def _end(value: float) -> float | None:
    return value if math.isfinite(value) else None
