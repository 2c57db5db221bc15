"""Where a text may be cut: sentences, in Chinese and in English, and the weaker places inside them.

White space behind a sentence belongs to it, so that the pieces of a text give it back.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from rag_ablation.core.chunks import Piece

CLOSERS = "”’」』）)】》〉]"
GOES_ON = "，、；：。！？,;:!?"  # behind a closing quote or bracket the sentence is not over
PAIRS = {"”": "“", "」": "「", "』": "『", "）": "（", ")": "(", "】": "【", "》": "《", "〉": "〈", "]": "["}
BRACKETS = re.compile("[" + re.escape("".join([*PAIRS, *PAIRS.values(), '"', "\n"])) + "]")
ENDERS = re.compile(r"[。！？][。！？!?…]*|[!?]+|\.+")
LINE_END = re.compile(r"\n\s*")
WEAK = re.compile(r"[；，、：]\s*|[,;:]\s+|[,;:](?=[\u3400-\u9fff])")
CELL = re.compile(r"[|\t][ \u3000]*")
SPACE = re.compile(r"\s+")
ROW = re.compile(r"^[ \u3000]*+(?:\|[^\n]*\||[^\n|]*\|[^\n|]*\|[^\n]*|[^\s][^\n\t]*\t[^\n]*\S)[^\n]*$", re.MULTILINE)
FOOTNOTES = re.compile(r"(?:\[\d+\])*")
WORD = re.compile(r"[A-Za-z.]+$")
LIST_NUMBER = re.compile(r"(?:^|\n)[ \t]*[(（]?\d+(?:\.\d+)*$")
NEVER_LAST = frozenset(
    {
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "st",
        "mt",
        "vs",
        "e.g",
        "i.e",
        "cf",
        "viz",
        "al",
        "messrs",
        "gen",
        "col",
        "capt",
        "lt",
        "sgt",
        "rev",
        "hon",
        "gov",
        "sen",
        "rep",
    }
)
BEFORE_NUMBER = frozenset(
    {
        "no",
        "nos",
        "fig",
        "figs",
        "art",
        "sec",
        "vol",
        "ch",
        "p",
        "pp",
        "para",
        "eq",
        "ca",
        "approx",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    }
)
LOOK_BACK = 24
DEEPEST = 32


@dataclass(frozen=True, slots=True)
class Breaks:
    """Where a text may be cut, ascending offsets, strongest kind first.

    Args:
        sentences: behind sentences, lines and table rows.
        inner: behind sentences inside quotes and brackets.
        weak: behind commas and the like, and between the cells of a table row.
        spaces: behind white space.
    """

    sentences: tuple[int, ...]
    inner: tuple[int, ...]
    weak: tuple[int, ...]
    spaces: tuple[int, ...]

    def levels(self) -> tuple[tuple[int, ...], ...]:
        """Strongest first."""
        return (self.sentences, self.inner, self.weak, self.spaces)


def breaks(text: str) -> Breaks:
    """Find every place where a text may be cut."""
    rows, enclosed = table_rows(text), _enclosed(text)
    ends = {at for at in _sentence_ends(text, _closing(text)) if not _inside(rows, at)}
    outer = {at for at in ends if not _inside(enclosed, at)}
    outer |= {at for at in _line_ends(text) if not _inside(rows, at)}
    outer |= {at for row in rows for at in row}
    cells = {match.end() for row in rows for match in CELL.finditer(text, row.start, row.end)}
    weak = {match.end() for match in WEAK.finditer(text)}
    spaces = {match.end() for match in SPACE.finditer(text)}
    return Breaks(
        sentences=_ordered(outer, text),
        inner=_ordered(ends, text),
        weak=_ordered({at for at in weak if not _inside(rows, at)} | cells, text),
        spaces=_ordered(spaces, text),
    )


def table_rows(text: str) -> list[Piece]:
    """Lines that are rows of a table: with bars, or with tabs between cells; the line's end belongs to them."""
    rows: list[Piece] = []
    for match in ROW.finditer(text):
        tail = LINE_END.match(text, match.end())
        start = match.start() + len(match.group()) - len(match.group().lstrip())
        rows.append(Piece(start, tail.end() if tail else match.end()))
    return rows


