"""The report of a study that was run, in a real headless browser."""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from tests.e2e.marked import HARMLESS, MARKUP, NAME, TAG, with_markup, write_marked
from tests.e2e.program import Done, rag_ablation
from tests.report.study.test_page_browser import BEYOND_THE_EDGE, CLIPPED, OPEN_ALL, STATE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LANGUAGES = ("en", "zh")
WIDTHS = (1280, 390)
DRAWN = {"conclusion", "ladder", "lost", "recall", "sweep-1", "latency"}
# Brightness: lines of the grid and of zero lie above, every mark of a result has something below.
DARK = 130

pytestmark = pytest.mark.browser

SHAPES = "path, rect, circle, line, polygon"
DRAWINGS = f"""() => [...document.querySelectorAll('svg')].filter((svg) => svg.getClientRects().length).map((svg) => ({{
  section: svg.closest('section').id,
  boxes: [...svg.querySelectorAll('{SHAPES}')].map((shape) => shape.getBoundingClientRect())
    .map((box) => [box.width, box.height]),
}}))"""
COMPARED_WITHOUT_MARK = """() => [...document.querySelectorAll('#ladder tr:has(td.verdict) td.differences svg')]
  .filter((svg) => svg.getClientRects().length && !svg.querySelector('circle, path[fill]:not([fill=none])')).length"""
# What a reader would see of a template, an escape or a value that went wrong.
LEFTOVER = re.compile(
    r"&(?:lt|gt|amp|quot|#\d+);|\{\{|\{%|<(?:b|code|em|small|span|svg)\b|\b(?:None(?! of)|NaN|nan)\b|\[object"
)


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """A small study of BM25 whose data are full of markup."""
    root = tmp_path_factory.mktemp("marked")
    write_marked(root, with_markup, timed=True)
    done = rag_ablation(root, "study", "run", "tiny")
    assert done.status == 0, done.said
    return done


@pytest.fixture(
    scope="module", params=["marked", pytest.param("ladder_zh", marks=[pytest.mark.slow, pytest.mark.models])]
)
def report(request: pytest.FixtureRequest) -> Path:
    done: Done = request.getfixturevalue(request.param)
    (found,) = done.root.glob("studies/*/report.html")
    return found


@contextmanager
def opened(browser: "Browser", report: Path) -> Iterator["Page"]:
    """The page with everything open; it must neither complain nor ask for anything, whatever is done with it."""
    page, complaints = browser.new_page(viewport={"width": WIDTHS[0], "height": 900}), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    page.on("request", lambda request: complaints.append(request.url) if request.url != report.as_uri() else None)
    page.goto(report.as_uri())
    page.evaluate(OPEN_ALL)
    yield page
    assert complaints == []
    page.close()


def dark_points(picture: bytes) -> int:
    counts = Image.open(io.BytesIO(picture)).convert("L").histogram()
    return sum(counts[:DARK])


def test_nothing_leaves_its_place(browser: "Browser", report: Path) -> None:
    with opened(browser, report) as page:
        for language in LANGUAGES:
            page.click(f"[data-set={language}]")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate(BEYOND_THE_EDGE) == [], (language, width)
                assert page.evaluate(CLIPPED) == [], (language, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_every_drawing_shows_something(browser: "Browser", report: Path, width: int) -> None:
    with opened(browser, report) as page:
        page.set_viewport_size({"width": width, "height": 900})
        drawings = page.evaluate(DRAWINGS)
        assert {drawing["section"] for drawing in drawings} >= DRAWN
        for drawing in drawings:
            assert any(max(box) > 0 for box in drawing["boxes"]), drawing["section"]
        assert page.evaluate(COMPARED_WITHOUT_MARK) == 0
        page.add_style_tag(content="svg text { visibility: hidden }")
        charts = [chart for chart in page.locator("svg[role=img]").all() if chart.is_visible()]
        assert len(charts) >= len(DRAWN)
        for chart in charts:
            title = chart.locator("title").text_content()
            assert dark_points(chart.screenshot()) >= 10, title


def test_the_switch_turns_the_page_to_the_other_language_and_back(browser: "Browser", report: Path) -> None:
    with opened(browser, report) as page:
        before = page.evaluate(STATE)
        page.click("[data-set=zh]")
        chinese = page.evaluate(STATE)
        page.click("[data-set=en]")
        assert (before["lang"], chinese["lang"]) == ("en", "zh-CN")
        assert all(en != zh for en, zh in zip(before["pictures"], chinese["pictures"], strict=True))
        for state, own, other in ((before, "What follows", "接下来做什么"), (chinese, "接下来做什么", "What follows")):
            assert own in state["text"]
            assert other not in state["text"]
        assert page.evaluate(STATE) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_prints(browser: "Browser", report: Path, language: str) -> None:
    with opened(browser, report) as page:
        page.click(f"[data-set={language}]")
        paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert 4 <= len(re.findall(rb"/Type /Page\b", paper)) <= 40


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_escape_and_no_template_shows(browser: "Browser", report: Path, language: str) -> None:
    with opened(browser, report) as page:
        page.click(f"[data-set={language}]")
        shown = page.inner_text("body")
    for text in (MARKUP, TAG, NAME):
        shown = shown.replace(text, text.translate(HARMLESS))
    found = LEFTOVER.search(shown)
    assert found is None, shown[found.start() - 60 : found.end() + 60]


def test_markup_of_the_data_is_read_and_not_run(browser: "Browser", marked: Done) -> None:
    with opened(browser, marked.root / "studies" / "tiny" / "report.html") as page:
        assert page.evaluate("() => window.ran") is None
        assert page.locator("img, [onmouseover], [onerror]").count() == 0
        assert page.locator("script").count() == 1
        shown = page.inner_text("body")
        assert TAG in page.inner_text("#latency")
    assert MARKUP in shown
    assert shown.count(TAG) > 50
