"""What the ledger says of the results of a plan: under which entries they were made, how often, and how marked."""

from dataclasses import dataclass
from pathlib import Path

from rag_ablation.commands._holdout_folder import HoldoutRuns
from rag_ablation.commands._recorded import recorded_place
from rag_ablation.commands.run import RUNS
from rag_ablation.holdout.door import admit, spent
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.ledger import Ledger
from rag_ablation.holdout.marks import Mark
from rag_ablation.holdout.opening import marks_of
from rag_ablation.holdout.seen import dataset_ledger
from rag_ablation.report.study.verdict.inputs import Amendment, Replay
from rag_ablation.tracking.files import read_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """Under which entries results were made.

    Args:
        ledger: of the dataset.
        own: the entry that the results name.
        first: the one that opened the holdout; another than `own` where labels were corrected since.
        times: how often the holdout was opened, as the ledger says now.
    """

    ledger: Ledger
    own: Entry
    first: Entry
    times: int

    @property
    def replays(self) -> tuple[Replay, ...]:
        """The plan run again on this opening; on corrected labels it cannot be."""
        if self.own.kind is Kind.AMENDED:
            return ()
        return tuple(
            Replay(
                when=entry.time,
                differs=len(entry.details["differs"]),
                libraries=tuple(entry.details["elsewhere"]),
            )
            for entry in self.ledger.of(Kind.REPLAYED)
            if entry.details["opened"] == self.own.digest
        )

    @property
    def amended(self) -> Amendment | None:
        """The correction of labels that the results are scored after, None where they are those of the opening."""
        if self.own.kind is not Kind.AMENDED:
            return None
        details = self.own.details
        return Amendment(
            when=self.own.time,
            entry=self.own.digest,
            reason=str(details["reason"]),
            before=details["labels"]["before"],
            after=details["labels"]["after"],
        )

    def marks(self, plan: FrozenPlan) -> tuple[Mark, ...]:
        """What every table must say of the results; of replays the last one counts."""
        times, seen = (int(self.first.details[name]) for name in ("times", "seen"))
        differing = any(replay.differs for replay in self.replays[-1:])
        amended = self.own.kind is Kind.AMENDED
        return marks_of(plan, times, seen, replayed=differing, amended=amended)


def opening_of(plan: FrozenPlan, runs: HoldoutRuns, root: Path) -> Opening:
    """What the ledger says of these results.

    Args:
        plan: the plan.
        runs: its results.
        root: folder under which everything is written.

    Raises:
        RagAblationError: it does not say that their holdout was opened, or a run is gone.
    """
    place = recorded_place(read_record(root / RUNS / runs.runs[plan.candidate.key]), root)
    what = f"the results of plan {plan.name}"
    own = admit(place, runs.opened, what)
    first = admit(place, str(own.details["opened"]), what) if own.kind is Kind.AMENDED else own
    times = spent(place, runs.opened, what).times
    return Opening(ledger=dataset_ledger(place), own=own, first=first, times=times)
