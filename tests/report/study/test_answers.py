"""Answers between floor and ceiling: shares and bounds, refusals, types, cost, and what stands where something is not."""

import re
from typing import Any

import pytest

from rag_ablation.report.study.answers.read import above, way
from rag_ablation.report.study.content import Above, Answers, AnswersRow, Became, End
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.report import report_of
from tests.report.study.answering import CLOSED_BOOK, OPENAI, answered, ceiling, floor, letters, step
from tests.report.study.build import DENSE, GOLD, arm, bracket, failed, study

SETTLED = letters(r=12, w=18)
BETTER = letters(r=18, w=12)
TOP = letters(r=24, w=6)
NOTHING = letters(r=3, w=27)
OPEN = letters(r=10, o=6, w=14)


def of(*arms: Any, **declared: Any) -> Answers:
    found = report_of(study(*arms, **declared)).answers
    assert found is not None
    return found


def row(found: Answers, key: str) -> AnswersRow:
    return next(row for row in found.rows if row.key == key)


def plain(text: Any, language: str = "en") -> str:
    return str(text.plain(language)).replace("\u00a0", " ")


def test_a_study_without_a_generator_has_nothing_to_say_of_answers() -> None:
    report = report_of(study(arm("A", [0.5] * 9), arm("B", [0.6] * 9, parents=("A",), settings=DENSE), bracket("O", 9)))
    assert report.answers is None
    assert not [name for name, _ in report.glossary if name.plain() == "open verdict"]
    assert not [name for name, _ in report.provenance if name.plain() in ("generator", "judge")]
    assert not [
        check for check in report.threats.checks if "verdict" in check.name.plain() and "Open" in check.name.plain()
    ]


def test_an_arm_stands_between_what_nothing_and_what_the_gold_gives() -> None:
    found = of(step("A", SETTLED), ceiling(TOP), floor(NOTHING))
    assert plain(found.finding) == (
        "Given the gold (Oracle) the generator is right on 24 of 30 questions, without any context (Floor) on 3; "
        "A stands at 12, 0.43 of the way from floor to ceiling."
    )
    assert plain(found.finding, "zh") == (
        "直接给标注证据时（Oracle），生成器在 30 题中答对 24 题，不给上下文时（Floor）答对 3 题；"
        "A 答对 12 题，为下限到上限之间的 0.43。"
    )
    assert [one.end for one in found.rows] == [None, End.CEILING, End.FLOOR]
    assert row(found, "A").way == pytest.approx((9 / 21, 9 / 21))


def test_an_open_verdict_leaves_bounds_and_no_rate() -> None:
    found = of(step("A", OPEN), ceiling(TOP), floor(NOTHING))
    own = row(found, "A")
    assert own.share == pytest.approx((10 / 30, 16 / 30))
    assert own.means["correct"].value is None
    assert own.is_open
    assert not row(found, "Oracle").is_open
    assert "A stands at 10 to 16, 0.33 to 0.62 of the way" in plain(found.finding)
    assert own.answerable == {
        Became.RIGHT: 10,
        Became.OPEN: 6,
        Became.FAILED: 0,
        Became.REFUSED: 0,
        Became.NOT_JUDGED: 0,
        Became.WRONG: 14,
    }


def test_every_question_is_counted_once_with_and_without_an_answer() -> None:
    said = letters(r=3, w=2, o=1, d=4, f=1, D=5, W=2, O=1, F=1, R=1, u=2)
    own = row(of(step("A", said)), "A")
    assert dict(own.answerable) == {
        Became.RIGHT: 3,
        Became.OPEN: 1,
        Became.FAILED: 1,
        Became.REFUSED: 4,
        Became.NOT_JUDGED: 0,
        Became.WRONG: 2,
    }
    assert dict(own.unanswerable) == {
        Became.REFUSED_RIGHT: 5,
        Became.OPEN: 1,
        Became.FAILED: 1,
        Became.WRONG: 2,
        Became.REFUSED: 1,
    }
    assert sum(own.answerable.values()) + sum(own.unanswerable.values()) == len(said) - 2


