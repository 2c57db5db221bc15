"""How much choosing flatters, and how often the rule of a holdout then adopts what is no better.

python -m benchmarks.optimism [REPETITIONS] [--write FILE]

The best of 60 arms is chosen on dev, none of which is better than the baseline, and is then looked at on a holdout.
The exit status is 1 where the rule adopts it too often: where, with a smallest difference of 0, the 95 % interval
(Wilson) of the simulated share lies above 5 %. With `--write` the table is put into a page, between its two markers,
and the figure into the folder `images` beside that page, if the bound holds in every cell.
"""

from benchmarks.optimism.simulate import Cell, simulate

__all__ = ["Cell", "simulate"]
