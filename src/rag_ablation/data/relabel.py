"""Labels of whole passages, mapped to the chunks that were cut out of them.

The rule, `MAPPING_VERSION`: a gold unit with located spans gives its grade to every chunk that covers at
least `coverage` of the characters of one of them. Parts of a span in several chunks are not added up: a
span that no single chunk covers enough of is lost. A unit that is a single chunk gives it its grade. A unit of
grade 0 gives 0 to all its chunks. All other chunks are unjudged.

Legend: Q questions, M judgements, N chunks, S source passages.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.chunks import Chunks, Piece
from rag_ablation.core.corpus import UnitMap
from rag_ablation.core.evalset import EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.data.locate import Located

MAPPING_VERSION = "span-coverage/1"
TALLIES = (
    "spans",
    "spans_by_quote",
    "spans_not_located",
    "spans_split",
    "spans_lost",
    "gold_lost",
    "gold_without_span",
)


@dataclass(frozen=True, slots=True)
class Mapped:
    """Labels at the chunks.

    Args:
        qrels: judgements of (question, chunk) pairs.
        evidence: the same; where no chunk covers a span, the chunks that touch it, and where a unit has no
            usable span, all its chunks.
        evidence_groups: members at the chunks that are gold; those of grade 0 are left out.
        lost_grades: (Q,) highest grade of a gold unit that no chunk covers, 0 for none.
        without_span: (question, unit) rows of gold that was cut and has no usable span.
        tallies: (Q,) by name, see `TALLIES`; `spans_split` are whole in no chunk, `spans_lost` are covered
            enough by none, `gold_lost` are gold units all of whose spans are lost.
    """

    qrels: Qrels
    evidence: Qrels
    evidence_groups: EvidenceGroups
    lost_grades: NDArray[np.int8]
    without_span: tuple[tuple[int, int], ...]
    tallies: Mapping[str, NDArray[np.int64]]


def relabelled(
    qrels: Qrels, groups: EvidenceGroups, units: UnitMap, spans: Sequence[Located], chunks: Chunks, *, coverage: float
) -> Mapped:
    """Map labels to chunks.

    Args:
        qrels: (M,) judgements at the unit of the labels.
        groups: evidence groups at that unit.
        units: where each source passage belongs at that unit.
        spans: (Q,) answer spans.
        chunks: the corpus after cutting.
        coverage: least share of a span's characters, above 0 and at most 1.
    """
    work = _Work(units, spans, chunks, Fraction(coverage).limit_denominator(10**6), qrels.n_queries)
    for query, own in enumerate(spans):
        work.tally("spans", query, own.n_given)
        work.tally("spans_by_quote", query, own.n_by_quote)
        work.tally("spans_not_located", query, own.n_not_located)
        work.count_split(query, own)
    rows = zip(qrels.query_rows.tolist(), qrels.unit_rows.tolist(), qrels.grades.tolist(), strict=True)
    gold_of = {(query, unit): work.judge(query, unit, grade) for query, unit, grade in rows}
    members = [
        (query, group, chunk)
        for query, group, unit in zip(
            groups.query_rows.tolist(), groups.group_rows.tolist(), groups.unit_rows.tolist(), strict=True
        )
        for chunk in gold_of.get((query, unit), ())
    ]
    columns = np.array(members, dtype=np.int32).reshape(-1, 3).T.copy()
    shape = (qrels.n_queries, len(chunks.passages))
    return Mapped(
        qrels=_qrels(work.judged, shape),
        evidence=_qrels(work.handed, shape),
        evidence_groups=EvidenceGroups(columns[0], columns[1], columns[2]),
        lost_grades=work.lost,
        without_span=tuple(work.without_span),
        tallies=work.tallies,
    )


@dataclass
class _Work:
    """What is gathered judgement by judgement."""

    units: UnitMap
    spans: Sequence[Located]
    chunks: Chunks
    coverage: Fraction
    n_queries: int
    judged: list[tuple[int, int, int]] = field(default_factory=list)
    handed: list[tuple[int, int, int]] = field(default_factory=list)
    without_span: list[tuple[int, int]] = field(default_factory=list)
    lost: NDArray[np.int8] = field(init=False)
    tallies: dict[str, NDArray[np.int64]] = field(init=False)
    chunks_of: list[list[int]] = field(init=False)
    sources_of: list[list[int]] = field(init=False)

    def __post_init__(self) -> None:
        """Rows of chunks by source, in order of the text, and of sources by unit."""
        self.lost = np.zeros(self.n_queries, dtype=np.int8)
        self.tallies = {name: np.zeros(self.n_queries, dtype=np.int64) for name in TALLIES}
        self.chunks_of = [[] for _ in range(len(self.units.rows))]
        for chunk in np.argsort(self.chunks.starts, kind="stable").tolist():
            self.chunks_of[self.chunks.sources[chunk]].append(chunk)
        self.sources_of = [[] for _ in self.units.ids]
        for source, unit in enumerate(self.units.rows.tolist()):
            self.sources_of[unit].append(source)

    def tally(self, name: str, query: int, count: int = 1) -> None:
        self.tallies[name][query] += count

    def count_split(self, query: int, own: Located) -> None:
        """Spans that are whole in no chunk, and those that no chunk covers enough of."""
        for source, spans in own.spans.items():
            for span in spans:
                share = max((self._share(chunk, span) for chunk in self._touching(source, span)), default=0)
                self.tally("spans_split", query, share < 1)
                self.tally("spans_lost", query, share < self.coverage)

    def judge(self, query: int, unit: int, grade: int) -> list[int]:
        """Give a unit's grade to its chunks; the chunks that are gold by it."""
        sources = self.sources_of[unit]
        own = [chunk for source in sources for chunk in self.chunks_of[source]]
        spans = [(source, span) for source in sources for span in self.spans[query].spans.get(source, ())]
        if grade == 0 or len(own) == 1:
            gold = touched = own
        elif not spans:
            self.without_span.append((query, unit))
            self.tally("gold_without_span", query)
            gold = touched = own
        else:
            gold = self._covering(spans, self.coverage)
            touched = gold or self._covering(spans, None)
        if not gold:
            self.tally("gold_lost", query)
            self.lost[query] = max(self.lost[query], grade)
        self.judged += [(query, chunk, grade) for chunk in gold]
        self.handed += [(query, chunk, grade) for chunk in touched]
        return gold if grade else []

    def _covering(self, spans: Sequence[tuple[int, Piece]], coverage: Fraction | None) -> list[int]:
        """Chunks that cover enough of a span; with None, those that touch one."""
        return sorted(
            {
                chunk
                for source, span in spans
                for chunk in self._touching(source, span)
                if coverage is None or self._share(chunk, span) >= coverage
            }
        )

    def _touching(self, source: int, span: Piece) -> list[int]:
        """Chunks that hold a character of a span; starts and ends both rise along a text."""
        own = self.chunks_of[source]
        first = bisect_right(own, span.start, key=lambda chunk: int(self.chunks.ends[chunk]))
        last = bisect_left(own, span.end, key=lambda chunk: int(self.chunks.starts[chunk]))
        return own[first:last]

    def _share(self, chunk: int, span: Piece) -> Fraction:
        start = max(span.start, int(self.chunks.starts[chunk]))
        end = min(span.end, int(self.chunks.ends[chunk]))
        return Fraction(max(end - start, 0), span.end - span.start)


def _qrels(rows: Sequence[tuple[int, int, int]], shape: tuple[int, int]) -> Qrels:
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Qrels.from_rows(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int8), shape)
