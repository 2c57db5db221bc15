"""Arms that cut the corpus in different ways, side by side."""

from dataclasses import replace

import pytest

from rag_ablation.core.record import ArmRecord
from rag_ablation.report.leaderboard import leaderboard
from tests.report.test_leaderboard import DIGESTS, SHARED, arm, values


def cut(name: str, size: int, unit: str | None, **settings: object) -> ArmRecord:
    scoring = {**SHARED["scoring"], "unit": unit}
    chunking = {"name": "fixed", "size": size, "coverage": 0.5, **settings}
    return arm(name, digests={**DIGESTS, "chunks": f"{size}"}, chunking=chunking, scoring=scoring)


def named(record: ArmRecord, arm_name: str) -> ArmRecord:
    return replace(record, arm=arm_name)


def rows(*arms: ArmRecord) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    board = leaderboard(arms, [values(0, 1, 1, 0), values(1, 1, 0, 1)])
    return list(board.tables[1].rows), board.remarks


@pytest.mark.parametrize("unit", ["clause", "document", None])
def test_at_a_unit_that_does_not_move_the_size_is_a_factor_like_any_other(unit: str | None) -> None:
    one, two = cut("x", 128, unit), named(cut("x", 256, unit), "Y")
    (row,), _ = rows(one, two)
    assert (row[0], row[2]) == ("Y − X", "+0.250")
    assert "chunking.size 128 → 256" in leaderboard([one, two], [values(0), values(1)]).tables[0].rows[1][1]


def test_at_the_passage_they_are_not_subtracted_and_a_line_says_why() -> None:
    (row,), remarks = rows(cut("x", 128, "passage"), named(cut("x", 256, "passage"), "Y"))
    assert (row[2], row[3]) == ("–", "not comparable: chunks differ")
    (why,) = [remark for remark in remarks if remark.startswith("Y − X: not comparable")]
    assert "unit=clause or unit=document" in why


def test_another_coverage_is_another_gold_at_the_passage() -> None:
    (row,), _ = rows(cut("x", 128, "passage"), named(cut("x", 128, "passage", coverage=0.9), "Y"))
    assert row[3] == "not comparable: chunks differ"


def test_a_cut_and_an_uncut_arm_compare_only_at_a_unit_given_to_both() -> None:
    uncut = arm("x", scoring={**SHARED["scoring"], "unit": None})
    (row,), remarks = rows(uncut, named(cut("x", 128, "clause"), "Y"))
    assert row[3] == "not comparable: chunks differ"
    assert any("at the unit clause and the dataset's own unit" in remark for remark in remarks)
    given = arm("x", scoring={**SHARED["scoring"], "unit": "clause"})
    (row,), _ = rows(given, named(cut("x", 128, "clause"), "Y"))
    assert row[2] == "+0.250"


def test_arms_that_differ_in_more_than_the_cut_are_no_pair_of_their_own() -> None:
    other = cut("x", 256, "clause")
    other = replace(other, arm="Y", settings={**other.settings, "sparse": {"name": "bm25", "k1": 9}})
    board = leaderboard([cut("x", 128, "clause"), other], [values(0), values(1)])
    assert len(board.tables) == 1
