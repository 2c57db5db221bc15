"""`rag-ablation data check | stats | split | import | export`: look at a dataset, divide its questions, convert it."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from rag_ablation.commands import _data_exchange
from rag_ablation.commands._data_stats import corpus_line, question_lines, shown_questions, side_lines
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.bundled import PREFIX, dataset_path
from rag_ablation.data.load import load
from rag_ablation.holdout.split import (
    Split,
    existing_splits,
    find_split,
    make_split,
    side,
    split_notices,
    splits_folder,
    splits_folders,
    write_split,
)

DEFAULT_SPLIT = "default"
DEFAULT_SHARE = 0.4
PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:-]+")


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("data", help="check a dataset, count what is in it, or split its questions")
    actions = parser.add_subparsers(dest="action", metavar="action", required=True)
    check = actions.add_parser("check", help="read every file, tell every problem, and whether its splits still fit")
    stats = actions.add_parser("stats", help="types, statuses, gold per question, recall ceilings, group sizes")
    _data_exchange.add_actions(actions)
    split = actions.add_parser("split", help="divide the questions into dev and holdout, by whole groups")
    for action in (check, stats, split):
        action.add_argument("dataset", metavar="DIR", help="dataset folder, or bundled:NAME")
        action.add_argument("--qrels", help="BEIR folder: which file of qrels/ to take, for example test")
    split.add_argument("--name", default=DEFAULT_SPLIT, help="name of the split (default: %(default)s)")
    split.add_argument(
        "--holdout",
        type=float,
        default=DEFAULT_SHARE,
        metavar="SHARE",
        help="part of the questions kept for the end (default: %(default)s)",
    )
    split.add_argument("--seed", type=int, default=0, help="same seed, same split (default: %(default)s)")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print what was asked for.

    Raises:
        DataError: the dataset cannot be used, with every problem.
        HoldoutError: no such split can be made.
    """
    if args.action in _data_exchange.ACTIONS:
        return _data_exchange.execute(args)
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


def split_lines(benchmark: Benchmark, folder: Path, root: Path, args: argparse.Namespace) -> list[str]:
    """Make a split, write it, and say where it is and what came of it.

    Raises:
        HoldoutError: it cannot be made, or another split has the name.
    """
    where = (folder, root, benchmark.fingerprints["queries"], benchmark.name)
    others = [split for split in _splits(benchmark, folder, root) if split.name != args.name]
    split = make_split(benchmark, name=args.name, holdout_share=args.holdout, seed=args.seed)
    file = f"{split.name}.json"
    there = [place / file for place in splits_folders(*where) if (place / file).exists()]
    path = there[0] if there else splits_folder(*where) / file
    write_split(split, path)
    shares = split.audit["share_by_type"]
    by_type = ", ".join(f"{name} {share:.1%}" for name, share in shares.items()) if isinstance(shares, dict) else ""
    known = {name for other in others for name in other.holdout}
    clash = len(known.intersection(split.dev))
    lines = [
        f"{'already there' if there else 'written'}: {path}",
        *side_lines([split]),
        f"holdout share: {len(split.holdout) / len(split.groups):.1%} (asked for {args.holdout:.1%})",
        f"holdout share by type: {by_type}",
        f"largest group: {_largest(split)} of {len(split.groups)} questions",
    ]
    if clash:
        lines.append(f"notice: {clash} dev questions stand in the holdout of another split ({_names(others)})")
    return [*lines, f"next: {_next(args, folder)}"]


def _splits(benchmark: Benchmark, folder: Path, root: Path) -> list[Split]:
    where = (folder, root, benchmark.fingerprints["queries"], benchmark.name)
    return [find_split(*where, name) for name in existing_splits(*where)]


def _largest(split: Split) -> int:
    sizes = split.audit["component_sizes"]
    return max(map(int, sizes)) if isinstance(sizes, dict) else 0


def _names(splits: Sequence[Split]) -> str:
    return ", ".join(split.name for split in splits)


def _next(args: argparse.Namespace, folder: Path) -> str:
    """The command that uses the split."""
    words = ["rag-ablation run -m arms=ladder"]
    if args.dataset.startswith(PREFIX):
        words.append(f"dataset={args.dataset.removeprefix(PREFIX)}")
    else:
        path = str(folder)
        words.append("dataset=folder")
        words.append(f"dataset.path={path}" if PLAIN_WORD.fullmatch(path) else f"'dataset.path=\"{path}\"'")
    if args.qrels is not None:
        words.append(f"dataset.qrels={args.qrels}")
    if args.name != DEFAULT_SPLIT:
        words.append(f"dataset.split={args.name}")
    return " ".join(words)
