"""`rag-ablation review export | import`: have people look at answers, and take their verdicts back."""

import argparse
import shlex
from pathlib import Path

from rag_ablation.commands._marks import told
from rag_ablation.commands._review_answers import Reviewable, reviewable
from rag_ablation.commands._review_import import imported
from rag_ablation.commands._review_sample import allocation_words, drawn
from rag_ablation.commands._said import say
from rag_ablation.commands._sheet_file import write_sheet_file
from rag_ablation.core.errors import CommandError
from rag_ablation.core.wording import counted
from rag_ablation.data.answer_sheet import write_answers
from rag_ablation.data.settled import REVIEWS, read_reviews
from rag_ablation.report.leaderboard import Leaderboard

FOLDER = "reviews"
NAMED = "a study, or a run: folder under runs/, a unique part of its name, STUDY:KEY, or an MLflow run id"
FILL = "fill the column verdict with correct or incorrect, and note if you like; leave the other columns as they are"


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("review", help="write answers for people to look at, and take their verdicts back")
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    export = actions.add_parser("export", help="write open verdicts, or a sample of all answers, to a CSV file")
    take = actions.add_parser("import", help="check and take over the verdicts of a file, and print the new rates")
    for action in (export, take):
        action.add_argument("run", metavar="RUN", help=NAMED)
        action.add_argument(
            "--tracking-uri", help="of MLflow run ids; default: MLFLOW_TRACKING_URI, else under the root"
        )
    export.add_argument(
        "--sample",
        type=int,
        metavar="N",
        help="instead so many of all judged answers, drawn by verdict, without the judge's word: for agreement",
    )
    export.add_argument("--seed", type=int, help="with --sample: of the draw (default: 0)")
    export.add_argument("--out", metavar="FILE", help=f"default: {FOLDER}/NAME.csv under the root")
    take.add_argument("file", metavar="FILE", help="the file that export wrote, with verdicts")
    take.add_argument("--by", metavar="NAME", help="who gave the verdicts, to be noted with them")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Write a sheet, or take verdicts over; say what to type next.

    Raises:
        RagAblationError: no such run, or what was given cannot be used, with every problem.
    """
    found = reviewable(args.run, root, args.tracking_uri)
    if args.action == "import":
        _show(imported(args.run, found, Path(args.file).expanduser(), args.by, root))
        return 0
    if args.sample is None and args.seed is not None:
        raise CommandError.of("--seed", str(args.seed), "--sample N beside it: open verdicts are not drawn")
    if args.seed is not None and args.seed < 0:
        raise CommandError.of("--seed", str(args.seed), "a whole number from 0")
    out = None if args.out is None else Path(args.out).expanduser()
    lines = _open(args.run, found, out, root) if args.sample is None else _sampled(args, found, out, root)
    say([*lines, *told(found.marks)])
    return 0


def _show(board: Leaderboard) -> None:
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.terminal import show  # noqa: PLC0415

    show(board, Console())


def _open(name: str, found: Reviewable, out: Path | None, root: Path) -> list[str]:
    """Write the verdicts that wait for review."""
    reviews = read_reviews(root / REVIEWS)
    waiting = found.waiting(reviews)
    n_settled = sum(one.key in reviews.latest for one in found.answers.values())
    among = f"{counted(len(found.answers), 'distinct answer')} of {_arms(found)}"
    counts = f"{counted(len(waiting), 'open verdict')} on {among}"
    said = [counts, *([f"settled before: {n_settled}"] if n_settled else []), *_left_out(found)]
    if not waiting:
        return [*said, "no file written"]
    file = out or root / FOLDER / f"{found.name}.csv"
    write_sheet_file(write_answers([one.row for one in waiting]), file, "verdicts")
    return [f"written: {file}", *said, FILL, _next(name, file)]


def _sampled(args: argparse.Namespace, found: Reviewable, out: Path | None, root: Path) -> list[str]:
    """Write a random sample, without what the judge said."""
    sample, answers = drawn(found, args.sample, args.seed or 0)
    file = out or root / FOLDER / f"{found.name}-sample-{sample.n}-seed-{sample.seed}.csv"
    write_sheet_file(write_answers([one.row for one in answers], str(sample)), file, "verdicts")
    return [
        f"written: {file}",
        f"drawn: {sample.n} of {counted(sample.of, 'distinct judged answer')} of {_arms(found)}, seed {sample.seed}: "
        f"{allocation_words(found, sample.n)} (equally many of each verdict, and all where there are fewer)",
        *_left_out(found),
        "the sheet does not say what the judge made of them; do not look it up meanwhile",
        FILL,
        _next(args.run, file),
    ]


def _next(name: str, file: Path) -> str:
    return f"next: {shlex.join(['rag-ablation', 'review', 'import', name, str(file)])}"


def _arms(found: Reviewable) -> str:
    return counted(len(found.arms), "arm")


def _left_out(found: Reviewable) -> list[str]:
    lines = [f"left out: {'; '.join(found.left_out)}"] if found.left_out else []
    if found.n_at_odds:
        lines.append(f"answers on which the judge said different things in different arms: {found.n_at_odds}")
    return lines
