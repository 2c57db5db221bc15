"""What is said while work goes on: to a person at a terminal, and nothing to a file or a pipe."""

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

    def arm(self, record: ArmRecord) -> None:
        """An arm is done; a failure is said at once, not only at the end."""
        if record.status != "finished":
            self.console.print(f"{record.status}: {record.arm}: {record.error}", markup=False, highlight=False)
        elif self.console.is_terminal:
            self.console.print(f"finished: {record.arm}", markup=False, highlight=False)
