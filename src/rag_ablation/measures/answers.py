"""Measures of answers: how many are right, how many decline, and whether what they cite bears them out.

Right, supported and cited well are three different things: an answer may be right and cite nothing that says so.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rag_ablation.core.answers import Answer, Verdict, Word

CORRECT, CORRECT_LOW, CORRECT_HIGH = "correct", "correct_low", "correct_high"
REFUSED_RIGHT, REFUSED_WRONG, WRONG_ON_NO_ANSWER = "refused_right", "refused_wrong", "wrong_on_no_answer"
FAILED, NEEDS_REVIEW = "failed", "needs_review"
NOTHING_COUNTED = "no such question"
OPEN = "answers wait for review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one question.

    Args:
        answerable: whether the corpus, as the asker sees it, holds the answer.
        refused: whether the generator declined.
        failed: whether there is no answer.
        word: the verdict.
    """

    answerable: bool
    refused: bool
    failed: bool
    word: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share of questions.

    Args:
        value: from 0 to 1, NaN where undefined.
        count: how many.
        n: of how many.
        reason: why it is undefined, None where it is defined.
    """

    value: float
    count: int
    n: int
    reason: str | None = None


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


def outcome(answer: Answer, verdict: Verdict, *, answerable: bool) -> Outcome:
    """What became of one question.

    Args:
        answer: what was said.
        verdict: what a judge, or a person, made of it.
        answerable: whether there was an answer.
    """
    failed = answer.error is not None or answer.finish == "error"
    return Outcome(answerable=answerable, refused=answer.refused and not failed, failed=failed, word=verdict.word)


def answer_rates(outcomes: Sequence[Outcome]) -> dict[str, Rate]:
    """Rates of a set of questions, by name.

    `correct` is of the questions that have an answer. Where verdicts are open it lies between `correct_low` (all
    of those wrong) and `correct_high` (all of them right), and is itself undefined. `refused_right` and
    `wrong_on_no_answer` are of the questions without an answer, `refused_wrong` of those with one, `failed` and
    `needs_review` of all. A failure is never a refusal.

    Args:
        outcomes: one for each question judged.
    """
    with_answer = [one for one in outcomes if one.answerable]
    without = [one for one in outcomes if not one.answerable]
    right = sum(one.word is Word.CORRECT for one in with_answer)
    waiting = sum(one.word is Word.NEEDS_REVIEW for one in with_answer)
    n, n_without = len(with_answer), len(without)
    wrong = sum(one.word is Word.INCORRECT and not one.failed for one in without)
    return {
        CORRECT: Rate(value=math.nan, count=right, n=n, reason=OPEN) if waiting else _rate(right, n),
        CORRECT_LOW: _rate(right, n),
        CORRECT_HIGH: _rate(right + waiting, n),
        REFUSED_RIGHT: _rate(sum(one.word is Word.CORRECT for one in without), n_without),
        REFUSED_WRONG: _rate(sum(one.refused for one in with_answer), n),
        WRONG_ON_NO_ANSWER: _rate(wrong, n_without),
        FAILED: _rate(sum(one.failed for one in outcomes), len(outcomes)),
        NEEDS_REVIEW: _rate(sum(one.word is Word.NEEDS_REVIEW for one in outcomes), len(outcomes)),
    }


def _rate(count: int, n: int) -> Rate:
    if not n:
        return Rate(value=math.nan, count=0, n=0, reason=NOTHING_COUNTED)
    return Rate(value=count / n, count=count, n=n)
