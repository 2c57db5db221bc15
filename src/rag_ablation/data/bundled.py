"""Collections that ship with the package."""

from pathlib import Path

from rag_ablation.core.errors import ConfigError

PREFIX = "bundled:"
PACKAGE = Path(__file__).parent.parent


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
        for parent in (PACKAGE.parent.parent / "data", PACKAGE / "bundled")
        for folder in parent.glob("*/")
        if (folder / "corpus.jsonl").is_file()
    }
    if name in there:
        return there[name]
    names = ", ".join(f"{PREFIX}{known}" for known in sorted(there))
    raise ConfigError.of("dataset.path", path, f"a collection that ships with the package: {names}")
