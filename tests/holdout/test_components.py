"""Which questions stay together."""

import numpy as np
import pytest

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.queries import Status
from rag_ablation.data.load import load
from rag_ablation.holdout.split import (
    groups,
    make_split,
)
from tests.holdout.benchmarks import CASE, benchmark, case_25, clustered, numbers, passage, question


def test_questions_on_one_location_are_one_group() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="1"), passage("c", location="2")],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "c", 1), ("q2", "a", 1), ("q3", "b", 2)],
    )
    assert numbers(found) == [0, 1, 1]
    assert groups(found).dtype == np.int32


def test_a_clause_of_another_version_is_the_same_location() -> None:
    found = benchmark(
        [passage("a", "travel-2025", "4", "2025"), passage("b", "travel-2026", "4", "2026")],
        [question("q1"), question("q2")],
        [("q1", "a", 1), ("q2", "b", 1)],
    )
    assert numbers(found) == [0, 0]


def test_passages_without_a_location_do_not_join_their_document() -> None:
    found = benchmark([passage("a"), passage("b")], [question("q1"), question("q2")], [("q1", "a", 1), ("q2", "b", 1)])
    assert numbers(found) == [0, 1]


def test_joins_chain() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "a", 1), ("q2", "a", 1), ("q2", "b", 1), ("q3", "b", 1)],
    )
    assert numbers(found) == [0, 0, 0]


def test_a_zero_grade_joins_nothing_and_a_low_grade_does() -> None:
    rows = [("q1", "a", 1), ("q2", "b", 3), ("q3", "b", 1), ("q3", "a", 0)]
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")], [question(f"q{n}") for n in (1, 2, 3)], rows
    )
    assert numbers(found) == [0, 1, 1]


def test_an_explicit_group_joins() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")],
        [question("q1", group="g"), question("q2"), question("q3", group="g", status=Status.UNREVIEWED)],
        [("q1", "a", 1), ("q2", "b", 1)],
    )
    assert numbers(found) == [0, 1, 0]


def test_an_explicit_group_is_no_location_of_that_name() -> None:
    found = benchmark(
        [passage("x", "D")], [question("q1"), question("q2", group="x", status=Status.UNREVIEWED)], [("q1", "x", 1)]
    )
    assert numbers(found) == [0, 1]


@pytest.mark.parametrize("asked_about", ["a", ["a"], ["b", "a"]])
def test_a_question_without_answer_joins_what_it_was_asked_about(asked_about: object) -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")],
        [question("q1"), question("q2", status=Status.NO_ANSWER), question("q3", status=Status.NO_ANSWER)],
        [("q1", "a", 1)],
        {"q2": {"asked_about": asked_about}},
    )
    assert numbers(found) == [0, 0, 1]


def test_labels_of_a_document_join_all_its_clauses() -> None:
    found = benchmark(
        [passage("a", "D", "1"), passage("b", "D", "2"), passage("c", "E", "1")],
        [question("q1"), question("q2"), question("q3", status=Status.NO_ANSWER)],
        [("q1", "D", 1), ("q2", "E", 1)],
        {"q3": {"asked_about": "b"}},
        label_unit=Unit.DOCUMENT,
    )
    assert numbers(found) == [0, 1, 0]


def test_case_25_its_files_give_the_same_groups() -> None:
    assert numbers(load(CASE)) == numbers(case_25()) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_set_of_one_group_is_refused() -> None:
    with pytest.raises(HoldoutError) as caught:
        make_split(clustered([5]), name="s", holdout_share=0.4, seed=0)
    assert str(caught.value) == (
        "no split was written: the holdout side would be empty. Questions that share an answer location or an explicit "
        "group stay together, and the largest of 1 groups holds 5 of 5 questions. "
        "A split needs questions on at least two answer locations"
    )
