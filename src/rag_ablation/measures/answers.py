"""Measures of answers: how many are right, how many decline, and whether what they cite bears them out.

Right, supported and cited well are three different things: an answer may be right and cite nothing that says so.

Legend: Q questions.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.answers import Word
from rag_ablation.core.results import SCORED, Mean
from rag_ablation.measures.ranking import mean

POINT = "answer"
CORRECT, CORRECT_LOW, CORRECT_HIGH = "correct", "correct_low", "correct_high"
REFUSED_RIGHT, REFUSED_WRONG, WRONG_ON_NO_ANSWER = "refused_right", "refused_wrong", "wrong_on_no_answer"
CITATION_PRECISION, SUPPORTED = "citation_precision", "supported"
FAILED, NEEDS_REVIEW = "failed", "needs_review"
MEASURES = (
    CORRECT,
    CORRECT_LOW,
    CORRECT_HIGH,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    WRONG_ON_NO_ANSWER,
    CITATION_PRECISION,
    SUPPORTED,
    FAILED,
    NEEDS_REVIEW,
)
SHARES = frozenset(MEASURES) - {CITATION_PRECISION}
"""Those that are 0 or 1 on every question."""
FINAL_AFTER_REVIEW = (CORRECT, REFUSED_RIGHT, WRONG_ON_NO_ANSWER)
"""Those that a verdict decides: undefined as long as one of theirs is open."""

OPEN = "answers_wait_for_review"
ANSWERABLE, NO_ANSWER = "answerable", "no_answer"
NOT_JUDGED, DECLINED, NO_TEXT, NOTHING_CITED = "not_judged", "refused", "failed", "nothing_cited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one question.

    Args:
        answerable: whether the corpus, as the asker sees it, holds the answer.
        refused: whether the generator declined.
        failed: whether there is no answer, not even a refusal.
        word: the verdict, None where nobody judged.
        citation_precision: share of the cited passages that are gold, NaN where undefined.
        supported: whether the answer rests on evidence that it was shown, NaN where undefined.
    """

    answerable: bool
    refused: bool
    failed: bool
    word: Word | None
    citation_precision: float = math.nan
    supported: float = math.nan

    @property
    def answered(self) -> bool:
        """Whether something was said."""
        return not (self.refused or self.failed)


class Counted(NamedTuple):
    """A measure of answers, question by question.

    Args:
        values: (Q,) NaN where the question is not counted.
        status: (Q,) `scored`, or why it is not.
        mean: with its n and every question that is left out.
    """

    values: NDArray[np.float64]
    status: tuple[str, ...]
    mean: Mean


def citation_precision(cited: Collection[str], gold: Collection[str]) -> float:
    """Share of the cited passages that are gold, each counted once.

    Args:
        cited: ids that the answer cites.
        gold: ids of the relevant passages.

    Returns:
        From 0 to 1; NaN where nothing is cited, or nothing is relevant.
    """
    named, relevant = set(cited), set(gold)
    return len(named & relevant) / len(named) if named and relevant else math.nan


def supported(cited: Collection[str], context: Collection[str], gold: Collection[str]) -> float:
    """Whether an answer rests on evidence that it was shown.

    Args:
        cited: ids that the answer cites.
        context: ids of the passages that the generator was shown.
        gold: ids of the relevant passages.

    Returns:
        1 where something relevant is cited and nothing is cited that was not in the context, else 0, also where
        nothing is cited; NaN where nothing is relevant.
    """
    named, relevant = set(cited), set(gold)
    if not relevant:
        return math.nan
    return float(bool(named & relevant) and named <= set(context))


def with_open(mean: Mean, status: Sequence[str]) -> Mean:
    """A mean that verdicts decide, undefined while one of them is open.

    Args:
        mean: of the settled ones.
        status: (Q,) `scored`, or why a question is not settled.
    """
    waiting = sum(word == OPEN for word in status)
    if not waiting:
        return mean
    excluded = {reason: n for reason, n in mean.excluded.items() if reason != OPEN}
    return Mean(value=None, n=mean.n + waiting, excluded=excluded, reason=OPEN)


def answer_measures(outcomes: Sequence[Outcome | str]) -> dict[str, Counted]:
    """Every measure of answers, by name.

    `correct` is of the questions that have an answer; while a verdict is open its mean is undefined, and lies between
    those of `correct_low` (all open ones wrong) and `correct_high` (all of them right). `refused_right` (it declined,
    by its own sign, or in words that a judge or a person took for it) and `wrong_on_no_answer` are of the questions
    without an answer, and undefined while a verdict on one is open; `refused_wrong` is of those with one; `supported`
    is of the answers that were given to questions with one, `citation_precision` of those that cite something;
    `failed` and `needs_review` are of all. A failure is wrong, and never a refusal.

    Args:
        outcomes: (Q,) what became of each question, or why it is in no measure of answers.
    """
    found = {name: _counted(outcomes, value) for name, value in _VALUES.items()}
    decided = {name: found[name] for name in FINAL_AFTER_REVIEW}
    return found | {name: one._replace(mean=with_open(one.mean, one.status)) for name, one in decided.items()}


def _counted(outcomes: Sequence[Outcome | str], value: Callable[[Outcome], float | str]) -> Counted:
    given = [one if isinstance(one, str) else value(one) for one in outcomes]
    values = np.array([math.nan if isinstance(one, str) else one for one in given], dtype=np.float64)
    values.setflags(write=False)
    status = tuple(one if isinstance(one, str) else SCORED for one in given)
    return Counted(values, status, mean(values, status))


def _verdict(if_open: float | None) -> Callable[[Outcome], float | str]:
    def value(one: Outcome) -> float | str:
        if not one.answerable:
            return NO_ANSWER
        if one.word is None:
            return NOT_JUDGED
        if one.word is Word.NEEDS_REVIEW:
            return OPEN if if_open is None else if_open
        return float(one.word is Word.CORRECT)

    return value


def _refused_right(one: Outcome) -> float | str:
    if one.answerable:
        return ANSWERABLE
    if one.word is Word.NEEDS_REVIEW:
        return OPEN
    return float(one.refused if one.word is None else one.word is Word.CORRECT)


def _wrong_on_no_answer(one: Outcome) -> float | str:
    if one.answerable:
        return ANSWERABLE
    if one.word is Word.NEEDS_REVIEW:
        return OPEN
    return float(one.answered and (one.word is None or one.word is Word.INCORRECT))


def _refused_wrong(one: Outcome) -> float | str:
    return float(one.refused) if one.answerable else NO_ANSWER


def _of_given_answers(one: Outcome, value: float) -> float | str:
    if not one.answerable:
        return NO_ANSWER
    if not one.answered:
        return NO_TEXT if one.failed else DECLINED
    return NOTHING_CITED if math.isnan(value) else value


def _needs_review(one: Outcome) -> float | str:
    return NOT_JUDGED if one.word is None else float(one.word is Word.NEEDS_REVIEW)


_VALUES: Mapping[str, Callable[[Outcome], float | str]] = {
    CORRECT: _verdict(None),
    CORRECT_LOW: _verdict(0.0),
    CORRECT_HIGH: _verdict(1.0),
    REFUSED_RIGHT: _refused_right,
    REFUSED_WRONG: _refused_wrong,
    WRONG_ON_NO_ANSWER: _wrong_on_no_answer,
    CITATION_PRECISION: lambda one: _of_given_answers(one, one.citation_precision),
    SUPPORTED: lambda one: _of_given_answers(one, one.supported),
    FAILED: lambda one: float(one.failed),
    NEEDS_REVIEW: _needs_review,
}
