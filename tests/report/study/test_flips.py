"""Questions that moved: which are taken, and what stands in their columns."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.report.study.content import FlipColumn, Flips
from rag_ablation.report.study.flips import MOST, NEAR, Move, chosen, flips_of
from rag_ablation.report.study.inputs import Source, SourcePassage, StudyResults
from tests.report.study.made import Asked, arm, bracket, failed, ladder, study

FAR = [f"x{place:02}" for place in range(1, 60)]
ASKED = Asked(
    gold={"q1": {"a": 2, "n": 0}, "q2": {"b": 1, "c": 1}, "q3": {"d": 1}, "q4": {}},
    types={"q1": "code", "q2": "hop"},
)
SPARSE = {"q1": ["a", "n"], "q2": ["x", "y", "z", "b", "v"], "q3": ["d"], "q4": ["x"]}
DENSE = {"q1": FAR[:30], "q2": ["b", "c"], "q3": ["d"], "q4": []}
FUSED = {"q1": [*FAR[:13], "a", "n"], "q2": ["b", "c"], "q3": ["d"], "q4": ["x"]}
A, B = arm("A", ASKED, sparse=SPARSE), arm("B", ASKED, ("A",), dense=DENSE)
C = arm("C", ASKED, ("A", "B"), sparse=SPARSE, dense=DENSE, fused=FUSED)
WORDS = Source(
    questions={"q1": "Which code?", "q2": "<b>Both?</b>"},
    answers={"q1": "INV-102"},
    passage={
        "a": SourcePassage("a", "Manual", "Check the number first.", "manual", "7.3"),
        "n": SourcePassage("n", "", "Open the folder.", "manual", "Annex"),
    }.get,
)


def of(results: StudyResults, *shown: str) -> Flips:
    found = flips_of(results, ladder(results, *shown))
    assert found is not None
    return found


def column(found: Flips, query: str, key: str) -> FlipColumn:
    (flip,) = (flip for flip in found.questions if flip.query_id == query)
    return next(column for column in flip.columns if column.key == key)


MOVES = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 30),
        st.sampled_from("abc"),
        st.floats(-1, 1).filter(lambda gap: abs(gap) > 0.01),
    ),
    unique_by=lambda move: move[:2],
    max_size=60,
).map(lambda rows: [Move(place, row, f"q{row:02}", kind, gap) for place, row, kind, gap in rows])


@given(MOVES, st.randoms())
def test_a_question_is_taken_once_whatever_the_order_and_as_many_as_there_are_up_to_six(
    moves: list[Move], luck: object
) -> None:
    shuffled = list(moves)
    luck.shuffle(shuffled)  # type: ignore[attr-defined]
    found = chosen(moves)
    assert found == chosen(shuffled)
    assert len({move.query for move in found}) == len(found) == min(MOST, len({move.query for move in moves}))


@given(MOVES)
def test_losses_and_gains_are_both_among_them_where_both_exist(moves: list[Move]) -> None:
    found = chosen([move for move in moves if move.place == 0])
    gains = {move.gap > 0 for move in moves if move.place == 0}
    assert {move.gap > 0 for move in found} == gains


@given(MOVES, st.booleans())
def test_what_is_taken_moved_at_least_half_as_far_as_what_is_left(moves: list[Move], gains: bool) -> None:
    one = [move for move in moves if move.place == 0 and (move.gap > 0) is gains]
    found = chosen(one)
    left = [abs(move.gap) for move in one if move not in found]
    assert not left or min(abs(move.gap) for move in found) >= NEAR * max(left)


@pytest.mark.parametrize("sign", [1, -1])
def test_another_type_does_not_come_before_a_move_more_than_twice_as_far(sign: int) -> None:
    far = [Move(0, place, f"q{place}", "a", sign * 0.9) for place in range(7)]
    near = Move(0, 8, "q8", "b", sign * 0.46)
    short = Move(0, 9, "q9", "c", sign * 0.44)
    found = chosen([*far, near, short])
    assert near in found
    assert short not in found


def test_of_equal_moves_another_type_comes_first_then_the_id() -> None:
    moves = [Move(0, place, f"q{place}", "a" if place < 8 else "b", 1.0) for place in range(9)]
    assert [move.query for move in chosen(moves)] == ["q0", "q1", "q2", "q3", "q4", "q8"]


def test_a_child_of_two_parents_stands_beside_both() -> None:
    found = of(study(A, B, C, source=WORDS), "C − A")
    (flip, other) = found.questions
    assert [column.key for column in flip.columns] == ["A", "B", "C"]
    assert [column.variant for column in flip.columns] == ["preset_A", "preset_B", "preset_C"]
    assert (flip.query_id, flip.question, flip.answer, flip.type) == ("q1", "Which code?", "INV-102", "code")
    assert (flip.label, flip.difference, flip.n_gold) == ("C − A", -1.0, 1)
    assert (other.query_id, other.question, other.answer, other.n_gold) == ("q2", "<b>Both?</b>", None, 2)


def test_a_child_of_one_parent_or_of_three_stands_beside_the_parent_of_the_step() -> None:
    third = replace(B, arm=replace(B.arm, key="E"))
    many = replace(C, arm=replace(C.arm, parents=("A", "B", "E")))
    assert [column.key for column in of(study(A, B, C), "B − A").questions[0].columns] == ["A", "B"]
    assert [column.key for column in of(study(A, B, third, many), "C − A").questions[0].columns] == ["A", "C"]


def test_a_column_holds_the_first_three_and_the_gold_with_the_gap_before_it() -> None:
    found = of(study(A, B, C, source=WORDS), "C − A")
    fused = column(found, "q1", "C")
    assert [(one.rank, one.passage_id, one.skipped) for one in fused.passages] == [
        (1, "x01", 0),
        (2, "x02", 0),
        (3, "x03", 0),
        (14, "a", 10),
    ]
    assert (fused.value, fused.missing) == (0.0, ())
    assert [one.gold for one in fused.passages] == [False, False, False, True]
    sparse = column(found, "q2", "A")
    assert [(one.rank, one.passage_id, one.skipped) for one in sparse.passages][-1] == (4, "b", 0)


def test_gold_without_a_rank_is_missing_by_id() -> None:
    found = of(study(A, B, C), "C − A")
    assert column(found, "q1", "B").missing == ("a",)
    assert column(found, "q2", "A").missing == ("c",)


def test_grades_tell_gold_judged_and_never_judged_apart() -> None:
    first, second = column(of(study(A, B, C, source=WORDS), "C − A"), "q1", "A").passages
    assert (first.grade, first.gold, first.heading, first.body) == (2, True, "Manual §7.3", "Check the number first.")
    assert (second.grade, second.gold, second.heading) == (0, False, "manual Annex")
    assert column(of(study(A, B, C), "C − A"), "q1", "C").passages[0].grade is None


def test_without_the_dataset_ids_stand_for_texts() -> None:
    found = of(study(A, B, C), "C − A")
    assert found.questions[0].question == ""
    first = column(found, "q1", "A").passages[0]
    assert (first.heading, first.body, first.grade, first.gold) == ("a", "", 2, True)


def test_a_chunk_shows_its_part_of_the_passage() -> None:
    asked = Asked(gold={"q1": {"a@0-5": 1}})
    one = arm("A", asked, sparse={"q1": ["a@6-9", "a@0-5"]})
    two = arm("C", asked, ("A",), sparse={"q1": ["a@0-5"]})
    first, second = column(of(study(one, two, source=WORDS)), "q1", "A").passages
    assert (first.heading, first.body, first.gold) == ("Manual §7.3 [6–9]", "the", False)
    assert (second.heading, second.body, second.gold) == ("Manual §7.3 [0–5]", "Check", True)


CLAUSES = Asked(
    gold={"q1": {"manual#7.3": 2, "manual#Annex": 0}},
    clause_of={"a": "manual#7.3", "a2": "manual#7.3", "n": "manual#Annex"},
)


@pytest.mark.parametrize(("source", "judged"), [(WORDS, 0), (Source(absent="gone"), None)], ids=["texts", "no texts"])
def test_where_labels_are_of_clauses_a_passage_of_a_gold_clause_is_gold(source: Source, judged: int | None) -> None:
    one = arm("A", CLAUSES, sparse={"q1": ["n", "a"]})
    two = arm("C", CLAUSES, ("A",), sparse={"q1": ["a", "n"]})
    passages = column(of(study(one, two, source=source)), "q1", "A").passages
    assert [(one.passage_id, one.grade, one.gold) for one in passages] == [("n", judged, False), ("a", 2, True)]


def test_a_clause_below_the_recorded_head_is_known_by_its_own_id() -> None:
    asked = replace(CLAUSES, clause_of={**CLAUSES.clause_of, **{name: f"other#{name}" for name in FAR}})
    one = arm("A", asked, sparse={"q1": [*FAR[:20], "a"]})
    two = arm("C", asked, ("A",), sparse={"q1": ["a"]})
    last = column(of(study(one, two, source=WORDS)), "q1", "A").passages[-1]
    assert (last.rank, last.passage_id, last.heading, last.skipped, last.gold) == (
        21,
        "manual#7.3",
        "manual#7.3",
        17,
        True,
    )


def test_without_recorded_fates_the_gold_is_that_of_the_labels() -> None:
    bare = [replace(made, record=replace(made.record, evidence={})) for made in (A, B, C)]
    found = of(study(*bare), "C − A")
    assert column(found, "q1", "A").passages[0].gold
    assert column(found, "q1", "C").missing == ("a",)
    assert found.questions[0].n_gold == 1


def test_the_sentence_counts_gains_losses_and_ties_of_each_step() -> None:
    found = of(study(A, B, C), "C − A")
    assert (
        found.finding.plain().replace("\u00a0", " ")
        == "From A to C, 1 of 3 questions gain, 1 lose and 1 stay. Shown: 2 that moved."
    )
    assert (
        found.finding.plain("zh").replace("\u00a0", " ")
        == "从 A 到 C，3 题中 1 题上升，1 题下降，1 题不变。这里列出 2 题。"
    )


def test_of_many_steps_it_is_said_how_many_questions_move_at_all() -> None:
    copies = [replace(C, arm=replace(C.arm, key=f"C{place}", parents=("A",))) for place in range(4)]
    assert of(study(A, *copies)).finding.plain().startswith("2 of 3 questions move on at least one of 4 steps.")


def test_without_drawn_steps_all_are_looked_at() -> None:
    labels = {flip.label for flip in of(study(A, B, C)).questions}
    assert labels <= {"B − A", "C − A", "C − B"}
    assert of(study(A, B, C)) == of(study(A, B, C))


def test_there_is_no_section_where_nothing_moved() -> None:
    same = replace(A, arm=replace(C.arm, parents=("A",)))
    nothing = Asked(gold={"q": {}})
    unscored = (arm("A", nothing, sparse={"q": ["x"]}), arm("C", nothing, ("A",), sparse={"q": ["y"]}))
    for made in (study(A, same), study(A), study(A, failed("C", ("A",)), bracket("O", ASKED)), study(*unscored)):
        assert flips_of(made, ladder(made)) is None


def test_a_step_that_was_refused_is_not_shown() -> None:
    made = study(A, C)
    found = ladder(made)
    refused = replace(
        found,
        rows=tuple(
            replace(row, steps=tuple(replace(step, comparison=None, refused="labels differ") for step in row.steps))
            for row in found.rows
        ),
    )
    assert flips_of(made, refused) is None
