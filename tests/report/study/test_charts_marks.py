"""What is drawn where: marks by verdict, one scale, sums, ranges, bands."""

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Word
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study import charts
from rag_ablation.report.study.charts._scale import Scale, linear, logarithmic
from rag_ablation.report.study.content import Plane, Setting, SweepCurve, Timed
from tests.report.study import chart_contents as made
from tests.report.study.drawn import centres, circles, paths, placed, texts

BETTER, WORSE, OPEN, INK, GRID, ZERO, PAPER = (
    "#1a5fa4",
    "#a4480f",
    "#6b7178",
    "#1b1d1f",
    "#dedcd4",
    "#8d9196",
    "#ffffff",
)


def interval(mean: float | None, low: float | None = None, high: float | None = None) -> Interval:
    return Interval(mean=mean, low=low, high=high, standard_error=None, n=9, n_groups=7, dropped=0, confidence=0.95)


def mean(value: float | None, low: float | None = None, high: float | None = None) -> RecordedMean:
    return RecordedMean(value=value, n=9, excluded={}, low=low, high=high, n_groups=7)


LADDER = made.ladder({"A": (), "B": ("A",)})
STEP = LADDER.steps()[0]


def step(word: Word, low: float | None = 0.1, high: float | None = 0.3, middle: float | None = 0.2):  # type: ignore[no-untyped-def]
    assert STEP.comparison is not None
    return replace(STEP, comparison=replace(STEP.comparison, word=word, interval=interval(middle, low, high)))


SCALE = charts.LadderScale(mean=linear([0.0, 1.0], pad=0.0), difference=linear([-0.5, 0.5], pad=0.0))


# cells of the ladder


def test_a_step_that_is_better_has_a_filled_dot_and_a_strong_line() -> None:
    cell = charts.difference_cell(step(Word.BETTER), SCALE)
    assert [dot.get("fill") for dot in circles(cell)] == [BETTER]
    assert [line.width for line in paths(cell, stroke=BETTER)] == ["3"]


def test_a_step_that_is_worse_has_a_diamond() -> None:
    cell = charts.difference_cell(step(Word.WORSE, -0.3, -0.1, -0.2), SCALE)
    assert circles(cell) == []
    [diamond] = paths(cell, fill=WORSE)
    assert len(set(diamond.points)) == 4
    assert [line.width for line in paths(cell, stroke=WORSE)] == ["3"]


@pytest.mark.parametrize("word", [Word.NOT_DISTINGUISHABLE, Word.NO_VERDICT])
def test_a_step_that_is_open_has_a_hollow_dot_and_a_thin_line(word: Word) -> None:
    cell = charts.difference_cell(step(word), SCALE)
    assert [(dot.get("fill"), dot.get("stroke")) for dot in circles(cell)] == [(PAPER, OPEN)]
    assert [line.width for line in paths(cell, stroke=OPEN)] == ["1.5"]


def test_a_difference_without_an_interval_is_a_dot_alone() -> None:
    cell = charts.difference_cell(step(Word.NO_VERDICT, None, None), SCALE)
    assert len(circles(cell)) == 1
    assert paths(cell, stroke=OPEN) == []


def test_what_is_undefined_or_does_not_compare_has_no_mark() -> None:
    for nothing in (None, replace(STEP, comparison=None), step(Word.NO_VERDICT, None, None, None)):
        assert circles(charts.difference_cell(nothing, SCALE)) == []
    for undefined in (None, mean(None)):
        assert circles(charts.mean_cell(replace(LADDER.rows[0], mean=undefined), SCALE)) == []


def test_a_mean_is_black_whatever_the_verdict() -> None:
    cell = charts.mean_cell(replace(LADDER.rows[1], mean=mean(0.5, 0.4, 0.6)), SCALE)
    assert [dot.get("fill") for dot in circles(cell)] == [INK]


def test_marks_stand_where_the_axis_says() -> None:
    """The axis runs from 0 to 1 over the 136 px between insets of 12."""
    cell = charts.mean_cell(replace(LADDER.rows[0], mean=mean(0.25, 0.0, 0.5)), SCALE)
    assert centres(cell, INK) == [(12 + 34, 14)]
    assert paths(cell, stroke=INK)[0].xs == [12, 12 + 68]
    ticks = {text: x for text, x, _ in placed(charts.mean_axis(SCALE))}
    assert ticks["0.0"] == 12
    assert ticks["1.0"] == 148


