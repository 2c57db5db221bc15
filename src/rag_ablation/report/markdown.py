"""A leaderboard as Markdown, for a pull request or a note."""

import re

from rag_ablation.report.leaderboard import Leaderboard, Table

MARKS = re.compile(r"[\\|*`\[\]~]")
EDGE_UNDERSCORES = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
"""An underscore within a word marks nothing, and escaping it would spoil names."""


def to_markdown(board: Leaderboard) -> str:
    """Tables and remarks; text from data is escaped."""
    parts = [_table(table) for table in board.tables]
    parts.append("\n".join(f"- {escaped(remark)}" for remark in board.remarks))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown, and the HTML inside it, shows as it is."""
    text = MARKS.sub(r"\\\g<0>", text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return " ".join(EDGE_UNDERSCORES.sub(r"\_", text).splitlines())


def _table(table: Table) -> str:
    marks = ["---" if column < table.numeric_from else "---:" for column in range(len(table.headings))]
    lines = [_line(tuple(map(escaped, table.headings))), _line(tuple(marks))]
    lines += [_line(tuple(map(escaped, row))) for row in table.rows]
    return f"{escaped(table.title)}\n\n" + "\n".join(lines)


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
