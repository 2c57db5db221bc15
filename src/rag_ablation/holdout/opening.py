"""What opening a holdout would be: the first time, again, or the same once more; and the entry that says so."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout.entry import Entry, Kind, Question
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.ledger import Ledger
from rag_ablation.holdout.marks import About, Mark

SPEND_AGAIN = '--spend-again --reason "…"'


class Step(StrEnum):
    """What comes next for a plan.

    `first`: nobody has opened these questions. `complete`: this plan has, and was cut off before it closed. `reopen`: a
    plan that differs in its code alone has, and was cut off. `replay`: this plan has, and closed. `again`: another plan
    has; a person says why it goes on none the less.
    """

    FIRST = "first"
    COMPLETE = "complete"
    REOPEN = "reopen"
    REPLAY = "replay"
    AGAIN = "again"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Where a plan stands with its holdout.

    Args:
        step: what comes next.
        opened: the entry under which results are, or were, made; None before there is one.
        closed: the entry with their results, None before there is one.
        times: how often these questions had been opened when `opened` was noted, that time included; replays are no
            further openings.
    """

    step: Step
    opened: Entry | None
    closed: Entry | None
    times: int


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a person has said may be done, with a reason.

    Args:
        reopen: complete what a plan of other code has opened.
        again: open a spent holdout again, also one whose opening was cut off.
    """

    reopen: bool = False
    again: bool = False


def state_of(ledger: Ledger, plan: FrozenPlan, questions: Sequence[Question], allowed: Allowed) -> State:
    """What opening would be, by the ledger as it is.

    Args:
        ledger: of the dataset.
        plan: the plan.
        questions: that it wants to open.
        allowed: what a person has said may be done.

    Raises:
        HoldoutError: another plan has opened these questions, with what to do.
    """
    earlier = openings(ledger, questions)
    own = [entry for entry in earlier if entry.details["plan"] == plan.identity()]
    if own:
        closed = _closed(ledger, own[-1])
        step = Step.COMPLETE if closed is None else Step.REPLAY
        return State(step=step, opened=own[-1], closed=closed, times=int(own[-1].details["times"]))
    if not earlier:
        return State(step=Step.FIRST, opened=None, closed=None, times=1)
    last = earlier[-1]
    cut_off = _closed(ledger, last) is None and last.details["but_code"] == plan.identity_but_code()
    if cut_off and not allowed.again:
        if not allowed.reopen:
            message = (
                f"{_who(last)} opened this holdout and never closed it; {plan.name!r} differs from it in the code "
                'alone. It may complete that opening: --reason "…" (what was mended)'
            )
            raise HoldoutError(message)
        return State(step=Step.REOPEN, opened=last, closed=None, times=int(last.details["times"]))
    if not allowed.again:
        message = (
            f"this holdout is spent: {_who(last)} opened {_shared(last, questions)} of its {len(questions)} questions. "
            "A second plan on the same questions would be tuned on what the first one showed. Freeze on questions that "
            f"nobody looked at (another fold, new questions), or go on with {SPEND_AGAIN}, and every table will say so"
        )
        raise HoldoutError(message)
    return State(step=Step.AGAIN, opened=None, closed=None, times=times_opened(earlier) + 1)


def completable(ledger: Ledger, plan: FrozenPlan) -> list[str]:
    """Identities of plans that a plan may complete: they have opened and never closed, and differ in the code alone."""
    return [
        str(entry.details["plan"])
        for entry in ledger.of(Kind.OPENED, Kind.REOPENED)
        if entry.details["but_code"] == plan.identity_but_code() and _closed(ledger, entry) is None
    ]


def openings(ledger: Ledger, questions: Sequence[Question]) -> list[Entry]:
    """Entries that opened any of these questions, by id or by text, the oldest first."""
    ids, keys = {question.id for question in questions}, {question.key for question in questions}
    return [
        entry
        for entry in ledger.of(Kind.OPENED, Kind.REOPENED)
        if any(question.id in ids or question.key in keys for question in entry.questions)
    ]


def times_opened(entries: Sequence[Entry]) -> int:
    """How often these entries opened a holdout; one that goes on from a lost ledger counts what was lost, too.

    Args:
        entries: as `openings` gives them; replays and completions are no further openings.
    """
    there = [entry for entry in entries if entry.kind is Kind.OPENED]
    return max([len(there), *(int(entry.details["times"]) for entry in there)])


def opened_details(plan: FrozenPlan, state: State, *, reason: str | None, n_seen: int) -> dict[str, Any]:
    """What an `opened` or `reopened` entry notes.

    Args:
        plan: the plan.
        state: where it stands.
        reason: why it goes on over what forbids it, None where nothing does.
        n_seen: how many of the questions had been looked at before.
    """
    return {
        "study": plan.study,
        "name": plan.name,
        "plan": plan.identity(),
        "file": plan.digest(),
        "but_code": plan.identity_but_code(),
        "dataset": plan.dataset["name"],
        "split": plan.split["name"],
        "fold": plan.split["fold"],
        "queries": plan.fingerprints["queries"],
        "fingerprints": dict(plan.fingerprints),
        "times": state.times,
        "seen": n_seen,
        "reason": reason,
        "completes": None if state.step is not Step.REOPEN or state.opened is None else state.opened.digest,
    }


def marks_of(
    plan: FrozenPlan, times: int, seen: int, *, replayed: bool = False, amended: bool = False
) -> tuple[Mark, ...]:
    """What every table, tag and page with these results says of them; none for a holdout that was unseen.

    Args:
        plan: the plan.
        times: how often the holdout was opened, this time included.
        seen: how many of its questions had been looked at before it was opened.
        replayed: whether they were made again elsewhere, with differences.
        amended: whether they are scored on labels that were corrected after the opening.
    """
    there = {
        Mark(About.USED, times): times > 1,
        Mark(About.SEEN, seen, int(plan.split["questions"])): seen > 0,
        Mark(About.DIRTY): bool(plan.checkout.get("dirty")),
        Mark(About.REPLAYED): replayed,
        Mark(About.RELABELLED): amended,
    }
    return tuple(mark for mark, said in there.items() if said)


def _closed(ledger: Ledger, opened: Entry) -> Entry | None:
    """The entry with an opening's results: of the opening itself, or of one that completed it."""
    lineage = {opened.digest}
    for entry in ledger.of(Kind.REOPENED):
        if entry.details.get("completes") in lineage:
            lineage.add(entry.digest)
    found = [entry for entry in ledger.of(Kind.CLOSED) if entry.details.get("opened") in lineage]
    return found[-1] if found else None


def _shared(entry: Entry, questions: Sequence[Question]) -> int:
    ids, keys = ({getattr(question, name) for question in entry.questions} for name in ("id", "key"))
    return sum(question.id in ids or question.key in keys for question in questions)


def _who(entry: Entry) -> str:
    details = entry.details
    return f"plan {details['name']!r} of study {details['study']!r} ({entry.time[:10]}, entry {entry.digest[:12]})"
