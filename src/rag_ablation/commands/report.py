"""`rag-ablation report`: a study's report, written again from what its runs recorded."""

import argparse
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from rag_ablation.commands._holdout_report import open_holdout_results
from rag_ablation.commands._plan_notes import with_plans
from rag_ablation.commands._study_folder import at_work, open_results, study_folder
from rag_ablation.commands._study_report import NOTE, PAGE, TABLE, write_report
from rag_ablation.report.study.inputs import StudyResults


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("report", help="write the report of a study again, from its recorded runs")
    parser.add_argument("study", help="name of a study that was run under this root")
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="in which the page opens; it holds both")
    parser.add_argument(
        "--holdout",
        metavar="NAME",
        help="the report of a plan on its holdout instead; NAME/amended-1 for that on corrected labels",
    )
    parser.add_argument("--to", type=Path, help="folder to write to; default: the study's own under studies/")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Write `report.html`, `report.md` and `results.parquet`, and print the conclusion.

    Raises:
        CommandError: the study was not run under this root, a run of it is damaged, or it is running.
        HoldoutError: the ledger does not say that the holdout asked for was opened.
    """
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.answers import with_answers  # noqa: PLC0415
    from rag_ablation.report.study.terminal import board_of  # noqa: PLC0415
    from rag_ablation.report.terminal import show  # noqa: PLC0415

    own, results = _asked(args, root)
    folder = args.to or own
    console = Console()
    with nullcontext() if args.to else at_work(Path(args.study).name, root):
        report = write_report(folder, results, args.language)
    records = [replace(arm.record, arm=arm.key) for arm in results.arms]
    study = results.study.name if args.holdout is None else None
    show(with_answers(board_of(report), records, study), console)
    for name in (PAGE, NOTE, TABLE):
        console.print(f"{folder / name}", soft_wrap=True, highlight=False, markup=False)
    return 0


def _asked(args: argparse.Namespace, root: Path) -> tuple[Path, StudyResults]:
    """Where the report goes, and what it is made from: of the study, or of one of its plans on the holdout."""
    if args.holdout is not None:
        return open_holdout_results(args.study, args.holdout, root)
    results = with_plans(open_results(args.study, root), root)
    return study_folder(results.study.name, root), results
