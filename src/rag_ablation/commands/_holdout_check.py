"""Before a holdout is opened: nobody else is at it, and the ledger is whole by all who know of it."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from rag_ablation.commands._holdout_folder import written_runs
from rag_ablation.commands._plan_source import Source
from rag_ablation.commands.run import RUNS
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.locks import alone
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.opening import openings
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import dataset_ledger, root_ledger
from rag_ablation.tracking.base import Tracker
from rag_ablation.tracking.records import holdout_records

LOCK = ".holdout.lock"


class Lost(NamedTuple):
    """Entries that a ledger lacks.

    Args:
        entries: their digests.
        openings: how many of them opened this holdout.
    """

    entries: tuple[str, ...] = ()
    openings: int = 0


def check_witnesses(plan: FrozenPlan | None, place: Place, tracker: Tracker, *, again: bool = False) -> Lost:
    """Hold the ledger against everything that knows of its entries: the plan, the tracker, recorded runs, the root.

    Args:
        plan: None where there is none at hand.
        place: of the dataset.
        tracker: where holdout runs are logged.
        again: whether a person has said why it goes on although entries are lost.

    Returns:
        What is lost, where it goes on; an entry noted as lost before is not lost again.

    Raises:
        HoldoutError: the ledger lacks an entry that one of them has.
    """
    opened, other = _known(plan, place, tracker)
    ledger = dataset_ledger(place)
    noted = {digest for entry in ledger.of(Kind.OPENED) for digest in entry.details.get("lost", ())}
    known = {**other, **opened}
    lost = [digest for digest in ledger.lacks(list(known)) if digest not in noted]
    if lost and not again:
        said = "; ".join(f"{digest[:12]}… (known to {known[digest]})" for digest in lost)
        message = (
            f"the ledger {ledger.path} lacks {len(lost)} of its entries: {said}. It was removed, or an older copy was "
            "put back. Bring the file back as it was, or join the one that holds them: rag-ablation holdout join A B. "
            'Where it is lost for good, --spend-again --reason "…" goes on, and every table will say so'
        )
        raise HoldoutError(message)
    return Lost(tuple(lost), len([digest for digest in lost if digest in opened]))


def _known(plan: FrozenPlan | None, place: Place, tracker: Tracker) -> tuple[dict[str, str], dict[str, str]]:
    """Who knows of which entry: those that opened, and any other."""
    records = [
        record for record in holdout_records(place.root / RUNS) if record.digests.get("queries") == place.queries
    ]
    opened: dict[str, str] = dict.fromkeys(tracker.openings(place.queries), f"the tracking store {tracker.place}")
    opened |= {record.holdout["opened"]: f"the run {record.id}" for record in records}
    opened |= {
        entry.details["entry"]: f"the list of seen questions under the root, as one of {entry.details.get('ledger')}"
        for entry in root_ledger(place.root).of(Kind.OPENED)
        if entry.details.get("entry") and _concerns(entry, plan, place)
    }
    other: dict[str, str] = dict.fromkeys([] if plan is None else [plan.ledger], "the plan")
    for path, runs in written_runs(place.root):
        if runs.opened in opened or place.queries == runs.queries:
            opened.setdefault(runs.opened, str(path))
            other[runs.closed] = str(path)
    return opened, other


def _concerns(entry: Entry, plan: FrozenPlan | None, place: Place) -> bool:
    """Whether an opening that the root knows of was of this dataset, however it was named, or by this plan."""
    folder = entry.details.get("ledger")
    here = folder is not None and Path(folder).resolve() == place.folder.resolve()
    return here or (plan is not None and entry.details.get("plan") == plan.identity())


@contextmanager
def one_at_a_time(place: Place) -> Iterator[None]:
    """Keep a dataset's holdout to this process.

    Args:
        place: of the dataset.

    Raises:
        HoldoutError: another process has it.
    """
    beside = place.beside.is_dir() and place.written_to == place.beside
    lock = (place.beside if beside else place.under) / LOCK
    message = f"another process has the holdout of {place.name} open (it holds {lock}); wait for its end"
    with alone(lock, lambda: HoldoutError(message)):
        yield


def what_to_do(plan: FrozenPlan, source: Source, changed: Sequence[str]) -> str:
    """What a person can do about what has changed.

    Args:
        plan: the plan.
        source: its dataset.
        changed: what has, in words.
    """
    opened = openings(dataset_ledger(source.place), source.held_out(plan.split["fold"]))
    labels_alone = all(one.startswith(("labels:", "split:")) for one in changed)
    if opened and labels_alone:
        words = f'--study {plan.study} --name {plan.name} --labels --reason "…"'
        return f"were labels corrected? rag-ablation holdout amend {words}"
    return "bring it back as it was" + ("" if opened else ", or freeze anew: nothing was opened yet")


@contextmanager
def said_that_it_is_open(opened: Entry) -> Iterator[None]:
    """Whatever stops it now, a person is told that the holdout was opened, and how it is completed.

    Args:
        opened: the entry under which arms are scored.
    """
    try:
        yield
    except BaseException:
        said = (
            f"the holdout is open (entry {opened.digest[:12]}): the same command completes it, and opens nothing again"
        )
        sys.stderr.write(f"rag-ablation: {said}\n")
        raise
