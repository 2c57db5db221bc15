"""Which questions stay together."""

import numpy as np
import pytest

from rag_ablation.core.corpus import Passage, Unit
from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Query, Status
from rag_ablation.data.load import load
from rag_ablation.holdout.split import (
    Linkage,
    SplitSettings,
    groups,
    make_split,
    split_notices,
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
        make_split(clustered([5]), SplitSettings(name="s", holdout_share=0.4, seed=0))
    assert str(caught.value) == (
        "no split was written: the holdout side would be empty. Questions that share an answer location, equal gold "
        "text, an explicit group or near-equal wording stay together, and the largest of 1 group (linkage any_gold) "
        "holds 5 of 5 questions. What would work: nothing that was tried: it takes questions on more clauses"
    )


CHINESE = "出差住宿标准是多少"


@pytest.mark.parametrize(
    "other",
    [
        "出差住宿标准是多少？",
        "请问一下，出差住宿标准是多少，谢谢！",
        "出差住宿的标准是多少",
        "出差住缩标准是多少",
        "多少是出差住宿标准",
        "出差住宿標準是多少",
    ],
)
def test_near_wordings_join(other: str) -> None:
    found = asked(CHINESE, other, "年假可以休几天")
    assert numbers(found) == [0, 0, 1]


def test_wordings_that_name_different_numbers_do_not_join() -> None:
    assert numbers(asked("表单 TRV-017 由谁审批", "表单 TRV-018 由谁审批")) == [0, 1]
    assert numbers(asked("表单 TRV-017 由谁审批", "表单ＴＲＶ-０１７由谁审批？")) == [0, 0]


def test_gold_passages_of_near_equal_text_join() -> None:
    text = "Staff in grade E may claim the cost of a hotel up to the limit of the city, against an invoice."
    found = benchmark(
        [
            Passage(id="a", title="", text=text, doc_id="A", location="1", metadata={}),
            Passage(id="b", title="", text=text.replace("claim", "claim back"), doc_id="B", location="7", metadata={}),
            Passage(id="c", title="", text="Seals are lent for two days.", doc_id="C", location="1", metadata={}),
        ],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "a", 1), ("q2", "b", 1), ("q3", "c", 1)],
    )
    assert numbers(found) == [0, 0, 1]


def test_primary_gold_joins_by_the_highest_grade_alone() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2"), passage("c", location="3")],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "a", 2), ("q1", "b", 1), ("q2", "b", 2), ("q2", "c", 2), ("q3", "c", 1)],
    )
    assert numbers(found) == [0, 0, 0]
    assert groups(found, Linkage.PRIMARY_GOLD).tolist() == [0, 1, 2]


def test_document_joins_all_clauses_and_versions_of_a_document() -> None:
    found = benchmark(
        [passage("a", "travel-2025", "1", "2025"), passage("b", "travel-2026", "9", "2026"), passage("c", "pay", "1")],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "a", 1), ("q2", "b", 1), ("q3", "c", 1)],
    )
    assert numbers(found) == [0, 1, 2]
    assert groups(found, Linkage.DOCUMENT).tolist() == [0, 0, 1]


def test_document_linkage_keeps_clauses_of_one_family_together() -> None:
    """Two documents of unrelated names that hold the same rule, as `family` says."""
    from dataclasses import replace

    rule = {name: replace(passage(name, doc, "1"), family="rule/1") for name, doc in (("a", "old"), ("b", "circular"))}
    found = benchmark(rule.values(), [question("q1"), question("q2")], [("q1", "a", 1), ("q2", "b", 1)])
    assert groups(found, Linkage.DOCUMENT).tolist() == [0, 0]


def test_weaker_linkage_counts_the_locations_that_stand_on_both_sides() -> None:
    found = benchmark(
        [passage(f"d{n}", location=str(n)) for n in range(9)],
        [question(f"q{n}") for n in range(8)],
        [row for n in range(8) for row in ((f"q{n}", f"d{n}", 2), (f"q{n}", "d8", 1))],
    )
    with pytest.raises(
        HoldoutError, match=r"What would work: --linkage primary_gold \(8 groups, the largest 1 question\)"
    ):
        make_split(found, SplitSettings(holdout_share=0.5))
    split = make_split(found, SplitSettings(holdout_share=0.5, linkage=Linkage.PRIMARY_GOLD))
    assert split.audit["gold_locations_on_both_sides"] == 1
    assert split_notices(found, split) == (
        "1 answer location with questions on both sides of the split 'default' (linkage primary_gold)",
    )


def asked(*texts: str) -> Benchmark:
    """Questions of these texts, each on a clause of its own."""
    return benchmark(
        [passage(f"d{n}", location=str(n)) for n in range(len(texts))],
        [Query(id=f"q{n}", text=text, metadata={}) for n, text in enumerate(texts)],
        [(f"q{n}", f"d{n}", 1) for n in range(len(texts))],
    )
