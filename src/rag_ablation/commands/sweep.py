"""`rag-ablation run -m`: arms side by side, with one summary."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag_ablation.commands.run import new_run_folder, open_evalset, open_tracker
from rag_ablation.config import build
from rag_ablation.core.errors import ConfigError, Problem, RagAblationError
from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.report.leaderboard import DIFFERENCES, Leaderboard, leaderboard
from rag_ablation.report.losses import losses, with_details, with_points
from rag_ablation.report.markdown import to_markdown
from rag_ablation.report.terminal import show
from rag_ablation.tracking.base import RunStart
from rag_ablation.tracking.files import read_record, read_values

if TYPE_CHECKING:
    from rich.console import Console

Job = tuple[Sequence[str], Mapping[str, object]]
Launch = Callable[[Sequence[Job], str], Sequence[str]]


class ArmsFailedError(RagAblationError):
    """At least one arm of a sweep has no result."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Arms that will run: each a different configuration.

    Args:
        jobs: overrides and composed configuration of each arm.
        first: the first arm's experiment, which names the tracker's experiment.
        n_equal: arms left out because another has the same effective settings.
    """

    jobs: tuple[Job, ...]
    first: Experiment
    n_equal: int


def prepare(jobs: Sequence[Job], root: Path) -> Sweep:
    """Check every arm, its data and the tracking store before the first one runs.

    Args:
        jobs: overrides and composed configuration of each arm.
        root: folder under which everything is written.

    Raises:
        ConfigError: with the problems of all arms, each named once.
        RagAblationError: data or store cannot be used.
    """
    problems: dict[Problem, None] = {}
    kept: dict[tuple[object, ...], tuple[Job, Experiment]] = {}
    for job in jobs:
        try:
            experiment = build(job[1])
        except ConfigError as error:
            problems |= dict.fromkeys(error.problems)
            continue
        kept.setdefault((experiment.dataset.path, experiment.tracking, experiment.digest()), (job, experiment))
    if problems:
        raise ConfigError("the sweep cannot be run", problems)
    experiments = [experiment for _, experiment in kept.values()]
    for tracking in dict.fromkeys(experiment.tracking for experiment in experiments):
        open_tracker(next(other for other in experiments if other.tracking == tracking), root)
    seen = set()
    for experiment in experiments:
        data = (
            experiment.dataset,
            experiment.side,
            experiment.identity,
            experiment.as_of,
            experiment.versions,
            experiment.pipeline.chunking,
            None if experiment.pipeline.chunking is None else experiment.scoring.unit,
        )
        if data not in seen:
            open_evalset(experiment, root)
            seen.add(data)
    return Sweep(tuple(job for job, _ in kept.values()), experiments[0], len(jobs) - len(kept))


def run_sweep(sweep: Sweep, root: Path, launch: Launch, console: "Console") -> int:
    """Run the arms, then log, write and print the summary.

    Args:
        sweep: what `prepare` gave.
        root: folder under which everything is written.
        launch: runs arms under a tracker run and gives their run folders.
        console: where the summary is printed.

    Returns:
        Exit status: 1 if an arm has no result.
    """
    tracker = open_tracker(sweep.first, root)
    data = open_evalset(sweep.first, root)
    folder = new_run_folder(root, "sweep")
    start = RunStart(
        experiment=sweep.first.tracking.experiment or data.name,
        name=f"sweep of {len(sweep.jobs)} arms",
        kind="sweep",
        parent=None,
        tags={"rag.dataset": data.name, "rag.side": data.side},
    )
    failed = False
    with suppress(ArmsFailedError), tracker.start(start) as run_id:
        folders = [Path(found) for found in launch(sweep.jobs, run_id)]
        board, note = _boards(folders)
        (folder / "leaderboard.md").write_text(to_markdown(note), encoding="utf-8")
        tracker.summarise(run_id, to_markdown(board), folder)
        failed = _failed(folders)
        show(board, console)
        if sweep.n_equal:
            console.print(f"arms with the settings of another, run once: {sweep.n_equal}")
        if failed:
            raise ArmsFailedError
    closing_lines(tracker.place, folder, console)
    return 1 if failed else 0


def show_run(folder: Path, place: str, console: "Console") -> int:
    """Print the summary of a single arm; the exit status is 1 if it has no result."""
    record = read_record(folder)
    show(_boards([folder])[0], console)
    if record.parents and record.status == "finished":
        together = ",".join([*record.parents, record.variant])
        console.print(f"to see what it changes, run it beside its parents: rag-ablation run -m variant={together}")
    closing_lines(place, folder, console)
    return 0 if record.status == "finished" else 1


def closing_lines(place: str, folder: Path, console: "Console") -> None:
    """Where the result is and what to type next."""
    console.print(f"record: {folder}", soft_wrap=True, highlight=False)
    if place:
        console.print(f"runs:   {place}   (open them with: rag-ablation ui)", soft_wrap=True, highlight=False)


def _boards(folders: Sequence[Path]) -> tuple[Leaderboard, Leaderboard]:
    """What the terminal shows, and the same with the fates as counts, for the note."""
    records = [read_record(folder) for folder in folders]
    columns = ["group", *(f"final/{name}" for name in DIFFERENCES)]
    values = [
        read_values(folder, columns) if record.status == "finished" else {}
        for folder, record in zip(folders, records, strict=True)
    ]
    lost = losses(records)
    board = with_points(leaderboard(records, values), lost)
    return board, with_details(board, lost)


def _failed(folders: Sequence[Path]) -> bool:
    records: list[ArmRecord] = [read_record(folder) for folder in folders]
    return any(record.status != "finished" for record in records)
