"""Write the ledgers with which the handbooks ship: that the dev side of their split is in use, and nothing else.

python docs/make_ledgers.py

A ledger that begins so already stays as it is, so that plans which name its entries stay valid; the entry is the one
that the first run on a handbook would write.
"""

import shutil
import tempfile
from pathlib import Path

from rag_ablation.core.evalset import EvalSet, evalset
from rag_ablation.core.visibility import Access
from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Kind
from rag_ablation.holdout.ledger import read_ledger
from rag_ablation.holdout.place import LEDGER, Place
from rag_ablation.holdout.seen import note_scored
from rag_ablation.holdout.split import dev_side

DATA = Path(__file__).parent.parent / "data"
HANDBOOKS = ("handbook_zh", "handbook_en")
SPLIT = "default"


def dev_of(folder: Path) -> EvalSet:
    """The dev questions of a handbook."""
    benchmark = load(folder)
    place = Place.of(benchmark, folder, folder)
    return evalset(benchmark, dev_side(benchmark, place.split(SPLIT)), Access(identities=benchmark.identities))


def ships(ledger: Path, data: EvalSet) -> bool:
    """Whether a ledger says that these questions are in use, and nothing else."""
    entries = read_ledger(ledger).entries
    return [(entry.kind, entry.details["identity"]) for entry in entries] == [
        (Kind.IN_USE, data.fingerprints["split"])
    ] and [question.id for question in entries[0].questions] == sorted(data.queries.ids)


def main() -> None:
    """Write what is not there, or was made for another split."""
    for name in HANDBOOKS:
        folder = DATA / name
        data, shipped = dev_of(folder), folder / "splits" / LEDGER
        if not ships(shipped, data):
            with tempfile.TemporaryDirectory() as root:
                copy = Path(root) / name
                shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(LEDGER))
                place = Place(folder=copy, root=Path(root), queries=data.fingerprints["queries"], name=data.name)
                note_scored(place, data)
                shutil.copyfile(copy / "splits" / LEDGER, shipped)
        print(shipped)


if __name__ == "__main__":
    main()
