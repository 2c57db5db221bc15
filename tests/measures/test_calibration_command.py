"""`python -m benchmarks.calibration` with few repetitions: that its check can fail, and what it writes."""

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.calibration.__main__ import REPETITIONS, main, written
from benchmarks.calibration.bounds import broken, slack
from benchmarks.calibration.made import CORRELATIONS, KINDS, QUESTIONS, SCORES
from benchmarks.calibration.simulate import Calibration, Claims, Coverage
from benchmarks.calibration.tables import BEGIN, END

from rag_ablation.measures.uncertainty import Interval, clustered_mean

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
CELLS = len(QUESTIONS) * len(CORRELATIONS)


def coverage(kind: str = "normal", n_groups: int = 20, by_group: float = 0.95) -> Coverage:
    return Coverage(
        kind=kind,
        n=100,
        n_groups=n_groups,
        correlation=0.5,
        by_group=by_group,
        bootstrap=0.5,
        by_question=0.5,
        size_by_group=0.5,
        size_by_question=0.5,
        differing=20,
    )


def claims(words: float = 0.04, adjusted: float = 0.04) -> Claims:
    return Claims(
        kind="hit",
        n=100,
        n_groups=21,
        correlation=0.0,
        words=words,
        adjusted=adjusted,
        unadjusted=0.5,
        adjusted_by_question=0.5,
        unadjusted_by_question=0.9,
    )


def of(*coverages: Coverage, family: Claims | None = None, repetitions: int = REPETITIONS) -> Calibration:
    return Calibration(repetitions=repetitions, coverages=coverages, shares=(), claims=(family or claims(),))


def quarter_as_wide(values, groups) -> Interval:  # type: ignore[no-untyped-def]
    right = clustered_mean(values, groups)
    return replace(
        right, low=right.mean - (right.mean - right.low) / 4, high=right.mean + (right.high - right.mean) / 4
    )


@pytest.mark.parametrize("share", [0.93, 0.95, 0.97])
def test_coverage_from_93_to_97_percent_is_within_its_bound(share: float) -> None:
    assert broken(of(coverage(by_group=share), coverage("symmetric", by_group=share))) == []


@pytest.mark.parametrize("share", [0.9295, 0.9705, 0.5])
@pytest.mark.parametrize("kind", ["normal", "symmetric"])
def test_coverage_outside_is_named_with_its_cell(share: float, kind: str) -> None:
    found = broken(of(coverage(), coverage(kind, by_group=share)))
    assert len(found) == 1
    assert f"coverage, {kind}, 100 questions (20 groups), correlation 0.5" in found[0]


def test_one_sided_sparse_differences_and_fewer_than_20_groups_have_no_bound() -> None:
    assert broken(of(coverage("one-sided sparse", by_group=0.6), coverage(n_groups=19, by_group=0.6))) == []


@pytest.mark.parametrize(
    ("family", "expected"), [(claims(words=0.0505, adjusted=0.0505), 2), (claims(adjusted=0.0505), 1), (claims(), 0)]
)
def test_a_family_wise_error_above_5_percent_breaks_its_bound(family: Claims, expected: int) -> None:
    assert len(broken(of(coverage(), family=family))) == expected


def test_only_a_short_run_is_allowed_the_error_of_the_simulation() -> None:
    assert slack(0.05, REPETITIONS) == 0
    assert slack(0.05, 100) == pytest.approx(3 * (0.05 * 0.95 / 100) ** 0.5)
    barely = coverage(by_group=0.91)
    assert broken(of(barely, repetitions=100)) == []
    assert broken(of(barely)) != []


def test_a_short_run_ends_well_and_writes_every_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    assert main(["20", "--write", str(path)]) == 0
    page = path.read_text(encoding="utf-8")
    assert page.startswith(f"before\n\n{BEGIN}")
    assert page.endswith(f"{END}\n\nafter\n")
    assert "old" not in page
    assert rows(page) == every_cell()
    assert capsys.readouterr().out.splitlines()[-1] == "bounds: 32 of 32 hold"


def test_a_wrong_interval_is_found_out_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "page.md"
    path.write_text(f"{BEGIN}\nold\n{END}", encoding="utf-8")
    assert main(["20", "--write", str(path)], interval=quarter_as_wide) == 1
    assert path.read_text(encoding="utf-8") == f"{BEGIN}\nold\n{END}"
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("BROKEN: coverage")]
    assert len(told) == 2 * 4  # normal and symmetric, 100 and 300 questions, both correlations


@pytest.mark.parametrize("text", ["", BEGIN, f"{END}\n{BEGIN}", f"{BEGIN}{END}{BEGIN}", f"{BEGIN}{END}{END}"])
def test_a_page_without_its_two_markers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="once each"):
        written(text, "new")


def test_the_docs_hold_what_a_full_run_wrote() -> None:
    page = PAGE.read_text(encoding="utf-8")
    block = page[page.index(BEGIN) : page.index(END)]
    assert f"`python -m benchmarks.calibration --write docs/statistics.md`: {REPETITIONS:,} repetitions" in block
    assert rows(block) == every_cell()


def rows(page: str) -> int:
    """Table rows that start with a cell's place."""
    starts = tuple(f"| {start} |" for start in (*KINDS, "hit", *QUESTIONS))
    return sum(line.startswith(starts) for line in page.splitlines())


def every_cell() -> int:
    return CELLS * (len(KINDS) + 1 + len(SCORES))
