from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag_ablation.core.corpus import Passage
from rag_ablation.core.queries import Query, Status
from rag_ablation.core.visibility import Access, holds_on, may_see
from rag_ablation.data._report import Part, Place, Report, shown
from rag_ablation.data.native import PassageLine, QueryLine
from rag_ablation.data.qrels import Judgement

QUERIES = "queries.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What the files of one dataset hold, before it is known to fit together.

    Args:
        corpus: passages.
        queries: questions of the set.
        known_queries: ids of all questions of the folder, in the set or not.
        qrels_file: name of the judgements' file.
        judgements: the rows.
        unit_of: id of the label unit of each passage, in the order of `corpus`.
        identities: roles by name of identity.
    """

    corpus: Part[PassageLine]
    queries: Part[QueryLine]
    known_queries: frozenset[str]
    qrels_file: str
    judgements: Part[Judgement]
    unit_of: list[str]
    identities: Mapping[str, tuple[str, ...]]

    def members(self) -> dict[str, list[PassageLine]]:
        """Passages of each label unit."""
        found: defaultdict[str, list[PassageLine]] = defaultdict(list)
        for unit, row in zip(self.unit_of, self.corpus.rows, strict=True):
            found[unit].append(row)
        return dict(found)


def check_fit(files: Files, report: Report) -> None:
    """Check questions, judgements and corpus against each other.

    A file with lines that could not be read proves nothing by what it lacks, and a line that has a
    problem of its own gets no second one here.
    """
    members = files.members()
    _check_ids(files, members, report)
    _check_statuses(files, report)
    _check_visible(files, members, report)
    _check_label_ids(files, members, report)


def _check_ids(files: Files, members: Mapping[str, object], report: Report) -> None:
    for row in files.judgements.rows:
        place = Place(files.qrels_file, row.line)
        if files.queries.complete and row.query_id not in files.known_queries:
            report.problem(place, "query-id", shown(row.query_id), f"an id of {QUERIES}")
        if files.corpus.complete and row.unit_id not in members:
            report.problem(place, "corpus-id", shown(row.unit_id), _unit_hint(files))


def _check_statuses(files: Files, report: Report) -> None:
    rows = _rows_by_query(files)
    for question in files.queries.rows:
        if not question.sound:
            continue
        place, found = Place(QUERIES, question.line), rows.get(question.query.id, [])
        if question.query.status is Status.REVIEWED and not found and files.judgements.complete:
            report.problem(
                place,
                "metadata.status",
                f"reviewed (stated, or by default) and no row of {question.query.id!r} in {files.qrels_file}",
                "a row with its gold, or the status no_answer or unreviewed",
            )
        gold = next((row for row in found if row.grade > 0), None)
        if question.query.status is Status.NO_ANSWER and gold is not None:
            report.problem(
                place,
                "metadata.status",
                f"no_answer, with grade {gold.grade} for {gold.unit_id!r} on line {gold.line} of {files.qrels_file}",
                "no grade above 0 for a question without an answer",
            )


def _check_visible(files: Files, members: Mapping[str, list[PassageLine]], report: Report) -> None:
    access = Access(identities=files.identities)
    questions = {row.query.id: row.query for row in files.queries.rows if row.sound}
    for row in files.judgements.rows:
        query = questions.get(row.query_id)
        if row.grade < 1 or query is None or (query.identity is None and query.as_of is None):
            continue
        unit = members.get(row.unit_id, [])
        if not unit or any(not line.sound or _exists(line.passage, query, access) for line in unit):
            continue
        report.problem(
            Place(files.qrels_file, row.line),
            "corpus-id",
            f"{row.unit_id!r}, which question {row.query_id!r} ({_asker(query)}) cannot see: "
            + _why(unit[0].passage, query, access),
            "gold that exists for the question's own identity and date, or the status no_answer with asked_about",
        )


def _check_label_ids(files: Files, members: Mapping[str, object], report: Report) -> None:
    if not files.corpus.complete:
        return
    passages = {row.passage.id for row in files.corpus.rows}
    for question in files.queries.rows:
        place = Place(QUERIES, question.line)
        for unit in _distinct(question.evidence_groups):
            if unit not in members:
                report.problem(place, "metadata.evidence_groups", shown(unit), _unit_hint(files))
        for unit in question.asked_about:
            if unit not in members and unit not in passages:
                report.problem(place, "metadata.asked_about", shown(unit), "an id of a passage or of a label unit")


def _rows_by_query(files: Files) -> dict[str, list[Judgement]]:
    rows: defaultdict[str, list[Judgement]] = defaultdict(list)
    for row in files.judgements.rows:
        rows[row.query_id].append(row)
    return dict(rows)


def _distinct(groups: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    yield from dict.fromkeys(unit for group in groups for unit in group)


def _unit_hint(files: Files) -> str:
    example = f", such as {files.unit_of[0]!r}" if files.unit_of else ""
    return f"an id of the label unit that is in corpus.jsonl{example}"


def _exists(passage: Passage, query: Query, access: Access) -> bool:
    seen = may_see(passage, access.roles(query.identity))
    return seen and (query.as_of is None or holds_on(passage, query.as_of))


def _asker(query: Query) -> str:
    said = [] if query.identity is None else [f"identity {query.identity}"]
    return ", ".join(said + ([] if query.as_of is None else [f"as_of {query.as_of}"]))


def _why(passage: Passage, query: Query, access: Access) -> str:
    if not may_see(passage, access.roles(query.identity)):
        return f"acl {sorted(passage.acl or ())}"
    begin, end = passage.effective_from or "…", passage.effective_to or "…"
    return f"in force from {begin} to {end}"
