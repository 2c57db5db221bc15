"""What a tracker must be able to do."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rag_ablation.core.record import ArmRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStart:
    """What is known when a run begins.

    Args:
        experiment: name of the experiment.
        name: a name a person can read.
        kind: `arm`, `sweep` or `study`.
        parent: id of the sweep's run, None for a single run.
        tags: further tags.
        digest: identity of a sweep or study; an earlier run of the same identity is gone on with. None for a new run.
    """

    experiment: str
    name: str
    kind: str
    parent: str | None
    tags: dict[str, str]
    digest: str | None = None


class Tracker(Protocol):
    """Where runs are logged."""

    @property
    def place(self) -> str:
        """Where that is, without credentials."""
        ...

    def start(self, start: RunStart) -> AbstractContextManager[str]:
        """Begin a run; it ends finished, failed or killed as the block does. Gives the run's id."""
        ...

    def push(self, run_id: str, record: ArmRecord, folder: Path) -> None:
        """Log an arm's record and the files of its run folder, in a few calls."""
        ...

    def summarise(self, run_id: str, note: str, folder: Path | None) -> None:
        """Put a note, and the files of a folder, on a sweep's run."""
        ...

    def finished(self, experiment: str) -> Mapping[str, str]:
        """Name of the run folder of every finished arm of an experiment, by the arm's digest."""
        ...

    def folders(self, experiment: str) -> frozenset[str]:
        """Names of the run folders of all finished arms of an experiment."""
        ...

    def mark(self, folder: str, tags: Mapping[str, str]) -> None:
        """Put tags on the run of an arm, by the name of its run folder; nothing where there is none."""
        ...

    def openings(self, queries: str) -> frozenset[str]:
        """Digests of the ledger's entries that logged holdout runs over questions of this fingerprint name."""
        ...


class FilesOnly:
    """No tracker: the run folder is all there is.

    Args:
        arms: digest and folder name of every finished arm under the root.
    """

    def __init__(self, arms: Callable[[], Mapping[str, str]] = dict) -> None:
        """Remember how finished arms are found."""
        self._arms = arms

    @property
    def place(self) -> str:
        """Nowhere: the run folder is all there is."""
        return ""

    def start(self, start: RunStart) -> AbstractContextManager[str]:
        """Nothing to begin."""
        return nullcontext("")

    def push(self, run_id: str, record: ArmRecord, folder: Path) -> None:
        """Nothing to do."""

    def summarise(self, run_id: str, note: str, folder: Path | None) -> None:
        """Nothing to do."""

    def finished(self, experiment: str) -> Mapping[str, str]:
        """Every finished arm under the root, whatever experiment it belonged to."""
        return self._arms()

    def folders(self, experiment: str) -> frozenset[str]:
        """Nothing is logged anywhere."""
        return frozenset()

    def mark(self, folder: str, tags: Mapping[str, str]) -> None:
        """Nothing to do."""

    def openings(self, queries: str) -> frozenset[str]:
        """None that the run folders do not tell."""
        return frozenset()
