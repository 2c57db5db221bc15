"""`rag-ablation runs`: read results back from the tracking store."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from rag_ablation.commands._marks import marks_of_run, told
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import HoldoutError
from rag_ablation.tracking.files import RESULT, read_record
from rag_ablation.tracking.names import tracker_name

PIPE_WIDTH = 200


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("runs", help="list the arms of an experiment with the metrics asked for")
    parser.add_argument("--experiment", required=True, help="name of the MLflow experiment")
    parser.add_argument(
        "--metric", action="append", default=[], help="for example final/mrr_at_10 (or final/mrr@10); repeatable"
    )
    parser.add_argument("--tracking-uri", help="default: MLFLOW_TRACKING_URI, else mlflow.db under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print a table of arms; a metric that no arm has is an error that lists those there are."""
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from rag_ablation.tracking.mlflow_tracker import MlflowTracker  # noqa: PLC0415

    names = [tracker_name(name) if "@" in name else name for name in args.metric]
    rows = MlflowTracker.open(args.tracking_uri, root).runs(args.experiment, names)
    marks = _marks(rows, root)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("arm", "status", "n scored", *names, "run id"):
        table.add_column(Text(heading), overflow="fold")
    for row in rows:
        cells = [
            row["name"],
            row["status"],
            _count(row["scored"]),
            *(_value(row[name]) for name in names),
            row["run_id"],
        ]
        table.add_row(*(Text(str(cell)) for cell in cells))
    console = Console()
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    console.print(table)
    for mark in told(marks):
        console.print(Text(mark), soft_wrap=True)
    unknown = [name for name in names if all(row[name] is None for row in rows)]
    if unknown:
        known = sorted({str(name) for row in rows for name in row["known"]})  # type: ignore[attr-defined]
        Console(stderr=True).print(Text(f"no arm has {', '.join(unknown)}; there are: {', '.join(known)}"))
    return 1 if unknown else 0


def _marks(rows: Sequence[Mapping[str, object]], root: Path) -> list[str]:
    """What must be said of runs on a holdout, a line for each plan; the ledger's entry stands in their records.

    Raises:
        HoldoutError: the ledger does not say that it was opened, or the record is not under this root.
    """
    said = []
    for row in rows:
        if not row["holdout"]:
            continue
        folder = root / RUNS / str(row["folder"])
        if not (folder / RESULT).is_file():
            message = (
                f"run {row['name']}: it is of a holdout, and its record {folder} is not there, so that nothing says "
                "under which entry of the ledger it was made: give the root that it was made under (--root)"
            )
            raise HoldoutError(message)
        said.append("; ".join(marks_of_run(read_record(folder), root)))
    return list(dict.fromkeys(said))


def _value(value: object) -> str:
    return "–" if value is None else f"{value:.4f}"


def _count(value: object) -> str:
    return "–" if value is None else f"{value:.0f}"
