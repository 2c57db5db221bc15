"""A TREC run file: `question Q0 passage rank score tag`, separated by blanks.

The order is that of the scores, as trec_eval takes it, and never that of the lines: score down, then rank up, then
line up. (trec_eval itself breaks ties by id downwards; a recorded rank says more than an id does.)
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rag_ablation.data._report import Place, Report, shown
from rag_ablation.data.jsonl import read_lines

SPACES = re.compile(r"[ \t]+")
WHOLE = re.compile(r"-?[0-9]{1,9}")
FORM = "6 columns separated by blanks: question, Q0, passage, rank, score, tag"


class Ranked(NamedTuple):
    """One result.

    Args:
        id: of the passage.
        score: as recorded, higher is better.
    """

    id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrecRun:
    """What a run file holds.

    Args:
        tag: the last column of the first line; empty for an empty file.
        rankings: by question, in the order of the file; the results best first.
        notices: what a reader should know, one sentence each.
    """

    tag: str
    rankings: Mapping[str, tuple[Ranked, ...]]
    notices: tuple[str, ...]


class _Line(NamedTuple):
    query_id: str
    passage_id: str
    score: float
    rank: int
    line: int
    tag: str


def read_run(path: Path) -> TrecRun:
    """Read a run file.

    Args:
        path: the file.

    Raises:
        DataError: with every problem: a line of another form, a score that is no finite number, a passage given
            twice for one question, or no such file.
    """
    report = Report()
    lines: list[_Line] = []
    try:
        data = path.read_bytes()
    except OSError as error:
        report.problem(Place(str(path), None), "file", str(error.strerror), "a TREC run file")
        raise report.error(f"{path} cannot be read", ()) from error
    for line in read_lines(path.name, data, report).rows:
        read = _read(Place(path.name, line.number), line.text, report)
        if read is not None:
            lines.append(read)
    by_query: dict[str, list[_Line]] = {}
    first: dict[tuple[str, str], int] = {}
    for item in lines:
        by_query.setdefault(item.query_id, []).append(item)
        earlier = first.setdefault((item.query_id, item.passage_id), item.line)
        if earlier != item.line:
            found = f"{shown(item.passage_id)} for question {item.query_id!r}, which line {earlier} has already"
            report.problem(Place(path.name, item.line), "passage", found, "each passage once for a question")
    if report.problems:
        raise report.error(f"{path} (TREC run file) cannot be used", ())
    return _run(by_query, report)


def _run(by_query: Mapping[str, list[_Line]], report: Report) -> TrecRun:
    rankings: dict[str, tuple[Ranked, ...]] = {}
    reordered: list[str] = []
    for query_id, lines in by_query.items():
        ordered = sorted(lines, key=lambda item: (-item.score, item.rank, item.line))
        if [item.rank for item in ordered] != sorted(item.rank for item in lines):
            reordered.append(query_id)
        rankings[query_id] = tuple(Ranked(item.passage_id, item.score) for item in ordered)
    tags = list(dict.fromkeys(item.tag for lines in by_query.values() for item in lines))
    if reordered:
        report.notices.append(
            f"{len(reordered)} rankings whose ranks contradict their scores (first: {reordered[0]}): the scores count"
        )
    if len(tags) > 1:
        report.notices.append(f"{len(tags)} tags in one file: {', '.join(tags[:5])}")
    return TrecRun(tag=tags[0] if tags else "", rankings=rankings, notices=tuple(report.notices))


def _read(place: Place, text: str, report: Report) -> _Line | None:
    cells = SPACES.split(text.strip(" \t"))
    if len(cells) != 6:
        report.problem(place, "columns", f"{len(cells)} ({shown(text)})", FORM)
        return None
    query_id, _, passage_id, rank, score, tag = cells
    if not WHOLE.fullmatch(rank):
        report.problem(place, "rank", shown(rank), "a whole number")
        return None
    try:
        value = float(score)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        report.problem(place, "score", shown(score), "a finite number")
        return None
    return _Line(query_id, passage_id, value, int(rank), place.line or 0, tag)