def test_a_floor_to_which_the_generator_is_not_applicable_is_a_dash_with_its_reason_and_gives_no_way() -> None:
    found = of(step("A", SETTLED), ceiling(TOP), floor("-" * 30))
    own = row(found, "Floor")
    assert own.share is None
    assert own.paid is None
    assert own.absent is not None
    assert plain(own.absent) == "not applicable: the extractive generator takes its answers from the context"
    assert row(found, "A").way is None
    assert (
        plain(found.finding) == "Given the gold (Oracle) the generator is right on 24 of 30 questions; A stands at 12."
    )


def test_without_a_ceiling_the_sentence_says_that_there_is_none() -> None:
    found = of(step("A", SETTLED), floor(NOTHING))
    assert plain(found.finding) == (
        "A is right on 12 of 30 questions; no arm was given the gold, so there is no ceiling to read that under."
    )
    assert found.ceiling is None


def test_gold_among_passages_that_look_like_it_is_no_ceiling() -> None:
    among = {"context": {**GOLD["context"], "distractors": 5}}
    other = answered(arm("O+5", [0.5] * 30, role=bracket("x", 1).arm.role, settings=among), TOP)
    assert of(step("A", SETTLED), other).ceiling is None
    assert of(step("A", SETTLED), other, ceiling(TOP)).ceiling is not None


def test_every_arm_above_the_ceiling_is_named() -> None:
    found = of(step("A", BETTER), step("B", TOP, parents=("A",), settings=DENSE), ceiling(SETTLED))
    assert plain(found.finding).endswith("; A and B lie above the ceiling.")
    assert plain(found.finding, "zh").endswith("；A 和 B 高于上限。")
    assert [one.above for one in found.rows] == [Above.SURE, Above.SURE, None]


@pytest.mark.parametrize(
    ("arm_share", "top", "stands"),
    [
        ((0.6, 0.6), (0.5, 0.5), Above.SURE),
        ((0.5, 0.5), (0.5, 0.5), None),
        ((0.6, 0.7), (0.4, 0.5), Above.SURE),
        ((0.4, 0.6), (0.5, 0.5), Above.OPEN),
        ((0.4, 0.6), (0.5, 0.7), Above.OPEN),
        ((0.4, 0.5), (0.5, 0.7), None),
    ],
)
def test_above_for_sure_takes_the_arm_at_its_worst_and_the_ceiling_at_its_best(
    arm_share: tuple[float, float], top: tuple[float, float], stands: Above | None
) -> None:
    assert above(arm_share, top) is stands


def test_the_way_is_a_range_while_verdicts_are_open_and_none_where_the_ceiling_may_not_be_higher() -> None:
    assert way((0.5, 0.5), (0.2, 0.2), (0.8, 0.8)) == pytest.approx((0.5, 0.5))
    low, high = way((0.4, 0.6), (0.1, 0.2), (0.7, 0.9)) or (0, 0)
    assert low == pytest.approx(0.2 / 0.7)
    assert high == pytest.approx(0.5 / 0.6)
    assert way((0.5, 0.5), (0.2, 0.4), (0.4, 0.9)) is None


def test_shares_on_other_questions_are_not_set_against_the_ceiling() -> None:
    found = of(step("A", letters(r=20, n=10)), ceiling(SETTLED), floor(NOTHING))
    assert (row(found, "A").above, row(found, "A").way) == (None, None)
    assert "A stands at 20 of 20 questions." in plain(found.finding)


def test_answers_that_nobody_judged_have_no_share_and_the_reason_is_said() -> None:
    found = of(step("A", "a" * 30, judge=None))
    assert plain(found.finding) == (
        "Each arm with answers was asked 30 questions, and there is no share of right ones: nobody judged the answers."
    )
    assert row(found, "A").answerable[Became.NOT_JUDGED] == 30


