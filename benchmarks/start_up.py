"""How long `rag-ablation run variant=bm25` takes beside `import mlflow`, with its stages in the store.

python -m benchmarks.start_up
"""

import sys
import tempfile
from pathlib import Path

from benchmarks.clock import command

REPEATS = 5
RUN = [str(Path(sys.executable).parent / "rag-ablation"), "run", "variant=bm25"]
IMPORT = [sys.executable, "-c", "import mlflow"]


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        command(RUN, RAG_ABLATION_ROOT=root)  # fills the store and the database
        pairs = [(command(IMPORT), command(RUN, RAG_ABLATION_ROOT=root)) for _ in range(REPEATS)]
    for imported, run in pairs:
        print(f"import mlflow: {imported}    run variant=bm25: {run}")
    least_import = min(pair[0].wall_s for pair in pairs)
    least_run = min(pair[1].wall_s for pair in pairs)
    print(f"ratio of least wall times: {least_run / least_import:.2f} (at most 3.5 wanted)")


if __name__ == "__main__":
    main()
