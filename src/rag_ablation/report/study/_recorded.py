"""What several sections read off recorded arms, and numbers and nouns as they write them."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.leaderboard import heading, signed
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.words import Piece, whole

NO_BREAK = "\u00a0"
FINAL = "final"


class Phrase(NamedTuple):
    """A few words in both languages, in the middle of a sentence."""

    en: str
    zh: str


class Noun(NamedTuple):
    """What an evaluation unit is called: `{n} relevant passages`, `{n} 段相关段落`."""

    one: str
    many: str
    measure: str
    zh: str

    def en(self, n: int) -> str:
        """Singular or plural."""
        return self.one if n == 1 else self.many


PASSAGES = Noun("passage", "passages", "段", "段落")
CHUNKS = Noun("chunk", "chunks", "个", "切块")
NOUNS: Mapping[Unit, Noun] = {
    Unit.PASSAGE: PASSAGES,
    Unit.CLAUSE: Noun("clause", "clauses", "条", "条款"),
    Unit.DOCUMENT: Noun("document", "documents", "份", "文档"),
}


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


def unit_of(record: ArmRecord) -> Unit | None:
    """The evaluation unit, None where it was the dataset's own and nothing tells which that is."""
    named = record.evidence.get("unit") or record.settings["scoring"].get("unit")
    return None if named is None else Unit.parse(str(named))


def noun_of(record: ArmRecord) -> Noun:
    """What its units are called."""
    unit = unit_of(record) or Unit.PASSAGE
    return CHUNKS if unit is Unit.PASSAGE and record.settings.get("chunking") else NOUNS[unit]


def sides(step: LadderStep, results: StudyResults, column: str) -> tuple[ArmResult, ArmResult] | None:
    """Child and parent of a step, None where the two do not compare on that column."""
    child, parent = results.arm(step.child), results.arm(step.parent)
    if step.refused is not None or child is None or parent is None:
        return None
    there = column in child.values and column in parent.values
    return (child, parent) if there and list(child.query_ids) == list(parent.query_ids) else None


def gaps_of(child: ArmResult, parent: ArmResult, column: str) -> NDArray[np.float64]:
    """(Q,) child − parent, NaN where unscored."""
    return child.values[column] - parent.values[column]


def n_of(mean: RecordedMean | Interval) -> Piece:
    """`n 127` on one line."""
    return whole(f"n{NO_BREAK}{mean.n}")


def named(column: str) -> str:
    """`final/ndcg@10` as people write it, without its point where that is the last ranking."""
    point, _, measure = column.partition("/")
    return heading(measure) if point == FINAL else f"{point}/{heading(measure)}"


def ends(interval: Interval) -> Phrase | None:
    """`+0.026 to +0.157`, None without an interval."""
    if interval.low is None or interval.high is None:
        return None
    low, high = signed(interval.low), signed(interval.high)
    return Phrase(f"{low} to {high}", f"{low} 至 {high}")


def listed(names: Sequence[str]) -> Phrase:
    """`A, B and C`, `A、B、C`."""
    *before, last = names
    return Phrase(f"{', '.join(before)} and {last}" if before else last, "、".join(names))
