"""Whether an answer holds a phrase of the reference: yes, no, or not to be told by rules."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from rag_ablation.stages.judge._figures import Bound, Figure, Kind, Likeness, likeness
from rag_ablation.stages.judge._lexicon import OTHER_OFFICE_BEFORE, OTHER_OFFICE_BEHIND, Role
from rag_ablation.stages.judge._reading import Item, is_modal, read

LOOK_BACK = 3
TAKES_BACK = frozenset({Role.NEED, Role.YES})


class Held(StrEnum):
    """What becomes of a phrase."""

    YES = "yes"
    OPEN = "open"
    NO = "no"


class Finding(NamedTuple):
    """Whether a phrase is held, and why it is not.

    Args:
        held: yes, open or no.
        why: half a sentence, empty where it is held.
        figures: figures of the answer that stand for those of the phrase.
        doubted: whether it is there in one piece, and may not be meant.
    """

    held: Held
    why: str = ""
    figures: tuple[Figure, ...] = ()
    doubted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How much may differ.

    Args:
        tolerance: largest relative difference of amounts that are the same.
        bare: what an equal number without its unit is.
        least_overlap: share of a phrase, from 0 to 1, from which it counts as partly held.
        known: figures of the question and of the whole reference.
        bounds: sides of a figure that the question speaks of.
        due: periods that the question or the reference speaks of.
    """

    tolerance: Fraction
    bare: Likeness
    least_overlap: float
    known: tuple[Figure, ...] = ()
    bounds: frozenset[Bound] = frozenset()
    due: frozenset[str] = frozenset()

    def like(self, said: Figure, wanted: Figure) -> Likeness:
        """How two figures stand to each other."""
        return likeness(said, wanted, bare=self.bare, tolerance=self.tolerance)


def find(phrase: str, answer: str, ways: Ways) -> Finding:
    """Look for a phrase in an answer.

    Args:
        phrase: of the reference.
        answer: what was said.
        ways: how much may differ.
    """
    wanted, said = read(phrase), read(answer)
    if not wanted:
        return Finding(Held.OPEN, "the reference holds no word")
    if all(is_modal(item) for item in wanted):
        return _polarity(wanted, said)
    together = _together(wanted, said, ways)
    if together.held is Held.YES or together.why:
        return together
    if any(item.figure for item in wanted):
        return _figures(wanted, said, ways)
    return _overlap(wanted, said, ways)


def _together(wanted: Sequence[Item], said: Sequence[Item], ways: Ways) -> Finding:
    """The phrase in one piece; without a reason where it is nowhere so."""
    findings = [
        _at(start, wanted, said, ways)
        for start in range(len(said) - len(wanted) + 1)
        if all(_same(said[start + place], item, ways) for place, item in enumerate(wanted))
    ]
    kinds = {finding.held for finding in findings}
    if kinds == {Held.YES} or (len(kinds) == 1 and Held.OPEN in kinds):
        return findings[0]
    if Held.YES in kinds or Held.OPEN in kinds:
        return Finding(Held.OPEN, "it is said, and also the opposite or something near it")
    return findings[0] if findings else Finding(Held.NO)


def _same(said: Item, wanted: Item, ways: Ways) -> bool:
    if said.figure and wanted.figure:
        return ways.like(said.figure, wanted.figure) is Likeness.SAME
    return said.key == wanted.key


def _at(start: int, wanted: Sequence[Item], said: Sequence[Item], ways: Ways) -> Finding:
    """What the phrase found here means in its surroundings."""
    span = said[start : start + len(wanted)]
    before = [item for item in said[max(0, start - LOOK_BACK) : start] if item.clause == span[0].clause]
    figures = tuple(item.figure for item in span if item.figure)
    if not figures and _other_office(before, said[start + len(wanted) :]):
        return Finding(Held.NO, "it names another office")
    turned = [a.negated != b.negated for a, b in zip(span, wanted, strict=True)]
    if before and is_modal(before[-1]) and before[-1].negated and not is_modal(wanted[0]):
        turned[0] = not turned[0]
    if any(turned):
        return Finding(Held.NO, "it says the opposite")
    if any(item.operand for item in span):
        return Finding(Held.OPEN, "the figure is one that is worked with")
    negation = any(item.negated for item in before) or _turned_behind(span[-1], said[start + len(wanted) :])
    doubt = _doubt(span, wanted)
    why = doubt or _figures_differ(span, wanted, ways) or ("a negation stands beside it" if negation else "")
    return Finding(Held.OPEN if why else Held.YES, why, figures, doubted=bool(doubt))


def _figures_differ(span: Sequence[Item], wanted: Sequence[Item], ways: Ways) -> str:
    """What stands beside equal figures and makes them mean something else, empty where nothing does."""
    pairs = list(zip(span, wanted, strict=True))
    if any(_bounds_differ(said, item, ways) for said, item in pairs):
        return "the figure bounds the other side, or bounds where the reference does not"
    return "the figure is one of another period" if any(_due_differs(said, item, ways) for said, item in pairs) else ""


def _bounds_differ(said: Item, wanted: Item, ways: Ways) -> bool:
    """A limit may be told for its figure; any other bound must be one that question or reference knows."""
    if not said.figure or not wanted.figure or not said.figure.bound:
        return False
    bound, other = said.figure.bound, wanted.figure.bound
    if other:
        return bound is not other
    if bound is Bound.MOST or bound in ways.bounds:
        return False
    if bound in {Bound.AFTER, Bound.BEFORE} and said.figure.kind is not Kind.AMOUNT:
        return False
    like = (figure for figure in ways.known if ways.like(said.figure, figure) is Likeness.SAME)
    return all(figure.bound is not bound for figure in like)


