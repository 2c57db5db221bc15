"""What a generator says, what would have been right, and what a judge makes of it; one question each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Word(StrEnum):
    """What a judge says of an answer."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NEEDS_REVIEW = "needs_review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer.

    Args:
        text: what was said; empty where nothing was.
        refused: whether the generator says that the context does not answer the question.
        cited: ids of the passages that it rests on, in the order cited.
        finish: why it ended, such as `stop`, `length`, `error`.
        tokens: `prompt` and `completion` tokens, where the generator counts them.
        error: why there is no answer, None where there is one.
    """

    text: str
    refused: bool = False
    cited: tuple[str, ...] = ()
    finish: str = "stop"
    tokens: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What would have been right.

    Args:
        answers: any of these is right.
        keypoints: each of these must be in a right answer, beside any of `answers` where there are some.
        optional: may be in it.
        forbidden: none of these may be in it.
        answerable: whether the corpus, as the asker sees it, holds the answer.
    """

    answers: tuple[str, ...] = ()
    keypoints: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    answerable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a judge makes of an answer.

    Args:
        word: the verdict.
        reason: one sentence; it may quote the answer, which is data.
        evidence: parts of the reference, or ids of passages, that it rests on.
    """

    word: Word
    reason: str
    evidence: tuple[str, ...] = ()
