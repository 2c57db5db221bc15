from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rag_ablation.core.queries import Query, Status
from rag_ablation.core.visibility import Access, holds_on, may_see
from rag_ablation.data._index import CorpusIndex, View
from rag_ablation.data._report import Part, Place, Report, shown
from rag_ablation.data.native import QueryLine
from rag_ablation.data.qrels import Judgement

QUERIES = "queries.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What the files of one dataset hold, before it is known to fit together.

    Args:
        corpus: what the checks need to know of the passages.
        queries: questions of the set.
        known_queries: ids of all questions of the folder, in the set or not.
        qrels_file: name of the judgements' file.
        judgements: the rows.
        identities: roles by name of identity.
    """

    corpus: CorpusIndex
    queries: Part[QueryLine]
    known_queries: frozenset[str]
    qrels_file: str
    judgements: Part[Judgement]
    identities: Mapping[str, tuple[str, ...]]


def check_fit(files: Files, report: Report) -> None:
    """Check questions, judgements and corpus against each other.

    A file with lines that could not be read proves nothing by what it lacks, and a line that has a
    problem of its own gets no second one here.
    """
    _check_ids(files, report)
    _check_statuses(files, report)
    _check_visible(files, report)
    _check_label_ids(files, report)


def _check_ids(files: Files, report: Report) -> None:
    queries = {row.query_id for row in files.judgements.rows if row.query_id not in files.known_queries}
    units = {row.unit_id for row in files.judgements.rows if not files.corpus.has_unit(row.unit_id)}
    meant_query = _meant(queries, files.known_queries) if files.queries.complete else {}
    known_unit = _unit_hint(files)
    meant_unit = _meant(units, files.corpus.units()) if files.corpus.complete else {}
    for row in files.judgements.rows:
        place = Place(files.qrels_file, row.line)
        if files.queries.complete and row.query_id in queries:
            hint = _did_you_mean(row.query_id, meant_query) or f"an id of {QUERIES}"
            report.problem(place, "query-id", shown(row.query_id), hint)
        if files.corpus.complete and row.unit_id in units:
            hint = _did_you_mean(row.unit_id, meant_unit) or known_unit
            report.problem(place, "corpus-id", shown(row.unit_id), hint)


def _meant(unknown: set[str], known: Iterable[str]) -> dict[str, str]:
    """By id without white space: the known id that an unknown one would be without regard to it."""
    bare = {_bare(name) for name in unknown}
    return {_bare(name): name for name in known if _bare(name) in bare} if bare else {}


def _bare(name: str) -> str:
    return "".join(name.split())


def _did_you_mean(name: str, meant: Mapping[str, str]) -> str:
    near = meant.get(_bare(name))
    return "" if near is None else f"{near!r} (did you mean this one? they differ only by white space)"


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


def _check_visible(files: Files, report: Report) -> None:
    access = Access(identities=files.identities)
    questions = {row.query.id: row.query for row in files.queries.rows if row.sound}
    for row in files.judgements.rows:
        query = questions.get(row.query_id)
        if row.grade < 1 or query is None or (query.identity is None and query.as_of is None):
            continue
        unit = [files.corpus.view(member) for member in files.corpus.members(row.unit_id)]
        if not unit or any(not view.sound or _exists(view, query, access) for view in unit):
            continue
        report.problem(
            Place(files.qrels_file, row.line),
            "corpus-id",
            f"{row.unit_id!r}, which question {row.query_id!r} ({_asker(query)}) cannot see: "
            + _why(unit[0], query, access),
            "gold that exists for the question's own identity and date, or the status no_answer with asked_about",
        )


def _check_label_ids(files: Files, report: Report) -> None:
    if not files.corpus.complete:
        return
    corpus, known_unit = files.corpus, _unit_hint(files)
    for question in files.queries.rows:
        place = Place(QUERIES, question.line)
        for unit in _distinct(question.evidence_groups):
            if not corpus.has_unit(unit):
                report.problem(place, "metadata.evidence_groups", shown(unit), known_unit)
        named = [("asked_about", unit) for unit in question.asked_about]
        named += [("spans", unit) for unit in dict.fromkeys(span.unit_id for span in question.spans)]
        for key, unit in named:
            if not corpus.has_unit(unit) and unit not in corpus.line_of:
                report.problem(place, f"metadata.{key}", shown(unit), "an id of a passage or of a label unit")


def _rows_by_query(files: Files) -> dict[str, list[Judgement]]:
    rows: defaultdict[str, list[Judgement]] = defaultdict(list)
    for row in files.judgements.rows:
        rows[row.query_id].append(row)
    return dict(rows)


def _distinct(groups: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    yield from dict.fromkeys(unit for group in groups for unit in group)


def _unit_hint(files: Files) -> str:
    first = min(files.corpus.units(), default=None)
    example = "" if first is None else f", such as {first!r}"
    return f"an id of the label unit that is in corpus.jsonl{example}"


def _exists(view: View, query: Query, access: Access) -> bool:
    seen = may_see(view, access.roles(query.identity))
    return seen and (query.as_of is None or holds_on(view, query.as_of))


def _asker(query: Query) -> str:
    said = [] if query.identity is None else [f"identity {query.identity}"]
    return ", ".join(said + ([] if query.as_of is None else [f"as_of {query.as_of}"]))


def _why(view: View, query: Query, access: Access) -> str:
    if not may_see(view, access.roles(query.identity)):
        return f"acl {sorted(view.acl or ())}"
    begin, end = view.effective_from or "…", view.effective_to or "…"
    return f"in force from {begin} to {end}"
