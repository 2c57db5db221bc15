"""Where a dataset lies, and where its splits and its ledger lie."""

import os
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.bundled import is_bundled
from rag_ablation.holdout._splitfile import Split, read_split

FOLDER = "splits"
DATASETS = "datasets"
SUFFIX = ".json"
LEDGER = "ledger.jsonl"
SHORT_DIGEST = 12
MOST_NAME_CHARS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a dataset lies.

    Args:
        folder: of the dataset.
        root: folder under which everything of ours is written.
        queries: fingerprint of its questions.
        name: of the dataset, as given.
    """

    folder: Path
    root: Path
    queries: str
    name: str

    @classmethod
    def of(cls, benchmark: Benchmark, folder: Path, root: Path) -> "Place":
        """The place of a dataset that was read."""
        return cls(folder=folder, root=root, queries=benchmark.fingerprints["queries"], name=benchmark.name)

    @property
    def beside(self) -> Path:
        """The folder of splits beside the dataset."""
        return self.folder / FOLDER

    @property
    def under(self) -> Path:
        """The folder of splits under the root, for a set that ships or cannot be written to."""
        safe = "".join(char if char.isalnum() or char in "-_." else "_" for char in self.name)
        safe = safe[:MOST_NAME_CHARS].lstrip(".")
        return self.root / DATASETS / f"{safe}-{self.queries[:SHORT_DIGEST]}" / FOLDER

    @property
    def written_to(self) -> Path:
        """Where a new split or ledger goes: beside the dataset where that may be, else under the root."""
        writable = _writable(self.beside if self.beside.exists() else self.folder)
        return self.beside if writable and not is_bundled(self.folder) else self.under

    def splits(self) -> list[str]:
        """Names of all splits, sorted."""
        folders = (self.beside, self.under)
        files = [file for folder in folders if folder.is_dir() for file in folder.glob(f"*{SUFFIX}")]
        return sorted({file.stem for file in files if not file.name.startswith(".")})

    def split_file(self, split: str) -> Path | None:
        """The file of a split, None where there is none of that name."""
        return next(iter(self._files(split)), None)

    def split(self, split: str) -> Split:
        """Read a split by name.

        Raises:
            HoldoutError: there is none of that name, with what to do.
            DataError: its file is no split file.
        """
        problem = name_problem(split)
        if problem:
            raise HoldoutError(problem)
        file = self.split_file(split)
        if file is not None:
            self._refuse_second(split)
            return read_split(file)
        others = self.splits()
        option = "" if split == "default" else f" --name {split}"
        if others:
            message = (
                f"{self.name} has no split {split!r}; there are: {', '.join(others)} (dataset.split=NAME). "
                f"Make it with: rag-ablation data split {self.folder}{option}"
            )
        else:
            message = (
                f"{self.name} has no split {split!r}. Make one with: rag-ablation data split {self.folder}{option} "
                "- or run on the whole set, which leaves nothing unseen for a later check, with: split=none"
            )
        raise HoldoutError(message)

    def _files(self, split: str) -> list[Path]:
        """Files of this name that are there, the one beside the dataset first."""
        files = [folder / f"{split}{SUFFIX}" for folder in (self.beside, self.under)]
        return [file for file in files if file.exists()]

    def _refuse_second(self, split: str) -> None:
        """One file of a name must not hide another, with other questions held out.

        Raises:
            HoldoutError: there are two, beside the dataset and under the root, that are not the same.
        """
        there = self._files(split)
        if len(there) == 2 and read_split(there[0]).digest() != read_split(there[1]).digest():
            message = (
                f"{self.name} has two different splits {split!r}: {there[0]} and {there[1]}. Remove the one that is "
                "not in use; what was looked at under it is no longer unseen"
            )
            raise HoldoutError(message)


def name_problem(name: str, noun: str = "a split") -> str:
    """Empty, or why something cannot be called so.

    Args:
        name: wanted, also of its file.
        noun: what is called so.
    """
    good = name and all(char.isalnum() or char in "-_." for char in name) and name[0] != "."
    if good and len(name) <= MOST_NAME_CHARS:
        return ""
    return f"{noun}'s name needs letters, digits, - _ . (at most {MOST_NAME_CHARS}, no . in front), got {name!r}"


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
