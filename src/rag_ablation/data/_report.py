from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from rag_ablation.core.errors import DataError, Problem

MOST_SHOWN_CHARS = 80
MOST_KEPT_PER_FILE = 10_000

Row = TypeVar("Row")


class Place(NamedTuple):
    """A line of a file."""

    file: str
    line: int | None


@dataclass(frozen=True, slots=True)
class Part(Generic[Row]):
    """What one file gave.

    Args:
        rows: what could be read.
        complete: False where a line could not be read at all, so that a missing id proves nothing.
    """

    rows: list[Row]
    complete: bool


@dataclass(slots=True)
class Report:
    """Everything found wrong, and everything worth saying, while a dataset is read.

    Of one file ten thousand problems are kept and the rest counted, so that a file that is wrong on every
    line does not fill the memory.
    """

    problems: list[Problem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    by_file: Counter[str] = field(default_factory=Counter)

    @property
    def count(self) -> int:
        """How many problems there are, kept or not."""
        return self.by_file.total()

    def problem(self, place: Place, field_name: str, found: str, expected: str) -> None:
        """Note one problem and go on."""
        self.add(Problem(file=place.file, line=place.line, field=field_name, found=found, expected=expected))

    def add(self, problem: Problem) -> None:
        """Note a problem that is made already."""
        self.by_file[problem.file] += 1
        if self.by_file[problem.file] <= MOST_KEPT_PER_FILE:
            self.problems.append(problem)

    def error(self, heading: str, files: Sequence[str]) -> DataError:
        """All problems, file by file in the order given, line by line."""
        order = {file: place for place, file in enumerate(files)}
        ordered = sorted(self.problems, key=lambda p: (order.get(p.file, -1), p.line or 0))
        return DataError(heading, ordered, self.count - len(ordered))


def shown(value: object) -> str:
    """A value from a file in words, long ones cut."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return repr(value) if len(value) <= MOST_SHOWN_CHARS else f"{value[:MOST_SHOWN_CHARS]!r}…"
    if isinstance(value, list):
        return "an empty list" if not value else f"a list ({shown(value[0])}, …)"
    return "an object" if isinstance(value, dict) else f"{value!r}"[:MOST_SHOWN_CHARS]
