"""`rag-ablation ui`: the MLflow UI over the runs under a root."""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import BinaryIO
from urllib.error import URLError
from urllib.request import urlopen

from rag_ablation.core.errors import TrackingError
from rag_ablation.core.secrets import masked_text
from rag_ablation.tracking.mlflow_store import open_store
from rag_ablation.tracking.uri import tracking_uri

READY_SECONDS = 90


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Declare the verb's options."""
    parser = verbs.add_parser("ui", help="open the runs in the MLflow UI")
    parser.add_argument("--port", type=int, default=5000)
    parser.add_argument("--tracking-uri", help="default: MLFLOW_TRACKING_URI, else mlflow.db under the root")


def execute(args: argparse.Namespace, root: Path) -> int:
    """Start the server in its quick form, say where it listens, and stay until it ends.

    Raises:
        TrackingError: the store cannot be served, or the server does not come up.
    """
    uri = tracking_uri(args.tracking_uri, root)
    if uri.startswith(("http://", "https://")):
        sys.stdout.write(f"the runs are on a server already: {masked_text(uri)}\n")
        return 0
    open_store(uri, root)  # a server that is ended early would leave a new database half-made
    command = [sys.executable, "-m", "mlflow", "server", "--workers", "1", "--host", "127.0.0.1"]
    command += ["--port", str(args.port), "--backend-store-uri", uri]
    environment = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", **os.environ}
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=log) as server,
    ):
        try:
            _wait(server, args.port, log)
            sys.stdout.write(
                f"MLflow UI: http://127.0.0.1:{args.port}   (Ctrl-C ends it)\n"
                "The arms of a sweep are folded under it: unfold the row, or see Evaluation runs for all at once.\n"
            )
            sys.stdout.flush()
            return server.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            server.terminate()


def _wait(server: "subprocess.Popen[bytes]", port: int, log: BinaryIO) -> None:
    """Until the server answers; raise if it ends or never does."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            log.seek(0)
            said = log.read().decode(errors="replace").strip()
            message = f"the MLflow server ended at once (is port {port} taken?): {masked_text(said[-500:])}"
            raise TrackingError(message)
        try:
            with urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.3)
    message = f"the MLflow server did not answer on port {port} within {READY_SECONDS} s"
    raise TrackingError(message)
