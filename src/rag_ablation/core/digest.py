"""Content digests: the identity of settings, arrays and texts."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES = 1 << 22


def canonical_json(value: object) -> str:
    """JSON with sorted keys, no spaces and no NaN: equal values give equal text.

    Raises:
        ValueError: a float is NaN or infinite.
        TypeError: a value has no JSON form.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_json(value: object) -> str:
    """SHA-256 (64 hex characters) of the canonical JSON of a value."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def digest_texts(texts: Iterable[str]) -> str:
    """SHA-256 over texts in the order given; the boundaries between texts count."""
    digest = hashlib.sha256()
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()


def digest_arrays(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """SHA-256 over named arrays: name, dtype, shape and bytes, in order of name."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(canonical_json([name, array.dtype.str, list(array.shape)]).encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes.

    Raises:
        OSError: the file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
