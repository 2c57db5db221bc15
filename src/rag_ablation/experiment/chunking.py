"""From the passages of a dataset to chunks of them, with the labels mapped before anything is scored.

Questions, split, groups and access are those of the uncut set: an arm with chunks is asked the same.

Legend: Q questions, M judgements, N chunks.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.chunks import Chunks, Relabelling
from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.errors import ConfigError
from rag_ablation.core.evalset import EvalSet, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Status
from rag_ablation.core.visibility import Visibility
from rag_ablation.data.locate import located
from rag_ablation.data.relabel import MAPPING_VERSION, Mapped, relabelled
from rag_ablation.stages.base import Chunker

MOST_NAMED = 5
MOST_KEPT = 2

_kept: dict[tuple[int, Chunker], tuple[Passages, Chunks]] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Cutter:
    """A chunker and its name in the catalogue.

    Args:
        name: `fixed`, `sentence` …
        chunker: its settings.
    """

    name: str
    chunker: Chunker

    @property
    def words(self) -> str:
        """`fixed 400/80`: name, size, overlap."""
        return f"{self.name} {self.chunker.size}/{self.chunker.overlap}"


def chunked(source: EvalSet, labels: Mapping[str, Mapping[str, object]], cutter: Cutter, unit: Unit | None) -> EvalSet:
    """Cut the passages of an evaluation set.

    Args:
        source: the uncut set, one side of it.
        labels: labels of these questions by id; their `spans` say where the answers are.
        cutter: how to cut.
        unit: evaluation unit, None for the one that fits: the dataset's own if it is a clause or a
            document, else the clause where every passage has a location, else the document.

    Raises:
        ConfigError: the labels do not say which chunk, or which clause, holds the evidence.
    """
    target = unit or _fitting_unit(source)
    if Unit.PASSAGE.coarseness < target.coarseness < source.label_unit.coarseness:
        expected = f"{source.label_unit} or coarser: the labels do not say which {target} holds the evidence"
        raise ConfigError.of("unit", str(target), expected)
    chunks = _cut(source.passages, cutter.chunker)
    row_of = source.passages.row_of()
    spans = [located(labels.get(query.id, {}), source.passages, row_of) for query in source.queries.rows]
    mapped = relabelled(
        source.qrels, source.evidence_groups, source.label_units(), spans, chunks, coverage=cutter.chunker.coverage
    )
    if target is Unit.PASSAGE and cutter.chunker.without_spans == "refuse":
        _refuse_without_span(source, mapped)
    seen = source.visibility
    cut = replace(
        source,
        passages=chunks.passages,
        visibility=Visibility(seen.view_rows, np.ascontiguousarray(seen.masks[:, chunks.sources]), seen.unrestricted),
        relabelling=_relabelling(source, mapped, cutter, unit, target),
        # what arms are compared by is the uncut set's; `chunks` and `mapping` say how it was cut
        fingerprints={
            **source.fingerprints,
            "visibility": seen.digest(),
            "chunks": chunks.digest(),
            "mapping": MAPPING_VERSION,
        },
    )
    return (
        _at_chunks(cut, source, mapped, chunks.sources)
        if target is Unit.PASSAGE
        else _at_larger_unit(cut, source, target)
    )


def chunking_notices(data: EvalSet) -> tuple[str, ...]:
    """What a reader should know about the cut, one sentence each; nothing where nothing was cut."""
    if data.relabelling is None:
        return ()
    counts, cut = data.relabelling.counts(), data.relabelling.cut
    found = [f"chunking {cut}: {counts['sources']} passages were cut into {len(data.passages)} chunks"]
    if data.relabelling.unit is not None:
        found.append(
            f"chunking {cut}: scored at the unit {data.relabelling.unit}, which does not move (unit=auto); "
            "unit=passage scores the chunks themselves"
        )
    if counts["spans"]:
        found.append(
            f"chunking {cut}: {counts['spans_split']} of {counts['spans']} answer spans are whole in no chunk, "
            f"{counts['spans_lost']} are covered enough by none, {counts['spans_not_located']} have no known place"
        )
    if data.label_unit is Unit.PASSAGE:
        found.append(
            f"chunking {cut}: labels mapped to chunks by span ({MAPPING_VERSION}), {counts['gold_lost']} gold units "
            f"lie in no chunk, {counts['gold_without_span']} without a usable span count with all their chunks"
        )
    return tuple(found)


def chunking_threats(data: EvalSet, scored: NDArray[np.bool_]) -> tuple[str, ...]:
    """What may be wrong with a mean over chunks.

    Args:
        data: what was run on.
        scored: (Q,) whether each question is in the means.
    """
    if data.relabelling is None:
        return ()
    lost = data.relabelling.lost_grades > 0
    gone, part = int(np.count_nonzero(lost & ~scored)), int(np.count_nonzero(lost & scored))
    cut, found = data.relabelling.cut, []
    if gone:
        found.append(
            f"chunking {cut}: {gone} questions are in no mean, since no chunk covers their evidence; the rest is easier"
        )
    if part:
        found.append(f"chunking {cut}: {part} scored questions lost a part of their evidence, which no chunk covers")
    return tuple(found)


def _cut(passages: Passages, chunker: Chunker) -> Chunks:
    """The chunks of a corpus, cut once for the arms of a sweep; the corpus is kept so that its id stays its own."""
    key = (id(passages), chunker)
    with _lock:
        if key not in _kept:
            while len(_kept) >= MOST_KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = (passages, Chunks.of(passages, [chunker.cut(passage.text) for passage in passages.rows]))
        return _kept[key][1]


def _fitting_unit(source: EvalSet) -> Unit:
    if source.label_unit is not Unit.PASSAGE:
        return source.label_unit
    everywhere = all(passage.location is not None for passage in source.passages.rows)
    return Unit.CLAUSE if everywhere else Unit.DOCUMENT


def _refuse_without_span(source: EvalSet, mapped: Mapped) -> None:
    """A cut gold passage without a span says nothing about which of its chunks is gold.

    Raises:
        ConfigError: there is one on a reviewed question.
    """
    ids = source.label_units().ids
    bare = [
        f"{source.queries.ids[query]} → {ids[unit]}"
        for query, unit in mapped.without_span
        if source.queries.rows[query].status is Status.REVIEWED
    ]
    if bare:
        more = f" and {len(bare) - MOST_NAMED} more" if len(bare) > MOST_NAMED else ""
        expected = (
            f"unit=clause or unit=document, since {len(bare)} gold units were cut and have no usable answer span "
            f"({', '.join(bare[:MOST_NAMED])}{more}); or chunking.without_spans=whole, which counts all chunks of such "
            "a unit as gold"
        )
        raise ConfigError.of("unit", "passage", expected)


def _relabelling(source: EvalSet, mapped: Mapped, cutter: Cutter, unit: Unit | None, target: Unit) -> Relabelling:
    """Only reviewed questions are counted; a larger unit loses no gold."""
    reviewed = np.array([query.status is Status.REVIEWED for query in source.queries.rows], dtype=bool)
    return Relabelling(
        cut=cutter.words,
        unit=target if unit is None and source.label_unit is Unit.PASSAGE else None,
        evidence=mapped.evidence,
        lost_grades=mapped.lost_grades if target is Unit.PASSAGE else np.zeros_like(mapped.lost_grades),
        tallies={name: np.where(reviewed, tally, 0) for name, tally in mapped.tallies.items()},
        n_sources=len(source.passages),
    )


def _at_chunks(cut: EvalSet, source: EvalSet, mapped: Mapped, sources: NDArray[np.int32]) -> EvalSet:
    """Labels at the chunks; those that a question may not see are removed, as they are from passages.

    A unit that was removed before is named by its first chunk: it weighs nothing, and has to be one.
    """
    first_chunk = np.zeros(len(source.label_units().ids), dtype=np.int64)
    first_chunk[source.label_units().rows[sources[::-1]]] = np.arange(sources.size)[::-1]
    qrels, seen = mapped.qrels, cut.visibility
    hidden = ~seen.masks[seen.view_rows[qrels.query_rows], qrels.unit_rows]
    return replace(
        cut,
        qrels=qrels.without(hidden),
        removed=_joined(qrels.without(~hidden), cut.removed.project(first_chunk, qrels.n_units)),
        evidence_groups=mapped.evidence_groups,
        label_unit=Unit.PASSAGE,
    )


def _joined(one: Qrels, other: Qrels) -> Qrels:
    rows = [np.concatenate(pair) for pair in ((one.query_rows, other.query_rows), (one.unit_rows, other.unit_rows))]
    return Qrels.from_rows(rows[0], rows[1], np.concatenate([one.grades, other.grades]), (one.n_queries, one.n_units))


def _at_larger_unit(cut: EvalSet, source: EvalSet, target: Unit) -> EvalSet:
    """Labels at a unit that chunks inherit: exactly those of the uncut set."""
    labels, larger = source.label_units(), source.passages.units(target)
    row_of = np.zeros(len(labels.ids), dtype=np.int32)
    row_of[labels.rows] = larger.rows
    groups, qrels = source.evidence_groups, source.qrels
    positive = qrels.keys[qrels.grades > 0]
    keep = np.isin(groups.query_rows.astype(np.int64) * qrels.n_units + groups.unit_rows, positive)
    projected: Qrels = qrels.project(row_of, len(larger.ids))
    return replace(
        cut,
        qrels=projected,
        removed=source.removed.project(row_of, len(larger.ids)),
        evidence_groups=EvidenceGroups(
            groups.query_rows[keep], groups.group_rows[keep], row_of[groups.unit_rows[keep]]
        ),
        label_unit=target,
    )
