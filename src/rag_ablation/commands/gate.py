"""`rag-ablation gate`: whether a run may pass, judged by what its difference from a baseline rules out."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_ablation.commands._marks import marks_of_runs, told
from rag_ablation.commands._measures import PRIMARY, unknown_measure
from rag_ablation.commands._runs import find_run
from rag_ablation.core.errors import CommandError, RagAblationError
from rag_ablation.core.record import ArmRecord
from rag_ablation.measures.family import warnings
from rag_ablation.measures.sign_flip import sign_flip_test
from rag_ablation.report.differences import Difference, Values, difference
from rag_ablation.report.gate import Gate, Ruling, gate, planned
from rag_ablation.report.leaderboard import ABSENT, MINUS, Leaderboard, Table, heading, signed
from rag_ablation.tracking.files import read_record, read_values, value_columns

EXIT = {Ruling.PASSED: 0, Ruling.FAILED: 1, Ruling.UNDECIDED: 2}
NAMED = "folder under runs/, a unique part of its name, or an MLflow run id"


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser(
        "gate",
        help="for CI: exit 0 where a drop beyond a limit is ruled out, 1 where there is one, 2 where it is undecided",
    )
    parser.add_argument("candidate", metavar="RUN", help=f"the run to let pass or not: {NAMED}")
    parser.add_argument("--against", metavar="RUN", required=True, help="the baseline")
    parser.add_argument(
        "--max-drop",
        type=float,
        required=True,
        metavar="LIMIT",
        help="largest drop of the mean that is let pass, from 0, in units of the measure (.01 is one point of 100)",
    )
    parser.add_argument("--measure", default=PRIMARY, help="measuring point and measure (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tracking-uri", help="for MLflow run ids; default: MLFLOW_TRACKING_URI, else under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print the ruling; the exit status tells it.

    Raises:
        RagAblationError: no such run, or the two do not compare: nothing can be decided, which is status 2 as well.
    """
    if not (math.isfinite(args.max_drop) and 0 <= args.max_drop < 1):
        raise CommandError.of("--max-drop", str(args.max_drop), "a number from 0 to below 1; a drop of .01 is 0.01")
    candidate, baseline = (find_run(name, root, args.tracking_uri) for name in (args.candidate, args.against))
    found, ruled = gated(candidate, baseline, args.measure, args.max_drop)
    marks = marks_of_runs((candidate, baseline), root)
    if args.json:
        sys.stdout.write(
            json.dumps({**_values(found, ruled), "marks": marks}, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        )
    else:
        from rich.console import Console  # noqa: PLC0415

        from rag_ablation.report.terminal import show  # noqa: PLC0415

        show(_drawn(found, ruled, marks), Console())
    return EXIT[ruled.ruling]


def gated(candidate: Path, baseline: Path, measure: str, max_drop: float) -> tuple[Difference, Gate]:
    """The difference candidate − baseline, and the ruling on it.

    Args:
        candidate: run folder.
        baseline: run folder.
        measure: such as `final/ndcg@10`.
        max_drop: the limit, from 0.

    Raises:
        RagAblationError: one of the two has no such values, or they do not compare.
    """
    mine, theirs = (_measured(folder, measure) for folder in (candidate, baseline))
    found = difference(mine, theirs, measure)
    if found.interval is None:
        message = f"{found.child.arm} {MINUS} {found.parent.arm}: {found.refused}"
        raise RagAblationError(message)
    gaps, groups = mine[1][measure] - theirs[1][measure], mine[1]["group"].astype(np.int64)
    warned = warnings(sign_flip_test(gaps, groups)) if np.nan_to_num(gaps).any() else ()
    return found, gate(found.interval, max_drop, measure=measure, warned=warned)


def _measured(folder: Path, measure: str) -> tuple[ArmRecord, Values]:
    """Record and values of a finished run.

    Raises:
        CommandError: it has not finished, or has no such measure.
    """
    record = read_record(folder)
    if record.status != "finished":
        raise CommandError.of("run", record.status, "a finished run", file=str(folder))
    known = value_columns(folder)
    if measure not in known:
        raise unknown_measure(measure, known, folder)
    return record, read_values(folder, ["group", measure])


def _values(found: Difference, ruled: Gate) -> dict[str, Any]:
    interval = ruled.interval
    return {
        "ruling": str(ruled.ruling),
        "exit": EXIT[ruled.ruling],
        "reason": ruled.reason,
        "candidate": {"id": found.child.id, "arm": found.child.arm},
        "baseline": {"id": found.parent.id, "arm": found.parent.arm},
        "dataset": found.child.dataset,
        "side": found.child.side,
        "changed": [str(factor) for factor in found.change.factors],
        "measure": found.measure,
        "max_drop": ruled.max_drop,
        "difference": interval.mean,
        "low": interval.low,
        "high": interval.high,
        "confidence": interval.confidence,
        "n": interval.n,
        "n_groups": interval.n_groups,
        "excluded": interval.dropped,
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "groups_needed": ruled.needed,
        "planned_from": ruled.planned_from or None,
        "warnings": list(ruled.warnings),
    }


def _drawn(found: Difference, ruled: Gate, marks: Sequence[str]) -> Leaderboard:
    interval = ruled.interval
    point, _, measure = found.measure.partition("/")
    ends = ABSENT if interval.low is None else f"{signed(interval.low)} to {signed(interval.high)}"
    row = (
        f"{point} {heading(measure)}",
        f"{interval.n} ({interval.n_groups})",
        signed(interval.mean),
        ends,
        f"{found.wins}/{found.ties}/{found.losses}",
        f"{MINUS}{ruled.max_drop:g}" if ruled.max_drop else "0",
        str(ruled.ruling),
    )
    table = Table(
        title=f"{found.child.arm} {MINUS} {found.parent.arm}, on {found.child.dataset} ({found.child.side})",
        headings=("measure", "n (groups)", "difference", "95 % interval", "wins/ties/losses", "limit", "ruling"),
        rows=(row,),
        numeric_from=1,
    )
    changed = "; ".join(str(factor) for factor in found.change.factors) or "nothing in the settings"
    remarks = [*told(marks), f"{ruled.ruling}: {ruled.reason}", planned(ruled), f"changed: {changed}"]
    remarks += [f"warning: {warning}" for warning in ruled.warnings]
    return Leaderboard(tables=(table,), remarks=tuple(remark for remark in remarks if remark))
