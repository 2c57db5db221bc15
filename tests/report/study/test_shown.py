"""How figures are written, what is tinted, and what a table picks."""

import pytest

from rag_ablation.report.study.content import Types
from rag_ablation.report.study.shown import figures
from rag_ablation.report.study.shown.heat import ACCENT, RUST, heat_tables, tint
from tests.report.study.sections import types_of

DARK_SMALL_TYPE = "#3d4247"


@pytest.mark.parametrize(
    ("value", "written"), [(0.0924, "+0.092"), (-0.0004, "−0.000"), (0.0, "+0.000"), (None, "–"), (-1, "−1.000")]
)
def test_a_difference_has_its_sign_even_where_it_rounds_to_0(value: float | None, written: str) -> None:
    assert figures.signed(value) == written


def test_a_p_value_below_a_thousandth_says_so_and_an_undefined_one_is_a_dash() -> None:
    assert [figures.p_value(p) for p in (0.04649, 0.0009, 0.001, None)] == ["0.046", "<\u00a00.001", "0.001", "–"]


def test_milliseconds_keep_two_figures() -> None:
    assert [figures.milliseconds(value) for value in (0.21, 9.94, 9.96, 1234.4, None)] == [
        "0.2",
        "9.9",
        "10",
        "1,234",
        "–",
    ]


def test_an_interval_is_written_out_in_each_language() -> None:
    assert figures.difference_ends(-0.349, -0.0024, 2).plain("en") == "−0.35 to −0.00"
    assert figures.difference_ends(0.026, 0.157).plain("zh") == "+0.026 至 +0.157"
    assert figures.difference_ends(None, 0.157).plain() == "–"


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
