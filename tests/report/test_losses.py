"""The tables of lost evidence: sums, dashes, denominators, and arms left out with a reason."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.record import ArmRecord
from rag_ablation.measures.fates import FATES, GAPS
from rag_ablation.report.leaderboard import Leaderboard, leaderboard
from rag_ablation.report.losses import fates_by_type, losses, with_details, with_points
from rag_ablation.report.markdown import to_markdown
from tests.report.test_leaderboard import arm, values

TOP = {"name": "top", "depth": 10, "unit": "passage", "budget": None, "max_passages": None}
FUSION = {"fusion": {"name": "rrf", "window": 100}, "dense": {"name": "x", "depth": 100}}


def evidence(gap: Mapping[str, float], groups: Mapping[str, int] | None = None, **counts: int) -> dict[str, object]:
    whole = {**dict.fromkeys(map(str, FATES), 0), **counts}
    return {
        "unit": "passage",
        "counts": whole,
        "by_type": {"table": whole},
        "group_counts": groups or {},
        "gap": {**dict.fromkeys(GAPS, 0.0), **gap},
        "gap_by_type": {"table": {**dict.fromkeys(GAPS, 0.0), **gap}},
    }


def lossy(name: str, found: Mapping[str, object], context: Mapping[str, object] = TOP, **settings: object) -> ArmRecord:
    return replace(arm(name, context=context, **settings), evidence=found)


def row(record: ArmRecord) -> dict[str, str]:
    table = losses([record]).points
    assert table is not None
    return dict(zip(table.headings, table.rows[0], strict=True))


def test_points_have_one_decimal_and_stand_beside_their_denominator() -> None:
    found = row(lossy("a", evidence({"retrieval": 0.131}, kept=9, ranked_low=1)))
    assert (found["context recall"], found["retrieval"]) == ("86.9", "13.1")
    assert found["relevant units (questions)"] == "10 (4)"


@given(st.lists(st.floats(0, 0.16), min_size=len(GAPS), max_size=len(GAPS)))
def test_a_row_adds_up_to_100_as_it_is_shown(parts: list[float]) -> None:
    found = row(lossy("a", evidence(dict(zip(GAPS, parts, strict=True)), kept=1)))
    shown = [found["context recall"], *(found[part] for part in GAPS if found[part] != "–")]
    assert sum(round(10 * float(cell)) for cell in shown) == 1000
    exact = dict(zip(GAPS, parts, strict=True))
    assert all(abs(float(found[part]) - 100 * exact[part]) < 0.1 + 1e-9 for part in GAPS if found[part] != "–")


def test_a_part_that_cannot_occur_is_a_dash_and_one_that_could_and_did_not_is_0() -> None:
    nothing = evidence({}, kept=1)
    assert [row(lossy("a", nothing))[part] for part in GAPS] == ["0.0", "–", "–", "–", "–", "–"]
    assert row(lossy("a", nothing, **FUSION))["fusion"] == "0.0"
    reranked = row(lossy("a", nothing, rerank={"name": "x", "depth": 50}))
    assert (reranked["reranking"], reranked["promotion"]) == ("0.0", "0.0")


def test_a_pool_no_deeper_than_the_context_loses_nothing_in_reranking() -> None:
    assert row(lossy("a", evidence({}, kept=1), rerank={"name": "x", "depth": 10}))["reranking"] == "–"


@pytest.mark.parametrize("limit", [{"budget": 100}, {"max_passages": 3}, {"unit": "document"}])
def test_the_context_can_lose_only_where_it_leaves_something_out(limit: Mapping[str, object]) -> None:
    assert row(lossy("a", evidence({}, kept=1), {**TOP, **limit}))["context"] == "0.0"


def test_redundant_needs_evidence_groups() -> None:
    assert row(lossy("a", evidence({}, {"kept": 2}, kept=1)))["redundant"] == "0.0"


def test_what_did_occur_is_shown_whatever_the_settings_say() -> None:
    assert row(lossy("a", evidence({"fusion": 0.1}, kept=9, lost_in_fusion=1)))["fusion"] == "10.0"


def test_the_oracle_is_the_ceiling_and_its_shortfall_stands_under_context() -> None:
    found = row(lossy("a", evidence({"context": 0.02}, kept=49, lost_in_context=1), {"name": "gold", "depth": 10}))
    assert (found["context recall"], found["context"]) == ("98.0", "2.0")
    assert {found[part] for part in GAPS if part != "context"} == {"–"}


def test_hidden_units_weigh_nothing_and_are_told() -> None:
    record = lossy("a", evidence({}, kept=3, not_visible=2))
    assert row(record)["relevant units (questions)"] == "3 (4)"
    (remark,) = losses([record]).remarks
    assert remark.startswith("A: 2 more relevant units")


def test_an_arm_without_evidence_is_left_out_with_its_reason() -> None:
    failed = replace(arm("f"), status="failed", error="no model")
    found = losses([lossy("a", evidence({}, kept=1)), failed, arm("b")])
    assert found.points is not None
    assert [cells[0] for cells in found.points.rows] == ["A"]
    assert found.remarks == ("no fates of evidence: F: failed", "no fates of evidence: B: it has no context")


def test_without_any_evidence_there_is_no_table() -> None:
    found = losses([arm("b")])
    assert found.points is None
    assert with_details(with_points(Leaderboard(tables=(), remarks=()), found), found).tables == ()


def test_fates_by_type_add_up_and_end_with_all_types() -> None:
    table = fates_by_type(lossy("a", evidence({"retrieval": 0.25}, kept=3, ranked_low=1)))
    assert [cells[0] for cells in table.rows] == ["table", "all"]
    assert table.rows[1][1:3] == ("4 (4)", "75.0")
    assert sum(int(cell) for cell in table.rows[1][3:] if cell != "–") == 4
    assert "4 relevant units of 4 scored questions" in table.title


def test_the_counts_stand_in_the_note_and_not_on_the_screen() -> None:
    records = [lossy("a", evidence({}, {"kept": 2}, kept=1))]
    found = losses(records)
    screen = with_points(leaderboard(records, [values(0)]), found)
    assert [table.title.split(",")[0] for table in screen.tables[1:]] == ["where evidence is lost"]
    note = to_markdown(with_details(screen, found))
    assert note.index("where evidence is lost") < note.index("evidence groups") < note.index("fates by question type")
