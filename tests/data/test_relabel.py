"""Labels follow the characters."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.chunks import Chunks, Piece
from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.evalset import EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.data.locate import Located, located
from rag_ablation.data.relabel import Mapped, relabelled
from tests.builders import passage, passages

TEXT = "0123456789abcdefghij"


def place(*spans: object, text: str = TEXT) -> Located:
    corpus = passages({"p": text})
    return located({"spans": list(spans)}, corpus, corpus.row_of())


def mapped(
    pieces: list[tuple[int, int]], spans: list[tuple[int, int]], coverage: float = 0.5, grade: int = 1
) -> tuple[list[str], Mapped]:
    """Ids of the gold chunks of one passage under one question."""
    corpus = passages({"p": TEXT})
    chunks = Chunks.of(corpus, [[Piece(*piece) for piece in pieces]])
    qrels = Qrels.from_rows(np.array([0]), np.array([0]), np.array([grade], dtype=np.int8), (1, 1))
    groups = EvidenceGroups(*(np.zeros(1, dtype=np.int32) for _ in range(3)))
    spot = Located({0: tuple(Piece(*span) for span in spans)} if spans else {}, len(spans), 0)
    found = relabelled(qrels, groups, corpus.units(Unit.PASSAGE), [spot], chunks, coverage=coverage)
    return [chunks.passages.ids[row] for row in found.qrels.unit_rows], found


def test_a_span_stands_where_the_file_says() -> None:
    assert place({"corpus_id": "p", "start": 3, "text": "345"}).spans == {0: (Piece(3, 6),)}


def test_a_start_counts_code_points() -> None:
    assert place({"corpus_id": "p", "start": 2, "text": "费"}, text="😀旅费").spans == {0: (Piece(2, 3),)}


def test_a_quote_without_a_start_is_found_where_it_occurs_once() -> None:
    found = place({"corpus_id": "p", "text": "abc"}, {"corpus_id": "p", "start": None, "quote": "de"})
    assert found.spans == {0: (Piece(10, 13), Piece(13, 15))}
    assert (found.n_given, found.n_by_quote, found.n_not_located) == (2, 2, 0)


def test_a_wrong_start_falls_back_to_the_quote() -> None:
    assert place({"corpus_id": "p", "start": 0, "text": "abc"}).spans == {0: (Piece(10, 13),)}


def test_white_space_at_the_ends_of_a_span_does_not_count() -> None:
    assert place({"corpus_id": "p", "start": 1, "text": " b "}, text="a b c").spans == {0: (Piece(2, 3),)}


@pytest.mark.parametrize(
    "span",
    [
        {"corpus_id": "p", "text": "x"},
        {"corpus_id": "p", "text": " "},
        {"corpus_id": "other", "start": 0, "text": "0"},
        {"text": "abc"},
        "abc",
        {"corpus_id": "p", "start": True, "text": 5},
    ],
)
def test_a_span_without_a_place_is_counted(span: object) -> None:
    found = place(span)
    assert (dict(found.spans), found.n_not_located) == ({}, 1)


def test_a_quote_that_occurs_twice_has_no_place() -> None:
    assert place({"corpus_id": "p", "text": "ab"}, text="abab").n_not_located == 1


def test_a_chunk_that_covers_the_span_gets_the_grade() -> None:
    ids, found = mapped([(0, 10), (10, 20)], [(3, 6)], grade=2)
    assert ids == ["p@0-10"]
    assert found.qrels.grades.tolist() == [2]
    assert found.tallies["spans_split"].tolist() == [0]


def test_of_a_split_span_the_chunk_with_most_of_it_is_gold() -> None:
    ids, found = mapped([(0, 10), (10, 20)], [(8, 14)])  # 2 and 4 of 6 characters
    assert ids == ["p@10-20"]
    assert (found.tallies["spans_split"][0], found.tallies["spans_lost"][0]) == (1, 0)


def test_two_halves_are_both_gold() -> None:
    assert mapped([(0, 10), (10, 20)], [(8, 12)])[0] == ["p@0-10", "p@10-20"]


def test_with_overlap_every_chunk_that_covers_it_is_gold() -> None:
    assert mapped([(0, 10), (5, 15), (10, 20)], [(6, 9)])[0] == ["p@0-10", "p@5-15"]


def test_parts_are_not_added_up_and_a_lost_span_is_handed_to_the_oracle_all_the_same() -> None:
    ids, found = mapped([(0, 5), (5, 10), (10, 20)], [(3, 12)], coverage=0.6, grade=3)  # 2, 5 and 2 of 9
    assert ids == []
    assert found.lost_grades.tolist() == [3]
    assert (found.tallies["spans_lost"][0], found.tallies["gold_lost"][0]) == (1, 1)
    assert found.evidence.unit_rows.tolist() == [0, 1, 2]
    assert not found.evidence_groups


def test_full_coverage_asks_for_the_whole_span() -> None:
    assert mapped([(0, 10), (10, 20)], [(9, 14)], coverage=1.0)[0] == []
    assert mapped([(0, 10), (10, 20)], [(10, 14)], coverage=1.0)[0] == ["p@10-20"]


def test_a_passage_that_was_not_cut_needs_no_span() -> None:
    ids, found = mapped([(0, 20)], [])
    assert (ids, found.without_span) == (["p@0-20"], ())


def test_a_cut_passage_without_a_span_is_told() -> None:
    ids, found = mapped([(0, 10), (10, 20)], [])
    assert found.without_span == ((0, 0),)
    assert ids == ["p@0-10", "p@10-20"]


def test_what_was_judged_and_is_not_relevant_is_so_in_all_its_chunks() -> None:
    ids, found = mapped([(0, 10), (10, 20)], [], grade=0)
    assert (len(ids), found.qrels.grades.tolist(), found.without_span) == (2, [0, 0], ())
    assert not found.evidence_groups


def test_a_group_is_met_by_any_chunk_that_covers_a_member() -> None:
    _, found = mapped([(0, 10), (10, 20)], [(1, 3), (15, 18)])
    assert found.evidence_groups.unit_rows.tolist() == [0, 1]
    assert found.evidence_groups.group_rows.tolist() == [0, 0]


def test_chunks_inherit_everything_but_id_and_text() -> None:
    source = passage("p", "abcd", acl=["hr"], version="2026", family="f", title="T", doc_id="d", location="1.1")
    chunks = Chunks.of(Passages((source,)), [[Piece(0, 2), Piece(2, 4)]])
    assert chunks.passages.ids == ("p@0-2", "p@2-4")
    for chunk in chunks.passages.rows:
        inherited = (chunk.title, chunk.doc_id, chunk.location, chunk.version, chunk.family, chunk.acl)
        assert inherited == ("T", "d", "1.1", "2026", "f", frozenset({"hr"}))


@given(
    cuts=st.sets(st.integers(1, 19), max_size=8),
    start=st.integers(0, 18),
    length=st.integers(1, 20),
    coverage=st.sampled_from([0.1, 0.3, 0.5, 0.8, 1.0]),
)
def test_a_chunk_is_gold_exactly_where_it_covers_enough(
    cuts: set[int], start: int, length: int, coverage: float
) -> None:
    edges = [0, *sorted(cuts), 20]
    pieces = list(itertools.pairwise(edges))
    span = range(start, min(start + length, 20))
    ids, found = mapped(pieces, [(span.start, span.stop)], coverage)
    inside = {f"p@{a}-{b}": sum(a <= at < b for at in span) for a, b in pieces}
    # tenths as whole numbers, so that no rounding decides
    enough = {name for name, n in inside.items() if n * 10 >= round(coverage * 10) * len(span)}
    assert set(ids) == (enough if len(pieces) > 1 else {"p@0-20"})
    assert found.tallies["spans_split"][0] == (max(inside.values()) < len(span))
    assert (found.lost_grades[0] > 0) == (not ids)
    touched = {name for name, n in inside.items() if n}
    assert len(found.evidence.keys) == (len(enough) or len(touched))
