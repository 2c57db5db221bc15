"""The files of a model that the libraries are given: which folder, its digest, and that it is at rest."""

from pathlib import Path

from rag_ablation.core.errors import ModelError
from rag_ablation.stages._e5_small import converted, intact
from rag_ablation.stages._model_folder import PICKLES, file_digest, folder_digest
from rag_ablation.stages._models import PACKAGES, LocatedModel

E5_SMALL = "e5_small"
OTHER_SUFFIXES = (".onnx", ".h5", ".msgpack", ".ot", ".gguf", ".md", ".py", ".png", ".jpg", ".svg")
NEVER_READ = tuple(pattern.removeprefix("*") for pattern in PICKLES) + OTHER_SUFFIXES


def weights_of(model: LocatedModel) -> dict[str, str]:
    """Name, kind and digest of a model's files as they would be loaded now.

    Raises:
        ModelError: a file cannot be read, or a converted model not be made.
    """
    found = {"name": model.name, "kind": model.kind, "digest": weights_digest(model)}
    return found | ({"source": model.fingerprint["weights"]} if _is_converted(model) else {})


def weights_digest(model: LocatedModel) -> str:
    """SHA-256 over the names and bytes of the files that would be loaded now.

    A snapshot of the hub may also hold files that are never read (pickles, other formats, texts); they do not count.

    Raises:
        ModelError: a file cannot be read, or a converted model not be made.
    """
    try:
        return folder_digest(loading_folder(model), NEVER_READ if model.kind == "hub" else ())
    except OSError as error:
        message = f"model {model.name}: a file cannot be read ({error})"
        raise ModelError(message) from error


def loading_folder(model: LocatedModel) -> Path:
    """The folder that the libraries are given; a converted model is checked first and made again where it differs.

    Raises:
        ModelError: a converted model cannot be made.
    """
    if not _is_converted(model):
        return model.path
    return converted(model.path, model.fingerprint["weights"], model.fingerprint["converter"])


def check_at_rest(model: LocatedModel, folder: Path) -> None:
    """Raise unless the files that were just loaded are still those of the model's identity.

    Of a hub model, which is known by its commit, nothing is read again.

    Args:
        model: as located.
        folder: what was loaded.

    Raises:
        ModelError: a file has changed since.
    """
    try:
        if model.kind == "folder":
            same = folder_digest(folder) == model.fingerprint["files"]
        elif model.kind == "packaged" and not _is_converted(model):
            package = PACKAGES[model.name]
            root = folder.parents[len(Path(package.path).parts) - 1]
            same = all(file_digest(root / name) == digest for name, digest in package.pinned.items())
        else:
            same = model.kind == "hub" or intact(folder)
    except OSError:
        same = False
    if not same:
        message = f"model {model.name}: its files changed while it was loaded; run again when they are at rest"
        raise ModelError(message)


def _is_converted(model: LocatedModel) -> bool:
    return model.kind == "packaged" and model.name == E5_SMALL
