"""The picture of a flow of evidence: one self-contained SVG, levels from top to bottom, lost evidence to the right."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

from rag_ablation.report.flow import BESIDE, CONTEXT, FOUND, GOLD, LOW, OFFERED, POOL, RERANKED, Band, Cuts, Flow

BAR, LINE, RUN = 18.0, 15.0, 40.0
HALF_EM = 6.4
SIDE, INDENT = 4.0, 12.0
NO_BREAK = "\u00a0"
TONES = ("a", "b", "c", "d")
STYLE = """:where(.flow){--bg:#fff;--ink:#1b1d1f;--ink2:#54595f;--a:#1a5fa4;--b:#6d9bc9;--c:#9dbfe0;--d:#6b7178;
--edge:#a4480f;--lost_in_context:#f6e0c9;--not_promoted:#ecbd90;--lost_in_rerank:#dc9558;--lost_in_fusion:#b25c1c;
--ranked_low:#8a370a;--not_retrieved:#5a2003;--not_visible:#2f2f2f;--redundant:#b9b8b1}
@media (prefers-color-scheme:dark){:where(.flow){--bg:#16181b;--ink:#e8e6e1;--ink2:#a9afb6;--a:#5b9fe3;--b:#3b76b3;
--c:#2b5482;--d:#8b929a;--edge:#e0935c;--lost_in_context:#5c3a1c;--not_promoted:#80501f;--lost_in_rerank:#a8682c;
--lost_in_fusion:#cf8440;--ranked_low:#eaa768;--not_retrieved:#f8d0a3;--not_visible:#d0d0d0;--redundant:#55595e}}
.flow text{font:12px "Segoe UI",-apple-system,Roboto,"Helvetica Neue",Arial,"PingFang SC","Microsoft YaHei",
"Noto Sans CJK SC",sans-serif;font-variant-numeric:tabular-nums;fill:var(--ink);paint-order:stroke;stroke:var(--bg);
stroke-width:3px;stroke-linejoin:round}
.flow .s{fill:var(--ink2)}.flow .h{font-weight:600}.flow tspan{stroke:none}"""


class Language(StrEnum):
    """Of the labels; names of points and fates are never translated."""

    EN = "en"
    ZH = "zh"


class Layout(NamedTuple):
    """Measures of a drawing, in pixels.

    Args:
        width: of the drawing.
        units: width of all units together.
        gap: between two bands.
        to_lost: between the bands that go on and those that leave.
        beside: where names of lost bands start, right of all bars.
        split: whether a name and its count stand on two lines.
    """

    width: int
    units: float
    gap: float
    to_lost: float
    beside: float
    split: bool


WIDE = Layout(720, 440.0, 8.0, 44.0, 552.0, split=False)
NARROW = Layout(342, 180.0, 5.0, 20.0, 228.0, split=True)


class Gold(NamedTuple):
    """What relevant units are called: in the plural, and in Chinese with the measure word."""

    en: str
    zh: str


GOLD_UNITS = Gold("gold units", "个标注证据")


class Words(NamedTuple):
    """The words of one language."""

    title: str
    colon: str
    level: dict[str, str]
    both: str
    only: str
    ranks: str
    beside: str


WORDS = {
    Language.EN: Words(
        title="{arm}: {units} {gold} of {questions} scored questions",
        colon=": ",
        level={
            GOLD: "{gold}",
            FOUND: "retrieved within the first {window}",
            POOL: "{order} within the first {pool}",
            RERANKED: "reranked within the first {depth}",
            OFFERED: "offered to the context",
            CONTEXT: "kept in the context",
            **{"fused": "fused", "ranked": "ranked"},
        },
        both="both",
        only="{name} only",
        ranks="at {first}–{last}",
        beside="with a neighbour",
    ),
    Language.ZH: Words(
        title="{arm}：{questions} 道计分题的 {units} {gold}",
        colon="：",
        level={
            GOLD: "标注证据",
            FOUND: "检索前 {window} 段内",
            POOL: "{order}前 {pool} 段内",
            RERANKED: "重排后前 {depth} 段内",
            OFFERED: "提供给上下文",
            CONTEXT: "留在上下文",
            **{"fused": "融合后", "ranked": "排序"},
        },
        both="两者都有",
        only="仅 {name}",
        ranks="第 {first}–{last} 名",
        beside="随相邻段落",
    ),
}


class Placed(NamedTuple):
    """A band with its place."""

    band: Band
    x: float
    y: float
    width: float
    tone: str


def drawn(flow: Flow, language: Language = Language.EN, layout: Layout = WIDE, gold: Gold = GOLD_UNITS) -> str:
    """Draw a flow.

    The colours are CSS variables that follow the reader's light or dark setting; a page that holds the picture may set
    them itself on `.flow`.

    Args:
        flow: what to draw.
        language: of the labels.
        layout: `WIDE`, or `NARROW` for phones.
        gold: what its units are called.
    """
    words = _words(language, gold)
    title = words.title.format(arm=flow.arm, units=flow.n_units, questions=flow.n_questions)
    parts: list[str] = []
    y = height = 4.0
    for line in _wrapped([title], layout.width, " "):
        y += LINE
        parts.append(_text(0, y, escape(line), "h"))
    y += 8
    bars: list[Placed] = []
    for level in flow.cuts.levels:
        heading = _heading(flow, level, words, layout)
        for place, line in enumerate(heading):
            y += LINE
            parts.append(_text(0, y, line, "" if place else "h"))
        y += 5
        bars += _row(flow.at(level), y, layout, flow.n_units)
        names = list(_names(flow.at(level), y, layout, flow.n_units))
        parts += names
        under = max(0.0, LINE * len(names) - BAR) if layout.split else 0.0
        height = y + BAR + under + 6
        y += BAR + max(RUN, under + 8)
    shapes = [*_ribbons(flow, bars), *(_bar(bar) for bar in bars)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="flow" viewBox="0 0 {layout.width} {height:.0f}" '
        f'width="{layout.width}" height="{height:.0f}" role="img"><title>{escape(title)}</title>'
        f"<style>{STYLE}</style>"
        f'<rect width="100%" height="100%" style="fill:var(--bg)"/>\n' + "\n".join([*shapes, *parts]) + "\n</svg>\n"
    )


def _words(language: Language, gold: Gold) -> Words:
    words, name = WORDS[language], gold.zh if language is Language.ZH else gold.en
    level = {**words.level, GOLD: words.level[GOLD].replace("{gold}", name)}
    return words._replace(title=words.title.replace("{gold}", name), level=level)


def _row(bands: Sequence[Band], y: float, layout: Layout, n_units: int) -> list[Placed]:
    """The bars of a level; those that leave stand apart."""
    placed: list[Placed] = []
    x = 0.0
    for place, band in enumerate(bands):
        if band.lost and not (place and bands[place - 1].lost):
            x += layout.to_lost - (layout.gap if place else 0.0)
        width = layout.units * band.n / n_units
        tone = band.key if band.lost else _tone(band, place)
        placed.append(Placed(band, x, y, width, tone))
        x += width + layout.gap
    return placed


def _tone(band: Band, place: int) -> str:
    return TONES[-1] if band.key == BESIDE else TONES[min(place, 2)]


def _bar(bar: Placed) -> str:
    edge = ";stroke:var(--edge);stroke-width:.6" if bar.band.lost else ""
    return (
        f'<rect data-level="{bar.band.level}" data-key="{bar.band.key}" data-n="{bar.band.n}" x="{bar.x:.2f}" '
        f'y="{bar.y:.1f}" width="{bar.width:.3f}" height="{BAR:.0f}" style="fill:var(--{bar.tone}){edge}"/>'
    )


def _ribbons(flow: Flow, bars: Sequence[Placed]) -> Iterator[str]:
    """Each leaves its band where the one before it ended, and enters the next likewise."""
    at = {(bar.band.level, bar.band.key): bar for bar in bars}
    left, entered = ({key: bar.x for key, bar in at.items()} for _ in range(2))
    for ribbon in flow.ribbons:
        source, target = at[ribbon.source], at[ribbon.target]
        width = source.width * ribbon.n / source.band.n
        x, to = left[ribbon.source], entered[ribbon.target]
        left[ribbon.source] += width
        entered[ribbon.target] += width
        y, end = source.y + BAR, target.y
        mid = (y + end) / 2
        promoted = ribbon.source[1] == LOW and not target.band.lost
        opacity = 0.5 if target.band.lost else 0.34 if promoted else 0.17
        yield (
            f'<path d="M{x:.2f} {y:.1f}C{x:.2f} {mid:.1f} {to:.2f} {mid:.1f} {to:.2f} {end:.1f}'
            f"L{to + width:.2f} {end:.1f}C{to + width:.2f} {mid:.1f} {x + width:.2f} {mid:.1f} {x + width:.2f} {y:.1f}Z"
            f'" style="fill:var(--{target.tone if target.band.lost else "a"});fill-opacity:{opacity}"/>'
        )


def _heading(flow: Flow, level: str, words: Words, layout: Layout) -> list[str]:
    """What the level is and how many are there by rank, then its bands in their order."""
    bands = [band for band in flow.at(level) if not band.lost]
    cuts = flow.cuts
    order = words.level["fused" if cuts.fused else "ranked"]
    name = words.level[level].format(window=cuts.window, pool=cuts.pool, depth=cuts.depth, order=order)
    there = sum(band.n for band in bands if band.key != BESIDE)
    share = _share(there, flow.n_units)
    lines = [f"{name}{words.colon}{share}"]
    if layout.split and _width(lines[0]) > layout.beside - SIDE:
        lines = [f"{name}{words.colon}".rstrip(), share]
    if len(bands) > 1:
        named = [f"■ {_named(band, cuts, words)}{words.colon}{_share(band.n, flow.n_units)}" for band in bands]
        lines += _wrapped(named, layout.beside - SIDE, NO_BREAK * 2 + " ")
    tones = iter([_tone(band, place) for place, band in enumerate(bands)])
    return [_with_tones(escape(line), tones) for line in lines]


def _with_tones(line: str, tones: Iterator[str]) -> str:
    first, *rest = line.split("■")
    return first + "".join(f'<tspan style="fill:var(--{next(tones)})">■</tspan>{part}' for part in rest)


def _named(band: Band, cuts: Cuts, words: Words) -> str:
    if band.key == BESIDE:
        return words.beside
    if band.level == FOUND:
        whole = band.key == "+".join(cuts.retrievers)
        return words.both if whole else words.only.format(name=band.key)
    first, last = (cuts.depth + 1, cuts.pool) if band.key == LOW else (1, min(cuts.depth, cuts.pool))
    return words.ranks.format(first=first, last=last)


def _names(bands: Sequence[Band], y: float, layout: Layout, n_units: int) -> Iterator[str]:
    """The fates of a level, right of all bars and ribbons."""
    lost = [band for band in bands if band.lost]
    for place, band in enumerate(lost):
        name, share = f'<tspan style="fill:var(--{band.key})">■</tspan> {band.key}', escape(_share(band.n, n_units))
        if layout.split:
            top = y + 11 + 2 * LINE * place
            yield _text(layout.beside, top, name, "")
            yield _text(layout.beside + INDENT, top + LINE, share, "s")
        else:
            base = y + BAR / 2 + 4 + LINE * (place - (len(lost) - 1) / 2)
            yield _text(layout.beside, base, f"{name}: {share}", "")


def _share(n: int, of: int) -> str:
    """A count with its share; what is not none is never 0 %, and what is not all never 100 %."""
    percent = 100 * n / of if of else 0.0
    rounded = f"{percent:.0f}"
    if 0 < n < of:
        rounded = "< 1" if percent < 1 else "> 99" if percent > 99 else rounded
    return f"{n} ({rounded} %)"


def _text(x: float, y: float, content: str, kind: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{content}</text>'


def _wrapped(pieces: Sequence[str], room: float, between: str) -> list[str]:
    """Pieces on as many lines as they need; one that is too long is broken at its spaces."""
    if len(pieces) == 1 and _width(pieces[0]) > room and " " in pieces[0]:
        pieces, between = pieces[0].split(" "), " "
    lines = [pieces[0]]
    for piece in pieces[1:]:
        longer = f"{lines[-1]}{between}{piece}"
        if _width(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(piece)
    return lines


def _width(text: str) -> float:
    """A guess on the large side."""
    return sum(HALF_EM * (2 if east_asian_width(char) in "WF" else 1) for char in text)
