"""Checks of answers: each finds what it is for, and says what it looked at where it finds nothing."""

from dataclasses import replace
from typing import Any

import pytest

from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.report import report_of
from tests.report.study.answering import EXTRACTIVE, OPENAI, RULES, answered, ceiling, floor, letters, step
from tests.report.study.build import DENSE, arm, bracket, study
from tests.report.study.holdouts import holdout

SETTLED = letters(r=12, w=18)
BETTER = letters(r=24, w=6)
NOTHING = letters(w=30)
OPEN = letters(r=10, o=6, w=14)
ALIKE, ABOVE, WAITING = "Generator, prompt and judge", "Above the ceiling", "Open verdicts"
FEW, MISSING, FAILED = "Few questions without an answer", "Questions without a reference answer", "Failed answers"
NAMES = (ALIKE, ABOVE, WAITING, FEW, MISSING, FAILED)


def checks(*arms: Any) -> dict[str, Threat]:
    return {check.name.plain(): check for check in report_of(study(*arms)).threats.checks}


def _with_failures(made: ArmResult, failed: int) -> ArmResult:
    """The generator counts them among all that it was asked."""
    stages = [
        replace(stage, facts={**stage.facts, "n_failed": failed}) if stage.slot == "generate" else stage
        for stage in made.record.stages
    ]
    return replace(made, record=replace(made.record, stages=tuple(stages)))


def measured(check: Threat, language: str = "en") -> str:
    return check.measured.plain(language).replace("\u00a0", " ")


def test_a_study_without_answers_makes_none_of_them() -> None:
    assert not set(NAMES) & set(checks(arm("A", [0.5] * 9), bracket("Oracle", 9)))


def test_cleared_checks_say_what_they_looked_at() -> None:
    said = BETTER + letters(D=20)
    found = checks(step("A", said), ceiling(said))
    assert {name: found[name].severity for name in NAMES} == dict.fromkeys(NAMES, Severity.CLEAR)
    assert [measured(found[name]) for name in NAMES] == [
        "extractive, judged by rules 1: the same on 2 arms.",
        "none of 1 arm lies above Oracle.",
        "0 on 2 arms.",
        "refusals are measured on 20 questions.",
        "0; answers are judged on 30 questions.",
        "0 on 2 arms.",
    ]


@pytest.mark.parametrize(
    ("other", "what"),
    [
        ({"generate": OPENAI}, "generator: extractive (A), openai (B)"),
        (
            {"generate": {**EXTRACTIVE, "threshold": 0.5}},
            "generator: extractive (A), extractive; generate.threshold 0.2 → 0.5 (B)",
        ),
        (
            {"judge": {**RULES, "tolerance": 0.1}},
            "judge: rules 1 (A), rules 1; judge.tolerance 0.0 → 0.1 (B)",
        ),
        ({"version": "2"}, "version of the judge: rules 1 (A), rules 2 (B)"),
    ],
)
def test_answers_of_different_makers_do_not_compare(other: dict[str, Any], what: str) -> None:
    found = checks(step("A", SETTLED), step("B", SETTLED, parents=("A",), settings=DENSE, **other))[ALIKE]
    assert found.severity is Severity.HIGH
    assert measured(found).startswith("not the same on 2 arms, so their shares of right answers do not compare: ")
    assert what in measured(found)


def test_a_prompt_is_told_apart_by_its_digest() -> None:
    prompt = {"en": {"system": "Be brief.", "user": "{passages} {question}"}}
    arms = (
        step("A", SETTLED, generate=OPENAI),
        step("B", SETTLED, settings=DENSE, generate={**OPENAI, "prompt": prompt}),
    )
    found = checks(*arms)[ALIKE]
    assert found.severity is Severity.HIGH
    assert measured(found).count("prompt:") == 1
    assert "generator:" not in measured(found)


