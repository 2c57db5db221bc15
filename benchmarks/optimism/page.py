"""What a page of the docs says of the simulation."""

from collections.abc import Sequence

import numpy as np

from benchmarks.calibration.made import HIT, LARGEST_GROUP, Floats
from benchmarks.calibration.tables import percent, span, table
from benchmarks.optimism.simulate import BOUND, CONFIDENCE, SMALLEST, Cell, Share
from rag_ablation.measures.planning import ASSUMED_DEVIATIONS
from rag_ablation.report.leaderboard import signed

BEGIN = "<!-- optimism: begin (written by python -m benchmarks.optimism, do not edit) -->"
END = "<!-- optimism: end -->"
IMAGE = "images/optimism.svg"
RANGE = (0.05, 0.95)


def page(cells: Sequence[Cell], command: str) -> str:
    """Table, findings and figure, markers included.

    Args:
        cells: every cell.
        command: that wrote it.
    """
    one = cells[0]
    parts = [
        BEGIN,
        f"`{command}`: {one.repetitions:,} repetitions a cell. In each, the best of {one.n_arms} arms by its mean on "
        f"dev ({one.n_groups} groups, {one.n_dev} questions) was looked at on a holdout ({one.n_groups} groups, "
        f"{one.n_holdout} questions). Groups have 1 to {LARGEST_GROUP} questions. All arms are equally good: the true "
        f"difference from the baseline is 0. *Normal* scores differ by a standard deviation of "
        f"{ASSUMED_DEVIATIONS['other']}; *hit* is 0 or 1 at a rate of {HIT}, so that differences are 0, +1 or −1.",
        results(cells),
        findings(cells),
        f"![{alt(one)}]({IMAGE})",
        END,
    ]
    return "\n\n".join(parts)


def results(cells: Sequence[Cell]) -> str:
    """Every cell."""
    rows = [
        [
            one.kind,
            one.correlation,
            spread(one.dev),
            spread(one.holdout),
            percent(float(np.mean(one.claimed))),
            *(with_ends(one.false_adopts(smallest)) for smallest in SMALLEST),
        ]
        for one in cells
    ]
    where = f"mean ({100 * RANGE[0]:.0f} to {100 * RANGE[1]:.0f} %)"
    adopts = [f"the holdout's rule adopts, δ = {smallest:g}, % (95 % interval)" for smallest in SMALLEST]
    headings = ["scores", "correlation", f"chosen arm on dev, {where}", f"same arm on the holdout, {where}"]
    return table([*headings, "interval on dev above 0, %", *adopts], rows)


def spread(values: Floats) -> str:
    """`+0.033 (+0.021 to +0.047)`: mean and range."""
    low, high = np.quantile(values, RANGE)
    return f"{signed(float(values.mean()))} ({signed(float(low))} to {signed(float(high))})"


def with_ends(rate: Share) -> str:
    """`2.4 (1.8 to 3.2)`."""
    return f"{percent(rate.value)} ({percent(rate.ends.low)} to {percent(rate.ends.high)})"


def findings(cells: Sequence[Cell]) -> str:
    """What the table comes to."""
    smallest, chance = SMALLEST[-1], (1 - CONFIDENCE) / 2
    dev, holdout = ([float(getattr(one, side).mean()) for one in cells] for side in ("dev", "holdout"))
    effect = (
        f"A smallest difference of {smallest:g} changed none of this: no difference whose interval lay above 0 was "
        "smaller."
        if all(one.decisions[SMALLEST[0]] == one.decisions[smallest] for one in cells)
        else f"With a smallest difference of {smallest:g} it adopted "
        f"{span(one.false_adopts(smallest).value for one in cells)}."
    )
    return (
        f"On dev the chosen arm lay {signed(min(dev))} to {signed(max(dev))} from the baseline on average, and its "
        f"interval, read as if it had been the only arm, lay above 0 in {span(np.mean(one.claimed) for one in cells)} "
        f"of the repetitions. On the holdout the same arms lay {signed(min(holdout))} to {signed(max(holdout))} from "
        f"it on average, and the rule adopted {span(one.false_adopts(SMALLEST[0]).value for one in cells)} of them "
        f"(expected: {100 * chance:.2g} %, bound: {100 * BOUND:.0f} %). {effect}"
    )


def alt(one: Cell) -> str:
    """The figure in words."""
    return (
        f"Histograms of the difference from the baseline of the best of {one.n_arms} equally good arms: to the right "
        "of 0 on dev, where it was chosen, and around 0 on the holdout, for both kinds of scores and both correlations"
    )
