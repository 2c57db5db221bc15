"""What `rag-ablation explain` reads of answers: that of one question, and the questions of a verdict."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rag_ablation.core.answers import Reference, reference_of
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Query, Status
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.results import SCORED
from rag_ablation.report.answers import judge_of
from rag_ablation.report.leaderboard import Leaderboard, Table
from rag_ablation.report.passages import short
from rag_ablation.tracking.files import read_table

ANSWER_CHARS = 120
WITH_ANSWERS = "a finished run with a generator and a judge"


class Judged(NamedTuple):
    """Questions whose answer has one verdict.

    Args:
        word: the verdict.
        kind: their type, None for all.
        rows: JSON values of each, by id.
        n: questions that were judged, of this type.
    """

    word: str
    kind: str | None
    rows: list[dict[str, Any]]
    n: int

    def drawn(self, record: ArmRecord) -> Leaderboard:
        """The questions as a table, and what to type next."""
        of_type = "" if self.kind is None else f" of type {self.kind}"
        table = Table(
            title=(
                f"{record.arm}: {len(self.rows)} of {self.n} judged answers{of_type} are {self.word} "
                f"({judge_of(record)})"
            ),
            headings=("question", "type", "text", "answer", "reason"),
            rows=tuple(
                (row["query_id"], row["type"], row["text"], _answer(row), short(row["reason"] or "", ANSWER_CHARS))
                for row in self.rows
            ),
            numeric_from=5,
        )
        next_step = () if not self.rows else (f"next: rag-ablation explain {record.id} {self.rows[0]['query_id']}",)
        return Leaderboard(tables=(table,), remarks=next_step)


def answer_of(record: ArmRecord, folder: Path, query: str) -> Mapping[str, Any] | None:
    """The row of one question in `answers`, None for an arm without it.

    Args:
        record: the arm.
        folder: its run folder.
        query: id of the question.
    """
    if not record.answers or "absent" in record.answers:
        return None
    return next((row for row in read_table(folder, "answers", query) if row["asked"]), None)


def reference_in(benchmark: Benchmark, asked: Query, status: str) -> Reference | None:
    """What the labels say would have been right; None of a question that is not judged.

    Args:
        benchmark: without what is held out.
        asked: the question.
        status: `scored`, or why the run does not score it.
    """
    if status != SCORED and asked.status is not Status.NO_ANSWER:
        return None
    return reference_of(benchmark.labels[benchmark.queries.ids.index(asked.id)], asked.status) or None


def judged_so(record: ArmRecord, folder: Path, wanted: tuple[str, str | None], texts: Mapping[str, str]) -> Judged:
    """The questions whose answer has this verdict; one that is held out by now is left out.

    Args:
        record: the arm.
        folder: its run folder.
        wanted: one of the verdicts, and a question type, None for all.
        texts: of the questions that may be shown, by id.

    Raises:
        CommandError: the arm has no verdicts, or none on questions of this type.
    """
    word, kind = wanted
    if not record.answers or "absent" in record.answers or not judge_of(record):
        found = record.answers.get("absent", "without verdicts")
        raise CommandError.of("run", f"{record.status}, {found}", WITH_ANSWERS, file=str(folder))
    types = {row["query_id"]: row["type"] for row in read_table(folder, "per_question", columns=("query_id", "type"))}
    judged = [row for row in read_table(folder, "answers") if row["verdict"] is not None]
    known = sorted({types[row["query_id"]] for row in judged})
    if kind is not None and kind not in known:
        expected = f"a type with judged answers: {', '.join(known)}"
        raise CommandError.of("--type", repr(kind), expected, file=str(folder))
    own = [row for row in judged if kind in (None, types[row["query_id"]])]
    return Judged(word, kind, _rows([row for row in own if row["verdict"] == word], types, texts), len(own))


def _rows(
    judged: Sequence[Mapping[str, Any]], types: Mapping[str, str], texts: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [
        {
            "query_id": row["query_id"],
            "type": types[row["query_id"]],
            "text": texts[row["query_id"]],
            **{name: row[name] for name in ("answer", "refused", "error", "verdict", "reason")},
            "evidence": list(row["evidence"]),
        }
        for row in sorted(judged, key=lambda row: row["query_id"])
        if row["query_id"] in texts
    ]


def _answer(row: Mapping[str, Any]) -> str:
    if row["error"] is not None:
        return "failed"
    return "refused" if row["refused"] else short(row["answer"], ANSWER_CHARS)
