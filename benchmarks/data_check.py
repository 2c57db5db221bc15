"""What `data check` takes for a large corpus, beside the check of a corpus of one passage.

python -m benchmarks.data_check [PASSAGES]
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

QUESTIONS, PER_DOCUMENT, WORDS = 1_000, 10, 5_000
MIB = 1 << 20
CHILD = """
import resource, sys, time
from rag_ablation.cli import main
status = main(["data", "check", sys.argv[1]])
used = resource.getrusage(resource.RUSAGE_SELF)
print(status, used.ru_maxrss * 1024, used.ru_utime + used.ru_stime, file=sys.stderr)
"""


class Used(NamedTuple):
    """What a fresh process took."""

    peak_bytes: int
    wall_s: float
    cpu_s: float


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small", Path(folder) / "large"
        write(small, 1)
        write(large, count)
        size = (large / "corpus.jsonl").stat().st_size
        empty, full = check(small), check(large)
    above = full.peak_bytes - empty.peak_bytes
    print(f"{count} passages, {size / MIB:.0f} MiB ({size / count:.0f} bytes a line), {QUESTIONS} questions")
    print(f"peak resident memory: {full.peak_bytes / MIB:.0f} MiB; an empty check {empty.peak_bytes / MIB:.0f} MiB")
    print(f"above an empty check: {above / MIB:.0f} MiB, {above / count:.0f} bytes a passage")
    print(f"{full.wall_s:.1f} s wall, {full.cpu_s:.1f} s CPU; {count / full.wall_s:.0f} lines a second")


def write(folder: Path, count: int) -> None:
    """Documents of ten passages in English-like words; a question for each of a thousand passages."""
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 10))) for _ in range(WORDS)]
    folder.mkdir()
    with (folder / "corpus.jsonl").open("w") as file:
        for row in range(count):
            metadata = {"doc_id": f"doc-{row // PER_DOCUMENT:07}", "location": f"{row % PER_DOCUMENT}", "acl": ["all"]}
            text = " ".join(draw.choices(words, k=52))
            record = {"_id": f"passage-{row:08}", "title": f"Document {row // PER_DOCUMENT}", "text": text}
            file.write(json.dumps(record | {"metadata": metadata}) + "\n")
    asked = [(f"q{number:05}", draw.randrange(count)) for number in range(min(QUESTIONS, count))]
    with (folder / "queries.jsonl").open("w") as file:
        for name, row in asked:
            file.write(json.dumps({"_id": name, "text": f"what is {name} on {row}?"}) + "\n")
    rows = "".join(f"{name}\tpassage-{row:08}\t1\n" for name, row in asked)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")


def check(folder: Path) -> Used:
    """Check a folder in a fresh process."""
    begin = time.perf_counter()
    words = [sys.executable, "-c", CHILD, str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    taken = time.perf_counter() - begin
    if done.returncode or not done.stderr.startswith("0 "):
        raise SystemExit(f"the check failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    _, peak, cpu = done.stderr.split()
    return Used(int(peak), taken, float(cpu))


if __name__ == "__main__":
    main()
