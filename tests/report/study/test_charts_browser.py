"""Charts in a real browser: no words outside their drawing, none over others, in either language and width."""

import importlib.util
import shutil
from collections.abc import Iterator

import pytest

from rag_ablation.report.study import charts
from tests.report.study.test_charts import CHARTS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(
        importlib.util.find_spec("playwright") is None, reason="playwright (extra docs) is not installed"
    ),
]

FONTS = (
    'body{margin:0;font:15px/1.5 "Segoe UI",Roboto,Arial,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif}'
)

# Left and right by the browser, above and below by the size of the type: boxes of lines are taller than letters.
COLLISIONS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg')) {
    if (!svg.getClientRects().length) continue;
    const { width, height } = svg.viewBox.baseVal;
    const boxes = [...svg.querySelectorAll('text')].map(text => {
      const box = text.getBBox(), size = parseFloat(getComputedStyle(text).fontSize), y = +text.getAttribute('y');
      const words = [...text.childNodes].filter(n => n.nodeType == 3 || n.getClientRects().length).map(n => n.textContent);
      return { words: words.join(''), left: box.x, right: box.x + box.width, top: y - .76 * size, bottom: y + .22 * size };
    }).filter(box => box.right > box.left);
    for (const a of boxes) {
      if (a.left < -1 || a.right > width + 1 || a.top < 0 || a.bottom > height) found.push(`outside: ${a.words}`);
      for (const b of boxes.slice(boxes.indexOf(a) + 1))
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          found.push(`over each other: ${a.words} | ${b.words}`);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def page() -> Iterator[object]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.fixture(scope="module")
def markup() -> str:
    drawings = [drawing for draw in CHARTS.values() if (drawing := draw()) is not None]
    return "".join(f"<div>{drawing.wide}{drawing.narrow}</div>" for drawing in drawings)


def shown(page, markup: str, width: int = 1280, language: str = "en") -> list[str]:  # type: ignore[no-untyped-def]
    page.set_viewport_size({"width": width, "height": 900})
    page.set_content(f'<html data-lang="{language}"><style>{FONTS}{charts.STYLE}</style><body>{markup}')
    return list(page.evaluate(COLLISIONS))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_words_leave_their_drawing_or_lie_over_others(page: object, markup: str, width: int, language: str) -> None:
    assert shown(page, markup, width, language) == []


def test_words_that_do_are_found(page: object) -> None:
    picture = (
        '<svg class="chart wide" viewBox="0 0 100 40" width="100" height="40"><text x="90" y="20">leaves</text>'
        '<text x="2" y="20">one</text><text x="12" y="20">two</text></svg>'
    )
    assert shown(page, picture) == ["outside: leaves", "over each other: one | two"]


@pytest.mark.parametrize(("width", "visible"), [(1280, "wide"), (390, "narrow")])
def test_one_of_the_two_widths_is_shown(page, markup: str, width: int, visible: str) -> None:  # type: ignore[no-untyped-def]
    shown(page, markup, width)
    kinds = page.evaluate(
        "[...document.querySelectorAll('.chart')].filter(e => e.getClientRects().length).map(e => e.classList[1])"
    )
    assert set(kinds) == {visible}
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_one_language_is_shown(page, markup: str) -> None:  # type: ignore[no-untyped-def]
    for language, other in (("en", "zh"), ("zh", "en")):
        shown(page, markup, language=language)
        hidden = f"[...document.querySelectorAll('.chart .{other}')].filter(e => e.getClientRects().length).length"
        assert page.evaluate(hidden) == 0
        assert page.evaluate(hidden.replace(f".{other}'", f".{language}'")) > 10
