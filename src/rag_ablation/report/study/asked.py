"""Which questions a study was asked, and the primary measure on them.

Legend: Q questions.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import RecordedMean
from rag_ablation.core.results import SCORED
from rag_ablation.experiment.study import Role
from rag_ablation.report.leaderboard import named
from rag_ablation.report.study.inputs import ArmResult, StudyResults


class Primary(NamedTuple):
    """The measure that the family is judged on.

    Args:
        column: of the values, such as `final/ndcg@10`.
        point: measuring point.
        measure: `ndcg@10`.
    """

    column: str
    point: str
    measure: str

    @classmethod
    def of(cls, results: StudyResults) -> Self:
        """The study's."""
        point, _, measure = results.study.primary.partition("/")
        return cls(results.study.primary, point, measure)

    @property
    def heading(self) -> str:
        """As people write it: `nDCG@10`."""
        return named(self.column)

    @property
    def cutoff(self) -> int:
        """K."""
        return int(self.measure.partition("@")[2])

    def mean(self, arm: ArmResult) -> RecordedMean | None:
        """An arm's mean, None where it has none."""
        return arm.record.mean(self.point, self.measure) if arm.finished else None


def reference(results: StudyResults) -> ArmResult | None:
    """The arm whose questions are those of the study: the first that has the primary measure, else that finished."""
    finished = [arm for arm in results.arms if arm.finished]
    return next((arm for arm in finished if results.study.primary in arm.values), finished[0] if finished else None)


def same_questions(arm: ArmResult, other: ArmResult) -> bool:
    """Whether two arms were asked the same questions in the same order."""
    return list(arm.query_ids) == list(other.query_ids)


def scored_rows(arm: ArmResult) -> NDArray[np.bool_]:
    """(Q,) whether each question is in the means."""
    return np.array([status == SCORED for status in arm.statuses], dtype=bool)


def ranked(results: StudyResults) -> list[ArmResult]:
    """The ladder's arms that have the primary measure on the study's questions, in its order."""
    first = reference(results)
    return [
        arm
        for arm in results.arms
        if arm.arm.role is Role.LADDER
        and arm.finished
        and results.study.primary in arm.values
        and first is not None
        and same_questions(arm, first)
    ]