def test_the_declared_factor_of_a_step_is_no_threat() -> None:
    found = checks(step("A", SETTLED), step("B", SETTLED, parents=("A",), generate={**EXTRACTIVE, "threshold": 0.5}))
    assert found[ALIKE].severity is Severity.LOW
    assert measured(found[ALIKE]).endswith("; it is the factor of a step.")
    alone = {**EXTRACTIVE, "threshold": 0.9}
    other = checks(
        step("A", SETTLED),
        step("B", SETTLED, parents=("A",), generate={**EXTRACTIVE, "threshold": 0.5}),
        ceiling(SETTLED, generate=alone),
    )
    assert other[ALIKE].severity is Severity.HIGH, "the ceiling is like no arm that stands under it"


def test_a_version_of_the_judge_is_never_a_declared_factor() -> None:
    arms = (
        step("A", SETTLED),
        step("B", SETTLED, parents=("A",), generate={**EXTRACTIVE, "threshold": 0.5}, version="2"),
    )
    assert checks(*arms)[ALIKE].severity is Severity.HIGH


def test_open_verdicts_are_counted_and_steps_whose_bounds_overlap_are_undecided() -> None:
    found = checks(step("A", OPEN), step("B", SETTLED, parents=("A",), settings=DENSE))[WAITING]
    assert found.severity is Severity.MEDIUM
    assert measured(found) == (
        "A 6; shares of right answers are bounds, not rates. The bounds of 1 of 1 step overlap: which of the two arms is "
        "right more often is undecided until they are settled."
    )
    assert measured(found, "zh").startswith("A 6；答对的比例只有上下界")
    assert found.act is not None
    assert found.act.plain() == "settle them: rag-ablation review export made"


def test_open_verdicts_that_leave_every_step_apart_weigh_little() -> None:
    apart = checks(step("A", letters(r=2, o=2, w=26)), step("B", BETTER, parents=("A",), settings=DENSE))[WAITING]
    assert apart.severity is Severity.LOW
    assert "The bounds of 0 of 1 step overlap" in measured(apart)


def test_an_arm_above_the_ceiling_is_named_with_its_difference() -> None:
    found = checks(step("A", BETTER), step("B", SETTLED), ceiling(SETTLED))[ABOVE]
    assert found.severity is Severity.HIGH
    assert "A − Oracle +0.400 (+0.214 to +0.586), n 30, 30 groups" in measured(found)
    assert "B − Oracle" not in measured(found)
    near = checks(step("A", letters(r=13, w=17)), ceiling(SETTLED))[ABOVE]
    assert near.severity is Severity.MEDIUM, "one question more is within chance"


def test_while_open_verdicts_leave_it_open_whether_an_arm_lies_above_it_is_not_clear() -> None:
    found = checks(step("A", OPEN), step("B", NOTHING), ceiling(SETTLED))[ABOVE]
    assert found.severity is Severity.LOW
    assert measured(found) == "not decided: 6 verdicts are open (A 6), and A may lie above Oracle."
    assert measured(found, "zh") == "未定：6 个判定待定（A 6），A 有可能高于 Oracle。"
    assert found.act is not None
    assert found.act.plain() == "settle them: rag-ablation review export made"


def test_verdicts_that_are_open_on_the_ceiling_leave_it_open_too() -> None:
    found = checks(step("A", SETTLED), ceiling(OPEN))[ABOVE]
    assert found.severity is Severity.LOW
    assert measured(found) == "not decided: 6 verdicts are open (Oracle 6), and A may lie above Oracle."


def test_it_is_clear_where_an_arm_at_its_best_does_not_reach_the_ceiling_at_its_worst() -> None:
    found = checks(step("A", letters(r=4, o=6, w=20)), ceiling(letters(r=10, o=6, w=14)))[ABOVE]
    assert (found.severity, measured(found)) == (Severity.CLEAR, "none of 1 arm lies above Oracle.")


def test_what_is_not_decided_is_counted_among_the_raised() -> None:
    open_, settled = (report_of(study(step("A", said), ceiling(SETTLED))).threats for said in (OPEN, NOTHING))
    raised = [sum(check.severity is Severity.LOW for check in found.checks) for found in (open_, settled)]
    assert f"{raised[0]} low" in open_.finding.plain()
    assert raised[0] > raised[1]


