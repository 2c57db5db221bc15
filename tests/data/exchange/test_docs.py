"""What docs/exchange.md shows, done."""

import re
import shlex
from pathlib import Path

import pytest

from rag_ablation.cli import main
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "exchange.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_every_command_ends_well_and_says_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path / "root"))
    for command in "".join(blocks("bash")).splitlines():
        assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err
    said = capsys.readouterr().out
    shown = next(block for block in blocks("text") if block.startswith("$ rag-ablation data export trec"))
    for line in shown.splitlines()[1:]:
        assert line.removesuffix("…") in said
