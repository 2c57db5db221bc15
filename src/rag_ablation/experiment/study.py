"""A study: arms in ladder order, the steps between them, and what was decided before any of them ran."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Self

from rag_ablation.experiment.experiment import LatencySettings


class Role(StrEnum):
    """What an arm is for."""

    LADDER = "ladder"
    SWEEP = "sweep"
    BRACKET = "bracket"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyArm:
    """One arm as the study declares it.

    Args:
        key: unique in the study, such as `C`, or `C rank_constant=1 window=20` for a member of a sweep.
        role: a step of the ladder, a member of a sweep, or a ceiling or floor (an arm without a ranking).
        overrides: words that compose its configuration, as on the command line.
        parents: keys of the arms that it is compared with; none for the first arm, a bracket or a sweep's member.
        watch: what to look at, by language code; empty where nothing was said.
        optional: whether it is skipped, and said so, where its model cannot be had.
    """

    key: str
    role: Role
    overrides: tuple[str, ...]
    parents: tuple[str, ...] = ()
    watch: Mapping[str, str] = field(default_factory=dict)
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Settings of one arm tried at several values; exploratory.

    Args:
        arm: key of the arm whose settings are swept.
        axes: keys of the settings, such as `fusion.rank_constant`; the first is drawn along the axis.
        members: keys of the arms, the swept arm itself among them where the grid holds its values.
    """

    arm: str
    axes: tuple[str, ...]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A difference on a part of the questions that is printed by name; exploratory.

    Args:
        child: key of the one arm.
        parent: key of the other.
        type: question type.
    """

    child: str
    parent: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What was declared before anything ran.

    Args:
        name: of its folder.
        question: what it asks, by language code.
        primary: measuring point and measure of the family, such as `final/ndcg@10`.
        smallest_difference: smallest difference that matters, in units of the primary measure.
        strict: whether a step that changes more than one factor is refused.
        fail_fast: whether the first failed arm ends the study.
        latency: how the arms are timed, interleaved, once they are run; None for not at all.
        arms: in ladder order, a parent before its children; members of sweeps last.
        sweeps: of settings.
        watched: differences printed by name.
    """

    name: str
    question: Mapping[str, str]
    primary: str
    smallest_difference: float
    strict: bool
    fail_fast: bool
    latency: LatencySettings | None
    arms: tuple[StudyArm, ...]
    sweeps: tuple[Sweep, ...] = ()
    watched: tuple[Watched, ...] = ()

    def steps(self) -> tuple[tuple[str, str], ...]:
        """The family: (child, parent) by key, in ladder order."""
        return tuple((arm.key, parent) for arm in self.arms for parent in arm.parents)

    def arm(self, key: str) -> StudyArm:
        """The arm of a key.

        Raises:
            KeyError: there is none.
        """
        found = next((arm for arm in self.arms if arm.key == key), None)
        if found is None:
            raise KeyError(key)
        return found

    def key(self, typed: str) -> str | None:
        """The key of an arm as a person types it, None where there is none; an apostrophe stands for a prime.

        Args:
            typed: such as `D'`.
        """
        keys = [arm.key for arm in self.arms]
        return next((key for key in (typed, typed.replace("'", "′")) if key in keys), None)

    def without_equal(self, same: Mapping[str, str]) -> Self:
        """The same without members of sweeps that are another arm already.

        Args:
            same: key of the arm that a member equals, by the member's key.
        """
        sweeps = tuple(
            replace(sweep, members=tuple(dict.fromkeys(same.get(key, key) for key in sweep.members)))
            for sweep in self.sweeps
        )
        return replace(self, arms=tuple(arm for arm in self.arms if arm.key not in same), sweeps=sweeps)

    def to_json(self) -> dict[str, Any]:
        """JSON values only."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        latency = values["latency"]
        return cls(
            **{
                **values,
                "latency": None if latency is None else LatencySettings(**latency),
                "arms": tuple(_arm(arm) for arm in values["arms"]),
                "sweeps": tuple(
                    Sweep(arm=sweep["arm"], axes=tuple(sweep["axes"]), members=tuple(sweep["members"]))
                    for sweep in values["sweeps"]
                ),
                "watched": tuple(Watched(**watched) for watched in values["watched"]),
            }
        )


def _arm(values: Mapping[str, Any]) -> StudyArm:
    lists = {name: tuple(values[name]) for name in ("overrides", "parents")}
    return StudyArm(**{**values, **lists, "role": Role(values["role"])})
