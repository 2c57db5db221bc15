"""What people made of the answers of an arm, in place of what its judge said."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.answers import Answer, Reference, Verdict, Word, reference_of
from rag_ablation.core.errors import DataError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.queries import Status
from rag_ablation.core.record import RecordedMean
from rag_ablation.core.reviews import question_digest, reference_digest, settled
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.means import recorded
from rag_ablation.measures.answers import Outcome, answer_measures


class Reviewed(NamedTuple):
    """Verdicts after review.

    Args:
        verdicts: (Q,) None where nobody judged.
        facts: `n_reviewed`, settled by a person; `n_overruled`, those of them that the judge had decided otherwise.
    """

    verdicts: tuple[Verdict | None, ...]
    facts: dict[str, int]


def reviewed(
    evalset: EvalSet,
    answers: Sequence[Answer],
    references: Sequence[Reference | str],
    verdicts: Sequence[Verdict | None],
) -> Reviewed:
    """Put a person's verdict in place of the judge's wherever the very answer was looked at.

    Args:
        evalset: the questions, and the reviews in effect.
        answers: (Q,) what was said.
        references: (Q,) what would have been right, or why that is not known.
        verdicts: (Q,) of the judge, None where it was not asked.
    """
    found = list(verdicts)
    facts = {"n_reviewed": 0, "n_overruled": 0}
    for row, (text, answer, reference) in enumerate(zip(evalset.queries.texts, answers, references, strict=True)):
        verdict = verdicts[row]
        if verdict is None or not isinstance(reference, Reference):
            continue
        review = evalset.reviews.find(text, answer, reference)
        if review is not None:
            found[row] = settled(verdict, review)
            facts["n_reviewed"] += 1
            facts["n_overruled"] += verdict.word not in (Word.NEEDS_REVIEW, review.word)
    return Reviewed(tuple(found), facts)


def reviews_digest(experiment: Experiment, evalset: EvalSet) -> str | None:
    """Identity of the reviews that may concern an arm; None where there are none, or nobody judges its answers.

    Which answers it gives is not known before it has run, so all reviews of its questions count.

    Args:
        experiment: the arm.
        evalset: what it runs on, with the reviews in effect.
    """
    if experiment.pipeline.judge is None or not evalset.reviews:
        return None
    concerned = evalset.reviews.concerning(_asked(evalset))
    return concerned.digest() if concerned else None


def rates(outcomes: Sequence[Outcome | str], groups: NDArray[np.int32]) -> dict[str, RecordedMean]:
    """The measures of answers as a record has them.

    Args:
        outcomes: (Q,) what became of each question, or why it is in no measure.
        groups: (Q,) group of each question.
    """
    found = answer_measures(outcomes).items()
    return {name: recorded(name, counted.mean, counted.values, groups) for name, counted in found}


def _asked(evalset: EvalSet) -> set[tuple[str, str]]:
    """Digests of each question and of what would have been right."""
    asked = set()
    for query, labels in zip(evalset.queries.rows, evalset.labels, strict=True):
        if query.status is Status.UNREVIEWED:
            continue
        try:
            reference = reference_of(labels, query.status)
        except DataError:  # told where the answers are judged
            continue
        asked.add((question_digest(query.text), reference_digest(reference)))
    return asked
