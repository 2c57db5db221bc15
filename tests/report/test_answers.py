"""The tables of answers: right answers with what is open, refusals of both kinds, and the evidence that was there."""

from collections.abc import Mapping
from dataclasses import replace

from rag_ablation.core.record import ArmRecord, RecordedMean, RecordedStage
from rag_ablation.report.answers import answers_table, rest_table, with_answers
from rag_ablation.report.kept import kept_table
from rag_ablation.report.leaderboard import Leaderboard
from rag_ablation.report.losses import fates_by_arm
from tests.report.test_leaderboard import arm
from tests.report.test_losses import TOP, evidence, lossy

EMPTY = Leaderboard(tables=(), remarks=())


def mean(value: float | None, n: int, **excluded: int) -> RecordedMean:
    reason = None if value is not None else ", ".join(excluded)
    low, high, groups = (None, None, None) if value is None else (value - 0.1, value + 0.1, n)
    return RecordedMean(value=value, n=n, excluded=excluded, reason=reason, low=low, high=high, n_groups=groups)


def judge(version: str = "1") -> RecordedStage:
    return RecordedStage(
        slot="judge", name="rules", point="verdict", seconds=0, reused=False, digest="", facts={"rules": version}
    )


SETTLED: Mapping[str, RecordedMean] = {
    "correct": mean(0.5, 10, no_answer=4),
    "correct_low": mean(0.5, 10, no_answer=4),
    "correct_high": mean(0.5, 10, no_answer=4),
    "refused_right": mean(0.75, 4, answerable=10),
    "refused_wrong": mean(0.2, 10, no_answer=4),
    "citation_precision": mean(0.625, 8, no_answer=4, refused=2),
    "supported": mean(0.875, 8, no_answer=4, refused=2),
    "failed": mean(0.0, 14),
    "needs_review": mean(0.0, 14),
}
WAITING = {
    **SETTLED,
    "correct": RecordedMean(value=None, n=10, excluded={"no_answer": 4}, reason="answers_wait_for_review"),
    "correct_low": mean(0.4, 10, no_answer=4),
    "correct_high": mean(0.7, 10, no_answer=4),
    "needs_review": mean(4 / 14, 14),
}


def answered(
    name: str, means: Mapping[str, RecordedMean], *stages: RecordedStage, found: Mapping[str, object] | None = None
) -> ArmRecord:
    return replace(
        arm(name, generate={"name": "extractive"}, context=TOP),
        points={"answer": means},
        answers={"asked": 14, "tokens": {}, "cost": None, "n_priced": 0},
        stages=stages,
        evidence=found or {},
    )


def row(record: ArmRecord) -> dict[str, str]:
    """Both tables of an arm, by heading."""
    tables = (answers_table([record]), rest_table([record]))
    return {heading: cell for table in tables for heading, cell in zip(table.headings, table.rows[0], strict=True)}


def test_a_settled_share_of_right_answers_stands_with_its_interval_and_its_n() -> None:
    found = row(answered("a", SETTLED, judge()))
    assert found["right answers"] == "0.500 (0.400 to 0.600)"
    assert found["n (groups)"] == "10 (10)"
    assert (found["failed"], found["needs review"]) == ("0", "0")


def test_while_verdicts_are_open_there_is_no_share_but_its_bounds_and_how_many_wait() -> None:
    found = row(answered("a", WAITING, judge()))
    assert found["right answers"] == "0.400–0.700, 3 open (0.300 to 0.800)"
    assert found["needs review"] == "4"


def test_refusals_are_counted_apart_on_questions_with_and_without_an_answer() -> None:
    found = row(answered("a", SETTLED, judge()))
    assert (found["refused right"], found["refused wrong"]) == ("3 of 4 (0.650 to 0.850)", "2 of 10 (0.100 to 0.300)")
    assert (found["citation precision"], found["supported"]) == (
        "0.625, n 8 (0.525 to 0.725)",
        "0.875, n 8 (0.775 to 0.975)",
    )


def test_an_arm_that_is_right_more_often_than_the_one_with_the_gold_is_named() -> None:
    oracle = replace(answered("Oracle", WAITING, judge()), final=None, settings={"context": {"name": "gold"}})
    better = answered("A", {**SETTLED, "correct_low": mean(0.8, 10)}, judge())
    level = answered("B", {**SETTLED, "correct_low": mean(0.7, 10)}, judge())
    board = with_answers(EMPTY, [better, level, oracle])
    said = [remark for remark in board.remarks if remark.startswith("above the ceiling")]
    assert said == [
        "above the ceiling: A 0.800, n 10, against ORACLE (0.700, n 10) at most: look at gold and generator"
    ]


