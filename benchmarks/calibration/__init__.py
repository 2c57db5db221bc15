"""How often the intervals hold the truth, and how often tests claim a difference that is not there.

python -m benchmarks.calibration [REPETITIONS] [--write FILE]

Prints every cell and checks those that have a bound: the exit status is 1 where one is broken. With `--write` the
tables are put into a page, between its two markers, if all bounds hold.
"""

from benchmarks.calibration.bounds import broken
from benchmarks.calibration.made import made_groups
from benchmarks.calibration.simulate import Calibration, Claims, Coverage, Shares, claims, coverage

__all__ = ["Calibration", "Claims", "Coverage", "Shares", "broken", "claims", "coverage", "made_groups"]
