"""Runs in MLflow: started before the work, filled in a few batched calls from the record."""

import logging
import os
import shutil
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from filelock import FileLock

from rag_ablation.core.errors import TrackingError
from rag_ablation.core.process import alive
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.secrets import masked_text
from rag_ablation.tracking.base import RunStart
from rag_ablation.tracking.content import curves, metrics, params, tags
from rag_ablation.tracking.names import original_name, tracker_name
from rag_ablation.tracking.uri import sqlite_path, tracking_uri

if TYPE_CHECKING:
    from mlflow import MlflowClient

ARTIFACTS = "mlartifacts"
PARENT_TAG = "mlflow.parentRunId"
NOTE_TAG = "mlflow.note.content"
DIGEST_TAG = "rag.digest"
ARM_DIGEST_TAG = "rag.arm_digest"
MAX_TAG = 7900


class MlflowTracker:
    """One MLflow store.

    Args:
        uri: where it is; see `tracking_uri`.
        root: folder of its lock and, for a database, of the artifacts.

    Raises:
        TrackingError: the store cannot be opened.
    """

    def __init__(self, uri: str, root: Path) -> None:
        """Open the store once, under a lock: two first openings at the same moment break it."""
        self.uri = uri
        self.root = root
        self._looked_at: set[str] = set()
        root.mkdir(parents=True, exist_ok=True)
        with FileLock(root / "mlflow.db.lock"):
            self.client = _client(uri)

    @classmethod
    def open(cls, setting: str | None, root: Path) -> "MlflowTracker":
        """Check the URI, then open the store.

        Raises:
            TrackingError: see `tracking_uri`.
        """
        return cls(tracking_uri(setting, root), root)

    @property
    def place(self) -> str:
        """The URI without credentials."""
        return masked_text(self.uri)

    def experiment_id(self, name: str) -> str:
        """The id of an experiment, made if needed.

        Raises:
            TrackingError: it was deleted.
        """
        from mlflow.exceptions import MlflowException  # noqa: PLC0415

        for _ in range(2):
            found = self.client.get_experiment_by_name(name)
            if found is not None:
                if found.lifecycle_stage != "active":
                    message = f"experiment {name!r} was deleted in {self.place}: restore it, or set tracking.experiment"
                    raise TrackingError(message)
                return str(found.experiment_id)
            try:
                return str(self.client.create_experiment(name, artifact_location=self._artifacts(name)))
            except MlflowException as error:
                if error.error_code != "RESOURCE_ALREADY_EXISTS":  # another process was faster
                    raise TrackingError(str(error)) from error
        message = f"experiment {name!r} can be neither made nor found in {self.place}"
        raise TrackingError(message)

    @contextmanager
    def start(self, start: RunStart) -> Iterator[str]:
        """Begin a run; it ends FINISHED, FAILED, or KILLED as the block does."""
        given = {
            **start.tags,
            "rag.kind": start.kind,
            "rag.host": socket.gethostname(),
            "rag.pid": str(os.getpid()),
            "mlflow.source.name": "rag-ablation",
        }
        if start.parent:
            given[PARENT_TAG] = start.parent
        experiment_id = self.experiment_id(start.experiment)
        self._close_dead(experiment_id)
        run_id = self._begun(experiment_id, start, given)
        status = "FAILED"
        try:
            yield run_id
            status = "FINISHED"
        except (KeyboardInterrupt, SystemExit):
            status = "KILLED"
            raise
        finally:
            self.client.set_terminated(run_id, status)

    def push(self, run_id: str, record: ArmRecord, folder: Path) -> None:
        """Log params, metrics, curves, tags, the dataset and the run folder."""
        from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag  # noqa: PLC0415

        now = int(time.time() * 1000)
        points = [Metric(tracker_name(name), value, now, 0) for name, value in metrics(record).items()]
        points += [
            Metric(tracker_name(name), value, now, cutoff)
            for name, steps in curves(record).items()
            for cutoff, value in steps.items()
        ]
        self.client.log_batch(
            run_id,
            metrics=points,
            params=[Param(key, value) for key, value in params(record).items()],
            tags=[RunTag(key, value) for key, value in _cut(tags(record)).items()],
        )
        if record.digests:
            dataset = Dataset(
                name=record.dataset,
                digest=record.digests["labels"][:32],
                source_type="local",
                source=record.dataset,
            )
            tag = InputTag("mlflow.data.context", record.side)
            self.client.log_inputs(run_id, datasets=[DatasetInput(dataset, [tag])])
        self._log_folder(run_id, folder)

    def summarise(self, run_id: str, note: str, folder: Path | None) -> None:
        """Put the leaderboard on a sweep's run, as its note and as files."""
        self.client.set_tag(run_id, NOTE_TAG, note[:MAX_TAG])
        if folder is not None:
            self._log_folder(run_id, folder)

    def runs(self, experiment: str, names: list[str]) -> list[dict[str, object]]:
        """Finished arms of an experiment, oldest first, with the metrics asked for by their MLflow names.

        Raises:
            TrackingError: no such experiment.
        """
        found = self.client.get_experiment_by_name(experiment)
        if found is None:
            known = ", ".join(sorted(str(other.name) for other in self.client.search_experiments())) or "none"
            message = f"no experiment {experiment!r} in {self.place}; there are: {known}"
            raise TrackingError(message)
        return [_row(run, names) for run in self._search(str(found.experiment_id), "tags.`rag.kind` = 'arm'")]

    def run_folder(self, run_id: str) -> str | None:
        """Name of the run folder of an arm, None where the store knows no such run."""
        from mlflow.exceptions import MlflowException  # noqa: PLC0415

        try:
            found: str | None = self.client.get_run(run_id).data.tags.get("rag.run_folder")
        except MlflowException:
            return None
        return found

    def finished(self, experiment: str) -> Mapping[str, str]:
        """Run folder of every finished arm of an experiment, by the arm's digest; of several the newest."""
        found = self.client.get_experiment_by_name(experiment)
        if found is None:
            return {}
        filter_string = "tags.`rag.kind` = 'arm' and attributes.status = 'FINISHED'"
        runs = self._search(str(found.experiment_id), filter_string)
        tagged = [(run.data.tags.get(ARM_DIGEST_TAG), run.data.tags.get("rag.run_folder")) for run in runs]
        return {digest: folder for digest, folder in tagged if digest and folder}

    def _begun(self, experiment_id: str, start: RunStart, given: dict[str, str]) -> str:
        """A new run; or the earlier one of the same identity, running again under this process."""
        if start.digest is not None:
            given = {**given, DIGEST_TAG: start.digest}
            same = self._search(experiment_id, f"tags.`{DIGEST_TAG}` = '{start.digest}'")
            if same:
                run_id = str(same[-1].info.run_id)
                self.client.update_run(run_id, status="RUNNING")
                for name in ("rag.host", "rag.pid"):
                    self.client.set_tag(run_id, name, given[name])
                return run_id
        return str(self.client.create_run(experiment_id, run_name=start.name, tags=_cut(given)).info.run_id)

    def _search(self, experiment_id: str, filter_string: str) -> list[Any]:
        """All runs that fit, oldest first."""
        runs: list[Any] = []
        token: str | None = None
        while True:
            page = self.client.search_runs(
                [experiment_id], filter_string, order_by=["attributes.start_time ASC"], page_token=token
            )
            runs += page
            token = page.token
            if not token:
                return runs

    def _close_dead(self, experiment_id: str) -> None:
        """A run whose process was killed outright could not say so: it ends FAILED when the next one begins."""
        if experiment_id in self._looked_at:
            return
        self._looked_at.add(experiment_id)
        host = socket.gethostname().replace("'", "")
        for run in self.client.search_runs(
            [experiment_id], f"attributes.status = 'RUNNING' and tags.`rag.host` = '{host}'"
        ):
            pid = run.data.tags.get("rag.pid", "")
            if pid.isdigit() and not alive(int(pid)):
                self.client.set_tag(run.info.run_id, "rag.error", "its process ended without a word (killed?)")
                self.client.set_terminated(run.info.run_id, "FAILED")

    def _artifacts(self, name: str) -> str | None:
        """Where a new experiment's artifacts go; a server decides that itself."""
        path = sqlite_path(self.uri)
        if path is None and urlsplit(self.uri).scheme in ("http", "https", "databricks"):
            return None
        folder = (self.root if path is None else path.parent) / ARTIFACTS
        safe = "".join(char if char.isalnum() or char in "-_." else "_" for char in name).strip(".") or "_"
        return (folder / safe).absolute().as_uri()

    def _log_folder(self, run_id: str, folder: Path) -> None:
        """All files of a folder; on this machine by hard link, so that rankings lie on disk once."""
        artifacts = urlsplit(str(self.client.get_run(run_id).info.artifact_uri))
        if artifacts.scheme != "file":
            self.client.log_artifacts(run_id, str(folder))
            return
        shutil.copytree(folder, unquote(artifacts.path), copy_function=_link_or_copy, dirs_exist_ok=True)


