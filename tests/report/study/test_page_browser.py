"""The page of a study in a real browser: nothing leaves its place, nothing is fetched, both languages, paper."""

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rag_ablation.report.study.page import page_of
from tests.report.study.contents import CASES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTHS = (320, 390, 760, 960, 1100, 1280)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(
        importlib.util.find_spec("playwright") is None, reason="playwright (extra docs) is not installed"
    ),
]

OPEN_ALL = "() => document.querySelectorAll('details').forEach((details) => { details.open = true; })"
BEYOND_THE_EDGE = """() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  if (document.documentElement.scrollWidth !== width) found.push(`scrolls: ${document.documentElement.scrollWidth}`);
  for (const element of document.querySelectorAll('body *')) {
    if (element.closest('.unseen, .skip')) continue;
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > width + 0.5 || box.left < -0.5))
      found.push(`${element.tagName}.${element.getAttribute('class')} ${element.textContent.slice(0, 40)}`);
  }
  return found.slice(0, 5);
}"""
CLIPPED = """() => [...document.querySelectorAll('td, th, dd, dt, li, p, figcaption, summary')]
  .filter((cell) => !cell.closest('.unseen') && cell.clientWidth && cell.scrollWidth > cell.clientWidth + 1)
  .map((cell) => `${cell.className} ${cell.textContent.slice(0, 40)}`)"""
