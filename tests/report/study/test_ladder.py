"""The family of steps, the better parent, and what is said of them."""

import numpy as np
import pytest

from rag_ablation.experiment.study import Role, StudyArm
from rag_ablation.measures.family import Step, Word, compare_family
from rag_ablation.measures.planning import plan
from rag_ablation.report.study.choice import chosen, focus_of, standing, word_of
from rag_ablation.report.study.content import Ladder, LadderRow, LadderStep
from rag_ablation.report.study.ladder import ladder_of
from tests.report.study.build import (
    BM25,
    DENSE,
    DIGESTS,
    PRIMARY,
    RERANK,
    RRF,
    arm,
    bracket,
    failed,
    skipped,
    study,
    ups,
)

N = 40
LOW, MIDDLE, HIGH = ups(0, N), ups(15, N), ups(30, N)


def step_of(ladder: Ladder, label: str) -> LadderStep:
    return next(step for step in ladder.steps() if step.label == label)


def row_of(ladder: Ladder, key: str) -> LadderRow:
    return next(row for row in ladder.rows if row.key == key)


def test_the_figures_of_a_step_are_those_of_the_family() -> None:
    results = study(
        arm("A", LOW),
        arm("B", MIDDLE, parents=("A",), settings=DENSE),
        arm("C", HIGH, parents=("A", "B"), settings=RRF),
    )
    ladder = ladder_of(results)
    a, b, c = (np.array(values) for values in (LOW, MIDDLE, HIGH))
    expected = compare_family(
        [Step("B − A", b, a), Step("C − A", c, a), Step("C − B", c, b)], np.arange(N, dtype=np.int64)
    )
    assert tuple(step.comparison for step in ladder.steps()) == expected
    first = expected[0].interval
    assert step_of(ladder, "B − A").detectable == pytest.approx(
        plan([1] * N, measured=first.standard_error, family=3).smallest_difference
    )


def test_gaps_are_sorted_from_the_largest_gain_and_leave_out_what_is_not_scored() -> None:
    results = study(arm("A", [0.5, 0.5, None, 0.5]), arm("B", [0.2, 0.9, None, 0.5], parents=("A",)))
    assert step_of(ladder_of(results), "B − A").gaps == pytest.approx((0.4, 0.0, -0.3))


def test_of_several_parents_the_better_one_is_that_with_the_higher_mean() -> None:
    results = study(arm("A", LOW), arm("B", MIDDLE, settings=DENSE), arm("C", HIGH, parents=("A", "B"), settings=RRF))
    ladder = ladder_of(results)
    assert not step_of(ladder, "C − A").better_parent
    assert step_of(ladder, "C − B").better_parent


def test_a_parent_that_does_not_compare_is_not_the_better_one_and_a_single_parent_is() -> None:
    other = {**DIGESTS, "labels": "x"}
    results = study(
        arm("A", LOW),
        arm("B", HIGH, settings=DENSE, digests=other),
        arm("C", MIDDLE, parents=("A", "B"), settings=RRF),
        arm("D", HIGH, parents=("C",), settings={**RRF, **RERANK}),
    )
    ladder = ladder_of(results)
    assert step_of(ladder, "C − A").better_parent
    assert not step_of(ladder, "C − B").better_parent
    assert step_of(ladder, "C − B").refused == "not comparable: labels differ"
    assert step_of(ladder, "D − C").better_parent


def test_a_failed_arm_counts_in_the_family_and_a_skipped_one_does_not() -> None:
    """One p of three tests is multiplied by the size of the family: 1, 2 with a failed step, 1 with a skipped one."""
    first, second = arm("A", LOW), arm("B", HIGH, parents=("A",), settings=DENSE)
    alone, with_failed, with_skipped = (
        step_of(ladder_of(study(first, second, *more)), "B − A").comparison
        for more in ((), (failed("X", parents=("A",)),), (skipped("X", parents=("A",)),))
    )
    assert alone is not None
    assert with_failed is not None
    assert with_skipped is not None
    assert with_failed.adjusted_p == pytest.approx(2 * alone.adjusted_p)
    assert with_skipped.adjusted_p == alone.adjusted_p


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (failed("B", parents=("A",)), "B failed"),
        (arm("B", HIGH, parents=("A",), digests={**DIGESTS, "corpus": "x"}), "not comparable: corpus differ"),
        (arm("B", HIGH[:-1], parents=("A",)), "not comparable: asked other questions than A"),
        (arm("B", [None] * N, parents=("A",)), "no question is scored on both"),
    ],
)
def test_a_step_that_cannot_be_compared_says_why_and_has_no_figures(other: object, reason: str) -> None:
    (step,) = ladder_of(study(arm("A", LOW), other)).steps()  # type: ignore[arg-type]
    assert step.refused == reason
    assert step.comparison is None
    assert step.gaps == ()
    assert step.detectable is None


def test_an_arm_that_was_never_run_is_a_refused_step() -> None:
    never = StudyArm(key="Z", role=Role.LADDER, overrides=("variant=dense",), parents=("A",))
    ladder = ladder_of(study(arm("A", LOW), undeclared=[never]))
    assert step_of(ladder, "Z − A").refused == "Z was not run"
    row = row_of(ladder, "Z")
    assert row.variant == "dense"
    assert row.note is not None
    assert row.note.plain() == "not run"


