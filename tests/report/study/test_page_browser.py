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
