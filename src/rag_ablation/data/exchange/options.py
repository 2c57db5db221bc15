"""What a person may say about a conversion."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from rag_ablation.core.qrels import MAX_GRADE

TABLES = ("corpus", "questions", "qrels")
DEFAULT_SPLIT = "test"


class Column(NamedTuple):
    """A column that has another name than the field it holds.

    Args:
        table: one of `TABLES`, None for every table that has the column.
        field: name of the field, as in the native layout.
        column: header of the column.
    """

    table: str | None
    field: str
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices of one conversion; None and empty where nobody chose.

    Args:
        corpus: file (or sheet) of the passages, within the source.
        questions: file (or sheet) of the questions.
        qrels: file (or sheet) of the judgements; for BEIR the name of the split.
        split: which of several splits to read; the name of the one to write.
        columns: columns with names of their own.
        separator: between the values of a cell that holds several.
        delimiter: between the cells of a CSV line.
        encoding: of text files that are not UTF-8.
        grades: what to make of a grade that is not 0 to 62.
        name: name of the dataset.
        language: `zh`, `en`, `mixed` …
        label_unit: what the ids of the judgements stand for.
    """

    corpus: str | None = None
    questions: str | None = None
    qrels: str | None = None
    split: str | None = None
    columns: tuple[Column, ...] = ()
    separator: str = "|"
    delimiter: str = ","
    encoding: str | None = None
    grades: Mapping[int, int] = field(default_factory=dict)
    name: str | None = None
    language: str | None = None
    label_unit: str | None = None

    def given(self) -> list[str]:
        """Names of the options that differ from their defaults."""
        plain = Options()
        return [item.name for item in fields(self) if getattr(self, item.name) != getattr(plain, item.name)]


def parse_column(word: str) -> Column:
    """Read `FIELD=COLUMN` or `TABLE.FIELD=COLUMN`.

    Raises:
        ValueError: it has another form.
    """
    left, equals, column = word.partition("=")
    table, dot, rest = left.partition(".")
    if dot and table in TABLES:
        left = rest
    if not (equals and left and column):
        message = f"found {word!r}, expected FIELD=COLUMN, for example text=正文, or questions.text=问题"
        raise ValueError(message)
    return Column(table if dot and table in TABLES else None, "id" if left == "_id" else left, column)


def parse_grades(word: str) -> dict[int, int]:
    """Read `-1:0,-2:0`.

    Raises:
        ValueError: it has another form, or maps a grade twice.
    """
    pairs: dict[int, int] = {}
    for piece in word.split(","):
        left, colon, right = piece.partition(":")
        try:
            given, meant = int(left), int(right)
        except ValueError:
            colon, given, meant = "", 0, 0
        if colon and not 0 <= meant <= MAX_GRADE:
            message = f"found {piece!r}, which means grade {meant}; expected a meaning from 0 to {MAX_GRADE}"
            raise ValueError(message)
        if not colon or given in pairs:
            message = f"found {word!r}, expected pairs of whole numbers, each grade once, for example -1:0,-2:0"
            raise ValueError(message)
        pairs[given] = meant
    return pairs