def test_a_difference_of_no_width_is_no_interval() -> None:
    found = checks(step("A", letters(r=30)), ceiling(letters(w=30)))[ABOVE]
    assert "A − Oracle +1.000 (all 30 alike), 30 groups (unadjusted)" in measured(found)
    assert "+1.000 to +1.000" not in measured(found)
    alone = checks(step("A", BETTER, groups=[0] * 30), ceiling(SETTLED))[ABOVE]
    assert "A − Oracle +0.400 (no interval: one group), n 30, 1 group" in measured(alone)


def test_without_a_ceiling_there_is_nothing_to_be_above() -> None:
    assert ABOVE not in checks(step("A", BETTER), floor(SETTLED))


@pytest.mark.parametrize(("n", "severity"), [(0, Severity.LOW), (19, Severity.MEDIUM), (20, Severity.CLEAR)])
def test_refusals_need_twenty_questions_without_an_answer(n: int, severity: Severity) -> None:
    found = checks(step("A", SETTLED + letters(D=n)))[FEW]
    assert found.severity is severity
    assert ("is not measured" in measured(found)) is (n == 0)


def test_questions_without_a_reference_answer_are_counted_with_what_is_left() -> None:
    found = checks(step("A", letters(r=20, n=10)))[MISSING]
    assert found.severity is Severity.MEDIUM
    assert measured(found) == (
        "10 questions have none and are in no share of right answers; answers are judged on 20 questions."
    )


def test_failed_answers_count_as_wrong_and_many_weigh_more() -> None:
    few, many = (checks(step("A", letters(r=40 - n, f=n)))[FAILED] for n in (1, 9))
    assert (few.severity, many.severity) == (Severity.LOW, Severity.MEDIUM)
    assert measured(many) == "A 9 of 40 (22.5 %), of the questions that are counted; they count as wrong."


def test_where_more_was_asked_than_is_counted_failures_are_said_of_both() -> None:
    said = letters(r=30, f=8, u=2)
    found = checks(_with_failures(step("A", said), 9))[FAILED]
    assert measured(found) == (
        "A 8 of 38 (21.1 %), of the questions that are counted; they count as wrong. Of all asked: A 9 of 40."
    )
    assert measured(found, "zh") == "A 38 题中 8（21.1 %），只看计入的题；按答错计。所问的全部题：A 40 题中 9。"


def test_failures_that_the_run_itself_recorded_are_said_once() -> None:
    made = step("A", letters(r=39, f=1))
    said = ("generate: 1 of 40 asked failed and count as incorrect", "judge: 2 of the answers could not be judged")
    recorded = [
        measured(check)
        for check in report_of(study(replace(made, record=replace(made.record, threats=said)))).threats.checks
        if check.name.plain() == "Recorded by the runs"
    ]
    assert recorded == ["A: judge: 2 of the answers could not be judged"]


def test_a_plan_on_its_holdout_is_checked_too_and_reviewed_by_its_runs() -> None:
    made = holdout({"A": [0.2] * 30}, [0.5] * 30)
    results = replace(made, arms=tuple(answered(one, OPEN) for one in made.arms))
    found = {check.name.plain(): check for check in report_of(results).threats.checks}
    assert set(NAMES) - {ABOVE} <= set(found)
    act = found[WAITING].act
    assert act is not None
    assert act.plain() == "settle them: rag-ablation review export 20260314-101500-A"
    rows = report_of(results).measures
    assert rows is not None
    shown = [row.column for row in rows.rows if row.shown and row.column.startswith("answer/")]
    assert shown == [
        "answer/correct_low",
        "answer/correct_high",
        "answer/refused_wrong",
        "answer/citation_precision",
        "answer/supported",
    ]
    assert "answer/correct" not in [row.column for row in rows.rows], "it is undefined while verdicts are open"
