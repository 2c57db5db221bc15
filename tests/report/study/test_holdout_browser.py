"""The page of a holdout in a real browser: whole at both widths and in both languages, silent, marks in sight."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag_ablation.report.study.page import page_of
from rag_ablation.report.study.report import report_of
from tests.report.study.holdouts import CASES
from tests.report.study.test_page_browser import BEYOND_THE_EDGE, CLIPPED, OPEN_ALL, browser, pytestmark

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["browser", "pytestmark"]

WIDTHS = (1280, 390)
# How far down the first screen of a phone the marks may stand.
IN_SIGHT = 700


def opened(browser: "Browser", folder: Path, case: str) -> tuple["Page", list[str]]:
    """The page of a case, and whatever it complains of or asks for."""
    path = folder / "report.html"
    path.write_text(page_of(report_of(CASES[case]())), encoding="utf-8")
    page, complaints = browser.new_page(viewport={"width": WIDTHS[0], "height": 900}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
    page.goto(path.as_uri())
    page.evaluate(OPEN_ALL)
    return page, complaints


@pytest.mark.parametrize("case", CASES)
def test_nothing_is_clipped_nothing_is_asked_for_and_nothing_complains(
    browser: "Browser", tmp_path: Path, case: str
) -> None:
    page, complaints = opened(browser, tmp_path, case)
    for language in ("en", "zh"):
        page.click(f"[data-set={language}]")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(BEYOND_THE_EDGE) == [], (language, width)
            assert page.evaluate(CLIPPED) == [], (language, width)
    assert complaints == []
    page.close()


@pytest.mark.parametrize("width", WIDTHS)
def test_marks_and_the_spent_holdout_stand_between_the_decision_and_the_rule(
    browser: "Browser", tmp_path: Path, width: int
) -> None:
    page, _ = opened(browser, tmp_path, "marked")
    page.set_viewport_size({"width": width, "height": 900})
    order = [page.locator(place).bounding_box() for place in (".sentence", ".spent", ".marks", ".ruling")]
    tops = [box["y"] for box in order if box is not None]
    assert len(tops) == 4
    assert tops == sorted(tops)
    assert tops[2] < IN_SIGHT
    assert page.locator(".marks li").count() == 5
    page.close()


def test_the_decision_is_the_largest_text_of_the_page_and_stands_in_both_places(
    browser: "Browser", tmp_path: Path
) -> None:
    page, _ = opened(browser, tmp_path, "do not adopt")
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('main *')].filter((one) => one.getClientRects().length)"
        ".map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    sentence = page.locator(".sentence").evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
    assert sentence == max(sizes)
    assert page.locator(".sentence .en .worse").inner_text() == "Do not adopt"
    assert page.locator(".therefore .worse .en").inner_text() == "do not adopt."
    page.close()
