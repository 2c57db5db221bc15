"""Where the relevant units of one question stand in one arm, and what its ranking shows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rag_ablation.core.chunks import SPAN_SEPARATOR
from rag_ablation.core.corpus import Unit, unit_name
from rag_ablation.report.study.content import FlipColumn, Listed
from rag_ablation.report.study.inputs import ArmResult, Row, Source, SourcePassage
from rag_ablation.report.study.recorded import least_grade, recorded_point, unit_of

FIRST = 3
LAST = "last"
HIDDEN = "not_visible"


class Gold(NamedTuple):
    """A relevant unit that can be seen.

    Args:
        unit: its id.
        grade: its grade.
        ranks: rank of its first passage by list (`sparse`, `dense`, `fused`, `last`), None where it has none.
    """

    unit: str
    grade: int
    ranks: Mapping[str, int | None]

    @property
    def last(self) -> int | None:
        """Its place in the last ranking."""
        return self.ranks.get(LAST)


class Read(NamedTuple):
    """What people read of a passage, and the larger units that it belongs to."""

    heading: str
    body: str
    names: Mapping[Unit, str]


@dataclass(frozen=True)
class Standing:
    """One question in one arm.

    Args:
        arm: the arm.
        query: id of the question.
        column: measure that is shown, such as `final/ndcg@10`.
        source: the dataset's own words.
        judged: grade by unit as the arm was scored on this question.
    """

    arm: ArmResult
    query: str
    column: str
    source: Source
    judged: Mapping[str, int]

    @cached_property
    def gold(self) -> tuple[Gold, ...]:
        """The relevant units in order of their ids; without recorded fates those of the labels."""
        if self.arm.record.evidence:
            return tuple(sorted(_gold(row) for row in self.arm.rows("fates", self.query) if row["fate"] != HIDDEN))
        ranks = {row["passage_id"]: row["rank"] for row in self.top}
        found = {unit: grade for unit, grade in self.judged.items() if grade >= self.relevant_from}
        return tuple(Gold(unit, grade, {LAST: ranks.get(unit)}) for unit, grade in sorted(found.items()))

    @cached_property
    def top(self) -> tuple[Row, ...]:
        """The first results at the point of the measure, in order."""
        point = recorded_point(self.arm, self.column)
        rows = [row for row in self.arm.rows("top", self.query) if row["point"] == point]
        return tuple(sorted(rows, key=lambda row: int(row["rank"])))

    @property
    def relevant_from(self) -> int:
        """Least grade that counts."""
        return least_grade(self.arm.record)

    def drawn(self, value: float) -> FlipColumn:
        """The first passages, and every relevant unit that has a rank.

        Args:
            value: of the measure on this question.
        """
        by_rank = {unit.last: unit for unit in self.gold if unit.last is not None}
        passages = {row["rank"]: row["passage_id"] for row in self.top}
        ranks = sorted({*list(passages)[:FIRST], *by_rank})
        before = [0, *ranks]
        return FlipColumn(
            key=self.arm.key,
            variant=self.arm.record.variant,
            value=value,
            passages=tuple(
                self._listed(rank, passages.get(rank), by_rank.get(rank), rank - previous - 1)
                for previous, rank in zip(before, ranks, strict=False)
            ),
            missing=tuple(unit.unit for unit in self.gold if unit.last is None),
        )

    def _listed(self, rank: int, passage: str | None, gold: Gold | None, skipped: int) -> Listed:
        """A passage below the recorded head is known by its unit alone."""
        name = passage if passage is not None or gold is None else gold.unit
        read = read_passage(self.source, str(name))
        grade = gold.grade if gold is not None else self._grade(str(name), read)
        return Listed(
            rank=rank,
            passage_id=str(name),
            heading=read.heading,
            body=read.body,
            grade=grade,
            gold=grade is not None and grade >= self.relevant_from,
            skipped=skipped,
        )

    def _grade(self, passage: str, read: Read) -> int | None:
        """That of its unit where it is relevant, else as it was judged at whatever unit the labels have."""
        unit = unit_of(self.arm.record) or Unit.PASSAGE
        own = passage if unit is Unit.PASSAGE else read.names.get(unit, passage)
        relevant = {gold.unit: gold.grade for gold in self.gold}
        graded = [relevant.get(own), *(self.judged.get(name) for name in (own, passage, *read.names.values()))]
        return next((grade for grade in graded if grade is not None), None)


def read_passage(source: Source, name: str) -> Read:
    """A passage or a chunk in the dataset's own words; its id where they are not known.

    Args:
        source: the dataset's own words.
        name: id of a passage, or of a chunk, `<passage>@<start>-<end>`.
    """
    found = source.passage(name)
    if found is not None:
        return Read(_heading(found), found.text, _names(found))
    cut = re.fullmatch(rf"(.+){SPAN_SEPARATOR}(\d+)-(\d+)", name)
    whole = None if cut is None else source.passage(cut[1])
    if cut is None or whole is None:
        return Read(name, "", {})
    return Read(f"{_heading(whole)} [{cut[2]}–{cut[3]}]", whole.text[int(cut[2]) : int(cut[3])], _names(whole))


def _heading(passage: SourcePassage) -> str:
    """`Travel rules §3.2`; the sign only before a number."""
    title, location = passage.title or passage.document, passage.location or ""
    sign = "§" if re.fullmatch(r"\d+(\.\d+)*", location) else ""
    return f"{title} {sign}{location}".strip() or passage.id


def _names(passage: SourcePassage) -> dict[Unit, str]:
    return {
        Unit.CLAUSE: unit_name(passage.document, passage.location),
        Unit.DOCUMENT: unit_name(passage.document, None),
    }


def _gold(row: Row) -> Gold:
    ranks = {name.removeprefix("rank_"): row[name] for name in row if name.startswith("rank_")}
    return Gold(str(row["unit"]), int(row["grade"]), ranks)
