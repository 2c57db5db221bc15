"""Answers between floor and ceiling."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.answers import CORRECT_HIGH, CORRECT_LOW
from rag_ablation.report.study.words import Text


class End(StrEnum):
    """What an arm marks for the others."""

    CEILING = "ceiling"
    FLOOR = "floor"


class Above(StrEnum):
    """How an arm stands to the ceiling, where it is not at or below it whatever the open verdicts become."""

    SURE = "sure"
    OPEN = "open"


class Became(StrEnum):
    """What became of a question that was asked; every question is counted once."""

    RIGHT = "right"
    REFUSED_RIGHT = "refused_right"
    WRONG = "wrong"
    REFUSED = "refused"
    FAILED = "failed"
    OPEN = "open"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """What the answers of an arm cost.

    Args:
        per_question: mean over the questions that have a cost, None where none has.
        n: questions that have a cost.
        asked: questions asked.
        tokens: tokens per question asked, by kind; empty where the generator counts none.
        currency: of the cost, empty where not known.
    """

    per_question: float | None
    n: int
    asked: int
    tokens: Mapping[str, float]
    currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersRow:
    """The answers of one arm.

    Args:
        key: of the arm.
        role: step of the ladder or bracket.
        end: what it marks, None for any other arm.
        absent: why there is no share of right answers, None where there is one or one that is open.
        means: by measure of answers, as recorded; empty where nothing was asked.
        way: share of the way from floor to ceiling, from all open verdicts at their worst to at their best; None
            where there is none.
        above: how it stands to the ceiling.
        answerable: questions with an answer in the corpus, by what became of them.
        unanswerable: questions without, by what became of them.
        paid: what its answers cost, None where nothing was asked.
        failed_of_asked: answers that failed and all that were asked for, those that no measure counts too; None where
            the generator does not count them.
    """

    key: str
    role: Role
    end: End | None
    absent: Text | None
    means: Mapping[str, RecordedMean]
    way: tuple[float, float] | None = None
    above: Above | None = None
    answerable: Mapping[Became, int] = field(default_factory=dict)
    unanswerable: Mapping[Became, int] = field(default_factory=dict)
    paid: Paid | None = None
    failed_of_asked: tuple[int, int] | None = None

    @property
    def share(self) -> tuple[float, float] | None:
        """Right answers where every open verdict is wrong, and where every one is right; None where none is judged."""
        low, high = self.means.get(CORRECT_LOW), self.means.get(CORRECT_HIGH)
        if low is None or high is None or low.value is None or high.value is None:
            return None
        return low.value, high.value

    @property
    def n(self) -> int:
        """Questions that the share stands on."""
        found = self.means.get(CORRECT_LOW)
        return 0 if found is None else found.n

    @property
    def right(self) -> tuple[int, int]:
        """The same as counts."""
        low, high = self.share or (0.0, 0.0)
        return round(low * self.n), round(high * self.n)

    @property
    def is_open(self) -> bool:
        """Whether a verdict is open, so that the share has bounds and no value."""
        return self.share is not None and self.share[0] != self.share[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeShare:
    """Right answers of an arm on one question type.

    Args:
        low: share where every open verdict is wrong.
        high: share where every one is right.
        n: questions.
        n_groups: their groups, None where not recorded.
        interval: from the lower end of the 95 % interval of the one to the upper end of that of the other, None where
            there is none.
    """

    low: float
    high: float
    n: int
    n_groups: int | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersType:
    """Right answers on one question type; exploratory.

    Args:
        type: its name.
        n: most questions of it that an arm is judged on.
        n_groups: their groups.
        shares: by arm key; an arm without a share on the type is left out.
    """

    type: str
    n: int
    n_groups: int
    shares: Mapping[str, TypeShare]


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """One arm on the plane of quality and cost.

    Args:
        key: of the arm.
        role: step or member of a sweep.
        cost: of a question.
        low: share of right answers where every open verdict is wrong.
        high: share where every one is right.
        right: share of right answers with its interval; its value is None while a verdict is open.
        front: whether no other settled arm matches it in both and beats it in one, by point estimates.
    """

    key: str
    role: Role
    cost: float
    low: float
    high: float
    right: RecordedMean
    front: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPlane:
    """Quality and cost of the arms whose answers have a cost, two at least.

    Args:
        finding: one computed sentence.
        arms: those arms.
        currency: of the costs, empty where not known.
    """

    finding: Text
    arms: tuple[Priced, ...]
    currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What the generator made of each arm's context.

    Args:
        finding: one computed sentence.
        judged_by: judge and version, which stand beside every rate.
        rows: the arms of the ladder, then floor, ceiling and other brackets, in the order of the study.
        types: question types with a share, most questions first; exploratory.
        plane: quality and cost, None where fewer than two arms have a cost.
        cost: what is to be said of cost in place of the plane, None with it.
        side: notes for the margin.
        notes: what is to be said below the table of rates.
    """

    finding: Text
    judged_by: Text
    rows: tuple[AnswersRow, ...]
    types: tuple[AnswersType, ...]
    plane: CostPlane | None
    cost: Text | None
    side: tuple[Text, ...]
    notes: tuple[Text, ...] = ()

    @property
    def ceiling(self) -> AnswersRow | None:
        """The arm that was given the gold."""
        return next((row for row in self.rows if row.end is End.CEILING), None)

    @property
    def floor(self) -> AnswersRow | None:
        """The arm that was given no context."""
        return next((row for row in self.rows if row.end is End.FLOOR), None)
