"""Recall by cutoff: the curves, and a sentence that fits the arm."""

from dataclasses import replace

from rag_ablation.report.study.ceilings import ceilings_of
from rag_ablation.report.study.content import Ceilings
from tests.report.study.made import Asked, arm, bracket, failed, set_to, study

FAR = [f"x{place:02}" for place in range(60)]
ASKED = Asked(gold={"q1": {"a": 1, "b": 1}, "q2": {"c": 2}, "q3": {"d": 1}, "q4": {}})
SPARSE = {"q1": ["x", "a", *FAR[:20], "b"], "q2": ["c"], "q3": FAR[:5], "q4": ["x"]}
DENSE = {"q1": ["b", "a"], "q2": [*FAR[:20], "c"], "q3": ["d"], "q4": []}
FUSED = {"q1": ["x", "b", "a"], "q2": [*FAR[:10], "c"], "q3": ["x", "d"], "q4": ["x"]}
RERANKED = {"q1": ["b", "x", "a"], "q2": ["c", *FAR[:10]], "q3": ["d", "x"], "q4": ["x"]}
A = arm("A", ASKED, sparse=SPARSE)
B = arm("B", ASKED, sparse=DENSE)
C = arm("C", ASKED, ("A", "B"), sparse=SPARSE, dense=DENSE, fused=FUSED)
D = arm("D", ASKED, ("C",), sparse=SPARSE, dense=DENSE, fused=FUSED, reranked=RERANKED)
ALL = study(A, B, C, D, bracket("Oracle", ASKED), failed("F"))


def of(key: str) -> Ceilings:
    found = ceilings_of(ALL, key)
    assert found is not None
    return found


def test_points_stand_in_the_order_of_the_pipeline_with_n_and_interval() -> None:
    found = of("D")
    assert [curve.point for curve in found.points] == ["sparse", "dense", "fused", "reranked", "context"]
    fused = found.points[2]
    assert fused.cutoffs == (1, 3, 5, 10, 50)
    assert [round(mean.value or 0, 3) for mean in fused.means] == [0, 0.667, 0.667, 0.667, 1]
    assert all(mean.n == 3 and mean.low is not None for mean in fused.means)
    assert found.pool == 50


def test_the_ceiling_is_what_a_perfect_ranking_reaches() -> None:
    found = of("D")
    assert [round(mean.value or 0, 3) for mean in found.ceiling.means] == [0.833, 1, 1, 1, 1]
    assert found.side[0].plain() == (
        "The ceiling is below 1 at K = 1 because some questions have more gold passages than that."
    )


def test_the_context_ends_where_it_ends() -> None:
    assert of("D").points[-1].cutoffs == (1, 3, 5, 10)
    four = set_to(D, context={"depth": 4})
    found = ceilings_of(study(four), "D")
    assert found is not None
    assert found.points[-1].cutoffs == (1, 3, 5)
    beside = ceilings_of(study(set_to(four, context={"neighbours": 1})), "D")
    assert beside is not None
    assert beside.points[-1].cutoffs == (1, 3, 5, 10, 50)


def test_other_arms_of_the_ladder_stand_beside_it_at_final() -> None:
    found = of("C")
    assert list(found.others) == ["A", "B", "D"]
    assert {curve.point for curve in found.others.values()} == {"final"}
    assert found.pool is None


def test_of_a_reranker_it_is_said_what_the_pool_holds_and_what_it_changes() -> None:
    found = of("D").finding
    assert found.plain().replace("\u00a0", " ") == (
        "In arm D the pool of 50 holds on average 100.0 % of a question’s gold, before and after reranking; "
        "what reranking changes is recall@1, 0.000 to 0.833, under a ceiling of 0.833 (n 3)."
    )
    assert found.plain("zh").replace("\u00a0", " ") == (
        "方案 D 的 50 段候选池在重排前后都平均含每题 100.0 % 的标注证据；"
        "重排所改变的是 recall@1，由 0.000 到 0.833，上限 0.833（n 3）。"
    )


def test_where_the_depth_of_the_pool_was_no_cutoff_only_the_depth_is_said() -> None:
    found = ceilings_of(study(set_to(D, rerank={"depth": 30})), "D")
    assert found is not None
    assert found.finding.plain().startswith("In arm D the reranker reads 30 passages; what reranking changes")


def test_a_pool_of_passages_is_not_spoken_of_in_clauses() -> None:
    asked = Asked(gold={"q1": {"d#1": 1}, "q2": {"d#2": 1}}, clause_of={"p1": "d#1", "p2": "d#2"})
    lists = {"q1": ["p2", "p1"], "q2": ["p1", "p2"]}
    found = ceilings_of(study(arm("D", asked, sparse=lists, reranked=lists)), "D")
    assert found is not None
    assert found.finding.plain().startswith(
        "In arm D the reranker reads 50 passages; reranking leaves recall@1 at 0.000"
    )


def test_of_fusion_it_is_said_how_it_stands_to_its_better_list() -> None:
    assert of("C").finding.plain().replace("\u00a0", " ") == (
        "In arm C fusion has a recall@10 of 0.667, the better of its two lists (dense) 0.667, "
        "under a ceiling of 1.000 (n 3)."
    )


def test_of_one_list_it_is_said_how_much_is_a_matter_of_order() -> None:
    assert of("A").finding.plain().replace("\u00a0", " ") == (
        "In arm A recall@10 is 0.500, under a ceiling of 1.000, and recall@50 is 0.667 (n 3): "
        "a better order can win no more than the difference."
    )


def test_there_is_no_section_without_a_ranking_or_without_a_scored_question() -> None:
    assert ceilings_of(ALL, "Oracle") is None
    assert ceilings_of(ALL, "F") is None
    assert ceilings_of(ALL, "nobody") is None
    assert ceilings_of(study(arm("A", Asked(gold={"q": {}}), sparse={"q": ["x"]})), "A") is None


def test_there_is_no_section_where_recall_was_not_measured() -> None:
    points = {
        point: {name: mean for name, mean in means.items() if not name.startswith("recall@")}
        for point, means in A.record.points.items()
    }
    assert ceilings_of(study(replace(A, record=replace(A.record, points=points))), "A") is None
