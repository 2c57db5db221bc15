"""From the spans that a question's labels name to places in the corpus."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.core.chunks import Piece
from rag_ablation.core.corpus import Passages


@dataclass(frozen=True, slots=True)
class Located:
    """The answer spans of one question.

    Args:
        spans: by row of the source passage, without white space at their ends.
        n_given: spans in the file.
        n_by_quote: those found by their text alone, which occurs exactly once in the passage.
    """

    spans: Mapping[int, tuple[Piece, ...]]
    n_given: int
    n_by_quote: int

    @property
    def n_not_located(self) -> int:
        """Spans whose place is not known."""
        return self.n_given - sum(len(own) for own in self.spans.values())


def located(labels: Mapping[str, object], passages: Passages, row_of: Mapping[str, int]) -> Located:
    """Find the spans of one question.

    A span is `{corpus_id, start, text}`, `start` in code points into the passage's text; `quote` is taken for
    `text`. One without a start, or whose text does not stand there, is found by its text, if that occurs
    exactly once in the passage. Anything else has no place.

    Args:
        labels: the question's labels; `spans` is read.
        passages: the source passages.
        row_of: their rows by id.
    """
    given = labels.get("spans")
    spans = given if isinstance(given, list) else []
    found: dict[int, list[Piece]] = {}
    by_quote = 0
    for span in spans:
        row = row_of.get(str(span.get("corpus_id"))) if isinstance(span, Mapping) else None
        if row is None:
            continue
        quote = span.get("text", span.get("quote"))
        text = passages.rows[row].text
        start = _start(text, quote, span.get("start"))
        if start is None:
            start = _only_place(text, quote)
            by_quote += start is not None
        if start is not None:
            found.setdefault(row, []).append(_trimmed(start, str(quote)))
    return Located({row: tuple(own) for row, own in found.items()}, len(spans), by_quote)


def _start(text: str, quote: object, start: object) -> int | None:
    """The start that the file gives, if the quote stands there."""
    if not isinstance(quote, str) or not quote.strip() or isinstance(start, bool) or not isinstance(start, int):
        return None
    return start if start >= 0 and text.startswith(quote, start) else None


def _only_place(text: str, quote: object) -> int | None:
    if not isinstance(quote, str) or not quote.strip():
        return None
    at = text.find(quote)
    return at if at >= 0 and text.find(quote, at + 1) < 0 else None


def _trimmed(start: int, quote: str) -> Piece:
    begin = start + len(quote) - len(quote.lstrip())
    return Piece(begin, begin + len(quote.strip()))
