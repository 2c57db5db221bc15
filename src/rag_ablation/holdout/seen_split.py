"""What of a split had been looked at before the split was made: a split over such questions says so."""

from dataclasses import replace
from pathlib import Path

from rag_ablation.core.errors import DataError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.holdout._audit import SEEN
from rag_ablation.holdout._splitfile import SIDES, Split, read_split
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import SeenBefore, seen_before
from rag_ablation.holdout.split import questions_of

DEV, HOLDOUT = SIDES


def seen_by_part(split: Split, benchmark: Benchmark, place: Place) -> dict[str, SeenBefore]:
    """What the ledgers know of each part that is looked at on its own: `dev`, `holdout`, or `holdout fold 1` ….

    Args:
        split: whose sides are asked about.
        benchmark: the whole dataset.
        place: where it lies.

    Raises:
        HoldoutError: a ledger was tampered with.
    """
    return {part: seen_before(place, questions_of(benchmark, split, names)) for part, names in split.parts().items()}


def with_seen(split: Split, found: dict[str, SeenBefore]) -> Split:
    """The split whose audit says how many questions had been seen; without a word where none had."""
    counts = {DEV: len(found[DEV].seen), HOLDOUT: sum(len(part.seen) for name, part in found.items() if name != DEV)}
    plain = _without(split)
    return replace(plain, audit={**plain.audit, SEEN: counts}) if any(counts.values()) else plain


def as_it_stands(split: Split, file: Path | None) -> Split | None:
    """The split in a file if it is this one; what has been looked at since it was made is no difference."""
    if file is None:
        return None
    try:
        there = read_split(file)
    except DataError:
        return None
    return there if _without(there).digest() == _without(split).digest() else None


def _without(split: Split) -> Split:
    return replace(split, audit={key: value for key, value in split.audit.items() if key != SEEN})
