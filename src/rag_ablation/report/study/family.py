"""The family of steps: every declared comparison of two arms, judged together.

A step counts in the family whether or not its arms could be compared: one that failed, or does not compare, counts
with p = 1, so that trouble never makes the others look surer. Only an arm that was skipped, because it cannot be had
here, takes its steps with it.

Legend: Q questions.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rag_ablation.experiment.factors import Change, change
from rag_ablation.measures.family import ALPHA, Comparison, Step, Word, compare_family
from rag_ablation.measures.planning import POWER, plan
from rag_ablation.report.differences import refusal, refusal_on
from rag_ablation.report.study.asked import Primary, reference, same_questions
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.naming import label_of
from rag_ablation.report.study.verdict.steps import ruled_steps

SEED = 0
"""Of the bootstrap and of sampled sign flips."""
NOTHING = "no question is scored on both"


def family_of(results: StudyResults) -> tuple[LadderStep, ...]:
    """Judge every declared step but those of skipped arms.

    Of several parents the better one is that with the higher mean among those that compare (the first of equals);
    a single parent is its own better one.

    Args:
        results: the study's arms.

    Returns:
        One step for each pair, in ladder order.
    """
    skipped = {arm.arm.key for arm in results.skipped}
    pairs = [pair for pair in results.study.steps() if not skipped & set(pair)]
    first = reference(results)
    if first is None:
        return tuple(_refused_step(results, pair, _refusal(results, pair, first) or NOTHING) for pair in pairs)
    reasons = [_refusal(results, pair, first) for pair in pairs]
    sides = [_sides(results, pair, first if reason else None) for pair, reason in zip(pairs, reasons, strict=True)]
    steps = [Step(label_of(*pair), *side) for pair, side in zip(pairs, sides, strict=True)]
    found = []
    for pair, reason, step, comparison in zip(
        pairs, reasons, steps, compare_family(steps, first.groups, alpha=ALPHA, seed=SEED), strict=True
    ):
        if reason is not None or comparison.interval.mean is None:
            found.append(_refused_step(results, pair, reason or NOTHING))
        else:
            found.append(
                _compared_step(
                    results, pair, comparison, step.child - step.parent, tested_together(results, len(pairs))
                )
            )
    judged = tuple(replace(step, better_parent=_is_better(results, step, found)) for step in found)
    return judged if results.holdout is None else ruled_steps(judged, results.holdout)


def tested_together(results: StudyResults, steps: int) -> int:
    """How many steps share one error rate; the rule of a plan judges each on its own, since all must pass."""
    return steps if results.holdout is None else 1


def left_out(results: StudyResults) -> tuple[tuple[str, str], ...]:
    """Declared steps that an arm which was skipped takes with it."""
    skipped = {arm.arm.key for arm in results.skipped}
    return tuple(pair for pair in results.study.steps() if skipped & set(pair))


def _refusal(results: StudyResults, pair: tuple[str, str], first: ArmResult | None) -> str | None:
    """Why two arms cannot be compared, None where they can."""
    arms = []
    for key in pair:
        arm = results.arm(key)
        if arm is None:
            return f"{key} was not run"
        if not arm.finished:
            return f"{key} {arm.record.status}"
        if results.study.primary not in arm.values:
            return f"{results.study.primary} was not measured on {key}"
        arms.append(arm)
    child, parent = (arm.record for arm in arms)
    refused = refusal(child, parent) or refusal_on(results.study.primary, child, parent)
    if refused is None and not (first and all(same_questions(arm, first) for arm in arms)):
        return f"not comparable: asked other questions than {first.key if first else 'the rest'}"
    return refused


def _sides(
    results: StudyResults, pair: tuple[str, str], nothing_for: ArmResult | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(Q,) values of both arms; of a step that cannot be compared, no value at all."""
    if nothing_for is not None:
        empty = np.full(len(nothing_for.query_ids), np.nan)
        return empty, empty
    child, parent = (_found(results, key).values[results.study.primary] for key in pair)
    return child, parent


def _refused_step(results: StudyResults, pair: tuple[str, str], reason: str) -> LadderStep:
    return LadderStep(
        child=pair[0],
        parent=pair[1],
        label=label_of(*pair),
        better_parent=False,
        change=_change(results, pair),
        comparison=None,
        refused=reason,
        detectable=None,
        gaps=(),
    )


def _compared_step(
    results: StudyResults, pair: tuple[str, str], comparison: Comparison, gaps: NDArray[np.float64], family: int
) -> LadderStep:
    first = reference(results)
    there = gaps[~np.isnan(gaps)]
    sizes = [] if first is None else np.unique(first.groups[~np.isnan(gaps)], return_counts=True)[1].tolist()
    return replace(
        _refused_step(results, pair, ""),
        comparison=comparison,
        refused=None,
        detectable=_detectable(sizes, comparison, family),
        gaps=tuple(sorted(there.tolist(), reverse=True)),
    )


def _detectable(sizes: list[int], comparison: Comparison, family: int) -> float | None:
    """From the step's own clustered standard error; unknown without spread, or where no verdict is possible."""
    error = comparison.interval.standard_error
    if not error or comparison.word is Word.NO_VERDICT:
        return None
    return plan(sizes, measured=error, family=family, confidence=1 - ALPHA, power=POWER).smallest_difference


def _change(results: StudyResults, pair: tuple[str, str]) -> Change:
    child, parent = (results.arm(key) for key in pair)
    if child is None or parent is None:
        return Change(())
    return change(parent.record.settings, child.record.settings)


def _is_better(results: StudyResults, step: LadderStep, family: Sequence[LadderStep]) -> bool:
    """Whether this step is against the only parent, or against the better of those that compare."""
    if len(results.study.arm(step.child).parents) == 1:
        return True
    rivals = [other for other in family if other.child == step.child and other.comparison is not None]
    best = max(rivals, key=lambda other: _parent_mean(results, other), default=None)
    return best is not None and best.parent == step.parent


def _parent_mean(results: StudyResults, step: LadderStep) -> float:
    mean = Primary.of(results).mean(_found(results, step.parent))
    return -np.inf if mean is None or mean.value is None else mean.value


def _found(results: StudyResults, key: str) -> ArmResult:
    arm = results.arm(key)
    if arm is None:
        raise KeyError(key)
    return arm
