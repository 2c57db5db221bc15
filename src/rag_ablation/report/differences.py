"""Differences between arms of one sweep, question by question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.factors import Change, change, chunking_alone, rewriting_alone
from rag_ablation.measures.answers import POINT as ANSWER
from rag_ablation.measures.uncertainty import Interval, paired_difference

ANSWERING = ("generate", "judge")
COMPARABLE = ("corpus", "queries", "labels", "split", "visibility")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One arm against one parent on one measure.

    Args:
        child: the arm.
        parent: the arm it is compared with.
        measure: `final/ndcg@10` and the like.
        interval: child − parent; undefined where `refused` says why.
        wins: questions on which the child is higher.
        ties: questions without a difference.
        losses: questions on which the child is lower.
        change: what differs in the settings.
        refused: why the two cannot be compared, None where they can.
    """

    child: ArmRecord
    parent: ArmRecord
    measure: str
    interval: Interval | None
    wins: int
    ties: int
    losses: int
    change: Change
    refused: str | None = None


Values = Mapping[str, NDArray[np.float64]]


def parents_of(child: ArmRecord, arms: Sequence[ArmRecord]) -> list[ArmRecord]:
    """For each preset it is compared with, the arm of this sweep that differs in the fewest factors.

    Also the first arm before it that differs in how the corpus is cut alone, and the first that differs in what is
    searched for alone.
    """
    found: list[ArmRecord] = []
    for variant in child.parents:
        candidates = [arm for arm in arms if arm.variant == variant and arm.status == "finished" and arm is not child]
        if candidates:
            found.append(min(candidates, key=lambda arm: len(change(arm.settings, child.settings).factors)))
    before = arms[: next(place for place, arm in enumerate(arms) if arm is child)]
    finished = [arm for arm in before if arm.status == "finished" and arm.variant == child.variant]
    found += [arm for arm in finished if _same_but_cut(arm, child)][:1]
    found += [arm for arm in finished if rewriting_alone(arm.settings, child.settings)][:1]
    return found


def _same_but_cut(arm: ArmRecord, child: ArmRecord) -> bool:
    return chunking_alone(_without_unit(arm), _without_unit(child))


def _without_unit(arm: ArmRecord) -> dict[str, object]:
    """Settings without the evaluation unit, which follows the chunking where it is `auto`."""
    scoring = {name: value for name, value in arm.settings["scoring"].items() if name != "unit"}
    return {**arm.settings, "scoring": scoring}


def difference(child: tuple[ArmRecord, Values], parent: tuple[ArmRecord, Values], measure: str) -> Difference:
    """Compare two arms on one measure, paired by question and clustered by group.

    Args:
        child: record and per-question values, `group` among them.
        parent: the same.
        measure: column of the values, such as `final/ndcg@10`.
    """
    (child_record, child_values), (parent_record, parent_values) = child, parent
    changed = change(parent_record.settings, child_record.settings)
    refused = refusal(child_record, parent_record) or refusal_on(measure, child_record, parent_record)
    if refused is None and not (measure in child_values and measure in parent_values):
        refused = f"{measure} was not measured on both"
    if refused is not None:
        return Difference(
            child=child_record,
            parent=parent_record,
            measure=measure,
            interval=None,
            wins=0,
            ties=0,
            losses=0,
            change=changed,
            refused=refused,
        )
    groups = child_values["group"].astype(np.int32)
    gaps = child_values[measure] - parent_values[measure]
    gaps = gaps[~np.isnan(gaps)]
    return Difference(
        child=child_record,
        parent=parent_record,
        measure=measure,
        interval=paired_difference(child_values[measure], parent_values[measure], groups),
        wins=int(np.count_nonzero(gaps > 0)),
        ties=int(np.count_nonzero(gaps == 0)),
        losses=int(np.count_nonzero(gaps < 0)),
        change=changed,
    )


def refusal(child: ArmRecord, parent: ArmRecord) -> str | None:
    """Why two finished arms do not compare, None where they do.

    They compare only on the same questions, corpus, labels, split and scoring, cut alike or scored at a unit that
    does not move with the cut.

    Args:
        child: record of the one arm.
        parent: record of the other.
    """
    different = [name for name in COMPARABLE if child.digests.get(name) != parent.digests.get(name)]
    different += [
        f"{section}.{key} ({mine} against {theirs})"
        for section in ("access", "scoring", "dataset")
        for key in sorted({*child.settings[section], *parent.settings[section]})
        if (mine := child.settings[section].get(key)) != (theirs := parent.settings[section].get(key))
    ]
    units = {arm.settings["scoring"].get("unit") for arm in (child, parent)}
    if _cut(child) != _cut(parent) and (len(units) > 1 or "passage" in units):
        # where one of the two was cut and no unit is set, the dataset's own is one that does not move
        scored = " and ".join(sorted(str(unit or "the dataset's own unit") for unit in units))
        return (
            f"not comparable: chunks differ; at the unit {scored} a chunk of one arm is no unit of the "
            "other, so give both unit=clause or unit=document"
        )
    return f"not comparable: {', '.join(different)} differ" if different else None


def refusal_on(measure: str, child: ArmRecord, parent: ArmRecord) -> str | None:
    """Why two arms that compare do not compare on one measure, None where they do.

    Answers compare where one generator and one judge, of the same settings and rules, made both; or where one setting
    of these is all that differs between the arms, and so is what they are compared for. People must have settled the
    same verdicts before both. And the mean must be defined on both sides: while a verdict is open, the share of right
    answers has no value.

    Args:
        measure: such as `answer/correct_low`; any other than one of answers compares.
        child: record of the one arm.
        parent: record of the other.
    """
    point, _, name = measure.partition("/")
    if point != ANSWER:
        return None
    factors = list(change(parent.settings, child.settings).factors)
    before, after = _rules(parent), _rules(child)
    if before and after and before != after:
        factors.append(f"judge: rules {before} → {after}")
    own = [factor for factor in factors if factor.startswith(ANSWERING)]
    if own and len(factors) > 1:
        beside = [factor for factor in factors if factor not in own]
        others = f", beside {'; '.join(beside)}" if beside else " at once"
        return f"answers do not compare: {'; '.join(own)}{others}"
    if child.digests.get("reviews") != parent.digests.get("reviews"):
        return "answers do not compare: people have settled verdicts between the two runs, so run both again"
    for arm in (child, parent):
        mean = arm.mean(ANSWER, name)
        if mean is not None and mean.value is None:
            return f"undefined on {arm.arm}: {mean.reason}"
    return None


def _rules(arm: ArmRecord) -> str:
    """Version of the rules that judged, empty where no rules did."""
    return next((str(stage.facts["rules"]) for stage in arm.stages if "rules" in stage.facts), "")


def _cut(arm: ArmRecord) -> tuple[object, ...]:
    """How the corpus was cut, and how labels follow."""
    return (arm.settings.get("chunking"), arm.digests.get("chunks"), arm.digests.get("mapping"))
