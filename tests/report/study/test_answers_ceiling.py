"""What the ceiling is a ceiling of, and what follows where an arm lies above it."""

from typing import Any

from rag_ablation.report.study.markdown import markdown_of
from rag_ablation.report.study.page import page_of
from rag_ablation.report.study.report import report_of
from tests.report.study.answering import ceiling, floor, letters, step
from tests.report.study.build import DENSE, study
from tests.report.study.reading import read

TOP = letters(r=20, d=10, D=8)


def notes(*arms: Any, language: str = "en") -> list[str]:
    answers = report_of(study(*arms)).answers
    assert answers is not None
    return [note.plain(language).replace("\u00a0", " ") for note in answers.notes]


def following(*arms: Any, language: str = "en") -> list[str]:
    return [one.plain(language).replace("\u00a0", " ") for one in report_of(study(*arms)).conclusion.next]


def test_the_ceiling_is_one_of_right_answers_only() -> None:
    arms = (step("A", letters(r=18, w=2, d=10, D=4, W=4)), ceiling(TOP))
    assert notes(*arms) == [
        "Oracle is a ceiling of right answers only. Its right refusals and its citation precision are 1 by "
        "construction: a question without an answer has no gold, so its context is empty there, and elsewhere only "
        "gold is in it."
    ]
    (zh,) = notes(*arms, language="zh")
    assert zh.startswith("Oracle 只是答对的上限。它的正确拒答与引用精确率按构造就是 1：")


def test_values_that_are_not_1_are_not_said_to_be() -> None:
    (said,) = notes(step("A", letters(r=20, d=10, D=8)), ceiling(letters(r=20, d=10, D=7, W=1)))
    assert "follow from how it is made" in said
    assert "1 by construction" not in said


def test_arms_with_fewer_false_refusals_than_the_ceiling_are_named_with_their_counts() -> None:
    fewer, as_many, more = (letters(r=10, w=20 - n, d=n, D=8) for n in (4, 10, 12))
    arms = (step("A", fewer), step("B", as_many), step("C", more), step("D", letters(r=10, w=20, D=8)))
    found = notes(*arms, ceiling(letters(r=20, d=10, D=8)))
    assert found[1:] == ["Fewer false refusals than Oracle, which has 10 of 30: A 4, D 0."]
    zh = notes(*arms, ceiling(letters(r=20, d=10, D=8)), language="zh")
    assert zh[1:] == ["误拒少于 Oracle（30 题中 10）的方案：A 4，D 0。"]


def test_without_a_ceiling_nothing_is_said_of_one() -> None:
    assert notes(step("A", TOP), floor(TOP)) == []


def test_what_the_ceiling_is_stands_under_the_rates_of_the_page_and_of_the_note() -> None:
    report = report_of(study(step("A", letters(r=12, w=18, D=8)), ceiling(TOP)))
    page = read(page_of(report))
    section = next(part for part in page.all("section") if part.attributes["id"] == "answers")
    shown = section.text("en").replace("\u00a0", " ")
    table = section.all("table", "rates")[0].text("en").replace("\u00a0", " ")
    assert shown.index(table) < shown.index("Oracle is a ceiling of right answers only")
    for language, words in (("en", "Fewer false refusals than Oracle"), ("zh", "误拒少于 Oracle")):
        assert words in markdown_of(report, language)


def test_an_arm_above_the_ceiling_for_sure_is_what_follows_first() -> None:
    arms = (
        step("A", letters(r=24, w=6)),
        step("B", letters(r=27, w=3), parents=("A",), quality=0.7, settings=DENSE),
        step("C", letters(r=2, o=6, w=22), parents=("A",), settings=DENSE),
        ceiling(letters(r=6, w=24)),
    )
    assert following(*arms)[0] == (
        "The ceiling is broken: A and B are right more often than Oracle, which was given the gold. Look at the gold "
        "labels and at the generator before trusting the end-to-end ladder."
    )
    assert following(*arms, language="zh")[0] == (
        "上限不成立：A 和 B 答对的比直接给标注证据的 Oracle 还多。先检查标注证据和生成器，再看端到端的阶梯。"
    )


def test_a_difference_to_the_ceiling_that_may_be_chance_is_said_to_be() -> None:
    (first, *_) = following(step("A", letters(r=13, w=17)), ceiling(letters(r=12, w=18)))
    assert first.startswith("The ceiling is broken: A is right more often than Oracle")
    assert first.endswith("It may be chance.")


def test_nothing_is_broken_where_open_verdicts_leave_it_open() -> None:
    arms = (step("A", letters(r=10, o=6, w=14)), ceiling(letters(r=12, w=18)))
    assert not [said for said in following(*arms) if "ceiling is broken" in said]


def test_chinese_sentences_name_what_they_count() -> None:
    made = step("A", letters(r=10, o=6, w=14), evidence={"counts": {"kept": 20, "ranked_low": 5}}, kept=(8, 9, 3))
    said = following(made, language="zh")
    assert any("A 的 30 题中有 6 题待定。" in one for one in said)
    assert any("留下 20 项，其中 9 项对应的题答错了，而此前丢失的只有 5 项。" in one for one in said)
