"""Colours and sizes of type; each colour has one meaning on the whole page."""

from typing import NamedTuple
from unicodedata import east_asian_width

from rag_ablation.measures.fates import Fate

INK = "#1b1d1f"
SECOND = "#54595f"
GRID = "#dedcd4"
ZERO = "#8d9196"
BETTER = "#1a5fa4"
WORSE = "#a4480f"
OPEN = "#6b7178"
REFERENCE = "#c9c8c2"
PAPER = "#ffffff"
EXCLUDED = ("#b9b8b1", "#e4e2da", "#9a9fa3", "#d0cec6")
FATE_COLOURS = {
    Fate.KEPT: BETTER,
    Fate.REDUNDANT: EXCLUDED[0],
    Fate.LOST_IN_CONTEXT: "#f6e0c9",
    Fate.NOT_PROMOTED: "#ecbd90",
    Fate.LOST_IN_RERANK: "#dc9558",
    Fate.LOST_IN_FUSION: "#b25c1c",
    Fate.RANKED_LOW: "#8a370a",
    Fate.NOT_RETRIEVED: "#5a2003",
    Fate.NOT_VISIBLE: "#2f2f2f",
}
LIGHT = frozenset({*EXCLUDED, "#f6e0c9", "#ecbd90", "#dc9558"})
SHORTENED = "…"
LETTERS = {"ijl.,:;'|!": 0.3, 'ftr()[]{}-·" /': 0.4, "mwMW@%…": 0.92}


class Type(NamedTuple):
    """How a text is set.

    Args:
        size: in pixels.
        colour: of the letters.
        bold: semibold.
        halo: whether paper shows around the letters, so that lines do not cross them.
    """

    size: float
    colour: str = INK
    bold: bool = False
    halo: bool = False


AXIS = Type(11.5, SECOND)
NOTE = Type(11.5, SECOND, halo=True)
LABEL = Type(12, INK, halo=True)
NAME = Type(12.5, INK, bold=True, halo=True)
HEAD = Type(13, INK, bold=True)
VALUE = Type(12, BETTER, bold=True, halo=True)


def on(colour: str) -> Type:
    """Type that can be read on a filled shape."""
    return Type(11.5, INK if colour in LIGHT else PAPER)


def width_of(text: str, look: Type) -> float:
    """A guess on the large side, in pixels; the reader's fonts are not known here."""
    return sum(_em(letter) for letter in text) * look.size * (1.06 if look.bold else 1.0)


def fitted(text: str, look: Type, room: float) -> str:
    """The text, shortened in its middle where it is wider than the room."""
    if width_of(text, look) <= room:
        return text
    for kept in range(len(text) - 1, 1, -1):
        short = text[: kept - kept // 2] + SHORTENED + text[len(text) - kept // 2 :]
        if width_of(short, look) <= room:
            return short
    return SHORTENED


def _em(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.0
    for letters, width in LETTERS.items():
        if letter in letters:
            return width
    return 0.7 if letter.isupper() else 0.58
