"""`rag-ablation run -m`: arms side by side, with one summary."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rag_ablation.commands._run_shown import boards, closing_lines
from rag_ablation.commands.run import RUNS, new_run_folder, open_evalset, open_tracker, resolved_for
from rag_ablation.config import build
from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import ConfigError, ModelError, Problem, RagAblationError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.replacing import replace_text
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.record import arm_digest, arm_name
from rag_ablation.report.markdown import to_markdown
from rag_ablation.report.terminal import show
from rag_ablation.tracking.base import RunStart
from rag_ablation.tracking.files import is_whole, read_record

if TYPE_CHECKING:
    from rich.console import Console

Job = tuple[Sequence[str], Mapping[str, object]]


class Ended(NamedTuple):
    """What came of an arm.

    Args:
        folder: its run folder, None where it has none.
        reason: why it has none, empty where it has.
    """

    folder: Path | None
    reason: str = ""


Launch = Callable[[Sequence[Job], str], Sequence[Ended]]
"""Runs arms under a tracker run."""


class ArmsFailedError(RagAblationError):
    """At least one arm of a sweep has no result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedArm:
    """An arm that can be run: its configuration is right and its data are there.

    Args:
        job: its overrides and composed configuration.
        experiment: the same, built, without `auto`.
        name: a name a person can read.
        digest: identity of its result; None where its model cannot be had.
        missing: why the model cannot be had, None where it can.
        dataset: name of the dataset.
        logged_in: the tracker's experiment that its run belongs to.
    """

    job: Job
    experiment: Experiment
    name: str
    digest: str | None
    missing: str | None
    dataset: str
    logged_in: str


@dataclass(frozen=True, slots=True)
class Sweep:
    """Arms that will run: each a different configuration.

    Args:
        arms: in the order of the jobs.
        places: for each job the place of its arm; jobs of the same effective settings share one.
    """

    arms: tuple[PreparedArm, ...]
    places: tuple[int, ...]

    @property
    def first(self) -> Experiment:
        """The first arm's experiment, which names the tracker's experiment."""
        return self.arms[0].experiment

    @property
    def n_equal(self) -> int:
        """Jobs left out because another has the same effective settings."""
        return len(self.places) - len(self.arms)

    @property
    def tags(self) -> dict[str, str]:
        """Tags of the run that its arms stand under."""
        return {"rag.dataset": self.arms[0].dataset, "rag.side": self.first.side}

    @property
    def digest(self) -> str:
        """Identity of the whole."""
        return digest_json([[arm.name, arm.digest] for arm in self.arms])


def prepare(jobs: Sequence[Job], root: Path) -> Sweep:
    """Check every arm, its data and the tracking store before the first one runs.

    Args:
        jobs: overrides and composed configuration of each arm.
        root: folder under which everything is written.

    Raises:
        ConfigError: with the problems of all arms, each named once.
        RagAblationError: data or store cannot be used.
    """
    experiments = _built(jobs)
    for tracking in dict.fromkeys(experiment.tracking for experiment in experiments):
        open_tracker(tracking, root)
    data: dict[tuple[object, ...], EvalSet] = {}
    arms: dict[tuple[object, ...], PreparedArm] = {}
    keys = []
    for job, experiment in zip(jobs, experiments, strict=True):
        read = reads(experiment)
        if read not in data:
            data[read] = open_evalset(experiment, root)
        arm = _prepared(job, experiment, data[read])
        keys.append((experiment.dataset.path, experiment.tracking, experiment.latency, arm.experiment.digest()))
        arms.setdefault(keys[-1], arm)
    places = {key: place for place, key in enumerate(arms)}
    return Sweep(tuple(arms.values()), tuple(places[key] for key in keys))


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
    tracker = open_tracker(sweep.first.tracking, root)
    folder = new_run_folder(root, "sweep")
    start = RunStart(
        experiment=sweep.arms[0].logged_in,
        name=f"sweep of {len(sweep.arms)} arms",
        kind="sweep",
        parent=None,
        tags=sweep.tags,
        digest=sweep.digest if sweep.first.resume else None,
    )
    failed = False
    with suppress(ArmsFailedError), tracker.start(start) as run_id:
        kept = finished_before(sweep, root)
        ended = run_arms(sweep, kept, launch, run_id)
        folders = [arm.folder for arm in ended if arm.folder is not None]
        board, note = boards(folders)
        replace_text(folder / "leaderboard.md", to_markdown(note))
        tracker.summarise(run_id, to_markdown(board), folder)
        failed = len(folders) < len(ended) or _failed(folders)
        show(board, console)
        for line in [*not_run_lines(sweep, ended), *counted_lines(sweep, kept)]:
            console.print(line, soft_wrap=True, highlight=False, markup=False)
        if failed:
            raise ArmsFailedError
    closing_lines(tracker.place, folder, console)
    return 1 if failed else 0


