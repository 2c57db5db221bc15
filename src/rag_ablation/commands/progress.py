"""What is said while work goes on: to a person at a terminal, and nothing to a file or a pipe."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rag_ablation.core.record import ArmRecord
from rag_ablation.core.results import StageOutput

if TYPE_CHECKING:
    from rich.console import Console


class Progress:
    """Lines about stages and arms as they end.

    Args:
        console: standard error; nothing but failures is said where it is no terminal.
    """

    def __init__(self, console: "Console") -> None:
        """Remember where to speak."""
        self.console = console

    def stage(self, arm: str, output: StageOutput) -> None:
        """A stage is done."""
        if self.console.is_terminal:
            how = "from the store" if output.reused else f"computed in {output.seconds:.1f} s"
            self.console.print(f"  {arm}: {output.slot} ({output.name}) {how}", markup=False, highlight=False)

    def arm(self, record: ArmRecord, key: str | None = None) -> None:
        """An arm is done; a failure is said at once, not only at the end.

        Args:
            record: of the arm.
            key: its key in a study, None where it is in none.
        """
        name = record.arm if key is None else f"{key} ({record.arm})"
        if record.status != "finished":
            self.console.print(f"{record.status}: {name}: {record.error}", markup=False, highlight=False)
        elif self.console.is_terminal:
            self.console.print(f"finished: {name}", markup=False, highlight=False)

    def not_run(self, name: str, reason: str) -> None:
        """An arm could not be started."""
        self.console.print(f"not run: {name}: {reason}", markup=False, highlight=False, soft_wrap=True)


@contextmanager
def reading(console: "Console", what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar that shows how much of a file is read; on anything but a terminal there is none.

    Args:
        console: standard error.
        what: name of the file.

    Yields:
        What is to be told the bytes read and the bytes there are; None where nobody looks.
    """
    if not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (TextColumn("reading {task.description}", markup=False), BarColumn(), DownloadColumn())
    with Bar(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, size: bar.update(task, completed=done, total=size)
