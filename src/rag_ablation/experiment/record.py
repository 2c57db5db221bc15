"""From a run's result to the record that is written, shown and logged."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.digest import digest_json
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.record import ArmRecord, RecordedMean, RecordedStage
from rag_ablation.core.results import SCORED, PointValues, RunResult, StageOutput, measure_name
from rag_ablation.core.secrets import masked
from rag_ablation.data.bundled import PREFIX
from rag_ablation.experiment.code import checkout, package_code, python_version, stage_code
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.latency import Latency
from rag_ablation.experiment.means import recorded
from rag_ablation.experiment.reviewing import reviews_digest
from rag_ablation.experiment.slices import sliced
from rag_ablation.experiment.threats import notices, stage_threats, threats
from rag_ablation.stages.base import ASKING_SLOTS, NO_FACTOR, Stage, library_versions

LIBRARIES = ("rag-ablation", "numpy", "scipy", "torch", "sentence-transformers", "transformers", "jieba", "mlflow")
IN_NAME = (
    "variant=",
    "chunking=",
    "rewrite=",
    "chunking.size=",
    "chunking.overlap=",
    "fusion.rank_constant=",
    "fusion.window=",
    "rerank=",
    "rerank.depth=",
)
NOT_IN_NAME = (
    "dataset=",
    "dataset.path=",
    "dataset.qrels=",
    "dataset.split=",
    "split=",
    "latency",
    "tracking",
    "arms=",
    "study.",
    "resume=",
    "hydra",
    *(f"{slot}.{setting}" for slot in ASKING_SLOTS for setting in sorted(NO_FACTOR | {"base_url"})),
)


def libraries() -> dict[str, str]:
    """Versions of what can change a result, Python's among them."""
    return {"python": python_version(), **library_versions(LIBRARIES)}


def arm_name(experiment: Experiment, overrides: tuple[str, ...] = ()) -> str:
    """A name a person can read, such as `C rrf c=60 w=100`.

    Args:
        experiment: the arm.
        overrides: what else its command set; what the name does not show yet is added.
    """
    pipeline, label = experiment.pipeline.settings(), experiment.variant.label
    parts = [experiment.variant.name]
    if (chunking := pipeline.get("chunking")) is not None:
        parts.append(f"{chunking['name']} s={chunking.get('size')} o={chunking.get('overlap')}")
    if (rewriter := pipeline.get("rewrite")) is not None:
        parts.append(f"rewrite={rewriter['name']}")
    if (fusion := pipeline.get("fusion")) is not None:
        parts.append(f"c={fusion.get('rank_constant')} w={fusion.get('window')}")
    if (rerank := pipeline.get("rerank")) is not None:
        if rerank["name"] == "late_interaction" and label.endswith("D"):
            label += "′"
        if rerank["name"] != experiment.variant.name:
            parts.append(str(rerank["name"]))
        parts.append(f"d={rerank.get('depth')}")
    parts += [_short(override) for override in overrides if _is_shown(override)]
    return str(masked(" ".join([label, *parts]).strip()))


def _is_shown(override: str) -> bool:
    """Whether the name has to say it: the study that an arm belongs to (`+NAME=study`) is no setting of it."""
    is_study = override.startswith("+") and override.endswith("=study")
    return not is_study and not override.lstrip("+").startswith((*IN_NAME, *NOT_IN_NAME))


def _short(override: str) -> str:
    """A folder by its own name only: where it lies says nothing about the arm."""
    key, _, value = override.partition("=")
    return f"{key}={PurePath(value).name}" if PurePath(value).is_absolute() else override


def failed_record(experiment: Experiment, identity: Mapping[str, str], error: str, *, interrupted: bool) -> ArmRecord:
    """The record of an arm that did not end: a state and a reason, and no numbers.

    Args:
        experiment: the arm.
        identity: `id`, `arm` and `dataset` names.
        error: what went wrong.
        interrupted: whether a person or the system stopped it.
    """
    return ArmRecord(
        id=identity["id"],
        arm=identity["arm"],
        variant=experiment.variant.name,
        parents=experiment.variant.parents,
        status="interrupted" if interrupted else "failed",
        error=error,
        dataset=identity["dataset"],
        side=experiment.side,
        settings=_settings(experiment),
    )


def record_of(
    experiment: Experiment, identity: Mapping[str, str], evalset: EvalSet, result: RunResult, latency: Latency
) -> ArmRecord:
    """The record of a finished arm.

    Args:
        experiment: the arm, without `auto`.
        identity: `id` and `arm` names.
        evalset: what it ran on.
        result: what it measured.
        latency: serving time, or why there is none.
    """
    scored = [reason == SCORED for reason in result.status]
    reviews = reviews_digest(experiment, evalset)
    digests = {
        "arm": arm_digest(experiment, evalset, identity["arm"]),
        "config": experiment.digest(),
        "code": package_code(),
        "visibility": evalset.visibility.digest(),
        **evalset.fingerprints,
        **({} if reviews is None else {"reviews": reviews}),
    }
    return ArmRecord(
        id=identity["id"],
        arm=identity["arm"],
        variant=experiment.variant.name,
        parents=experiment.variant.parents,
        status="finished",
        dataset=evalset.name,
        source=_source(experiment),
        split=evalset.split,
        side=evalset.side,
        final=result.final,
        settings=_settings(experiment),
        digests=digests,
        points={point: _means(evalset, values) for point, values in result.points.items()},
        slices=sliced(evalset, result, experiment.scoring.relevant_from),
        evidence=_evidence(result),
        counts=_counts(result),
        stages=(*_rewriting(result), *(_stage(output, scored) for output in result.outputs), *_answering(result)),
        latency=asdict(latency),
        environment=_environment(experiment),
        notices=notices(evalset, result.outputs),
        threats=(
            *stage_threats((*_rewriting(result), *_answering(result)), _asked(result)),
            *threats(evalset, result.outputs, scored),
        ),
        answers=_answers(result),
    )


