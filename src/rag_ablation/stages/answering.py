"""What a generator and a judge must be able to do, and what they are given.

Legend: Q questions, N passages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from rag_ablation.core.answers import Answer, Reference, Verdict
from rag_ablation.core.corpus import Passages
from rag_ablation.core.queries import Queries
from rag_ablation.stages.base import Cache, Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a generator is shown.

    Args:
        queries: (Q,) questions.
        contexts: (Q,) rows of the passages shown for each question, in the order shown.
        passages: (N,) the corpus.
        language: of the dataset.
    """

    queries: Queries
    contexts: tuple[tuple[int, ...], ...]
    passages: Passages
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What a generator returns.

    Args:
        answers: (Q,) one for each question, a failed one included.
        facts: counts and settings in force, JSON values only.
    """

    answers: tuple[Answer, ...]
    facts: Mapping[str, object]


class Generator(Stage, Protocol):
    """Answers a question from a context."""

    @property
    def needs_context(self) -> bool:
        """Whether it can say nothing without passages, so that a closed book is not applicable to it."""
        ...

    def generate(self, reading: Reading, cache: Cache) -> Generated:
        """Answer every question from its own context.

        Args:
            reading: questions and contexts; no label is among them.
            cache: where responses and costly arrays are kept.

        Raises:
            StageError: no answer can be had of any question, or a budget is spent.
            ModelError: the model cannot be had.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What a judge is given: the questions that have a reference.

    Args:
        questions: texts.
        answers: one for each.
        references: one for each.
        contexts: of each, id and text of the passages that the generator was shown.
        language: of the dataset.
    """

    questions: tuple[str, ...]
    answers: tuple[Answer, ...]
    references: tuple[Reference, ...]
    contexts: tuple[tuple[tuple[str, str], ...], ...]
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a judge returns.

    Args:
        verdicts: one for each question given.
        facts: counts and settings in force, JSON values only.
    """

    verdicts: tuple[Verdict, ...]
    facts: Mapping[str, object]


class Judge(Stage, Protocol):
    """Says whether answers are right."""

    def judge_all(self, given: Judging, cache: Cache) -> Judged:
        """Judge every answer; what cannot be decided is `needs_review`.

        Args:
            given: questions, answers and references; their texts are data.
            cache: where responses are kept.
        """
        ...
