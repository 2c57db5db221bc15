"""Which runs have been recorded under a root."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rag_ablation.core.errors import CommandError
from rag_ablation.core.record import ArmRecord
from rag_ablation.tracking.files import RESULT, read_record


def finished_arms(runs: Path) -> dict[str, ArmRecord]:
    """Every finished arm, by its digest; the newest where there are several.

    Args:
        runs: folder of run folders; a record's id is the name of its folder.
    """
    finished = (record for record in _records(runs, "*") if record.status == "finished")
    return {record.digests["arm"]: record for record in finished if "arm" in record.digests}


def holdout_records(runs: Path) -> list[ArmRecord]:
    """Every recorded run on a holdout, the oldest first.

    Args:
        runs: folder of run folders.
    """
    return [record for record in _records(runs, "*-holdout-*") if record.holdout]


def _records(runs: Path, names: str) -> Iterator[ArmRecord]:
    """Records that can be read, the oldest first."""
    for path in sorted(runs.glob(f"{names}/{RESULT}")):
        with suppress(CommandError):
            yield read_record(path.parent)