def test_the_line_at_0_is_darker_than_the_others() -> None:
    cell = charts.difference_cell(None, SCALE)
    [zero] = paths(cell, stroke=ZERO)
    assert set(zero.xs) == {100}
    assert 100 not in paths(cell, stroke=GRID)[0].xs


@pytest.mark.parametrize("log", [False, True])
def test_an_axis_of_one_value_has_length(log: bool) -> None:
    assert Scale(3.0, 3.0, log=log).place(3.0) == 0


def test_a_ladder_without_means_or_steps_has_a_scale() -> None:
    scale = charts.ladder_scale(replace(LADDER, rows=tuple(replace(row, mean=None, steps=()) for row in LADDER.rows)))
    assert charts.mean_axis(scale)
    assert charts.difference_axis(scale)


def test_all_rows_share_a_scale_that_holds_every_interval_and_0() -> None:
    ladder = made.ladder(made.TWELVE)
    scale = charts.ladder_scale(ladder)
    ends = [s.comparison.interval for s in ladder.steps() if s.comparison is not None]
    assert scale.difference.low < min(0.0, *(end.low for end in ends if end.low is not None))
    assert scale.difference.high > max(end.high for end in ends if end.high is not None)
    assert 0 in scale.difference.ticks


def test_cells_are_not_read_aloud_since_their_numbers_stand_beside_them() -> None:
    for cell in (charts.mean_axis(SCALE), charts.difference_cell(None, SCALE), charts.verdict_key(Word.WORSE)):
        assert 'aria-hidden="true"' in cell
        assert "<title" not in cell


# denominators, gaps, fates


def width_of(markup: str, fill: str) -> float:
    return sum(max(path.xs) - min(path.xs) for path in paths(markup, fill=fill))


def test_parts_of_the_bar_of_questions_are_proportional() -> None:
    bar = charts.denominators(made.denominators(60, no_answer=30, unreviewed=10)).wide
    unit = (720 - 2 * 2) / 100
    assert width_of(bar, BETTER) == pytest.approx(60 * unit, abs=0.2)
    assert width_of(bar, "#b9b8b1") == pytest.approx(30 * unit, abs=0.2)
    assert width_of(bar, "#e4e2da") == pytest.approx(10 * unit, abs=0.2)
    assert texts(bar) == ["60 scored", "30 no_answer", "10"]


def test_a_key_gives_each_reason_the_colour_of_its_part() -> None:
    content = made.denominators(60, no_answer=30, failed=0, unreviewed=10)
    assert charts.excluded_colours(content) == {"no_answer": "#b9b8b1", "unreviewed": "#e4e2da"}


def gaps(*values: float) -> str:
    return charts.gaps([replace(STEP, gaps=tuple(sorted(values, reverse=True)), comparison=None)]).wide


def test_a_panel_counts_wins_ties_and_losses_of_its_bars() -> None:
    assert "2\u00a0wins · 3\u00a0ties · 1\u00a0loss" in texts(gaps(0.5, 0.25, 0, 0, 0, -1))
    assert "1\u00a0win · 0\u00a0ties · 2\u00a0losses" in texts(gaps(0.5, -0.5, -1))
    assert "1\u00a0胜 · 0\u00a0平 · 2\u00a0负" in [t for t, _, _ in placed(gaps(0.5, -0.5, -1), "zh")]


def test_ties_draw_nothing() -> None:
    picture = gaps(1.0, 0, 0, -1.0)
    quarter = (720 - 32) / 4
    [win], [loss] = paths(picture, fill=BETTER), paths(picture, fill=WORSE)
    assert (min(win.xs), max(win.xs)) == pytest.approx((32, 32 + quarter), abs=1)
    assert (min(loss.xs), max(loss.xs)) == pytest.approx((720 - quarter, 720), abs=1)
    assert paths(gaps(0, 0, 0), fill=BETTER) == []


def test_bars_are_as_high_as_their_differences() -> None:
    picture = gaps(1.0, 0.5, -0.25)
    height = {text: y for text, _, y in placed(picture)}
    unit = (height["−1.0"] - height["+1.0"]) / 2
    [wins], [losses] = paths(picture, fill=BETTER), paths(picture, fill=WORSE)
    zero = max(wins.ys)
    assert sorted({round(zero - y, 1) for y in wins.ys}) == pytest.approx([0, unit / 2, unit], abs=0.11)
    assert max(losses.ys) - zero == pytest.approx(unit / 4, abs=0.11)


