"""Swept settings against the best of them: exploratory, with holes in what cannot be told from it."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from rag_ablation.experiment.study import Role, Sweep
from rag_ablation.measures.uncertainty import paired_difference
from rag_ablation.report.study.content import SweepCurve
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.sweeps import sweeps_of
from tests.report.study.build import DENSE, RRF, arm, failed, floats, study
from tests.report.study.texts import kinds, said

N = 30
AXES = ("fusion.rank_constant", "fusion.window")
BEST = [0.9 if place % 2 else 0.7 for place in range(N)]
NEAR = [value + (0.1 if place % 2 else -0.11) for place, value in enumerate(BEST)]
FAR = [value - 0.3 for value in BEST]


def member(constant: int, window: int, values: Sequence[float | None], key: str | None = None) -> ArmResult:
    settings = {**RRF, "fusion": {"name": "rrf", "rank_constant": constant, "window": window}}
    role = Role.LADDER if key == "C" else Role.SWEEP
    return arm(key or f"C {constant} {window}", values, settings=settings, role=role, parents=("A",) if key else ())


def curve(members: Sequence[ArmResult], axes: Sequence[str] = AXES, more: Sequence[str] = ()) -> SweepCurve:
    sweep = Sweep(arm="C", axes=tuple(axes), members=(*(made.key for made in members), *more))
    swept = [] if any(made.key == "C" for made in members) else [failed("C")]
    (found,) = sweeps_of(study(arm("A", FAR), *swept, *members, sweeps=(sweep,)))
    return found


GRID: Mapping[tuple[int, int], Sequence[float]] = {
    (1, 20): NEAR,
    (5, 20): NEAR,
    (60, 20): FAR,
    (1, 100): BEST,
    (5, 100): FAR,
    (60, 100): NEAR,
}


def grid() -> list[ArmResult]:
    return [member(*place, values, key="C" if place == (60, 100) else None) for place, values in GRID.items()]


def test_each_setting_has_the_paired_interval_to_the_best() -> None:
    found = curve(grid())
    assert found.best == "C 1 100"
    settings = {setting.key: setting for setting in found.settings}
    assert settings["C 1 100"].to_best is None
    assert settings["C 1 20"].to_best == paired_difference(floats(NEAR), floats(BEST), np.arange(N))
    assert not settings["C 1 20"].told
    assert settings["C 60 20"].told


def test_settings_stand_in_the_order_of_their_values_panel_by_panel() -> None:
    assert [setting.values for setting in curve(list(reversed(grid()))).settings] == [
        (1, 20),
        (5, 20),
        (60, 20),
        (1, 100),
        (5, 100),
        (60, 100),
    ]


def test_the_finding_names_ranges_by_panel_with_their_holes() -> None:
    found = curve(grid())
    assert found.finding.plain().replace("\u00a0", " ") == (
        "Best on these questions: rank_constant 1, window 100 (0.800, n 30). It lies on the edge of the grid: no "
        "rank_constant below 1 and no window above 100 was tried. 3 of the 5 others cannot be told from it. "
        "With it: window 20, rank_constant 1, 5; window 100, rank_constant 1, 60. "
        "Against A, the parent with the highest mean: +0.300 (+0.300 to +0.300), n 30, 30 groups."
    )
    assert "window 100，rank_constant 1, 60" in found.finding.plain("zh")


def along(constants: Sequence[int], best: int) -> str:
    """The finding of a sweep of one axis, of which nothing but the last setting can be told from the best."""
    far = constants[-1]
    members = [
        member(constant, 100, BEST if constant == best else FAR if constant == far else NEAR) for constant in constants
    ]
    return curve(members, axes=AXES[:1]).finding.plain().replace("\u00a0", " ")


def test_four_settings_or_more_at_even_distances_are_a_range_and_others_a_list() -> None:
    assert "With it: rank_constant 10–40." in along([10, 20, 30, 40, 50], best=20)
    assert "With it: rank_constant 1, 10, 20, 40." in along([1, 10, 20, 40, 50], best=10)
    assert "With it: rank_constant 10, 20, 30." in along([10, 20, 30, 40], best=20)


def test_the_edge_of_the_grid_is_named_with_the_side_that_was_not_tried() -> None:
    assert "edge" not in along([10, 20, 30], best=20)
    assert "It lies on the edge of the grid: no rank_constant below 10 was tried." in along([10, 20, 30], best=10)


def test_the_best_is_set_against_the_better_parent_by_its_paired_interval() -> None:
    found = curve(grid())
    assert found.reference == ("A", pytest.approx(0.5))
    assert found.to_reference == paired_difference(floats(BEST), floats(FAR), np.arange(N))


def test_a_sweep_carries_no_verdict() -> None:
    found = curve(grid())
    assert not kinds(found) & {"better", "worse", "undecided"}
    assert not any(word in said(found) for word in ("better", "worse", "distinguishable"))


def test_the_ladders_own_setting_is_the_chosen_one() -> None:
    assert curve(grid()).chosen == "C"
    beside = [member(1, 20, BEST), member(5, 20, NEAR)]
    sweep = Sweep(arm="C", axes=AXES, members=tuple(made.key for made in beside))
    by_value = study(member(5, 20, NEAR, key="C"), *beside, sweeps=(sweep,))
    assert sweeps_of(by_value)[0].chosen == "C 5 20"
    elsewhere = study(member(9, 9, NEAR, key="C"), *beside, sweeps=(sweep,))
    assert sweeps_of(elsewhere)[0].chosen is None


def test_of_equal_settings_the_ladders_own_is_the_best() -> None:
    assert curve([member(1, 20, BEST), member(5, 20, BEST, key="C")]).best == "C"


def test_the_best_parent_is_the_reference() -> None:
    sweep = Sweep(arm="C", axes=AXES, members=("C", "C 1 20"))
    settings = {**RRF, "fusion": {"name": "rrf", "rank_constant": 5, "window": 20}}
    results = study(
        arm("A", FAR),
        arm("B", NEAR, settings=DENSE),
        arm("C", NEAR, settings=settings, parents=("A", "B")),
        member(1, 20, BEST),
        sweeps=(sweep,),
    )
    reference = sweeps_of(results)[0].reference
    assert reference is not None
    assert reference == ("B", pytest.approx(float(np.mean(NEAR))))


def test_failed_and_undefined_settings_are_counted_and_left_out() -> None:
    members = [*grid(), member(7, 20, [None] * N)]
    found = curve(members, more=("never",))
    assert len(found.settings) == 6
    assert "2 more settings have no mean that compares, and are left out." in found.finding.plain()


def test_one_axis_and_words_along_it() -> None:
    def named(name: str, values: Sequence[float]) -> ArmResult:
        settings = {**RRF, "fusion": {"name": name}}
        return arm(name, values, settings=settings, role=Role.SWEEP)

    found = curve([named("rrf", BEST), named("sum", NEAR), named("max", FAR)], axes=("fusion.name",))
    assert "With it: name rrf, sum." in found.finding.plain()


def test_when_every_other_setting_is_alike_there_is_no_list() -> None:
    assert (
        curve([member(1, 20, BEST), member(5, 20, NEAR)]).finding.plain().endswith("The other cannot be told from it.")
    )
    told = curve([member(1, 20, BEST), member(5, 20, FAR), member(9, 20, FAR)])
    assert told.finding.plain().endswith("Each of the 2 others can be told from it.")


def test_a_sweep_of_less_than_two_usable_settings_is_no_section() -> None:
    sweep = Sweep(arm="C", axes=AXES, members=("C 1 20", "F", "C 5 20"))
    results = study(member(1, 20, BEST), failed("F"), member(5, 20, [None] * N), sweeps=(sweep,))
    assert sweeps_of(results) == ()
