"""Models of the hub: the local cache first, the network only for what is not there, and then with a deadline."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

ANSWER_SECONDS = 8.0
WANTED = ("*.json", "*.jinja", "*.txt", "*.model", "*.safetensors")


def snapshot(model: str) -> Path:
    """The folder of a hub model; its name is the commit.

    Args:
        model: `owner/name`.

    Raises:
        Exception: whatever the hub's client raises where the model is neither in the cache nor to be had.
    """
    return _cached(model) or _downloaded(model)


def _cached(model: str) -> Path | None:
    """The snapshot in the local cache, None where there is none or it is not whole."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415

    try:
        path = Path(snapshot_download(model, local_files_only=True))
        index = path / "model.safetensors.index.json"
        shards = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values() if index.is_file() else ()
    except (OSError, ValueError, KeyError):
        return None
    held = {file.name for file in path.rglob("*.safetensors")}
    return path if set(shards or ("model.safetensors",)) <= held else None


def _downloaded(model: str) -> Path:
    """Ask before fetching: a download alone retries for most of a minute where there is no network."""
    from huggingface_hub import HfApi, snapshot_download  # noqa: PLC0415

    _within(ANSWER_SECONDS, lambda: HfApi().model_info(model, timeout=ANSWER_SECONDS / 2))
    return Path(snapshot_download(model, allow_patterns=list(WANTED)))


def _within(seconds: float, call: Callable[[], object]) -> None:
    """Call with a deadline; a name server that does not answer obeys no other time-out."""
    failures: list[Exception] = [TimeoutError(f"no answer within {seconds:g} s")]

    def run() -> None:
        try:
            call()
        except Exception as error:
            failures[0] = error
        else:
            failures.clear()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise failures[0]
