"""The report as Markdown and in the terminal: the same figures, every row whole, data escaped."""

import re
from dataclasses import replace

import pytest

from rag_ablation.report.markdown import escaped
from rag_ablation.report.study.markdown import leaderboard_markdown, markdown_of
from rag_ablation.report.study.terminal import board_of
from tests.report.study.contents import CASES, eight_arms, failed_and_skipped, nothing_scored

every_case = pytest.mark.parametrize("case", CASES)
languages = pytest.mark.parametrize("language", ["en", "zh"])


def rows(note: str) -> list[list[str]]:
    """Cells of the lines of tables; a bar that is escaped parts nothing."""
    return [re.split(r"(?<!\\)\|", line)[1:-1] for line in note.splitlines() if line.startswith("|")]


@every_case
@languages
def test_every_row_of_a_table_has_as_many_cells_as_its_head(case: str, language: str) -> None:
    found = rows(leaderboard_markdown(CASES[case](), language))
    assert {len(row) for row in found} == {9}
    assert len(found) == 2 + sum(max(1, len(row.steps)) for row in CASES[case]().ladder.rows)


@every_case
@languages
def test_the_terminal_shows_whole_rows_and_the_sentences_of_the_conclusion(case: str, language: str) -> None:
    report = CASES[case]()
    board = board_of(report, language)
    assert all(len(row) == len(table.headings) for table in board.tables for row in table.rows)
    for said in report.conclusion.sentences:
        assert any(remark.startswith(said.sentence.plain(language)) for remark in board.remarks)


def test_the_note_holds_conclusion_denominators_ladder_losses_threats_and_commands() -> None:
    note = markdown_of(eight_arms())
    assert "is **better** than fusion alone (C): mean nDCG@10 goes from 0.788 to 0.880." in note
    assert "- excluded: **17** `no_answer`" in note
    assert "| A+D | A, first 50 reranked | (A+D) − A | better |" in note
    assert "| Oracle | 170/170 | 100.0 |" in note
    assert "- ▲ high · Unjudged passages: judged@10" in note
    assert note.rstrip().endswith("rag-ablation report ladder_zh\n```")
    assert leaderboard_markdown(eight_arms()).strip() in note


def test_a_verdict_word_in_bold_stays_bold_beside_chinese_punctuation() -> None:
    note = markdown_of(eight_arms(), "zh")
    assert "**优于**" in note
    assert "<b>not distinguishable on these 127 questions (57 groups)</b>" in markdown_of(eight_arms())


def test_an_arm_that_failed_and_a_step_without_it_say_why() -> None:
    note = leaderboard_markdown(failed_and_skipped())
    assert "| B | dense replaces BM25 | – | failed: the model could not be loaded | – | – | – | – | – |" in note
    assert "| C − B ◂ | not compared: B failed |" in note


def test_an_undefined_mean_is_a_dash_with_its_reason() -> None:
    cells = rows(leaderboard_markdown(nothing_scored()))[2]
    assert cells[4].strip() == "– unreviewed"
    assert cells[5].strip() == "0"


def test_markup_in_data_is_neither_html_nor_markdown() -> None:
    note = markdown_of(CASES["hostile"]())
    outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", note, flags=re.DOTALL)
    assert not re.search(r"<(?!/?b>)", outside)
    assert "&lt;script&gt;alert('x')&lt;/script&gt;" in note
    assert "&lt;b data-hostile&gt;" in note


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("a\\|b", "a\\\\\\|b"),
        ("[here](http://x)", "\\[here\\](http://x)"),
        ("__init__", "\\_\\_init\\_\\_"),
        ("lost_in_rerank", "lost_in_rerank"),
        ("two\nlines", "two lines"),
    ],
)
def test_data_is_shown_as_it_is(data: str, shown: str) -> None:
    assert escaped(data) == shown


def test_a_fence_is_longer_than_any_ticks_in_a_command() -> None:
    ticked = replace(eight_arms(), commands=(((None, "echo ````"),),))
    assert "`````sh\necho ````\n`````" in markdown_of(ticked)
