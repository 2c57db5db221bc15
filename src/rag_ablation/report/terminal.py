"""A leaderboard in the terminal."""

from typing import TYPE_CHECKING

from rag_ablation.report.leaderboard import Leaderboard

if TYPE_CHECKING:
    from rich.console import Console


def show(board: Leaderboard, console: "Console") -> None:
    """Draw tables and remarks; markup in data is text."""
    from rich import box  # noqa: PLC0415
    from rich.table import Table as Drawn  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    for table in board.tables:
        drawn = Drawn(title=Text(table.title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
        for column, heading in enumerate(table.headings):
            numeric = column >= table.numeric_from
            drawn.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
        for row in table.rows:
            drawn.add_row(*map(Text, row))
        console.print(drawn)
    for remark in board.remarks:
        console.print(Text(remark), soft_wrap=True)
