"""What a format cannot hold, counted."""

from collections import Counter
from collections.abc import Collection

from rag_ablation.core.queries import Status
from rag_ablation.core.wording import counted
from rag_ablation.data.exchange._rows import Record, Rows

NOTHING: frozenset[str] = frozenset()


def unheld(rows: Rows, passage_keys: Collection[str] = NOTHING, question_keys: Collection[str] = NOTHING) -> list[str]:
    """Metadata that a format leaves behind, by field.

    Args:
        rows: what is written.
        passage_keys: fields of passages that the format holds.
        question_keys: fields of questions that the format holds.
    """
    opened = sum(row.metadata.get("acl") is not None for row in rows.passages.values())
    open_to_all = [f"who may see what: {counted(opened, 'passage')} with an acl will be open to everyone"]
    return [
        *(open_to_all if opened and "acl" not in passage_keys else []),
        *_counted(rows.passages.values(), passage_keys, "passages"),
        *_counted(rows.questions.values(), question_keys, "questions"),
    ]


def passages_only(rows: Rows) -> None:
    """Note a problem where the labels are of a larger unit, which a format without documents cannot name."""
    unit = str(rows.about.get("label_unit", "passage"))
    if unit != "passage":
        origin = next(iter(rows.passages.values())).origin._replace(file="dataset.yaml", line=None)
        expected = "labels of passages: this format has no clauses or documents (beir, csv and parquet keep them)"
        rows.problem(origin, "label_unit", unit, expected)


def status_of(record: Record) -> Status:
    """The status of a question."""
    return Status(str(record.metadata.get("status") or Status.REVIEWED))


def _counted(records: Collection[Record], held: Collection[str], word: str) -> list[str]:
    found = Counter(
        key for row in records for key, value in row.metadata.items() if key not in held and value is not None
    )
    fields = ", ".join(f"{key} ({number} of {len(records)})" for key, number in sorted(found.items()))
    return [f"fields of {word}: {fields}"] if fields else []
