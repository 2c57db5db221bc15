"""The section on answers as a reader has it: page, note and table; sums, reasons, and data as text."""

import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag_ablation.report.study.markdown import markdown_of
from rag_ablation.report.study.page import page_of
from rag_ablation.report.study.report import report_of
from rag_ablation.report.study.tables import results_table
from tests.report.study.answering import ceiling, floor, letters, step
from tests.report.study.build import DENSE, arm, bracket, study
from tests.report.study.contents import CASES, MARKUP, eight_arms
from tests.report.study.reading import Element, read
from tests.report.study.test_page_browser import BEYOND_THE_EDGE, CLIPPED, OPEN_ALL, browser
from tests.report.study.test_page_browser import pytestmark as in_a_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["browser"]

WITH_ANSWERS = ("open", "settled", "lone", "hostile")
DARK = 130


@cache
def page(case: str) -> Element:
    return read(page_of(CASES[case]()))


def section(case: str, name: str = "answers") -> Element:
    return next(found for found in page(case).all("section") if found.attributes["id"] == name)


def rates(case: str) -> Element:
    return section(case).all("table", "rates")[0]


def columns(table: Element) -> tuple[list[list[int]], list[int]]:
    """Counts by line, and the sums below."""
    *counts, total = [
        [0 if cell.text() == "–" else int(cell.text().replace(",", "")) for cell in row.all("td")]
        for row in table.one("tbody").all("tr")
    ]
    return counts, total


def test_a_report_without_answers_holds_nothing_of_them() -> None:
    report = report_of(study(arm("A", [0.5] * 9), arm("B", [0.9] * 9, parents=("A",), settings=DENSE), bracket("O", 9)))
    shown = page_of(report) + markdown_of(report)
    for word in ("answers", "open verdict", "refusal", ".rates", "given", "answer_right"):
        assert word not in shown.replace("any missing answers", ""), word
    assert ".rates" in page_of(CASES["open"]())


@pytest.mark.parametrize("case", WITH_ANSWERS)
def test_questions_add_up_in_every_arm_with_an_answer_and_without(case: str) -> None:
    tables = section(case).all("table", "counted")
    assert len(tables) == 2
    for table in tables:
        counts, total = columns(table)
        assert [sum(column) for column in zip(*counts, strict=True)] == total
    assert {100} == set(columns(tables[0])[1])
    assert {20} == set(columns(tables[1])[1])


@pytest.mark.parametrize("case", ["open", "settled", "hostile"])
def test_kept_evidence_by_answer_adds_up_to_what_is_kept(case: str) -> None:
    fates, kept, _ = section(case, "lost").all("table", "counted")
    counts, total = columns(kept)
    assert [sum(column) for column in zip(*counts, strict=True)] == total
    of_fates = columns(fates)[0][0]
    assert total[:-1] == of_fates[:-1]
    assert [cell.text() for cell in kept.one("tbody").all("tr")[-1].all("td")][-1] == "–", "it has no answers"


def test_an_open_share_is_a_range_and_a_settled_one_a_value() -> None:
    ranges, values = (
        [row.all("td")[0].text("en") for row in rates(case).one("tbody").all("tr")[:3]] for case in ("open", "settled")
    )
    assert all(re.match(r"right answers 0\.\d{3}–0\.\d{3}", shown) for shown in ranges)
    assert all(re.match(r"right answers 0\.\d{3}\d+ of 100", shown) for shown in values)


def test_a_closed_book_that_is_not_applicable_is_a_dash_with_its_reason() -> None:
    last = rates("open").one("tbody").all("tr")[-1]
    assert last.one("td").text("en") == "– not applicable: the extractive generator takes its answers from the context"
    assert last.one("td").text("zh") == "– 不适用：extractive 生成器只从上下文取答案"


def test_a_column_that_no_arm_has_anything_in_is_left_out() -> None:
    open_, settled = ([head.text("en") for head in rates(case).one("thead").all("th")] for case in ("open", "settled"))
    assert "cost per question" not in open_
    assert "floor to ceiling" not in open_
    assert {"cost per question", "floor to ceiling"} <= set(settled)


def test_the_judge_and_its_version_stand_over_every_table_and_under_the_drawing() -> None:
    found = section("settled")
    captions = [caption.text("en") for caption in found.all("caption")]
    assert len(captions) == 4
    assert all("judged by rules 1" in caption for caption in captions)
    assert "judged by rules 1" in found.all("figcaption")[0].text("en")