def finished_before(sweep: Sweep, root: Path) -> dict[int, Path]:
    """Run folders of the arms that need not run again, by place: finished in the tracker, and whole on disk.

    Args:
        sweep: what `prepare` gave.
        root: folder under which everything is written.

    Raises:
        TrackingError: the tracking store cannot be read.
    """
    if not sweep.first.resume:
        return {}
    finished: dict[tuple[object, str], Mapping[str, str]] = {}
    kept = {}
    for place, arm in enumerate(sweep.arms):
        where = (arm.experiment.tracking, arm.logged_in)
        if where not in finished:
            finished[where] = open_tracker(arm.experiment.tracking, root).finished(arm.logged_in)
        name = None if arm.digest is None else finished[where].get(arm.digest)
        if name is not None and is_whole(root / RUNS / name):
            kept[place] = root / RUNS / name
    return kept


def run_arms(sweep: Sweep, kept: Mapping[int, Path], launch: Launch, run_id: str) -> list[Ended]:
    """Run the arms that have not finished before.

    Args:
        sweep: what `prepare` gave.
        kept: run folders of those that have.
        launch: see `run_sweep`.
        run_id: of the parent in the tracker.

    Returns:
        What came of every arm, in their order.
    """
    left = [place for place in range(len(sweep.arms)) if place not in kept]
    launched = launch([sweep.arms[place].job for place in left], run_id) if left else []
    ended = dict(zip(left, launched, strict=True))
    return [Ended(kept[place]) if place in kept else ended[place] for place in range(len(sweep.arms))]


def not_run_lines(sweep: Sweep, ended: Sequence[Ended]) -> list[str]:
    """Why arms were not run, in one line each."""
    return [f"not run: {arm.name}: {how.reason}" for arm, how in zip(sweep.arms, ended, strict=True) if how.reason]


def counted_lines(sweep: Sweep, kept: Mapping[int, Path]) -> list[str]:
    """What was not run, in one line each."""
    lines = []
    if sweep.n_equal:
        lines.append(f"arms with the settings of another, run once: {sweep.n_equal}")
    if kept:
        lines.append(f"arms that had finished before, kept as they were: {len(kept)} (resume=false runs them again)")
    return lines


def reads(experiment: Experiment) -> tuple[object, ...]:
    """What determines an arm's evaluation set."""
    return (
        experiment.dataset,
        experiment.side,
        experiment.identity,
        experiment.as_of,
        experiment.versions,
        experiment.pipeline.chunking,
        None if experiment.pipeline.chunking is None else experiment.scoring.unit,
    )


def _built(jobs: Sequence[Job]) -> list[Experiment]:
    problems: dict[Problem, None] = {}
    experiments = []
    for job in jobs:
        try:
            experiments.append(build(job[1]))
        except ConfigError as error:
            problems |= dict.fromkeys(error.problems)
    if problems:
        raise ConfigError("the sweep cannot be run", problems)
    return experiments


def _prepared(job: Job, experiment: Experiment, data: EvalSet) -> PreparedArm:
    resolved = resolved_for(experiment, data)
    name = arm_name(resolved, tuple(job[0]))
    try:
        digest, missing = arm_digest(resolved, data, name), None
    except ModelError as error:
        digest, missing = None, str(error)
    return PreparedArm(
        job=job,
        experiment=resolved,
        name=name,
        digest=digest,
        missing=missing,
        dataset=data.name,
        logged_in=resolved.tracking.experiment or data.name,
    )


def _failed(folders: Sequence[Path]) -> bool:
    records: list[ArmRecord] = [read_record(folder) for folder in folders]
    return any(record.status != "finished" for record in records)
