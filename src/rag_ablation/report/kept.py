"""Evidence that was kept in the context, by what became of the answer."""

from collections.abc import Mapping, Sequence

from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.answering import KEPT_AS
from rag_ablation.measures.fates import Fate
from rag_ablation.report.leaderboard import Table


def kept_table(arms: Sequence[ArmRecord]) -> Table:
    """Relevant units in the context by what became of the answer, and those that never came there.

    Args:
        arms: records with evidence and answers.
    """
    return Table(
        title="evidence and answers: relevant units, those kept in the context by what became of the answer",
        headings=("arm", "relevant units (questions)", "kept", *map(spoken, KEPT_AS), "not kept"),
        rows=tuple(_kept_row(arm) for arm in arms),
        numeric_from=1,
    )


def spoken(kept_as: str) -> str:
    """`answer_right` as a heading says it."""
    return kept_as.replace("_", " ")


def _kept_row(arm: ArmRecord) -> tuple[str, ...]:
    counts: Mapping[str, int] = arm.evidence["counts"]
    split: Mapping[str, int] = arm.evidence["answers"]
    whole, kept = sum(counts.values()), counts.get(Fate.KEPT, 0)
    cells = [str(split.get(word, 0)) for word in KEPT_AS]
    return (arm.arm, f"{whole} ({arm.counts['scored']})", str(kept), *cells, str(whole - kept))
