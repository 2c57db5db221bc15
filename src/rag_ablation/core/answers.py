"""What a generator says, what would have been right, and what a judge makes of it; one question each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rag_ablation.core.errors import DataError
from rag_ablation.core.queries import Status

KEYPOINT_FIELDS = frozenset({"text", "required", "forbidden"})
KEYPOINT_FORM = "a string, or an object with text and, if any, required and forbidden (true or false)"


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
        cost: what it cost, in the currency of the generator's prices; None where it has none.
        prompt: what the generator was given to read, as text; empty where it reads no prompt.
        error: why there is no answer, None where there is one.
    """

    text: str
    refused: bool = False
    cited: tuple[str, ...] = ()
    finish: str = "stop"
    tokens: Mapping[str, int] = field(default_factory=dict)
    cost: float | None = None
    prompt: str = ""
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether there is no answer, not even a refusal."""
        return self.error is not None or self.finish == "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What would have been right.

    Args:
        answers: any of these is right; where there are `keypoints`, those decide.
        keypoints: each of these must be in a right answer.
        optional: may be in it; what it says does not speak against an answer.
        forbidden: none of these may be in it.
        answerable: whether the corpus, as the asker sees it, holds the answer.
    """

    answers: tuple[str, ...] = ()
    keypoints: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    answerable: bool = True

    def __bool__(self) -> bool:
        """Whether an answer can be compared with anything."""
        return not self.answerable or bool(self.answers or self.keypoints)


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


def reference_of(labels: Mapping[str, object], status: Status) -> Reference:
    """What the labels of a question say would have been right.

    Right answers are `answers`, else `answer`, which otherwise may be said as well. A key point is a string, or an
    object with `text` and, where it is not simply needed, `required: false` or `forbidden: true`.

    Args:
        labels: the labels of the question, as read.
        status: of the question; one that is `unreviewed` has no reference and is not to be judged.

    Raises:
        DataError: a label of another form, or a question that is unreviewed.
    """
    if status is Status.UNREVIEWED:
        raise DataError.of("status", str(status), "a reviewed question, or one without an answer")
    answers = _texts("answers", labels.get("answers"))
    points = [keypoint_of(item) for item in _list("keypoints", labels.get("keypoints"))]
    needed, optional, forbidden = (
        tuple(text for text, use in points if use == kind) for kind in ("keypoints", "optional", "forbidden")
    )
    whole = _texts("answer", [] if labels.get("answer") in (None, "") else [labels["answer"]])
    return Reference(
        answers=answers or (() if needed else whole),
        keypoints=needed,
        optional=optional + (whole if answers or needed else ()),
        forbidden=forbidden,
        answerable=status is not Status.NO_ANSWER,
    )


def keypoint_of(item: object) -> tuple[str, str]:
    """Text of a key point, and the field of a `Reference` that it belongs to.

    Args:
        item: a string, or an object with `text` and, where it is not simply needed, `required` or `forbidden`.

    Raises:
        DataError: of another form.
    """
    if isinstance(item, str) and item:
        return item, "keypoints"
    if isinstance(item, Mapping) and item.keys() <= KEYPOINT_FIELDS:
        text, required, forbidden = item.get("text"), item.get("required", True), item.get("forbidden", False)
        if isinstance(text, str) and text and isinstance(required, bool) and isinstance(forbidden, bool):
            return text, "forbidden" if forbidden else "keypoints" if required else "optional"
    raise DataError.of("keypoints", repr(item), KEYPOINT_FORM)


def _list(field_name: str, value: object) -> list[object]:
    if value is None or isinstance(value, list):
        return value or []
    raise DataError.of(field_name, repr(value), "a list")


def _texts(field_name: str, value: object) -> tuple[str, ...]:
    items = _list(field_name, value)
    texts = tuple(item for item in items if isinstance(item, str))
    if len(texts) != len(items):
        raise DataError.of(field_name, repr(value), "a list of strings")
    return tuple(text for text in texts if text)
