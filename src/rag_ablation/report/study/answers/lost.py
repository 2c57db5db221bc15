"""What became of the evidence that was kept: its question answered right, wrong, or not decided yet."""

from collections.abc import Mapping

from rag_ablation.report.study.content import Lost
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text, code, text

RIGHT, WRONG, OPEN = "answer_right", "answer_wrong", "answer_open"
KEPT_AS: Mapping[str, Text] = {
    RIGHT: text("its question is answered right", "对应的题答对"),
    WRONG: text("its question is answered wrong: the generator's loss", "对应的题答错：损失在生成器"),
    OPEN: text("no verdict yet", "尚无判定"),
}
"""What a kept unit comes to, in the order of the table."""


def kept_as(arm: ArmResult) -> Mapping[str, int] | None:
    """Kept units by what became of the answer; None for an arm without answers."""
    found = arm.record.evidence.get("answers") or {}
    return {name: int(found.get(name, 0)) for name in KEPT_AS} if found else None


def kept_sentence(arm: ArmResult, kept: int) -> Text | None:
    """What the kept units of an arm came to; they sum to those that are kept.

    Args:
        arm: any arm.
        kept: its kept units.
    """
    became = kept_as(arm)
    if became is None:
        return None
    return say(
        "Of the {kept} kept in {arm} {right} have their question answered right ({a}), {wrong} wrong ({b}) and {open} "
        "wait for a verdict ({c}). Evidence kept and answered wrong is lost by the generator.",
        "{arm} 留下的 {kept} 项证据中，对应的题答对的有 {right} 项（{a}），答错的有 {wrong} 项（{b}），"
        "待判定的有 {open} 项（{c}）。"
        "证据留下而答错，是生成器的损失。",
        kept=str(kept),
        arm=arm.key,
        right=str(became[RIGHT]),
        wrong=str(became[WRONG]),
        open=str(became[OPEN]),
        a=code(RIGHT),
        b=code(WRONG),
        c=code(OPEN),
    )


def has_answers(lost: Lost) -> bool:
    """Whether some arm's kept units are told apart by their answers."""
    return any(lost.answers.values())
