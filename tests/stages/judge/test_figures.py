"""Figures are compared as what they mean, in both languages; one that differs is never a match."""

import itertools

import pytest

from rag_ablation.core.answers import Answer, Reference
from rag_ablation.stages.judge import RulesJudge
from tests.stages.judge.verdicts import REVIEW, RIGHT, WRONG, verdict, word

SAME = [
    ("120,000 元", "12 万元", "十二万元", "RMB 120,000", "¥120000", "120 thousand yuan", "人民币 120，000 元"),
    ("1.5 亿元", "150,000,000 元", "一亿五千万元", "CNY 150 million"),
    (
        "38.5 元",
        "RMB 38.50",
        "¥38.5",
        "38.5 yuan",
        "三十八点五元",
        "38.5 块",
        "三十八元五角",
        "三十八块五",
        "38 元 5 角",
    ),
    ("1500 元", "一千五百元", "一千五元", "1 千 5 百元"),
    ("$55", "USD 55", "55 美元", "55 US$", "fifty-five dollars"),
    ("80%", "80 %", "８０％", "百分之八十", "八成", "80 percent", "八折"),
    ("两成", "20%", "二成", "20 per cent"),
    ("15%", "一成五", "百分之十五"),
    ("85%", "八五折", "85 折", "8.5 折"),
    ("5 km", "5000 m", "5 公里", "五千米"),
    ("3-5 个工作日", "三至五个工作日", "3～5 个工作日", "3 to 5 working days", "between three and five business days"),
    ("80% 至 125%", "80%-125%", "80% to 125%"),
    ("2026-01-05", "2026 年 1 月 5 日", "January 5, 2026", "5 January 2026", "2026/1/5", "二〇二六年一月五日"),
    ("6 月 30 日", "30 June", "June 30th", "六月三十日", "6月30号"),
    ("10 日", "十号", "the 10th", "the tenth"),
    ("两天", "2 天", "two days", "2 日内", "二天"),
    ("4 个工作日", "四个工作日", "four working days", "4 business days"),
    ("1.5 小时", "一个半小时", "90 分钟", "one and a half hours", "90 minutes"),
    ("半天", "half a day", "0.5 天"),
    ("3 年", "36 个月", "three years"),
    ("18:00", "18：00", "下午六点", "6 pm", "6:00 p.m.", "18 时", "下午 6:00"),
    ("5 人", "五名", "five people", "5 位"),
    ("INV-102", "inv-102", "ＩＮＶ－１０２"),
]
"""In each row, all say the same."""

DIFFERENT = [
    ("38.5 元", "18.5 元"),
    ("118.5", "18.5"),
    ("118.5", "8.5"),
    ("1,440", "440"),
    ("120,000 元", "12,000 元"),
    ("12 万元", "12 元"),
    ("80%", "0.8"),
    ("80%", "80 元"),
    ("5 个工作日", "5 天"),
    ("three working days", "three days"),
    ("24 小时", "1 天"),
    ("24 hours", "one day"),
    ("3-5 天", "5 天"),
    ("3-5 天", "3-6 天"),
    ("3-5 个工作日", "3-5 天"),
    ("USD 55", "RMB 55"),
    ("2026-01-05", "2026-01-15"),
    ("2026-01-05", "2025-01-05"),
    ("18:00", "8:00"),
    ("6 pm", "6 am"),
    ("-5%", "5%"),
    ("−3 元", "3 元"),
    ("第 31 天", "31 天"),
    ("INV-102", "INV-1024"),
    ("INV-10", "INV-102"),
    ("INV-102", "102"),
    ("6601-03", "6601-04"),
]


@pytest.mark.parametrize(("said", "right"), [pair for row in SAME for pair in itertools.permutations(row, 2)])
def test_the_same_figure_is_right_however_it_is_written(said: str, right: str) -> None:
    assert word(said, right) is RIGHT, verdict(said, right).reason


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_figure_is_wrong_in_both_directions(one: str, other: str) -> None:
    assert word(one, other) is not RIGHT
    assert word(other, one) is not RIGHT


@pytest.mark.parametrize(("one", "other"), [("38.5 元", "18.5 元"), ("5 个工作日", "5 天"), ("24 hours", "1 day")])
def test_another_figure_is_no_matter_of_review(one: str, other: str) -> None:
    assert word(one, other) is WRONG


def test_a_figure_stands_on_its_own_inside_a_longer_answer() -> None:
    assert word("成都属二类城市，E 类每晚限额 380 元。", "380 元") is RIGHT
    assert word("The limit is RMB 380 a night.", "380") is RIGHT
    assert word("The limit is RMB 1,380 a night.", "380") is WRONG


def test_the_result_of_an_equation_is_said_and_its_parts_are_not() -> None:
    assert word("118.5 − 80 = 38.5", "38.5") is RIGHT
    assert word("118.5 元 − 80 元 = 38.5 元", "38.5 元") is RIGHT
    assert word("118.5 − 80 = 38.5", "80") is not RIGHT


def test_a_dash_is_no_minus_where_it_stands_behind_words() -> None:
    for said in ("E 类 - 380 元", "E 类—380 元", "- 380 元", "limit - RMB 380"):
        assert word(said, "380 元") is RIGHT, said
    assert word("-5%", "−5 %") is RIGHT


