"""What a study will do, before it does it: arms, steps, what is there already, how long, and what it can show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag_ablation.commands._study_arms import PreparedStudy, Step
from rag_ablation.commands.run import RUNS, STORE, open_evalset
from rag_ablation.commands.sweep import finished_before, reads
from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.record import ArmRecord, RecordedStage
from rag_ablation.core.results import SCORED, StageOutput
from rag_ablation.data.bundled import PREFIX
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.run import look
from rag_ablation.experiment.store import LookingStore
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.measures.planning import Plan, plan
from rag_ablation.measures.ranking import question_status
from rag_ablation.measures.uncertainty import paired_difference
from rag_ablation.stages._chat_settings import ChatSettings
from rag_ablation.tracking.files import read_record, read_values
from rag_ablation.tracking.records import finished_arms

FEEDS = {
    "rewrite": ("rewrite",),
    "sparse": ("rewrite", "sparse"),
    "dense": ("rewrite", "dense"),
    "fusion": ("rewrite", "sparse", "dense", "fusion"),
    "rerank": ("rewrite", "sparse", "dense", "fusion", "rerank"),
    "context": ("rewrite", "sparse", "dense", "fusion", "rerank", "context"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedArm:
    """One arm and what is left to do for it.

    Args:
        key: in the study.
        name: a name a person can read.
        role: step, member of a sweep, or bracket.
        parents: keys.
        state: `finished` (kept as it is), `skipped`, or `to run`.
        reason: why it is skipped, None where it is not.
        stored: stages that are in the store.
        missing: stages that must be computed, those that an arm before it computes left out.
        seconds: estimate of these, None where one of them was never timed here.
        asks: slots of an arm to run whose stages ask a server.
    """

    key: str
    name: str
    role: str
    parents: tuple[str, ...]
    state: str
    reason: str | None
    stored: tuple[str, ...]
    missing: tuple[str, ...]
    seconds: float | None
    asks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStep:
    """One step and what it can show.

    Args:
        step: what it changes.
        plan: smallest difference that is likely to show.
        same: whether the two arms have the same effective settings.
    """

    step: Step
    plan: Plan

    @property
    def same(self) -> bool:
        """Whether the two arms do not differ at all."""
        return not self.step.change.factors


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """Everything that is printed before a study runs.

    Args:
        dataset: name.
        side: of the split.
        asked: questions.
        scored: of them in the means.
        n_groups: groups of the scored ones.
        types: types of the scored ones.
        arms: in the study's order.
        steps: the family.
        overall: what the family can show from an assumed deviation alone.
    """

    dataset: str
    side: str
    asked: int
    scored: int
    n_groups: int
    types: tuple[str, ...]
    arms: tuple[PlannedArm, ...]
    steps: tuple[PlannedStep, ...]
    overall: Plan

    @property
    def seconds(self) -> float:
        """Estimate of all that can be estimated."""
        return sum(arm.seconds for arm in self.arms if arm.seconds is not None)

    @property
    def n_untimed(self) -> int:
        """Arms with a stage that was never timed here."""
        return sum(arm.seconds is None for arm in self.arms)


def study_plan(prepared: PreparedStudy, root: Path) -> StudyPlan:
    """Look at the data, the store and earlier runs.

    Args:
        prepared: what `prepare_study` gave.
        root: folder under which everything is written.

    Raises:
        RagAblationError: data or store cannot be used.
    """
    sweep = prepared.sweep
    kept = finished_before(sweep, root)
    evalset = open_evalset(sweep.first, root)
    scoring = sweep.first.scoring
    status = question_status(evalset, unit=scoring.unit or evalset.label_unit, relevant_from=scoring.relevant_from)
    scored = np.array([one == SCORED for one in status], dtype=bool)
    sizes = [int(size) for size in np.bincount(evalset.groups[scored]) if size]
    known = _records(root, sweep.first.dataset.path)
    measure = prepared.study.primary.partition("/")[2]
    family = max(1, len(prepared.steps))
    return StudyPlan(
        dataset=evalset.name,
        side=evalset.side,
        asked=len(evalset.queries),
        scored=int(scored.sum()),
        n_groups=len(sizes),
        types=tuple(sorted({kind for kind, one in zip(evalset.queries.types, scored, strict=True) if one})),
        arms=_arms(prepared, kept, known, {reads(sweep.first): evalset}, root),
        steps=tuple(
            PlannedStep(
                step=step,
                plan=plan(sizes, measure=measure, measured=_error(prepared, step, kept, known, root), family=family),
            )
            for step in prepared.steps
        ),
        overall=plan(sizes, measure=measure, family=family),
    )


def _arms(
    prepared: PreparedStudy,
    kept: Mapping[int, Path],
    known: Sequence[ArmRecord],
    evalsets: dict[tuple[object, ...], EvalSet],
    root: Path,
) -> tuple[PlannedArm, ...]:
    store = LookingStore(root / STORE)
    planned: set[str] = set()
    seconds = _seconds(known)
    found = []
    for arm in prepared.study.arms:
        place, built = prepared.places[arm.key], prepared.prepared(arm.key)
        reason = prepared.skipped.get(arm.key)
        state = "skipped" if reason else "finished" if place in kept else "to run"
        outputs: tuple[StageOutput | RecordedStage, ...] = ()
        if state == "to run" and built.missing is None:
            read = reads(built.experiment)
            if read not in evalsets:
                evalsets[read] = open_evalset(built.experiment, root)
            outputs = look(built.experiment, evalsets[read], store)
        missing = [output for output in outputs if not output.reused]
        keys = {output.slot: _key(built.experiment.pipeline.settings(), output.slot) for output in missing}
        left = [output for output in missing if keys[output.slot] not in planned]
        planned |= set(keys.values())
        found.append(
            PlannedArm(
                key=arm.key,
                name=built.name,
                role=str(arm.role),
                parents=arm.parents,
                state=state,
                reason=built.missing if built.missing is not None else reason,
                stored=tuple(output.slot for output in outputs if output.reused),
                missing=tuple(output.slot for output in left),
                seconds=_sum([seconds.get((output.slot, output.name)) for output in left]),
                asks=_asks(built.experiment.pipeline) if state == "to run" else (),
            )
        )
    return tuple(found)


def _asks(pipeline: Pipeline) -> tuple[str, ...]:
    return tuple(slot for slot, stage in pipeline.filled() if isinstance(stage, ChatSettings))


def _key(settings: Mapping[str, object], slot: str) -> str:
    """A stage that two arms share: its own settings and those of everything that feeds it."""
    return digest_json({name: settings.get(name) for name in ("chunking", *FEEDS[slot])} | {"slot": slot})


def _sum(seconds: Sequence[float | None]) -> float | None:
    return None if None in seconds else sum(one for one in seconds if one is not None)


def _records(root: Path, path: str) -> list[ArmRecord]:
    """Finished arms on this dataset under the root, oldest first."""
    records = sorted(finished_arms(root / RUNS).values(), key=lambda record: record.id)
    where = path if path.startswith(PREFIX) else str(Path(path).expanduser().absolute())
    return [record for record in records if record.source.get("path") == where]


def _seconds(known: Sequence[ArmRecord]) -> dict[tuple[str, str], float]:
    """Time of a stage when it was last computed here."""
    return {(stage.slot, stage.name): stage.seconds for record in known for stage in record.stages}


def _error(
    prepared: PreparedStudy, step: Step, kept: Mapping[int, Path], known: Sequence[ArmRecord], root: Path
) -> float | None:
    """Clustered standard error of the latest comparable pair: these arms, else arms of the same presets."""
    child, parent = (_nearest(prepared, key, kept, known) for key in (step.child, step.parent))
    if child is None or parent is None or child.id == parent.id or not _comparable(child, parent):
        return None
    primary = prepared.study.primary
    try:
        one, other = (read_values(root / RUNS / record.id, ["group", primary]) for record in (child, parent))
    except CommandError:  # an earlier run that is damaged
        return None
    if primary not in one or primary not in other or one["group"].shape != other["group"].shape:
        return None
    found = paired_difference(one[primary], other[primary], one["group"].astype(np.int64))
    return found.standard_error if found.standard_error and found.n_groups >= GROUPS_FOR_A_VERDICT else None


def _nearest(
    prepared: PreparedStudy, key: str, kept: Mapping[int, Path], known: Sequence[ArmRecord]
) -> ArmRecord | None:
    """The run of an arm: its own, else the newest of the same settings, else the newest of the same preset."""
    place = prepared.places[key]
    if place in kept:
        return read_record(kept[place])
    experiment = prepared.sweep.arms[place].experiment
    same = [record for record in known if record.digests.get("config") == experiment.digest()]
    like = [record for record in known if record.variant == experiment.variant.name]
    return next((records[-1] for records in (same, like) if records), None)


def _comparable(child: ArmRecord, parent: ArmRecord) -> bool:
    return all(child.digests.get(part) == parent.digests.get(part) for part in ("queries", "labels", "split"))
