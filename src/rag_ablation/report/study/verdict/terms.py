"""The words of a plan's verdict, each said once."""

from collections.abc import Callable, Iterable, Mapping

from rag_ablation.holdout.marks import Mark
from rag_ablation.holdout.rule import Decision
from rag_ablation.report.study.content import LadderStep, Ruled
from rag_ablation.report.study.figures import thousands
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.terms import VERDICTS
from rag_ablation.report.study.words import Kind, Text, text

RULED: Mapping[Ruled, Text] = {
    Ruled.PASSES: text("passes", "通过"),
    Ruled.BEHIND: text("falls behind", "落后"),
    Ruled.TOO_SMALL: text("above 0, below δ", "高于 0，低于 δ"),
    Ruled.OPEN: text("stays open", "未定"),
    Ruled.FEW_GROUPS: text("too few groups", "组数太少"),
    Ruled.NO_INTERVAL: text("no interval", "没有区间"),
}
DECISIONS: Mapping[str, Text] = {
    Decision.ADOPT: text("adopt", "采用"),
    Decision.DO_NOT_ADOPT: text("do not adopt", "不采用"),
    Decision.UNDECIDED: text("undecided", "未定"),
}
KINDS: Mapping[str, Kind] = {
    Decision.ADOPT: Kind.BETTER,
    Decision.DO_NOT_ADOPT: Kind.WORSE,
    Decision.UNDECIDED: Kind.UNDECIDED,
}
"""How a decision is drawn."""


def word_of_step(step: LadderStep) -> Text:
    """What stands beside a step: the rule's judgement of it, else the verdict of the family."""
    if step.ruled is not None:
        return RULED[step.ruled]
    return text("–", "–") if step.comparison is None else VERDICTS[step.comparison.word]


def moment(when: str) -> str:
    """`2026-11-30 15:06 UTC` of a time as the ledger has it."""
    return f"{when[:16].replace('T', ' ')} UTC" if when else "–"


def in_both(words: Callable[[str], str]) -> Text:
    """What gives its own words in a language."""
    return text(words("en"), words("zh"))


def marks_in_a_row(marks: Iterable[Mark]) -> Text:
    """`holdout used 2 times; no longer unseen; relabelled after opening`."""
    return joined([in_both(mark.words) for mark in marks], "; ", "；")


def times_of(n: int) -> Text:
    """`once`, `2 times`."""
    return say("once" if n == 1 else "{n} times", "{n} 次", n=thousands(n))
