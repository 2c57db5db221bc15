"""`rag-ablation judge pool | apply`: have what nobody judged looked at, and score every arm on the same new labels."""

import argparse
from pathlib import Path

from rag_ablation.commands import _study_folder
from rag_ablation.commands._judge_apply import Target, applied, dataset_of
from rag_ablation.commands._said import say
from rag_ablation.commands._sheet_file import write_sheet_file
from rag_ablation.core.errors import CommandError
from rag_ablation.core.wording import counted
from rag_ablation.data.review import write_sheet
from rag_ablation.report.pool import pool
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.tracking.files import TOP_RANKS

FOLDER = "judging"


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("judge", help="write the unjudged results of a study for review, and take labels back")
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    gather = actions.add_parser("pool", help="write the unjudged first results of all arms to a CSV file")
    gather.add_argument(
        "--depth",
        type=int,
        default=TOP_RANKS,
        help=f"how many of the first results at final, at most {TOP_RANKS} (default: %(default)s)",
    )
    gather.add_argument("--out", metavar="FILE", help=f"default: {FOLDER}/STUDY.csv under the root")
    apply = actions.add_parser("apply", help="check the grades of a reviewed file and join them to the dataset")
    for action in (gather, apply):
        action.add_argument("study", metavar="STUDY", help="name of the study")
    apply.add_argument("file", metavar="FILE", help="the file that pool wrote, with grades")
    where = apply.add_mutually_exclusive_group()
    where.add_argument(
        "--to", metavar="DIR", help="write a copy of the dataset there (default: a new folder under the root)"
    )
    where.add_argument("--in-place", action="store_true", help="change the dataset's own file of judgements")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Write the pool, or take grades over; say what to type next.

    Raises:
        RagAblationError: no such study, or what was given cannot be used, with every problem.
    """
    results = _study_folder.open_results(args.study, root)
    if args.action == "pool":
        out = Path(args.out).expanduser() if args.out else root / FOLDER / f"{args.study}.csv"
        lines = pooled(results, args.depth, out, root)
    else:
        target = Target(Path(args.to).expanduser().absolute() if args.to else None, in_place=args.in_place)
        lines = applied(results, Path(args.file).expanduser(), target, root)
    say(lines)
    return 0


def pooled(results: StudyResults, depth: int, out: Path, root: Path) -> list[str]:
    """Write the unjudged results of a study and say what was found.

    Args:
        results: of the study.
        depth: how many of the first results of each question.
        out: the file; one that holds something else is left as it is.
        root: folder under which everything is written.

    Raises:
        RagAblationError: nothing can be gathered, or the file is taken.
    """
    if not 1 <= depth <= TOP_RANKS:
        raise CommandError.of("--depth", str(depth), f"1 to {TOP_RANKS}: a run keeps so many results with their ids")
    finished = [arm.record for arm in results.arms if arm.finished]
    if not finished:
        raise CommandError.of("study", f"{results.study.name}, without a finished arm", "one that was run")
    if finished[0].on_holdout:
        raise CommandError.of("study", "runs on the holdout", "runs on dev: nothing else is judged while you tune")
    found = pool(results.arms, results.source, unit=dataset_of(finished[0], root)[1].label_unit, depth=depth)
    looked = f"the first {counted(depth, 'result')} of {counted(len(found.arms), 'arm')}"
    left_out = [f"left out: {'; '.join(found.left_out)}"] if found.left_out else []
    if not found.rows:
        return [f"{looked}: no result without a judgement, no file written", *left_out]
    write_sheet_file(write_sheet(found.rows), out, "grades")
    return [
        f"written: {out}",
        f"{looked}: without a judgement {counted(len(found.rows), 'result')} "
        f"of {counted(found.n_questions, 'question')}",
        *left_out,
        *_next(results.study.name, out),
    ]


def _next(study: str, out: Path) -> list[str]:
    return [
        "fill the column grade: 0 for not relevant, 1 and above for relevant by degree, nothing where you did not "
        "look. Hide the column found_by meanwhile: a judge had better not know which arm found what",
        f"next: rag-ablation judge apply {study} {out}",
    ]
