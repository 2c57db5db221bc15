"""The pages and pictures of a real study, in its report and in the MLflow UI, in a real headless browser."""

import importlib.util
import io
import sys
from types import ModuleType

import pytest
from PIL import Image

from tests.e2e.program import Done
from tests.paths import ROOT


def _pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_screenshots", ROOT / "docs" / "make_screenshots.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_screenshots"] = module
    spec.loader.exec_module(module)
    return module


PAGES = _pages()

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.models,
    pytest.mark.skipif(PAGES.chromium() is None, reason="no Chromium on this machine"),
    pytest.mark.skipif(
        importlib.util.find_spec("playwright") is None, reason="playwright (extra docs) is not installed"
    ),
]


def test_every_page_shows_what_a_reader_looks_for(ladder_zh: Done) -> None:
    """The study with its ladder, arms with metric columns, sections, the curve, artifacts."""
    complaints: list[str] = []
    with PAGES.browser() as browser, PAGES.served(ladder_zh.root) as base:
        page = PAGES.window(browser)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        where = PAGES.addresses(ladder_zh.root, base)
        for view in PAGES.PAGES:
            text = PAGES.visit(page, where[view.name], view)
            assert all(word in text for word in view.words)
    assert complaints == []


def test_every_picture_of_the_report_is_small_and_shows_something(ladder_zh: Done) -> None:
    with PAGES.browser() as browser:
        for excerpt in PAGES.EXCERPTS:
            picture = PAGES.lean(PAGES.taken(browser, PAGES.report_of(ladder_zh.root), excerpt))
            assert 30_000 < len(picture) < 320_000, excerpt.name
            with Image.open(io.BytesIO(picture)) as opened:
                assert min(opened.size) > 700
                assert len(opened.convert("RGB").getcolors(256) or ()) > 30
