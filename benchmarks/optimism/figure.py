"""The figure: where the chosen arm lies on dev, and where the same arm lies on the holdout."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.calibration.made import Floats
from benchmarks.optimism.simulate import Cell
from rag_ablation.report.leaderboard import signed
from rag_ablation.report.study.charts.drawing import own_settings

ON_DEV, ON_HOLDOUT, INK, QUIET = "#a4480f", "#1a5fa4", "#1b1d1f", "#8d9196"
WIDTH_IN, HEIGHT_IN = 7.5, 5.0
BINS = 32
BEST = "the chosen arm on dev"


def draw(cells: Sequence[Cell], path: Path) -> None:
    """Draw every cell: kinds of scores below each other, correlations side by side. Equal cells give equal bytes.

    Args:
        cells: as `simulate` gives them.
        path: the SVG file; its folder must exist.
    """
    kinds = list(dict.fromkeys(one.kind for one in cells))
    with own_settings():
        figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), facecolor="white", layout="constrained")
        axes = figure.subplots(len(kinds), len(cells) // len(kinds), squeeze=False, sharex="row", sharey="row")
        for row, kind in enumerate(kinds):
            of_kind = [one for one in cells if one.kind == kind]
            edges = shared_edges(of_kind)
            for place, one in zip(axes[row], of_kind, strict=True):
                panel(place, one, edges)
        handles, names = axes[0, 0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper left", ncols=2, frameon=False, fontsize=10)
        figure.supxlabel("difference from the baseline (true difference: 0)", fontsize=10, color=INK)
        figure.supylabel("repetitions", fontsize=10, color=INK)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def shared_edges(cells: Sequence[Cell]) -> Floats:
    """Bins that hold every value of some cells, one of their edges at 0."""
    values = np.concatenate([side for one in cells for side in (one.dev, one.holdout)])
    width = max(float(np.ptp(values)), 1e-6) / BINS
    return width * np.arange(np.floor(values.min() / width), np.ceil(values.max() / width) + 2)


def panel(place: Axes, one: Cell, edges: Floats) -> None:
    """Both distributions of one cell, and the mean of what was chosen."""
    for values, colour, name in ((one.holdout, ON_HOLDOUT, "the same arm on the holdout"), (one.dev, ON_DEV, BEST)):
        counts, _ = np.histogram(values, edges)
        place.stairs(counts, edges, fill=True, color=colour, alpha=0.25, linewidth=0, label=name)
        place.stairs(counts, edges, color=colour, linewidth=1.2)
    place.axvline(0, color=INK, linewidth=0.8)
    mean = float(one.dev.mean())
    place.axvline(mean, color=ON_DEV, linewidth=1, linestyle=(0, (4, 3)))
    place.margins(y=0.15)
    place.annotate(
        f"mean {signed(mean)}",
        (mean, 1),
        xycoords=place.get_xaxis_transform(),
        xytext=(4, -2),
        textcoords="offset points",
        fontsize=9,
        color=ON_DEV,
        va="top",
    )
    place.set_title(f"{one.kind} scores, correlation {one.correlation:g}", fontsize=10, color=INK, loc="left")
    place.tick_params(labelsize=9, labelcolor=INK, length=3, color=QUIET)
    place.spines[["top", "right"]].set_visible(False)
    place.spines[["left", "bottom"]].set_color(QUIET)
