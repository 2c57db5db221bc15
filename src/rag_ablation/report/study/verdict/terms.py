"""The words of a plan's verdict, each said once."""

from collections.abc import Mapping

from rag_ablation.report.study.content import LadderStep, Ruled
from rag_ablation.report.study.terms import VERDICTS
from rag_ablation.report.study.words import Text, text

RULED: Mapping[Ruled, Text] = {
    Ruled.PASSES: text("passes", "通过"),
    Ruled.BEHIND: text("falls behind", "落后"),
    Ruled.TOO_SMALL: text("above 0, below δ", "高于 0，低于 δ"),
    Ruled.OPEN: text("stays open", "未定"),
    Ruled.FEW_GROUPS: text("too few groups", "组数太少"),
    Ruled.NO_INTERVAL: text("no interval", "没有区间"),
}
DECISIONS: Mapping[str, Text] = {
    "adopt": text("adopt", "采用"),
    "do not adopt": text("do not adopt", "不采用"),
    "undecided": text("undecided", "未定"),
}
KINDS: Mapping[str, str] = {"adopt": "better", "do not adopt": "worse", "undecided": "undecided"}
"""How a decision is drawn."""


def word_of_step(step: LadderStep) -> Text:
    """What stands beside a step: the rule's judgement of it, else the verdict of the family."""
    if step.ruled is not None:
        return RULED[step.ruled]
    return text("–", "–") if step.comparison is None else VERDICTS[step.comparison.word]


def moment(when: str) -> str:
    """`2026-11-30 15:06 UTC` of a time as the ledger has it."""
    return f"{when[:16].replace('T', ' ')} UTC" if when else "–"
