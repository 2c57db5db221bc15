from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.report.leaderboard import leaderboard, signed
from rag_ablation.report.markdown import escaped, to_markdown

DIGESTS = {"corpus": "c", "queries": "q", "labels": "l"}
SHARED = {"access": {"split": "dev"}, "scoring": {"cutoffs": [10]}, "dataset": {"sample": None}}


def arm(
    name: str, parents: tuple[str, ...] = (), *, digests: Mapping[str, str] = DIGESTS, **settings: object
) -> ArmRecord:
    return ArmRecord(
        id=name,
        arm=name.upper(),
        variant=name,
        parents=parents,
        status="finished",
        dataset="made",
        side="dev",
        final="sparse",
        settings={**SHARED, "sparse": {"name": "bm25", "k1": 1.5}, **settings},
        digests=digests,
        points={"final": {"ndcg@10": RecordedMean(value=None, n=0, excluded={"no_answer": 4}, reason="no_answer")}},
        counts={
            "scored": 4,
            "questions": 5,
            "groups": 4,
            "excluded_no_answer": 1,
            "stages_computed": 1,
            "stages_reused": 0,
        },
        latency={"reason": "switched off (latency=none)"},
    )


def values(*scores: float) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    return {"final/ndcg@10": np.array(scores), "final/mrr@10": np.array(scores), "group": np.arange(len(scores)) * 1.0}


def test_a_difference_is_paired_and_counts_wins_ties_and_losses() -> None:
    child = arm("b", ("a",), rerank={"name": "x"})
    board = leaderboard([arm("a"), child], [values(0, 1, 1, 0), values(1, 1, 0, 1)])
    (row,) = board.tables[1].rows
    assert row[0] == "B − A"
    assert row[1] == "4 (4)"
    assert row[2] == "+0.250"
    assert row[4] == "2/1/1"


def test_arms_on_different_labels_are_not_compared_and_the_table_says_why() -> None:
    child = arm("b", ("a",), digests={**DIGESTS, "labels": "other"})
    board = leaderboard([arm("a"), child], [values(0, 1), values(1, 1)])
    (row,) = board.tables[1].rows
    assert row[2] == "–"
    assert row[3] == "not comparable: labels differ"


def test_a_step_of_two_factors_is_said_to_be_confounded() -> None:
    child = arm("b", ("a",), sparse={"name": "bm25", "k1": 1.2}, rerank={"name": "x"})
    board = leaderboard([arm("a"), child], [values(0, 1), values(1, 1)])
    assert "2 factors: confounded" in board.tables[0].rows[1][1]
    assert any("differs from A in 2 factors" in remark for remark in board.remarks)


def test_an_undefined_mean_is_a_dash_and_never_0() -> None:
    board = leaderboard([arm("a")], [values(0)])
    assert board.tables[0].rows[0][7] == "–"


def test_a_failed_arm_has_a_state_a_reason_and_no_numbers() -> None:
    failed = ArmRecord(
        id="x",
        arm="X",
        variant="x",
        parents=(),
        status="failed",
        error="no model\ntrace",
        dataset="made",
        side="dev",
        settings=SHARED,
    )
    board = leaderboard([failed], [{}])
    assert board.tables[0].rows[0][:2] == ("X", "failed: no model")
    assert set(board.tables[0].rows[0][2:]) == {"–"}
    assert "failed: X: no model" in board.remarks


def test_exclusions_stand_beside_the_table() -> None:
    assert "scored 4 of 5 questions; excluded: 1 no_answer" in leaderboard([arm("a")], [values(0)]).remarks


def test_a_difference_that_rounds_to_zero_keeps_its_sign() -> None:
    assert signed(-0.0001) == "−0.000"
    assert signed(0.0001) == "+0.000"


def test_markup_in_names_is_text_in_the_note() -> None:
    named = arm("<script>alert(1)</script>|x")
    text = to_markdown(leaderboard([named], [values(0)]))
    assert "<SCRIPT>" not in text
    assert "\\|X" in text
    assert escaped("a|b<i>*") == "a\\|b&lt;i&gt;\\*"


def test_a_run_of_a_holdout_bears_its_marks_and_what_is_said_of_its_holdout() -> None:
    marked = replace(arm("a"), holdout={"marks": ["relabelled after opening"]})
    said = "spent holdout: opened 2 times (plan v1 of study s)"
    remarks = leaderboard([marked], [values(0)], {marked.id: [said]}).remarks
    assert remarks[:2] == (f"mark (A): {said}", "mark (A): relabelled after opening")
    assert not any(remark.startswith("mark") for remark in leaderboard([arm("a")], [values(0)]).remarks)
