"""How figures are written, what is tinted, and what a table picks."""

from dataclasses import replace

import pytest

from rag_ablation.experiment.study import Role
from rag_ablation.report.leaderboard import milliseconds, signed
from rag_ablation.report.study import figures
from rag_ablation.report.study.content import Types
from rag_ablation.report.study.shown import captions, inline, picks
from rag_ablation.report.study.shown.heat import ACCENT, RUST, heat_tables, tint
from rag_ablation.report.study.terms import REASONS
from rag_ablation.report.study.words import text
from tests.report.study.sections import ceilings_of, plane_of, types_of

DARK_SMALL_TYPE = "#3d4247"


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0924, "+0.092"), (-0.0004, "−0.000"), (0.0, "0.000"), (1e-17, "0.000"), (None, "–"), (-1, "−1.000")],
)
def test_a_difference_has_its_sign_even_where_it_rounds_to_0_and_0_has_none(value: float | None, written: str) -> None:
    assert signed(value) == written


def test_a_p_value_below_a_thousandth_says_so_and_an_undefined_one_is_a_dash() -> None:
    assert [figures.p_value(p) for p in (0.04649, 0.0009, 0.001, None)] == ["0.046", "<\u00a00.001", "0.001", "–"]


def test_a_p_value_that_rounds_to_the_level_shows_on_which_side_of_it_it_lies() -> None:
    assert [figures.p_value(p) for p in (0.0496, 0.05, 0.0503)] == ["0.0496", "0.050", "0.0503"]


def test_milliseconds_keep_two_figures() -> None:
    assert [milliseconds(value) for value in (0.21, 9.94, 9.96, 1234.4, None)] == [
        "0.21",
        "9.9",
        "10",
        "1,234",
        "–",
    ]


def test_an_interval_is_written_out_in_each_language() -> None:
    assert figures.span(-0.349, -0.0024, 2).plain("en") == "−0.35 to −0.00"
    assert figures.span(0.026, 0.157).plain("zh") == "+0.026 至 +0.157"
    assert figures.span(None, 0.157).plain() == "no interval"


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [ACCENT, RUST])
def test_small_type_can_be_read_on_the_deepest_tint(colour: tuple[int, int, int]) -> None:
    ground, type_on_it = luminance(tint(5.0, colour)), luminance(DARK_SMALL_TYPE)
    assert (ground + 0.05) / (type_on_it + 0.05) >= 4.5
    assert tint(0.0, colour) == "#ffffff"


def width(types: Types) -> list[tuple[int, int]]:
    return [(len(table.arms), len(table.labels)) for table in heat_tables(types)]


def test_means_and_differences_stand_in_one_table_where_they_fit_and_else_in_several() -> None:
    few, many = ("A", "B", "C"), tuple(f"arm {number}" for number in range(12))
    assert width(types_of(few, ("B − A",))) == [(3, 1)]
    assert width(types_of(many, tuple(f"{arm} − A" for arm in many))) == [(12, 0), (0, 6), (0, 6)]
    assert width(types_of(("A",), ())) == [(1, 0)]


def test_the_caption_of_the_plane_explains_what_is_drawn_and_no_more() -> None:
    plane = plane_of(("A", "C"))
    without = replace(plane, arms=tuple(replace(arm, p95=None, front=False) for arm in plane.arms))
    swept = replace(plane.arms[0], key="C depth=1", role=Role.SWEEP, p95=None)
    said = {
        name: captions.dots(made, "final/ndcg@10").plain()
        for name, made in (("full", plane), ("bare", without), ("swept", replace(plane, arms=(*plane.arms, swept))))
    }
    assert "p95" in said["full"]
    assert "p95" not in said["bare"]
    assert "Dashed" not in said["bare"]
    assert "grey" not in said["full"]
    assert "small grey dot: a member of a sweep" in said["swept"]


def test_the_caption_of_recall_names_the_grey_curves_and_its_table_says_that_intervals_are_not_cut() -> None:
    ceilings = ceilings_of("D", others=("A", "B"))
    assert "Grey, for comparison: final of A, B." in captions.curves_of_recall(ceilings).plain()
    assert "Grey" not in captions.curves_of_recall(replace(ceilings, others={})).plain()
    assert "not cut off at 0 or 1" in captions.recall_table(ceilings).plain()


def test_a_reason_is_explained_in_the_same_words_wherever_it_stands() -> None:
    for reason, why in REASONS.items():
        assert why.plain() in inline.excluded(reason, 3).plain()
        assert why.plain("zh") in inline.excluded(reason, 3).plain("zh")


def test_a_word_of_the_glossary_has_one_place_and_a_sign_has_none() -> None:
    words = [text(word, word) for word in ("95 % interval", "group", "Group", "–")]
    assert picks.anchors(words) == {"95 % interval": "word-95-interval", "group": "word-group"}


def test_a_note_is_cut_only_where_it_is_long() -> None:
    assert picks.cut(text("skipped: no model", "跳过：没有模型")) is None
    start = picks.cut(text("skipped: " + "x" * 200, "跳过"))
    assert start is not None
    assert start.plain().startswith("skipped: xxx")
    assert start.plain().endswith("…")
    assert len(start.plain()) < 100