def test_an_arm_that_was_not_reached_says_why_and_keeps_its_step() -> None:
    declared = StudyArm(key="Z", role=Role.LADDER, overrides=("variant=dense",), parents=("A",))
    why = "an arm before it failed (study.fail_fast=true)"
    ladder = ladder_of(study(arm("A", LOW), undeclared=[declared], not_reached={"Z": why}))
    note = row_of(ladder, "Z").note
    assert note is not None
    assert (note.plain(), note.plain("zh")) == (f"not reached: {why}", f"未运行到：{why}")
    assert step_of(ladder, "Z − A").refused is not None


def test_a_bracket_with_a_mean_is_no_start_of_the_ladder() -> None:
    ladder = ladder_of(study(arm("A", LOW), arm("D", HIGH, role=Role.BRACKET)))
    note = row_of(ladder, "D").note
    assert note is not None
    assert (note.plain(), note.plain("zh")) == ("a ceiling or a floor: no step", "上限或下限：不是一步")


def test_rows_follow_the_study_with_brackets_last() -> None:
    results = study(
        bracket("Oracle", N),
        arm("A", LOW),
        arm("C k=1", LOW, role=Role.SWEEP),
        arm("B", HIGH, parents=("A",), settings=DENSE),
    )
    assert [row.key for row in ladder_of(results).rows] == ["A", "B", "Oracle"]


def test_what_changed_is_told_from_the_nearest_parent() -> None:
    ladder = ladder_of(
        study(
            arm("A", LOW),
            arm("B", MIDDLE, parents=("A",), settings=DENSE),
            arm("C", MIDDLE, parents=("A", "B"), settings=RRF),
            arm("D", HIGH, parents=("A", "C"), settings={**RRF, **RERANK}),
            arm("E", HIGH, parents=("D",), settings={**RRF, **RERANK, "fusion": {**RRF["fusion"], "window": 20}}),
        )
    )
    changed = {row.key: row.changed.plain() for row in ladder.rows}
    assert changed["A"] == "bm25 (okapi, jieba)"
    assert changed["B"] == "sentence_transformers (e5_small) replaces bm25"
    assert changed["C"] == "A and B fused by rrf (rank_constant 60, window 100)"
    assert changed["D"] == "C, first 50 to cross_encoder (small)"
    assert changed["E"] == "fusion.window 100 → 20"
    assert row_of(ladder, "C").changed.plain("zh") == "A 和 B 融合：rrf（rank_constant 60，window 100）"


def test_a_confounded_step_says_how_many_factors_it_changes() -> None:
    ladder = ladder_of(study(arm("A", LOW), arm("B", HIGH, parents=("A",), settings={**DENSE, **RERANK})))
    assert row_of(ladder, "B").changed.plain().endswith("(2 factors at once: confounded)")
    assert row_of(ladder, "B").changed.plain("zh").endswith("（同时改动 2 个因素：混杂）")


def test_notes_stand_where_there_are_no_steps() -> None:
    ladder = ladder_of(
        study(
            arm("A", LOW),
            failed("F", "no such model\ntrace", parents=("A",)),
            skipped("D", "no hub", parents=("A",)),
            arm("E", HIGH, parents=("D",), settings=DENSE),
            bracket("Oracle", N),
        )
    )
    notes = {row.key: row.note.plain() for row in ladder.rows if row.note is not None}
    assert notes["A"] == "start of the ladder: nothing to compare with"
    assert notes["F"] == "failed: no such model"
    assert notes["D"] == "skipped: no hub"
    assert notes["E"] == "nothing to compare with: D was skipped"
    assert notes["Oracle"].replace("\u00a0", " ") == (
        f"no ranking, so no nDCG@10; with the gold handed over, context recall is 1.000 (n {N})"
    )


def test_the_finding_counts_every_step_of_the_family() -> None:
    ladder = ladder_of(
        study(
            arm("A", LOW),
            arm("B", HIGH, parents=("A",), settings=DENSE),
            arm("C", LOW, parents=("B",), settings=RRF),
            failed("F", parents=("A",)),
            skipped("D", parents=("C",)),
        )
    )
    assert ladder.finding.plain().replace("\u00a0", " ") == (
        "Of 3 steps judged together: 1 better, 1 worse, 0 not distinguishable and 1 not comparable, on these 40 "
        "questions (40 groups). 1 more step was declared and left out, since D was skipped."
    )


def test_under_six_groups_no_step_has_a_verdict_or_a_detectable_difference() -> None:
    groups = [place % 5 for place in range(N)]
    ladder = ladder_of(study(arm("A", LOW, groups=groups), arm("B", HIGH, parents=("A",), groups=groups)))
    (step,) = ladder.steps()
    assert word_of(step) is Word.NO_VERDICT
    assert step.detectable is None
    assert "1 without a verdict (under 6 groups)" in ladder.finding.plain()


