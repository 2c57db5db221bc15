"""`python -m benchmarks.optimism` with few repetitions: what it computes, that its check can fail, what it writes."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration.made import CORRELATIONS, SCORES
from benchmarks.optimism.__main__ import REPETITIONS, main
from benchmarks.optimism.page import BEGIN, END, IMAGE, page
from benchmarks.optimism.simulate import DEV, HOLDOUT, SMALLEST, Cell, broken, cell, draws, simulate, sized_groups
from scipy import stats

from rag_ablation.holdout.rule import Decision, Rule, Ruling, decide
from rag_ablation.measures.uncertainty import Interval

DOCS = Path(__file__).parents[2] / "docs"
CELLS = len(SCORES) * len(CORRELATIONS)
EMPTY = f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n"


def always_adopt(rule: Rule, gaps: Mapping[str, Interval]) -> Ruling:
    return replace(decide(rule, gaps), decision=Decision.ADOPT)


def with_adopts(count: int, repetitions: int = REPETITIONS) -> Cell:
    decisions = (Decision.ADOPT,) * count + (Decision.UNDECIDED,) * (repetitions - count)
    return Cell(
        kind="hit",
        correlation=0.5,
        n_arms=60,
        n_dev=400,
        n_holdout=421,
        n_groups=100,
        dev=np.full(repetitions, 0.05),
        holdout=np.zeros(repetitions),
        claimed=(True,) * repetitions,
        decisions=dict.fromkeys(SMALLEST, decisions),
    )


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("correlation", CORRELATIONS)
def test_every_figure_is_what_loops_over_questions_give(kind: str, correlation: float) -> None:
    settings = {"repetitions": 60, "n_arms": 7, "n_groups": 12}
    got = cell(kind, correlation, **settings)
    dev_gaps, holdout_gaps, claimed, adopted = [], [], [], {smallest: [] for smallest in SMALLEST}
    for dev, holdout in draws(kind, correlation, **settings):
        for dev_scores, holdout_scores in zip(dev.scores.tolist(), holdout.scores.tolist(), strict=True):
            means = [sum(scores) / len(scores) for scores in dev_scores]
            arm = max(range(1, 8), key=lambda place: round(means[place], 12))
            mean, low = by_hand(dev_scores[arm], dev_scores[0], dev.groups.tolist())
            dev_gaps.append(mean)
            claimed.append(low > 0)
            mean, low = by_hand(holdout_scores[arm], holdout_scores[0], holdout.groups.tolist())
            holdout_gaps.append(mean)
            for smallest in SMALLEST:
                adopted[smallest].append(low > 0 and mean >= smallest)
    assert len(dev_gaps) == 60
    assert got.dev == pytest.approx(dev_gaps, rel=1e-9, abs=1e-12)
    assert got.holdout == pytest.approx(holdout_gaps, rel=1e-9, abs=1e-12)
    assert list(got.claimed) == claimed
    for smallest in SMALLEST:
        assert [one == Decision.ADOPT for one in got.decisions[smallest]] == adopted[smallest]
        assert got.false_adopts(smallest).value == sum(adopted[smallest]) / 60
    assert any(claimed)


def by_hand(child: list[float], parent: list[float], groups: list[int]) -> tuple[float, float]:
    """Mean difference and the lower end of its interval."""
    gaps = [one - other for one, other in zip(child, parent, strict=True)]
    n, mean = len(gaps), sum(gaps) / len(gaps)
    sums = dict.fromkeys(groups, 0.0)
    for gap, group in zip(gaps, groups, strict=True):
        sums[group] += gap - mean
    n_groups = len(sums)
    error = math.sqrt(n_groups / (n_groups - 1) * sum(total**2 for total in sums.values())) / n
    return mean, mean - float(stats.t.ppf(0.975, n_groups - 1)) * error


def test_groups_have_1_to_8_questions_and_those_of_the_sides_differ() -> None:
    for side in (DEV, HOLDOUT):
        sizes = np.bincount(sized_groups(100, side))
        assert (sizes.size, sizes.min(), sizes.max()) == (100, 1, 8)
        assert (sized_groups(100, side) == sized_groups(100, side)).all()
    assert sized_groups(100, DEV).size != sized_groups(100, HOLDOUT).size


def test_the_arms_are_as_good_as_the_baseline_and_the_sides_share_no_luck() -> None:
    (dev, holdout), *_ = draws("normal", 0.5, repetitions=50, n_arms=60, n_groups=100)
    for side, name in ((dev, DEV), (holdout, HOLDOUT)):
        assert side.groups.tolist() == sized_groups(100, name).tolist()
    gaps = [(side.scores[:, 1:] - side.scores[:, :1]).mean(axis=-1).ravel() for side in (dev, holdout)]
    assert [abs(some.mean()) < 0.01 for some in gaps] == [True, True]
    alone = [side.scores.mean(axis=-1).ravel() for side in (dev, holdout)]
    assert abs(np.corrcoef(*alone)[0, 1]) < 0.06
    assert np.std(dev.scores[:, 1] - dev.scores[:, 0]) == pytest.approx(0.3, abs=0.01)


@pytest.mark.parametrize("kind", SCORES)
def test_choosing_flatters_on_dev_and_not_on_the_holdout(kind: str) -> None:
    got = cell(kind, 0.5, repetitions=200)
    error = got.holdout.std() / math.sqrt(200)
    assert got.dev.mean() > 10 * error
    assert abs(got.holdout.mean()) < 4 * error
    assert np.mean(got.claimed) > 0.2
    assert got.false_adopts(0.0).value <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize(("count", "problems"), [(50, 0), (100, 0), (118, 0), (125, 1), (200, 1)])
def test_a_rate_of_false_adopts_is_broken_where_its_whole_interval_lies_above_5_percent(
    count: int, problems: int
) -> None:
    found = broken([with_adopts(40), with_adopts(count)])
    assert len(found) == problems
    assert all("false adopts, hit, 100 groups, correlation 0.5" in problem for problem in found)


def test_a_short_run_ends_well_and_writes_every_cell_and_the_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"
    path.write_text(EMPTY, encoding="utf-8")
    assert main(["5", "--write", str(path)]) == 0
    written = path.read_text(encoding="utf-8")
    assert written.startswith(f"before\n\n{BEGIN}")
    assert written.endswith(f"{END}\n\nafter\n")
    assert "old" not in written.replace("holdout", "")
    assert rows(written) == CELLS
    assert (tmp_path / IMAGE).read_text(encoding="utf-8").count("chosen arm on dev") == 1
    assert capsys.readouterr().out.splitlines()[-1] == f"bounds: {CELLS} of {CELLS} hold"
    figure = (tmp_path / IMAGE).read_bytes()
    assert main(["5", "--write", str(path)]) == 0
    assert ((tmp_path / IMAGE).read_bytes(), path.read_text(encoding="utf-8")) == (figure, written)


def test_a_rule_that_adopts_too_often_is_found_out_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"
    path.write_text(EMPTY, encoding="utf-8")
    assert main(["5", "--write", str(path)], decide_by=always_adopt) == 1
    assert path.read_text(encoding="utf-8") == EMPTY
    assert not (tmp_path / IMAGE).exists()
    assert capsys.readouterr().out.count("BROKEN: false adopts") == CELLS


def test_a_page_without_markers_is_refused_before_any_work(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("nothing", encoding="utf-8")
    with pytest.raises(ValueError, match="once each"):
        main(["--write", str(path)])


def test_what_a_smallest_difference_changes_is_told() -> None:
    same = with_adopts(50)
    fewer = replace(same, decisions={**same.decisions, SMALLEST[1]: (Decision.UNDECIDED,) * REPETITIONS})
    assert "A smallest difference of 0.02 changed none of this" in page([same], "x")
    assert "With a smallest difference of 0.02 it adopted 0.0 to 0.0 %." in page([fewer], "x")


def test_the_docs_hold_what_a_full_run_wrote() -> None:
    text = (DOCS / "holdout.md").read_text(encoding="utf-8")
    block = text[text.index(BEGIN) : text.index(END)]
    assert f"`python -m benchmarks.optimism --write docs/holdout.md`: {REPETITIONS:,} repetitions" in block
    assert rows(block) == CELLS
    assert (DOCS / IMAGE).is_file()


@pytest.mark.slow
def test_the_docs_hold_what_a_full_run_writes_again() -> None:
    text = (DOCS / "holdout.md").read_text(encoding="utf-8")
    block = text[text.index(BEGIN) : text.index(END) + len(END)]
    assert page(simulate(REPETITIONS), "python -m benchmarks.optimism --write docs/holdout.md") == block


def rows(text: str) -> int:
    """Table rows that start with a cell's place."""
    return sum(line.startswith(tuple(f"| {kind} |" for kind in SCORES)) for line in text.splitlines())
