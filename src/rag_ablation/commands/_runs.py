"""A run by the name a person has at hand."""

from pathlib import Path

from rag_ablation.commands._recorded import admit_record
from rag_ablation.commands._study_folder import has_results, read_manifest
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import CommandError, RagAblationError
from rag_ablation.tracking.files import RESULT, damaged, read_record

MOST_NAMED = 8
MLFLOW_ID_CHARS = 32


def find_run(name: str, root: Path, tracking_uri: str | None) -> Path:
    """The folder of a run; one on a holdout only where the ledger says that it was opened.

    Args:
        name: a path, the name of a folder under `runs/`, a unique part of one, an arm of a study (`STUDY:KEY`), or an
            MLflow run id.
        root: folder under which everything is written.
        tracking_uri: where MLflow run ids are looked up.

    Raises:
        RagAblationError: there is none, or several, it is damaged, or it is of a holdout that the ledger does not know
            as opened.
    """
    folder = _found(name, root, tracking_uri)
    record = read_record(folder)
    admit_record(record, root)
    bad = damaged(folder, record) if record.status == "finished" else []
    if bad:
        found, expected = "a file that is not there, or not as it was written", "a whole run: run the arm again"
        raise CommandError.of(", ".join(bad), found, expected, file=str(folder))
    return folder


def _found(name: str, root: Path, tracking_uri: str | None) -> Path:
    folders = sorted((path.parent for path in (root / RUNS).glob(f"*/{RESULT}")), key=lambda path: path.name)
    if (Path(name) / RESULT).is_file():
        return Path(name)
    study, colon, key = name.partition(":")
    if colon and has_results(study, root):
        return _arm_of(study, key, root)
    if name and (root / RUNS / name / RESULT).is_file():
        return root / RUNS / name
    if name and (root / RUNS / name).is_dir():
        message = f"run: found {name!r}, a sweep or a folder without {RESULT}; expected an arm of it"
        raise RagAblationError(message)
    matching = [folder for folder in folders if name and name in folder.name]
    if len(matching) == 1:
        return matching[0]
    if not matching and len(name) == MLFLOW_ID_CHARS and name.isalnum():
        matching = [folder for folder in folders if folder.name == _folder_of(name, root, tracking_uri)]
        if matching:
            return matching[0]
    newest = ", ".join(folder.name for folder in reversed((matching or folders)[-MOST_NAMED:])) or "none"
    found = (
        f"{name!r}, which fits {len(matching)} runs" if matching else f"{name!r}, which is no run under {root / RUNS}"
    )
    message = f"run: found {found}; expected the name of one, a unique part of it, or an MLflow run id: {newest}"
    raise RagAblationError(message)


def _arm_of(study: str, key: str, root: Path) -> Path:
    """The folder of an arm of a study."""
    manifest = read_manifest(study, root)
    runs, found = manifest.runs, manifest.runs.get(manifest.study.key(key) or key)
    if found is None:
        message = f"run: found {key!r}, which is no arm that ran in study {study!r}; expected one of {', '.join(runs)}"
        raise RagAblationError(message)
    return root / RUNS / found


def _folder_of(run_id: str, root: Path, tracking_uri: str | None) -> str | None:
    from rag_ablation.tracking.mlflow_tracker import MlflowTracker  # noqa: PLC0415

    return MlflowTracker.open(tracking_uri, root).run_folder(run_id)
