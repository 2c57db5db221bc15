"""From a composed configuration to an experiment: every problem that is ours to see, together."""

from collections.abc import Mapping

from rag_ablation.config._scoring import scoring_from, side_from, text_or_none, truth_from, versions_from
from rag_ablation.config._settings import problem, settings_from, shown
from rag_ablation.core.errors import ConfigError, Problem
from rag_ablation.experiment.experiment import (
    DatasetSettings,
    Experiment,
    LatencySettings,
    TrackingSettings,
    VariantSettings,
)
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.stages.catalogue import SLOTS, stage_class

HEADING = "the configuration cannot be run"
SECTIONS = ("dataset", "latency", "tracking", "variant", *SLOTS)
PLAIN = (
    "split",
    "identity",
    "as_of",
    "versions",
    "unit",
    "cutoffs",
    "measures",
    "relevant_from",
    "type_weights",
    "resume",
)


def build(container: Mapping[str, object]) -> Experiment:
    """Check a composed configuration and build the experiment it describes. Nothing heavy is loaded.

    Args:
        container: plain nested mappings, without Hydra's own section.

    Raises:
        ConfigError: with every problem found.
    """
    problems: list[Problem] = [
        problem(str(key), "a key that does not exist", f"one of {', '.join([*SECTIONS, *PLAIN])}")
        for key in container
        if key not in (*SECTIONS, *PLAIN)
    ]
    pipeline = _pipeline(container, problems)
    dataset = settings_from(DatasetSettings, container.get("dataset"), "dataset", problems)
    tracking = settings_from(TrackingSettings, container.get("tracking"), "tracking", problems)
    variant = settings_from(VariantSettings, container.get("variant"), "variant", problems)
    latency = _latency(container.get("latency"), problems)
    side = side_from(container.get("split"), problems)
    identity = text_or_none(container, "identity", problems)
    as_of, versions = versions_from(container, problems)
    scoring = scoring_from(container, problems)
    resume = truth_from(container, "resume", problems)
    if problems or not (pipeline and dataset and tracking and variant and scoring):
        raise ConfigError(HEADING, problems)
    return Experiment(
        variant=variant,
        pipeline=pipeline,
        dataset=dataset,
        side=side,
        identity=identity,
        as_of=as_of,
        versions=versions,
        scoring=scoring,
        latency=latency,
        tracking=tracking,
        resume=resume,
    )


def _pipeline(container: Mapping[str, object], problems: list[Problem]) -> Pipeline | None:
    stages: dict[str, object] = {}
    names: dict[str, str] = {}
    count = len(problems)
    for slot in SLOTS:
        section = container.get(slot)
        name = section.get("name") if isinstance(section, Mapping) else None
        if not isinstance(section, Mapping) or not isinstance(name, str):
            problems.append(problem(slot, shown(slot, section), "a stage with a name, or none"))
            continue
        if name == "none":
            extra = [key for key in section if key != "name"]
            problems += [
                problem(f"{slot}.{key}", "a setting of an empty slot", f"no setting with {slot}=none") for key in extra
            ]
            continue
        try:
            cls = stage_class(slot, name)
        except LookupError as error:
            problems.append(problem(f"{slot}.name", repr(name), str(error)))
            continue
        names[slot] = name
        given = {key: value for key, value in section.items() if key != "name"}
        stages[slot] = settings_from(cls, given, slot, problems)
    if len(problems) > count:
        return None
    pipeline = Pipeline(names=names, **stages)  # type: ignore[arg-type]
    problems += pipeline.problems()
    return pipeline


def _latency(section: object, problems: list[Problem]) -> LatencySettings | None:
    if not isinstance(section, Mapping) or section.get("name") not in ("none", "sample"):
        problems.append(problem("latency", shown("latency", section), "small or none"))
        return None
    given = {key: value for key, value in section.items() if key != "name"}
    if section["name"] == "none":
        problems += [
            problem(f"latency.{key}", "a setting of a measurement that is off", "latency=small") for key in given
        ]
        return None
    return settings_from(LatencySettings, given, "latency", problems)
