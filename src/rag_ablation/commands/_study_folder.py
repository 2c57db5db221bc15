"""The folder of a study's results, `studies/NAME/` under the root: which runs belong to it, and how they were timed."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag_ablation.commands._study_inputs import arm_result, source_of
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import CommandError
from rag_ablation.experiment.study import Study
from rag_ablation.report.study.inputs import Skipped, Source, StudyResults, Timing

STUDIES = "studies"
LAYOUT = "rag-ablation.study/1"
MANIFEST = "study.json"
TIMING = "latency.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What belongs to a study.

    Args:
        study: as declared, equal arms removed.
        runs: name of the run folder by key of the arm.
        skipped: why an arm was not run, by its key.
        commands: how to repeat it.
    """

    study: Study
    runs: Mapping[str, str]
    skipped: Mapping[str, str]
    commands: tuple[str, ...]


def study_folder(name: str, root: Path) -> Path:
    """Where a study's results stand."""
    return root / STUDIES / name


def has_results(name: str, root: Path) -> bool:
    """Whether a study was run under this root."""
    return bool(name) and (study_folder(name, root) / MANIFEST).is_file()


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write which runs belong to a study."""
    values = {
        "layout": LAYOUT,
        "study": manifest.study.to_json(),
        "runs": dict(manifest.runs),
        "skipped": dict(manifest.skipped),
        "commands": list(manifest.commands),
    }
    _write_json(folder / MANIFEST, values)


def read_manifest(name: str, root: Path) -> Manifest:
    """Which runs belong to a study.

    Args:
        name: of the study, or its folder of results.
        root: folder under which everything is written.

    Raises:
        CommandError: it has not been run under this root.
    """
    folder = _found(name, root)
    path = folder / MANIFEST
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values["layout"] != LAYOUT:
            raise CommandError.of("layout", repr(values["layout"]), repr(LAYOUT), file=str(path))
        return Manifest(
            study=Study.from_json(values["study"]),
            runs=values["runs"],
            skipped=values["skipped"],
            commands=tuple(values["commands"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CommandError.of("the results of a study", str(error), "a file that is whole", file=str(path)) from error


def open_results(name: str, root: Path) -> StudyResults:
    """Everything that a study's report is made from, read from what its runs recorded.

    Args:
        name: of the study, or its folder of results.
        root: folder under which everything is written.

    Raises:
        CommandError: it has not been run under this root, or a run of it is gone.
    """
    manifest = read_manifest(name, root)
    arms = tuple(
        arm_result(arm, root / RUNS / manifest.runs[arm.key]) for arm in manifest.study.arms if arm.key in manifest.runs
    )
    first = next((arm for arm in arms if arm.finished), None)
    return StudyResults(
        study=manifest.study,
        arms=arms,
        skipped=tuple(
            Skipped(arm=arm, reason=manifest.skipped[arm.key])
            for arm in manifest.study.arms
            if arm.key in manifest.skipped
        ),
        timing=read_timing(_found(name, root), manifest.runs),
        source=Source(absent="no arm has finished") if first is None else source_of(first.record, first.query_ids),
        commands=manifest.commands,
    )


def write_timing(folder: Path, timing: Timing, runs: Mapping[str, str]) -> None:
    """Write how a study's arms were timed, and which runs they were."""
    _write_json(folder / TIMING, {"runs": dict(runs), "timing": asdict(timing)})


def read_timing(folder: Path, runs: Mapping[str, str]) -> Timing | None:
    """How a study's arms were timed; None where they were not, or where others than these were."""
    try:
        values: dict[str, Any] = json.loads((folder / TIMING).read_text(encoding="utf-8"))
        return Timing(**values["timing"]) if values["runs"] == dict(runs) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _found(name: str, root: Path) -> Path:
    """The folder of results.

    Raises:
        CommandError: there is none.
    """
    given = Path(name)
    for folder in (study_folder(given.name or name, root), given):
        if (folder / MANIFEST).is_file():
            return folder
    known = ", ".join(sorted(path.parent.name for path in (root / STUDIES).glob(f"*/{MANIFEST}"))) or "none yet"
    expected = f"a study that was run under this root ({known}); run it: rag-ablation study run {given.name}"
    raise CommandError.of("study", f"{name!r}, which has no results under {root / STUDIES}", expected)


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.aside")
    aside.write_text(json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    os.replace(aside, path)  # noqa: PTH105 — atomic, and says so
