"""Threats that the runs themselves recorded and that no other check covers."""

from rag_ablation.report.study.checks.base import raised
from rag_ablation.report.study.checks.stages import LANGUAGE
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import text

COVERED = (
    LANGUAGE,
    "were cut at the model's limit",
    "collapsed split:",
    "few groups:",
    "of the answers failed and count as incorrect",
    "asked failed and count as incorrect",
)
"""Words by which a recorded sentence is known to another check."""


def recorded(found: Found) -> tuple[Threat, ...]:
    """One line for each sentence, with the arms that recorded it."""
    said: dict[str, list[str]] = {}
    for arm in found.results.arms:
        for sentence in arm.record.threats:
            if not any(words in sentence for words in COVERED):
                said.setdefault(sentence, []).append(arm.key)
    return tuple(
        raised(
            Severity.MEDIUM,
            text("Recorded by the runs", "运行时的记录"),
            say("{arms}: {sentence}", "{arms}：{sentence}", arms=joined(keys, ", ", "、"), sentence=sentence),
            None,
        )
        for sentence, keys in said.items()
    )
