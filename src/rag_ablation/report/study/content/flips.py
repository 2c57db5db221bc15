"""Questions that moved, with their evidence."""

from dataclasses import dataclass

from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One passage of a ranking, for people to read.

    Args:
        rank: from 1.
        passage_id: its id.
        heading: title and location.
        body: its text, shown folded.
        grade: judged grade, None where nobody judged it.
        gold: whether it is relevant.
        skipped: ranks left out before it.
    """

    rank: int
    passage_id: str
    heading: str
    body: str
    grade: int | None
    gold: bool
    skipped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """What an arm answered, and what was made of it.

    Args:
        text: what was said; empty where nothing was.
        refused: whether the generator declined.
        error: why there is no answer, None where there is one.
        cited: ids of the passages that it cites.
        word: `correct`, `incorrect` or `needs_review`; None where nobody judged.
        reason: of the verdict; it may quote the answer.
    """

    text: str
    refused: bool
    error: str | None
    cited: tuple[str, ...]
    word: str | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipColumn:
    """One arm's ranking of a question that moved.

    Args:
        key: of the arm.
        variant: name of its preset.
        value: of the primary measure.
        passages: the first ones, and every gold passage that has a recorded rank.
        missing: gold units without a recorded rank, by id.
        answer: what was answered, None for an arm without answers.
    """

    key: str
    variant: str
    value: float
    passages: tuple[Listed, ...]
    missing: tuple[str, ...]
    answer: GivenAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A question that moved.

    Args:
        query_id: its id.
        question: its text; empty where the dataset could not be read again.
        type: question type.
        label: of the step.
        difference: of the step on this question.
        why: what the ranks show, None where they show nothing in particular.
        answer: reference answer, None without one.
        n_gold: relevant units.
        columns: arms side by side.
    """

    query_id: str
    question: str
    type: str
    label: str
    difference: float
    why: Text | None
    answer: str | None
    n_gold: int
    columns: tuple[FlipColumn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Which questions moved, with their evidence."""

    finding: Text
    questions: tuple[Flip, ...]
