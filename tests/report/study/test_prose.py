"""Sentences from templates: two languages, data never read as a template, figures as they are written."""

import pytest

from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study import figures
from rag_ablation.report.study.prose import joined, listed, say, sentence
from rag_ablation.report.study.words import Kind, Piece, code, same, text


def test_a_filling_takes_the_language_of_its_sentence() -> None:
    made = say("{arm} wins", "{arm}胜", arm=text("fusion", "融合"))
    assert made.plain("en") == "fusion wins"
    assert made.plain("zh") == "融合胜"


def test_braces_in_data_stay_text() -> None:
    assert say("{why}", "{why}", why="{x} {0} {{y}}").plain() == "{x} {0} {{y}}"


@pytest.mark.parametrize(
    ("child", "parent", "expected"),
    [("融合（C）", "稠密检索（B）", "融合（C）优于稠密检索（B）"), ("C", "B", "C 优于 B"), ("融合", "B", "融合优于 B")],
)
def test_chinese_has_a_space_only_beside_latin(child: str, parent: str, expected: str) -> None:
    assert say("x", "{a} 优于 {b}", a=child, b=parent).plain("zh") == expected


def test_a_space_between_two_fillings_follows_the_same_rule() -> None:
    assert say("x", "{a} {b}", a="融合", b="优于").plain("zh") == "融合优于"
    assert say("x", "{a} {b}", a="C", b="优于").plain("zh") == "C 优于"


def test_spaces_inside_data_are_never_touched() -> None:
    assert say("x", "原因：{why}", why="坏 了 （ 错 ）").plain("zh") == "原因：坏 了 （ 错 ）"


def test_a_sentence_starts_with_a_capital_but_not_in_the_middle_of_a_name() -> None:
    assert sentence(same("dense wins")).plain() == "Dense wins"
    assert sentence(same(code("dense"))).plain() == "dense"


def test_lists() -> None:
    assert listed(["A", "B", "C"]).plain() == "A, B and C"
    assert listed(["A", "B", "C"]).plain("zh") == "A、B 和 C"
    assert joined([], ", ", "，").plain() == ""


def test_kinds_survive_nesting() -> None:
    inner = say("{w}", "{w}", w=Piece("better", Kind.BETTER))
    outer = say("is {inner} than", "{inner}", inner=inner)
    assert outer.en == (Piece("is "), Piece("better", Kind.BETTER), Piece(" than"))


def test_a_bound_that_rounds_to_zero_keeps_its_sign_and_minus_is_a_minus_sign() -> None:
    interval = Interval(
        mean=-0.1764, low=-0.349, high=-0.0004, standard_error=0.1, n=20, n_groups=16, dropped=0, confidence=0.95
    )
    assert figures.difference(interval).plain() == "−0.176 (−0.349 to −0.000)"
    assert figures.difference(interval).plain("zh") == "−0.176（−0.349 至 −0.000）"


def test_an_interval_that_is_not_there_is_said_so() -> None:
    interval = Interval(
        mean=0.5, low=None, high=None, standard_error=None, n=3, n_groups=1, dropped=0, confidence=0.95, reason="x"
    )
    assert figures.difference(interval).plain() == "+0.500 (no interval)"


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0004, "p < 0.001"), (0.0462, "p = 0.046"), (1.0, "p = 1.000"), (0.0504, "p = 0.0504"), (0.05, "p = 0.050")],
)
def test_a_p_value_never_hides_its_side_of_the_line(p: float, shown: str) -> None:
    assert figures.probability(p).plain().replace("\u00a0", " ") == shown


def test_counts_stay_with_what_they_count() -> None:
    assert figures.over(1, 1).plain() == "n\u00a01, 1\u00a0group"
    assert figures.over(1270, 57).plain("zh") == "n\u00a01,270，57\u00a0组"
