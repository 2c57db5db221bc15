"""docs/reader.md is what `python -m experiments.reader` writes, and its words follow from its numbers."""

from pathlib import Path

import numpy as np
import pytest
from experiments.reader.__main__ import HERE, TARGET, conclusion, main, masked, points, text

from rag_ablation.measures.uncertainty import Interval, paired_difference
from tests.reader import real_reader

PAGE = TARGET.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.models
def test_the_page_is_what_the_command_writes(tmp_path: Path) -> None:
    real_reader()
    main(["--root", str(tmp_path / "root"), "--page", str(tmp_path / "reader.md")])
    assert masked((tmp_path / "reader.md").read_text(encoding="utf-8")) == masked(PAGE)


def test_the_page_begins_with_its_introduction_and_says_how_it_was_made() -> None:
    assert PAGE.startswith((HERE / "introduction.md").read_text(encoding="utf-8").strip())
    assert "rag-ablation run -m variant=oracle,closed_book dataset=handbook_en dataset.sample=30" in PAGE


def test_only_what_depends_on_the_machine_is_masked() -> None:
    assert masked(PAGE.replace("it took ", "it took 1")) == masked(PAGE)
    assert masked(PAGE.replace("n = 23", "n = 22")) != masked(PAGE)
    assert masked(PAGE).count("TIME") == 2
    assert masked(PAGE).count("MEMORY") == 1


def interval(differences: list[float]) -> Interval:
    values = np.array(differences)
    return paired_difference(values, np.zeros_like(values), np.arange(values.size))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ([[1.0, 0.9, 1.0]], "lies above 0: on these questions the model answers better"),
        ([[-1.0, -0.9, -1.0]], "lies below 0: on these questions the passages do this model harm"),
        ([[1.0, -1.0, 0.0]], "holds 0: on these questions the two cannot be told apart"),
        ([[1.0, 0.9, 1.0], [1.0, -1.0, 0.0]], "in at least one case its interval holds 0"),
        ([[1.0]], "No interval is defined"),
    ],
)
def test_the_conclusion_follows_from_the_intervals(found: list[list[float]], words: str) -> None:
    assert words in conclusion({str(row): interval(one) for row, one in enumerate(found)})


def test_the_conclusion_of_the_page_is_that_of_its_table() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and line.endswith("(19) |")]
    means = [row.split(" | ")[1] for row in rows]
    lows = [row.split(" | ")[2].split(" to ")[0] for row in rows]
    assert len(rows) == 4
    assert f"between {means[2]} and {means[3]} points" in PAGE
    assert ("holds 0" in PAGE) == any(low.startswith("−") for low in lows)


def test_a_share_is_in_points_with_its_sign() -> None:
    assert (points(0.174), points(-0.5), points(0.0), points(None)) == ("+17.4", "−50.0", "0.0", "undefined")


def test_what_a_model_says_is_no_markup() -> None:
    assert text("a | <b>\n[x](y) `c` *d*") == "a \\| \\<b\\> \\[x\\](y) \\`c\\` \\*d\\*"
    assert text("x" * 200) == "x" * 160 + "…"