def test_no_verdict_word_is_used_and_types_are_exploratory() -> None:
    found = section("settled")
    assert found.one("span", "exploratory").text("en") == "exploratory"
    assert not [element for element in found.all() if element.classes & {"better", "worse", "undecided", "verdict"}]
    assert not re.search(r"\b(better|worse|not distinguishable)\b", found.text("en"))


def test_an_arm_above_the_ceiling_says_so_in_its_row_and_in_the_sentence() -> None:
    report = report_of(study(step("A", letters(r=20, w=10)), ceiling(letters(r=12, w=18))))
    found = next(part for part in read(page_of(report)).all("section") if part.attributes["id"] == "answers")
    first = found.all("table", "rates")[0].one("tbody").all("tr")[0]
    assert first.one("th").text("en") == "Aabove the ceiling"
    assert "A lies above the ceiling" in found.one("p", "finding").text("en")


def test_answers_stand_below_the_passages_of_both_arms_as_text() -> None:
    given = section("hostile", "flips").all("div", "given")
    assert len(given) >= 3
    shown = re.sub(r"\s+", " ", MARKUP)
    assert shown in given[0].text()
    assert given[0].text("en").split()[:2] == ["Answered", "right"]
    assert given[1].text("en").split()[:2] == ["Refused", "wrong"]
    assert given[2].text("en").split()[:4] == ["No", "answer", "not", "judged"]


def test_the_note_has_a_row_for_each_arm_with_whole_cells() -> None:
    for case in WITH_ANSWERS:
        for language, heading in (("en", "### Answers between floor and ceiling"), ("zh", "### 答案：下限与上限之间")):
            note = markdown_of(CASES[case](), language).partition(heading)[2].partition("\n### ")[0]
            rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in note.splitlines() if line.startswith("|")]
            answers = CASES[case]().answers
            assert answers is not None
            assert len(rows) == 2 + len(answers.rows)
            assert len({len(row) for row in rows}) == 1
    assert "Answers between" not in markdown_of(eight_arms())


def test_the_long_table_holds_kept_evidence_and_types() -> None:
    types = ["code"] * 6 + ["hop"] * 4
    made = step("A", letters(r=4, o=2, w=4), types=types, evidence={"counts": {"kept": 9}}, kept=(4, 3, 2))
    results = study(made, floor("-" * 10))
    rows = results_table(results, report_of(results)).to_pylist()
    kept = {row["part"]: (row["value"], row["n"]) for row in rows if row["table"] == "kept"}
    assert kept == {"answer_right": (4.0, 9), "answer_wrong": (3.0, 9), "answer_open": (2.0, 9)}
    by_type = [row for row in rows if row["table"] == "answer_type" and row["arm"] == "A"]
    assert {row["part"] for row in by_type} == {"code", "hop"}
    absent = [row for row in rows if row["arm"] == "Floor" and row["point"] == "answer"]
    assert absent
    assert all(row["value"] is None and row["reason"] for row in absent)


def of_types(said: str, **given: object) -> dict[tuple[str, str], dict[str, object]]:
    """Rows of the long table by type and measure."""
    results = study(step("A", said, **given))
    rows = results_table(results, report_of(results)).to_pylist()
    return {(row["part"], row["measure"]): row for row in rows if row["table"] == "answer_type"}


def test_low_and_high_of_a_type_are_the_ends_of_an_interval_as_everywhere_else() -> None:
    found = of_types(letters(r=4, o=2, w=4, D=3, W=3), types=["code"] * 6 + ["hop"] * 4 + ["none"] * 6)
    low, high, right = (found["code", measure] for measure in ("correct_low", "correct_high", "correct"))
    assert (low["value"], low["n"], low["n_groups"]) == (pytest.approx(4 / 6), 6, 6)
    assert (low["low"], low["high"]) == pytest.approx((0.29999, 0.90323), abs=1e-4), "Wilson, 4 of 6"
    assert (high["value"], high["high"]) == (1.0, 1.0)
    assert high["low"] == pytest.approx(0.60967, abs=1e-4), "Wilson, 6 of 6"
    assert (right["value"], right["low"], right["high"]) == (None, None, None)
    assert right["reason"] == "answers_wait_for_review"
    assert found["hop", "correct"]["value"] == 0.0
    assert (found["none", "refused_right"]["value"], found["none", "wrong_on_no_answer"]["value"]) == (0.5, 0.5)
    assert {measure for _, measure in found} == {
        "correct_low",
        "correct_high",
        "correct",
        "refused_right",
        "refused_wrong",
        "wrong_on_no_answer",
        "citation_precision",
        "supported",
    }


