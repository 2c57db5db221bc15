"""The folder of a study's results, `studies/NAME/` under the root: which runs belong to it, and how they were timed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rag_ablation.commands._recorded import admit_record
from rag_ablation.commands._study_inputs import arm_result, source_of
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import CommandError, Problem
from rag_ablation.core.locks import alone
from rag_ablation.core.replacing import replace_text
from rag_ablation.experiment.study import Study
from rag_ablation.report.study.inputs import ArmResult, Skipped, Source, StudyResults, Timing
from rag_ablation.tracking.files import damaged, read_record

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
        skipped: why an arm was left out before anything ran, by its key; its steps leave the family.
        not_run: why an arm was not reached, by its key; its steps stay in the family.
        commands: how to repeat it.
        definition: where it is declared: a name, or a folder.
        tracking: `name` of the tracker, and the `experiment` that its runs are logged in.
    """

    study: Study
    runs: Mapping[str, str]
    skipped: Mapping[str, str]
    not_run: Mapping[str, str]
    commands: tuple[str, ...]
    definition: str
    tracking: Mapping[str, str]


def study_folder(name: str, root: Path) -> Path:
    """Where a study's results stand."""
    return root / STUDIES / name


@contextmanager
def at_work(name: str, root: Path) -> Iterator[Path]:
    """Keep a study's results to this process while it writes them; gives their folder.

    Args:
        name: of the study.
        root: folder under which everything is written.

    Raises:
        CommandError: another process is at work on them.
    """
    folder = study_folder(name, root)
    lock = folder.with_name(f"{folder.name}.lock")
    found = f"{name!r}, which another process under this root is running, timing or reporting"
    expected = f"that one to have ended (it holds {lock}), or another root"
    with alone(lock, lambda: CommandError.of("study", found, expected)):
        yield folder


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
        "not_run": dict(manifest.not_run),
        "commands": list(manifest.commands),
        "definition": manifest.definition,
        "tracking": dict(manifest.tracking),
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
            runs=_texts(values["runs"]),
            skipped=_texts(values["skipped"]),
            not_run=_texts(values["not_run"]),
            commands=tuple(values["commands"]),
            definition=str(values["definition"]),
            tracking=_texts(values["tracking"]),
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
    refuse_damaged(manifest, root)
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
        not_reached=manifest.not_run,
        timing=read_timing(_found(name, root), manifest.runs),
        source=Source(absent="no arm has finished")
        if first is None
        else source_of(first.record, first.query_ids, root),
        commands=manifest.commands,
    )


def _source(first: ArmResult | None, root: Path) -> Source:
    if first is None:
        return Source(absent="no arm has finished")
    return source_of(first.record, first.query_ids, root)


def refuse_damaged(manifest: Manifest, root: Path) -> None:
    """Check that every run of a study is there, with every file as it was written.

    Args:
        manifest: which runs belong to the study.
        root: folder under which everything is written.

    Raises:
        CommandError: one is not; the message names each, and what to do.
        HoldoutError: one is of a holdout that the ledger does not know as opened.
    """
    problems = []
    again = f"a whole run; what is damaged runs again: rag-ablation study run {manifest.study.name}"
    for key, name in manifest.runs.items():
        folder = root / RUNS / name
        try:
            record = read_record(folder)
        except CommandError as error:
            found = error.problems[0].found if folder.is_dir() else "no such folder"
            problems.append(Problem(field=f"arm {key}", found=found, expected=again, file=str(folder)))
            continue
        admit_record(record, root)
        bad = damaged(folder, record) if record.status == "finished" else []
        if bad:
            found = f"{', '.join(bad)}: not there, or not as it was written"
            problems.append(Problem(field=f"arm {key}", found=found, expected=again, file=str(folder)))
    if problems:
        raise CommandError(f"the results of study {manifest.study.name} cannot be read", problems)


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


def _texts(values: object) -> dict[str, str]:
    """Texts by key of the arm.

    Raises:
        TypeError: something else.
    """
    if not isinstance(values, dict) or not all(isinstance(text, str) for text in values.values()):
        message = f"found {values!r}, expected texts by key of the arm"
        raise TypeError(message)
    return values


def _write_json(path: Path, values: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