def test_a_rate_without_an_interval_says_why_and_none_has_no_width() -> None:
    means = {
        **SETTLED,
        "refused_right": RecordedMean(value=0.0, n=8, excluded={}, n_groups=1),
        "citation_precision": RecordedMean(value=1.0, n=8, excluded={}, low=1.0, high=1.0, n_groups=8),
    }
    found = row(answered("a", means, judge()))
    assert found["refused right"] == "0 of 8 (no interval: one group)"
    assert found["citation precision"] == "1.000, all 8 alike"


def test_what_is_undefined_says_why_and_is_no_number() -> None:
    means = {
        **SETTLED,
        "correct": mean(None, 0, not_judged=10, no_answer=4),
        "refused_right": mean(None, 0, answerable=10),
        "supported": mean(None, 0, no_answer=4, refused=9, failed=1),
    }
    found = row(answered("a", means))
    assert found["right answers"] == "undefined: not judged"
    assert found["refused right"] == "undefined: no question without an answer"
    assert found["supported"] == "undefined: refused or failed"
    assert found["needs review"] == "–"


def test_the_judge_and_its_version_stand_in_the_title() -> None:
    assert "answers, judged by rules 1;" in answers_table([answered("a", SETTLED, judge())]).title
    assert "answers, not judged;" in answers_table([answered("a", SETTLED)]).title
    two = answers_table([answered("a", SETTLED, judge()), answered("b", SETTLED, judge("2"))])
    assert "judged by rules 1 (A), by rules 2 (B);" in two.title


def test_a_closed_book_that_is_not_applicable_is_dashes_and_a_reason() -> None:
    floor = replace(answered("floor", {}), answers={"absent": "a closed book is not applicable"})
    board = with_answers(EMPTY, [answered("a", SETTLED, judge()), floor])
    assert set(board.tables[0].rows[1][1:]) == {"–"}
    assert "no answers: FLOOR: a closed book is not applicable" in board.remarks


def test_a_cost_is_shown_for_each_question_that_has_one_and_its_column_only_then() -> None:
    free = answered("a", SETTLED, judge())
    paid = replace(free, answers={"asked": 14, "tokens": {}, "cost": 0.03, "n_priced": 12})
    assert row(paid)["cost per question"] == "0.0025"
    assert "cost per question" not in row(free)


def test_without_a_generator_nothing_is_added() -> None:
    assert with_answers(EMPTY, [arm("a")]) is EMPTY


def test_an_arm_without_answers_beside_others_is_left_out_with_its_reason() -> None:
    failed = replace(arm("f"), status="failed", error="no model")
    board = with_answers(EMPTY, [answered("a", SETTLED, judge()), arm("b"), failed])
    assert [cells[0] for cells in board.tables[0].rows] == ["A"]
    assert board.remarks == ("no answers: B: it has no generator", "no answers: F: failed")


def test_open_verdicts_lead_to_their_review() -> None:
    settled = with_answers(EMPTY, [answered("a", SETTLED, judge())])
    assert not any("review" in remark for remark in settled.remarks)
    both = [answered("a", SETTLED, judge()), answered("b", WAITING, judge())]
    waiting = with_answers(EMPTY, both)
    assert waiting.remarks[-2:] == ("verdicts that wait for a person: B 4", "next: rag-ablation review export b")
    assert with_answers(EMPTY, both, "ladder").remarks[-1] == "next: rag-ablation review export ladder"


def test_that_people_settled_verdicts_stands_beside_the_judge() -> None:
    stage = judge()
    reviewed = answered("a", SETTLED, replace(stage, facts={**stage.facts, "n_reviewed": 3}))
    assert "judged by rules 1 and people;" in answers_table([reviewed]).title


def test_the_units_that_were_kept_are_split_by_what_became_of_the_answer_and_add_up() -> None:
    split = {"answer_right": 5, "answer_wrong": 3, "answer_open": 1}
    found = {**evidence({"retrieval": 0.1}, kept=9, ranked_low=2), "answers": split}
    table = kept_table([answered("a", SETTLED, judge(), found=found)])
    cells = dict(zip(table.headings, table.rows[0], strict=True))
    assert [cells[name] for name in ("answer right", "answer wrong", "answer open")] == ["5", "3", "1"]
    assert (cells["kept"], cells["not kept"], cells["relevant units (questions)"]) == ("9", "2", "11 (4)")


def test_the_note_splits_what_is_kept_beside_every_other_fate() -> None:
    split = {"answer_right": 5, "answer_wrong": 3, "answer_open": 1}
    found = {**evidence({"retrieval": 0.1}, kept=9, ranked_low=2), "answers": split}
    plain = lossy("b", evidence({}, kept=11))
    table = fates_by_arm([answered("a", SETTLED, judge(), found=found), plain])
    first, second = (dict(zip(table.headings, cells, strict=True)) for cells in table.rows)
    assert [first[name] for name in ("kept", *split)] == ["9", "5", "3", "1"]
    assert first["ranked_low"] == "2"
    assert [second[name] for name in ("kept", *split)] == ["11", "–", "–", "–"]
    assert "answer_right" not in fates_by_arm([plain]).headings
