import argparse
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from rag_ablation.commands._data_split import audit_lines, seen_lines, side_lines
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.wording import counted
from rag_ablation.data.bundled import PREFIX, dataset_path
from rag_ablation.data.exchange.catalogue import FORMATS, readable, writable
from rag_ablation.data.exchange.convert import Outcome, export_dataset, import_dataset
from rag_ablation.data.exchange.options import Options, parse_column, parse_grades
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import SeenBefore
from rag_ablation.holdout.seen_split import seen_by_part, with_seen
from rag_ablation.holdout.split import Split, take_split, write_split

DEFAULT_SPLIT, SPLITS = "default", "splits"
ACTIONS = ("import", "export")

Value = TypeVar("Value")


def add_actions(actions: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    taken = actions.add_parser("import", help="make a dataset folder from files in another format")
    given = actions.add_parser("export", help="write a dataset folder in another format")
    taken.add_argument("format", metavar="FORMAT", choices=readable(), help=", ".join(readable()))
    taken.add_argument("source", metavar="SRC", help="folder or file, or the id of ir_datasets")
    given.add_argument("format", metavar="FORMAT", choices=writable(), help=", ".join(writable()))
    given.add_argument("source", metavar="SRC", help="dataset folder, or bundled:NAME")
    for parser in (taken, given):
        parser.add_argument("target", metavar="DST", help="folder to write; nothing may be there, or an empty folder")
        parser.add_argument(
            "--split-name", dest="split", metavar="NAME", help="split to read, or name of the one to write"
        )
        parser.add_argument("--separator", help="between the values of a cell that holds several (default: |)")
        parser.add_argument("--delimiter", help="between the cells of a CSV line (default: a comma)")
    given.add_argument("--qrels", help="BEIR folder: which file of qrels/ to take, for example test")
    taken.add_argument("--qrels", metavar="FILE", help="file or sheet of the judgements; for BEIR the split")
    taken.add_argument("--corpus", metavar="FILE", help="file or sheet of the passages")
    taken.add_argument("--questions", metavar="FILE", help="file or sheet of the questions")
    taken.add_argument(
        "--column",
        action="append",
        dest="columns",
        metavar="FIELD=COLUMN",
        type=_parsed(parse_column),
        help="a column with a name of its own: text=正文, questions.text=问题",
    )
    taken.add_argument(
        "--grade-map", dest="grades", metavar="MAP", type=_parsed(parse_grades), help="as --grade-map=-1:0,-2:0"
    )
    taken.add_argument(
        "--own-split",
        metavar="DEV,HOLDOUT",
        type=_parsed(parse_sides),
        help="BEIR: take two tables of qrels/ as the split, for example dev,test",
    )
    taken.add_argument("--encoding", help="of text that is not UTF-8, such as gb18030")
    taken.add_argument("--name", help="name of the dataset (default: the folder's)")
    taken.add_argument("--language", help="zh, en, mixed (default: by script)")
    taken.add_argument(
        "--label-unit", choices=("passage", "clause", "document"), help="what ids of judgements stand for"
    )


def execute(args: argparse.Namespace, root: Path) -> int:
    """Convert, and end with what did not come over.

    Raises:
        CommandError: with every problem; nothing was written.
    """
    from rich.console import Console  # noqa: PLC0415

    target, title = Path(args.target), FORMATS[args.format].title
    names = Options.__dataclass_fields__
    given = {name: value for name, value in vars(args).items() if name in names and value is not None}
    options = Options(**given | ({"columns": tuple(args.columns)} if given.get("columns") else {}))
    if len(options.delimiter) != 1 or options.delimiter in '"\r\n':
        raise CommandError.of("--delimiter", repr(options.delimiter), "one character, no quote and no line break")
    if not options.separator:
        raise CommandError.of("--separator", "nothing", "one or more characters")
    if args.action == "import":
        lines = _imported(args, target, options, root)
    else:
        source = dataset_path(args.source) if args.source.startswith(PREFIX) else Path(args.source).expanduser()
        lines = export_lines(title, target, export_dataset(args.format, source, target, options))
    console = Console()
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 0


def _imported(args: argparse.Namespace, target: Path, options: Options, root: Path) -> list[str]:
    """Convert, and take the source's own sides where that is asked for."""
    title = FORMATS[args.format].title
    if args.own_split is None:
        return import_lines(title, target, import_dataset(args.format, args.source, target, options))
    if args.format != "beir" or options.split is not None or options.qrels is not None:
        raise CommandError.of("--own-split", args.format, "the format beir, without --split-name and --qrels")
    dev, holdout = args.own_split
    splits: list[Split] = []
    seen: dict[str, SeenBefore] = {}

    def take(benchmark: Benchmark, judged_in: Mapping[str, frozenset[str]], folder: Path) -> None:
        sides = (judged_in.get(dev, frozenset()), judged_in.get(holdout, frozenset()))
        split = take_split(benchmark, DEFAULT_SPLIT, *sides)
        seen.update(seen_by_part(split, benchmark, Place.of(benchmark, folder, root)))
        splits.append(with_seen(split, seen))
        write_split(splits[0], folder / SPLITS / f"{DEFAULT_SPLIT}.json")

    outcome = import_dataset(args.format, args.source, target, replace(options, split=f"{dev}+{holdout}"), take)
    lines = import_lines(title, target, outcome)
    path = target / SPLITS / f"{DEFAULT_SPLIT}.json"
    return [*lines[:-1], f"written: {path}", *side_lines(splits), *audit_lines(splits[0]), *seen_lines(seen), lines[-1]]


def parse_sides(word: str) -> tuple[str, str]:
    """Read `DEV,HOLDOUT`.

    Raises:
        ValueError: it has another form.
    """
    dev, _, holdout = word.partition(",")
    if not dev or not holdout or "," in holdout or dev == holdout:
        message = f"found {word!r}, expected two names of tables in qrels/, for example dev,test"
        raise ValueError(message)
    return dev, holdout


def import_lines(title: str, target: Path, outcome: Outcome) -> list[str]:
    """What an import says."""
    benchmark = outcome.benchmark
    return [
        f"imported: {target} ({title}): {_counts(outcome)}, language {benchmark.language}",
        *(f"notice: {notice}" for notice in outcome.notices),
        *(f"not in the source: {sentence}" for sentence in outcome.missing),
        *([f"lost: {loss}" for loss in outcome.losses] or ["lost: nothing"]),
        f"next: rag-ablation data check {target}",
    ]


def export_lines(title: str, target: Path, outcome: Outcome) -> list[str]:
    """What an export says."""
    return [
        f"exported: {target} ({title}): {_counts(outcome)}; {', '.join(outcome.files)}",
        "notice: dataset.yaml is not of the format: it is for the way back, and other tools pass it over",
        *(f"notice: {notice}" for notice in outcome.notices),
        *([f"{title} cannot hold: {loss}" for loss in outcome.losses] or [f"{title} holds everything"]),
    ]


def _counts(outcome: Outcome) -> str:
    benchmark = outcome.benchmark
    sizes = ((len(benchmark.passages), "passage"), (len(benchmark.queries), "question"))
    return ", ".join(counted(*size) for size in (*sizes, (benchmark.qrels.keys.size, "judgement")))


def _parsed(parse: Callable[[str], Value]) -> Callable[[str], Value]:
    """A reader of one word whose error argparse shows."""

    def read(word: str) -> Value:
        try:
            return parse(word)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read
