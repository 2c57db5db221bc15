"""Simulate every cell, print it, check the bound, and write page and figure."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import markers
from benchmarks.clock import timed
from benchmarks.optimism.figure import draw
from benchmarks.optimism.page import BEGIN, END, IMAGE, page
from benchmarks.optimism.simulate import Cell, Decide, broken, simulate
from rag_ablation.holdout.rule import decide

REPETITIONS = 2_000


def main(arguments: Sequence[str], decide_by: Decide = decide) -> int:
    """Run the command; 1 where the bound is broken, and then nothing is written."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimism")
    parser.add_argument("repetitions", type=int, nargs="?", default=REPETITIONS)
    parser.add_argument("--write", type=Path, metavar="FILE", help="put table and figure into a page")
    asked = parser.parse_args(arguments)
    if asked.repetitions < 1:
        parser.error(f"repetitions: found {asked.repetitions}, expected 1 or more")
    if asked.write is not None:
        write(asked.write, "", [])  # before minutes of work
    cells: list[Cell] = []
    taken = timed(lambda: cells.extend(simulate(asked.repetitions, decide_by)))
    block = page(cells, " ".join(["python -m benchmarks.optimism", *arguments]))
    print(f"{block}\n\n{taken}")
    problems = broken(cells)
    for problem in problems:
        print(f"BROKEN: {problem}")
    print(f"bounds: {len(cells) - len(problems)} of {len(cells)} hold")
    if asked.write is not None and not problems:
        write(asked.write, block, cells)
    return 1 if problems else 0


def write(path: Path, block: str, cells: Sequence[Cell]) -> None:
    """Put a block into a page and the figure beside it; without cells, only see whether the page has its markers."""
    text = markers.written(path.read_text(encoding="utf-8"), block, begin=BEGIN, end=END)
    if cells:
        image = path.parent / IMAGE
        image.parent.mkdir(exist_ok=True)
        draw(cells, image)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
