"""What people made of answers: verdicts that hold wherever the same is said to the same question."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import NamedTuple, Self

from rag_ablation.core.answers import Answer, Reference, Verdict, Word
from rag_ablation.core.digest import digest_json, digest_texts

SHORT_CHARS = 16
SETTLED = (Word.CORRECT, Word.INCORRECT)
"""What a person may say."""


class Key(NamedTuple):
    """What a verdict is about, in digests of 64 hex characters.

    Args:
        question: of its text.
        answer: of the answer's text, and of whether it declines.
        reference: of what would have been right.
    """

    question: str
    answer: str
    reference: str

    @classmethod
    def of(cls, question: str, answer: Answer, reference: Reference) -> Self:
        """The key of an answer.

        Args:
            question: text of the question.
            answer: what was said to it.
            reference: what would have been right.
        """
        return cls(question_digest(question), _answer_digest(answer), reference_digest(reference))

    @property
    def short(self) -> str:
        """A name of the key that no spreadsheet program takes for a number, such as `r3fa9…`."""
        return f"r{digest_json(list(self))[:SHORT_CHARS]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """What a person made of an answer.

    Args:
        key: of the answer.
        word: `correct` or `incorrect`.
        note: why, as the person wrote it; empty where nothing was written.
        time: when it was taken over, in UTC.
        by: who says so, None where that was not said.
    """

    key: Key
    word: Word
    note: str = ""
    time: str = ""
    by: str | None = None

    def __post_init__(self) -> None:
        """Check the word.

        Raises:
            ValueError: it settles nothing.
        """
        if self.word not in SETTLED:
            message = f"verdict: found {str(self.word)!r}, expected {' or '.join(SETTLED)}"
            raise ValueError(message)

    def says_the_same(self, other: "Review") -> bool:
        """Whether another review is of the same answer and says no more and no less."""
        return (self.key, self.word, self.note, self.by) == (other.key, other.word, other.note, other.by)


@dataclass(frozen=True, slots=True)
class Reviews:
    """The reviews in effect: of each answer the latest.

    Args:
        latest: by key.
    """

    latest: Mapping[Key, Review] = field(default_factory=dict)

    @classmethod
    def of(cls, reviews: Iterable[Review]) -> Self:
        """Those in effect of all that were given, the oldest first."""
        return cls({review.key: review for review in reviews})

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.latest)

    def __len__(self) -> int:
        """How many answers are settled."""
        return len(self.latest)

    def find(self, question: str, answer: Answer, reference: Reference) -> Review | None:
        """What a person made of an answer, None where nobody looked; nobody looks at a failure."""
        if not self.latest or answer.failed:
            return None
        return self.latest.get(Key.of(question, answer, reference))

    def concerning(self, asked: Collection[tuple[str, str]]) -> Self:
        """Those of answers to these questions.

        Args:
            asked: digests of question and reference.
        """
        return type(self)({key: one for key, one in self.latest.items() if (key.question, key.reference) in asked})

    def digest(self) -> str:
        """Identity of what a record can hold of them: verdicts and notes (64 hex characters)."""
        return digest_json(sorted([*key, str(one.word), one.note] for key, one in self.latest.items()))


NO_REVIEWS = Reviews()
"""Nobody has looked at anything."""


def settled(verdict: Verdict, review: Review) -> Verdict:
    """The verdict on an answer that a person has looked at: the person's.

    Args:
        verdict: of the judge.
        review: of the person.
    """
    said = f"a person: {review.note or str(review.word)}"
    if verdict.word is not review.word:
        said = f"{said}; the judge: {verdict.word}, {verdict.reason}"
    return Verdict(word=review.word, reason=said, evidence=verdict.evidence)


def question_digest(text: str) -> str:
    """Of the text of a question."""
    return digest_texts([text])


def reference_digest(reference: Reference) -> str:
    """Of everything that a reference says."""
    return digest_json(asdict(reference))


def _answer_digest(answer: Answer) -> str:
    """A refusal that has a text is another answer than that text."""
    return digest_texts([answer.text, "declines"] if answer.refused else [answer.text])
