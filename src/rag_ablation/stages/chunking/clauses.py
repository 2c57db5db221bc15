"""Where the clauses of a rule book begin."""

import re

from rag_ablation.core.chunks import Piece
from rag_ablation.stages.chunking.packing import between

LONGEST_HEADING = 200
NUMERALS = "一二三四五六七八九十百千零〇两"
UNITS = "亿万千百十元角分年月日天时秒％%个倍人吨米项次"
TITLE = rf"#{{1,6}}[ \t]|第[{NUMERALS}\d]+[编章节部][ \t\u3000]?"
CLAUSE = "|".join(
    [
        rf"第[{NUMERALS}\d]+[条款项]",
        rf"\d+(?:\.\d+)+[.．、]?(?:[ \t\u3000]+|(?=[\u3400-\u9fff])(?![{UNITS}]))",
        r"\d+[.．](?:[ \t\u3000]+|(?=[\u3400-\u9fff]))",
        r"\d+[、)）]",
        rf"[(（](?:[{NUMERALS}]+|\d{{1,3}}|[a-zA-Z]|[ivxIVX]+)[)）]",
        rf"[{NUMERALS}]+、",
        r"[a-z][)）][ \t]",
        r"(?:Article|Section|Clause|ARTICLE|SECTION|CLAUSE)[ \t]+\d+",
        r"§[ \t]*\d+",
    ]
)
HEADING = re.compile(rf"^[ \t\u3000]*+(?:\*\*)?(?:{TITLE}|{CLAUSE})", re.MULTILINE)
TITLE_LINE = re.compile(rf"[ \t\u3000]*(?:\*\*)?(?:{TITLE})[^\n]*\s*")
CLAUSE_LINE = re.compile(rf"[ \t\u3000]*(?:\*\*)?(?:{CLAUSE})[^\n]*[^\n。；，：;,.:!?！？\s](?:\*\*)?\s*")
INDENT = re.compile(r"[ \t\u3000]*")
BLANK_LINE = re.compile(r"\n[ \t\r\u3000]*\n\s*")


def clauses(text: str) -> list[Piece]:
    """Clauses of a text: from one heading or blank line to the next.

    A heading that stands alone goes with what follows it: a title (`#`, 第一章) with whatever that is, the
    heading of a clause with a text that has no heading of its own.
    """
    headings = {_line_start(text, match.start()) for match in HEADING.finditer(text)}
    places = sorted(headings | {match.end() for match in BLANK_LINE.finditer(text)})
    blocks = [block for block in between(Piece(0, len(text)), _apart(text, places)) if block.start < block.end]
    found: list[Piece] = []
    begin: int | None = None
    for place, block in enumerate(blocks):
        start = block.start if begin is None else begin
        following = blocks[place + 1] if place + 1 < len(blocks) else None
        alone = following is not None and _alone(text, block, following)
        begin = start if alone else None
        if not alone:
            found.append(Piece(start, block.end))
    return found


def _apart(text: str, places: list[int]) -> list[int]:
    """One place of several that only white space divides: the first."""
    kept: list[int] = []
    for at in places:
        if at == 0 or (kept and not text[kept[-1] : at].strip()):
            continue
        kept.append(at)
    return kept


def _line_start(text: str, at: int) -> int:
    """Behind the white space before a line, so that it goes with the clause before."""
    return INDENT.match(text, at).end() if at else 0  # type: ignore[union-attr]


def _alone(text: str, block: Piece, following: Piece) -> bool:
    own = text[block.start : block.end]
    if not own.strip():
        return True
    if len(own) > LONGEST_HEADING:
        return False
    if TITLE_LINE.fullmatch(own):
        return True
    return bool(CLAUSE_LINE.fullmatch(own)) and not HEADING.match(text, following.start)
