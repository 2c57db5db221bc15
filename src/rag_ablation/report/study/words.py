"""Sentences in two languages, as pieces that a page, a note and a terminal each draw in their own way."""

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """How a piece is drawn."""

    PLAIN = "plain"
    CODE = "code"
    BETTER = "better"
    WORSE = "worse"
    UNDECIDED = "undecided"
    STRONG = "strong"
    WHOLE = "whole"  # not broken over two lines


class Piece(NamedTuple):
    """Text of one kind; never markup, whatever it holds."""

    text: str
    kind: Kind = Kind.PLAIN


class Text(NamedTuple):
    """The same in English and in Chinese."""

    en: tuple[Piece, ...]
    zh: tuple[Piece, ...]

    def plain(self, language: str = "en") -> str:
        """Without kinds."""
        return "".join(piece.text for piece in (self.zh if language == "zh" else self.en))


Part = str | Piece


def text(en: Part | tuple[Part, ...], zh: Part | tuple[Part, ...]) -> Text:
    """A text from strings and pieces."""
    return Text(_pieces(en), _pieces(zh))


def same(part: Part) -> Text:
    """A name or number that is the same in both languages."""
    return text(part, part)


def code(content: str) -> Piece:
    """A name that stands as it is typed."""
    return Piece(content, Kind.CODE)


def whole(content: str) -> Piece:
    """A number that stays on one line."""
    return Piece(content, Kind.WHOLE)


def _pieces(parts: Part | tuple[Part, ...]) -> tuple[Piece, ...]:
    if isinstance(parts, str):
        return (Piece(parts),)
    if isinstance(parts, Piece):
        return (parts,)
    return tuple(Piece(part) if isinstance(part, str) else part for part in parts)
