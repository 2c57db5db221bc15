"""What an arm answered to one question."""

from rag_ablation.report.study.answers.read import was_asked
from rag_ablation.report.study.content import GivenAnswer
from rag_ablation.report.study.inputs import ArmResult

TABLE = "answers"


def given_by(arm: ArmResult, query: str) -> GivenAnswer | None:
    """The answer of an arm with its verdict; None for an arm without answers.

    Args:
        arm: any arm.
        query: id of the question.
    """
    if not was_asked(arm):
        return None
    row = next(iter(arm.rows(TABLE, query)), None)
    if row is None or not row["asked"]:
        return None
    return GivenAnswer(
        text=row["answer"],
        refused=bool(row["refused"]),
        error=row["error"] or ("error" if row["finish"] == "error" else None),
        cited=tuple(row["cited"]),
        word=row["verdict"],
        reason=row["reason"],
    )
