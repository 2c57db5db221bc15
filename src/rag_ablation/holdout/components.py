"""Which questions must stay together: connected components of the split's graph.

Legend: Q questions, L things that join them (answer locations, explicit groups), E edges.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages, UnitMap
from rag_ablation.core.evalset import Benchmark

Joint = tuple[str, ...]


def groups(benchmark: Benchmark) -> NDArray[np.int32]:
    """Number the groups of questions that may never be parted.

    Two questions are joined by an answer location of any gold of grade 1 or more (whatever counts as
    relevant in a run; the same clause of another version is the same location), or by an explicit
    `group`. A question also joins the location that it was `asked_about`. Where labels are made at a
    larger unit, a judged unit stands for the locations of all its passages.

    Args:
        benchmark: the whole dataset.

    Returns:
        (Q,) int32, numbered from 0 by the smallest row of each group.
    """
    from scipy.sparse import coo_matrix  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n_questions = len(benchmark.queries)
    row_of: dict[Joint, int] = {}
    edges = [(question, n_questions + row_of.setdefault(joint, len(row_of))) for question, joint in _edges(benchmark)]
    size = n_questions + len(row_of)
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = coo_matrix((np.ones(len(edges), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(size, size))
    _, components = connected_components(graph, directed=False)
    return _in_order(np.asarray(components[:n_questions]))


def _edges(benchmark: Benchmark) -> Iterator[tuple[int, Joint]]:
    units = benchmark.passages.units(benchmark.label_unit)
    places = _Locations(benchmark.passages, units)
    gold = benchmark.qrels.grades > 0
    rows = zip(benchmark.qrels.query_rows[gold].tolist(), benchmark.qrels.unit_rows[gold].tolist(), strict=True)
    for question, unit in rows:
        for joint in places.of_unit(unit):
            yield question, joint
    for question, query in enumerate(benchmark.queries.rows):
        if query.group is not None:
            yield question, ("explicit group", query.group)
        for name in _asked_about(benchmark.labels[question]):
            for joint in places.of_name(name):
                yield question, joint


def _asked_about(labels: Mapping[str, object]) -> list[str]:
    value = labels.get("asked_about")
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str)]


def _in_order(components: NDArray[np.integer]) -> NDArray[np.int32]:
    """Renumber by first occurrence."""
    _, first, numbers = np.unique(components, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[numbers]


class _Locations:
    """Answer locations of label units, looked up once each."""

    def __init__(self, passages: Passages, units: UnitMap) -> None:
        self.passages = passages
        self.unit_row = {name: row for row, name in enumerate(units.ids)}
        self.passage_row = passages.row_of()
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        for passage, unit in enumerate(units.rows.tolist()):
            self.members[unit].append(passage)
        self.known: dict[int, tuple[Joint, ...]] = {}

    def of_unit(self, unit: int) -> tuple[Joint, ...]:
        """Locations of all passages of a unit."""
        if unit not in self.known:
            locations = {self.passages.rows[row].answer_location for row in self.members[unit]}
            self.known[unit] = tuple(("location", *location) for location in sorted(locations))
        return self.known[unit]

    def of_name(self, name: str) -> tuple[Joint, ...]:
        """Locations of a label unit, or of a passage, by id."""
        if name in self.unit_row:
            return self.of_unit(self.unit_row[name])
        if name in self.passage_row:
            return (("location", *self.passages.rows[self.passage_row[name]].answer_location),)
        return ()
