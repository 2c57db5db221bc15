"""`rag-ablation report`: a study's report, written again from what its runs recorded."""

import argparse
from contextlib import nullcontext
from pathlib import Path

from rag_ablation.commands._study_folder import at_work, open_results, study_folder
from rag_ablation.commands._study_report import NOTE, PAGE, TABLE, write_report


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("report", help="write the report of a study again, from its recorded runs")
    parser.add_argument("study", help="name of a study that was run under this root")
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="in which the page opens; it holds both")
    parser.add_argument("--to", type=Path, help="folder to write to; default: the study's own under studies/")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Write `report.html`, `report.md` and `results.parquet`, and print the conclusion.

    Raises:
        CommandError: the study was not run under this root, a run of it is damaged, or it is running.
    """
    from rich.console import Console  # noqa: PLC0415

    from rag_ablation.report.study.terminal import board_of  # noqa: PLC0415
    from rag_ablation.report.terminal import show  # noqa: PLC0415

    results = open_results(args.study, root)
    folder = args.to or study_folder(results.study.name, root)
    console = Console()
    with nullcontext() if args.to else at_work(results.study.name, root):
        report = write_report(folder, results, args.language)
    show(board_of(report), console)
    for name in (PAGE, NOTE, TABLE):
        console.print(f"{folder / name}", soft_wrap=True, highlight=False, markup=False)
    return 0
