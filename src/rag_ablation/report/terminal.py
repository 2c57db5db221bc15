"""A leaderboard in the terminal."""

from typing import TYPE_CHECKING

from rag_ablation.report.leaderboard import Leaderboard

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 160
LEAST_WHOLE_WIDTH = 110


def show(board: Leaderboard, console: "Console") -> None:
    """Draw tables and remarks; markup in data is text."""
    from rich import box  # noqa: PLC0415
    from rich.table import Table as Drawn  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if not console.is_terminal:
        console.width = max(console.width, PIPE_WIDTH)
    for table in board.tables:
        console.print(Text(table.title), soft_wrap=True)
        drawn = Drawn(box=box.SIMPLE_HEAD, pad_edge=False)
        for column, heading in enumerate(table.headings):
            numeric = column >= table.numeric_from
            whole = numeric and console.width >= LEAST_WHOLE_WIDTH
            drawn.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold", no_wrap=whole)
        for row in table.rows:
            drawn.add_row(*map(Text, row))
        console.print(drawn)
    for remark in board.remarks:
        console.print(Text(remark), soft_wrap=True)
