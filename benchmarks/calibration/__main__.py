"""Simulate every cell, print it, check the bounds, and write the page."""

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks import markers
from benchmarks.calibration.bounds import ENOUGH, broken, n_bounded
from benchmarks.calibration.made import CORRELATIONS, KINDS, QUESTIONS, SCORES
from benchmarks.calibration.simulate import Calibration, IntervalOf, claims, coverage, share_coverage
from benchmarks.calibration.tables import BEGIN, END, page
from benchmarks.clock import timed
from rag_ablation.measures.family import ALPHA
from rag_ablation.measures.uncertainty import clustered_mean

REPETITIONS = ENOUGH


def calibrate(repetitions: int, interval: IntervalOf = clustered_mean) -> Calibration:
    """Simulate every cell."""
    places = list(product(QUESTIONS, CORRELATIONS))
    return Calibration(
        repetitions=repetitions,
        coverages=tuple(
            coverage(kind, *place, repetitions=repetitions, interval=interval) for kind in KINDS for place in places
        ),
        shares=tuple(share_coverage(*place, repetitions=repetitions) for place in places),
        claims=tuple(
            claims(kind, *place, repetitions=repetitions, interval=interval) for kind in SCORES for place in places
        ),
    )


def written(text: str, block: str) -> str:
    """A page with what stands between its markers replaced.

    Raises:
        ValueError: the page lacks a marker, or has one twice.
    """
    return markers.written(text, block, begin=BEGIN, end=END)


def main(arguments: Sequence[str], interval: IntervalOf = clustered_mean) -> int:
    """Run the command; 1 where a bound is broken, and then nothing is written."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration")
    parser.add_argument("repetitions", type=int, nargs="?", default=REPETITIONS)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the markers of a page")
    asked = parser.parse_args(arguments)
    if asked.repetitions < 1:
        parser.error(f"repetitions: found {asked.repetitions}, expected 1 or more")
    if asked.write is not None:
        written(asked.write.read_text(encoding="utf-8"), "")  # before minutes of work
    found: list[Calibration] = []
    taken = timed(lambda: found.append(calibrate(asked.repetitions, interval)))
    error = 2 * float(np.sqrt(ALPHA * (1 - ALPHA) / asked.repetitions))
    block = page(found[0], " ".join(["python -m benchmarks.calibration", *arguments]), error)
    print(f"{block}\n\n{taken}")
    problems = broken(found[0])
    for problem in problems:
        print(f"BROKEN: {problem}")
    print(f"bounds: {n_bounded(found[0]) - len(problems)} of {n_bounded(found[0])} hold")
    if asked.write is not None and not problems:
        asked.write.write_text(written(asked.write.read_text(encoding="utf-8"), block), encoding="utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