def test_a_panel_says_its_mean() -> None:
    assert "mean +0.250" in texts(gaps(1.0, 0.0, 0.0, 0.0))
    assert "mean −0.250" in texts(gaps(0.0, 0.0, 0.0, -1.0))
    assert "undefined" in texts(gaps())


def test_bars_of_fates_have_one_length_and_end_in_their_sum() -> None:
    content = made.lost(["A", "B", "C"], total=170)
    picture = charts.fates(content).wide
    rows: dict[float, list[float]] = {}
    for path in paths(picture):
        if path.fill != "none":
            rows.setdefault(min(path.ys), []).extend(path.xs)
    ends = {(min(xs), round(max(xs))) for xs in rows.values()}
    assert len(rows) == 3
    assert len({left for left, _ in ends}) == 1
    assert max(right for _, right in ends) - min(right for _, right in ends) <= 1
    assert texts(picture).count("170") == 3
    assert all(sum(counts.values()) == 170 for counts in content.counts.values())


def test_fates_run_from_kept_over_the_latest_loss_to_the_earliest() -> None:
    counts = {"not_retrieved": 30, "kept": 40, "lost_in_context": 30}
    picture = charts.fates(replace(made.lost(["A"]), counts={"A": counts}, total=100)).wide
    bars = sorted((min(path.xs), path.fill) for path in paths(picture) if path.fill != "none")
    assert [fill for _, fill in bars] == [
        charts.FATE_COLOURS[fate] for fate in ("kept", "lost_in_context", "not_retrieved")
    ]
    assert texts(picture) == ["A", "40", "30", "30", "100"]


# recall


def test_the_dot_of_recall_is_at_ten() -> None:
    content = made.ceilings(["sparse", "dense"])
    picture = charts.recall(content).wide
    tens = [x for text, x, _ in placed(picture) if text == "10"]
    assert [x for x, _ in centres(picture, BETTER)] == pytest.approx(tens, abs=0.2)
    values = [curve.means[curve.cutoffs.index(10)].value for curve in content.points]
    assert [f"{value:.3f}" for value in values] == [
        text for text in texts(picture) if text.startswith("0.") and len(text) == 5
    ]


def test_a_curve_that_ends_early_says_where() -> None:
    content = made.ceilings(["fused", "context"])
    shortened = replace(content, points=(content.points[0], made.cut(content.points[1], 5)))
    assert "ends at 5" in texts(charts.recall(shortened).wide)
    assert "ends at 5" not in texts(charts.recall(content).wide)


def test_where_a_curve_ends_is_said_beside_its_end() -> None:
    content = made.ceilings(["fused", "context"])
    picture = charts.recall(replace(content, points=(content.points[0], made.cut(content.points[1], 5)))).wide
    _, end = sorted(path.points[-1] for path in paths(picture, stroke=BETTER) if path.width == "1.8")
    [(x, y)] = [(x, y) for said, x, y in placed(picture) if said == "ends at 5"] or [(0, 0)]
    assert 0 < x - end[0] < 20
    assert abs(y - end[1]) < 50


def test_two_panels_take_the_whole_width_and_grey_curves_are_named_at_their_ends() -> None:
    content = made.ceilings(["fused", "context"])
    content = replace(content, others={key: content.others[key] for key in list(content.others)[:2]})
    picture = charts.recall(content).wide
    said = [(text, x) for text, x, _ in placed(picture)]
    named = {key for text, x in said if x > 600 for key in text.split(", ")}
    assert set(content.others) <= named
    right = max(x for path in paths(picture, stroke="#dedcd4") for x in path.xs)
    assert right > 600


def test_a_band_of_recall_is_not_drawn_beyond_1() -> None:
    content = made.ceilings(["fused"])
    beyond = tuple(replace(mean, high=1.4) for mean in content.points[0].means)
    picture = charts.recall(replace(content, points=(replace(content.points[0], means=beyond),))).wide
    [one] = [y - 4 for text, _, y in placed(picture) if text == "1.0"]
    [band] = [path for path in paths(picture, fill=BETTER) if len(path.points) > 4]
    assert min(band.ys) == pytest.approx(one, abs=0.2)


