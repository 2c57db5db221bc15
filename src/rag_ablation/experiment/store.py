"""The stage store: what a stage computed once is not computed again.

An entry is a folder of `.npy` files and a `meta.json`, found by the digest of everything that
determines its content. It is written aside and renamed, so that a reader sees all of it or nothing;
a lock per key keeps two arms from computing the same thing. Nothing is pickled.
"""

import json
import logging
import os
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from rag_ablation.core.digest import digest_arrays, digest_json
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.replacing import replace_text
from rag_ablation.core.results import StageResult
from rag_ablation.stages.base import Arrays, Response

logger = logging.getLogger(__name__)

LAYOUT = 1
EXTRA = "extra-"
RESPONSES = "responses"
TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class Stored:
    """A stage result and where it came from.

    Args:
        result: rankings and facts.
        seconds: time of the computation, whenever that was.
        reused: True where it was read from the store.
    """

    result: StageResult
    seconds: float
    reused: bool


class StageStore:
    """A content-addressed store under one folder.

    Args:
        folder: made when first written to.
        responses: folder of another store that keeps the responses, None for the same.
    """

    computes = True
    """Whether what is not there may be computed and kept."""

    def __init__(self, folder: Path, responses: Path | None = None) -> None:
        """Remember where."""
        self.folder = folder
        self.responses = (responses or folder) / RESPONSES

    def stage(self, key: Mapping[str, object], compute: Callable[[], StageResult]) -> Stored:
        """The result of a stage under this key, computed and kept if it is not there yet.

        Args:
            key: JSON values that together determine the result.
            compute: runs the stage.
        """

        def arrays_and_facts() -> tuple[Arrays, Mapping[str, object]]:
            result = compute()
            extra = {f"{EXTRA}{name}": array for name, array in result.arrays.items()}
            return {**result.rankings.arrays(), **extra}, result.facts

        return _stored(*self._get(key, arrays_and_facts))

    def arrays(self, key: Mapping[str, object], compute: Callable[[], Arrays]) -> Arrays:
        """Costly arrays of a stage (postings, embeddings) under this key."""
        return self._get(key, lambda: (compute(), {}))[0]

    def response(self, key: Mapping[str, object], ask: Callable[[], Response]) -> Response:
        """What was answered under this key, kept as soon as it is there, so that nothing is paid for twice.

        Args:
            key: JSON values that together determine the request.
            ask: called when nothing is kept; what it raises keeps nothing.
        """
        digest = digest_json({"layout": LAYOUT, **key})
        path = self.responses / digest[:2] / f"{digest}.json"
        if (found := _read_response(path)) is not None:
            return found
        with self._lock(digest):
            if (found := _read_response(path)) is not None:
                return found
            response = dict(ask())
            _write_response(path, key, response)
        return response

    def texts(self, key: Mapping[str, object]) -> Response | None:
        """The texts of a rewriter that are kept under this key, None where there are none.

        Args:
            key: JSON values that together determine them.
        """
        return _read_response(self._texts(key))

    def keep_texts(self, key: Mapping[str, object], texts: Response) -> None:
        """Keep the texts of a rewriter.

        Args:
            key: JSON values that together determine them.
            texts: JSON values.
        """
        _write_response(self._texts(key), key, texts)

    def _texts(self, key: Mapping[str, object]) -> Path:
        digest = digest_json({"layout": LAYOUT, **key})
        return self.folder / TEXTS / digest[:2] / f"{digest}.json"

    def _get(
        self, key: Mapping[str, object], compute: Callable[[], tuple[Arrays, Mapping[str, object]]]
    ) -> tuple[Arrays, dict, bool]:  # type: ignore[type-arg]
        digest = digest_json({"layout": LAYOUT, **key})
        entry = self.folder / digest[:2] / digest
        if (found := self._read(entry)) is not None:
            return (*found, True)
        with self._lock(digest):
            if (found := self._read(entry)) is not None:
                return (*found, True)
            start = time.perf_counter()
            arrays, facts = compute()
            meta = {
                "key": dict(key),
                "facts": dict(facts),
                "seconds": time.perf_counter() - start,
                "content": digest_arrays(arrays),
                "names": sorted(arrays),
            }
            self._write(entry, arrays, meta)
        return arrays, meta, False

    def _read(self, entry: Path) -> tuple[Arrays, dict] | None:  # type: ignore[type-arg]
        """The entry, or None where there is none or it is damaged."""
        if not entry.exists():
            return None
        try:
            meta = json.loads((entry / "meta.json").read_text(encoding="utf-8"))
            arrays = {name: np.load(entry / f"{name}.npy", allow_pickle=False) for name in meta["names"]}
            if meta["content"] == digest_arrays(arrays):
                return arrays, meta
        except (OSError, ValueError, KeyError, TypeError) as error:
            logger.debug("%s: %s", entry, error)
        logger.warning("%s is damaged and will be computed again", entry)
        shutil.rmtree(entry, ignore_errors=True)
        return None

    def _write(self, entry: Path, arrays: Arrays, meta: Mapping[str, object]) -> None:
        aside = self.folder / "aside" / uuid.uuid4().hex
        aside.mkdir(parents=True)
        for name, array in arrays.items():
            np.save(aside / f"{name}.npy", array, allow_pickle=False)
        (aside / "meta.json").write_text(json.dumps(meta, ensure_ascii=False, allow_nan=False), encoding="utf-8")
        entry.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.rename(aside, entry)  # noqa: PTH104 — Path.rename would replace an empty folder silently too
        except OSError:
            shutil.rmtree(aside, ignore_errors=True)
            if not entry.exists():
                raise

    @contextmanager
    def _lock(self, digest: str) -> Iterator[None]:
        folder = self.folder / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{digest}.lock"):
            yield


class LookingStore(StageStore):
    """Answers from a store and computes nothing: what is not there is an empty result that says so."""

    computes = False

    def stage(self, key: Mapping[str, object], compute: Callable[[], StageResult]) -> Stored:
        """The stored result; else an empty ranking of no question, not reused."""
        digest = digest_json({"layout": LAYOUT, **key})
        if (found := self._read(self.folder / digest[:2] / digest)) is not None:
            return _stored(*found, True)
        nothing = Rankings(np.empty((0, 0), dtype=np.int32), np.empty((0, 0), dtype=np.float64))
        return Stored(StageResult(nothing, {}), float("nan"), False)


def _read_response(path: Path) -> Response | None:
    """A kept response, None where there is none or it is damaged."""
    try:
        entry = json.loads(path.read_text(encoding="utf-8"))
        response: Response = entry["response"]
        if entry["content"] == digest_json(response):
            return response
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        logger.debug("%s: %s", path, error)
    logger.warning("%s is damaged and will be asked for again", path)
    return None


def _write_response(path: Path, key: Mapping[str, object], response: Response) -> None:
    entry = {"key": dict(key), "response": dict(response), "content": digest_json(response)}
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n")


def _stored(arrays: Arrays, meta: Mapping[str, Any], reused: bool) -> Stored:
    rankings = Rankings(_as(arrays["passages"], np.int32), _as(arrays["scores"], np.float64))
    extra = {name.removeprefix(EXTRA): array for name, array in arrays.items() if name.startswith(EXTRA)}
    return Stored(StageResult(rankings, meta["facts"], extra), meta["seconds"], reused)


def _as(array: NDArray[np.generic], dtype: type[np.generic]) -> NDArray:  # type: ignore[type-arg]
    return array.astype(dtype, copy=False)
