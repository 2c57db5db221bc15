"""What may be wrong with the conclusion."""

from dataclasses import dataclass
from enum import StrEnum

from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study.words import Text


class Severity(StrEnum):
    """How much a threat weighs."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    CLEAR = "clear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threat:
    """One check of what may be wrong with the conclusion.

    Args:
        severity: `clear` where it was checked and nothing was found.
        name: of the check.
        measured: what was found, with its figures.
        act: what to do, None where nothing.
    """

    severity: Severity
    name: Text
    measured: Text
    act: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Threats:
    """All checks, worst first, cleared ones too."""

    finding: Text
    checks: tuple[Threat, ...]

    def count(self, severity: Severity) -> int:
        """How many of one severity."""
        return sum(check.severity is severity for check in self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnjudgedStep:
    """What unjudged passages could do to one step.

    Args:
        label: of the step.
        child: mean share of the first results that are judged.
        parent: the same of the parent.
        as_scored: difference where no unjudged passage is relevant.
        all_relevant: difference if every unjudged passage in either head were relevant; None where not computable.
            A second scenario beside `as_scored`, not a bound.
        warned: whether the shares differ by more than the limit.
    """

    label: str
    child: float
    parent: float
    as_scored: Interval
    all_relevant: Interval | None
    warned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """Passages that nobody has judged.

    Args:
        finding: one computed sentence.
        cutoff: results looked at.
        n: scored questions.
        steps: of the ladder.
        limit: difference of shares that is warned about.
    """

    finding: Text
    cutoff: int
    n: int
    steps: tuple[UnjudgedStep, ...]
    limit: float
