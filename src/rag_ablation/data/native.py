"""The native layout: corpus.jsonl and queries.jsonl (dataset.yaml is read by `_about`).

A key beside `metadata` counts as metadata, so that an access list or a label is never overlooked
for standing one level too high.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

from rag_ablation.core.corpus import Passage
from rag_ablation.core.digest import digest_json
from rag_ablation.core.evalset import LABEL_KEYS
from rag_ablation.core.queries import Query, Status
from rag_ablation.data._fields import Fields, Span
from rag_ablation.data._report import Part, Place, Report, shown
from rag_ablation.data.jsonl import Line, Record, Records, parse_record, read_records


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageLine:
    """A passage and where it stood.

    Args:
        line: 1-based line of the corpus.
        passage: the passage.
        content: digest of everything on the line.
        sound: whether its line was without problems.
        offset: byte of the file at which the line begins.
    """

    line: int
    passage: Passage
    content: str
    sound: bool
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryLine:
    """A question, its labels, and where it stood.

    Args:
        line: 1-based line of the questions.
        query: the question, without labels.
        labels: values of `LABEL_KEYS`.
        asked_about: ids of the units that the annotator had in view.
        evidence_groups: ids for each piece of evidence.
        spans: where the answer stands.
        content: digest of everything on the line that is no label.
        sound: whether its line was without problems.
    """

    line: int
    query: Query
    labels: Mapping[str, object]
    asked_about: tuple[str, ...]
    evidence_groups: tuple[tuple[str, ...], ...]
    spans: tuple[Span, ...]
    content: str
    sound: bool


def read_corpus(file: str, handle: BinaryIO, report: Report, visit: Callable[[PassageLine], None]) -> Records:
    """Hand over the passages one by one, in the order of the file.

    Args:
        file: name used in messages.
        handle: the file, at its start.
        report: receives every problem.
        visit: receives each passage; only what it keeps is kept.

    Returns:
        The records read to their end: whether they are complete, and the line of each id.
    """
    records = Records(file, handle, report)
    n_empty = first_empty = 0
    for record in records:
        row = _passage(Place(file, record.number), record, report)
        if not (row.passage.title.strip() or row.passage.text.strip()):
            n_empty += 1
            first_empty = first_empty or row.line
        visit(row)
    if records.complete and not records.line_of:
        report.problem(Place(file, None), "file", "no passage", "at least one passage")
    if n_empty:
        report.notices.append(
            f"{file}: {n_empty} passage{'s' if n_empty != 1 else ''} without title and text (first: line {first_empty})"
        )
    return records


def passage_at(file: str, handle: BinaryIO, line: int, offset: int) -> PassageLine | None:
    """Read one passage again; None where there is none any more.

    Args:
        file: name used in messages.
        handle: the file.
        line: number of its line.
        offset: byte at which the line begins.
    """
    handle.seek(offset)
    text = handle.readline().removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")
    record = parse_record(file, Line(line, text, offset), Report())
    return None if record is None else _passage(Place(file, line), record, Report())


def read_queries(file: str, data: bytes, report: Report) -> Part[QueryLine]:
    """Questions in id order, labels apart.

    Args:
        file: name used in messages.
        data: bytes of the file.
        report: receives every problem.
    """
    records = read_records(file, data, report)
    if records.complete and not records.rows:
        report.problem(Place(file, None), "file", "no question", "at least one question")
    rows = [_query(Place(file, record.number), record, report) for record in records.rows]
    return Part(sorted(rows, key=lambda row: row.query.id), records.complete)


def _passage(place: Place, record: Record, report: Report) -> PassageLine:
    before = report.count
    own = Fields(record.values, place, report, prefix="")
    title, text = own.any_text("title"), own.any_text("text")
    if text is None and record.values.get("text") is None:
        own.wrong("text", "nothing", "a string")
    metadata = _metadata(own)
    fields = Fields(metadata, place, report)
    begin, end = fields.day("effective_from"), fields.day("effective_to")
    if begin is not None and end is not None and begin > end:
        fields.wrong("effective_to", f"{end}, before effective_from {begin}", "a day that is not before effective_from")
    passage = Passage(
        id=record.id,
        title=title or "",
        text=text or "",
        doc_id=fields.text("doc_id") or record.id,
        location=fields.text("location"),
        version=fields.text("version"),
        family=fields.text("family"),
        acl=fields.roles("acl"),
        effective_from=begin,
        effective_to=end,
        metadata=fields.rest(),
    )
    content = digest_json([record.id, title, text, metadata])
    sound = report.count == before
    return PassageLine(line=record.number, passage=passage, content=content, sound=sound, offset=record.offset)


def _query(place: Place, record: Record, report: Report) -> QueryLine:
    before = report.count
    own = Fields(record.values, place, report, prefix="")
    text = own.any_text("text")
    if not (text or "").strip() and isinstance(record.values.get("text", ""), str | None):
        own.wrong("text", "nothing" if text is None else shown(text), "the question, a non-empty string")
    metadata = _metadata(own)
    asked = {key: value for key, value in metadata.items() if key not in LABEL_KEYS}
    labels = {key: value for key, value in metadata.items() if key in LABEL_KEYS}
    fields, marks = Fields(asked, place, report), Fields(labels, place, report)
    query = Query(
        id=record.id,
        text=text or "",
        type=fields.text("type") or "unspecified",
        status=fields.word("status", Status) or Status.REVIEWED,
        identity=fields.text("identity"),
        as_of=fields.day("as_of"),
        group=fields.text("group"),
        metadata=fields.rest(),
    )
    marks.any_text("answer")
    marks.texts("answers")
    marks.keypoints("keypoints")
    spans = marks.spans("spans")
    return QueryLine(
        line=place.line or 0,
        query=query,
        labels=labels,
        asked_about=tuple(marks.ids("asked_about")),
        evidence_groups=tuple(tuple(group) for group in marks.id_lists("evidence_groups")),
        spans=tuple(spans),
        content=digest_json([record.id, text, asked]),
        sound=report.count == before,
    )


def _metadata(own: Fields) -> dict[str, object]:
    """The `metadata` object together with the keys that stand beside it."""
    given = own.values.get("metadata")
    beside = {key: value for key, value in own.rest().items() if key != "metadata"}
    if given is None:
        return beside
    if not isinstance(given, dict):
        own.wrong("metadata", shown(given), "an object")
        return beside
    for key in sorted(beside.keys() & given.keys()):
        own.wrong(key, "the key both in metadata and beside it", "one place for it, in metadata")
    return beside | given
