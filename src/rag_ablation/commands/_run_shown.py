"""What is shown of runs once they are made: their summary, where they are, and what to type next."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rag_ablation.report.answers import with_answers
from rag_ablation.report.leaderboard import DIFFERENCES, Leaderboard, leaderboard
from rag_ablation.report.losses import losses, with_details, with_points
from rag_ablation.report.terminal import show
from rag_ablation.tracking.files import read_record, read_values

if TYPE_CHECKING:
    from rich.console import Console


def show_run(folder: Path, place: str, console: "Console") -> int:
    """Print the summary of a single arm; the exit status is 1 if it has no result."""
    record = read_record(folder)
    show(boards([folder])[0], console)
    if record.parents and record.status == "finished":
        together = ",".join([*record.parents, record.variant])
        console.print(f"to see what it changes, run it beside its parents: rag-ablation run -m variant={together}")
    closing_lines(place, folder, console)
    return 0 if record.status == "finished" else 1


def closing_lines(place: str, folder: Path, console: "Console") -> None:
    """Where the result is and what to type next."""
    console.print(f"record: {folder}", soft_wrap=True, highlight=False)
    if place:
        console.print(f"runs:   {place}   (open them with: rag-ablation ui)", soft_wrap=True, highlight=False)


def boards(folders: Sequence[Path]) -> tuple[Leaderboard, Leaderboard]:
    """What the terminal shows of arms, and the same with the fates as counts, for the note.

    Args:
        folders: their run folders.
    """
    records = [read_record(folder) for folder in folders]
    columns = ["group", *(f"final/{name}" for name in DIFFERENCES)]
    values = [
        read_values(folder, columns) if record.status == "finished" else {}
        for folder, record in zip(folders, records, strict=True)
    ]
    lost = losses(records)
    board = with_answers(with_points(leaderboard(records, values), lost), records)
    return board, with_details(board, lost)
