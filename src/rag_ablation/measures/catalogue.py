"""One catalogue of the measures that are named in settings, and what a measure may ask for.

Legend: Q questions, H judged units that were found, M judgements, E evidence groups.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

BUILT_IN = ("rag_ablation.measures.formulas",)

NOT_FOUND = np.iinfo(np.int64).max


class Kind(StrEnum):
    """How questions become one number."""

    PER_QUESTION = "per question"
    POOLED = "pooled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Which judged units stand where, for every question; ranks count from 1.

    Args:
        returned: (Q,) number of distinct units in each list.
        relevant: (Q,) |R|, the number of units with a grade of `relevant_from` or more.
        rows: (H,) question row of each judged unit that was found, ranks ascending within a question.
        ranks: (H,) its rank.
        grades: (H,) its grade.
        relevant_from: least grade that counts as relevant.
        ideal_rows: (M,) question row of every judgement.
        ideal_ranks: (M,) its rank in the ideal order, grades descending.
        ideal_grades: (M,) its grade.
        evidence_rows: (E,) question row of each evidence group.
        evidence_ranks: (E,) rank of the group's first member, `NOT_FOUND` where none was found.
        weights: (Q,) declared weight of each question, None where none are declared.
    """

    returned: NDArray[np.int64]
    relevant: NDArray[np.int64]
    rows: NDArray[np.int64]
    ranks: NDArray[np.int64]
    grades: NDArray[np.int64]
    relevant_from: int
    ideal_rows: NDArray[np.int64]
    ideal_ranks: NDArray[np.int64]
    ideal_grades: NDArray[np.int64]
    evidence_rows: NDArray[np.int64]
    evidence_ranks: NDArray[np.int64]
    weights: NDArray[np.float64] | None

    def hits(self, cutoff: int) -> NDArray[np.int64]:
        """(Q,) |R ∩ T_K|."""
        counted = (self.grades >= self.relevant_from) & (self.ranks <= cutoff)
        return np.bincount(self.rows[counted], minlength=self.returned.size)


class Ratio(NamedTuple):
    """A pooled measure before it is pooled: the sum of the one over the sum of the other.

    Args:
        numerators: (Q,) float64.
        denominators: (Q,) float64.
    """

    numerators: NDArray[np.float64]
    denominators: NDArray[np.float64]


Values = Callable[[Found, int], NDArray[np.float64]]
Parts = Callable[[Found, int], Ratio]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure.

    Args:
        name: as in settings and reports.
        explanation: one sentence for a reader.
        formula: the definition, in text.
        kind: a mean of values per question, or a ratio of sums.
        absent: why a scored question may have no value, or why the ratio may be undefined.
        values: per-question values (Q,), NaN where a question has none; None for a pooled measure.
        parts: numerators and denominators of a pooled measure, else None.
        share: whether every value is 0 or 1, so that the mean is a share of the questions.
    """

    name: str
    explanation: str
    formula: str
    kind: Kind
    absent: str
    values: Values | None = None
    parts: Parts | None = None
    share: bool = False


_MEASURES: dict[str, Measure] = {}


def per_question(
    name: str, explanation: str, *, formula: str, absent: str = "undefined", share: bool = False
) -> Callable[[Values], Values]:
    """Enter a function `(found, cutoff) → (Q,) values` under a name.

    Raises:
        ValueError: the name is in use.
    """

    def enter(function: Values) -> Values:
        _enter(
            Measure(
                name=name,
                explanation=explanation,
                formula=formula,
                kind=Kind.PER_QUESTION,
                absent=absent,
                values=function,
                share=share,
            )
        )
        return function

    return enter


def pooled(name: str, explanation: str, *, formula: str, absent: str) -> Callable[[Parts], Parts]:
    """Enter a function `(found, cutoff) → Ratio` under a name.

    Raises:
        ValueError: the name is in use.
    """

    def enter(function: Parts) -> Parts:
        _enter(
            Measure(
                name=name,
                explanation=explanation,
                formula=formula,
                kind=Kind.POOLED,
                absent=absent,
                parts=function,
            )
        )
        return function

    return enter


def measure(name: str) -> Measure:
    """The measure of that name.

    Raises:
        LookupError: no such measure; the text lists those there are.
    """
    known = measures()
    if name not in known:
        message = f"measures: found {name!r}, available: {', '.join(known)}"
        raise LookupError(message)
    return known[name]


def chosen(names: Iterable[str] | None) -> tuple[Measure, ...]:
    """The measures of these names, all of them where None is given.

    Raises:
        LookupError: no such measure; the text lists those there are.
    """
    return tuple(measures().values()) if names is None else tuple(measure(name) for name in names)


def measures() -> dict[str, Measure]:
    """All measures by name, in the order in which they are explained."""
    for module in BUILT_IN:
        import_module(module)
    return dict(_MEASURES)


def _enter(entry: Measure) -> None:
    """Refuse a second measure of the same name."""
    if entry.name in _MEASURES:
        message = f"two measures are named {entry.name!r}; give the second another name"
        raise ValueError(message)
    _MEASURES[entry.name] = entry
