"""What an extractive generator answers at every threshold at once, so that one can be chosen.

A question has at most three outcomes, from a low threshold to a high one: two sentences, one, and a refusal. So each
of its answers is judged once, and every threshold is read from them.

Legend: J judged questions, T stretches of thresholds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.answers import Answer, Reference, Word
from rag_ablation.core.errors import StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.rankings import Rankings
from rag_ablation.experiment.answering import references_of
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.stages.answering import Judge, Judged, Judging, Reading
from rag_ablation.stages.base import Cache
from rag_ablation.stages.extractive import ExtractiveGenerator, Scored

OUTCOMES = 3
"""A refusal, one sentence, two."""
NEAR_MIDDLE = 0.1
MOST_DIGITS = 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Thresholds between two scores that were observed next to each other: all of them give the same answers.

    Args:
        above: every threshold of it is above this; −∞ for the lowest.
        up_to: and at most this; ∞ for the highest, which refuses everything.
        threshold: one of it, from its middle.
        width: how far it goes; beyond the scores that were observed, to 0 and 1.
        right: (J,) whether the outcome is right: a right answer, or a refusal where there is no answer.
        refused: (J,) whether it refuses.
        open: (J,) whether the verdict waits for a person, which counts as not right.
    """

    above: float
    up_to: float
    threshold: float
    width: float
    right: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    open: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Every stretch of thresholds, lowest first, and what may be said of them.

    Args:
        stretches: (T,).
        best: place of the one with the most right outcomes; of several the widest, of these the lowest.
        to_best: (T,) difference of the share of right outcomes to the best one.
        answerable: (J,) whether the corpus holds an answer.
        groups: (J,) group of each question.
    """

    stretches: tuple[Stretch, ...]
    best: int
    to_best: tuple[Interval, ...]
    answerable: NDArray[np.bool_]
    groups: NDArray[np.int32]

    @property
    def chosen(self) -> Stretch:
        """The best one."""
        return self.stretches[self.best]

    @property
    def as_good(self) -> tuple[int, int]:
        """First and last stretch around the best one that cannot be told from it, with all between them."""
        first = last = self.best
        while first and _holds_0(self.to_best[first - 1]):
            first -= 1
        while last + 1 < len(self.stretches) and _holds_0(self.to_best[last + 1]):
            last += 1
        return first, last


def thresholds(
    stages: tuple[ExtractiveGenerator, Judge],
    evalset: EvalSet,
    context: Rankings,
    status: Sequence[str],
    cache: Cache,
) -> Thresholds:
    """Judge what the generator answers at every threshold.

    Args:
        stages: the generator, whose own threshold does not matter, and the judge.
        evalset: the questions, with their labels.
        context: (Q,) passages shown for each question.
        status: (Q,) whether each question is scored, or why not.
        cache: where arrays and responses are kept.

    Raises:
        StageError: no question can be judged, or no context holds a sentence.
        ModelError: a model cannot be had.
    """
    generator, judge = stages
    references = references_of(evalset, status)
    rows = [row for row, one in enumerate(references) if isinstance(one, Reference)]
    contexts = tuple(tuple(row for row in shown if row >= 0) for shown in context.passages.tolist())
    reading = Reading(queries=evalset.queries, contexts=contexts, passages=evalset.passages, language=evalset.language)
    every = generator.ranked(reading, cache)
    ranked = [every[row] for row in rows]
    edges = np.array([_edges(found, generator.sentences) for found in ranked], dtype=np.float64).reshape(-1, 2)
    cuts = np.unique(edges[np.isfinite(edges)]).tolist()
    if not cuts:
        raise StageError("generate", "there is nothing to choose from: no question that is judged has a context")
    answers = [_outcomes(generator, evalset, found, at) for found, at in zip(ranked, edges.tolist(), strict=True)]
    given = Judging(
        questions=tuple(evalset.queries.texts[row] for row in rows for _ in range(OUTCOMES)),
        answers=tuple(answer for outcomes in answers for answer in outcomes),
        references=tuple(one for one in references if isinstance(one, Reference) for _ in range(OUTCOMES)),
        contexts=tuple(_shown(evalset, contexts[row]) for row in rows for _ in range(OUTCOMES)),
        language=evalset.language,
    )
    words = np.array(_after_review(evalset, given, judge.judge_all(given, cache))).reshape(-1, OUTCOMES)
    answerable = np.array([bool(one.answerable) for one in references if isinstance(one, Reference)])
    return _compared(_stretches(cuts, edges, words), answerable, evalset.groups[rows])


def _edges(ranked: Sequence[Scored], sentences: int) -> tuple[float, float]:
    """Up to which threshold an answer has one sentence, and two."""
    if not ranked:
        return -math.inf, -math.inf
    second = next((one.score for one in ranked if one.text != ranked[0].text), -math.inf)
    return ranked[0].score, second if sentences > 1 else -math.inf


def _outcomes(
    generator: ExtractiveGenerator, evalset: EvalSet, ranked: Sequence[Scored], edges: Sequence[float]
) -> list[Answer]:
    """The answer of each outcome; one that cannot occur repeats the one before it."""
    found = [generator.answer(evalset.passages, [])]
    for edge in edges:
        here = replace(generator, threshold=edge) if math.isfinite(edge) else None
        found.append(found[-1] if here is None else here.answer(evalset.passages, ranked))
    return found


def _after_review(evalset: EvalSet, given: Judging, judged: Judged) -> list[Word]:
    """What stands of each answer: what a person said of it, else what the judge said."""
    rows = zip(given.questions, given.answers, given.references, strict=True)
    reviews = [evalset.reviews.find(*row) for row in rows]
    return [
        verdict.word if review is None else review.word
        for verdict, review in zip(judged.verdicts, reviews, strict=True)
    ]


def _shown(evalset: EvalSet, context: Sequence[int]) -> tuple[tuple[str, str], ...]:
    return tuple((evalset.passages.ids[row], evalset.passages.text(row)) for row in context)


def _stretches(cuts: Sequence[float], edges: NDArray[np.float64], words: NDArray[np.str_]) -> list[Stretch]:
    found = []
    for above, up_to in zip((-math.inf, *cuts), (*cuts, math.inf), strict=True):
        outcome = (up_to <= edges).sum(axis=1)
        word = words[np.arange(len(words)), outcome]
        low = min(0.0, up_to) if above == -math.inf else above
        high = max(1.0, above) if up_to == math.inf else up_to
        found.append(
            Stretch(
                above=above,
                up_to=up_to,
                threshold=_middle(above, up_to, (low, high)),
                width=high - low,
                right=word == Word.CORRECT,
                refused=outcome == 0,
                open=word == Word.NEEDS_REVIEW,
            )
        )
    return found


def _middle(above: float, up_to: float, ends: tuple[float, float]) -> float:
    """The middle of a stretch, to as few digits as keep it near; a stretch without a width has its one end."""
    low, high = ends
    if low == high:
        return up_to if math.isfinite(up_to) else above + NEAR_MIDDLE
    middle = (low + high) / 2
    rounded = (round(middle, digits) for digits in range(1, MOST_DIGITS))
    near = (one for one in rounded if above < one <= up_to and abs(one - middle) <= NEAR_MIDDLE * (high - low))
    return next(near, up_to)


def _compared(stretches: Sequence[Stretch], answerable: NDArray[np.bool_], groups: NDArray[np.int32]) -> Thresholds:
    best = max(range(len(stretches)), key=lambda place: _merit(stretches[place], place))
    values = [one.right.astype(np.float64) for one in stretches]
    return Thresholds(
        stretches=tuple(stretches),
        best=best,
        to_best=tuple(paired_difference(one, values[best], groups) for one in values),
        answerable=answerable,
        groups=groups,
    )


def _merit(stretch: Stretch, place: int) -> tuple[int, float, int]:
    return int(stretch.right.sum()), stretch.width, -place


def _holds_0(interval: Interval) -> bool:
    """Also where there is no interval: nothing tells the two apart."""
    return interval.low is None or interval.high is None or interval.low <= 0 <= interval.high