def _client(uri: str) -> "MlflowClient":
    os.environ.setdefault("MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT", "true")
    import mlflow  # noqa: PLC0415

    if "MLFLOW_LOGGING_LEVEL" not in os.environ:
        for name in ("alembic", "mlflow"):
            logging.getLogger(name).setLevel(logging.WARNING)

    try:
        client = mlflow.MlflowClient(uri)
        client.search_experiments(max_results=1)
    except Exception as error:
        said = masked_text(str(error)).strip().splitlines()[0][:300] if str(error).strip() else type(error).__name__
        hint = "; install the extra: rag-ablation[postgres]" if "psycopg" in said else ""
        message = f"the tracking store {masked_text(uri)} cannot be opened: {said}{hint}"
        raise TrackingError(message) from error
    return client


def _link_or_copy(source: str, target: str) -> str:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


def _cut(given: dict[str, str]) -> dict[str, str]:
    return {key: value[:MAX_TAG] for key, value in given.items()}


def _row(run: Any, names: list[str]) -> dict[str, object]:
    return {
        "run_id": run.info.run_id,
        "name": run.info.run_name,
        "status": run.info.status,
        "scored": run.data.metrics.get("counts/scored"),
        **{name: run.data.metrics.get(name) for name in names},
        "known": sorted(original_name(name) for name in run.data.metrics),
    }
