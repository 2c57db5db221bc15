"""Where evidence is lost: sums, the sentence, and who has no column and why."""

from dataclasses import replace

import pytest

from rag_ablation.core.errors import CommandError
from rag_ablation.experiment.study import Role
from rag_ablation.measures.fates import FATES
from rag_ablation.report.flow_svg import drawn
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.lost import lost_of
from tests.report.study.made import Asked, arm, as_role, bracket, failed, set_to, study

FAR = [f"x{place:02}" for place in range(12)]
ASKED = Asked(gold={"q1": {"a": 1, "b": 1}, "q2": {"c": 2}, "q3": {"d": 1}})
A = arm("A", ASKED, sparse={"q1": ["a", *FAR, "b"], "q2": ["x"], "q3": ["d"]})
C = arm(
    "C",
    ASKED,
    ("A",),
    sparse={"q1": ["a", *FAR, "b"], "q2": ["x"], "q3": ["d"]},
    dense={"q1": ["b", "a"], "q2": ["c"], "q3": [*FAR, "d"]},
    fused={"q1": ["b", "a"], "q2": ["c"], "q3": [*FAR, "d"]},
)


def with_counts(made: ArmResult, **counts: int) -> ArmResult:
    whole = {**dict.fromkeys(map(str, FATES), 0), **counts}
    return replace(made, record=replace(made.record, evidence={**made.record.evidence, "counts": whole}))


def test_every_arm_sums_to_the_relevant_units_and_its_points_to_a_hundred() -> None:
    found = lost_of(study(A, C, bracket("Oracle", ASKED)))
    assert found is not None
    assert (found.arms, found.total) == (("A", "C", "Oracle"), 4)
    assert {sum(counts.values()) for counts in found.counts.values()} == {4}
    assert all(found.recall[key] + sum(found.gap[key].values()) == 1000 for key in found.arms)
    assert found.counts["A"] == {**dict.fromkeys(map(str, FATES), 0), "kept": 2, "ranked_low": 1, "not_retrieved": 1}
    assert (found.recall["A"], found.gap["A"]) == (500, {"retrieval": 500})


def test_a_part_that_cannot_be_is_absent_and_one_that_was_not_is_0() -> None:
    found = lost_of(study(A, C))
    assert found is not None
    assert "fusion" not in found.gap["A"]
    assert found.gap["C"]["retrieval"] == 0


def test_the_sentence_speaks_of_the_best_arm_and_names_its_largest_loss() -> None:
    found = lost_of(study(A, C))
    assert found is not None
    assert found.flow_arm == "C"
    assert found.finding.plain() == (
        "Of 4\u00a0gold passages C keeps 3 in the context; its largest loss is lost_in_fusion, 1."
    )
    assert found.finding.plain("zh") == "4\u00a0段标注证据中，C 有 3 段进入上下文，最大的损失是 lost_in_fusion，1 段。"


def test_another_arm_can_be_asked_for_and_equal_losses_are_both_named() -> None:
    found = lost_of(study(A, C), focus="A")
    assert found is not None
    assert found.flow_arm == "A"
    assert found.finding.plain().endswith("its largest losses are ranked_low and not_retrieved, 1 each.")
    assert found.finding.plain("zh").endswith("最大的损失是 ranked_low 和 not_retrieved，各 1 段。")


def test_the_flow_carries_the_arms_key_and_all_units() -> None:
    found = lost_of(study(A, C))
    assert found is not None
    assert found.flow is not None
    assert (found.flow.arm, found.flow.n_units, found.flow.n_questions) == ("C", 4, 3)
    assert "C: 4 gold units" in drawn(found.flow)


def test_an_arm_without_loss_is_said_to_have_none() -> None:
    perfect = arm("A", ASKED, sparse={"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]})
    found = lost_of(study(perfect))
    assert found is not None
    assert found.finding.plain().endswith("keeps 4 in the context; it loses none.")
    hidden = lost_of(study(with_counts(perfect, kept=3, not_visible=1)))
    assert hidden is not None
    assert hidden.finding.plain().endswith("it loses none; not_visible 1.")
    assert any("not_visible 1 in A" in note.plain() for note in hidden.side)


def test_a_failed_arm_and_one_scored_on_other_units_have_no_column_and_the_margin_says_why() -> None:
    other = with_counts(replace(A, arm=replace(A.arm, key="other")), kept=7)
    found = lost_of(study(A, C, failed("F"), other))
    assert found is not None
    assert found.arms == ("A", "C")
    notes = [note.plain() for note in found.side]
    assert "No fates of F: failed." in notes
    assert "No fates of other: other gold units than the arms shown." in notes
    assert any(note.plain("zh") == "F 没有去向记录：失败。" for note in found.side)


def test_pool_context_and_window_stand_in_the_margin_by_arm_where_they_differ() -> None:
    lists = {"q1": ["a", "b"], "q2": ["c"], "q3": ["d"]}
    reranked = set_to(arm("R", ASKED, ("A",), sparse=lists, reranked=lists), rerank={"depth": 30})
    found = lost_of(study(A, C, reranked))
    assert found is not None
    assert "10 (A, C) and 30 (R)" in found.side[0].plain()
    assert "10（A、C）和 30（R）" in found.side[0].plain("zh")
    assert "first 10 of the last ranking" in found.side[0].plain()


def test_clauses_are_called_clauses() -> None:
    asked = Asked(gold={"q1": {"d#1": 1}}, clause_of={"p1": "d#1", "p2": "d#2"})
    found = lost_of(study(arm("A", asked, sparse={"q1": ["p2", "p1"]})))
    assert found is not None
    assert found.finding.plain() == "Of 1\u00a0gold clause A keeps 1 in the context; it loses none."


@pytest.mark.parametrize(
    "arms",
    [
        (failed("A"),),
        (bracket("Oracle", ASKED),),
        (as_role(A, Role.SWEEP),),
        (arm("A", Asked(gold={"q1": {}}), sparse={"q1": ["x"]}),),
        (replace(A, record=replace(A.record, evidence={})),),
    ],
    ids=["failed", "bracket alone", "sweep alone", "nothing scored", "no context"],
)
def test_without_fates_in_the_ladder_there_is_no_section(arms: tuple[ArmResult, ...]) -> None:
    assert lost_of(study(*arms)) is None


def test_a_damaged_table_is_not_passed_over() -> None:
    def broken(name: str, query: str | None) -> list[dict[str, object]]:
        raise CommandError.of("fates.parquet", "no such file", "a whole run")

    with pytest.raises(CommandError):
        lost_of(study(replace(A, rows=broken)))
