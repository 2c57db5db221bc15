"""What a reader takes away: the title, two sentences, who stands behind them, what follows, which arms are missing."""

from rag_ablation.report.study.content import Conclusion
from rag_ablation.report.study.denominators import denominators_of
from rag_ablation.report.study.following import following
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.ladder import failure
from rag_ablation.report.study.prose import joined, say, sentence
from rag_ablation.report.study.verdicts import sentences_of
from rag_ablation.report.study.words import Text, code, text


def conclusion_of(found: Found) -> Conclusion:
    """Put the first screen together.

    Args:
        found: everything that was computed before.
    """
    results, family = found.results, len(found.ladder.steps())
    question = results.study.question
    english = question.get("en") or next(iter(question.values()), results.study.name)
    denominators = denominators_of(results, family)
    return Conclusion(
        title=text(english, question.get("zh") or english),
        sentences=sentences_of(results, found.ladder, denominators),
        denominators=denominators,
        next=following(found),
        alone=_alone(results),
    )


def _alone(results: StudyResults) -> Text | None:
    """Which arms are missing from the comparison, and why."""
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
    said += [
        say("{key} was skipped: {why}", "{key} 已跳过：{why}", key=skip.arm.key, why=skip.reason)
        for skip in results.skipped
    ]
    known = {arm.key for arm in results.arms} | {skip.arm.key for skip in results.skipped}
    said += [
        say("{key} was not run", "{key} 未运行", key=arm.key) for arm in results.study.arms if arm.key not in known
    ]
    return sentence(joined(said, "; ", "；")) if said else None
