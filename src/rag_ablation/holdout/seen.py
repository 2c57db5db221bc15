"""Which questions have been looked at: noted before they are scored, counted before a holdout is opened.

Two ledgers note it: the dataset's own, by question id and by text, and that of the root, by text alone, so that a
copied or renamed dataset is recognised.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.wording import counted
from rag_ablation.data.bundled import is_bundled
from rag_ablation.holdout.entry import Entry, Kind, Question, question_of
from rag_ablation.holdout.ledger import Addition, Ledger, append, read_ledger
from rag_ablation.holdout.place import LEDGER, Place

SEEN_FILE = "seen.jsonl"
TOLERANCE = 0.02
Make = Callable[[Ledger], Addition | None]
LOOKED = (Kind.IN_USE, Kind.SEEN, Kind.OPENED, Kind.REOPENED)


def dataset_ledger(place: Place) -> Ledger:
    """The ledger of a dataset.

    Raises:
        HoldoutError: it was tampered with, or there are two that do not fit each other.
    """
    return read_ledger(_paths(place)[1])


def add_entry(place: Place, make: Make) -> tuple[Ledger, Entry | None]:
    """Add to the ledger of a dataset; see `ledger.append`.

    Raises:
        HoldoutError: see `dataset_ledger`.
    """
    written, read = _paths(place)
    return append(written, make, start_from=read)


def root_ledger(root: Path) -> Ledger:
    """What was looked at under a root, in whatever dataset.

    Raises:
        HoldoutError: it was tampered with.
    """
    return read_ledger(root / SEEN_FILE)


def add_to_root(root: Path, make: Make) -> tuple[Ledger, Entry | None]:
    """Add to the ledger of a root; see `ledger.append`.

    Raises:
        HoldoutError: it was tampered with.
    """
    return append(root / SEEN_FILE, make)


def note_scored(place: Place, evalset: EvalSet) -> None:
    """Note that these questions are looked at, before they are. What is noted already is not noted again.

    Args:
        place: of the dataset.
        evalset: the questions that are about to be scored, of dev or of a whole set without a split.

    Raises:
        HoldoutError: a ledger was tampered with.
    """
    kind = Kind.IN_USE if evalset.side == "dev" else Kind.SEEN
    identity = evalset.fingerprints.get("split") or evalset.fingerprints["queries"]
    details = {
        "dataset": evalset.name,
        "side": evalset.side,
        "split": evalset.split,
        "identity": identity,
        "queries": evalset.fingerprints["queries"],
    }

    def make(ledger: Ledger) -> Addition | None:
        same = [entry for entry in ledger.of(kind) if entry.details.get("identity") == identity]
        noted = {question.id for entry in same for question in entry.questions}
        if noted.issuperset(evalset.queries.ids):
            return None
        rows = zip(evalset.queries.rows, evalset.groups.tolist(), strict=True)
        return kind, [question_of(query.id, query.text, group) for query, group in rows], details

    if make(dataset_ledger(place)) is not None:
        add_entry(place, make)
    if make(root_ledger(place.root)) is not None:
        add_to_root(place.root, make)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenBefore:
    """How many questions have been looked at before.

    Args:
        n: questions asked about.
        seen: ids of those that were looked at.
        where: how many, by what looked at them; a question may have been looked at by several.
    """

    n: int
    seen: tuple[str, ...] = ()
    where: Mapping[str, int] = field(default_factory=dict)

    @property
    def too_many(self) -> bool:
        """Whether they are more than may be overlooked (2 %)."""
        return len(self.seen) > TOLERANCE * self.n

    def __str__(self) -> str:
        """`3 of 90 questions seen before: 2 on dev of split v1, 1 …`."""
        said = "; ".join(f"{n} {where}" for where, n in self.where.items())
        return f"{len(self.seen)} of {counted(self.n, 'question')} seen before" + (f": {said}" if said else "")


def seen_before(place: Place, questions: Sequence[Question], *, leave_out: Iterable[str] = ()) -> SeenBefore:
    """Count the questions that either ledger knows.

    Args:
        place: of the dataset.
        questions: asked about.
        leave_out: identities of plans whose own openings do not count.

    Raises:
        HoldoutError: a ledger was tampered with.
    """
    own = frozenset(leave_out)
    found: dict[str, set[str]] = {}
    by_text = [entry for entry in root_ledger(place.root).of(*LOOKED) if entry.details.get("plan") not in own]
    by_both = [entry for entry in dataset_ledger(place).of(*LOOKED) if entry.details.get("plan") not in own]
    for entries, with_ids in ((by_both, True), (by_text, False)):
        for entry in entries:
            keys = {question.key for question in entry.questions}
            ids = {question.id for question in entry.questions} if with_ids else set()
            hit = {question.id for question in questions if question.key in keys or question.id in ids}
            if hit:
                found.setdefault(_looked(entry), set()).update(hit)
    return SeenBefore(
        n=len(questions),
        seen=tuple(sorted(set().union(*found.values()))) if found else (),
        where=Counter({where: len(hit) for where, hit in found.items()}),
    )


def _looked(entry: Entry) -> str:
    """What looked at questions, in words."""
    details, day = entry.details, entry.time[:10]
    dataset = details.get("dataset")
    if entry.kind is Kind.IN_USE:
        return f"on dev of split {details.get('split')!r} of {dataset}, from {day}"
    if entry.kind is Kind.SEEN:
        return f"under split=none of {dataset}, from {day}"
    return (
        f"on the holdout of {dataset}, opened {day} by plan {details.get('name')!r} of study {details.get('study')!r}"
    )


def _paths(place: Place) -> tuple[Path, Path]:
    """The ledger that is added to, and the one that is read, with which the first begins.

    Raises:
        HoldoutError: there are two, and neither goes on from the other.
    """
    under, beside, written = place.under / LEDGER, place.beside / LEDGER, place.written_to / LEDGER
    if not under.exists():
        return written, beside
    if not beside.exists() or is_bundled(place.folder):
        return under, under
    one, other = read_ledger(under), read_ledger(beside)
    if one.goes_on_from(other):
        return under, under
    if other.goes_on_from(one):
        return written, beside
    message = (
        f"{place.name} has two ledgers of which neither goes on from the other: {under} and {beside}. "
        f"Join them: rag-ablation holdout join {under} {beside}"
    )
    raise HoldoutError(message)