def test_a_mean_is_not_drawn_beyond_1() -> None:
    cell = charts.mean_cell(replace(LADDER.rows[0], mean=mean(0.95, 0.8, 1.2)), SCALE)
    assert paths(cell, stroke=INK)[0].xs[-1] == 12 + 136


def test_the_pool_is_marked_where_it_is_taken_from_and_reranked() -> None:
    picture = charts.recall(made.ceilings(["sparse", "dense", "fused", "reranked", "context"])).wide
    assert texts(picture).count("pool 50") == 2
    assert "pool 50" not in texts(charts.recall(replace(made.ceilings(), pool=None)).wide)


def test_an_undefined_curve_is_said_to_be_and_a_hole_is_not_bridged() -> None:
    picture = charts.recall(made.with_holes(made.ceilings(["sparse", "dense"]))).wide
    assert texts(picture).count("undefined") == 1
    assert len(centres(picture, BETTER)) == 1
    assert sum(path.width == "1.8" for path in paths(picture, stroke=BETTER)) == 1
    [curve] = [path for path in paths(picture, stroke=BETTER) if path.width == "1.8"]
    assert len(curve.points) == 6


# sweep


def swept(values: Sequence[object], told: Sequence[bool], best: int = 0, **fields: object) -> SweepCurve:
    settings = tuple(
        Setting(
            key=str(value),
            values=(value,),
            mean=mean(0.8 if place == best else 0.7),
            to_best=None if place == best else interval(-0.1, -0.18, -0.02 if told[place] else 0.01),
            told=told[place],
        )
        for place, value in enumerate(values)
    )
    whole = {"title": made.NOTHING, "finding": made.NOTHING, "arm": "C", "axes": ("fusion.rank_constant",)}
    return SweepCurve(
        **{**whole, "settings": settings, "best": settings[best].key, "chosen": None, "reference": None, **fields}
    )  # type: ignore[arg-type]


def test_what_can_be_told_from_the_best_is_hollow() -> None:
    picture = charts.sweep(swept([1, 2, 5, 10], [False, False, True, True])).wide
    assert len(centres(picture, BETTER)) == 2
    assert len(centres(picture, PAPER)) == 2
    assert len([dot for dot in circles(picture) if dot.get("fill") == "none"]) == 1


def test_holes_in_the_range_that_cannot_be_told_from_the_best_are_shown() -> None:
    picture = charts.sweep(swept([1, 2, 5, 10, 20, 60], [False, True, False, False, True, True])).wide
    assert "1, 5–10: cannot be told from the best" in texts(picture)
    assert "1、5–10：与最佳分不开" in texts(picture, "zh")
    assert len(paths(picture, fill=INK)) == 2


def test_the_band_is_the_difference_to_the_best_about_the_curve() -> None:
    """0.8 − 0.18 and 0.8 − 0.02, by the labels of the axis."""
    picture = charts.sweep(swept([1, 2, 3], [False, True, True])).wide
    labels = {float(text): y - 4 for text, x, y in placed(picture) if x < 36}
    (first, first_y), *_, (last, last_y) = sorted(labels.items())
    [band] = paths(picture, fill=BETTER)
    values = [first + (y - first_y) / (last_y - first_y) * (last - first) for y in band.ys]
    assert min(values) == pytest.approx(0.62, abs=0.002)
    assert max(values) == pytest.approx(0.80, abs=0.002)
    assert min(value for x, value in zip(band.xs, values, strict=True) if x > 400) == pytest.approx(0.62, abs=0.002)


def test_values_over_a_decade_stand_on_a_log_axis() -> None:
    def places(*values: int) -> list[float]:
        picture = charts.sweep(swept(values, [False] * len(values))).wide
        return sorted(x for x, _ in centres(picture, BETTER))

    left, middle, right = places(1, 10, 100)
    assert middle - left == pytest.approx(right - middle, abs=0.2)
    left, middle, right = places(10, 20, 40)
    assert 2 * (middle - left) == pytest.approx(right - middle, abs=0.2)


def test_values_that_are_no_numbers_are_rows_in_their_order() -> None:
    picture = charts.sweep(swept(["minilm", True, None], [False, True, False], best=2)).wide
    named = [text for text in texts(picture) if text in {"minilm", "true", "null"}]
    assert named == ["minilm", "true", "null"]
    assert "best here 0.800" in texts(picture)
    assert len(centres(picture, PAPER)) == 1


