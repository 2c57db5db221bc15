"""Sentences from templates in two languages, with names and figures put in as pieces.

What is put in is never read as a template, so text from data stays text.
"""

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import NamedTuple

from rag_ablation.core.language import HAN
from rag_ablation.report.study.words import Kind, Piece, Text

Filling = str | Piece | Text

FULL_WIDTH = frozenset("，。：；（）、“”？！《》")


def say(en: str, zh: str, **fillings: Filling) -> Text:
    """A text from one template for each language.

    In Chinese a space beside full-width punctuation or between two Chinese characters is left out, so that one
    template fits names of either script.

    Args:
        en: English, with a `{name}` for each filling.
        zh: Chinese, the same; the order may differ, and a filling may be left out.
        fillings: a string or a piece stands in both languages, a text gives each its own.

    Example:
        `say("{a} replaces {b}", "{a} 替换 {b}", a=code("x"), b="y")`.
    """
    return Text(_filled(en, fillings, "en"), _filled(zh, fillings, "zh"))


def joined(parts: Sequence[Filling], en: str, zh: str) -> Text:
    """Parts in a row with a separator between them."""
    text = Text((), ())
    for place, part in enumerate(parts):
        mark = (en, zh) if place else ("", "")
        text = say(f"{{before}}{mark[0]}{{part}}", f"{{before}}{mark[1]}{{part}}", before=text, part=part)
    return text


def listed(parts: Sequence[Filling]) -> Text:
    """`a, b and c`."""
    if len(parts) < 2:
        return joined(parts, ", ", "、")
    first = joined(parts[:-1], ", ", "、")
    return say("{first} and {last}", "{first} 和 {last}", first=first, last=parts[-1])


def sentence(text: Text) -> Text:
    """The same with a capital at its head, unless it begins with a name or a figure, which stand as they are typed."""
    head, *rest = text.en or (Piece(""),)
    if head.kind is Kind.PLAIN and head.text[:1].islower():
        head = head._replace(text=head.text[0].upper() + head.text[1:])
    return Text((head, *rest), text.zh)


def dotted(*parts: Filling) -> Text:
    """Parts of one line of figures."""
    return joined(parts, " · ", " · ")


def _filled(template: str, fillings: Mapping[str, Filling], language: str) -> tuple[Piece, ...]:
    parts: list[_Part] = []
    for literal, name, _, _ in Formatter().parse(template):
        if literal:
            parts.append(_Part(Piece(literal), ours=True))
        if name is not None:
            parts += [_Part(piece, ours=False) for piece in _in_language(fillings[name], language) if piece.text]
    return _merged([part.piece for part in (_closed(parts) if language == "zh" else parts)])


class _Part(NamedTuple):
    """A piece, and whether it stands in the template."""

    piece: Piece
    ours: bool


def _closed(parts: Sequence[_Part]) -> list[_Part]:
    """Without the template's spaces that Chinese does not want; a filling is never changed."""
    found: list[_Part] = []
    for place, part in enumerate(parts):
        if not part.ours:
            found.append(part)
            continue
        text = part.piece.text
        before, after = (parts[at].piece.text if 0 <= at < len(parts) else "" for at in (place - 1, place + 1))
        if before and text.startswith(" ") and _no_space(before, text[1:] or after):
            text = text[1:]
        if after and text.endswith(" ") and _no_space(text[:-1] or before, after):
            text = text[:-1]
        found.append(_Part(Piece(text), ours=True))
    return found


def _no_space(before: str, after: str) -> bool:
    ends = before[-1:], after[:1]
    return any(end in FULL_WIDTH for end in ends if end) or all(end and HAN.match(end) for end in ends)


def _in_language(filling: Filling, language: str) -> tuple[Piece, ...]:
    if isinstance(filling, Text):
        return filling.zh if language == "zh" else filling.en
    return (filling if isinstance(filling, Piece) else Piece(filling),)


def _merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Plain pieces in a row as one, empty ones dropped."""
    found: list[Piece] = []
    for piece in pieces:
        if not piece.text:
            continue
        if found and piece.kind is Kind.PLAIN and found[-1].kind is Kind.PLAIN:
            found[-1] = Piece(found[-1].text + piece.text)
        else:
            found.append(piece)
    return tuple(found)
