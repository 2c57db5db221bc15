"""`rag-ablation tune`: an arm that Hydra composes, and the one setting that is chosen for it."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from rag_ablation.cli.hydra_words import compose, key_of, plain
from rag_ablation.commands.tune import IMPLIED, tune_threshold
from rag_ablation.core.errors import CommandError

CHOSEN = "generate.threshold"


def tune_verb(words: Sequence[str], root: Path) -> int:
    """Choose a threshold.

    Args:
        words: `threshold`, and overrides of the arm.
        root: folder under which everything is written.

    Returns:
        Exit status.

    Raises:
        RagAblationError: the words do not compose, or the arm cannot be run.
    """
    args = _parsed(words)
    keys = [key_of(word) for word in args.overrides]
    if CHOSEN in keys:
        raise CommandError.of(CHOSEN, "a value", "none, since it is what is chosen here")
    implied = [f"{slot}={name}" for slot, name in IMPLIED.items() if slot not in keys]
    container = plain(compose([*implied, *args.overrides]))
    return tune_threshold(container, args.overrides, root, as_json=args.json)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="rag-ablation tune")
    verbs = parser.add_subparsers(dest="what", metavar="threshold", required=True)
    threshold = verbs.add_parser(
        "threshold", help="below which score the extractive generator refuses: chosen on the dev side of a dataset"
    )
    threshold.add_argument("overrides", nargs="*", help="the arm, as for run: dataset=… variant=… generate.scorer=…")
    threshold.add_argument("--json", action="store_true", help="print JSON, with every threshold")
    return parser.parse_args(list(words))
