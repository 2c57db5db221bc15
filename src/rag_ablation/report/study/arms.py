"""What an arm's key stands for."""

from collections.abc import Mapping
from typing import Any

from rag_ablation.experiment.factors import RETRIEVERS
from rag_ablation.experiment.study import StudyArm
from rag_ablation.report.study.answers.names import generator_name
from rag_ablation.report.study.answers.read import asked, was_asked
from rag_ablation.report.study.changed import first_of
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.missing import declared_reranker
from rag_ablation.report.study.naming import RERANKING, RETRIEVAL, kind_of, variant_of
from rag_ablation.report.study.prose import listed, say
from rag_ablation.report.study.words import Text, code, same

LATE = "late_interaction"


def described(results: StudyResults, arm: StudyArm) -> Text:
    """`BM25`; `dense retrieval with late interaction (MaxSim over …)`; what nothing was run of, by its declaration.

    Args:
        results: the study's arms.
        arm: as the study declares it.
    """
    run = results.arm(arm.key)
    if run is None:
        return _declared(results, arm)
    settings = run.record.settings
    found = _fused(settings) or kind_of(settings) or first_of(run)
    return say("{found}{how}{by}", "{found}{how}{by}", found=found, how=_late(settings), by=_answered_by(results, run))


def _fused(settings: Mapping[str, Any]) -> Text | None:
    """A fusion with what is fused; None for another kind of pipeline, or one without words."""
    names = [name for slot in RETRIEVERS if slot in settings and (name := RETRIEVAL.get(settings[slot]["name"]))]
    if len(names) < len(RETRIEVERS) or kind_of(settings) is None:
        return None
    base = say("fusion of {names}", "{names} 的融合", names=listed(names))
    if "rerank" not in settings:
        return base
    return say(
        "{base}, with {reranker}", "{base}，加 {reranker}", base=base, reranker=RERANKING[settings["rerank"]["name"]]
    )


def _answered_by(results: StudyResults, run: ArmResult) -> Text:
    """The generator, where those of the study are not all the same."""
    if len({generator_name(arm) for arm in asked(results)}) < 2 or not was_asked(run):
        return Text((), ())
    return say(", answered by {name}", "，由 {name} 作答", name=code(generator_name(run)))


def _late(settings: Mapping[str, Any]) -> Text:
    """How late interaction scores, and with whose vectors."""
    rerank = settings.get("rerank", {})
    if rerank.get("name") != LATE:
        return same("")
    model = rerank.get("model")
    if model is not None and model == settings.get("dense", {}).get("model"):
        return say(" (MaxSim over the dense model's token vectors)", "（对稠密模型的词元向量取 MaxSim）")
    if model is None:
        return say(" (MaxSim over token vectors)", "（对词元向量取 MaxSim）")
    return say(" (MaxSim over token vectors of {model})", "（对 {model} 的词元向量取 MaxSim）", model=code(str(model)))


def _declared(results: StudyResults, arm: StudyArm) -> Text:
    """An arm of which nothing was run: its preset and what reranks in it."""
    preset = variant_of(results, arm)
    reranker = RERANKING.get(declared_reranker(arm) or "")
    if not preset:
        return say("not run", "未运行")
    if reranker is None:
        return say("{preset}, not run", "{preset}，未运行", preset=code(preset))
    return say(
        "{preset}, reranked with {reranker}, not run",
        "{preset}，以{reranker}重排，未运行",
        preset=code(preset),
        reranker=reranker,
    )