def arm_digest(experiment: Experiment, evalset: EvalSet, name: str) -> str:
    """Identity of everything that an arm's record follows from, but for time and place (64 hex characters).

    Two arms of one digest have the same rankings and values on the same machine.

    Args:
        experiment: the arm, without `auto`.
        evalset: what it runs on.
        name: of the arm, since a record bears it.

    Raises:
        ModelError: a model cannot be had.
    """
    latency = None if experiment.latency is None else asdict(experiment.latency)
    return digest_json(
        {
            "name": name,
            "variant": asdict(experiment.variant),
            "config": experiment.digest(),
            "data": {**evalset.fingerprints, "visible": evalset.visibility.digest()},
            "source": _source(experiment),
            "reviews": reviews_digest(experiment, evalset),
            "models": {slot: dict(stage.fingerprint()) for slot, stage in experiment.pipeline.filled()},
            "stages": {slot: _made_by(stage) for slot, stage in experiment.pipeline.filled()},
            "latency": latency,
            "code": package_code(),
            "python": python_version(),
            "libraries": library_versions(LIBRARIES),
        }
    )


def _made_by(stage: Stage) -> dict[str, object]:
    """Code and libraries of a stage; a plug-in's are none of this package."""
    return {"code": stage_code(type(stage).__module__), "libraries": library_versions(stage.libraries)}


def _settings(experiment: Experiment) -> dict[str, object]:
    settings = masked(experiment.effective())
    return dict(settings) if isinstance(settings, Mapping) else {}


def _environment(experiment: Experiment) -> dict[str, object]:
    models = {slot: dict(stage.fingerprint()) for slot, stage in experiment.pipeline.filled()}
    return {
        "python": python_version(),
        "libraries": library_versions(LIBRARIES),
        "models": {slot: model for slot, model in models.items() if model},
        **checkout(),
    }


def _stage(output: StageOutput, scored: list[bool]) -> RecordedStage:
    facts = {**output.result.facts, "n_without_hits": _without_hits(output.result.rankings.lengths, scored)}
    return RecordedStage(
        slot=output.slot,
        name=output.name,
        point=output.point,
        seconds=output.seconds,
        reused=output.reused,
        digest=output.digest,
        facts=facts,
    )


def _without_hits(lengths: NDArray[np.int64], scored: list[bool]) -> int:
    return int(np.count_nonzero(lengths[np.asarray(scored, dtype=bool)] == 0))


def _counts(result: RunResult) -> dict[str, int]:
    reused = [*(stage.reused for stage in _rewriting(result)), *(output.reused for output in result.outputs)]
    return {**result.counts, "stages_reused": sum(reused), "stages_computed": len(reused) - sum(reused)}


def _source(experiment: Experiment) -> dict[str, object]:
    path = experiment.dataset.path
    return {
        "path": path if path.startswith(PREFIX) else str(Path(path).expanduser().absolute()),
        "qrels": experiment.dataset.qrels,
    }


def _evidence(result: RunResult) -> dict[str, object]:
    found = result.evidence
    if found is None:
        return {}
    names = ("unit", "counts", "by_type", "group_counts", "gap", "gap_by_type", "answers")
    return {name: getattr(found, name) for name in names}


def _rewriting(result: RunResult) -> tuple[RecordedStage, ...]:
    return () if result.rewriting is None else (result.rewriting.stage,)


def _answering(result: RunResult) -> tuple[RecordedStage, ...]:
    return () if result.answered is None else result.answered.stages


def _asked(result: RunResult) -> int:
    """Questions that the generator was asked."""
    return 0 if result.answered is None else sum(one is not None for one in result.answered.answers)


def _answers(result: RunResult) -> dict[str, object]:
    """How many were asked and what it cost; or why nothing was asked."""
    found = result.answered
    if found is None:
        return {}
    if found.absent is not None:
        return {"absent": found.absent}
    given = [one for one in found.answers if one is not None]
    costs = [one.cost for one in given if one.cost is not None]
    tokens = {
        name: sum(one.tokens[name] for one in given if name in one.tokens)
        for name in ("prompt", "completion")
        if any(name in one.tokens for one in given)
    }
    return {
        "asked": len(given),
        "tokens": tokens,
        "cost": math.fsum(costs) if costs else None,
        "n_priced": len(costs),
    }


def _means(evalset: EvalSet, values: PointValues) -> dict[str, RecordedMean]:
    found = {**values.parts, **values.per_query}
    return {
        measure_name(measure, cutoff): recorded(measure, mean, found.get((measure, cutoff)), evalset.groups)
        for (measure, cutoff), mean in values.means.items()
    }
