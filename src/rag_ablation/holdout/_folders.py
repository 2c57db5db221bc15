"""Where the splits of a dataset lie."""

import os
from pathlib import Path

from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout._splitfile import Split, read_split

FOLDER = "splits"
DATASETS = "datasets"
SUFFIX = ".json"
PACKAGE = Path(__file__).parent.parent
SHORT_DIGEST = 12
MOST_NAME_CHARS = 60


def splits_folder(dataset_path: Path, root: Path, queries_digest: str, name: str) -> Path:
    """Where a new split of a dataset is written.

    Beside the dataset where that is possible; for one that ships in the package, or that cannot be written
    to, under the root.

    Args:
        dataset_path: folder of the dataset.
        root: folder under which everything of ours is written.
        queries_digest: fingerprint of the questions.
        name: name of the dataset, as given.
    """
    beside, under = splits_folders(dataset_path, root, queries_digest, name)
    packaged = dataset_path.resolve().is_relative_to(PACKAGE.resolve())
    return beside if not packaged and _writable(beside if beside.exists() else dataset_path) else under


def splits_folders(dataset_path: Path, root: Path, queries_digest: str, name: str) -> tuple[Path, Path]:
    """Where splits of a dataset are looked for: beside it, then under the root."""
    safe = "".join(char if char.isalnum() or char in "-_." else "_" for char in name)[:MOST_NAME_CHARS].lstrip(".")
    under = root / DATASETS / f"{safe}-{queries_digest[:SHORT_DIGEST]}" / FOLDER
    return dataset_path / FOLDER, under


def existing_splits(dataset_path: Path, root: Path, queries_digest: str, name: str) -> list[str]:
    """Names of all splits of a dataset, sorted."""
    folders = splits_folders(dataset_path, root, queries_digest, name)
    files = [file for folder in folders if folder.is_dir() for file in folder.glob(f"*{SUFFIX}")]
    return sorted({file.stem for file in files if not file.name.startswith(".")})


def find_split(dataset_path: Path, root: Path, queries_digest: str, name: str, split: str) -> Split:
    """Read a split by name.

    Args:
        dataset_path: folder of the dataset.
        root: folder under which everything of ours is written.
        queries_digest: fingerprint of the questions.
        name: name of the dataset.
        split: name of the split.

    Raises:
        HoldoutError: there is none of that name, with what to do.
        DataError: its file is no split file.
    """
    problem = name_problem(split)
    if problem:
        raise HoldoutError(problem)
    for folder in splits_folders(dataset_path, root, queries_digest, name):
        if (folder / f"{split}{SUFFIX}").exists():
            return read_split(folder / f"{split}{SUFFIX}")
    others = existing_splits(dataset_path, root, queries_digest, name)
    option = "" if split == "default" else f" --name {split}"
    if others:
        message = (
            f"{name} has no split {split!r}; there are: {', '.join(others)} (dataset.split=NAME). "
            f"Make it with: rag-ablation data split {dataset_path}{option}"
        )
    else:
        message = (
            f"{name} has no split {split!r}. Make one with: rag-ablation data split {dataset_path}{option} "
            "- or run on the whole set, which leaves nothing unseen for a later check, with: split=none"
        )
    raise HoldoutError(message)


def name_problem(name: str) -> str:
    """Empty, or why a split cannot be called so."""
    good = name and all(char.isalnum() or char in "-_." for char in name) and name[0] != "."
    if good and len(name) <= MOST_NAME_CHARS:
        return ""
    return f"a split's name needs letters, digits, - _ . (at most {MOST_NAME_CHARS}, no . in front), got {name!r}"


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
