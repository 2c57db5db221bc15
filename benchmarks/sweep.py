"""60 arms of RRF (20 constants × 3 windows) after retrieval: seconds an arm, logging included.

RAG_ABLATION_COLLECTIONS=… python -m benchmarks.sweep

The first sweep computes retrieval; the second, timed one finds it in the store. Start-up is the time of
`rag-ablation run --cfg job`, measured in the same run and taken off.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.clock import command

COLLECTION = "xquad_zh_sentences"
CONSTANTS = [1, 2, 5, *range(10, 180, 10)]
WINDOWS = [20, 50, 100]
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")


def main() -> None:
    collections = os.environ.get("RAG_ABLATION_COLLECTIONS")
    if not collections:
        raise SystemExit("set RAG_ABLATION_COLLECTIONS to the folder that holds xquad_zh_sentences")
    data = ["dataset=folder", f"dataset.path={collections}/{COLLECTION}", "split=none", "latency=none", "variant=rrf"]
    grid = [
        f"fusion.rank_constant={','.join(map(str, CONSTANTS))}",
        f"fusion.window={','.join(map(str, WINDOWS))}",
    ]
    n_arms = len(CONSTANTS) * len(WINDOWS)
    with tempfile.TemporaryDirectory() as root:
        retrieval = command([PROGRAM, "run", *data], RAG_ABLATION_ROOT=root)
        start_up = command([PROGRAM, "run", *data, "--cfg", "job"], RAG_ABLATION_ROOT=root)
        sweep = command([PROGRAM, "run", "-m", *data, *grid], RAG_ABLATION_ROOT=root)
        computed = _computed(Path(root))
    print(f"retrieval, once: {retrieval}")
    print(f"start-up (--cfg job): {start_up}")
    print(f"{n_arms} arms on {COLLECTION}: {sweep}")
    print(f"retrievals computed in the sweep: {computed} (0 wanted)")
    wall, cpu = sweep.wall_s - start_up.wall_s, sweep.cpu_s - start_up.cpu_s
    print(f"an arm: {wall / n_arms:.2f} s wall, {cpu / n_arms:.2f} s CPU (at most 0.7 s wanted)")
    if computed:
        raise SystemExit(1)


def _computed(root: Path) -> int:
    """Retrieval stages that were not taken from the store, over the arms of the sweep."""
    records = [json.loads(path.read_text()) for path in sorted(root.glob("runs/*/result.json"))][1:]
    return sum(1 for r in records for s in r["stages"] if s["slot"] in ("sparse", "dense") and not s["reused"])


if __name__ == "__main__":
    main()
