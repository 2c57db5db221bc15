"""What a report is made from: the study as declared, its arms as recorded, the dataset's own words.

Legend: Q questions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.interleaved import Timing
from rag_ablation.experiment.study import Study, StudyArm
from rag_ablation.report.study.verdict.inputs import HoldoutVerdict, PlanNote

__all__ = [
    "ArmResult",
    "HoldoutVerdict",
    "PlanNote",
    "Row",
    "Skipped",
    "Source",
    "SourcePassage",
    "StudyResults",
    "Timing",
]

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """One arm that was run, whether it finished or failed.

    Args:
        arm: as the study declares it.
        record: as its run wrote it.
        query_ids: (Q,) questions asked, in the order of the values; empty for an arm that failed.
        types: (Q,) question types.
        statuses: (Q,) `scored` or the reason why a question is in no mean.
        groups: (Q,) group of each question.
        values: (Q,) by `point/measure@cutoff`, NaN where unscored.
        rows: rows of `fates`, `context` or `top` by the table's name, of one question or (None) of all.
        judged: grade by question and by label unit, as the run was scored.
    """

    arm: StudyArm
    record: ArmRecord
    query_ids: Sequence[str]
    types: Sequence[str]
    statuses: Sequence[str]
    groups: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    rows: Callable[[str, str | None], Sequence[Row]]
    judged: Callable[[], Mapping[str, Mapping[str, int]]]

    @classmethod
    def failed(cls, arm: StudyArm, record: ArmRecord) -> Self:
        """An arm that did not finish: what its run wrote, and no results."""
        return cls(
            arm=arm,
            record=record,
            query_ids=(),
            types=(),
            statuses=(),
            groups=np.empty(0, dtype=np.int64),
            values={},
            rows=lambda _, __: (),
            judged=dict,
        )

    @property
    def key(self) -> str:
        """The arm's key in the study."""
        return self.arm.key

    @property
    def finished(self) -> bool:
        """Whether it has results."""
        return self.record.status == "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """An arm that was not run, and why.

    Args:
        arm: as the study declares it.
        reason: one sentence.
    """

    arm: StudyArm
    reason: str


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A passage as the dataset has it, for people to read."""

    id: str
    title: str
    text: str
    document: str
    location: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The dataset's own words, of what the report shows.

    Args:
        questions: text by question id.
        answers: reference answer by question id, where there is one.
        passage: a passage by id, None where the corpus has none of that id (a chunk, for example).
        n_documents: documents of the corpus.
        absent: why there are no texts, None where there are.
        description: of the dataset, as it describes itself; None where it does not.
        licence: of the dataset.
        origin: where the dataset comes from.
    """

    questions: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    passage: Callable[[str], SourcePassage | None] = lambda _: None
    n_documents: int | None = None
    absent: str | None = None
    description: str | None = None
    licence: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResults:
    """Everything that a report is made from.

    Args:
        study: as declared.
        arms: those that were run, in the order of the study.
        skipped: those that were left out before anything ran; their steps leave the family.
        not_reached: why an arm that was to run was not reached, by its key; its steps stay in the family.
        timing: interleaved serving times, None where they were not measured.
        source: the dataset's own words.
        commands: how to repeat it, one command a line.
        holdout: what a plan came to, of results on a holdout; None of a study.
        plans: what became of the plans that were frozen from a study.
    """

    study: Study
    arms: tuple[ArmResult, ...]
    skipped: tuple[Skipped, ...] = ()
    not_reached: Mapping[str, str] = field(default_factory=dict)
    timing: Timing | None = None
    source: Source = field(default_factory=Source)
    commands: tuple[str, ...] = ()
    holdout: HoldoutVerdict | None = None
    plans: tuple[PlanNote, ...] = ()

    def arm(self, key: str) -> ArmResult | None:
        """The arm of a key, None where it was not run."""
        return next((arm for arm in self.arms if arm.key == key), None)

    def name_of(self, key: str) -> str:
        """How an arm is named on the command line: `STUDY:KEY`, or its run where a holdout is scored."""
        found = self.arm(key)
        if self.holdout is not None and found is not None:
            return found.record.id
        return f"{self.study.name}:{key}"