def row_around(rows: list[Piece], at: int) -> Piece | None:
    """The row that a cut at this place would break, None where there is none."""
    place = bisect_right(rows, (at, 0)) - 1
    return rows[place] if place >= 0 and rows[place].start < at < rows[place].end else None


def _ordered(places: set[int], text: str) -> tuple[int, ...]:
    return tuple(sorted(at for at in places if 0 < at < len(text)))


def _inside(pieces: list[Piece], at: int) -> bool:
    return row_around(pieces, at) is not None


def _pairs(text: str) -> Iterator[Piece]:
    """Quotes and brackets that open and close in one line, the marks included."""
    opened: list[tuple[str, int]] = []
    for match in BRACKETS.finditer(text):
        mark, at = match.group(), match.start()
        if mark == "\n":
            opened.clear()
            continue
        wanted = '"' if mark == '"' else PAIRS.get(mark)
        place = next((i for i in reversed(range(len(opened))) if opened[i][0] == wanted), None) if wanted else None
        if place is not None:
            yield Piece(opened[place][1], at + 1)
            del opened[place:]
        elif wanted in (None, '"'):
            opened.append((mark, at))
            del opened[:-DEEPEST]


def _closing(text: str) -> frozenset[int]:
    """Where a straight quote closes."""
    return frozenset(pair.end - 1 for pair in _pairs(text) if text[pair.start] == '"')


def _enclosed(text: str) -> list[Piece]:
    """Stretches inside quotes and brackets, the outermost only."""
    outermost: list[Piece] = []
    for pair in sorted(_pairs(text)):
        if not outermost or pair.start >= outermost[-1].end:
            outermost.append(pair)
    return outermost


def _sentence_ends(text: str, closing: frozenset[int]) -> Iterator[int]:
    """Behind each sentence: its end mark, quotes and brackets that close with it, and white space."""
    for match in ENDERS.finditer(text):
        at = match.end()
        while at < len(text) and (text[at] in CLOSERS or at in closing or _closing_apostrophe(text, at)):
            at += 1
        at = FOOTNOTES.match(text, at).end()  # type: ignore[union-attr]
        following = text[at : at + 1]
        if following and following in GOES_ON:
            continue
        space = SPACE.match(text, at)
        end = space.end() if space else at
        if match.group()[0] in "。！？":
            yield end
        elif match.group()[0] in "!?":
            if not following or space or _is_chinese(following):
                yield end
        elif (not following or space) and _ends_with_dot(text, match.start(), text[end : end + 1]):
            yield end


def _closing_apostrophe(text: str, at: int) -> bool:
    return text[at] == "'" and (at + 1 == len(text) or text[at + 1].isspace())


def _ends_with_dot(text: str, dot: int, following: str) -> bool:
    """Whether a full stop ends a sentence: not after an abbreviation, an initial or the number of a list item."""
    if following.islower():
        return False
    before = text[max(0, dot - LOOK_BACK) : dot]
    if LIST_NUMBER.search(before) and (dot < LOOK_BACK or "\n" in before):
        return False
    found = WORD.search(before)
    if found is None:
        return True
    word = found.group().lower().lstrip(".")
    if word in NEVER_LAST or (word in BEFORE_NUMBER and following.isdigit()):
        return False
    return len(word.rsplit(".", 1)[-1]) != 1 or not following


def _line_ends(text: str) -> Iterator[int]:
    """Behind each line, unless it is one that was only wrapped: no end mark, and a small letter goes on."""
    for match in LINE_END.finditer(text):
        before = text[max(0, match.start() - LOOK_BACK) : match.start()].rstrip()
        wrapped = text[match.end() : match.end() + 1].islower() and before[-1:].isalnum()
        if not wrapped or match.group().count("\n") > 1:
            yield match.end()


def _is_chinese(char: str) -> bool:
    return "\u3400" <= char <= "\u9fff"
