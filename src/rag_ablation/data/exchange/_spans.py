"""Answer spans: whether an offset is true, and what to do where it is not."""

from enum import StrEnum
from typing import NamedTuple

from rag_ablation.data.exchange._rows import Rows


class Fit(StrEnum):
    """How a span fits its passage; the words are those of the report."""

    EXACT = "answers at their offset"
    FOUND = "answers with a wrong offset, found again since the text occurs once"
    AMBIGUOUS = "answers with a wrong offset, whose text occurs several times; start is null"
    CUT = "answers cut by the boundary of their passage; start is null"
    LOST = "answers with a wrong offset, whose text does not occur in the passage; start is null"


class Span(NamedTuple):
    """Where an answer is.

    Args:
        start: offset in code points, None where it is not known.
        fit: how that was found.
    """

    start: int | None
    fit: Fit


def locate(context: str, start: int | None, text: str) -> Span:
    """Check an offset, and look for the text where it is wrong.

    Args:
        context: the passage.
        start: offset as given, in code points; None where none is given.
        text: the answer.
    """
    if start is not None and start >= 0 and context.startswith(text, start):
        return Span(start, Fit.EXACT)
    occurrences = _count(context, text)
    if occurrences == 1:
        return Span(context.index(text), Fit.FOUND)
    if occurrences:
        return Span(None, Fit.AMBIGUOUS)
    return Span(None, Fit.CUT if start is not None and _is_cut(context, start, text) else Fit.LOST)


def say(rows: Rows, fit: Fit, question: str) -> None:
    """Count a span that does not simply fit."""
    if fit is not Fit.EXACT:
        rows.count(fit.value, question)


def _count(context: str, text: str) -> int:
    """Occurrences, overlapping ones too, since either could be meant; counting ends at two."""
    first = context.find(text) if text else -1
    return 0 if first < 0 else 1 + (context.find(text, first + 1) >= 0)


def _is_cut(context: str, start: int, text: str) -> bool:
    if 0 <= start < len(context):
        return start + len(text) > len(context) and text.startswith(context[start:])
    return start < 0 < start + len(text) and context.startswith(text[-start:])
