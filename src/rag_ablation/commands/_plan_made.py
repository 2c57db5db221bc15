"""From a study's results to a plan that can be frozen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from rag_ablation.commands._plan_check import models_of
from rag_ablation.commands._plan_source import Source, read_source, relative_path
from rag_ablation.commands._recorded import recorded_experiment
from rag_ablation.commands._study_folder import Manifest, read_manifest, refuse_damaged
from rag_ablation.commands.run import RUNS, open_evalset
from rag_ablation.core.errors import CommandError, HoldoutError
from rag_ablation.core.queries import Status
from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.code import checkout, package_code
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.record import libraries
from rag_ablation.experiment.reviewing import reviews_digest
from rag_ablation.experiment.study import Study
from rag_ablation.holdout.door import opened_ids
from rag_ablation.holdout.entry import Question
from rag_ablation.holdout.freeze import FrozenArm, FrozenPlan
from rag_ablation.holdout.rule import Rule
from rag_ablation.holdout.seen import dataset_ledger
from rag_ablation.measures.planning import plan as planned
from rag_ablation.measures.uncertainty import clustered_mean, paired_difference
from rag_ablation.report.differences import refusal
from rag_ablation.tracking.files import read_record, read_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a person asked to freeze.

    Args:
        study: its name.
        arm: key of the candidate.
        baselines: keys of what it must beat; none for its parents.
        name: of the plan.
        fold: of the holdout, None for the only one, or the first that is not opened.
    """

    study: str
    arm: str
    baselines: tuple[str, ...]
    name: str
    fold: int | None


def plan_of(chosen: Chosen, root: Path) -> tuple[FrozenPlan, Source, str]:
    """The plan that a study's results lead to.

    Args:
        chosen: what was asked for.
        root: folder under which everything is written.

    Returns:
        The plan, without a word on questions seen before; its dataset; and where the study is declared.

    Raises:
        RagAblationError: there is no finished dev run of an arm as it would run now, or something else forbids it.
    """
    manifest = read_manifest(chosen.study, root)
    refuse_damaged(manifest, root)
    study = manifest.study
    candidate, baselines = _arms_of(study, chosen)
    folders = {key: _folder(manifest, key, root) for key in (*baselines, candidate)}
    records = {key: read_record(folder) for key, folder in folders.items()}
    experiments = {key: _unchanged(key, record, study.name, root) for key, record in records.items()}
    _refuse_incomparable(records, candidate)
    record, experiment = records[candidate], experiments[candidate]
    settings = experiment.dataset
    source = read_source(settings.path, settings.qrels, settings.passage_text, settings.split, root)
    fold = _fold(source, chosen.fold)
    questions = source.held_out(fold)
    chosen_on = _dev_results(study.primary, candidate, folders)
    made = FrozenPlan(
        name=chosen.name,
        study=study.name,
        question=study.question,
        frozen=datetime.now(UTC).isoformat(timespec="seconds"),
        rule=Rule(study.primary, study.smallest_difference),
        candidate=_arm(candidate, record, experiment),
        baselines=tuple(_arm(key, records[key], experiments[key]) for key in baselines),
        dataset={
            "name": source.benchmark.name,
            "path": relative_path(experiment.dataset.path, root),
            "qrels": record.source["qrels"],
        },
        fingerprints={
            **source.benchmark.fingerprints,
            "split": source.split.digest(),
            "code": package_code(),
        },
        split={
            "name": source.split.name,
            "fold": fold,
            "questions": len(questions),
            "groups": len({question.group for question in questions}),
        },
        libraries=libraries(),
        tracking=dict(manifest.tracking),
        checkout=checkout(),
        chosen_on=chosen_on,
        can_show=_can_show(source, questions, study.primary, chosen_on),
        seen={},
        ledger=dataset_ledger(source.place).head,
    )
    return made, source, manifest.definition


def _arms_of(study: Study, chosen: Chosen) -> tuple[str, tuple[str, ...]]:
    """Keys of the candidate and of what it must beat.

    Raises:
        CommandError: there is no such arm, or nothing to beat.
    """
    candidate = _key(study, chosen.arm, "--arm")
    baselines = tuple(_key(study, key, "--baseline") for key in chosen.baselines) or _parents_of(study, candidate)
    if not baselines or candidate in baselines:
        found = f"{', '.join(baselines) or 'none'} for {candidate}"
        raise CommandError.of("--baseline", found, "one or more other arms that the candidate must beat")
    return candidate, baselines


def _refuse_incomparable(records: Mapping[str, ArmRecord], candidate: str) -> None:
    """What no table compares, no rule does.

    Raises:
        HoldoutError: the candidate does not compare with a baseline.
    """
    refused = {key: refusal(records[candidate], record) for key, record in records.items()}
    differ = [f"{candidate} and {key}: {found}" for key, found in refused.items() if found]
    if differ:
        message = "the rule cannot compare them: " + "; ".join(differ)
        raise HoldoutError(message)


def _parents_of(study: Study, key: str) -> tuple[str, ...]:
    """The arms that an arm is compared with; those of the swept arm for a member of a sweep."""
    arm = study.arm(key)
    if arm.parents:
        return arm.parents
    return next((study.arm(sweep.arm).parents for sweep in study.sweeps if key in sweep.members), ())


def _arm(key: str, record: ArmRecord, experiment: Experiment) -> FrozenArm:
    return FrozenArm(
        key=key,
        name=record.arm,
        variant=record.variant,
        parents=record.parents,
        settings=record.settings,
        config=experiment.digest(),
        models=models_of(experiment),
    )


