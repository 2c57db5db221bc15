"""Where a study is declared, and where its frozen plans lie."""

import os
import re
from pathlib import Path

from rag_ablation.core.errors import CommandError
from rag_ablation.holdout.freeze import FOLDER
from rag_ablation.holdout.place import SUFFIX

DEFINITION = "study.yaml"
EXPERIMENTS = "experiments"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
PACKAGE = Path(__file__).parent.parent


def definition_folder(name: str) -> Path:
    """The folder that declares a study: a path, else `experiments/NAME` here, else one that ships with the package.

    Raises:
        CommandError: there is none.
    """
    places = [Path(name), Path(EXPERIMENTS) / name, *(folder / name for folder in _shipped())]
    found = next((place for place in places if (place / DEFINITION).is_file()), None)
    if found is None:
        known = sorted({path.parent.name for folder in _shipped() for path in folder.glob(f"*/{DEFINITION}")})
        expected = f"a folder with a {DEFINITION}, experiments/NAME, or one that ships: {', '.join(known)}"
        raise CommandError.of("study", repr(name), expected)
    if not NAME.fullmatch(found.resolve().name):
        raise CommandError.of("study", repr(found.name), "a folder named with letters, digits, _ and -")
    return found.resolve()


def definition_name(typed: str) -> str:
    """How a definition is found again from elsewhere: a folder by its whole path, anything else as it was typed.

    Args:
        typed: a study as it was named on the command line.
    """
    folder = Path(typed)
    return str(folder.absolute()) if (folder / DEFINITION).is_file() else typed


def frozen_folders(name: str, root: Path) -> tuple[Path, ...]:
    """Where plans of a study are looked for: beside its definition where that is the user's own, then under the root.

    The first is where a new plan is written.

    Args:
        name: of the study, or a path to its definition.
        root: folder under which everything is written.
    """
    under = root / EXPERIMENTS / Path(name).name / FOLDER
    try:
        definition = definition_folder(name)
    except CommandError:
        return (under,)
    beside = definition / FOLDER
    if any(definition.is_relative_to(folder.resolve()) for folder in _shipped()) or not os.access(definition, os.W_OK):
        return tuple(dict.fromkeys([under, beside]))
    return tuple(dict.fromkeys([beside, under]))


def find_plan(study: str, name: str, root: Path) -> Path:
    """The file of a plan.

    Args:
        study: name of the study, or a path to its definition.
        name: of the plan, or its file.
        root: folder under which everything is written.

    Raises:
        CommandError: there is none.
    """
    if name.endswith(SUFFIX) and Path(name).is_file():
        return Path(name)
    folders = frozen_folders(study, root)
    found = next((folder / f"{name}{SUFFIX}" for folder in folders if (folder / f"{name}{SUFFIX}").is_file()), None)
    if found is None:
        known = ", ".join(sorted({path.stem for folder in folders for path in folder.glob(f"*{SUFFIX}")})) or "none yet"
        raise CommandError.of("--name", repr(name), f"a plan of study {study} ({known}); make it: rag-ablation freeze")
    return found


def _shipped() -> tuple[Path, Path]:
    """Where studies lie that ship, in an installed package and in a checkout."""
    return PACKAGE / EXPERIMENTS, PACKAGE.parent.parent / EXPERIMENTS
