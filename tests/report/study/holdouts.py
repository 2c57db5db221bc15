"""Holdouts by hand: a candidate and its baselines from a list of values each, judged by the rule as a plan is.

    holdout({"A": [...], "B": [...]}, [...])

has one baseline for each list, and the candidate `X` that must beat all of them; every value is a question of its own
group. The dev results are the candidate's and the baselines' own, moved by `flattery`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rag_ablation.holdout.marks import About, Mark
from rag_ablation.holdout.rule import Rule, decide
from rag_ablation.measures.independent import between
from rag_ablation.measures.uncertainty import Interval, clustered_mean, paired_difference
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.verdict.inputs import Amendment, HoldoutVerdict
from tests.report.study.build import DENSE, PRIMARY, arm, floats, study

CANDIDATE = "X"
N = 30
LOW = [0.2 + 0.01 * (place % 7) for place in range(N)]
HIGH = [value + 0.3 + 0.02 * (place % 5) for place, value in enumerate(LOW)]
TORN = [value + (0.1 if place % 2 else -0.1) for place, value in enumerate(LOW)]
LITTLE = [value + 0.005 + 0.001 * (place % 3) for place, value in enumerate(LOW)]
ALL_MARKS = (
    Mark(About.USED, 3),
    Mark(About.SEEN, 7, N),
    Mark(About.DIRTY),
    Mark(About.REPLAYED),
    Mark(About.RELABELLED),
)
AMENDED = Amendment(
    when="2026-04-02T08:00:00+00:00", entry="e" * 64, reason="two labels were wrong", before="a" * 64, after="b" * 64
)


def holdout(
    baselines: Mapping[str, Sequence[float | None]],
    candidate: Sequence[float | None],
    *,
    smallest: float = 0.02,
    flattery: float = 0.0,
    record: Mapping[str, Any] | None = None,
    commands: Sequence[str] = (),
    **said: Any,
) -> StudyResults:
    """A plan that was run on its holdout.

    Args:
        baselines: values by key.
        candidate: values.
        smallest: δ of the rule.
        flattery: how much higher the candidate stood on dev.
        record: fields of the records that shall differ.
        commands: how to repeat it.
        said: fields of the verdict that shall differ.
    """
    shared = {"side": "holdout", **(record or {})}
    arms = [arm(key, values, settings={**DENSE, "tag": {"name": key}}, **shared) for key, values in baselines.items()]
    arms.append(arm(CANDIDATE, candidate, parents=tuple(baselines), **shared))
    made = study(*arms, smallest_difference=smallest, name="made, holdout v1", commands=commands)
    return replace(made, holdout=_verdict(baselines, candidate, smallest, flattery, said))


def adopted(**said: Any) -> StudyResults:
    """Above both baselines by more than δ."""
    return holdout({"A": LOW, "B": TORN}, HIGH, **said)


def rejected(**said: Any) -> StudyResults:
    """Above one baseline, below the other."""
    return holdout({"A": LOW, "B": HIGH}, LITTLE, **said)


def undecided(**said: Any) -> StudyResults:
    """One baseline is passed, the other is neither above nor below."""
    return holdout({"A": [value - 0.3 for value in TORN], "B": LOW}, TORN, **said)


def too_small(**said: Any) -> StudyResults:
    """Above its one baseline, by less than δ."""
    return holdout({"A": LOW}, LITTLE, **said)


def few_groups(**said: Any) -> StudyResults:
    """Four questions, each a group."""
    return holdout({"A": LOW[:4]}, HIGH[:4], **said)


CASES = {
    "adopt": adopted,
    "do not adopt": rejected,
    "undecided": undecided,
    "too small": too_small,
    "few groups": few_groups,
    "marked": lambda: adopted(marks=ALL_MARKS, times=3, reason="the first run had a wrong setting", amended=AMENDED),
}


def _verdict(
    baselines: Mapping[str, Sequence[float | None]],
    candidate: Sequence[float | None],
    smallest: float,
    flattery: float,
    said: Mapping[str, Any],
) -> HoldoutVerdict:
    groups, own = np.arange(len(candidate)), floats(candidate)
    gaps = {key: paired_difference(own, floats(values), groups) for key, values in baselines.items()}
    here = {CANDIDATE: clustered_mean(own, groups), **gaps}
    fields = {
        "plan": "v1",
        "study": "made",
        "candidate": CANDIDATE,
        "frozen": "2026-04-01T08:00:00+00:00",
        "digest": "d" * 64,
        "opened": "2026-04-01T09:30:00+00:00",
        "entry": "c" * 64,
        "times": 1,
        "marks": (),
        "ruling": decide(Rule(primary=PRIMARY, smallest_difference=smallest), gaps),
        "flattery": {key: between(_moved(found, flattery), found) for key, found in here.items()},
        **said,
    }
    return HoldoutVerdict(**fields)


def _moved(found: Interval, by: float) -> Interval:
    """The same on dev, higher by this much."""
    ends = {name: None if (end := getattr(found, name)) is None else end + by for name in ("mean", "low", "high")}
    return replace(found, **ends)
