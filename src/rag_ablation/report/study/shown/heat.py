"""The tables of question types: which columns stand together, and how deep each cell is tinted."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.report.study.content import Cell, TypeRow, Types

ACCENT = (0x1A, 0x5F, 0xA4)
RUST = (0xA4, 0x48, 0x0F)
DEEPEST = 0.46
FULL_DIFFERENCE = 0.4
ROOM, TYPE_WIDTH, MEAN_WIDTH, DIFFERENCE_WIDTH = 890, 150, 54, 104


class Tinted(NamedTuple):
    """A cell with its column.

    Args:
        label: of the column.
        cell: None where the row has nothing for it.
        tint: colour of its ground, None for none.
    """

    label: str
    cell: Cell | None
    tint: str | None


class HeatRow(NamedTuple):
    """A row with its cells."""

    row: TypeRow
    few: bool
    means: tuple[Tinted, ...]
    differences: tuple[Tinted, ...]


class HeatTable(NamedTuple):
    """Columns that fit beside one another."""

    arms: tuple[str, ...]
    labels: tuple[str, ...]
    rows: tuple[HeatRow, ...]

    @property
    def width(self) -> int:
        """Pixels beyond which its cells would only grow empty."""
        return TYPE_WIDTH + 2 * MEAN_WIDTH * len(self.arms) + 2 * DIFFERENCE_WIDTH * len(self.labels)


def heat_tables(types: Types) -> tuple[HeatTable, ...]:
    """One table where all columns fit, else the means and the differences apart, as many as they need."""
    whole = MEAN_WIDTH * len(types.arms) + DIFFERENCE_WIDTH * len(types.labels) <= ROOM
    columns = [(types.arms, types.labels)] if whole else list(_apart(types))
    return tuple(
        HeatTable(arms, labels, tuple(_row(row, arms, labels) for row in types.rows)) for arms, labels in columns
    )


def tint(share: float, colour: tuple[int, int, int]) -> str:
    """A colour on white, `#rrggbb`.

    Args:
        share: of the colour, from 0 to 1; 1 is as deep as dark text can stand on.
        colour: red, green, blue.
    """
    depth = DEEPEST * max(0.0, min(1.0, share))
    return "#" + "".join(f"{round(255 + (part - 255) * depth):02x}" for part in colour)


def _apart(types: Types) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    for arms in _chunks(types.arms, ROOM // MEAN_WIDTH):
        yield arms, ()
    for labels in _chunks(types.labels, ROOM // DIFFERENCE_WIDTH):
        yield (), labels


def _chunks(names: Sequence[str], most: int) -> Iterator[tuple[str, ...]]:
    """Parts of nearly the same length."""
    parts = -(-len(names) // most)
    size = -(-len(names) // parts) if parts else 1
    for start in range(0, len(names), size):
        yield tuple(names[start : start + size])


def _row(row: TypeRow, arms: Sequence[str], labels: Sequence[str]) -> HeatRow:
    few = row.n_groups < GROUPS_FOR_A_VERDICT
    means = tuple(Tinted(arm, cell := row.means.get(arm), _of_mean(cell, few)) for arm in arms)
    differences = tuple(Tinted(label, cell := row.differences.get(label), _of_gain(cell, few)) for label in labels)
    return HeatRow(row, few, means, differences)


def _of_mean(cell: Cell | None, few: bool) -> str | None:
    if few or cell is None or cell.value is None:
        return None
    return tint(cell.value**1.6, ACCENT)


def _of_gain(cell: Cell | None, few: bool) -> str | None:
    if few or cell is None or cell.value is None:
        return None
    return tint(abs(cell.value) / FULL_DIFFERENCE, ACCENT if cell.value > 0 else RUST)
