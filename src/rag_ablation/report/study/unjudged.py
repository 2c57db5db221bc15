"""What passages that nobody has judged could do to each step.

Legend: Q questions, K results looked at, M judgements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Unit
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.rankings import EMPTY
from rag_ablation.measures.family import Word
from rag_ablation.measures.formulas import find
from rag_ablation.measures.ranking import score
from rag_ablation.measures.uncertainty import Interval, paired_difference
from rag_ablation.report.study.choice import word_of
from rag_ablation.report.study.content import Ladder, LadderStep, Unjudged, UnjudgedStep
from rag_ablation.report.study.figures import counted_steps, mean, n_of, short
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.recorded import least_grade, recorded_point, sides, unit_of, value_of
from rag_ablation.report.study.words import Text, code

LIMIT = 0.05
"""Difference of judged shares that is warned about."""
RECORDED = 10  # results of each question that a run keeps by name
NEEDS_MORE = frozenset({"evidence_hit"})  # evidence groups, which labels alone do not hold


def unjudged_of(results: StudyResults, ladder: Ladder) -> Unjudged | None:
    """Judged shares of every step, and its difference with unjudged results taken as not relevant and as relevant.

    Args:
        results: the study.
        ladder: its steps.

    Returns:
        None where no step has both a difference and judged shares.
    """
    heads = Heads(results.study.primary)
    steps = [found for step in ladder.steps() if (found := _step(step, results, heads)) is not None]
    if not steps:
        return None
    return Unjudged(
        finding=_finding(steps, heads.cutoff),
        cutoff=heads.cutoff,
        n=max(step.as_scored.n for step in steps),
        steps=tuple(steps),
        limit=LIMIT,
    )


def hangs(ladder: Ladder, step: UnjudgedStep) -> bool:
    """Whether a decided step would lose its side of 0, or its interval reach 0, if every unjudged result were relevant.

    Args:
        ladder: its steps.
        step: what unjudged results could do to one of them.
    """
    own = next((own for own in ladder.steps() if own.label == step.label), None)
    other = step.all_relevant
    if own is None or other is None or other.low is None or other.high is None:
        return False
    return (word_of(own) is Word.BETTER and other.low <= 0) or (word_of(own) is Word.WORSE and other.high >= 0)


@dataclass(frozen=True, slots=True)
class Head:
    """The first results of one arm, and what it was scored on.

    Args:
        arm: the arm.
        measure: name of the primary measure.
        units: (Q, K) rows of names, −1 at the right.
        labels: (M, 3) question row, name row, grade.
        row_of: row by name, shared by all arms of a study.
    """

    arm: ArmResult
    measure: str
    units: NDArray[np.int32]
    labels: NDArray[np.int64]
    row_of: Mapping[str, int]

    def values(self, labels: NDArray[np.int64]) -> NDArray[np.float64]:
        """(Q,) the primary measure on some labels, NaN where unscored."""
        relevant_from, cutoff = least_grade(self.arm.record), self.units.shape[1]
        found = find(self.units, self._qrels(labels), relevant_from=relevant_from)
        scored = score(found, self.arm.statuses, cutoffs=[cutoff], measures=[self.measure])
        return scored.per_query[self.measure, cutoff]

    def unjudged(self) -> NDArray[np.int64]:
        """(M, 3) for every result without a label, one that makes it relevant."""
        rows, columns = np.nonzero((self._qrels(self.labels).grades_of(self.units) < 0) & (self.units >= 0))
        grades = np.full(rows.size, least_grade(self.arm.record), dtype=np.int64)
        return np.stack([rows, self.units[rows, columns].astype(np.int64), grades], axis=1)

    def _qrels(self, labels: NDArray[np.int64]) -> Qrels:
        shape = (len(self.arm.query_ids), max(len(self.row_of), 1))
        return Qrels.from_rows(labels[:, 0], labels[:, 1], labels[:, 2].astype(np.int8), shape)


@dataclass
class Heads:
    """First results of the arms of a study; the files of an arm are read once.

    Args:
        primary: the measure that is scored again, such as `final/ndcg@10`.
    """

    primary: str
    _row_of: dict[str, int] = field(default_factory=dict)
    _known: dict[str, Head | None] = field(default_factory=dict)

    @property
    def cutoff(self) -> int:
        """K."""
        return int(self.primary.rpartition("@")[2])

    def of(self, arm: ArmResult) -> Head | None:
        """None where what was recorded does not give the recorded values again.

        Args:
            arm: a finished arm that has values of the primary measure.
        """
        if arm.key not in self._known:
            self._known[arm.key] = self._read(arm)
        return self._known[arm.key]

    def _read(self, arm: ArmResult) -> Head | None:
        measure = self.primary.partition("/")[2].partition("@")[0]
        if self.cutoff > RECORDED or measure in NEEDS_MORE or unit_of(arm.record) not in (Unit.PASSAGE, None):
            return None
        place = {query: row for row, query in enumerate(arm.query_ids)}
        labels = [
            (place[query], self._row(unit), grade)
            for query, own in arm.judged().items()
            if query in place
            for unit, grade in own.items()
        ]
        units = self._units(arm, place)
        head = Head(arm, measure, units, np.array(labels, dtype=np.int64).reshape(-1, 3), self._row_of)
        same = np.array_equal(head.values(head.labels), arm.values[self.primary], equal_nan=True)
        return head if same else None

    def _units(self, arm: ArmResult, place: Mapping[str, int]) -> NDArray[np.int32]:
        point = recorded_point(arm, self.primary)
        units = np.full((len(place), self.cutoff), EMPTY, dtype=np.int32)
        for row in arm.rows("top", None):
            if row["point"] == point and row["rank"] <= self.cutoff:
                units[place[row["query_id"]], row["rank"] - 1] = self._row(row["passage_id"])
        return units

    def _row(self, name: str) -> int:
        return self._row_of.setdefault(name, len(self._row_of))


def _step(step: LadderStep, results: StudyResults, heads: Heads) -> UnjudgedStep | None:
    """None where the two do not compare, or nothing tells how much of them is judged."""
    primary, both = results.study.primary, sides(step, results, results.study.primary)
    if both is None:
        return None
    child, parent = both
    as_scored = paired_difference(child.values[primary], parent.values[primary], child.groups)
    judged = f"{primary.partition('/')[0]}/judged@{heads.cutoff}"
    own, theirs = value_of(child, judged), value_of(parent, judged)
    if as_scored.mean is None or own is None or theirs is None:
        return None
    return UnjudgedStep(
        label=step.label,
        child=own,
        parent=theirs,
        as_scored=as_scored,
        all_relevant=_all_relevant(heads.of(child), heads.of(parent)),
        warned=abs(own - theirs) > LIMIT,
    )


def _all_relevant(child: Head | None, parent: Head | None) -> Interval | None:
    """The difference on labels to which every unjudged result of either head was added as relevant."""
    if child is None or parent is None or not np.array_equal(child.labels, parent.labels):
        return None
    labels = np.concatenate([child.labels, child.unjudged(), parent.unjudged()])
    return paired_difference(child.values(labels), parent.values(labels), child.arm.groups)


def _finding(steps: Sequence[UnjudgedStep], cutoff: int) -> Text:
    """How much is judged, how far the two arms of a step differ in it, and on which step most."""
    shares = sorted(share for step in steps for share in (step.child, step.parent))
    most = max(steps, key=lambda step: abs(step.child - step.parent))
    return say(
        "Across arms {name} runs from {low} to {high}; what is not judged counts as not relevant. {apart}{label}, "
        "{a} against {b} ({n}).",
        "各方案的 {name} 为 {low} 至 {high}；未判定的按不相关计。{apart}{label}，{a} 对 {b}（{n}）。",
        name=code(f"judged@{cutoff}"),
        low=mean(shares[0]),
        high=mean(shares[-1]),
        apart=_apart(steps),
        label=most.label,
        a=mean(most.child),
        b=mean(most.parent),
        n=n_of(most.as_scored.n),
    )


def _apart(steps: Sequence[UnjudgedStep]) -> Text:
    """How many steps are over the limit, up to the name of the one that is most."""
    warned, m, limit = sum(step.warned for step in steps), counted_steps(len(steps)), short(LIMIT)
    if len(steps) == 1:
        more, zh_more = ("more", "超过") if warned else ("no more", "不超过")
        return say(f"The two arms differ by {more} than {{limit}} on ", f"两方案相差{zh_more} {{limit}}：", limit=limit)
    zh = "{m}中有 {n} 步的两方案相差超过 {limit}" if warned else "{m}的两方案相差均不超过 {limit}"
    return say(
        "The two arms of a step differ by more than {limit} on {n} of {m}; most on ",
        f"{zh}；相差最大的是 ",
        limit=limit,
        n=str(warned or "none"),
        m=m,
    )
