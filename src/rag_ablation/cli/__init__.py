"""The door: `run`, `study` and `tune` are composed by Hydra, every other verb goes to argparse."""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rag_ablation.commands import ROOT_VARIABLE
from rag_ablation.core.errors import RagAblationError, SystemRefusalError
from rag_ablation.core.process import INTERRUPTED, listen, told_to_end

USAGE_ERROR = 2
GOES_ON = ("run", "study", "holdout")
DESCRIPTION = """Find out, honestly, which part of a retrieval pipeline earns its keep.

  rag-ablation run [-m] overrides…   run one arm, or with -m a sweep of arms (rag-ablation run --help)
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: words after the program's name; None takes them from the command line.

    Returns:
        0 when all is well, 1 when an arm failed or a gate is shut, 2 when the input cannot be used or decides nothing,
        130 when it was interrupted, 143 when it was told to terminate.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if threading.current_thread() is threading.main_thread():
        listen()
    try:
        words, root = _root(words)
        composed = _composed_verb(words[0]) if words else None
        return composed(words[1:], root) if composed else _other_verb(words, root)
    except RagAblationError as error:
        sys.stderr.write(f"rag-ablation: {error}\n")
        return USAGE_ERROR
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stderr.write(f"rag-ablation: {SystemRefusalError.of(error)}\n")
        return USAGE_ERROR
    except (KeyboardInterrupt, SystemExit) as stop:
        status = told_to_end() or (INTERRUPTED if isinstance(stop, KeyboardInterrupt) else None)
        if status is None:
            raise
        sys.stderr.write(f"rag-ablation: {_ended(status, words)}\n")
        return status


def _ended(status: int, words: Sequence[str]) -> str:
    said = "interrupted" if status == INTERRUPTED else "terminated"
    goes_on = "; what has finished is kept: the same command goes on from there"
    return said + (goes_on if words and words[0] in GOES_ON else "")


def _composed_verb(name: str) -> Callable[[Sequence[str], Path], int] | None:
    """A verb whose words are Hydra's."""
    if name == "run":
        from rag_ablation.cli.hydra_run import run_verb  # noqa: PLC0415

        return run_verb
    if name == "study":
        from rag_ablation.cli.study import study_verb  # noqa: PLC0415

        return study_verb
    if name == "tune":
        from rag_ablation.cli.tune import tune_verb  # noqa: PLC0415

        return tune_verb
    return None


def _other_verb(words: list[str], root: Path) -> int:
    from rag_ablation.commands import (  # noqa: PLC0415
        compare,
        data,
        explain,
        freeze,
        gate,
        holdout,
        judge,
        latency,
        report,
        review,
        runs,
        ui,
    )

    commands = (data, freeze, holdout, runs, compare, gate, explain, latency, report, judge, review, ui)
    parser = argparse.ArgumentParser(
        prog="rag-ablation", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", help=f"folder under which everything is written; else {ROOT_VARIABLE}, else here")
    verbs = parser.add_subparsers(dest="verb", metavar="verb", required=True)
    verbs.add_parser("run", help="run one arm, or with -m a sweep of arms", add_help=False)
    verbs.add_parser("study", help="plan a study, or run it and write its report", add_help=False)
    verbs.add_parser("tune", help="choose a setting on the dev side: the threshold of refusing", add_help=False)
    for command in commands:
        command.add_parser(verbs)
    args = parser.parse_args(words)
    execute: Mapping[str, Callable[[argparse.Namespace, Path], int]] = {
        command.__name__.rpartition(".")[2]: command.execute for command in commands
    }
    return execute[args.verb](args, root)


def _root(words: list[str]) -> tuple[list[str], Path]:
    """Take `--root DIR` out of the words; it goes on to every process through the environment."""
    given = os.environ.get(ROOT_VARIABLE) or "."
    rest: list[str] = []
    pending = iter(words)
    for word in pending:
        if word == "--root":
            given = next(pending, "")
            if not given:
                message = "--root: found nothing, expected a folder"
                raise RagAblationError(message)
        elif word.startswith("--root="):
            given = word.removeprefix("--root=")
        else:
            rest.append(word)
    root = Path(given).expanduser().absolute()
    if root.exists() and not root.is_dir():
        message = f"--root: found {given!r}, which is no folder; expected a folder, there already or to be made"
        raise RagAblationError(message)
    os.environ[ROOT_VARIABLE] = str(root)
    return rest, root
