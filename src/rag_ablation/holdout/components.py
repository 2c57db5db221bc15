"""Which questions must stay together: connected components of the split's graph.

Legend: Q questions, L things that join them (answer locations, near-equal texts, explicit groups), E edges.
"""

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.corpus import Passages, UnitMap
from rag_ablation.core.digest import digest_json
from rag_ablation.core.evalset import Benchmark
from rag_ablation.holdout.likeness import PASSAGES, QUESTIONS, Pairs, alike
from rag_ablation.holdout.meaning import Meaning, near_in_meaning

Joint = tuple[str, ...]
NEAREST_FROM = 0.4
MOST_KEPT = 8

_kept: dict[str, "Graph"] = {}
_lock = threading.Lock()


class Linkage(StrEnum):
    """Which answer locations join two questions."""

    ANY_GOLD = "any_gold"
    PRIMARY_GOLD = "primary_gold"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The groups of a benchmark's questions, and what made them.

    Args:
        groups: (Q,) int32, numbered from 0 by the smallest row of each group.
        pairs: question texts that are alike, near or not, from a likeness of .4.
        by_text_alone: (Q,) bool, questions whose text is near that of one which no answer location, text of gold
            or explicit group joins to it directly.
        places: (Q,) answer locations of every gold of each question, whatever the linkage.
    """

    groups: NDArray[np.int32]
    pairs: Pairs
    by_text_alone: NDArray[np.bool_]
    places: tuple[frozenset[Joint], ...]

    def n_parted(self, holdout: NDArray[np.bool_], dev: NDArray[np.bool_]) -> int:
        """Number of answer locations with a question on either side.

        Args:
            holdout: (Q,) True where a question is in the holdout.
            dev: (Q,) True where a question is in dev.
        """
        met: list[set[Joint]] = [set(), set()]
        for row, places in enumerate(self.places):
            for side, inside in zip(met, (holdout, dev), strict=True):
                if inside[row]:
                    side.update(places)
        return len(met[0] & met[1])


def groups(
    benchmark: Benchmark, linkage: Linkage = Linkage.ANY_GOLD, meaning: Meaning | None = None
) -> NDArray[np.int32]:
    """Number the groups of questions that may never be parted.

    Args:
        benchmark: the whole dataset.
        linkage: which answer locations join.
        meaning: an embedding model that also joins questions, None for none.

    Returns:
        (Q,) int32, numbered from 0 by the smallest row of each group.
    """
    return graph(benchmark, linkage, meaning).groups


def graph(benchmark: Benchmark, linkage: Linkage = Linkage.ANY_GOLD, meaning: Meaning | None = None) -> Graph:
    """Join questions, and keep what was found for the next call on equal data.

    Two questions are joined by an answer location of any gold of grade 1 or more (whatever counts as
    relevant in a run; the same clause of another version is the same location), by gold passages of equal
    or near-duplicate text, by an explicit `group`, or by near-duplicate question texts. A question also
    joins the location that it was `asked_about`. Where labels are made at a larger unit, a judged unit
    stands for the locations of all its passages.

    With `primary_gold` only the gold of the highest grade counts, of several the first by id; with `document`
    the whole document family of any gold joins too.

    Args:
        benchmark: the whole dataset.
        linkage: which answer locations join.
        meaning: an embedding model that also joins questions, None for none.

    Raises:
        ModelError: the embedding model cannot be had.
    """
    key = digest_json(
        [
            linkage,
            None if meaning is None else [meaning.model, meaning.cosine],
            benchmark.content_fingerprints,
        ]
    )
    with _lock:
        kept = _kept.get(key)
    if kept is not None:
        return kept
    made = _graph(benchmark, linkage, meaning)
    with _lock:
        while len(_kept) >= MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = made
    return made


def _graph(benchmark: Benchmark, linkage: Linkage, meaning: Meaning | None) -> Graph:
    places = _Places(benchmark)
    joints: list[set[Joint]] = [set() for _ in range(len(benchmark.queries))]
    every: list[set[Joint]] = [set() for _ in joints]
    for question, unit in places.gold(Linkage.ANY_GOLD):
        every[question].update(places.locations(unit))
    for question, unit in places.gold(linkage):
        found = places.locations(unit)
        joints[question].update(found)
        if linkage is Linkage.DOCUMENT:
            joints[question].update(places.documents(unit))
        joints[question].update(places.near_texts(unit))
    for question, query in enumerate(benchmark.queries.rows):
        if query.group is not None:
            joints[question].add(("explicit group", query.group))
    pairs = alike(benchmark.queries.texts, QUESTIONS, NEAREST_FROM)
    alone = np.zeros(len(joints), dtype=bool)
    near = [pairs.left[pairs.near], pairs.right[pairs.near]]
    if meaning is not None:
        more = near_in_meaning(benchmark.queries.texts, meaning, benchmark.language)
        near = [np.concatenate(both) for both in zip(near, more, strict=True)]
    for left, right in zip(near[0].tolist(), near[1].tolist(), strict=True):
        if not joints[left] & joints[right]:
            alone[[left, right]] = True
    numbers = _components(joints, near[0], near[1])
    return Graph(groups=numbers, pairs=pairs, by_text_alone=alone, places=tuple(map(frozenset, every)))


def _components(joints: list[set[Joint]], left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int32]:
    from scipy.sparse import coo_matrix  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    n_questions = len(joints)
    row_of: dict[Joint, int] = {}
    edges = [
        (question, n_questions + row_of.setdefault(joint, len(row_of)))
        for question, some in enumerate(joints)
        for joint in sorted(some)
    ]
    edges += zip(left.tolist(), right.tolist(), strict=True)
    size = n_questions + len(row_of)
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    graph = coo_matrix((np.ones(len(edges), dtype=np.int8), (ends[:, 0], ends[:, 1])), shape=(size, size))
    _, components = connected_components(graph, directed=False)
    return _in_order(np.asarray(components[:n_questions]))


def _in_order(components: NDArray[np.integer]) -> NDArray[np.int32]:
    """Renumber by first occurrence."""
    _, first, numbers = np.unique(components, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[numbers]


def _asked_about(labels: Mapping[str, object]) -> list[str]:
    value = labels.get("asked_about")
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str)]


class _Places:
    """Where the evidence of each question stands. A place is given as rows of passages."""

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.passages: Passages = benchmark.passages
        units: UnitMap = self.passages.units(benchmark.label_unit)
        self.members: defaultdict[int, list[int]] = defaultdict(list)
        for passage, unit in enumerate(units.rows.tolist()):
            self.members[unit].append(passage)
        self.unit_row = {name: row for row, name in enumerate(units.ids)}
        self.passage_row = self.passages.row_of()
        self.text_joints = self._text_joints()

    def gold(self, linkage: Linkage) -> Iterator[tuple[int, tuple[int, ...]]]:
        """(question, passages of one gold unit), and the same for what a question was asked about."""
        qrels = self.benchmark.qrels
        rows = np.flatnonzero(qrels.grades > 0)
        questions, units, grades = qrels.query_rows[rows], qrels.unit_rows[rows], qrels.grades[rows]
        if linkage is Linkage.PRIMARY_GOLD:
            order = np.lexsort((units, -grades.astype(np.int64), questions))
            _, first = np.unique(questions[order], return_index=True)
            questions, units = questions[order][first], units[order][first]
        for question, unit in zip(questions.tolist(), units.tolist(), strict=True):
            yield question, tuple(self.members[unit])
        for question, labels in enumerate(self.benchmark.labels):
            for name in _asked_about(labels):
                if name in self.unit_row:
                    yield question, tuple(self.members[self.unit_row[name]])
                elif name in self.passage_row:
                    yield question, (self.passage_row[name],)

    def locations(self, passages: tuple[int, ...]) -> set[Joint]:
        """Their answer locations."""
        return {("location", *self.passages.rows[row].answer_location) for row in passages}

    def documents(self, passages: tuple[int, ...]) -> set[Joint]:
        """Their document families."""
        return {("document", self.passages.rows[row].document_family) for row in passages}

    def near_texts(self, passages: tuple[int, ...]) -> set[Joint]:
        """Sets of near-equal passages to which they belong."""
        return {self.text_joints[row] for row in passages if row in self.text_joints}

    def _text_joints(self) -> dict[int, Joint]:
        rows = sorted({row for _, unit in self.gold(Linkage.ANY_GOLD) for row in unit})
        texts = [self.passages.rows[row].text for row in rows]
        pairs = alike(texts, PASSAGES)
        if not pairs.left.size:
            return {}
        sets = _components([set() for _ in rows], pairs.left[pairs.near], pairs.right[pairs.near])
        counts = np.bincount(sets)
        numbered = zip(rows, sets.tolist(), strict=True)
        return {row: ("near-equal gold", str(number)) for row, number in numbered if counts[number] > 1}
