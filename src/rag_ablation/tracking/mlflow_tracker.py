"""Runs in MLflow: started before the work, filled in a few batched calls from the record."""

import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from filelock import FileLock

from rag_ablation.core.errors import TrackingError
from rag_ablation.core.process import alive, started, told_to_end
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.replacing import ASIDE, link_or_copy
from rag_ablation.core.secrets import masked_text
from rag_ablation.tracking.base import RunStart
from rag_ablation.tracking.content import curves, metrics, params, tags
from rag_ablation.tracking.mlflow_search import OPENED_TAG, row, search
from rag_ablation.tracking.mlflow_store import lock_path, open_store
from rag_ablation.tracking.names import tracker_name
from rag_ablation.tracking.uri import sqlite_path, tracking_uri

ARTIFACTS = "mlartifacts"
PARENT_TAG = "mlflow.parentRunId"
NOTE_TAG = "mlflow.note.content"
DIGEST_TAG = "rag.digest"
ARM_DIGEST_TAG = "rag.arm_digest"
ERROR_TAG = "rag.error"
FOLDER_TAG = "rag.run_folder"
QUERIES_TAG = "rag.queries_digest"
HOST_TAG, PROCESS_TAG, START_TAG = OWNER_TAGS = ("rag.host", "rag.pid", "rag.process_start")
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
        """Open the store once."""
        self.uri = uri
        self.root = root
        self._looked_at: set[str] = set()
        self.client = open_store(uri, root)

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
            HOST_TAG: socket.gethostname(),
            PROCESS_TAG: str(os.getpid()),
            START_TAG: started(os.getpid()) or "",
            "mlflow.source.name": "rag-ablation",
        }
        if start.parent:
            given[PARENT_TAG] = start.parent
        with self._refusals():
            experiment_id = self.experiment_id(start.experiment)
            self._close_dead(experiment_id)
            run_id = self._begun(experiment_id, start, given)
        status = "FAILED"
        try:
            yield run_id
            status = "FINISHED"
        except BaseException as error:
            if told_to_end() or isinstance(error, KeyboardInterrupt | SystemExit):
                status = "KILLED"
            raise
        finally:
            with self._refusals():
                if status != "FINISHED":
                    self._end_children(experiment_id, run_id, status)
                self.client.set_terminated(run_id, status)

    def push(self, run_id: str, record: ArmRecord, folder: Path) -> None:
        """Log params, metrics, curves, tags, the dataset and the run folder."""
        from mlflow.entities import Metric, Param, RunTag  # noqa: PLC0415

        now = int(time.time() * 1000)
        points = [Metric(tracker_name(name), value, now, 0) for name, value in metrics(record).items()]
        points += [
            Metric(tracker_name(name), value, now, cutoff)
            for name, steps in curves(record).items()
            for cutoff, value in steps.items()
        ]
        with self._refusals():
            self.client.log_batch(
                run_id,
                metrics=points,
                params=[Param(key, value) for key, value in params(record).items()],
                tags=[RunTag(key, value) for key, value in _cut(tags(record)).items()],
            )
            self._log_dataset(run_id, record)
            self._log_folder(run_id, folder)

    def _log_dataset(self, run_id: str, record: ArmRecord) -> None:
        from mlflow.entities import Dataset, DatasetInput, InputTag  # noqa: PLC0415

        if record.digests:
            dataset = Dataset(
                name=record.dataset,
                digest=record.digests["labels"][:32],
                source_type="local",
                source=record.dataset,
            )
            tag = InputTag("mlflow.data.context", record.side)
            self.client.log_inputs(run_id, datasets=[DatasetInput(dataset, [tag])])

    def summarise(self, run_id: str, note: str, folder: Path | None) -> None:
        """Put the leaderboard on a sweep's run, as its note and as files."""
        with self._refusals():
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
        return [row(run, names) for run in search(self.client, str(found.experiment_id), "tags.`rag.kind` = 'arm'")]

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
        tagged = [(run.data.tags.get(ARM_DIGEST_TAG), run.data.tags.get(FOLDER_TAG)) for run in self._arms(experiment)]
        return {digest: folder for digest, folder in tagged if digest and folder}

    def folders(self, experiment: str) -> frozenset[str]:
        """Names of the run folders of all finished arms of an experiment."""
        return frozenset(run.data.tags.get(FOLDER_TAG, "") for run in self._arms(experiment))

    def _arms(self, experiment: str) -> list[Any]:
        """Finished arms of an experiment."""
        with self._refusals():
            found = self.client.get_experiment_by_name(experiment)
            if found is None:
                return []
            finished = "tags.`rag.kind` = 'arm' and attributes.status = 'FINISHED'"
            return search(self.client, str(found.experiment_id), finished)

    def mark(self, folder: str, tags: Mapping[str, str]) -> None:
        """Put tags on the run of an arm, by the name of its run folder; nothing where there is none."""
        with self._refusals():
            safe = folder.replace("'", "")
            for run in search(self.client, self._experiments(), f"tags.`rag.run_folder` = '{safe}'"):
                for name, value in _cut(dict(tags)).items():
                    self.client.set_tag(run.info.run_id, name, value)

    def openings(self, queries: str) -> frozenset[str]:
        """Digests of the ledger's entries that logged holdout runs over questions of this fingerprint name."""
        with self._refusals():
            runs = search(self.client, self._experiments(), f"tags.`{QUERIES_TAG}` = '{queries}'")
        return frozenset(run.data.tags[OPENED_TAG] for run in runs if run.data.tags.get(OPENED_TAG))

    def _experiments(self) -> list[str]:
        return [str(found.experiment_id) for found in self.client.search_experiments()]

    def _begun(self, experiment_id: str, start: RunStart, given: dict[str, str]) -> str:
        """A new run; or the earlier one of the same identity that has ended, running again under this process."""
        if start.digest is None:
            return self._created(experiment_id, start.name, given)
        with FileLock(lock_path(self.uri, self.root)):
            same = search(self.client, experiment_id, f"tags.`{DIGEST_TAG}` = '{start.digest}'")
            ended = [run for run in same if run.info.status != "RUNNING"]
            if not ended:
                return self._created(experiment_id, start.name, {**given, DIGEST_TAG: start.digest})
            run_id = str(ended[-1].info.run_id)
            self.client.update_run(run_id, status="RUNNING")
            for name, value in _cut(given).items():
                self.client.set_tag(run_id, name, value)
            if ERROR_TAG in ended[-1].data.tags:
                self.client.delete_tag(run_id, ERROR_TAG)
            return run_id

    def _created(self, experiment_id: str, name: str, given: dict[str, str]) -> str:
        return str(self.client.create_run(experiment_id, run_name=name, tags=_cut(given)).info.run_id)

    def _close_dead(self, experiment_id: str) -> None:
        """A run whose process was killed outright could not say so: it ends FAILED when the next one begins."""
        if experiment_id in self._looked_at:
            return
        self._looked_at.add(experiment_id)
        host = socket.gethostname().replace("'", "")
        for run in search(
            self.client, experiment_id, f"attributes.status = 'RUNNING' and tags.`{HOST_TAG}` = '{host}'"
        ):
            pid = run.data.tags.get(PROCESS_TAG, "")
            if pid.isdigit() and not alive(int(pid), run.data.tags.get(START_TAG) or None):
                self.client.set_tag(run.info.run_id, ERROR_TAG, "its process ended without a word (killed?)")
                self.client.set_terminated(run.info.run_id, "FAILED")

    def _end_children(self, experiment_id: str, run_id: str, status: str) -> None:
        """Arms under a parallel launcher end with the command, and have no time to say so."""
        running = f"attributes.status = 'RUNNING' and tags.`{PARENT_TAG}` = '{run_id}'"
        for run in search(self.client, experiment_id, running):
            self.client.set_terminated(run.info.run_id, status)

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
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix != ASIDE:
                link_or_copy(path, Path(unquote(artifacts.path)) / path.relative_to(folder))

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        """What the store refuses, in our words.

        Raises:
            TrackingError: it does.
        """
        from mlflow.exceptions import MlflowException  # noqa: PLC0415

        try:
            yield
        except MlflowException as error:
            said = masked_text(str(error)).strip().partition("\n")[0][:300]
            message = f"the tracking store {self.place} cannot be read or written: {said}"
            raise TrackingError(message) from error


def _cut(given: dict[str, str]) -> dict[str, str]:
    return {key: value[:MAX_TAG] for key, value in given.items()}
