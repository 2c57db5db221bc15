"""The decision rule of a holdout: stated before it is opened, then applied to what was observed and nothing else."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout._rule_words import ROUNDING, observed_words, rule_words, therefore_words
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.measures.plain import is_number
from rag_ablation.measures.uncertainty import Interval


class Decision(StrEnum):
    """What a rule comes to."""

    ADOPT = "adopt"
    DO_NOT_ADOPT = "do not adopt"
    UNDECIDED = "undecided"


class Open(StrEnum):
    """Why the comparison with a baseline leaves the decision open."""

    NO_INTERVAL = "no_interval"
    FEW_GROUPS = "few_groups"
    NOT_APART_FROM_ZERO = "not_apart_from_zero"
    TOO_SMALL = "too_small"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a candidate must show on the holdout.

    Args:
        primary: the measure, with its measuring point and cutoff.
        smallest_difference: δ, the smallest difference that matters, from 0 to 1 in units of the measure.
        confidence: coverage of the intervals, between 0 and 1.
    """

    primary: str
    smallest_difference: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        """Check every setting.

        Raises:
            HoldoutError: naming each that cannot be used.
        """
        checks = {
            "primary": (_is_line(self.primary), "the name of a measure, such as 'final/ndcg@10'"),
            "smallest_difference": (
                is_number(self.smallest_difference) and 0 <= self.smallest_difference <= 1,
                "a number from 0 to 1, such as 0.02",
            ),
            "confidence": (
                is_number(self.confidence) and 0 < self.confidence < 1,
                "a number between 0 and 1, such as 0.95",
            ),
        }
        wrong = [
            f"{field}: found {getattr(self, field)!r}, expected {expected}"
            for field, (good, expected) in checks.items()
            if not good
        ]
        if wrong:
            raise HoldoutError(f"the decision rule cannot be used: {'; '.join(wrong)}")

    def to_json(self) -> dict[str, str | float]:
        """As it stands in a plan."""
        return {
            "primary": self.primary,
            "smallest_difference": float(self.smallest_difference),
            "confidence": float(self.confidence),
        }

    @classmethod
    def from_json(cls, form: object) -> "Rule":
        """The rule of a plan; each of its settings must stand there, and nothing else.

        Raises:
            HoldoutError: it has another form, or a setting that cannot be used.
        """
        fields = ("primary", "smallest_difference", "confidence")
        if not isinstance(form, Mapping) or set(form) != set(fields):
            found = sorted(map(str, form)) if isinstance(form, Mapping) else form
            raise HoldoutError(f"the decision rule cannot be read: found {found!r}, expected {', '.join(fields)}")
        return cls(*(form[field] for field in fields))

    def words(self, language: str = "en") -> str:
        """The rule with its numbers, in one sentence.

        Args:
            language: `en` or `zh`.

        Raises:
            ValueError: another language.
        """
        return rule_words(self.primary, self.smallest_difference, self.confidence, language)


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The comparison with one baseline, held against the rule.

    Args:
        baseline: its key.
        interval: of candidate − baseline.
        above_zero: the whole interval lies above 0.
        below_zero: the whole interval lies below 0.
        reaches: the difference is at least δ.
        open: why this comparison speaks neither for nor against; None where it does.
    """

    baseline: str
    interval: Interval
    above_zero: bool
    below_zero: bool
    reaches: bool
    open: Open | None

    @property
    def speaks_for(self) -> bool:
        """Whether the candidate passes this baseline."""
        return self.open is None and self.above_zero

    @property
    def speaks_against(self) -> bool:
        """Whether the candidate falls behind this baseline."""
        return self.open is None and self.below_zero


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """A rule applied.

    Args:
        rule: as it was stated.
        decision: what it comes to.
        observed: one comparison for each baseline, in the order given.
    """

    rule: Rule
    decision: Decision
    observed: tuple[Observed, ...]

    def words(self, language: str = "en") -> str:
        """What was observed, one sentence for each baseline, and what follows; `Rule.words` says the rule.

        Args:
            language: `en` or `zh`.

        Raises:
            ValueError: another language.
        """
        return (" " if language == "en" else "").join([*self.observations(language), self.therefore(language)])

    def observations(self, language: str = "en") -> list[str]:
        """What was observed, one sentence for each baseline.

        Args:
            language: `en` or `zh`.

        Raises:
            ValueError: another language.
        """
        smallest = self.rule.smallest_difference
        return [observed_words(one.baseline, one.interval, smallest, one.open, language) for one in self.observed]

    def therefore(self, language: str = "en") -> str:
        """What follows.

        Args:
            language: `en` or `zh`.

        Raises:
            ValueError: another language.
        """
        return therefore_words(self.decision, language)


def decide(rule: Rule, gaps: Mapping[str, Interval]) -> Ruling:
    """Apply a rule.

    *Adopt* where every baseline is passed: the interval of candidate − baseline lies above 0, and the difference
    itself is at least δ. *Do not adopt* where the interval lies below 0 for one. Else *undecided*. A comparison
    without an interval, or of fewer than 6 groups, speaks neither for nor against, wherever its ends lie; an end
    that is exactly 0 lies neither above nor below.

    To pass, every comparison must pass on its own, so their number needs no adjustment: where the candidate is
    no better than some baseline, the chance of adopting it is at most that of one interval to lie above 0 by
    chance, (1 − confidence) / 2.

    Args:
        rule: as it was stated before the holdout was opened.
        gaps: interval of candidate − baseline by the key of the baseline, at the confidence of the rule.

    Raises:
        ValueError: no baseline, or an interval at another confidence than the rule's.

    References:
        Berger (1982), Multiparameter hypothesis testing and acceptance sampling (all must pass).
    """
    if not gaps:
        message = "gaps: found no baseline, expected the interval of candidate − baseline for one or more"
        raise ValueError(message)
    for baseline, interval in gaps.items():
        if not math.isclose(interval.confidence, rule.confidence, rel_tol=ROUNDING):
            message = f"{baseline}: found an interval at {interval.confidence}, expected {rule.confidence}, as the rule"
            raise ValueError(message)
    observed = tuple(_observed(rule, baseline, interval) for baseline, interval in gaps.items())
    if all(one.speaks_for for one in observed):
        decision = Decision.ADOPT
    elif any(one.speaks_against for one in observed):
        decision = Decision.DO_NOT_ADOPT
    else:
        decision = Decision.UNDECIDED
    return Ruling(rule=rule, decision=decision, observed=observed)


def _observed(rule: Rule, baseline: str, interval: Interval) -> Observed:
    """Hold one comparison against the rule."""
    above = interval.low is not None and interval.low > 0
    below = interval.high is not None and interval.high < 0
    reaches = interval.mean is not None and _reaches(interval.mean, rule.smallest_difference)
    return Observed(
        baseline=baseline,
        interval=interval,
        above_zero=above,
        below_zero=below,
        reaches=reaches,
        open=_open(interval, apart=above or below, enough=below or reaches),
    )


def _open(interval: Interval, *, apart: bool, enough: bool) -> Open | None:
    """The first reason for which a comparison leaves the decision open."""
    if interval.mean is None or interval.low is None or interval.high is None:
        return Open.NO_INTERVAL
    if interval.n_groups < GROUPS_FOR_A_VERDICT:
        return Open.FEW_GROUPS
    if not apart:
        return Open.NOT_APART_FROM_ZERO
    return None if enough else Open.TOO_SMALL


def _reaches(mean: float, smallest: float) -> bool:
    return mean >= smallest or math.isclose(mean, smallest, rel_tol=ROUNDING)


def _is_line(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()
