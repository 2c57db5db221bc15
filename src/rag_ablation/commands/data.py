"""`rag-ablation data check | stats | split`: look at a dataset, and divide its questions."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rag_ablation.commands._data_split import add_split_options, side_lines, split_lines
from rag_ablation.commands._data_stats import corpus_line, question_lines, shown_questions
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.bundled import PREFIX, dataset_path
from rag_ablation.data.load import load
from rag_ablation.holdout.split import Split, existing_splits, find_split, side, split_notices


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("data", help="check a dataset, count what is in it, or split its questions")
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    check = actions.add_parser("check", help="read every file, tell every problem, and whether its splits still fit")
    stats = actions.add_parser("stats", help="types, statuses, gold per question, recall ceilings, group sizes")
    split = actions.add_parser("split", help="divide the questions into dev and holdout, by whole groups")
    for action in (check, stats, split):
        action.add_argument("dataset", metavar="DIR", help="dataset folder, or bundled:NAME")
        action.add_argument("--qrels", help="BEIR folder: which file of qrels/ to take, for example test")
    add_split_options(split)


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print what was asked for.

    Raises:
        DataError: the dataset cannot be used, with every problem.
        HoldoutError: no such split can be made.
    """
    from rich.console import Console  # noqa: PLC0415

    folder = dataset_path(args.dataset) if args.dataset.startswith(PREFIX) else Path(args.dataset).expanduser()
    benchmark = load(folder, qrels=args.qrels)
    if args.action == "check":
        lines = check_lines(benchmark, _splits(benchmark, folder, root))
    elif args.action == "stats":
        lines = stats_lines(benchmark, _splits(benchmark, folder, root))
    else:
        lines = split_lines(benchmark, folder, root, args)
    console = Console()
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def check_lines(benchmark: Benchmark, splits: Sequence[Split]) -> list[str]:
    """Counts, notices, and whether each split fits."""
    counts = (
        f"{benchmark.name}: no problems found. {len(benchmark.passages)} passages, {len(benchmark.queries)} questions, "
        f"{benchmark.qrels.keys.size} judgements at unit {benchmark.label_unit}, language {benchmark.language}"
    )
    lines = [counts, *(f"notice: {notice}" for notice in benchmark.notices)]
    for split in splits:
        try:
            side(benchmark, split, "dev")
        except HoldoutError as error:
            lines.append(f"notice: {error}")
        else:
            lines += [f"notice: {notice}" for notice in split_notices(benchmark, split)]
            lines.append(f"split {split.name}: fits the questions and labels")
    return lines


def stats_lines(benchmark: Benchmark, splits: Sequence[Split]) -> list[str]:
    """Counts; of questions in a split's holdout only how many they are."""
    shown = shown_questions(benchmark, splits)
    head = f"{benchmark.name} ({benchmark.language}, labels at unit {benchmark.label_unit})"
    return [head, corpus_line(benchmark), *side_lines(splits), *question_lines(benchmark, shown)]


def _splits(benchmark: Benchmark, folder: Path, root: Path) -> list[Split]:
    where = (folder, root, benchmark.fingerprints["queries"], benchmark.name)
    return [find_split(*where, name) for name in existing_splits(*where)]
