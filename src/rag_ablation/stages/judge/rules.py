"""Judging answers by rules: words and figures of a reference, looked for in the answer.

A rule decides or says that it cannot; it never guesses. Text is data: nothing in a question or an answer
is followed.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from rag_ablation.core.answers import Answer, Reference, Verdict, Word
from rag_ablation.stages.answering import Judged, Judging
from rag_ablation.stages.base import Cache, check_choice
from rag_ablation.stages.judge._doubts import asked
from rag_ablation.stages.judge._figures import Figure, Kind, Likeness, of_one_sort, rivals
from rag_ablation.stages.judge._match import Finding, Held, Ways, find
from rag_ablation.stages.judge._plain import plain
from rag_ablation.stages.judge._reading import bounds_in, read, stated
from rag_ablation.stages.judge._refusal import reads_like_refusal

VERSION = "2"
"""Of the rules: it changes whenever a verdict can, and stands beside every rate that they gave."""

UNREAD = "the rules could not read it"
LONGEST = 20_000
"""Characters of the longest text that is judged."""

BareNumbers = Literal["review", "accept", "refuse"]
OtherFigures = Literal["review", "allow"]
_BARE: Mapping[BareNumbers, Likeness] = {
    "review": Likeness.OPEN,
    "accept": Likeness.SAME,
    "refuse": Likeness.OTHER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesJudge:
    """Looks for the reference in the answer: normalised wording, and figures as what they mean.

    Args:
        tolerance: largest relative difference of two amounts that count as the same, from 0 (exactly) to below 1.
        bare_numbers: what the right number without its unit is: `review`, `accept` or `refuse`.
        other_figures: what becomes of a right answer that gives a figure which is neither in the reference nor in
            the question, of the same kind as its right one, or in place of one that the reference has beside it:
            `review`, or `allow`.
        least_overlap: share of the wording of a reference without figures, above 0 and at most 1, from which an
            answer that does not hold it is reviewed; below it is incorrect.
    """

    tolerance: float = 0.0
    bare_numbers: BareNumbers = "review"
    other_figures: OtherFigures = "review"
    least_overlap: float = 0.2

    def __post_init__(self) -> None:
        """Check values."""
        _check_number("tolerance", self.tolerance, "a number from 0 to below 1", at_most=math.nextafter(1, 0))
        _check_number("least_overlap", self.least_overlap, "a number above 0 and at most 1", above=0)
        check_choice("bare_numbers", self.bare_numbers, get_args(BareNumbers))
        check_choice("other_figures", self.other_figures, get_args(OtherFigures))

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change a verdict."""
        return ("opencc", "snowballstemmer")

    def fingerprint(self) -> Mapping[str, object]:
        """No model; the version of the rules."""
        return {"rules": VERSION}

    def judge_all(self, given: Judging, cache: Cache) -> Judged:
        """Judge every answer by itself; nothing is asked or kept.

        Args:
            given: questions, answers and references.
            cache: unused.
        """
        rows = zip(given.questions, given.answers, given.references, strict=True)
        verdicts = tuple(self._guarded(question, answer, reference) for question, answer, reference in rows)
        n_unread = sum(verdict.reason.startswith(UNREAD) for verdict in verdicts)
        return Judged(verdicts=verdicts, facts={"rules": VERSION, "n_unread": n_unread})

    def judge(self, question: str, answer: Answer, reference: Reference) -> Verdict:
        """Judge one answer.

        Args:
            question: as asked; a figure that it holds speaks neither for nor against an answer.
            answer: what was said.
            reference: what would have been right.
        """
        if answer.failed:
            return Verdict(word=Word.INCORRECT, reason="failed: there is no answer")
        if not reference.answerable:
            return _unanswerable(answer)
        if answer.refused:
            return Verdict(word=Word.INCORRECT, reason="refused: the question has an answer")
        if max(map(len, (question, answer.text, *_texts(reference)))) > LONGEST:
            return Verdict(word=Word.NEEDS_REVIEW, reason=f"too long to judge by rules: above {LONGEST:,} characters")
        if not read(answer.text):
            return Verdict(word=Word.INCORRECT, reason="empty: it says nothing")
        ways = Ways(
            tolerance=Fraction(str(self.tolerance)),
            bare=_BARE[self.bare_numbers],
            least_overlap=self.least_overlap,
            known=tuple(_known(question, reference)),
            bounds=bounds_in(question),
            due=frozenset().union(*(asked(plain(text)) for text in (question, *_texts(reference)))),
        )
        return self._compare(question, answer.text, reference, ways)

    def _guarded(self, question: str, answer: Answer, reference: Reference) -> Verdict:
        """What a rule stumbles over is one answer that waits for a person, never the end of an arm."""
        try:
            return self.judge(question, answer, reference)
        except Exception as error:
            reason = f"{UNREAD} ({type(error).__name__}: {error})"
            return Verdict(word=Word.NEEDS_REVIEW, reason=reason)

    def _compare(self, question: str, text: str, reference: Reference, ways: Ways) -> Verdict:
        forbidden = {phrase: find(phrase, text, ways) for phrase in reference.forbidden}
        for phrase, finding in forbidden.items():
            if finding.held is Held.YES:
                return Verdict(word=Word.INCORRECT, reason=f"says what it must not: {phrase}", evidence=(phrase,))
        if not (reference.answers or reference.keypoints):
            return Verdict(word=Word.NEEDS_REVIEW, reason="there is no reference to compare with")
        verdict, figures = _keypoints(text, reference, ways) if reference.keypoints else _any(text, reference, ways)
        if verdict.word is not Word.CORRECT:
            return verdict
        doubt = next((f"may say what it must not: {phrase}" for phrase, one in forbidden.items() if one.doubted), "")
        doubt = doubt or _year_doubt(question, text, reference)
        if not doubt and self.other_figures == "review":
            doubt = _figure_doubt(figures, question, text, reference, ways)
        return Verdict(word=Word.NEEDS_REVIEW, reason=doubt, evidence=verdict.evidence) if doubt else verdict