def _due_differs(said: Item, wanted: Item, ways: Ways) -> bool:
    if not said.figure or not wanted.figure or said.figure.kind is not Kind.AMOUNT:
        return False
    periods = wanted.figure.due or ways.due
    return bool(said.figure.due and periods) and not said.figure.due & periods


def _doubt(span: Sequence[Item], wanted: Sequence[Item]) -> str:
    """Why what is there may not be meant, empty where the reference says it in the same way."""
    doubts = frozenset().union(*(item.doubts for item in span)) - frozenset().union(*(item.doubts for item in wanted))
    return min(doubts, default="")


def _other_office(before: Sequence[Item], behind: Sequence[Item]) -> bool:
    """副总经理 is no 总经理."""
    follows = "".join(item.key for item in behind[:3] if isinstance(item.key, str))
    return (bool(before) and before[-1].key in OTHER_OFFICE_BEFORE) or follows.startswith(OTHER_OFFICE_BEHIND)


def _turned_behind(last: Item, behind: Sequence[Item]) -> bool:
    """Whether what follows at once in the clause takes it back: `… is not required`, …是不对的."""
    if not behind or behind[0].clause != last.clause or not behind[0].negated:
        return False
    word = behind[0].key
    return behind[0].role in TAKES_BACK or (isinstance(word, str) and word.isascii() and not behind[0].role)


def _polarity(wanted: Sequence[Item], said: Sequence[Item]) -> Finding:
    """A phrase that only says yes or no: the first clause decides, behind a mere `No.` the next sentence words it."""
    key, negated = wanted[0].key, wanted[0].negated
    bare = all(is_modal(item) for item in said if item.sentence == 0)
    if doubt := _doubt([item for item in said if item.sentence <= bare], wanted):
        return Finding(Held.OPEN, doubt)
    first = [item for item in said if item.sentence <= bare and is_modal(item)]
    if not first or first[0].clause > 0:
        return Finding(Held.OPEN, "whether it says yes or no cannot be told")
    opening = {item.negated for item in first if item.clause == 0}
    worded = {item.negated for item in first if item.key == key}
    if opening == worded == {negated}:
        return Finding(Held.YES)
    if opening == {not negated} and negated not in worded:
        return Finding(Held.NO, "it says the opposite")
    return Finding(Held.OPEN, "whether it says yes or no cannot be told")


def _figures(wanted: Sequence[Item], said: Sequence[Item], ways: Ways) -> Finding:
    """Figures and words of a phrase that stand apart from each other, or in other order."""
    taken: list[Item] = []
    for item in wanted:
        if not item.figure:
            continue
        found, why = _one_figure(item, said, ways)
        if found is None:
            return Finding(Held.NO if why is None else Held.OPEN, why or f"{item.figure.shown.strip()} is not in it")
        taken.append(found)
    words = {(item.key, item.negated) for item in wanted if not item.figure}
    near = {item.sentence for item in taken}
    there = {(item.key, item.negated) for item in said if not item.figure and item.sentence in near}
    figures = tuple(item.figure for item in taken if item.figure)
    if len(taken) > 1:
        return Finding(Held.OPEN, "its figures are there, in other words or in other order", figures)
    if words <= there:
        return Finding(Held.YES, figures=figures)
    return Finding(Held.OPEN, "its figure is there, its words are not", figures)


def _one_figure(wanted: Item, said: Sequence[Item], ways: Ways) -> tuple[Item | None, str | None]:
    """The item that holds a figure; else None and why that is open, None where it is not."""
    why = "both ends are there, not as a range" if _ends(wanted, said, ways) else None
    for place, item in enumerate(said):
        like = ways.like(item.figure, wanted.figure) if item.figure and wanted.figure else Likeness.OTHER
        if like is Likeness.OTHER:
            continue
        finding = _at(place, [wanted], said, ways)
        if like is Likeness.SAME and finding.held is Held.YES:
            return item, None
        if like is Likeness.OPEN:
            why = f"{item.figure.shown.strip() if item.figure else ''} may or may not be the same figure"
        elif finding.held is Held.OPEN:
            why = finding.why
    return None, why


def _ends(wanted: Item, said: Sequence[Item], ways: Ways) -> bool:
    """Whether a range is not said as such, but both of its ends are."""
    figure = wanted.figure
    if figure is None or figure.kind is not Kind.RANGE:
        return False
    ends = [replace(figure, kind=Kind.AMOUNT, values=(value,)) for value in figure.values]
    there = [item.figure for item in said if item.figure]
    return all(any(ways.like(one, end) is Likeness.SAME for one in there) for end in ends)


def _overlap(wanted: Sequence[Item], said: Sequence[Item], ways: Ways) -> Finding:
    """How much of the wording is there: pairs of neighbours, single words where the phrase is one word."""
    pairs = _pairs(wanted)
    share = len(pairs & _pairs(said)) / len(pairs) if pairs else 0.0
    if share >= ways.least_overlap:
        return Finding(Held.OPEN, f"{share:.0%} of its wording is there, not in one piece")
    return Finding(Held.NO, "it is not in it")


def _pairs(items: Sequence[Item]) -> set[tuple[str, ...]]:
    """Pairs of neighbouring Chinese characters; other words alone."""
    keys = [item.key for item in items if isinstance(item.key, str)]
    alone = {(key,) for key in keys if key.isascii()}
    return alone | {(a, b) for a, b in itertools.pairwise(keys) if not a.isascii() and not b.isascii()}