def _key(study: Study, typed: str, option: str) -> str:
    """The key of an arm.

    Raises:
        CommandError: there is none.
    """
    key = study.key(typed)
    if key is None:
        known = ", ".join(arm.key for arm in study.arms)
        raise CommandError.of(option, repr(typed), f"an arm of study {study.name}: {known}")
    return key


def _folder(manifest: Manifest, key: str, root: Path) -> Path:
    """The run folder of an arm that has finished.

    Raises:
        HoldoutError: it has none.
    """
    again = f"run it: rag-ablation study run {manifest.study.name}"
    name = manifest.runs.get(key)
    if name is None:
        reason = manifest.skipped.get(key) or manifest.not_run.get(key) or "it was not run"
        message = f"arm {key} has no finished dev run ({reason}); {again}"
        raise HoldoutError(message)
    record = read_record(root / RUNS / name)
    if record.status != "finished":
        message = f"arm {key} has no finished dev run: it is {record.status} ({record.error}); {again}"
        raise HoldoutError(message)
    return root / RUNS / name


def _unchanged(key: str, record: ArmRecord, study: str, root: Path) -> Experiment:
    """The experiment of a dev run that would give the same again.

    Raises:
        HoldoutError: it was no dev run of all questions, or something has changed since.
    """
    experiment = recorded_experiment(record, root)
    if experiment.side != "dev":
        message = f"arm {key} ran with split={experiment.side}: nothing was kept apart, so it cannot be frozen"
        raise HoldoutError(message)
    if experiment.dataset.sample is not None:
        message = f"arm {key} ran on a sample of {experiment.dataset.sample} dev questions (dataset.sample); run on all"
        raise HoldoutError(message)
    data = open_evalset(experiment, root)
    then: dict[str, object] = {**record.digests, "models": record.environment["models"]}
    then["libraries"] = {"python": record.environment["python"], **record.environment["libraries"]}
    models = {slot: dict(stage.fingerprint()) for slot, stage in experiment.pipeline.filled()}
    now: dict[str, object] = {
        **data.fingerprints,
        "config": experiment.digest(),
        "code": package_code(),
        "visibility": data.visibility.digest(),
        "reviews": reviews_digest(experiment, data),
        "models": {slot: model for slot, model in models.items() if model},
        "libraries": libraries(),
    }
    changed = [part for part, value in now.items() if then.get(part) != value]
    if changed:
        message = (
            f"arm {key} has no finished dev run of what would be frozen: {', '.join(changed)} changed since; "
            f"run it again: rag-ablation study run {study}"
        )
        raise HoldoutError(message)
    return experiment


def _dev_results(primary: str, candidate: str, folders: Mapping[str, Path]) -> dict[str, Any]:
    """Means of all arms and differences of the candidate, with everything that an interval needs."""
    values = {key: read_values(folder, ["group", primary]) for key, folder in folders.items()}
    without = [key for key, found in values.items() if primary not in found]
    if without:
        message = f"{primary} is not measured for {', '.join(without)}: the rule cannot compare them"
        raise HoldoutError(message)
    groups = {key: found["group"].astype(np.int64) for key, found in values.items()}
    means = {key: clustered_mean(found[primary], groups[key]) for key, found in values.items()}
    gaps = {
        key: paired_difference(values[candidate][primary], found[primary], groups[candidate])
        for key, found in values.items()
        if key != candidate
    }
    return {
        "side": "dev",
        "runs": {key: folder.name for key, folder in folders.items()},
        "means": {key: asdict(interval) for key, interval in means.items()},
        "gaps": {key: asdict(interval) for key, interval in gaps.items()},
    }


def _can_show(
    source: Source, questions: Sequence[Question], primary: str, chosen_on: Mapping[str, Any]
) -> dict[str, Any]:
    """The smallest differences that the holdout is likely to show, by those of dev scaled to its groups."""
    status = {query.id: query.status for query in source.benchmark.queries.rows}
    reviewed = [question for question in questions if status[question.id] is Status.REVIEWED]
    sizes = list(Counter(question.group for question in reviewed).values())
    planned_for = {
        key: planned(sizes, measure=primary.partition("/")[2], measured=_scaled(gap, len(sizes)))
        for key, gap in chosen_on["gaps"].items()
    }
    of_all = next(iter(planned_for.values()))
    return {
        "smallest_differences": {key: found.smallest_difference for key, found in planned_for.items()},
        "basis": {key: found.basis for key, found in planned_for.items()},
        "reviewed": of_all.n,
        "groups": of_all.n_groups,
        "effective_groups": of_all.effective_groups,
        "confidence": 0.95,
        "power": 0.8,
    }


def _scaled(gap: Mapping[str, Any], n_groups: int) -> float | None:
    """A dev difference's clustered standard error for another number of groups like those; None where it has none."""
    error: float | None = gap["standard_error"]
    return error * (gap["n_groups"] / n_groups) ** 0.5 if error and n_groups else None


def _fold(source: Source, asked: int | None) -> int | None:
    """Which fold of the holdout: the one that was asked for, else the first that was never opened.

    Raises:
        CommandError: there is no such fold.
    """
    folds = source.split.folds
    if folds == 1:
        if asked not in (None, 1):
            raise CommandError.of("--fold", str(asked), f"none: the holdout of split {source.split.name} is one")
        return None
    if asked is not None and not 1 <= asked <= folds:
        raise CommandError.of("--fold", str(asked), f"1 to {folds}")
    opened = opened_ids(dataset_ledger(source.place))
    left = [fold for fold in range(1, folds + 1) if not opened.intersection(source.split.fold(fold))]
    return asked or (left[0] if left else 1)
