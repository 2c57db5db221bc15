"""Which tracking store, and whether it can be used: found out before any work starts."""

import os
import re
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import urlopen

from rag_ablation.core.errors import TrackingError
from rag_ablation.core.secrets import masked_text

PROBE_SECONDS = 5
DATABASE = "mlflow.db"
DATABASES = ("sqlite", "postgresql", "mysql", "mssql")
SERVERS = ("http", "https")
# What SQLAlchemy reads in the path of a database URI as it stands; anything else is escaped.
PLAIN = "/:\\ "


def tracking_uri(setting: str | None, root: Path) -> str:
    """The store to use: the setting, else `MLFLOW_TRACKING_URI`, else `mlflow.db` under the root.

    A relative sqlite path is taken from the root folder, whatever the current one is.

    Args:
        setting: `tracking.uri`.
        root: folder under which everything is written.

    Raises:
        TrackingError: it is no store that MLflow can write, or cannot be reached; names the setting,
            its value without credentials, and the remedy.
    """
    name, uri = "tracking.uri", setting
    if uri is None:
        name, uri = "MLFLOW_TRACKING_URI", os.environ.get("MLFLOW_TRACKING_URI") or None
    if uri is None:
        return _checked_sqlite("tracking.uri", f"sqlite:///{DATABASE}", root)
    scheme = re.match(r"[A-Za-z][A-Za-z0-9]*(?=[+:])", uri)
    kind = scheme[0].lower() if scheme else ""
    if kind == "sqlite":
        return _checked_sqlite(name, uri, root)
    if kind in SERVERS:
        _probe(name, uri)
    elif kind not in (*DATABASES, "databricks"):
        _refuse(name, uri, "a plain folder cannot be written by MLflow any more", root)
    return uri


def sqlite_path(uri: str) -> Path | None:
    """The database file of a sqlite URI, None for another store."""
    found = re.fullmatch(r"sqlite(?:\+\w+)?:///(.+)", uri)
    return Path(unquote(found[1].split("?")[0])) if found else None


def with_sqlite_path(uri: str, path: Path) -> str:
    """A sqlite URI with another database file."""
    head, _, _ = uri.partition(":///")
    _, mark, query = uri.partition("?")
    return f"{head}:///{quote(str(path), safe=PLAIN)}{mark}{query}"


def _checked_sqlite(name: str, uri: str, root: Path) -> str:
    path = sqlite_path(uri)
    if path is None or path.name == ":memory:":
        _refuse(name, uri, "a database in memory is gone when the run ends", root)
        return uri
    absolute = path if path.is_absolute() else root / path
    folder = absolute.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _refuse(name, uri, f"{folder} cannot be made: {error.strerror}", root)
    if not os.access(folder, os.W_OK) or absolute.is_dir() or (absolute.exists() and not os.access(absolute, os.W_OK)):
        _refuse(name, uri, f"{absolute} cannot be written", root)
    if "'" in str(absolute) and not absolute.exists():
        _refuse(name, uri, f"MLflow makes no database at a path with an apostrophe: {absolute}", root)
    return with_sqlite_path(uri, absolute)


def _probe(name: str, uri: str) -> None:
    """A server that is down would otherwise be found out after minutes of retries."""
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "2")
    os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "15")
    try:
        parts = urlsplit(uri)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        address = f"{parts.scheme}://{host}{port}{parts.path.rstrip('/')}/health"
        with urlopen(address, timeout=PROBE_SECONDS):  # noqa: S310 — http and https only
            return
    except HTTPError:
        return  # something answers; whether it lets us in is for MLflow to say
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        message = (
            f"{name}: found {masked_text(uri)!r}, where no MLflow server answers ({reason}); "
            "start it, or unset the URI to use a local database"
        )
        raise TrackingError(message) from error


def _refuse(name: str, uri: str, why: str, root: Path) -> None:
    message = (
        f"{name}: found {masked_text(uri)!r}, expected the URI of a database or of an MLflow server, for example "
        f"sqlite:///{root / DATABASE} ({why}; `mlflow migrate-filestore` moves an old folder of runs)"
    )
    raise TrackingError(message)
