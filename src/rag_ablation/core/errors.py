"""What can go wrong, in words for the person who can mend it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SHOWN_PROBLEMS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong in the input.

    Args:
        field: the key, column or setting concerned.
        found: what was there.
        expected: what would have been right, or what to do.
        file: name of the file, empty for a setting.
        line: 1-based line in that file, None where a line makes no sense.
    """

    field: str
    found: str
    expected: str
    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """`file:line: field: found …, expected …`."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        prefix = f"{place}: " if place else ""
        return f"{prefix}{self.field}: found {self.found}, expected {self.expected}"


class RagAblationError(Exception):
    """Root of all errors that this package raises on purpose."""


class ProblemsError(RagAblationError):
    """Several problems, gathered before any work starts.

    Args:
        heading: one line that says what was being read.
        problems: every problem found; the message shows the first 50 and counts the rest.
        dropped: how many more there were than are handed over.
    """

    def __init__(self, heading: str, problems: Iterable[Problem], dropped: int = 0) -> None:
        self.heading = heading
        self.problems: Sequence[Problem] = tuple(problems)
        shown = [f"  {problem}" for problem in self.problems[:SHOWN_PROBLEMS]]
        n = len(self.problems) + dropped
        hidden = n - len(shown)
        if hidden > 0:
            shown.append(f"  … and {hidden} more")
        count = f"{n} problem" + ("s" if n != 1 else "")
        super().__init__("\n".join([f"{heading}: {count}", *shown]))


class ConfigError(ProblemsError):
    """The configuration cannot be run."""

    @classmethod
    def of(cls, field: str, found: object, expected: str) -> "ConfigError":
        """A configuration error with a single problem."""
        return cls("the configuration cannot be run", [Problem(field=field, found=repr(found), expected=expected)])


class DataError(ProblemsError):
    """The dataset cannot be used as it is."""

    @classmethod
    def of(cls, field: str, found: str, expected: str, *, file: str = "", line: int | None = None) -> "DataError":
        """A data error with a single problem."""
        problem = Problem(field=field, found=found, expected=expected, file=file, line=line)
        return cls("the dataset cannot be used", [problem])


class CommandError(ProblemsError):
    """A command cannot be carried out as it was typed, or on what it names."""

    @classmethod
    def of(cls, field: str, found: str, expected: str, *, file: str = "") -> "CommandError":
        """One that has a single reason."""
        problem = Problem(field=field, found=found, expected=expected, file=file)
        return cls("the command cannot be carried out", [problem])


class SystemRefusalError(RagAblationError):
    """The operating system refuses something: a full disk, a folder that may not be written to."""

    @classmethod
    def of(cls, error: OSError) -> "SystemRefusalError":
        """What the system said, with the file's name where there is one."""
        said = error.strerror or " ".join(map(str, error.args)) or type(error).__name__
        place = f"{error.filename}: " if error.filename else ""
        return cls(f"the system refuses: {place}{said}")


class InputRefused(RagAblationError):  # noqa: N818 - it reads as what happened, and callers ask for its reason
    """Plain values handed to `evaluate`, `fuse` or a test cannot be taken as they are; nothing was computed.

    Args:
        reason: one word for the kind of fault, for example `duplicate_id`.
        message: what was found, in which question, list and id, and what to do.
    """

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


class StageError(RagAblationError):
    """A stage failed or returned something that a stage may not return.

    Args:
        slot: the slot whose stage failed.
        message: what happened and what to do.
        query_id: the question concerned, where there is one.
    """

    def __init__(self, slot: str, message: str, query_id: str | None = None) -> None:
        self.slot = slot
        self.query_id = query_id
        where = slot if query_id is None else f"{slot}, question {query_id!r}"
        super().__init__(f"{where}: {message}")


class ModelError(RagAblationError):
    """A model cannot be had, or is not what the slot needs."""


class HoldoutError(RagAblationError):
    """The discipline of the holdout forbids this."""


class TrackingError(RagAblationError):
    """The tracking store cannot be used."""
