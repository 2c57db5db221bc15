"""A dataset as plain rows, each with the place where its source has it."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rag_ablation.core.corpus import CLAUSE_SEPARATOR, Unit
from rag_ablation.core.queries import Status
from rag_ablation.data._report import Place, Report, shown

CORPUS, QUERIES, QRELS = "corpus.jsonl", "queries.jsonl", "qrels.tsv"
BLANKS = " \t"
MOST_EXAMPLES = 3


class Origin(NamedTuple):
    """Where a row stands in its source.

    Args:
        file: name within the source.
        line: 1-based line or row, None where the format has none.
        path: place within a nested file, such as `data[0].paragraphs[2]`.
    """

    file: str
    line: int | None = None
    path: str = ""

    def key(self, name: str) -> str:
        """Name of a field in messages."""
        return f"{self.path}.{name}" if self.path else name

    def __str__(self) -> str:
        """`file:line`, or what there is of it."""
        return self.file + ("" if self.line is None else f":{self.line}") + (f" {self.path}" if self.path else "")


class Record(NamedTuple):
    """A passage or a question.

    Args:
        origin: where it stands.
        title: of a passage; empty for a question.
        text: as it is.
        metadata: everything else, by native name.
    """

    origin: Origin
    title: str
    text: str
    metadata: dict[str, object]


class Grade(NamedTuple):
    """The grade of a pair, and where it stands."""

    origin: Origin
    grade: int


@dataclass(slots=True)
class Rows:
    """Passages, questions and judgements on their way from one layout to another.

    Args:
        report: receives problems and notices.
        about: content of dataset.yaml.
        passages: by id, in the order of the source.
        questions: by id, in the order of the source.
        judgements: by pair of question id and unit id.
        unreadable: native files for which some row of the source could not be read.
        losses: what the source holds and the rows do not, one sentence each.
        counts: things worth saying once with their number, in words without it.
    """

    report: Report = field(default_factory=Report)
    about: dict[str, object] = field(default_factory=dict)
    passages: dict[str, Record] = field(default_factory=dict)
    questions: dict[str, Record] = field(default_factory=dict)
    judgements: dict[tuple[str, str], Grade] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    losses: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)
    known_units: frozenset[str] = frozenset()

    def problem(self, origin: Origin, name: str, found: str, expected: str) -> None:
        """Note one problem and go on."""
        self.report.problem(Place(origin.file, origin.line), origin.key(name), found, expected)

    def count(self, what: str, example: str | None = None) -> None:
        """Count something worth saying; the first few examples are kept."""
        self.counts[what] += 1
        named = self.examples.setdefault(what, [])
        if example is not None and example not in named and len(named) < MOST_EXAMPLES:
            named.append(example)

    def counted(self) -> list[str]:
        """The counts, one sentence each."""
        said = []
        for what, number in self.counts.items():
            named = self.examples.get(what, [])
            more = ", …" if named and number > len(named) else ""
            said.append(f"{what}: {number}" + (f" ({', '.join(named)}{more})" if named else ""))
        return said

    def add_passage(
        self, origin: Origin, name: object, title: str, text: object, metadata: Mapping[str, object]
    ) -> None:
        """Take a passage; a wrong or repeated id and a text that is none are problems."""
        self._add(self.passages, CORPUS, (origin, name), Record(origin, title, _text(text), dict(metadata)))
        if not isinstance(text, str):
            self.problem(origin, "text", _found(text), "a string")

    def add_question(self, origin: Origin, name: object, text: object, metadata: Mapping[str, object]) -> None:
        """Take a question; a wrong or repeated id and a text that is none are problems."""
        if not isinstance(text, str):
            self.problem(origin, "text", _found(text), "the question, a non-empty string")
            self.unreadable.add(QUERIES)
            return
        self._add(self.questions, QUERIES, (origin, name), Record(origin, "", text, dict(metadata)))

    def add_judgement(self, origin: Origin, query_id: str, unit_id: str, grade: int) -> None:
        """Take a judgement; call it when all passages and questions are there.

        Blanks at the end of an id go only where the id is unknown with them and known without. A pair given
        twice counts once, and with two grades is a problem.
        """
        query_id = self.known(query_id, self.questions)
        unit_id = self.known(unit_id, self._units())
        for name, value in (("query-id", query_id), ("corpus-id", unit_id)):
            if not value or "\t" in value or "\n" in value:
                self.problem(origin, name, shown(value) if value else "nothing", "an id without tab or line break")
                self.unreadable.add(QRELS)
                return
        earlier = self.judgements.setdefault((query_id, unit_id), Grade(origin, grade))
        if earlier.grade != grade:
            found = (
                f"two grades for the pair ({query_id}, {unit_id}): {earlier.grade} at {earlier.origin} "
                f"and {grade} at {origin}"
            )
            self.problem(origin, "score", found, "one grade for each pair")
        elif earlier.origin != origin:
            self.count("judgements given again with the same grade, which count once", str(origin))

    def known(self, name: str, names: Collection[str]) -> str:
        """The id meant by a reference: itself, or without blanks at its ends where only that is known."""
        bare = name.strip(BLANKS)
        if name == bare or name in names or bare not in names:
            return name
        self.count("ids with blanks at their ends, which were taken off", repr(name))
        return bare

    def mark_unjudged(self) -> None:
        """Questions that have no judgement and no status become `unreviewed`."""
        judged = {query_id for query_id, _ in self.judgements}
        for name, question in self.questions.items():
            if name not in judged and question.metadata.get("status") is None:
                question.metadata["status"] = Status.UNREVIEWED.value
                self.count("questions without a judgement, taken as unreviewed", name)

    def leave_out_unjudged(self, file: str) -> None:
        """Drop questions without a row in the chosen judgements, unless their status needs none."""
        judged = {query_id for query_id, _ in self.judgements}
        statuses = (Status.NO_ANSWER.value, Status.UNREVIEWED.value)
        left = [
            name
            for name, question in self.questions.items()
            if name not in judged and question.metadata.get("status") not in statuses
        ]
        if left and QRELS not in self.unreadable:
            self.losses.append(f"{len(left)} of {len(self.questions)} questions have no row in {file} and are left out")
            for name in left:
                del self.questions[name]

    def _add(self, rows: dict[str, Record], file: str, found: tuple[Origin, object], record: Record) -> None:
        origin, name = found
        if not isinstance(name, str) or not name:
            hint = f', for example "{name}"' if isinstance(name, int) and not isinstance(name, bool) else ""
            self.problem(origin, "_id", _found(name), f"a non-empty string{hint}")
            self.unreadable.add(file)
        elif rows.setdefault(name, record) is not record:
            self.problem(origin, "_id", f"{shown(name)}, which {rows[name].origin} has already", "each id once")

    def _units(self) -> frozenset[str]:
        """Ids that judgements may name, at the unit of the labels."""
        if not self.known_units:
            unit = Unit.parse(str(self.about.get("label_unit") or self.about.get("unit") or Unit.PASSAGE))
            self.known_units = frozenset(_unit_id(unit, name, row) for name, row in self.passages.items())
        return self.known_units


def _unit_id(unit: Unit, name: str, record: Record) -> str:
    if unit is Unit.PASSAGE:
        return name
    document, location = record.metadata.get("doc_id") or name, record.metadata.get("location")
    at_clause = unit is Unit.CLAUSE and location is not None
    return f"{document}{CLAUSE_SEPARATOR}{location}" if at_clause else str(document)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _found(value: object) -> str:
    return "nothing" if value is None or value == "" else shown(value)
