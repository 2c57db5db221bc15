"""Cells of the table of rates: each with its interval and n, or with why it has none."""

from dataclasses import replace
from typing import Any

import pytest

from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.report import report_of
from rag_ablation.report.study.shown.answer_rates import columns
from tests.report.study.answering import letters, step
from tests.report.study.build import study


def cell(name: str, made: ArmResult, language: str = "en") -> tuple[str, ...]:
    """What an arm has under a head, and what stands below it."""
    answers = report_of(study(made)).answers
    assert answers is not None
    column = next(column for column in columns(answers) if column.name.plain() == name)
    shown, below = column.cell(answers.rows[0])
    return tuple(text.plain(language).replace("\u00a0", " ") for text in (shown, *below))


def test_a_rate_has_its_interval_and_its_n() -> None:
    assert cell("right refusals", step("A", letters(r=9, D=6, W=6))) == ("0.500", "0.254–0.746", "n 12")


def test_questions_of_one_group_have_no_interval_and_the_cell_says_so() -> None:
    made = step("A", letters(r=4, W=8), groups=[0, 1, 2, 3, *[4] * 8])
    assert cell("right refusals", made) == ("0.000", "no interval: one group", "n 8")
    assert cell("right refusals", made, "zh") == ("0.000", "无区间：只有一组", "n 8")
    alone = step("A", letters(r=4, w=8), groups=[0] * 12)
    assert cell("right answers", alone) == ("0.333", "4 of 12, 1 group", "no interval: one group")


def test_a_mean_of_equal_values_is_said_to_be_that_and_has_no_interval_of_no_width() -> None:
    made = step("A", letters(r=25, d=5))
    assert cell("citation precision", made) == ("1.000", "all 25 alike")
    assert cell("citation precision", made, "zh") == ("1.000", "25 题全部相同")
    (_, ends, n) = cell("citation precision", step("A", letters(r=20, w=5)))
    assert (ends, n) == ("0.816–0.984", "n 25")


def test_a_share_of_equal_values_keeps_its_interval_since_that_has_a_width() -> None:
    assert cell("supported", step("A", letters(r=25))) == ("1.000", "0.867–1.000", "n 25")


def test_right_refusals_are_counts_while_a_verdict_on_one_is_open() -> None:
    made = step("A", letters(r=9, D=5, W=1, F=1, O=2))
    assert cell("right refusals", made) == ("5 / 2 / 2", "right / wrong / open of 9")
    assert cell("right refusals", made, "zh") == ("5 / 2 / 2", "对 / 错 / 待定，共 9 题")
    assert cell("right refusals", step("A", letters(r=9, O=3)))[0] == "0 / 0 / 3", "never 0 as if that were final"


@pytest.mark.parametrize(
    ("said", "failed", "shown"),
    [
        (letters(r=38, u=2), 0, ("0/38",)),
        (letters(r=38, u=2), 1, ("0/38", "of those counted", "1 of 40 asked")),
        (letters(r=30, f=8), None, ("8/38", "of those asked")),
        (letters(r=30, f=8), 8, ("8/38", "of those asked")),
        (letters(r=30, f=8, u=2), None, ("8/38", "of those counted")),
        (letters(r=30, f=8, u=2), 9, ("8/38", "of those counted", "9 of 40 asked")),
    ],
)
def test_failed_answers_say_of_which_questions_they_are(said: str, failed: int | None, shown: tuple[str, ...]) -> None:
    facts: dict[str, Any] = {} if failed is None else {"n_failed": failed}
    made = step("A", said)
    stages = tuple(replace(one, facts=facts) if one.slot == "generate" else one for one in made.record.stages)
    assert cell("failed", replace(made, record=replace(made.record, stages=stages))) == shown
