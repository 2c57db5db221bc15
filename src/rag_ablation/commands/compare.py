"""`rag-ablation compare`: what one arm finds that another does not, and the difference in numbers."""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rag_ablation.commands._runs import find_run
from rag_ablation.core.errors import CommandError, RagAblationError
from rag_ablation.core.wording import counted
from rag_ablation.report.differences import Difference, difference
from rag_ablation.report.leaderboard import ABSENT, MINUS, Leaderboard, Table, heading, signed
from rag_ablation.tracking.files import read_record, read_table, read_values

MEASURES = ("final/recall@5", "final/recall@10", "final/mrr@10", "final/ndcg@10", "context/recall@10")
KEPT = "kept"


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("compare", help="two arms question by question: differences, units rescued and lost")
    parser.add_argument(
        "before", metavar="RUN", help="folder under runs/, a unique part of its name, or an MLflow run id"
    )
    parser.add_argument("after", metavar="RUN", help="the arm to compare with it")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tracking-uri", help="for MLflow run ids; default: MLFLOW_TRACKING_URI, else under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print the differences of the second arm from the first, and the units that moved.

    Raises:
        RagAblationError: there is no such run, or the two do not compare; the message names what differs.
    """
    before, after = (find_run(name, root, args.tracking_uri) for name in (args.before, args.after))
    found = compared(before, after)
    if args.json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return 0
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    show(_drawn(found), Console())
    return 0


def compared(before: Path, after: Path) -> dict[str, Any]:
    """Differences (after − before) and units that moved, in JSON values.

    Args:
        before: run folder of the one arm.
        after: run folder of the other.

    Raises:
        RagAblationError: the two do not compare.
    """
    records = [read_record(folder) for folder in (before, after)]
    for record, folder in zip(records, (before, after), strict=True):
        if record.status != "finished":
            raise CommandError.of("run", record.status, "a finished run", file=str(folder))
    columns = ["group", *MEASURES]
    pairs = [(record, read_values(folder, columns)) for record, folder in zip(records, (before, after), strict=True)]
    differences = [difference(pairs[1], pairs[0], name) for name in MEASURES]
    refused = next((found.refused for found in differences if (found.refused or "").startswith("not comparable")), None)
    if refused is not None:
        message = f"{records[1].arm} {MINUS} {records[0].arm}: {refused}"
        raise RagAblationError(message)
    moved = _moved(before, after) if all(record.evidence for record in records) else None
    return {
        "before": {"id": records[0].id, "arm": records[0].arm},
        "after": {"id": records[1].id, "arm": records[1].arm},
        "dataset": records[0].dataset,
        "side": records[0].side,
        "changed": [str(factor) for factor in differences[0].change.factors],
        "differences": [_values(found) for found in differences],
        "moved": moved,
    }


def _values(found: Difference) -> dict[str, Any]:
    interval = found.interval
    if interval is None:
        return {"measure": found.measure, "difference": None, "reason": found.refused}
    return {
        "measure": found.measure,
        "difference": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
        "n_groups": interval.n_groups,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
    }


def _moved(before: Path, after: Path) -> dict[str, list[dict[str, Any]]]:
    """Units that the context of one arm holds and that of the other does not, by question."""
    one, other = (
        {(row["query_id"], row["unit"]): row for row in read_table(folder, "fates")} for folder in (before, after)
    )
    rows = [
        {
            "query_id": key[0],
            "type": one[key]["type"],
            "unit": key[1],
            "grade": one[key]["grade"],
            "before": one[key]["fate"],
            "after": other[key]["fate"],
        }
        for key in sorted(one.keys() & other.keys())
    ]
    return {
        "rescued": [row for row in rows if row["after"] == KEPT != row["before"]],
        "lost": [row for row in rows if row["before"] == KEPT != row["after"]],
    }


def _drawn(found: Mapping[str, Any]) -> Leaderboard:
    tables = [_differences(found)]
    factors = found["changed"]
    confounded = f" ({len(factors)} factors: confounded)" if len(factors) > 1 else ""
    remarks = [f"changed: {'; '.join(factors) or 'nothing'}{confounded}", "exploratory: intervals, no verdict"]
    if found["moved"] is None:
        remarks.append("units that moved are not told, since one of the two has no context")
    else:
        tables += [_units(found["moved"][what], what) for what in ("rescued", "lost")]
        remarks += [_sum(found["moved"][what], what) for what in ("rescued", "lost")]
    return Leaderboard(tables=tuple(table for table in tables if table.rows), remarks=tuple(remarks))


def _differences(found: Mapping[str, Any]) -> Table:
    rows = []
    for row in found["differences"]:
        point, _, measure = row["measure"].partition("/")
        name = f"{point} {heading(measure)}"
        if row["difference"] is None:
            rows.append((name, ABSENT, ABSENT, str(row["reason"]), ABSENT))
            continue
        ends = ABSENT if row["low"] is None else f"{signed(row['low'])} to {signed(row['high'])}"
        counted = f"{row['n']} ({row['n_groups']})"
        rows.append((name, counted, signed(row["difference"]), ends, f"{row['wins']}/{row['ties']}/{row['losses']}"))
    arms = f"{found['after']['arm']} {MINUS} {found['before']['arm']}"
    return Table(
        title=f"{arms}, on {found['dataset']} ({found['side']})",
        headings=("measure", "n (groups)", "difference", "95 % interval", "wins/ties/losses"),
        rows=tuple(rows),
        numeric_from=1,
    )


def _units(rows: Sequence[Mapping[str, Any]], what: str) -> Table:
    cells = [
        (row["query_id"], row["type"], row["unit"], str(row["grade"]), row["before"], row["after"]) for row in rows
    ]
    return Table(
        title=f"units {what}: {'not in' if what == 'rescued' else 'in'} the context before, "
        f"{'in' if what == 'rescued' else 'not in'} it after",
        headings=("question", "type", "unit", "grade", "before", "after"),
        rows=tuple(cells),
        numeric_from=6,
    )


def _sum(rows: Sequence[Mapping[str, Any]], what: str) -> str:
    questions = len({row["query_id"] for row in rows})
    types = ", ".join(f"{kind} {n}" for kind, n in sorted(Counter(row["type"] for row in rows).items()))
    sizes = f"{counted(len(rows), 'unit')} of {counted(questions, 'question')}"
    return f"{what}: {sizes}" + (f" ({types})" if types else "")
