"""What an arm answered to one question, as plain values and as a table."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from rag_ablation.core.answers import Reference
from rag_ablation.core.record import ArmRecord
from rag_ablation.report.answers import judge_of
from rag_ablation.report.leaderboard import ABSENT, Table
from rag_ablation.report.passages import mark, short

PROMPT_CHARS = 300
Row = Mapping[str, Any]


def answer_story(
    record: ArmRecord, row: Row | None, shown: Collection[str], grades: Mapping[str, int], reference: Reference | None
) -> dict[str, Any] | None:
    """What was read, said, cited and decided, in JSON values; None for an arm without a generator.

    Args:
        record: the arm.
        row: its row of `answers` for the question, None where nothing was asked.
        shown: ids of the passages of the context.
        grades: by passage id, of those that are judged.
        reference: what would have been right, None where it is not known.
    """
    if not record.answers:
        return None
    if "absent" in record.answers or row is None:
        return {"absent": record.answers.get("absent", "it was not asked")}
    relevant_from = record.settings["scoring"]["relevant_from"]
    return {
        "generator": record.settings["generate"]["name"],
        "judge": judge_of(record) or None,
        "prompt": row["prompt"] or None,
        "text": row["answer"],
        "refused": row["refused"],
        "finish": row["finish"],
        "error": row["error"],
        "citations": [
            {
                "passage_id": passage,
                "in_context": passage in shown,
                "gold": grades.get(passage, 0) >= relevant_from,
                "grade": grades.get(passage),
            }
            for passage in row["cited"]
        ],
        "verdict": row["verdict"],
        "reason": row["reason"],
        "evidence": list(row["evidence"]),
        "judged": row["judged"],
        "judge_reason": row["judge_reason"],
        "reference": None if reference is None else _lists(asdict(reference)),
        "tokens": {name: row[f"{name}_tokens"] for name in ("prompt", "completion")},
        "cost": row["cost"],
    }


def drawn_answer(told: Mapping[str, Any]) -> Table:
    """The same as a table.

    Args:
        told: JSON values of an answer that was asked for.
    """
    judged = f", judged by {told['judge']}" if told["judge"] else ", not judged"
    rows = [
        ("prompt", short(told["prompt"] or "", PROMPT_CHARS)),
        ("cites", "; ".join(map(_cited, told["citations"])) or "nothing"),
        ("verdict", f"{told['verdict']}: {told['reason']}" if told["verdict"] else ABSENT),
        ("evidence", " · ".join(told["evidence"])),
        *_references(told["reference"]),
        ("used", _used(told)),
    ]
    return Table(
        title=f"the answer of {told['generator']}{judged}; ●● answers, ● helps, ○ judged and not relevant",
        headings=("answer", _said(told)),
        rows=tuple(row for row in rows if row[1]),
        numeric_from=2,
    )


def _lists(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _said(told: Mapping[str, Any]) -> str:
    if told["error"] is not None or told["finish"] == "error":
        return f"failed: {told['error'] or 'no reason recorded'}"
    if told["refused"]:
        return " ".join(filter(None, ("refused", told["text"])))
    ended = "" if told["finish"] == "stop" else f" (ended: {told['finish']})"
    return f"{told['text']}{ended}"


def _cited(citation: Mapping[str, Any]) -> str:
    outside = "" if citation["in_context"] else ", not in the context"
    return f"{citation['passage_id']}{mark(citation['grade'])}{outside}"


def _references(reference: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """What would have been right, a row for each sort."""
    if reference is None:
        return [("right would be", "not known")]
    if not reference["answerable"]:
        return [("right would be", "a refusal: the question has no answer")]
    named = (
        ("right would be", "answers"),
        ("key points", "keypoints"),
        ("may be said", "optional"),
        ("must not be said", "forbidden"),
    )
    return [(name, " · ".join(reference[key])) for name, key in named]


def _used(told: Mapping[str, Any]) -> str:
    parts = [f"{n} {name} tokens" for name, n in told["tokens"].items() if n is not None]
    return ", ".join([*parts, *([] if told["cost"] is None else [f"cost {told['cost']:g}"])])
