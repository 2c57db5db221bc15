"""The arms of a plan over opened questions, and what the rule makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from rag_ablation.commands._plan_check import experiment_of_arm, models_of
from rag_ablation.commands._plan_source import Source
from rag_ablation.commands.run import STORE, OnStage, evalset_of, new_run_folder
from rag_ablation.core.digest import digest_arrays
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import RunResult
from rag_ablation.core.reviews import NO_REVIEWS, Reviews
from rag_ablation.data.settled import REVIEWS, read_reviews
from rag_ablation.experiment.experiment import Experiment
from rag_ablation.experiment.latency import absent
from rag_ablation.experiment.record import record_of
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.holdout.door import held_out_side
from rag_ablation.holdout.entry import Entry
from rag_ablation.holdout.freeze import FrozenArm, FrozenPlan
from rag_ablation.holdout.rule import Ruling, decide
from rag_ablation.measures.answers import POINT as ANSWER
from rag_ablation.measures.independent import IndependentDifference, between
from rag_ablation.measures.uncertainty import Interval, clustered_mean, paired_difference
from rag_ablation.tracking.files import read_values, write_record

ASKED = "n_requests"
UNTIMED = "not measured on a holdout, which is scored once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One arm over the holdout, of which nothing is written yet.

    Args:
        arm: of the plan.
        experiment: that was run.
        data: what it was run on.
        result: what came of it.
    """

    arm: FrozenArm
    experiment: Experiment
    data: EvalSet
    result: RunResult

    @property
    def digests(self) -> dict[str, str]:
        """Of what must be the same when a plan is replayed.

        Its texts where it rewrites, its rankings by measuring point, its `values`, and, where it answers, each `answer`
        and `verdict` of its judge.
        """
        arrays = {
            f"{point}/{measure}@{cutoff}": array
            for point, values in self.result.points.items()
            if point != ANSWER  # these follow from the answers and verdicts, and from what a person settles later
            for (measure, cutoff), array in values.per_query.items()
        }
        outputs = {output.point: output.digest for output in self.result.outputs}
        outputs |= {stage.point: stage.digest for stage in self._asking}
        return {**outputs, "values": digest_arrays(arrays)}

    @property
    def asked_anew(self) -> int:
        """Rewritten questions, answers and verdicts that were in no store and had to be asked for."""
        return sum(int(stage.facts.get(ASKED, 0)) for stage in self._asking)

    @property
    def _asking(self) -> tuple[RecordedStage, ...]:
        """Its stages that may ask a server."""
        rewriting, answered = self.result.rewriting, self.result.answered
        stages = () if answered is None else answered.stages
        return stages if rewriting is None else (rewriting.stage, *stages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the rule makes of the results.

    Args:
        ruling: the decision and what it rests on.
        flattery: the candidate's dev results less those on the holdout, by what is compared: how much of them was
            tuning.
        means: of the primary measure on the holdout, by key.
    """

    ruling: Ruling
    flattery: Mapping[str, IndependentDifference]
    means: Mapping[str, Interval]


@dataclass(frozen=True, slots=True, kw_only=True)
class Under:
    """Under which entry arms are scored, and how.

    Args:
        opened: digest of the ledger's entry.
        store: folder of the stage store.
        responses: folder of the store that keeps what was paid for, None for the same.
        on_stage: told of each finished stage, with the arm's key.
        reviews: what people had made of answers before the entry was written; those of later change no record.
    """

    opened: str
    store: Path
    responses: Path | None = None
    on_stage: OnStage = lambda _, __: None
    reviews: Reviews = NO_REVIEWS

    @classmethod
    def of(cls, entry: Entry, root: Path, on_stage: OnStage, store: Path | None = None) -> Self:
        """Under an entry, with what people had made of answers by then: a replay goes by the same.

        Args:
            entry: of the ledger.
            root: folder under which everything is written.
            on_stage: told of each finished stage, with the arm's key.
            store: folder of the stage store, None for that of the root, where responses are kept in either case.
        """
        reviews = read_reviews(root / REVIEWS, before=entry.time)
        return cls(
            opened=entry.digest,
            store=store or root / STORE,
            responses=root / STORE,
            on_stage=on_stage,
            reviews=reviews,
        )


def score(plan: FrozenPlan, source: Source, under: Under) -> dict[str, Scored]:
    """Run the baselines and the candidate over the questions that an entry opens; nothing of it is written.

    Args:
        plan: the plan.
        source: its dataset, checked against the plan.
        under: the entry, and how.

    Returns:
        By key of the arm.

    Raises:
        RagAblationError: an arm fails; of the others nothing is told either.
    """
    return {arm.key: _scored(plan, arm, source, under) for arm in plan.arms}


def write_arms(
    plan: FrozenPlan, scored: Mapping[str, Scored], opened: str, marks: Sequence[str], root: Path
) -> dict[str, str]:
    """Write what came of every arm; gives the name of its run folder by its key.

    Args:
        plan: the plan.
        scored: what came of its arms.
        opened: digest of the entry under which they were run.
        marks: what every table must say of these results.
        root: folder under which everything is written.
    """
    return {key: _written(plan, one, opened, marks, root) for key, one in scored.items()}


def verdict(plan: FrozenPlan, folders: Mapping[str, Path]) -> Verdict:
    """Apply the rule of a plan to recorded results.

    Args:
        plan: the plan.
        folders: run folders by key of the arm.

    Raises:
        HoldoutError: the primary measure was not measured.
    """
    primary, candidate = plan.rule.primary, plan.candidate.key
    values = {key: read_values(folder, ["group", primary]) for key, folder in folders.items()}
    without = [key for key, found in values.items() if primary not in found]
    if without:
        message = f"{primary} was not measured for {', '.join(without)}"
        raise HoldoutError(message)
    groups = values[candidate]["group"].astype(np.int64)
    confidence = plan.rule.confidence
    gaps = {
        arm.key: paired_difference(values[candidate][primary], values[arm.key][primary], groups, confidence=confidence)
        for arm in plan.baselines
    }
    means = {key: clustered_mean(found[primary], groups, confidence=confidence) for key, found in values.items()}
    then = plan.chosen_on
    flattery = {candidate: between(Interval(**then["means"][candidate]), means[candidate])}
    flattery |= {f"{candidate} − {key}": between(Interval(**then["gaps"][key]), gap) for key, gap in gaps.items()}
    return Verdict(ruling=decide(plan.rule, gaps), flattery=flattery, means=means)


def _scored(plan: FrozenPlan, arm: FrozenArm, source: Source, under: Under) -> Scored:
    side = held_out_side(source.benchmark, source.split, plan.split["fold"], source.place, under.opened)
    experiment = replace(experiment_of_arm(arm, source.path), side=side.name)
    data = replace(evalset_of(experiment, source.benchmark, side), reviews=under.reviews)
    store = StageStore(under.store, under.responses)
    result = run(experiment, data, store, lambda output: under.on_stage(arm.key, output))
    if models_of(experiment) != {slot: dict(model) for slot, model in arm.models.items()}:
        message = f"arm {arm.key}: a model's files changed while it was loaded"
        raise HoldoutError(message)
    return Scored(arm=arm, experiment=experiment, data=data, result=result)


def _written(plan: FrozenPlan, one: Scored, opened: str, marks: Sequence[str], root: Path) -> str:
    folder = new_run_folder(root, f"holdout-{one.arm.variant}")
    identity = {"id": folder.name, "arm": one.arm.name}
    record = record_of(one.experiment, identity, one.data, one.result, absent(UNTIMED))
    noted: dict[str, Any] = {
        "plan": plan.identity(),
        "name": plan.name,
        "study": plan.study,
        "fold": plan.split["fold"],
        "opened": opened,
        "key": one.arm.key,
        "marks": list(marks),
    }
    source = {**record.source, "root": str(root)}
    write_record(folder, replace(record, holdout=noted, source=source), one.data, one.result)
    return folder.name
