"""`rag-ablation study`: a definition that Hydra composes, its plan, and its arms run by Hydra."""

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag_ablation.cli.hydra_run import ArmTask, in_our_words, may_stop, run_task
from rag_ablation.cli.hydra_words import compose, composed_jobs, grid, plain, slot_of, study_section
from rag_ablation.commands._definitions import DEFINITION, definition_folder
from rag_ablation.commands._study_arms import prepare_study
from rag_ablation.commands._study_folder import at_work
from rag_ablation.commands._study_run import run_study
from rag_ablation.commands.study import show_plan
from rag_ablation.commands.sweep import Job
from rag_ablation.config.study import study_from
from rag_ablation.core.errors import CommandError, DataError, RagAblationError
from rag_ablation.experiment.study import Study


def study_verb(words: Sequence[str], root: Path) -> int:
    """Plan a study, or run it.

    Args:
        words: `plan` or `run`, the study, and overrides for all of its arms.
        root: folder under which everything is written.

    Returns:
        Exit status: 0, or 1 where an arm has no result.

    Raises:
        RagAblationError: the study cannot be run.
    """
    args, own = _parsed(words)
    found = _Definition.read(args.study, own)
    if args.what == "plan":
        prepared = prepare_study(found.study, found.composed(), root)
        return show_plan(prepared, root, (args.study, *own), as_json=args.json)
    return _run(found, root)


@dataclass(frozen=True, slots=True)
class _Definition:
    """A study as declared.

    Args:
        study: what it declares.
        base: words that compose the study itself.
        typed: the study as it was named on the command line.
        own: words that the command line set for all arms.
    """

    study: Study
    base: tuple[str, ...]
    typed: str
    own: tuple[str, ...]

    @classmethod
    def read(cls, name: str, own: Sequence[str]) -> "_Definition":
        folder = definition_folder(name)
        check_yaml(folder / DEFINITION)
        base = [_search_path(folder.parent), f"+{folder.name}=study"]
        arms_only = [word for word in own if slot_of(word) is not None]
        composed = compose([*base, *(word for word in own if word not in arms_only)])
        container: Mapping[str, Any] = plain(composed)
        if (container.get("tracking") or {}).get("experiment", "") is None:
            base.append(f"tracking.experiment={folder.name}")
        return cls(study_from(study_section(composed), folder.name, grid), tuple(base), name, tuple(own))

    def jobs(self) -> list[list[str]]:
        """Overrides of each arm, in the study's order."""
        named = [f"study.arm={_quoted(arm.key)}" for arm in self.study.arms]
        return [[*arm.overrides, name] for arm, name in zip(self.study.arms, named, strict=True)]

    def composed(self) -> list[Job]:
        """Overrides and configuration of each arm, composed here."""
        overrides = [[*self.base[1:], *words, *self.own] for words in self.jobs()]
        return composed_jobs(overrides, lambda words: compose([self.base[0], *words]))


def check_yaml(path: Path) -> None:
    """Read a definition once before Hydra does, whose own message is a trace.

    Raises:
        DataError: it is no YAML, or no UTF-8; file and line are named.
    """
    import yaml  # noqa: PLC0415

    try:
        yaml.safe_load(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise DataError.of("the file", str(error), "UTF-8", file=str(path)) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        found = str(getattr(error, "problem", None) or error)
        line = None if mark is None else mark.line + 1
        raise DataError.of("the definition", found, "YAML", file=str(path), line=line) from error


class StudyTask(ArmTask):
    """What Hydra calls for each arm of a study.

    Args:
        root: folder under which everything is written.
        found: the study as declared.
        settings: overrides of slots' settings; given to the arms that fill the slot.
    """

    def __init__(self, root: Path, found: _Definition, settings: Sequence[str]) -> None:
        """Remember the arms."""
        super().__init__(root, settings)
        self.found = found
        self.arms = found.jobs()

    def sweep(self, jobs: Sequence[Job], launch: Any) -> None:
        """Run the study; `launch` comes from the sweeper."""
        from rich.console import Console  # noqa: PLC0415

        self.started = True
        try:
            if len(jobs) != len(self.found.study.arms):
                raise CommandError.of("study", "a sweep among the words", "sweeps declared under study.sweeps")
            with in_our_words():
                prepared = prepare_study(self.found.study, jobs, self.root)
                with at_work(self.found.study.name, self.root) as folder, may_stop(folder, self.found.study.fail_fast):
                    self.status = run_study(prepared, self.root, launch, (self.found.typed, *self.found.own), Console())
        except RagAblationError as error:
            self.error = error


def _run(found: _Definition, root: Path) -> int:
    settings = [word for word in found.own if slot_of(word) is not None]
    words = [*found.base, *(word for word in found.own if word not in settings)]
    return run_task(StudyTask(root, found, settings), ["-m", *words])


def _search_path(folder: Path) -> str:
    """The path as it is: Hydra reads no percent signs."""
    return f"hydra.searchpath=[{_quoted(f'file://{folder.as_posix()}')}]"


def _quoted(text: str) -> str:
    """A word's value in quotes; backslashes count only before a quote."""
    return "'" + re.sub(r"(\\*)('|$)", lambda found: 2 * found[1] + ("\\'" if found[2] else ""), text) + "'"


def _parsed(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="rag-ablation study")
    verbs = parser.add_subparsers(dest="what", metavar="plan|run", required=True)
    plan = verbs.add_parser("plan", help="what would run, what each step changes, what it can show")
    plan.add_argument("--json", action="store_true", help="print JSON")
    run = verbs.add_parser("run", help="run what has not finished before, and write the report")
    for verb in (plan, run):
        verb.add_argument("study", help="name of a folder under experiments/, or a path")
        verb.add_argument(
            "overrides", nargs="*", help="settings for all arms; hydra/launcher=joblib for several at once"
        )
    args = parser.parse_args(list(words))
    return args, list(args.overrides)
