"""What a folder of a model holds: its kind, the digests of its files, and that nothing is read from elsewhere."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import cast

from rag_ablation.core.digest import digest_file, digest_json

PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
ADAPTER = "adapter_config.json"
TOKENIZER = "tokenizer.json"
TOKENIZER_SETTINGS = "tokenizer_config.json"
SETTINGS = (
    *("modules.json", "config.json", "config_*.json", "sentence_*.json", "router_config.json", "*.index.json"),
    *("processor_config.json", "preprocessor_config.json", TOKENIZER_SETTINGS),
)
CAUSAL = ("ForCausalLM", "LMHeadModel")
ELSEWHERE = {"tokenizer_name_or_path", "base_model_name_or_path"}
SAID_ONLY = {"name_or_path", "_name_or_path"}
MOST_PATH_CHARS = 1024
SETTLED_NS = 50_000_000

Stamp = tuple[int, int, int, int]


def model_type(folder: Path) -> str | None:
    """What a folder would have to be loaded as, None where it does not say.

    `CausalLM` is a model of transformers that goes on with a text; the others are those of sentence-transformers.
    """
    declared = _fields(folder / "config_sentence_transformers.json").get("model_type")
    if declared is not None:
        return str(declared)
    architectures = cast("list[str]", _fields(folder / "config.json").get("architectures") or [])
    if any(name.endswith("ForSequenceClassification") for name in architectures):
        return "CrossEncoder"
    if (folder / "modules.json").is_file():
        return "SentenceTransformer"
    return "CausalLM" if any(name.endswith(CAUSAL) for name in architectures) else None


def has_safe_weights(folder: Path) -> bool:
    """Whether there are weights, and all of them as safetensors."""
    places = _places(folder)
    pickled = [place for place in places if _any(place, PICKLES) and not _any(place, ("*.safetensors",))]
    return not pickled and any(_any(place, ("*.safetensors",)) for place in places)


def reached_outside(folder: Path) -> str | None:
    """What in a folder would be read from outside it or from a hidden file, which its digest does not cover.

    Args:
        folder: of a model.

    Returns:
        The first such thing, in words; None where everything is read from the folder's visible files.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() and path.is_dir():
            return f"the folder {path.relative_to(folder).as_posix()} is a link"
    if any(folder.rglob(ADAPTER)):
        return f"{ADAPTER} is there, so that the weights it adapts are elsewhere"
    for file in sorted({file for pattern in SETTINGS for file in folder.rglob(pattern)}):
        if file.name == TOKENIZER_SETTINGS and (file.parent / TOKENIZER).is_file():
            continue  # the files it names are then not read, and often are of another machine
        for key, value in _texts("", _json(file)):
            if _leads_out(folder, file.parent, key, value):
                return f"{file.relative_to(folder).as_posix()} names {value!r} as {key or 'a value'}"
    return None


def file_digest(path: Path) -> str:
    """SHA-256 of a file, computed once for a state of the file.

    Raises:
        OSError: the file cannot be read.
    """
    stamp = _stamp(path)
    if time.time_ns() - max(stamp[1], stamp[2]) < SETTLED_NS:
        return digest_file(path)  # clocks of file systems are coarse: a further change might bear the same stamp
    return _digest(path, stamp)


def folder_digest(folder: Path, left_out: tuple[str, ...] = ()) -> str:
    """SHA-256 over the relative names and bytes of all visible files below a folder.

    Args:
        folder: of a model.
        left_out: endings of the names of files that do not count.

    Raises:
        OSError: a file cannot be read.
    """
    return digest_json([[name, file_digest(folder / name)] for name in _names(folder) if not name.endswith(left_out)])


def all_digests(folder: Path, but: str) -> dict[str, str]:
    """SHA-256 of every file below a folder by its relative name, hidden ones too.

    Args:
        folder: any.
        but: the name of a file that is left out.

    Raises:
        OSError: a file cannot be read.
    """
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: file_digest(path) for name, path in sorted(files.items()) if name != but}


def _names(folder: Path) -> list[str]:
    """Relative names of the visible files."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(name.as_posix() for name in names if not any(part.startswith(".") for part in name.parts))


def _leads_out(folder: Path, place: Path, key: str, value: str) -> bool:
    """Whether a value of a settings file is a way out of the folder, or to what is hidden in it."""
    if key in SAID_ONLY or len(value) > MOST_PATH_CHARS or not any(map(str.isalnum, value)):
        return False
    if key in ELSEWHERE:
        return True
    if not os.path.exists(place / value):  # noqa: PTH110 — False for what is no path at all
        return False
    inside = Path(os.path.relpath(os.path.normpath(place / value), folder)).parts
    return any(part.startswith(".") for part in inside if part != ".")


def _texts(key: str, value: object) -> Iterator[tuple[str, str]]:
    """All strings of a JSON value, each with the nearest key above it; tokens are none."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name != "added_tokens_decoder":
                yield from _texts(str(name), item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(key, item)


def _places(folder: Path) -> list[Path]:
    """The folder and those of its modules."""
    found = _json(folder / "modules.json")
    modules = [module for module in found if isinstance(module, Mapping)] if isinstance(found, list) else []
    return [folder, *(folder / str(module.get("path", "")) for module in modules)]


def _fields(path: Path) -> dict[str, object]:
    found = _json(path)
    return found if isinstance(found, dict) else {}


def _json(path: Path) -> object:
    """Content of a JSON file, None where it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def _any(folder: Path, patterns: tuple[str, ...]) -> bool:
    return any(True for pattern in patterns for _ in folder.glob(pattern))


def _stamp(path: Path) -> Stamp:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


@lru_cache(maxsize=1024)
def _digest(path: Path, stamp: Stamp) -> str:
    return digest_file(path)