def test_arms_without_a_generator_or_without_an_end_are_named_beside_the_section() -> None:
    found = of(step("A", SETTLED), arm("B", [0.5] * 30, parents=("A",), settings=DENSE), failed("F", parents=("A",)))
    assert [one.key for one in found.rows] == ["A"]
    assert "No answers of B: it has no generator; F: failed." in [plain(note) for note in found.side]


def test_verdicts_that_people_gave_are_counted() -> None:
    found = of(step("A", SETTLED, facts={"n_reviewed": 7, "n_overruled": 2}))
    assert "Settled by people: A 7 (2 against the judge)." in [plain(note) for note in found.side]


def test_right_answers_by_type_have_their_bounds_and_n() -> None:
    types = ["code"] * 18 + ["hop"] * 12
    found = of(step("A", OPEN, types=types), ceiling(TOP))
    code, hop = (one for one in found.types if one.type != "plain")
    assert (code.type, code.n, code.n_groups) == ("code", 18, 18)
    assert (code.shares["A"].low, code.shares["A"].high) == pytest.approx((10 / 18, 16 / 18))
    assert (hop.shares["A"].low, hop.shares["A"].high) == (0.0, 0.0)


def test_a_type_without_a_share_is_left_out() -> None:
    types = ["code"] * 20 + ["no_answer"] * 10
    found = of(step("A", letters(r=20, D=10), types=types))
    assert [one.type for one in found.types] == ["code"]


def test_a_generator_without_tokens_says_so_in_place_of_a_plane() -> None:
    found = of(step("A", SETTLED), ceiling(TOP))
    assert found.plane is None
    assert found.cost is not None
    assert plain(found.cost) == "No cost: the extractive generator counts no tokens."
    assert plain(found.cost, "zh") == "没有成本：extractive 生成器不计词元。"


def test_tokens_without_prices_are_said_to_be_that() -> None:
    found = of(step("A", SETTLED, generate={"name": "transformers"}, tokens={"prompt": 300, "completion": 60}))
    assert found.cost is not None
    assert plain(found.cost) == "No cost: transformers has tokens and no prices."
    own = row(found, "A").paid
    assert own is not None
    assert own.tokens == {"prompt": 10.0, "completion": 2.0}


def test_two_arms_with_a_cost_make_a_plane_with_the_front_of_those_that_are_settled() -> None:
    found = of(
        step("A", SETTLED, generate=OPENAI, cost=0.001),
        step("B", BETTER, parents=("A",), settings=DENSE, generate=OPENAI, cost=0.002),
        step("C", OPEN, parents=("A",), settings=DENSE, generate=OPENAI, cost=0.0005),
        ceiling(TOP, generate=OPENAI, cost=0.0004),
    )
    assert found.plane is not None
    assert found.cost is None
    assert [(one.key, one.front) for one in found.plane.arms] == [("A", True), ("B", True), ("C", False)]
    assert plain(found.plane.finding) == (
        "An answer of B costs 0.002 USD, one of C 0.0005 USD; right answers: 0.600 against 0.333 to 0.533 (n 30)."
    )


def test_one_arm_with_a_cost_is_a_sentence() -> None:
    found = of(step("A", SETTLED, generate=OPENAI, cost=0.001))
    assert found.plane is None
    assert found.cost is not None
    assert "an answer of A costs 0.001 USD (mean over 30 questions)" in plain(found.cost)


def test_answers_that_cost_nothing_are_said_to() -> None:
    free = [step(key, SETTLED, generate=OPENAI, cost=0.0) for key in "AB"]
    found = of(*free)
    assert found.plane is None
    assert found.cost is not None
    assert plain(found.cost) == "The answers of A and B cost nothing."


def test_a_closed_book_that_can_be_answered_is_the_floor() -> None:
    assert row(of(step("A", SETTLED), floor(NOTHING)), "Floor").end is End.FLOOR
    ladder_arm = answered(arm("X", [0.5] * 30, settings=CLOSED_BOOK), NOTHING)
    assert row(of(ladder_arm), "X").end is None, "an arm of the ladder marks nothing"