def test_the_setting_of_the_ladder_and_the_best_parent_are_named() -> None:
    marked = texts(charts.sweep(swept([1, 2, 5], [False, True, True], chosen="5", reference=("B", 0.65))).wide)
    assert "in the ladder" in marked
    assert "B alone 0.650" in marked
    both = texts(charts.sweep(swept([1, 2, 5], [False, True, True], chosen="1")).wide)
    assert "best here 0.800, in the ladder" in both


def test_the_label_of_the_best_parent_is_not_crossed_by_a_dashed_line() -> None:
    for best, parent in ((0.8, 0.801), (0.8, 0.799), (0.8, 0.8)):
        picture = charts.sweep(swept([10, 20, 50], [False, True, True], reference=("B+D", parent))).wide
        [base] = [y for text, _, y in placed(picture) if text == f"B+D alone {parent:.3f}"]
        dashed = [path.ys[0] for path in paths(picture) if path.stroke in {INK, OPEN} and len(set(path.ys)) == 1]
        assert [y for y in dashed if base - 10 < y < base + 3] == [], (best, parent)


# plane


def timed(key: str, p50: float | None, value: float, *, role: Role = Role.LADDER, front: bool = False) -> Timed:
    quality = mean(value, value - 0.05, value + 0.05)
    return Timed(key=key, role=role, p50=p50, mean_ms=p50, p95=None, p99=None, quality=quality, front=front)


def plane(*arms: Timed) -> str:
    return charts.plane(Plane(finding=made.NOTHING, arms=arms, questions=20, passes=1, side=()), "final/ndcg@10").wide


def test_arms_are_named_and_members_of_a_sweep_are_not() -> None:
    picture = plane(timed("A", 5, 0.6), timed("D", 200, 0.9), timed("D depth=10", 90, 0.85, role=Role.SWEEP))
    assert {"A", "D", "nDCG@10"} <= set(texts(picture))
    assert "D depth=10" not in texts(picture)
    assert len(centres(picture, INK)) == 2
    assert len(circles(picture)) == 3


def test_an_arm_without_a_time_has_no_place() -> None:
    picture = plane(timed("A", 5, 0.6), timed("B", None, 0.7))
    assert "B" not in texts(picture)
    assert len(circles(picture)) == 1


def test_the_front_leads_from_arm_to_arm_and_leaves_out_the_beaten() -> None:
    picture = plane(timed("A", 5, 0.6, front=True), timed("B", 50, 0.55), timed("D", 200, 0.9, front=True))
    dots = sorted(centres(picture, INK))
    [front] = [path for path in paths(picture, stroke=ZERO) if len(path.points) == 3]
    assert front.points[0] == pytest.approx(dots[0], abs=0.1)
    assert front.points[-1] == pytest.approx(dots[2], abs=0.1)


def test_a_line_leads_to_p95_where_there_is_one() -> None:
    without = plane(timed("A", 5, 0.6), timed("D", 200, 0.9))
    with_p95 = plane(replace(timed("A", 5, 0.6), p95=9.0), timed("D", 200, 0.9))
    assert len(paths(with_p95, stroke=ZERO)) == len(paths(without, stroke=ZERO)) + 2


# scales


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_a_scale_holds_its_values_between_few_round_ticks(values: list[float]) -> None:
    scale = linear(values)
    assert scale.low <= min(values) <= max(values) <= scale.high
    assert 2 <= len(scale.ticks) <= 5
    assert all(scale.low <= tick <= scale.high or math.isclose(tick, scale.low) for tick in scale.ticks)
    assert len({scale.label(tick) for tick in scale.ticks}) == len(scale.ticks)


@given(st.lists(st.floats(0.01, 1e6), min_size=1, max_size=20))
def test_a_log_scale_holds_its_values_and_has_ticks(values: list[float]) -> None:
    scale = logarithmic(values)
    assert scale.low <= min(values) <= max(values) <= scale.high
    assert len(scale.ticks) >= 2
    assert len({scale.label(tick) for tick in scale.ticks}) == len(scale.ticks)


def test_a_minus_is_a_minus() -> None:
    assert linear([-0.1, 0.1]).label(-0.05, signed=True) == "−0.05"
    assert linear([-0.1, 0.1]).label(0.0, signed=True) == "0.00"
