"""Arms without a result, and why."""

from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.ladder import failure
from rag_ablation.report.study.prose import listed, say
from rag_ablation.report.study.words import Text, code


def missing_of(results: StudyResults) -> list[Text]:
    """One clause for each arm that failed or was never run, and one for all that were skipped for the same reason."""
    said = [
        say(
            "{key} {status}: {why}",
            "{key} {status}：{why}",
            key=arm.key,
            status=code(arm.record.status),
            why=failure(arm),
        )
        for arm in results.arms
        if not arm.finished
    ]
    said += [say("{key} was not run", "{key} 未运行", key=key) for key in never_run(results)]
    reasons: dict[str, list[str]] = {}
    for skip in results.skipped:
        reasons.setdefault(skip.reason, []).append(skip.arm.key)
    return said + [
        say(
            "{keys} was skipped: {why}" if len(keys) == 1 else "{keys} were skipped: {why}",
            "{keys} 已跳过：{why}",
            keys=listed(keys),
            why=why,
        )
        for why, keys in reasons.items()
    ]


def never_run(results: StudyResults) -> list[str]:
    """Keys of declared arms of which nothing is known."""
    known = {arm.key for arm in results.arms} | {skip.arm.key for skip in results.skipped}
    return [arm.key for arm in results.study.arms if arm.key not in known]
