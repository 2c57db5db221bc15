"""A study whose arms are composed and checked: what will run, what is skipped, what each step changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.commands.sweep import Job, PreparedArm, Sweep, prepare
from rag_ablation.core.errors import ConfigError, Problem
from rag_ablation.experiment.factors import Change, change
from rag_ablation.experiment.study import Role, Study, StudyArm


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the ladder before it is run.

    Args:
        child: key.
        parent: key.
        change: what differs in the settings.
        unmeasured: those of the two that have no measuring point for the primary measure; the step cannot be scored.
    """

    child: str
    parent: str
    change: Change
    unmeasured: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedStudy:
    """A study that can be run.

    Args:
        study: as declared, without members of sweeps that are another arm already.
        sweep: the distinct arms to run.
        places: place in the sweep of each arm of the study, by key; arms of the same settings share one.
        same: members of sweeps left out, and the arm that each equals.
        skipped: why an arm is not run, by key.
        steps: of the ladder, those of skipped arms left out.
    """

    study: Study
    sweep: Sweep
    places: dict[str, int]
    same: dict[str, str]
    skipped: dict[str, str]
    steps: tuple[Step, ...]

    def prepared(self, key: str) -> PreparedArm:
        """An arm of the study, built."""
        return self.sweep.arms[self.places[key]]


def prepare_study(study: Study, jobs: Sequence[Job], root: Path) -> PreparedStudy:
    """Check every arm, its data, the tracking store and the steps before anything runs.

    Args:
        study: as declared.
        jobs: overrides and composed configuration of each arm, in the study's order.
        root: folder under which everything is written.

    Raises:
        ConfigError: an arm cannot be run, the primary measure is not measured, or a strict study has a confounded step.
        RagAblationError: data or store cannot be used.
    """
    sweep = prepare(jobs, root)
    places = {arm.key: place for arm, place in zip(study.arms, sweep.places, strict=True)}
    _check(study, sweep)
    same = _same(study.arms, places)
    left = study.without_equal(same)
    skipped = {
        arm.key: _short(missing)
        for arm in left.arms
        if arm.optional and (missing := sweep.arms[places[arm.key]].missing) is not None
    }
    prepared = PreparedStudy(
        study=left, sweep=sweep, places=places, same=same, skipped=skipped, steps=_steps(left, sweep, places, skipped)
    )
    _refuse_confounded(prepared)
    return prepared


def _check(study: Study, sweep: Sweep) -> None:
    """One dataset and one side for all arms, and a primary measure that is measured.

    Raises:
        ConfigError: it is not so.
    """
    scoring = sweep.first.scoring
    measure, _, cutoff = study.primary.partition("/")[2].partition("@")
    problems = []
    if measure not in scoring.measures or int(cutoff) not in scoring.cutoffs:
        expected = f"a measure of {', '.join(scoring.measures)} at a cutoff of {', '.join(map(str, scoring.cutoffs))}"
        problems.append(Problem(field="study.primary", found=repr(study.primary), expected=expected))
    data = {(arm.experiment.dataset.path, arm.experiment.dataset.qrels, arm.experiment.side) for arm in sweep.arms}
    if len(data) > 1:
        found = "; ".join(sorted(str(one[0]) for one in data))
        problems.append(Problem(field="dataset", found=found, expected="one dataset and one side for all arms"))
    if problems:
        raise ConfigError("the study cannot be run", problems)


def _same(arms: Sequence[StudyArm], places: dict[str, int]) -> dict[str, str]:
    """Members of sweeps that an arm before them is already."""
    first: dict[int, str] = {}
    same = {}
    for arm in arms:
        if arm.role is Role.SWEEP and places[arm.key] in first:
            same[arm.key] = first[places[arm.key]]
        first.setdefault(places[arm.key], arm.key)
    return same


def _steps(study: Study, sweep: Sweep, places: dict[str, int], skipped: dict[str, str]) -> tuple[Step, ...]:
    experiments = {arm.key: sweep.arms[places[arm.key]].experiment for arm in study.arms}
    effective = {key: experiment.effective() for key, experiment in experiments.items()}
    point = study.primary.partition("/")[0]
    return tuple(
        Step(
            child=child,
            parent=parent,
            change=change(effective[parent], effective[child]),
            unmeasured=tuple(key for key in (child, parent) if not experiments[key].pipeline.measures_at(point)),
        )
        for child, parent in study.steps()
        if child not in skipped and parent not in skipped
    )


def _refuse_confounded(prepared: PreparedStudy) -> None:
    """A strict study has one factor a step.

    Raises:
        ConfigError: a step changes several.
    """
    if not prepared.study.strict:
        return
    confounded = [step for step in prepared.steps if step.change.confounded]
    if confounded:
        raise ConfigError(
            "the study cannot be run",
            [
                Problem(
                    field=f"study.arms: {step.child} − {step.parent}",
                    found=f"{len(step.change.factors)} changed factors ({step.change})",
                    expected="one factor a step (study.strict is true), or study.strict=false",
                )
                for step in confounded
            ],
        )


def _short(missing: str) -> str:
    """Which model it is, without how it was looked for: that is told before the study runs."""
    found, comma, _ = " ".join(missing.split()).partition(", which")
    return f"{found}, a model that cannot be had here" if comma else found
