"""`rag-ablation compare`: what one arm finds that another does not, and the difference in numbers."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag_ablation.commands._compare_tables import drawn
from rag_ablation.commands._marks import marks_of_runs
from rag_ablation.commands._measures import PRIMARY, unknown_measure
from rag_ablation.commands._runs import find_run
from rag_ablation.core.errors import CommandError, RagAblationError
from rag_ablation.core.record import ArmRecord
from rag_ablation.measures.bootstrap import bootstrap_intervals
from rag_ablation.measures.sign_flip import sign_flip_tests
from rag_ablation.report.differences import Difference, Values, difference
from rag_ablation.report.leaderboard import MINUS
from rag_ablation.report.movers import first_ranks, movers
from rag_ablation.tracking.files import read_record, read_table, read_values, value_columns

MEASURES = ("final/recall@5", "final/recall@10", "final/mrr@10", "final/ndcg@10", "context/recall@10")
ANSWERS = ("answer/correct", "answer/correct_low", "answer/correct_high", "answer/supported")
"""Compared where both arms have answers."""
QUESTIONS = 10
KEPT = "kept"
TESTED = "p: sign-flip by group, two-sided, unadjusted, exploratory; bootstrap: percentile, by group"


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("compare", help="two arms question by question: differences, units rescued and lost")
    parser.add_argument(
        "before", metavar="RUN", help="folder under runs/, a unique part of its name, or an MLflow run id"
    )
    parser.add_argument("after", metavar="RUN", help="the arm to compare with it")
    parser.add_argument(
        "--measure", default=PRIMARY, help="measuring point and measure by which questions are listed (%(default)s)"
    )
    parser.add_argument(
        "--questions",
        type=int,
        default=QUESTIONS,
        metavar="N",
        help="list the questions that moved most on the measure (default: %(default)s; 0 for none)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--tracking-uri", help="for MLflow run ids; default: MLFLOW_TRACKING_URI, else under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print the differences of the second arm from the first, and the units that moved.

    Raises:
        RagAblationError: there is no such run, or the two do not compare; the message names what differs.
    """
    if args.questions < 0:
        raise CommandError.of("--questions", str(args.questions), "a number of questions, 0 for none")
    before, after = (find_run(name, root, args.tracking_uri) for name in (args.before, args.after))
    found = compared(before, after, args.measure, args.questions, marks=marks_of_runs((before, after), root))
    if args.json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
        return 0
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    show(drawn(found), Console())
    return 0


def compared(
    before: Path,
    after: Path,
    measure: str = PRIMARY,
    questions: int = QUESTIONS,
    *,
    marks: Sequence[str] = (),
) -> dict[str, Any]:
    """Differences (after − before), questions and units that moved, in JSON values.

    Args:
        before: run folder of the one arm.
        after: run folder of the other.
        measure: such as `final/ndcg@10`, by which questions are listed.
        questions: how many of them at most.
        marks: what must be said of the two runs.

    Raises:
        RagAblationError: the two do not compare.
    """
    one, other = (_measured(folder, measure) for folder in (before, after))
    if measure not in one[1] and measure not in other[1]:
        raise unknown_measure(measure, value_columns(before), before)
    answers = [name for name in ANSWERS if name in one[1] and name in other[1]]
    differences = [difference(other, one, name) for name in dict.fromkeys([*MEASURES, *answers, measure])]
    refused = next((found.refused for found in differences if (found.refused or "").startswith("not comparable")), None)
    if refused is not None:
        message = f"{other[0].arm} {MINUS} {one[0].arm}: {refused}"
        raise RagAblationError(message)
    asked = next(found for found in differences if found.measure == measure)
    both = one[0].evidence and other[0].evidence
    return {
        "before": {"id": one[0].id, "arm": one[0].arm},
        "after": {"id": other[0].id, "arm": other[0].arm},
        "dataset": one[0].dataset,
        "side": one[0].side,
        "marks": list(marks),
        "changed": [str(factor) for factor in differences[0].change.factors],
        "tests": TESTED,
        "differences": _rows(differences, one[1], other[1]),
        "measure": measure,
        "questions": None if asked.refused else _questions(before, (one[1], other[1]), measure, questions),
        "moved": _moved(before, after) if both else None,
    }


def _measured(folder: Path, measure: str) -> tuple[ArmRecord, Values]:
    """Record and values of a finished run: those of the table, and all of the measuring point asked for."""
    record = read_record(folder)
    if record.status != "finished":
        raise CommandError.of("run", record.status, "a finished run", file=str(folder))
    point = measure.partition("/")[0]
    here = [name for name in value_columns(folder) if name.startswith(f"{point}/")]
    return record, read_values(folder, list(dict.fromkeys(["group", *MEASURES, *ANSWERS, *here])))


def _rows(differences: Sequence[Difference], before: Values, after: Values) -> list[dict[str, Any]]:
    """Every difference with its interval and, beside it, the sign-flip test and the bootstrap."""
    there = [found for found in differences if found.interval is not None]
    tested: dict[str, dict[str, Any]] = {}
    if there:
        gaps = np.stack([after[found.measure] - before[found.measure] for found in there])
        groups = after["group"].astype(np.int64)
        for found, test, drawn_again in zip(
            there, sign_flip_tests(gaps, groups), bootstrap_intervals(gaps, groups), strict=True
        ):
            tested[found.measure] = {
                "p": test.p,
                "bootstrap_low": drawn_again.low,
                "bootstrap_high": drawn_again.high,
            }
    return [{**_values(found), **tested.get(found.measure, {})} for found in differences]


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


def _questions(folder: Path, values: tuple[Values, Values], measure: str, most: int) -> dict[str, Any]:
    """Questions that moved most."""
    before, after = values
    labels = read_table(folder, "per_question", columns=("query_id", "type"))
    ids = [row["query_id"] for row in labels]
    ranks = [first_ranks(found, measure.partition("/")[0]) for found in values]
    gaps = after[measure] - before[measure]
    rows = [
        {
            "query_id": ids[moved.row],
            "type": labels[moved.row]["type"],
            "before": moved.before,
            "after": moved.after,
            "difference": moved.difference,
            "rank_before": ranks[0] and ranks[0].at(moved.row),
            "rank_after": ranks[1] and ranks[1].at(moved.row),
        }
        for moved in movers(ids, before[measure], after[measure], most)
    ]
    return {
        "n_moved": int(np.count_nonzero(np.nan_to_num(gaps))),
        "n": int(np.count_nonzero(~np.isnan(gaps))),
        "ranks_down_to": [found and found.depth for found in ranks],
        "rows": rows,
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
