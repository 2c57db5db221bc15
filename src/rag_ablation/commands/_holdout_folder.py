"""The folder of a plan's results, `studies/S/holdout/NAME/` under the root: which runs they are."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag_ablation.commands._study_folder import STUDIES
from rag_ablation.core.errors import CommandError
from rag_ablation.core.replacing import replace_text

LAYOUT = "rag-ablation.holdout/1"
FOLDER = "holdout"
RESULTS = "holdout.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutRuns:
    """Results of a plan on its holdout.

    Args:
        plan: digest of the plan's file.
        opened: digest of the entry under which they were made.
        closed: digest of the entry that holds their digests.
        marks: what every table must say of them.
        runs: name of the run folder by key of the arm.
        words: of the plan and of the decision, for people.
        queries: fingerprint of the questions.
    """

    plan: str
    opened: str
    closed: str
    marks: tuple[str, ...]
    runs: Mapping[str, str]
    words: Mapping[str, Any]
    queries: str


def holdout_folder(study: str, name: str, root: Path) -> Path:
    """Where the results of a plan stand."""
    return root / STUDIES / study / FOLDER / name


def write_runs(folder: Path, runs: HoldoutRuns) -> None:
    """Write which runs are a plan's results."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"layout": LAYOUT, **asdict(runs)}, ensure_ascii=False, indent=1, allow_nan=False)
    replace_text(folder / RESULTS, text + "\n")


def read_runs(folder: Path) -> HoldoutRuns | None:
    """Which runs are a plan's results, None where there are none.

    Raises:
        CommandError: the file is damaged.
    """
    path = folder / RESULTS
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("layout") != LAYOUT:
            raise CommandError.of("layout", "another", repr(LAYOUT), file=str(path))
        return HoldoutRuns(**{**values, "marks": tuple(values["marks"])})
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError.of("the results of a plan", str(error), "a file that is whole", file=str(path)) from error


def written_runs(root: Path) -> Iterator[tuple[Path, HoldoutRuns]]:
    """Every file of results that can be read under a root, with what it says."""
    for path in sorted((root / STUDIES).glob(f"*/{FOLDER}/**/{RESULTS}")):
        with suppress(CommandError):
            found = read_runs(path.parent)
            if found is not None:
                yield path, found
