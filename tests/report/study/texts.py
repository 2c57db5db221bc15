"""Everything that a report says, as plain sentences."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rag_ablation.report.study.words import Piece, Text


def texts(content: Any) -> Iterator[Text]:
    """Every text inside a section, however deep."""
    if isinstance(content, Text):
        yield content
    elif isinstance(content, Mapping):
        for value in content.values():
            yield from texts(value)
    elif is_dataclass(content):
        for field in fields(content):
            yield from texts(getattr(content, field.name))
    elif isinstance(content, tuple | list) and not isinstance(content, Piece):
        for value in content:
            yield from texts(value)


def said(content: Any, language: str = "en") -> str:
    """All of it as one string, one text a line."""
    return "\n".join(text.plain(language) for text in texts(content))


def kinds(content: Any) -> set[str]:
    """Kinds of the pieces."""
    return {str(piece.kind) for text in texts(content) for pieces in text for piece in pieces}
