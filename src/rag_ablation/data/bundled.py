"""Collections that ship with the package."""

from pathlib import Path

from rag_ablation.core.errors import ConfigError

PREFIX = "bundled:"
PACKAGE = Path(__file__).parent.parent


def is_bundled(folder: Path) -> bool:
    """Whether a folder is one of the collections that ship, however it was named."""
    return any(folder.resolve().is_relative_to(parent.resolve()) for parent in _parents())


def dataset_path(path: str) -> Path:
    """The folder that `dataset.path` names; `bundled:NAME` is a collection of the package.

    Raises:
        ConfigError: no such collection ships, or no such folder is there.
    """
    if not path.startswith(PREFIX):
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise ConfigError.of("dataset.path", path, "a folder that holds corpus.jsonl, queries.jsonl and qrels")
        return folder.absolute()
    name = path.removeprefix(PREFIX)
    there = {
        folder.name: folder
        for parent in _parents()
        for folder in parent.glob("*/")
        if (folder / "corpus.jsonl").is_file()
    }
    if name in there:
        return there[name]
    names = ", ".join(f"{PREFIX}{known}" for known in sorted(there))
    raise ConfigError.of("dataset.path", path, f"a collection that ships with the package: {names}")


def _parents() -> tuple[Path, ...]:
    """Where collections lie, in a checkout and in an installed package."""
    return PACKAGE.parent.parent / "data", PACKAGE / "bundled"