def kept(counts: dict[str, int], became: tuple[int, int, int], said: str = SETTLED) -> ArmResult:
    return step("A", said, evidence={"counts": counts}, kept=became)


def test_kept_units_are_told_apart_by_their_answers_and_sum_to_those_kept() -> None:
    report = report_of(study(kept({"kept": 20, "ranked_low": 5}, (8, 9, 3))))
    assert report.lost is not None
    assert report.lost.answers == {"A": {"answer_right": 8, "answer_wrong": 9, "answer_open": 3}}
    assert sum(report.lost.answers["A"].values()) == report.lost.counts["A"]["kept"]
    assert report.lost.answered is not None
    assert plain(report.lost.answered).startswith(
        "Of the 20 kept in A 8 have their question answered right (answer_right), 9 wrong (answer_wrong) and 3 wait"
    )
    without = report_of(study(arm("A", [0.5] * 9, evidence={"counts": {"kept": 3}}))).lost
    assert without is not None
    assert (without.answers, without.answered) == ({}, None)


def test_where_more_is_kept_and_answered_wrong_than_lost_the_generator_is_the_place_to_look() -> None:
    following = [plain(one) for one in report_of(study(kept({"kept": 20, "ranked_low": 5}, (8, 9, 3)))).conclusion.next]
    (said,) = [one for one in following if "generator" in one]
    assert said.startswith(
        "Look at the generator next: of 25 gold passages BM25 (A) keeps 20, and the questions of 9 of"
    )
    assert "while 5 are lost before it" in said
    other = report_of(study(kept({"kept": 20, "ranked_low": 9}, (8, 9, 3)))).conclusion.next
    assert not [one for one in other if "generator" in plain(one)]


def test_many_open_verdicts_are_settled_first_and_few_are_not_spoken_of() -> None:
    many = [plain(one) for one in report_of(study(step("A", OPEN))).conclusion.next]
    assert any("A has 6 of 30 questions. rag-ablation review export made writes them out." in one for one in many)
    few = report_of(study(step("A", letters(r=29, o=1)))).conclusion.next
    assert not any("review export" in plain(one) for one in few)


def test_names_of_arms_do_not_change_with_a_generator_that_all_share() -> None:
    found = report_of(study(step("A", SETTLED), step("B", BETTER, parents=("A",), quality=0.7, settings=DENSE)))
    assert "Dense retrieval (B)" in found.conclusion.sentences[0].sentence.plain()


def test_provenance_and_words_name_generator_judge_and_what_they_mean() -> None:
    report = report_of(study(step("A", SETTLED, generate=OPENAI), ceiling(TOP, generate=OPENAI)))
    lines = {name.plain(): content.plain() for name, content in report.provenance}
    assert re.fullmatch(r"openai · model small · currency USD · prompt sha256 [0-9a-f]{8}", lines["generator"]), (
        "what changes no answer is left out"
    )
    assert lines["judge"] == "rules 1 · tolerance 0.0"
    words = {name.plain(): name.plain("zh") for name, _ in report.glossary}
    assert words["open verdict"] == "待定"
    assert "a server that is asked again may answer otherwise" in report.repeats.plain()
    assert "server" not in report_of(study(step("A", SETTLED))).repeats.plain()


def test_arms_of_several_generators_are_told_apart_by_them() -> None:
    both = study(step("A", SETTLED), step("B", SETTLED, parents=("A",), generate=OPENAI))
    assert report_of(both).glossary[0][1].plain() == "A = BM25, answered by extractive; B = BM25, answered by openai"
    assert report_of(study(step("A", SETTLED))).glossary[0][1].plain() == "A = BM25"


def test_all_texts_are_there_in_both_languages() -> None:
    from tests.report.study.texts import texts

    found = of(
        step("A", OPEN, generate=OPENAI, cost=0.1), step("B", BETTER, generate=OPENAI, cost=0.2), ceiling(SETTLED)
    )
    for text in texts(found):
        assert bool(text.en) == bool(text.zh)
        assert "{" not in text.plain() + text.plain("zh")
