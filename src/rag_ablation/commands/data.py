"""`rag-ablation data check | stats | split | import | export`: look at a dataset, divide its questions, convert it."""

import argparse
from pathlib import Path

from rag_ablation.commands import _data_exchange
from rag_ablation.commands._data_check import tell_check
from rag_ablation.commands._data_split import add_split_options, split_lines
from rag_ablation.commands._data_stats import tell_stats
from rag_ablation.commands._said import say
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.bundled import PREFIX, dataset_path
from rag_ablation.data.load import load
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.split import Split


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
    stats.add_argument("--json", action="store_true", help="print JSON, with undefined values as null and a reason")
    add_split_options(split)


def execute(args: argparse.Namespace, root: Path) -> int:
    """Print what was asked for.

    Raises:
        DataError: the dataset cannot be used, with every problem.
        HoldoutError: no such split can be made.
    """
    if args.action in _data_exchange.ACTIONS:
        return _data_exchange.execute(args, root)
    folder = dataset_path(args.dataset) if args.dataset.startswith(PREFIX) else Path(args.dataset).expanduser()
    if args.action == "check":
        return tell_check(folder, args.qrels, lambda benchmark: _splits(benchmark, folder, root))
    benchmark = load(folder, qrels=args.qrels)
    if args.action == "stats":
        return tell_stats(benchmark, _splits(benchmark, folder, root), as_json=args.json)
    say(split_lines(benchmark, folder, root, args))
    return 0


def _splits(benchmark: Benchmark, folder: Path, root: Path) -> list[Split]:
    place = Place.of(benchmark, folder, root)
    return [place.split(name) for name in place.splits()]
