"""What several sections read off recorded arms.

Legend: Q questions.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.report.study.asked import same_questions
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.inputs import ArmResult, StudyResults

FINAL = "final"


def ladder_arms(results: StudyResults) -> tuple[ArmResult, ...]:
    """Finished arms of the ladder, in its order."""
    return tuple(arm for arm in results.arms if arm.arm.role is Role.LADDER and arm.finished)


def mean_of(arm: ArmResult, column: str) -> RecordedMean | None:
    """A recorded mean by `point/measure@cutoff`."""
    point, _, measure = column.partition("/")
    return arm.record.mean(point, measure)


def value_of(arm: ArmResult, column: str) -> float | None:
    """The same without its company; None where it is undefined or absent."""
    mean = mean_of(arm, column)
    return None if mean is None else mean.value


def highest(arms: Sequence[ArmResult], column: str) -> ArmResult | None:
    """The arm with the highest mean, the first of equals; None where none has one."""
    found = [(value, -place) for place, arm in enumerate(arms) if (value := value_of(arm, column)) is not None]
    return arms[-max(found)[1]] if found else None


def recorded_point(arm: ArmResult, column: str) -> str | None:
    """The stage's point behind that of a column: `final` is the last ranking."""
    point = column.partition("/")[0]
    return arm.record.final if point == FINAL else point


def least_grade(record: ArmRecord) -> int:
    """The grade from which a unit is relevant."""
    return int(record.settings.get("scoring", {}).get("relevant_from", 1))


def unit_of(record: ArmRecord) -> Unit | None:
    """The evaluation unit, None where it was the dataset's own and nothing tells which that is."""
    named = record.evidence.get("unit") or record.settings.get("scoring", {}).get("unit")
    return None if named is None else Unit.parse(str(named))


def sides(step: LadderStep, results: StudyResults, column: str) -> tuple[ArmResult, ArmResult] | None:
    """Child and parent of a step, None where the two do not compare on that column."""
    child, parent = results.arm(step.child), results.arm(step.parent)
    if step.refused is not None or child is None or parent is None:
        return None
    there = column in child.values and column in parent.values
    return (child, parent) if there and same_questions(child, parent) else None


def gaps_of(child: ArmResult, parent: ArmResult, column: str) -> NDArray[np.float64]:
    """(Q,) child − parent, NaN where unscored."""
    return child.values[column] - parent.values[column]


def excludes_zero(low: float | None, high: float | None) -> bool:
    """Whether an interval lies on one side of 0."""
    return low is not None and high is not None and (low > 0 or high < 0)
