"""What a reader takes away: the title, two sentences, who stands behind them, what follows, which arms are missing."""

from rag_ablation.report.study.content import Conclusion
from rag_ablation.report.study.denominators import denominators_of
from rag_ablation.report.study.following import following
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.missing import missing_of, untested
from rag_ablation.report.study.prose import joined, listed, say, sentence
from rag_ablation.report.study.verdict.following import following_of
from rag_ablation.report.study.verdict.headline import headline_of
from rag_ablation.report.study.verdict.plans import plans_of
from rag_ablation.report.study.verdicts import sentences_of
from rag_ablation.report.study.words import Text, text


def conclusion_of(found: Found) -> Conclusion:
    """Put the first screen together.

    Args:
        found: everything that was computed before.
    """
    results, family = found.results, len(found.ladder.steps())
    question = results.study.question
    english = question.get("en") or next(iter(question.values()), results.study.name)
    denominators, verdict = denominators_of(results, family), results.holdout
    return Conclusion(
        title=text(english, question.get("zh") or english),
        sentences=sentences_of(results, found.ladder, denominators)
        if verdict is None
        else (headline_of(results, found.ladder, verdict),),
        denominators=denominators,
        next=following(found) if verdict is None else following_of(found, verdict),
        alone=_alone(results),
        plans=plans_of(results),
    )


def _alone(results: StudyResults) -> Text | None:
    """Which arms are missing from the comparison, why, and what is thereby untested."""
    said = missing_of(results)
    if not said:
        return None
    gone = sentence(joined(said, "; ", "；"))
    tried_not = untested(results)
    if not tried_not:
        return gone
    return say("{gone}. {untested}.", "{gone}。因此 {untested}。", gone=gone, untested=sentence(listed(tried_not)))
