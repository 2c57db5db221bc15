"""Under which key a stage's result is kept."""

from collections.abc import Mapping

from rag_ablation.experiment.code import stage_code
from rag_ablation.stages.base import Stage, library_versions


def stage_key(stage: Stage, settings: Mapping[str, object], inputs: Mapping[str, object]) -> dict[str, object]:
    """Everything that determines a stage's result: settings, model, libraries, code, inputs."""
    return {
        "what": "stage",
        "settings": dict(settings),
        "model": dict(stage.fingerprint()),
        "libraries": library_versions(stage.libraries),
        "code": stage_code(type(stage).__module__),
        "inputs": dict(inputs),
    }
