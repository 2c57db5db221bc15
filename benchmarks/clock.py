"""Wall and CPU seconds of a piece of work, and whether the machine was busy meanwhile."""

import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

BUSY = 1.3


@dataclass(frozen=True)
class Taken:
    """What a piece of work took."""

    wall_s: float
    cpu_s: float

    def __str__(self) -> str:
        busy = "  (machine busy: wall time void)" if self.wall_s > BUSY * self.cpu_s + 0.5 else ""
        return f"{self.wall_s:.2f} s wall, {self.cpu_s:.2f} s CPU{busy}"


def timed(work: Callable[[], object]) -> Taken:
    """Time a call in this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Taken(time.perf_counter() - wall, time.process_time() - cpu)


def command(words: Sequence[str], **environment: str) -> Taken:
    """Time a command, its children included; it must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.perf_counter()
    done = subprocess.run(words, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    taken = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(taken, cpu)
