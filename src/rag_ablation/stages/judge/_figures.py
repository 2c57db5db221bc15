"""Figures: amounts, ranges, dates, times of day, places in an order, and codes; and when two of them are the same."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from rag_ablation.stages.judge._units import ITEMS, SHARE

_DIGITS = "0123456789"


class Kind(StrEnum):
    """What a figure is."""

    AMOUNT = "amount"
    RANGE = "range"
    DATE = "date"
    TIME = "time"
    NTH = "nth"
    SLASHED = "slashed"
    CODE = "code"


class Bound(StrEnum):
    """On which side of a figure something lies; the figure itself is in `least` and `most`."""

    LEAST = "least"
    MOST = "most"
    ABOVE = "above"
    BELOW = "below"
    AFTER = "after"
    BEFORE = "before"
    ABOUT = "about"


class Likeness(StrEnum):
    """How one figure stands to another."""

    SAME = "same"
    OPEN = "open"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a text.

    Args:
        kind: what it is.
        values: amount: the number in the measure of its unit; range: both ends; date: year, month and day,
            None where not said; slashed (3/10, a day or a share): both numbers and the year;
            time: minutes from midnight; nth: the place.
        unit: what an amount or range counts, None where it is not said.
        code: a code, without what separates its parts.
        shown: as it was written.
        bound: on which side of it something lies, None where it is not said.
        due: periods that its clause names.
        passing: whether it may be no figure at all (`one`, 一): it never speaks against an answer.
    """

    kind: Kind
    values: tuple[Fraction | None, ...] = ()
    unit: str | None = None
    code: str = ""
    shown: str = field(default="", compare=False)
    bound: Bound | None = field(default=None, compare=False)
    due: frozenset[str] = field(default=frozenset(), compare=False)
    passing: bool = field(default=False, compare=False)


def likeness(said: Figure, wanted: Figure, *, bare: Likeness, tolerance: Fraction) -> Likeness:
    """How a figure of an answer stands to one of the reference.

    Args:
        said: of the answer.
        wanted: of the reference.
        bare: what an equal number without its unit is.
        tolerance: largest relative difference of amounts that are the same.
    """
    if Kind.SLASHED in {said.kind, wanted.kind}:
        return _slashed(said, wanted)
    if said.kind is not wanted.kind:
        return Likeness.OTHER
    if said.kind is Kind.CODE:
        return Likeness.SAME if said.code == wanted.code else Likeness.OTHER
    if said.kind is Kind.DATE:
        return _dates(said, wanted)
    if {said.unit, wanted.unit} == {SHARE, None}:
        return _unmarked_share(said, wanted, bare, tolerance)
    return _units(said.unit, wanted.unit, bare) if _near(said, wanted, tolerance) else Likeness.OTHER


def rivals(said: Figure, wanted: Figure) -> bool:
    """Whether a figure of an answer is of the sort that the reference asks for."""
    if said.kind is Kind.CODE or said.passing or said.kind is not wanted.kind:
        return False
    if said.kind is Kind.DATE:
        return [value is None for value in said.values[1:]] == [value is None for value in wanted.values[1:]]
    return said.unit is not None and said.unit == wanted.unit


def of_one_sort(said: Figure, wanted: Figure) -> bool:
    """Whether one stands where the other could: as `rivals`, or codes that begin alike."""
    if said.kind is Kind.CODE and wanted.kind is Kind.CODE:
        return said.code.rstrip(_DIGITS) == wanted.code.rstrip(_DIGITS)
    return rivals(said, wanted)


def _units(said: str | None, wanted: str | None, bare: Likeness) -> Likeness:
    """Of equal numbers."""
    if said == wanted or wanted is None:
        return Likeness.SAME
    if said is None:
        return bare
    return Likeness.OPEN if {said, wanted} <= ITEMS else Likeness.OTHER


def _unmarked_share(said: Figure, wanted: Figure, bare: Likeness, tolerance: Fraction) -> Likeness:
    """80 lacks the unit of 80%; 0.8 may be a share or a number, and only a person can tell."""
    number, share = (said, wanted) if said.unit is None else (wanted, said)
    hundredfold = replace(share, values=tuple(None if value is None else 100 * value for value in share.values))
    if _near(number, hundredfold, tolerance):
        return bare if number is said else Likeness.OPEN
    return Likeness.OPEN if _near(number, share, tolerance) else Likeness.OTHER


def _slashed(said: Figure, wanted: Figure) -> Likeness:
    """3/10 may be the tenth of March, the third of October, or three tenths: only a person can tell."""
    if said.kind is wanted.kind:
        return Likeness.SAME if said.values == wanted.values else Likeness.OTHER
    (one, other, year), figure = (said.values, wanted) if said.kind is Kind.SLASHED else (wanted.values, said)
    if figure.kind is Kind.DATE:
        years = {year, figure.values[0]} - {None}
        return Likeness.OPEN if {one, other} == set(figure.values[1:]) and len(years) < 2 else Likeness.OTHER
    shares = figure.kind is Kind.AMOUNT and one is not None and other and figure.values[0] == one / other
    return Likeness.OPEN if shares else Likeness.OTHER


def _near(said: Figure, wanted: Figure, tolerance: Fraction) -> bool:
    pairs = zip(said.values, wanted.values, strict=True)
    return all(a is not None and b is not None and abs(a - b) <= tolerance * abs(b) for a, b in pairs)


def _dates(said: Figure, wanted: Figure) -> Likeness:
    """A part that the reference leaves out may be said; one that the answer leaves out is open."""
    pairs = list(zip(said.values, wanted.values, strict=True))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return Likeness.OTHER
    if not any(a is not None and b is not None for a, b in pairs):
        return Likeness.OTHER
    return Likeness.OPEN if any(a is None and b is not None for a, b in pairs) else Likeness.SAME
