"""What a text says, item by item: words, and figures as what they mean; and which of them are turned round.

Whatever the text asks of its reader is read like the rest of it: words.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import snowballstemmer

from rag_ablation.core.language import HAN
from rag_ablation.stages.judge._amounts import amount_at
from rag_ablation.stages.judge._calendar import Found, date_at, time_at
from rag_ablation.stages.judge._doubts import Doubt, Scope, due, scopes
from rag_ablation.stages.judge._figures import Bound, Figure, Kind
from rag_ablation.stages.judge._lexicon import MODAL, STOP, Role, lexeme_at
from rag_ablation.stages.judge._plain import plain

_LATIN = re.compile(rf"(?:(?!{HAN.pattern})[^\W\d_])+(?:'[a-z]+)?")
_CODES = re.compile(
    r"[a-z]{1,3}\+\d*(?![a-z0-9])"
    r"|[a-z]+(?:[-_/][a-z0-9]+)*[-_/](?=[a-z0-9]*\d)[a-z0-9]+(?:[-_/.][a-z0-9]+)*"
    r"|[a-z]{1,6}\d+[a-z0-9]*(?:[-_/.][a-z0-9]+)*"
    r"|\d{4,}-0\d+(?!\d)"
    r"|\d+(?:\.\d+){2,}"
)
_AMOUNT_STARTS = re.compile(r" ?(?:\d|[¥$€£]|rmb|cny|usd|eur)")
REACH = 6
"""Items up to which a word such as `above` bounds a figure behind it."""

_SENTENCE, _CLAUSE = frozenset("。;!?"), frozenset(",、:()|")
_BOUNDS = {
    Role.LEAST: Bound.LEAST,
    Role.MOST: Bound.MOST,
    Role.ABOVE: Bound.ABOVE,
    Role.BELOW: Bound.BELOW,
}
_AFTER = re.compile(r"[以之]?后(?![勤台续果备者面半])")
_BEFORE = re.compile(r"[以之]?前(?![台提者面半后])")
_BEHIND = (
    (_AFTER, Bound.AFTER),
    (_BEFORE, Bound.BEFORE),
    (re.compile(r"左右|上下| or so\b"), Bound.ABOUT),
    (re.compile(r"起(?![草飞诉])|\+(?!\w)"), Bound.LEAST),
)
_ORDERED = {
    Bound.AFTER: re.compile(r"后|\b(?:after|since|from)\b"),
    Bound.BEFORE: re.compile(r"前|\bbefore\b"),
    Bound.LEAST: re.compile("满|起"),
    Bound.ABOUT: re.compile(r"大约|大概|左右|\b(?:about|around|approximately|roughly)\b"),
}
_LED_BY = (
    (re.compile(r"\b(?:after|since|from|later than) (?:the )?$"), Bound.AFTER),
    (
        re.compile(r"(?:约|大概|将近|接近|几乎|\b(?:about|around|approximately|roughly|nearly|almost|some) )$"),
        Bound.ABOUT,
    ),
    (re.compile(r"\bbefore (?:the )?$"), Bound.BEFORE),
)


@dataclass(frozen=True, slots=True)
class Item:
    """One word or figure.

    Args:
        key: the stem of a word, one Chinese character, a role, or a figure.
        negated: whether a word directly before it turns it round.
        clause: number of its clause.
        sentence: number of its sentence.
        operand: whether it is a figure on the left of an equation.
        role: of a word that has one.
        doubts: why it may not be meant.
    """

    key: str | Figure
    negated: bool
    clause: int
    sentence: int
    operand: bool = False
    role: Role | None = None
    doubts: frozenset[Doubt] = frozenset()

    @property
    def figure(self) -> Figure | None:
        """The figure, where it is one."""
        return self.key if isinstance(self.key, Figure) else None


@dataclass(slots=True)
class _Reader:
    text: str
    items: list[Item] = field(default_factory=list)
    negated: bool = False
    bound: Bound | None = None
    bound_at: int = 0
    clause: int = 0
    sentence: int = 0
    at: int = 0
    scopes: frozenset[Scope] = frozenset()

    def __post_init__(self) -> None:
        self.scopes = scopes(self.text)

    def add(self, key: str | Figure, role: Role | None = None) -> None:
        if isinstance(key, Figure) and self.bound and len(self.items) - self.bound_at <= REACH:
            key, self.bound = replace(key, bound=self.bound), None
        doubts = frozenset(doubt for start, end, doubt in self.scopes if start <= self.at < end)
        self.items.append(Item(key, self.negated, self.clause, self.sentence, role=role, doubts=doubts))
        self.negated = False

    def pause(self, *, full: bool) -> None:
        if self.negated:
            self.add("answer", Role.YES)
        self.clause += 1
        self.sentence += full
        self.bound = None

    def follow(self, roles: tuple[Role, ...], word: str) -> None:
        for role in roles:
            if role is Role.NOT:
                self.negated = not self.negated
            elif role in _BOUNDS:
                self.set_bound(_BOUNDS[role])
            elif role is Role.EQUALS:
                self.equals()
            elif role is Role.NOR:
                self.nor()
            elif role is Role.PLAIN:
                for part in _parts(word):
                    self.add(part)
            else:
                self.add(role.value, role)

    def set_bound(self, bound: Bound) -> None:
        """Of the figure that ends here, else of the next in the clause."""
        last = self.items[-1] if self.items else None
        if last and last.figure and last.clause == self.clause and last.figure.bound not in _BOUNDS.values():
            self.items[-1] = replace(last, key=replace(last.figure, bound=bound))
        else:
            self.bound, self.bound_at = bound, len(self.items)

    def nor(self) -> None:
        """Goes on with the bound of the sentence (`may not exceed 80%, nor RMB 10,000`), else with its negation."""
        bounds = [item.figure.bound for item in self.items if item.figure and item.sentence == self.sentence]
        if bounds and bounds[-1]:
            self.bound, self.bound_at = bounds[-1], len(self.items)
        else:
            self.negated = True

    def equals(self) -> None:
        """What stands before in the clause is worked with, not said."""
        self.items = [
            replace(item, operand=True) if item.figure and item.clause == self.clause else item for item in self.items
        ]


@lru_cache(maxsize=4096)
def read(text: str) -> tuple[Item, ...]:
    """Items of a text in order; white space, punctuation and words without a meaning of their own are left out."""
    reader = _Reader(plain(text))
    at = 0
    while at < len(reader.text):
        at = _step(reader, at)
    if reader.negated:
        reader.add("answer", Role.YES)
    return tuple(reader.items)


def stated(items: Sequence[Item]) -> Iterator[Figure]:
    """Figures that a text gives as such: neither denied (`not RMB 80`, 不是 80 元) nor merely worked with."""
    before: Item | None = None
    for item in items:
        denied = item.negated or (before is not None and before.negated and before.role is Role.YES)
        if item.figure and not item.operand and not denied:
            yield item.figure
        before = item


@lru_cache(maxsize=4096)
def bounds_in(text: str) -> frozenset[Bound]:
    """Sides of a figure that a text speaks of, also without a figure: 超过多少, `how long after`."""
    folded = plain(text)
    roles = {role for at in range(len(folded)) if (lexeme := lexeme_at(folded, at)) for role in lexeme.roles}
    ordered = (bound for bound, words in _ORDERED.items() if words.search(folded))
    return frozenset((*(_BOUNDS[role] for role in roles if role in _BOUNDS), *ordered))


def is_modal(item: Item) -> bool:
    """Whether an item only says that something may, must, is there, or is so."""
    return item.role in MODAL


def _step(reader: _Reader, at: int) -> int:
    text, reader.at = reader.text, at
    character = text[at]
    found = _figure_at(text, at)
    if found:
        reader.add(replace(found.figure, bound=_beside(text, at, found.end), due=due(text, at)))
        return found.end
    lexeme = lexeme_at(text, at)
    if lexeme:
        reader.follow(lexeme.roles, text[at : lexeme.end])
        return lexeme.end
    if HAN.match(character):
        if character == "内" and reader.items and reader.items[-1].figure:
            reader.set_bound(Bound.MOST)
        elif character not in STOP:
            reader.add(character)
        return at + 1
    if word := _LATIN.match(text, at):
        if word[0] not in STOP:
            reader.add(_stem(word[0]))
        return word.end()
    if character == "=":
        reader.equals()
    elif character in _SENTENCE or (character == "." and (at + 1 == len(text) or not text[at + 1].isalnum())):
        reader.pause(full=True)
    elif character in _CLAUSE or (character == "-" and _parts_clauses(reader, at)):
        reader.pause(full=False)
    return at + 1


def _beside(text: str, start: int, end: int) -> Bound | None:
    """What stands at once beside the figure: 3 天后, `before 22:00`, `about 3 days`."""
    behind = (bound for words, bound in _BEHIND if words.match(text, end))
    return next(behind, None) or next(
        (bound for led, bound in _LED_BY if led.search(text, max(0, start - 16), start)), None
    )


def _parts_clauses(reader: _Reader, at: int) -> bool:
    """Whether a dash is none of a compound (`second-class`) and none of a sum (118.5 - 80 = 38.5)."""
    before, behind = reader.text[at - 1 : at], reader.text[at + 1 :]
    if before.isascii() and before.isalnum() and behind[:1].isascii() and behind[:1].isalnum():
        return False
    in_sum = bool(reader.items and reader.items[-1].figure) and bool(_AMOUNT_STARTS.match(behind))
    return not in_sum


def _figure_at(text: str, at: int) -> Found | None:
    if at and _inside_word(text, at):
        return None
    return date_at(text, at) or time_at(text, at) or _code_at(text, at) or amount_at(text, at)


def _inside_word(text: str, at: int) -> bool:
    """Whether a word or a number goes on here; digits may follow a Chinese character, not a letter."""
    before, here = text[at - 1], text[at]
    return before.isascii() and before.isalnum() and here.isascii() and here.isalnum()


def _code_at(text: str, at: int) -> Found | None:
    found = _CODES.match(text, at)
    if not found or re.match(r"(?:rmb|cny|usd|eur|hkd|gbp|jpy)\d", found[0]):
        return None
    code = re.sub(r"[-_/]", "", found[0]) if found[0][0].isalpha() else found[0]
    return Found(Figure(kind=Kind.CODE, code=code, shown=found[0]), found.end())


def _parts(word: str) -> list[str]:
    return [_stem(part) for part in word.split()] if word.isascii() else list(word)


def _stem(word: str) -> str:
    return _stemmer()(word.removesuffix("'s"))


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord
    return stem
