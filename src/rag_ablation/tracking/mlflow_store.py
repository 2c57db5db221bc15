"""Opening an MLflow store: a database that has just been made is whole or not there."""

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from rag_ablation.core.errors import TrackingError
from rag_ablation.core.replacing import ASIDE, replacing
from rag_ablation.core.secrets import masked_text
from rag_ablation.tracking.uri import DATABASE, sqlite_path, with_sqlite_path

if TYPE_CHECKING:
    from mlflow import MlflowClient

SIDE_FILES = ("", "-journal", "-wal", "-shm")


def lock_path(uri: str, root: Path) -> Path:
    """The lock of a store: beside a database file, else under the root.

    Args:
        uri: of the store.
        root: folder under which everything is written.
    """
    path = sqlite_path(uri)
    database = root / DATABASE if path is None else path
    return database.with_name(f"{database.name}.lock")


def open_store(uri: str, root: Path) -> "MlflowClient":
    """Open a store, under a lock: two first openings at the same moment break it.

    MLflow makes a new database in dozens of steps, and one that was left half-made can never be opened. So it is made
    under another name, and gets its own when it is whole.

    Args:
        uri: where it is; see `tracking_uri`.
        root: folder under which everything is written.

    Raises:
        TrackingError: the store cannot be opened.
    """
    lock = lock_path(uri, root)
    lock.parent.mkdir(parents=True, exist_ok=True)
    path = sqlite_path(uri)
    with FileLock(lock):
        if path is not None and not path.exists():
            for suffix in SIDE_FILES:
                path.with_name(f"{path.name}{ASIDE}{suffix}").unlink(missing_ok=True)
            with replacing(path) as aside:
                _client(with_sqlite_path(uri, aside))
        return _client(uri)


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