def test_a_number_too_long_to_mean_anything_is_read_without_harm() -> None:
    assert word("1" * 5000 + " 元", "11 元") is WRONG


def test_both_figures_of_a_pair_are_needed() -> None:
    right = "RMB 10,000 at home and RMB 30,000 abroad"
    assert word("RMB 10,000 at home, RMB 30,000 abroad.", right) is RIGHT
    assert word("RMB 10,000 at home.", right) is WRONG
    assert word("RMB 30,000 at home and RMB 10,000 abroad", right) is REVIEW


def test_a_range_told_by_its_ends_is_left_to_a_person() -> None:
    assert word("at least 80%, at most 125%", "80% to 125%") is REVIEW
    assert word("at least 80%", "80% to 125%") is WRONG


def test_a_date_without_its_year_is_left_to_a_person() -> None:
    assert word("1 月 5 日", "2026 年 1 月 5 日") is REVIEW
    assert word("2026 年 1 月 5 日", "1 月 5 日") is RIGHT


@pytest.mark.parametrize(("setting", "expected"), [("review", REVIEW), ("accept", RIGHT), ("refuse", WRONG)])
def test_a_number_without_its_unit_is_what_the_setting_says(setting: str, expected: str) -> None:
    assert word("520", "520 元", judge=RulesJudge(bare_numbers=setting)) is expected  # type: ignore[arg-type]


def test_a_share_without_its_mark_is_never_taken_for_one() -> None:
    for bare in ("review", "accept"):
        judge = RulesJudge(bare_numbers=bare)  # type: ignore[arg-type]
        assert word("0.8", "80%", judge=judge) is REVIEW
        assert word("80%", "0.8", judge=judge) is REVIEW
        assert word("80%", "80", judge=judge) is REVIEW
    assert word("80", "80%") is REVIEW
    assert word("80", "80%", judge=RulesJudge(bare_numbers="accept")) is RIGHT
    assert word("8", "80%") is WRONG
    assert word("a share of 0.8", "80%") is word("比例为 0.8", "80%") is RIGHT


def test_a_tolerance_widens_amounts_and_nothing_else() -> None:
    loose = RulesJudge(tolerance=0.01)
    assert word("100.9 元", "100 元", judge=loose) is RIGHT
    assert word("101.1 元", "100 元", judge=loose) is WRONG
    assert word("2026-01-06", "2026-01-05", judge=loose) is WRONG


def test_a_bound_on_the_other_side_is_left_to_a_person() -> None:
    assert word("more than four hours", "over 4 hours") is RIGHT
    assert word("under 4 hours", "over 4 hours") is REVIEW
    assert word("超过 4 小时", "4 小时以下") is REVIEW


@pytest.mark.parametrize("said", ["80 元或者 100 元", "RMB 80, or else RMB 100"])
def test_a_hedge_is_left_to_a_person(said: str) -> None:
    assert word(said, "100 元") is REVIEW
    assert word(said, "100 元", judge=RulesJudge(other_figures="allow")) is RIGHT


def test_a_figure_of_the_question_or_a_denied_one_is_no_hedge() -> None:
    assert word("不是 80 元，而是 100 元", "100 元") is RIGHT
    assert word("It is RMB 100, not RMB 80.", "RMB 100") is RIGHT
    assert word("80 元涨到 100 元", "100 元", question="80 元现在涨到多少？") is RIGHT


def test_a_denied_figure_is_wrong() -> None:
    assert word("It is RMB 100, not RMB 80.", "RMB 80") is WRONG
    assert word("不是 80 元，而是 100 元", "80 元") is WRONG


def test_the_figure_of_another_year_is_wrong_and_the_right_one_under_another_year_is_reviewed() -> None:
    assert word("2025 版：每天 80 元", "100 元", question="2026 年出差餐补多少？") is WRONG
    assert word("2025 版：每天 100 元", "100 元", question="2026 年出差餐补多少？") is REVIEW
    assert word("2026 版：每天 100 元", "100 元", question="2026 年出差餐补多少？") is RIGHT


@pytest.mark.parametrize("idiom", ["千万不要这样做", "万一丢了", "十分重要", "统一办理", "五险一金"])
def test_numerals_inside_words_are_no_figures(idiom: str) -> None:
    assert word(f"{idiom}，100 元", "100 元") is RIGHT


def test_a_slip_in_what_is_said_beside_the_reference_is_left_to_a_person() -> None:
    reference = Reference(
        answers=("上一级审批人",), optional=("超过 3 个工作日未处理的，自动上升至上一级审批人（PUR-009）",)
    )
    said = {
        "超过 3 个工作日未处理的，上升至上一级审批人": RIGHT,
        "上升至上一级审批人": RIGHT,
        "超过 4 个工作日未处理的，上升至上一级审批人": REVIEW,
        "填 PUR-019，上升至上一级审批人": REVIEW,
        "填 FIN-019，上升至上一级审批人": RIGHT,
    }
    for text, expected in said.items():
        assert RulesJudge().judge("", Answer(text=text), reference).word is expected, text


def test_nor_goes_on_with_a_bound_and_otherwise_denies() -> None:
    assert word("It may not exceed 80% of the cost, nor RMB 10,000.", "RMB 10,000") is RIGHT
    assert word("It is neither RMB 8,000 nor RMB 10,000.", "RMB 10,000") is not RIGHT