STATE = """() => ({
  lang: document.documentElement.lang,
  shown: document.documentElement.dataset.lang,
  title: document.title,
  pictures: [...document.querySelectorAll('svg[role=img]')].filter((svg) => svg.getBoundingClientRect().width)
    .map((svg) => svg.querySelector('title').textContent),
  pressed: [...document.querySelectorAll('[data-set]')].map((button) => button.getAttribute('aria-pressed')),
  text: document.body.innerText,
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("pages")
    for case, made in CASES.items():
        (found / f"{case}.html").write_text(page_of(made()), encoding="utf-8")
    return found


def opened(browser: "Browser", folder: Path, case: str) -> tuple["Page", list[str]]:
    """The page, and what it says to the console or asks for."""
    page, complaints = browser.new_page(viewport={"width": 1280, "height": 900}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: complaints.append(request.url) if case not in request.url else None)
    page.goto((folder / f"{case}.html").as_uri())
    return page, complaints


@pytest.mark.parametrize("case", CASES)
def test_nothing_leaves_its_place_at_any_width_in_either_language(browser: "Browser", folder: Path, case: str) -> None:
    page, complaints = opened(browser, folder, case)
    page.evaluate(OPEN_ALL)
    for language in ("en", "zh"):
        page.click(f"[data-set={language}]")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(BEYOND_THE_EDGE) == [], (language, width)
            assert page.evaluate(CLIPPED) == [], (language, width)
    assert complaints == []
    page.close()


def test_the_switch_turns_everything_to_the_other_language_and_back(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    before = page.evaluate(STATE)
    page.click("[data-set=zh]")
    chinese = page.evaluate(STATE)
    page.click("[data-set=en]")
    assert (before["lang"], before["shown"], before["pressed"]) == ("en", "en", ["true", "false"])
    assert (chinese["lang"], chinese["shown"], chinese["pressed"]) == ("zh-CN", "zh", ["false", "true"])
    assert chinese["title"] != before["title"]
    assert len(before["pictures"]) == len(chinese["pictures"]) > 0
    assert all(en != zh for en, zh in zip(before["pictures"], chinese["pictures"], strict=True))
    assert "not distinguishable" in before["text"]
    assert "无法区分" not in before["text"]
    assert "not distinguishable" not in chinese["text"]
    assert page.evaluate(STATE) == before
    page.close()


def test_without_script_the_page_is_whole_and_has_no_switch(browser: "Browser", folder: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((folder / "eight.html").as_uri())
    assert page.locator(".sentence .better .en, .sentence .better").first.is_visible()
    assert not page.locator(".switch").is_visible()
    assert not page.locator(".zh").first.is_visible()
    context.close()


def test_a_script_that_comes_in_with_data_would_not_run(browser: "Browser", folder: Path) -> None:
    page, complaints = opened(browser, folder, "eight")
    page.evaluate(
        "() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';"
        "document.body.append(script); }"
    )
    assert page.evaluate("() => window.ran") is None
    assert any("Content Security Policy" in complaint for complaint in complaints)
    page.close()


def test_tab_reaches_switch_links_and_details_with_a_visible_ring(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    reached: set[str] = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        tag, ring = page.evaluate(
            "() => [document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]"
        )
        assert tag == "BODY" or ring == "solid"
        reached.add(tag)
    assert {"BUTTON", "A", "SUMMARY"} <= reached
    page.close()


def test_printing_opens_what_is_closed_and_closes_it_again(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    closed = "() => document.querySelectorAll('details:not([open])').length"
    before = page.evaluate(closed)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert (before > 0, page.evaluate(closed)) == (True, 0)
    page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(closed) == before
    page.emulate_media(media="print")
    assert not page.locator(".switch").is_visible()
    assert not page.locator("nav").is_visible()
    page.set_viewport_size({"width": 703, "height": 1000})
    assert page.evaluate(BEYOND_THE_EDGE) == []
    page.close()


MARKS = """() => [...document.querySelectorAll('.ladder tbody tr')].flatMap((row) => {
  const middle = (box) => (box.top + box.bottom) / 2, found = [];
  for (const [drawn, number] of [['.means', '.mean'], ['.differences', '.difference']]) {
    const marks = [...row.querySelectorAll(`${drawn} svg > *`)].filter((mark) => mark.tagName === 'circle' ||
      (mark.getAttribute('fill') || 'none') !== 'none');
    const cell = row.querySelector(`td${number}`);
    if (!marks.length || !cell || !marks[0].getClientRects().length || !cell.textContent.trim()) continue;
    const range = document.createRange();
    range.selectNodeContents(cell);
    const line = [...range.getClientRects()].find((box) => box.width);
    found.push(Math.abs(middle(marks[0].getBoundingClientRect()) - middle(line)));
  }
  return found;
})"""


@pytest.mark.parametrize("width", [1280, 960])
def test_a_mark_of_the_ladder_stands_beside_the_first_line_of_its_numbers(
    browser: "Browser", folder: Path, width: int
) -> None:
    page, _ = opened(browser, folder, "eight")
    page.set_viewport_size({"width": width, "height": 900})
    off = page.evaluate(MARKS)
    assert len(off) >= 9
    assert max(off) <= 3
    page.close()


def test_the_reason_of_a_skipped_arm_takes_one_line(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "failed")
    rows = page.locator(".ladder tr.without").filter(has_text="skipped")
    lines = rows.last.locator(".note").evaluate(
        "(cell) => { const range = document.createRange(); range.selectNodeContents(cell);"
        "return new Set([...range.getClientRects()].filter((box) => box.width).map((box) => box.top)).size; }"
    )
    assert lines == 1
    page.close()


def test_code_is_set_in_letters_of_one_width(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    thin, wide = page.evaluate(
        "() => ['iiii', 'MMMM'].map((letters) => { const code = document.createElement('code');"
        "code.textContent = letters; document.querySelector('.setup').append(code); return code.getBoundingClientRect().width; })"
    )
    assert thin == pytest.approx(wide)
    page.close()


def test_a_passage_keeps_its_lines(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    page.evaluate(OPEN_ALL)
    page.evaluate("() => { document.querySelector('.body > span').textContent = '| a |\\n|---|\\n| b |'; }")
    assert page.locator(".body > span").first.inner_text().splitlines() == ["| a |", "|---|", "| b |"]
    page.close()


def test_long_tables_are_folded_on_a_phone_and_open_on_a_wide_page(browser: "Browser", folder: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto((folder / "eight.html").as_uri())
    folds = page.locator("details.fold")
    assert folds.count() >= 4
    assert not page.locator(".heat").first.is_visible()
    folds.first.locator("summary").click()
    assert page.locator(".heat").first.is_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.wait_for_function("() => [...document.querySelectorAll('details.fold')].every((details) => details.open)")
    assert page.locator(".provenance").is_visible()
    assert not folds.first.locator("summary").first.is_visible()
    page.close()


def test_on_a_phone_three_differences_of_a_type_stand_side_by_side(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    page.set_viewport_size({"width": 390, "height": 900})
    tops = page.evaluate(
        "() => [...document.querySelector('.heat tbody tr').querySelectorAll('.gain')].map((cell) => cell.offsetTop)"
    )
    assert len(tops) >= 3
    assert len(set(tops[:3])) == 1
    page.close()


def test_on_a_phone_every_number_of_a_sweep_has_its_name(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    page.evaluate(OPEN_ALL)
    page.set_viewport_size({"width": 390, "height": 900})
    cells = page.locator(".settings tbody tr").first.locator("th, td")
    assert all(cells.nth(place).locator(".label").is_visible() for place in range(cells.count()))
    page.close()


def test_the_contents_do_not_touch_the_rule_below(browser: "Browser", folder: Path) -> None:
    page, _ = opened(browser, folder, "eight")
    last, rule = (page.locator(name).bounding_box() for name in (".contents li:last-child", ".weights"))
    assert rule["y"] - (last["y"] + last["height"]) >= 8
    page.close()
