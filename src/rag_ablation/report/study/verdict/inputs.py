"""What a holdout adds to the results of its arms: the plan, the ledger's word, and what the rule made of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.holdout.marks import Mark, Spent
from rag_ablation.holdout.rule import Ruling
from rag_ablation.measures.independent import IndependentDifference


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A plan run once more on what it had opened.

    Args:
        when: in UTC.
        differs: how many rankings or values came out otherwise.
        libraries: those that were not the plan's, in words.
    """

    when: str
    differs: int
    libraries: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Amendment:
    """Labels that were corrected after the opening.

    Args:
        when: in UTC.
        entry: digest of the ledger's entry.
        reason: why, as a person gave it.
        before: digest of the labels before.
        after: digest of the labels that these results are scored on.
    """

    when: str
    entry: str
    reason: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutVerdict:
    """A plan, its opening, and what its rule came to.

    Args:
        plan: name of the plan.
        study: that it was chosen in.
        candidate: key of the arm that is to be adopted or not.
        frozen: when, in UTC.
        digest: of the plan.
        opened: when, in UTC.
        entry: digest of the ledger's entry that opened the holdout.
        times: how often these questions were opened, as the ledger says now.
        marks: what every page must say of these results.
        ruling: the rule and what it came to.
        flattery: the dev results less those on the holdout: by the candidate's key of its mean, by a baseline's key of
            the candidate's difference from it.
        reason: why the holdout was opened over what forbade it, None where nothing did.
        libraries: those of these runs that are not the plan's, in words.
        replays: the same plan run again, the oldest first.
        amended: of corrected labels; None where these are the results of the opening.
    """

    plan: str
    study: str
    candidate: str
    frozen: str
    digest: str
    opened: str
    entry: str
    times: int
    marks: tuple[Mark, ...]
    ruling: Ruling
    flattery: Mapping[str, IndependentDifference]
    reason: str | None = None
    libraries: tuple[str, ...] = ()
    replays: tuple[Replay, ...] = ()
    amended: Amendment | None = None

    @property
    def spent(self) -> Spent:
        """That the holdout was opened, and how often."""
        return Spent(times=self.times, name=self.plan, study=self.study)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNote:
    """What a study's own report says of one of its plans.

    Args:
        plan: its name.
        candidate: key of its candidate.
        frozen: when, in UTC.
        decision: what its rule came to on the holdout; None where nothing of that is on record.
        n: questions of its holdout.
        n_groups: their groups.
        times: how often that holdout was opened; 0 where it was not.
        marks: of the results.
        page: where its report stands, as typed from the root; empty where there is none.
        problem: why its results are not told, None where they are.
    """

    plan: str
    candidate: str
    frozen: str
    decision: str | None
    n: int
    n_groups: int
    times: int = 0
    marks: tuple[Mark, ...] = ()
    page: str = ""
    problem: str | None = None