def _unanswerable(answer: Answer) -> Verdict:
    """A question without an answer: declining is right."""
    if answer.refused:
        return Verdict(word=Word.CORRECT, reason="refused: the question has no answer")
    if reads_like_refusal(answer.text):
        return Verdict(word=Word.NEEDS_REVIEW, reason="reads like a refusal, but was not given as one")
    return Verdict(word=Word.INCORRECT, reason="answered: the question has no answer")


def _keypoints(text: str, reference: Reference, ways: Ways) -> tuple[Verdict, tuple[Figure, ...]]:
    """Every key point is needed."""
    found = {point: find(point, text, ways) for point in reference.keypoints}
    figures = _figures_of(found.values())
    for held, word in ((Held.NO, Word.INCORRECT), (Held.OPEN, Word.NEEDS_REVIEW)):
        short = [point for point, finding in found.items() if finding.held is held]
        if short and word is Word.INCORRECT and _whole(text, reference, ways):
            reason = f"holds an answer of the reference, but not its key point {short[0]}"
            return Verdict(word=Word.NEEDS_REVIEW, reason=reason, evidence=tuple(short)), figures
        if short:
            reason = "; ".join(f"key point {point}: {found[point].why}" for point in short)
            return Verdict(word=word, reason=reason, evidence=tuple(short)), figures
    evidence = tuple(found)
    return Verdict(word=Word.CORRECT, reason=f"holds {', '.join(evidence)}", evidence=evidence), figures


def _whole(text: str, reference: Reference, ways: Ways) -> bool:
    return any(find(phrase, text, ways).held is Held.YES for phrase in reference.answers)


def _any(text: str, reference: Reference, ways: Ways) -> tuple[Verdict, tuple[Figure, ...]]:
    """One of the answers is enough."""
    found = {phrase: find(phrase, text, ways) for phrase in reference.answers}
    for held, word in ((Held.YES, Word.CORRECT), (Held.OPEN, Word.NEEDS_REVIEW), (Held.NO, Word.INCORRECT)):
        those = [phrase for phrase, finding in found.items() if finding.held is held]
        if those:
            finding = found[those[0]]
            reason = f"holds {those[0]}" if held is Held.YES else f"{those[0]}: {finding.why}"
            figures = _figures_of(found[phrase] for phrase in those)
            return Verdict(word=word, reason=reason, evidence=(those[0],)), figures
    return Verdict(word=Word.NEEDS_REVIEW, reason="there is no reference to compare with"), ()


def _figures_of(findings: Iterable[Finding]) -> tuple[Figure, ...]:
    return tuple(figure for finding in findings for figure in finding.figures)


def _known(question: str, reference: Reference) -> list[Figure]:
    """Figures that the question and the reference name."""
    return [item.figure for text in (question, *_texts(reference)) for item in read(text) if item.figure]


def _texts(reference: Reference) -> tuple[str, ...]:
    return (*reference.answers, *reference.keypoints, *reference.optional)


def _figure_doubt(held: Sequence[Figure], question: str, text: str, reference: Reference, ways: Ways) -> str:
    """Why a right answer may be a hedge or hold a slip: a figure that neither reference nor question has."""
    said, known = list(stated(read(text))), _known(question, reference)

    def found(figure: Figure, among: Sequence[Figure]) -> bool:
        return any(ways.like(figure, other) is Likeness.SAME for other in among)

    beside = [item.figure for phrase in reference.optional for item in read(phrase) if item.figure]
    missing = [figure for figure in beside if not any(ways.like(one, figure) is Likeness.SAME for one in said)]
    for figure in said:
        if found(figure, [*held, *known]):
            continue
        if any(rivals(figure, other) for other in held) or any(of_one_sort(figure, other) for other in missing):
            return f"also says {figure.shown.strip()}, which is not in the reference"
    return ""


def _year_doubt(question: str, text: str, reference: Reference) -> str:
    """Why a right figure may belong to another year."""
    wanted, said = _years(_known(question, reference)), _years(item.figure for item in read(text) if item.figure)
    if wanted and said and not wanted & said:
        return f"speaks of {min(said)}, the reference of {min(wanted)}"
    return ""


def _years(figures: Iterable[Figure]) -> set[Fraction]:
    return {figure.values[0] for figure in figures if figure.kind is Kind.DATE and figure.values[0] is not None}


def _check_number(field: str, value: object, expected: str, *, at_most: float = 1, above: float | None = None) -> None:
    number = math.nan if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
    if not 0 <= number <= at_most or (above is not None and number <= above):
        message = f"{field}: found {value!r}, expected {expected}"
        raise ValueError(message)
