"""The one door to held-out questions: it opens for those that the ledger says are opened, and for no others."""

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark, Side
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.ledger import Ledger
from rag_ablation.holdout.marks import Spent
from rag_ablation.holdout.opening import openings, times_opened
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import dataset_ledger
from rag_ablation.holdout.split import Split, side_of

OPENED = (Kind.OPENED, Kind.REOPENED)


def held_out_side(benchmark: Benchmark, split: Split, fold: int | None, place: Place, opened: str) -> Side:
    """The held-out questions of a split, once the ledger says that they are opened.

    Args:
        benchmark: the whole dataset.
        split: its split.
        fold: of the holdout, None where it is one.
        place: of the dataset.
        opened: digest of the ledger's entry.

    Raises:
        HoldoutError: the ledger on disk has no such entry, or it speaks of other questions.
    """
    names = set(split.held_out(fold))
    entry = dataset_ledger(place).entry(opened)
    if (
        entry is None
        or entry.kind not in (*OPENED, Kind.AMENDED)
        or names != {question.id for question in entry.questions}
    ):
        message = f"the ledger of {place.name} does not say that these {len(names)} questions are opened: {opened[:12]}"
        raise HoldoutError(message)
    return side_of(benchmark, split, "holdout", sorted(names))


def closed_to(benchmark: Benchmark, place: Place) -> frozenset[str]:
    """Ids of the questions that a split holds out and that no ledger entry opens.

    Args:
        benchmark: the whole dataset.
        place: where it lies.

    Raises:
        HoldoutError: the ledger was tampered with.
        DataError: a split file was.
    """
    held = {name for split in place.splits() for name in place.split(split).holdout}
    if not held:
        return frozenset()
    return frozenset(held - opened_ids(dataset_ledger(place))).intersection(benchmark.queries.ids)


def opened_ids(ledger: Ledger) -> set[str]:
    """Ids of all questions that were opened."""
    return {question.id for entry in ledger.of(*OPENED) for question in entry.questions}


def without_held_out(benchmark: Benchmark, place: Place) -> Benchmark:
    """A dataset without the questions that are held out and not opened: neither their texts nor their labels.

    Args:
        benchmark: the whole dataset.
        place: where it lies.

    Raises:
        HoldoutError: the ledger was tampered with.
        DataError: a split file was.
    """
    closed = closed_to(benchmark, place)
    if not closed:
        return benchmark
    return benchmark.select([row for row, name in enumerate(benchmark.queries.ids) if name not in closed])


def admit(place: Place, opened: str, what: str) -> Entry:
    """Let results of a holdout be shown.

    Args:
        place: of the dataset that they are of.
        opened: digest of the entry that the results say they were made under.
        what: the results, for the message.

    Raises:
        HoldoutError: the ledger has no such entry.
    """
    entry = dataset_ledger(place).entry(opened)
    if entry is None or entry.kind not in (*OPENED, Kind.AMENDED):
        message = (
            f"{what} is of a holdout that the ledger of {place.name} does not say was opened (entry {opened[:12]}…): "
            "an entry is missing. Bring the ledger back from a backup or from version control, or join the two: "
            "rag-ablation holdout join A B"
        )
        raise HoldoutError(message)
    return entry


def spent(place: Place, opened: str, what: str) -> Spent:
    """How often the holdout was opened that results are of; the one place where it is counted for whoever shows them.

    Args:
        place: of the dataset that they are of.
        opened: digest of the entry that the results say they were made under.
        what: the results, for the message.

    Raises:
        HoldoutError: the ledger has no such entry.
    """
    entry = admit(place, opened, what)
    times = times_opened(openings(dataset_ledger(place), entry.questions))
    return Spent(times=times, name=str(entry.details["name"]), study=str(entry.details["study"]))
