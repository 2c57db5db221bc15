"""Before a holdout is opened: nobody else is at it, and the ledger is whole by all who know of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from rag_ablation.commands._holdout_folder import written_runs
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import HoldoutError
from rag_ablation.experiment.code import python_version
from rag_ablation.experiment.record import LIBRARIES
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import dataset_ledger, root_ledger
from rag_ablation.stages.base import library_versions
from rag_ablation.tracking.base import Tracker
from rag_ablation.tracking.files import holdout_records

LOCK = ".holdout.lock"


def check_witnesses(plan: FrozenPlan | None, place: Place, tracker: Tracker) -> None:
    """Hold the ledger against everything that knows of its entries: the plan, the tracker, recorded runs, the root.

    Args:
        plan: None where there is none at hand.
        place: of the dataset.
        tracker: where holdout runs are logged.

    Raises:
        HoldoutError: the ledger lacks an entry that one of them has.
    """
    records = [
        record for record in holdout_records(place.root / RUNS) if record.digests.get("queries") == place.queries
    ]
    known: dict[str, str] = dict.fromkeys([] if plan is None else [plan.ledger], "the plan")
    known |= dict.fromkeys(tracker.openings(place.queries), f"the tracking store {tracker.place}")
    known |= {record.holdout["opened"]: f"the run {record.id}" for record in records}
    known |= {
        entry.details["entry"]: "the list of seen questions under the root"
        for entry in root_ledger(place.root).of(Kind.OPENED)
        if entry.details.get("entry") and _concerns(entry, plan, place)
    }
    opened = {record.holdout["opened"] for record in records}
    known |= {runs.closed: str(path) for path, runs in written_runs(place.root) if runs.opened in opened}
    ledger = dataset_ledger(place)
    lost = [f"{digest[:12]}… (known to {known[digest]})" for digest in ledger.lacks(list(known))]
    if lost:
        message = (
            f"the ledger {ledger.path} lacks {len(lost)} of its entries: {'; '.join(lost)}. It was removed, or an "
            "older copy was put back. Bring the file back as it was, or join the two: rag-ablation holdout join A B"
        )
        raise HoldoutError(message)


def _concerns(entry: Entry, plan: FrozenPlan | None, place: Place) -> bool:
    """Whether an opening that the root knows of was of this dataset, however it was named, or by this plan."""
    folder = entry.details.get("ledger")
    here = folder is not None and Path(folder).resolve() == place.folder.resolve()
    return here or (plan is not None and entry.details.get("plan") == plan.identity())


@contextmanager
def alone(place: Place) -> Iterator[None]:
    """Keep a dataset's holdout to this process.

    Args:
        place: of the dataset.

    Raises:
        HoldoutError: another process has it.
    """
    folder = place.beside if place.beside.is_dir() and place.written_to == place.beside else place.under
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        message = f"another process has the holdout of {place.name} open (it holds {lock.lock_file}); wait for its end"
        raise HoldoutError(message) from error
    try:
        yield
    finally:
        lock.release()


def elsewhere(plan: FrozenPlan) -> tuple[str, ...]:
    """Libraries that are not those of a plan, in words.

    Args:
        plan: the plan.
    """
    now = {"python": python_version(), **library_versions(LIBRARIES)}
    return tuple(
        f"{name} {plan.libraries.get(name, 'none')} → {now.get(name, 'none')}"
        for name in sorted({*now, *plan.libraries})
        if now.get(name) != plan.libraries.get(name)
    )
