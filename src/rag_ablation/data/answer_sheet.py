"""Answers on their way to a person and back: a table with a row for each, and an empty column for the verdict."""

import csv
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.answers import Reference, Word
from rag_ablation.core.errors import CommandError
from rag_ablation.core.reviews import SETTLED
from rag_ablation.data._report import Place, Report, shown
from rag_ablation.data._sheet import MARK, SAVE_AS, cut, decoded, protected, records, table_bytes, unprotected

VERDICT, NOTE, REASON, SAMPLE = "verdict", "note", "reason", "sample"
SHOWN = ("query_id", "question", "answer", "declines", "reference")
NEEDED = ("answer_id", "query_id", "question", "answer", "reference", VERDICT)
NO_ANSWER = "the corpus does not answer this: to decline is right"
HEADING = "no verdict was taken over"
AS_WRITTEN = "as it was written: verdicts stand beside the answers that they are of"
_LIKE_A_NUMBER = re.compile(r"\d.{0,19}", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer to be looked at.

    Args:
        id: of the question, the answer and the reference together.
        query_id: id of the question.
        question: as asked.
        answer: what was said.
        declines: whether it is a refusal.
        reference: what would have been right, in words.
        reason: why the judge could not decide; None where the judge is not to be known of.
    """

    id: str
    query_id: str
    question: str
    answer: str
    declines: bool
    reference: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A verdict as it was filled in.

    Args:
        line: 1-based line of its row.
        id: of the answer.
        word: the verdict.
        note: why; empty where nothing was written.
    """

    line: int
    id: str
    word: Word
    note: str


class AnswerSheet(NamedTuple):
    """What a person gave back.

    Args:
        filled: rows with a verdict, each answer once.
        left: ids of the answers without one.
        samples: what the column `sample` says, each text once; empty where the sheet is of open verdicts.
    """

    filled: tuple[Filled, ...]
    left: tuple[str, ...]
    samples: tuple[str, ...]


def reference_words(reference: Reference) -> str:
    """A reference as a person reads it, a line for each use."""
    uses = {
        "right": reference.answers,
        "needed": reference.keypoints,
        "may be said": reference.optional,
        "must not be said": reference.forbidden,
    }
    lines = [f"{use}: {' | '.join(texts)}" for use, texts in uses.items() if texts]
    return "\n".join(lines if reference.answerable else [NO_ANSWER, *lines])


def write_answers(rows: Iterable[AnswerRow], sample: str | None = None) -> bytes:
    """The table; of a sample without what the judge made of the answers.

    Args:
        rows: in the order in which they are to be looked at.
        sample: how they were drawn, None for open verdicts.
    """
    blind = sample is not None
    table: list[Sequence[str]] = [
        (*SHOWN, *(() if blind else (REASON,)), VERDICT, NOTE, "answer_id", *((SAMPLE,) if blind else ()))
    ]
    drawn = [] if sample is None else [_kept(sample)]
    for row in rows:
        cells = [row.query_id, row.question, row.answer, "yes" if row.declines else "", row.reference]
        cells += [] if blind else [row.reason or ""]
        table.append([*(_kept(cut(cell)) for cell in cells), "", "", row.id, *drawn])
    return table_bytes(table)


def read_answers(path: Path, known: Mapping[str, AnswerRow]) -> AnswerSheet:
    """Read a table that was filled in; columns may stand in any order.

    Args:
        path: the file.
        known: the answers of the run as they are now, by id.

    Raises:
        CommandError: it cannot be read.
        DataError: with every problem of its rows; a row of an answer that the run does not have is one.
    """
    report = Report()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CommandError.of("FILE", str(error.strerror), "a file that review export wrote", file=str(path)) from error
    text = decoded(str(path), data, report)
    sheet = AnswerSheet((), (), ()) if text is None else _sheet(str(path), text, known, report)
    if report.count:
        raise report.error(HEADING, [str(path)])
    return sheet


def _sheet(file: str, text: str, known: Mapping[str, AnswerRow], report: Report) -> AnswerSheet:
    first: dict[str, Filled] = {}
    left: dict[str, None] = {}
    samples: dict[str, None] = {}
    try:
        for line, cells in records(file, text, report, NEEDED, (NOTE, SAMPLE)):
            place = Place(file, line)
            name = cells["answer_id"].strip()
            if SAMPLE in cells:
                samples[_plain(cells[SAMPLE])] = None
            if not _fits(place, cells, known.get(name), report):
                continue
            if not cells[VERDICT].strip():
                left[name] = None
                continue
            row = _filled(place, name, cells, report)
            earlier = row and first.setdefault(name, row)
            if row and earlier and earlier.word is not row.word:
                found = f"{row.word}, and {earlier.word} for the same answer on line {earlier.line}"
                report.problem(place, VERDICT, found, "one verdict for each answer")
    except csv.Error as error:
        report.problem(Place(file, None), "file", f"no valid CSV ({error})", SAVE_AS)
    return AnswerSheet(tuple(first.values()), tuple(name for name in left if name not in first), tuple(samples))


def _fits(place: Place, cells: Mapping[str, str], row: AnswerRow | None, report: Report) -> bool:
    """Whether a row is of an answer of the run, and its cells are still that answer's."""
    if row is None:
        found = f"{shown(cells['answer_id'])}, which is no answer of this run to a question as its labels are now"
        expected = "a sheet of this run; where its answers or labels have changed since, export anew"
        report.problem(place, "answer_id", found, expected)
        return False
    before = report.count
    for name in ("query_id", "question", "answer", "reference"):
        wanted = cut(getattr(row, name))
        if _plain(cells[name]) != _plain(wanted):
            report.problem(place, name, shown(cells[name]), f"{shown(wanted)}, {AS_WRITTEN}")
    return report.count == before


def _filled(place: Place, name: str, cells: Mapping[str, str], report: Report) -> Filled | None:
    word = cells[VERDICT].strip().casefold()
    if word not in SETTLED:
        report.problem(place, VERDICT, shown(cells[VERDICT]), f"{' or '.join(SETTLED)}, or nothing where it stays open")
        return None
    return Filled(line=place.line or 0, id=name, word=Word(word), note=unprotected(cells.get(NOTE, "")).strip())


def _kept(cell: str) -> str:
    """A cell that no program runs, or turns into a number or a date."""
    return MARK + cell if _LIKE_A_NUMBER.fullmatch(cell) else protected(cell)


def _plain(cell: str) -> str:
    """A cell without what programs change of their own: apostrophes in front, line ends and other blanks."""
    return " ".join(unicodedata.normalize("NFC", cell).split()).lstrip(MARK).strip()
