"""What must be said beside the results of a run, wherever they are shown: counted anew each time."""

from collections.abc import Iterable
from pathlib import Path

from rag_ablation.commands._recorded import recorded_place
from rag_ablation.core.record import ArmRecord
from rag_ablation.holdout.door import spent
from rag_ablation.tracking.files import read_record


def marks_of_run(record: ArmRecord, root: Path) -> tuple[str, ...]:
    """How often its holdout was opened, and the marks that it was written with; nothing for a run on dev.

    Args:
        record: of the run.
        root: folder under which everything is written.

    Raises:
        HoldoutError: it is of a holdout that the ledger does not say was opened.
    """
    if not record.on_holdout:
        return ()
    opened = str(record.holdout.get("opened", ""))
    return (spent(recorded_place(record, root), opened, f"run {record.id}").words(), *record.marks)


def marks_of_runs(folders: Iterable[Path], root: Path) -> list[str]:
    """What must be said of any of several runs, each sentence once.

    Args:
        folders: run folders.
        root: folder under which everything is written.

    Raises:
        HoldoutError: see `marks_of_run`.
    """
    return list(dict.fromkeys(mark for folder in folders for mark in marks_of_run(read_record(folder), root)))


def told(marks: Iterable[str]) -> tuple[str, ...]:
    """Marks as remarks of a table."""
    return tuple(f"mark: {mark}" for mark in marks)
