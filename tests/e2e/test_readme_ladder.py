"""The ladder that README.md shows is the one that the study prints."""

import re

import pytest

from tests.e2e.program import Done
from tests.paths import ROOT

# From the first interval to the end of a row of the ladder, as the terminal prints it.
FIGURES = re.compile(r"(?:\d\.\d+ \(\d\.\d+–\d\.\d+\)|[+−]\d\.\d+ \([+−]\d\.\d+ to ).*")


def rows_of(text: str) -> list[list[str]]:
    """Cells with figures of each row of a printed ladder."""
    lines = text.replace("\N{NO-BREAK SPACE}", " ").splitlines()
    return [re.split(r" {2,}", found[0].strip()) for found in map(FIGURES.search, lines) if found]


def missing_rows(readme: str, printed: str) -> list[list[str]]:
    """Rows of the ladder in a README that the study did not print; it may leave rows and columns out."""
    shown = rows_of("\n".join(re.findall(r"```text\n(.*?)```", readme, re.DOTALL)))
    assert len(shown) >= 6
    rows = [set(row) for row in rows_of(printed)]
    return [row for row in shown if not any(set(row) <= found for found in rows)]


def test_a_row_that_was_not_printed_is_found() -> None:
    printed = "\n".join(f" {key}  word  0.{n}00 (0.100–0.900)  193, 106  –" for n, key in enumerate("ABCDEF", start=1))
    shown = f"```text\n{printed}\n```\n"
    assert missing_rows(shown, printed) == []
    assert missing_rows(shown.replace("0.300", "0.301"), printed) == [["0.301 (0.100–0.900)", "193, 106", "–"]]


@pytest.mark.slow
@pytest.mark.models
def test_the_study_prints_every_row_that_the_readme_shows(ladder_zh: Done) -> None:
    assert missing_rows((ROOT / "README.md").read_text(encoding="utf-8"), ladder_zh.out) == []