def test_a_rate_without_an_interval_bears_its_reason_in_the_long_table() -> None:
    said = letters(r=4, D=8)
    found = of_types(said, types=["code"] * 4 + ["none"] * 8, groups=[0, 1, 2, 3, *[4] * 8])["none", "refused_right"]
    assert (found["value"], found["low"], found["high"]) == (1.0, None, None)
    assert (found["n"], found["n_groups"], found["reason"]) == (8, 1, "fewer_than_2_groups")
    results = study(step("A", said, groups=[0, 1, 2, 3, *[4] * 8]))
    rows = results_table(results, report_of(results)).to_pylist()
    (whole,) = [row for row in rows if row["table"] == "mean" and row["measure"] == "refused_right"]
    assert (whole["n"], whole["reason"]) == (8, "fewer_than_2_groups")


def test_shares_by_type_stand_over_their_interval() -> None:
    types = ["code"] * 12 + ["hop"] * 8 + ["vague"] * 6
    said = letters(r=6, w=6) + letters(r=4, o=2, w=2) + letters(r=3, w=3)
    groups = [*range(20), *[20] * 6]
    found = read(page_of(report_of(study(step("A", said, types=types, groups=groups)))))
    (table,) = found.all("table", "by-type")
    cells = [row.one("td").text("en").removeprefix("A ") for row in table.one("tbody").all("tr")]
    assert cells == ["0.50(0.25–0.75)", "0.50–0.75(0.22–0.93)", "0.50no interval: one group"]
    assert "below it the 95 % interval, with open verdicts from the lower end" in table.one("caption").text("en")
    assert "无区间：只有一组" in table.text("zh")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("answers")
    for case in WITH_ANSWERS:
        (found / f"{case}.html").write_text(page_of(CASES[case]()), encoding="utf-8")
    return found


@pytest.fixture(params=WITH_ANSWERS)
def opened(browser: "Browser", folder: Path, request: pytest.FixtureRequest) -> Iterator[object]:
    view, complaints = browser.new_page(viewport={"width": 1280, "height": 900}), []
    view.on("console", lambda message: complaints.append(message.text))
    view.on("pageerror", lambda error: complaints.append(str(error)))
    view.goto((folder / f"{request.param}.html").as_uri())
    view.evaluate(OPEN_ALL)
    yield view
    assert complaints == []
    view.close()


class TestInABrowser:
    """The section at both widths, in both languages."""

    pytestmark = in_a_browser

    @pytest.mark.parametrize("language", ["en", "zh"])
    @pytest.mark.parametrize("width", [1280, 390])
    def test_nothing_leaves_its_place_and_every_drawing_shows_something(
        self, opened, width: int, language: str
    ) -> None:  # type: ignore[no-untyped-def]
        from PIL import Image

        opened.click(f"[data-set={language}]")
        opened.set_viewport_size({"width": width, "height": 900})
        opened.evaluate(OPEN_ALL)
        assert opened.evaluate(BEYOND_THE_EDGE) == []
        assert opened.evaluate(CLIPPED) == []
        opened.add_style_tag(content="svg text { visibility: hidden }")
        charts = [chart for chart in opened.locator("#answers svg[role=img]").all() if chart.is_visible()]
        assert charts
        for chart in charts:
            counts = Image.open(io.BytesIO(chart.screenshot())).convert("L").histogram()
            assert sum(counts[:DARK]) >= 10
        assert opened.locator("#answers .finding").is_visible()

    @pytest.mark.parametrize("width", [390, 760])
    def test_every_rate_has_its_name_where_the_head_is_gone(self, opened, width: int) -> None:  # type: ignore[no-untyped-def]
        opened.set_viewport_size({"width": width, "height": 900})
        opened.evaluate(OPEN_ALL)
        cells = opened.locator("#answers .rates").first.locator("tbody tr").first.locator("td")
        assert cells.count() >= 7
        assert all(cells.nth(place).locator(".label").is_visible() for place in range(cells.count()))
