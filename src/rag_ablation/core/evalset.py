"""What a user brings, whole (`Benchmark`), and the one side of it that a run may see (`EvalSet`).

Legend: Q questions, N passages, U units of the labels.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.chunks import Relabelling
from rag_ablation.core.corpus import Passages, Unit, UnitMap
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries
from rag_ablation.core.reviews import NO_REVIEWS, Reviews
from rag_ablation.core.visibility import Access, Visibility, visibility

FINGERPRINTS = ("corpus", "queries", "labels")
"""What identifies the content of a dataset; a split carries these."""
ABOUT = "about"
"""What identifies the settings of a dataset: language, units and identities."""
LABEL_KEYS = ("answer", "answers", "keypoints", "evidence_groups", "spans", "asked_about", "verdicts")


@dataclass(frozen=True, slots=True)
class EvidenceGroups:
    """Pieces of evidence a question needs; a piece is met by any of its members.

    Args:
        query_rows: (E,) int32, the question of each member.
        group_rows: (E,) int32, the piece of evidence of each member, numbered through all questions.
        unit_rows: (E,) int32, the label unit of each member.
    """

    query_rows: NDArray[np.int32]
    group_rows: NDArray[np.int32]
    unit_rows: NDArray[np.int32]

    @classmethod
    def none(cls) -> "EvidenceGroups":
        """A set without evidence groups."""
        nothing = np.empty(0, dtype=np.int32)
        return cls(nothing, nothing, nothing)

    def __bool__(self) -> bool:
        """Whether the set has any."""
        return bool(self.query_rows.size)

    def select(self, query_rows: Sequence[int], n_queries: int) -> "EvidenceGroups":
        """Groups of these questions, renumbered in ascending order of row."""
        new_row = np.full(n_queries, -1, dtype=np.int32)
        chosen = sorted(query_rows)
        new_row[chosen] = np.arange(len(chosen), dtype=np.int32)
        rows = new_row[self.query_rows]
        keep = rows >= 0
        return EvidenceGroups(rows[keep], self.group_rows[keep], self.unit_rows[keep])


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A dataset folder, read and checked, with every question and label.

    Args:
        name: name of the dataset.
        language: `zh`, `en`, `mixed` …
        passages: (N,) the corpus.
        queries: (Q,) all questions, labels apart.
        labels: (Q,) per question the values of `LABEL_KEYS` that its line holds.
        qrels: judgements at `label_unit`.
        evidence_groups: pieces of evidence at `label_unit`.
        unit: default evaluation unit.
        label_unit: unit of the qrels' ids.
        identities: roles by name of identity.
        fingerprints: digests of `corpus`, `queries`, `labels` and `about`.
        notices: what a reader should know about the files, one sentence each.
        about: the other fields of dataset.yaml.
    """

    name: str
    language: str
    passages: Passages
    queries: Queries
    labels: tuple[Mapping[str, object], ...]
    qrels: Qrels
    evidence_groups: EvidenceGroups
    unit: Unit
    label_unit: Unit
    identities: Mapping[str, tuple[str, ...]]
    fingerprints: Mapping[str, str]
    notices: tuple[str, ...] = ()
    about: Mapping[str, object] = field(default_factory=dict)

    def select(self, rows: Sequence[int]) -> "Benchmark":
        """These questions with their labels, and the whole corpus; fingerprints stay those of the whole.

        Args:
            rows: of the questions to keep.
        """
        chosen = sorted(rows)
        return replace(
            self,
            queries=self.queries.select(chosen),
            labels=tuple(self.labels[row] for row in chosen),
            qrels=self.qrels.select(chosen),
            evidence_groups=self.evidence_groups.select(chosen, len(self.queries)),
        )

    @property
    def content_fingerprints(self) -> dict[str, str]:
        """The fingerprints of corpus, questions and labels, which a split carries."""
        return {part: self.fingerprints[part] for part in FINGERPRINTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSet:
    """The questions and labels of one side of a split, and the whole corpus.

    Args:
        name: name of the dataset.
        language: language of the dataset.
        split: name of the split file, None for the whole set.
        side: `dev`, `holdout` (of an opened one only), or `none` for the whole of a set without a split.
        passages: (N,) the corpus.
        queries: (Q,) questions of this side.
        groups: (Q,) int32, the resampling unit of each question.
        qrels: visible judgements at `label_unit`.
        removed: judgements that the run's access made invisible, at `label_unit`.
        evidence_groups: pieces of evidence at `label_unit`.
        label_unit: unit of the qrels.
        visibility: what each question may see.
        fingerprints: digests of `corpus`, `queries`, `labels`, `about` and, with a split, `split`.
        notices: what a reader should know, one sentence each.
        relabelling: what became of the labels where passages were cut, None where they were not.
        labels: (Q,) per question the values of `LABEL_KEYS` that its line holds.
        reviews: what people made of answers, to these questions and to others.
    """

    name: str
    language: str
    split: str | None
    side: str
    passages: Passages
    queries: Queries
    groups: NDArray[np.int32]
    qrels: Qrels
    removed: Qrels
    evidence_groups: EvidenceGroups
    label_unit: Unit
    visibility: Visibility
    fingerprints: Mapping[str, str]
    notices: tuple[str, ...] = ()
    relabelling: Relabelling | None = None
    labels: tuple[Mapping[str, object], ...] = ()
    reviews: Reviews = NO_REVIEWS

    @property
    def removed_grades(self) -> NDArray[np.int8]:
        """(Q,) highest grade among the judgements that are invisible, 0 for none."""
        grades = np.zeros(len(self.queries), dtype=np.int8)
        np.maximum.at(grades, self.removed.query_rows, self.removed.grades)
        return grades

    def label_units(self) -> UnitMap:
        """Where each passage belongs at the unit of the labels."""
        return self.passages.units(self.label_unit)

    def sample(self, rows: Sequence[int]) -> "EvalSet":
        """These questions only; the corpus stays whole."""
        chosen = sorted(rows)
        return EvalSet(
            name=self.name,
            language=self.language,
            split=self.split,
            side=self.side,
            passages=self.passages,
            queries=self.queries.select(chosen),
            groups=self.groups[chosen],
            qrels=self.qrels.select(chosen),
            removed=self.removed.select(chosen),
            evidence_groups=self.evidence_groups.select(chosen, len(self.queries)),
            label_unit=self.label_unit,
            visibility=self.visibility.select(chosen),
            fingerprints=self.fingerprints,
            notices=self.notices,
            relabelling=None if self.relabelling is None else self.relabelling.select(chosen),
            labels=tuple(self.labels[row] for row in chosen) if self.labels else (),
            reviews=self.reviews,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Which questions of a benchmark a run may see.

    Args:
        name: `dev`, `holdout` or `none`.
        split: name of the split file, None for the whole set.
        query_rows: rows of the benchmark's questions, ascending.
        groups: (len(query_rows),) int32 resampling unit of each.
        digest: digest of the split file's content, None for the whole set.
    """

    name: str
    split: str | None
    query_rows: tuple[int, ...]
    groups: NDArray[np.int32]
    digest: str | None


def evalset(benchmark: Benchmark, side: Side, access: Access) -> EvalSet:
    """Keep one side of a benchmark; the labels of all other questions are dropped here.

    Args:
        benchmark: the whole dataset.
        side: the questions to keep.
        access: the run's view; gold that it hides is removed and counted.
    """
    rows = list(side.query_rows)
    queries = benchmark.queries.select(rows)
    seen = visibility(benchmark.passages, queries, access)
    qrels = benchmark.qrels.select(rows)
    hidden = _hidden(qrels, benchmark.passages.units(benchmark.label_unit), seen)
    fingerprints = dict(benchmark.fingerprints)
    if side.digest is not None:
        fingerprints["split"] = side.digest
    return EvalSet(
        name=benchmark.name,
        language=benchmark.language,
        split=side.split,
        side=side.name,
        passages=benchmark.passages,
        queries=queries,
        groups=side.groups,
        qrels=qrels.without(hidden),
        removed=qrels.without(~hidden),
        evidence_groups=benchmark.evidence_groups.select(rows, len(benchmark.queries)),
        label_unit=benchmark.label_unit,
        visibility=seen,
        fingerprints=fingerprints,
        notices=benchmark.notices,
        labels=tuple(benchmark.labels[row] for row in rows),
    )


def _hidden(qrels: Qrels, units: UnitMap, seen: Visibility) -> NDArray[np.bool_]:
    """(M,) True where no passage of the judged unit exists for the question."""
    if seen.everything:
        return np.zeros(qrels.keys.shape, dtype=bool)
    visible_units = np.zeros((seen.masks.shape[0], len(units.ids)), dtype=bool)
    for view, mask in enumerate(seen.masks):
        visible_units[view, units.rows[mask]] = True
    return np.asarray(~visible_units[seen.view_rows[qrels.query_rows], qrels.unit_rows])
