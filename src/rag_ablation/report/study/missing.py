"""Arms without a result, and why."""

from collections.abc import Sequence

from rag_ablation.experiment.study import StudyArm
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.ladder import failure
from rag_ablation.report.study.naming import RERANKING, VARIANT
from rag_ablation.report.study.prose import listed, say
from rag_ablation.report.study.words import Piece, Text, code, text, whole

SLOT = "rerank="
PRESETS = {
    "rerank": "cross_encoder",
    "bm25_rerank": "cross_encoder",
    "dense_rerank": "cross_encoder",
    "late_interaction": "late_interaction",
}
"""The reranking stage of the presets that have one."""


def missing_of(results: StudyResults) -> list[Text]:
    """One clause for each arm that failed, and one for all that were skipped or not reached for the same reason."""
    said = [
        say(
            "{key} {status}: {why}",
            "{key} {status}：{why}",
            key=whole(arm.key),
            status=code(arm.record.status),
            why=failure(arm),
        )
        for arm in results.arms
        if not arm.finished
    ]
    never = [(key, results.not_reached.get(key)) for key in never_run(results)]
    said += [say("{key} was not run", "{key} 未运行", key=whole(key)) for key, why in never if not why]
    said += _for(text("not reached", "未运行到"), [(key, why) for key, why in never if why])
    return said + _for(text("skipped", "已跳过"), [(skip.arm.key, skip.reason) for skip in results.skipped])


def untested(results: StudyResults) -> list[Text]:
    """What the missing arms would have tried and no finished arm tries, as far as their declaration tells."""
    ran = {_reranker(arm) for arm in results.arms if arm.finished}
    gone = {arm.arm.key: _reranker(arm) for arm in results.arms if not arm.finished}
    gone |= {arm.key: declared_reranker(arm) for arm in results.study.arms if results.arm(arm.key) is None}
    names = dict.fromkeys(name for name in gone.values() if name is not None and name not in ran)
    return [
        say("reranking with {what} is untested", "{what} 重排未经检验", what=RERANKING[name])
        for name in names
        if name in RERANKING
    ]


def declared_reranker(arm: StudyArm) -> str | None:
    """The reranking stage that an arm's words choose, None where there is none or they do not tell."""
    chosen = next((word.removeprefix(SLOT) for word in reversed(arm.overrides) if word.startswith(SLOT)), None)
    if chosen is not None:
        return chosen
    preset = next((word.removeprefix(VARIANT) for word in arm.overrides if word.startswith(VARIANT)), None)
    return PRESETS.get(preset or "")


def _for(what: Text, reasons: Sequence[tuple[str, str]]) -> list[Text]:
    """One clause for all arms of one reason: `D and E were skipped: no model`."""
    keys: dict[str, list[Piece]] = {}
    for key, why in reasons:
        keys.setdefault(why, []).append(whole(key))
    return [
        say(
            "{keys} was {what}: {why}" if len(named) == 1 else "{keys} were {what}: {why}",
            "{keys} {what}：{why}",
            keys=listed(named),
            what=what,
            why=" ".join(why.split()),
        )
        for why, named in keys.items()
    ]


def _reranker(arm: ArmResult) -> str | None:
    section = arm.record.settings.get("rerank")
    return None if section is None else str(section["name"])


def never_run(results: StudyResults) -> list[str]:
    """Keys of declared arms that were to run and did not."""
    known = {arm.key for arm in results.arms} | {skip.arm.key for skip in results.skipped}
    return [arm.key for arm in results.study.arms if arm.key not in known]