def test_the_gain_of_the_conclusion_is_the_last_one_unless_an_earlier_arm_stands_higher() -> None:
    up = study(arm("A", LOW), arm("B", MIDDLE, parents=("A",)), arm("C", HIGH, parents=("B",)))
    gain = chosen(ladder_of(up).rows).gain
    assert gain is not None
    assert gain.label == "C − B"
    branch = study(arm("A", LOW), arm("B", HIGH, parents=("A",)), arm("A+D", MIDDLE, parents=("A",)))
    gain = chosen(ladder_of(branch).rows).gain
    assert gain is not None
    assert gain.label == "B − A"


def test_a_gain_over_the_worse_parent_alone_is_no_gain() -> None:
    results = study(arm("A", LOW), arm("B", HIGH, settings=DENSE), arm("C", HIGH, parents=("A", "B"), settings=RRF))
    rows = ladder_of(results).rows
    assert word_of(step_of(ladder_of(results), "C − A")) is Word.BETTER
    assert chosen(rows).gain is None
    nearest = chosen(rows).open
    assert nearest is not None
    assert nearest.label == "C − B"


def test_the_open_step_named_is_the_one_nearest_to_a_decision() -> None:
    slightly = [value + (0.3 if place in (2, 5, 8, 11) else 0) for place, value in enumerate(LOW)]
    hardly = [value + (0.3 if place == 2 else 0) for place, value in enumerate(LOW)]
    results = study(arm("A", LOW), arm("B", hardly, parents=("A",)), arm("C", slightly, parents=("A",)))
    nearest = chosen(ladder_of(results).rows).open
    assert nearest is not None
    assert nearest.label == "C − A"


def test_three_steps_are_drawn_at_most_and_those_of_the_conclusion_come_first() -> None:
    results = study(
        arm("A", LOW),
        arm("B", HIGH, parents=("A",), settings=DENSE),
        arm("C", MIDDLE, parents=("A", "B"), settings=RRF),
        arm("D", MIDDLE, parents=("C",), settings={**RRF, **RERANK}),
    )
    ladder = ladder_of(results)
    assert [step.label for step in ladder.shown] == ["B − A", "C − B", "D − C"]
    assert ladder.remark is not None
    assert "from dense retrieval (B), the better parent on these questions" in ladder.remark.plain()


def test_where_there_is_room_an_arm_is_drawn_against_both_its_parents() -> None:
    results = study(
        arm("A", LOW),
        arm("B", HIGH, parents=("A",), settings=DENSE),
        arm("C", MIDDLE, parents=("A", "B"), settings=RRF),
    )
    assert [step.label for step in ladder_of(results).shown] == ["B − A", "C − A", "C − B"]


@pytest.mark.parametrize(("smallest", "said"), [(0.02, True), (0.001, False), (0.0, False)])
def test_an_open_step_whose_interval_is_smaller_than_what_matters_says_so(smallest: float, said: bool) -> None:
    near = [value + (0.01 if place in (1, 2) else 0) for place, value in enumerate(LOW)]
    results = study(arm("A", LOW), arm("B", near, parents=("A",)), smallest_difference=smallest)
    notes = [note.plain() for note in ladder_of(results).side]
    sentence = f"The interval of B − A lies within ±{smallest:g}, less than what matters."
    assert (sentence in notes) == said


def test_focus_is_the_gain_else_the_highest_mean() -> None:
    gained = study(arm("A", LOW), arm("B", MIDDLE, parents=("A",)))
    assert focus_of(ladder_of(gained).rows) == "B"
    assert focus_of(ladder_of(study(arm("A", LOW), arm("B", HIGH))).rows) == "B"
    assert focus_of(ladder_of(study(bracket("Oracle", N))).rows) is None


def test_the_arm_that_can_be_defended_lies_below_the_open_steps() -> None:
    hardly = [value + (0.3 if place == 39 else 0) for place, value in enumerate(MIDDLE)]
    stood = standing(
        ladder_of(study(arm("A", LOW), arm("B", MIDDLE, parents=("A",)), arm("C", hardly, parents=("B",)))).rows
    )
    assert stood is not None
    row, above = stood
    assert row.key == "B"
    assert [step.label for step in above] == ["C − B"]


def test_a_parent_of_several_words_takes_brackets() -> None:
    results = study(arm("B+D", LOW), arm("D", HIGH, parents=("B+D",)), arm("C k=1", HIGH, parents=("D",)))
    assert [step.label for step in ladder_of(results).steps()] == ["D − (B+D)", "C k=1 − D"]


def test_a_primary_measure_that_no_arm_has_leaves_every_row_without_a_mean() -> None:
    results = study(arm("A", LOW), arm("B", HIGH, parents=("A",)), primary="reranked/ndcg@10")
    ladder = ladder_of(results)
    assert [row.mean for row in ladder.rows] == [None, None]
    assert ladder.steps()[0].refused == "reranked/ndcg@10 was not measured on B"


def test_the_same_settings_are_said_to_be_the_same() -> None:
    ladder = ladder_of(study(arm("A", LOW), arm("B", LOW, parents=("A",), settings=BM25)))
    assert row_of(ladder, "B").changed.plain() == "the same settings as A"
    assert ladder.measure == PRIMARY
