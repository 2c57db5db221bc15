"""Results that nobody has judged, gathered from all arms of a study for a reviewer."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rag_ablation.core.chunks import SPAN_SEPARATOR
from rag_ablation.core.corpus import Unit, unit_name
from rag_ablation.core.errors import RagAblationError
from rag_ablation.core.wording import counted
from rag_ablation.data.review import Row
from rag_ablation.report.study.inputs import ArmResult, Source, SourcePassage

SNAPSHOT = ("corpus", "queries", "labels")
NEVER_SCORED = ("no_answer", "unreviewed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What is to be judged.

    Args:
        rows: by question id, then best rank, then unit id; no pair twice.
        arms: keys of the arms whose results were looked at.
        left_out: what was not looked at and why, one sentence each.
    """

    rows: tuple[Row, ...]
    arms: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def n_questions(self) -> int:
        """Questions that have a row."""
        return len({row.query_id for row in self.rows})


class _Hit(NamedTuple):
    rank: int
    arm: str
    passage: SourcePassage


def pool(arms: Sequence[ArmResult], source: Source, *, unit: Unit, depth: int) -> Pool:
    """Gather the first results of every arm, at `final`, that have no judgement.

    Questions without an answer, and those whose evidence nobody reviewed, are in no mean of a ranking whatever
    is judged, and are left out. So are arms that rank nothing and, where labels are of passages, arms that cut
    them: a chunk of such an arm is no unit that a judgement could name.

    Args:
        arms: in the order of the study, finished or not.
        source: the dataset's own words.
        unit: unit of the labels.
        depth: how many of the first results of each question.

    Raises:
        RagAblationError: the arms were scored on different data or labels, or the dataset's words are gone.
    """
    if source.absent is not None:
        message = f"there is nothing to show a reviewer: {source.absent}; run the study again on the data as it is"
        raise RagAblationError(message)
    usable, left_out = _usable(arms, unit)
    if not usable:
        return Pool(rows=(), arms=(), left_out=tuple(left_out))
    _check_snapshot(usable)
    judged = _judged(usable)
    types, statuses = _labels(usable)
    dropped = Counter(status for status in statuses.values() if status in NEVER_SCORED)
    left_out += [f"{counted(n, 'question')} with the status {status}" for status, n in sorted(dropped.items())]
    found: dict[tuple[str, str], list[_Hit]] = {}
    for arm in usable:
        for (query, name), hit in _hits(arm, source, unit, depth).items():
            if statuses[query] not in NEVER_SCORED and name not in judged.get(query, {}):
                found.setdefault((query, name), []).append(hit)
    rows = [_row(pair, hits, source, types) for pair, hits in found.items()]
    return Pool(
        rows=tuple(sorted(rows, key=lambda row: (row.query_id, row.best_rank, row.unit))),
        arms=tuple(arm.key for arm in usable),
        left_out=tuple(left_out),
    )


def _usable(arms: Sequence[ArmResult], unit: Unit) -> tuple[list[ArmResult], list[str]]:
    usable, reasons = [], []
    for arm in arms:
        if not arm.finished:
            reasons.append(f"{arm.key}: {arm.record.status}")
        elif arm.record.final is None:
            reasons.append(f"{arm.key}: ranks nothing")
        elif unit is Unit.PASSAGE and arm.record.settings.get("chunking") is not None:
            reasons.append(f"{arm.key}: cuts passages, and the labels are of whole ones")
        else:
            usable.append(arm)
    return usable, reasons


def _check_snapshot(arms: Sequence[ArmResult]) -> None:
    """All arms must have been scored on one state of the data.

    Raises:
        RagAblationError: some were not.
    """
    first = arms[0].record
    for arm in arms[1:]:
        differing = [part for part in SNAPSHOT if arm.record.digests.get(part) != first.digests.get(part)]
        if differing or arm.query_ids != arms[0].query_ids:
            what = " and ".join(differing) or "the questions asked"
            message = (
                f"{what} of the arms {arms[0].key} and {arm.key} differ: run the study again on one state of the data"
            )
            raise RagAblationError(message)


def _judged(arms: Sequence[ArmResult]) -> Mapping[str, set[str]]:
    judged: dict[str, set[str]] = {}
    for arm in arms:
        for query, grades in arm.judged().items():
            judged.setdefault(query, set()).update(grades)
    return judged


def _labels(arms: Sequence[ArmResult]) -> tuple[dict[str, str], dict[str, str]]:
    """Type and status of each question."""
    ids = arms[0].query_ids
    return dict(zip(ids, arms[0].types, strict=True)), dict(zip(ids, arms[0].statuses, strict=True))


def _hits(arm: ArmResult, source: Source, unit: Unit, depth: int) -> dict[tuple[str, str], _Hit]:
    """Best hit of each pair of question and unit among the first results of an arm."""
    found: dict[tuple[str, str], _Hit] = {}
    for row in sorted(arm.rows("top", None), key=lambda row: int(row["rank"])):
        if row["point"] == arm.record.final and row["rank"] <= depth:
            passage = _passage(str(row["passage_id"]), source)
            name = _unit_of(passage, unit)
            found.setdefault((str(row["query_id"]), name), _Hit(int(row["rank"]), arm.key, passage))
    return found


def _passage(name: str, source: Source) -> SourcePassage:
    """The passage of that id, or the one that the chunk of that id was cut from."""
    found = source.passage(name) or source.passage(name.rpartition(SPAN_SEPARATOR)[0])
    if found is None:
        message = f"the corpus has no passage {name!r}, which was retrieved: run the study again on the data as it is"
        raise RagAblationError(message)
    return found


def _unit_of(passage: SourcePassage, unit: Unit) -> str:
    if unit is Unit.PASSAGE:
        return passage.id
    return unit_name(passage.document, passage.location if unit is Unit.CLAUSE else None)


def _row(pair: tuple[str, str], hits: Sequence[_Hit], source: Source, types: Mapping[str, str]) -> Row:
    query, name = pair
    best = min(hits, key=lambda hit: hit.rank)
    return Row(
        query_id=query,
        question=source.questions.get(query, ""),
        type=types[query],
        unit=name,
        title=best.passage.title,
        text=best.passage.text,
        found_by="; ".join(f"{hit.arm} #{hit.rank}" for hit in hits),
        best_rank=best.rank,
    )
