"""Lines for a person, as they are: no markup, no colours, no breaks of ours."""

from collections.abc import Iterable


def say(lines: Iterable[str]) -> None:
    """Print lines.

    Args:
        lines: one sentence or value each.
    """
    from rich.console import Console  # noqa: PLC0415

    console = Console(emoji=False)
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
