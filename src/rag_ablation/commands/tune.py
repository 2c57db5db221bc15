"""`rag-ablation tune threshold`: from which score on the extractive generator should answer, chosen on dev."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag_ablation.commands.progress import Progress
from rag_ablation.commands.run import STORE, open_evalset, place_of, resolved_for
from rag_ablation.config import build
from rag_ablation.core.errors import ConfigError
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.record import arm_name
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.experiment.thresholds import thresholds
from rag_ablation.holdout.seen import note_scored
from rag_ablation.report.thresholds import drawn, values_of
from rag_ablation.stages.extractive import ExtractiveGenerator
from rag_ablation.stages.judge import VERSION, RulesJudge

IMPLIED = {"generate": "extractive", "judge": "rules"}


def tune_threshold(container: Mapping[str, object], words: Sequence[str], root: Path, *, as_json: bool) -> int:
    """Choose a threshold for an arm and print what it rests on; nothing is recorded as a run.

    Args:
        container: composed configuration of the arm, plain nested mappings.
        words: what the command line set.
        root: folder under which everything is written.
        as_json: whether to print JSON.

    Returns:
        Exit status, 0.

    Raises:
        ConfigError: another generator or judge, or a configuration that cannot be run.
        RagAblationError: the data cannot be used, or a stage failed.
    """
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    told = tuned(build(container), words, root, Progress(Console(stderr=True)))
    if as_json:
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    else:
        show(drawn(told), Console())
    return 0


def tuned(experiment: Experiment, words: Sequence[str], root: Path, progress: Progress) -> dict[str, Any]:
    """Run an arm up to its context, and judge what it would answer at every threshold.

    Args:
        experiment: the arm.
        words: what the command line set, for its name.
        root: folder under which everything is written.
        progress: told of each stage.

    Raises:
        ConfigError: another generator or judge.
        RagAblationError: the data cannot be used, or a stage failed.
    """
    _stages(experiment)
    data = open_evalset(experiment, root)
    experiment = resolved_for(experiment, data)
    pipeline, stages = experiment.pipeline, _stages(experiment)
    note_scored(place_of(experiment, data, root), data)
    name = arm_name(experiment, tuple(words))
    store = StageStore(root / STORE)
    bare = replace(experiment, pipeline=replace(pipeline, generate=None, judge=None))
    result = run(bare, data, store, lambda output: progress.stage(name, output))
    context = result.outputs[-1].result.rankings
    found = thresholds(stages, data, context, result.status, store)
    return {
        "arm": name,
        "dataset": data.name,
        "side": data.side,
        "scorer": stages[0].scorer,
        "judge": f"rules {VERSION}",
        **values_of(found),
    }


def _stages(experiment: Experiment) -> tuple[ExtractiveGenerator, RulesJudge]:
    """Generator and judge, where they are those that need nobody to answer at every threshold.

    Raises:
        ConfigError: they are not.
    """
    pipeline = experiment.pipeline
    if not isinstance(pipeline.generate, ExtractiveGenerator):
        raise ConfigError.of("generate", pipeline.names.get("generate", "none"), _expected("generate"))
    if not isinstance(pipeline.judge, RulesJudge):
        raise ConfigError.of("judge", pipeline.names.get("judge", "none"), _expected("judge"))
    return pipeline.generate, pipeline.judge


def _expected(slot: str) -> str:
    return f"{slot}={IMPLIED[slot]}, whose result at every threshold follows without asking anybody"
