"""Short ways of asking for a verdict."""

from rag_ablation.core.answers import Answer, Reference, Verdict, Word
from rag_ablation.stages.judge import RulesJudge

RIGHT, WRONG, REVIEW = Word.CORRECT, Word.INCORRECT, Word.NEEDS_REVIEW


def verdict(said: str, *right: str, question: str = "", judge: RulesJudge | None = None) -> Verdict:
    """Of an answer, where each of `right` would have been right."""
    return (judge or RulesJudge()).judge(question, Answer(text=said), Reference(answers=right))


def word(said: str, *right: str, question: str = "", judge: RulesJudge | None = None) -> Word:
    """The word of `verdict`."""
    return verdict(said, *right, question=question, judge=judge).word
