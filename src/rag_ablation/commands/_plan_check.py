"""Whether everything is as it was when a plan was frozen."""

from collections.abc import Mapping

from rag_ablation.commands._plan_source import Source
from rag_ablation.commands._recorded import experiment_of
from rag_ablation.core.errors import HoldoutError, RagAblationError
from rag_ablation.experiment.code import package_code
from rag_ablation.experiment.experiment import Experiment, VariantSettings
from rag_ablation.holdout.freeze import FrozenArm, FrozenPlan
from rag_ablation.stages.weights import loaded_weights


def experiment_of_arm(arm: FrozenArm, path: str) -> Experiment:
    """The experiment of a plan's arm, as it was frozen: on dev.

    Args:
        arm: of the plan.
        path: of the dataset.

    Raises:
        HoldoutError: its settings mean something else by now.
    """
    try:
        found = experiment_of(arm.settings, VariantSettings(name=arm.variant, parents=arm.parents), path)
    except (KeyError, TypeError, ValueError, LookupError) as error:
        message = f"its frozen settings cannot be read by this version: {error}"
        raise HoldoutError(message) from error
    if found.digest() != arm.config:
        message = f"settings: found {found.digest()[:12]}…, expected {arm.config[:12]}… as frozen"
        raise HoldoutError(message)
    return found


def changed_since(plan: FrozenPlan, source: Source, *, labels: bool = True) -> list[str]:
    """Everything that is not as it was when a plan was frozen; libraries apart.

    Args:
        plan: the plan.
        source: its dataset as it is now.
        labels: whether labels and split must be the same too.
    """
    now = {
        **source.benchmark.fingerprints,
        "split": source.split.digest(),
        "code": package_code(),
    }
    then = plan.fingerprints
    asked = [part for part in dict.fromkeys([*now, *then]) if labels or part not in ("labels", "split")]
    said = [
        f"{part}: found {now.get(part, 'none')[:12]}…, expected {then.get(part, 'none')[:12]}… as frozen"
        for part in asked
        if now.get(part) != then.get(part)
    ]
    for arm in plan.arms:
        try:
            experiment = experiment_of_arm(arm, source.path)
            said += [f"arm {arm.key}: {one}" for one in _models_changed(models_of(experiment), arm.models)]
        except RagAblationError as error:
            said.append(f"arm {arm.key}: {error}")
    return said


def other_libraries(plan: FrozenPlan, now: Mapping[str, str]) -> tuple[str, ...]:
    """Libraries that are not those of a plan, in words.

    Args:
        plan: the plan.
        now: versions, as `libraries` gives them.
    """
    return tuple(
        f"{name} {plan.libraries.get(name, 'none')} → {now.get(name, 'none')}"
        for name in sorted({*now, *plan.libraries})
        if now.get(name) != plan.libraries.get(name)
    )


def models_of(experiment: Experiment) -> dict[str, dict[str, str]]:
    """By slot, what identifies the weights that an arm loads.

    Raises:
        ModelError: a model cannot be had.
    """
    loaded = {slot: loaded_weights(stage) for slot, stage in experiment.pipeline.filled()}
    return {slot: found for slot, found in loaded.items() if found}


def _models_changed(now: Mapping[str, Mapping[str, str]], then: Mapping[str, Mapping[str, str]]) -> list[str]:
    return [
        f"model of {slot}: found {_model(now.get(slot))}, expected {_model(then.get(slot))} as frozen"
        for slot in sorted({*now, *then})
        if now.get(slot) != then.get(slot)
    ]


def _model(found: Mapping[str, str] | None) -> str:
    return "none" if found is None else ", ".join(f"{key} {value[:16]}" for key, value in found.items())
