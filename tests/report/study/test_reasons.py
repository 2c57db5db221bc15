"""Why a question moved: each sentence from ranks by hand, and what is claimed of them by arithmetic."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.report.study.flips import flips_of
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.words import Text
from tests.report.study.made import Asked, arm, ladder, set_to, study

FAR = [f"x{place:02}" for place in range(1, 80)]
ONE = Asked(gold={"q1": {"a": 1}})
Points = Mapping[str, Sequence[str]]


def made(key: str, *parents: str, asked: Asked = ONE, **points: Sequence[str]) -> ArmResult:
    return arm(key, asked, parents, **{point: {"q1": ranked} for point, ranked in points.items()})


def why(*arms: ArmResult, label: str | None = None) -> Text | None:
    results = study(*arms)
    found = flips_of(results, ladder(results, label or f"{arms[-1].key} − {arms[0].key}"))
    assert found is not None
    return found.questions[0].why


def said(*arms: ArmResult, label: str | None = None) -> tuple[str, str]:
    found = why(*arms, label=label)
    assert found is not None
    return found.plain(), found.plain("zh")


def at(rank: int, filler: Sequence[str] = FAR) -> list[str]:
    return [*filler[: rank - 1], "a"]


def test_fusion_of_a_hit_that_one_list_alone_has() -> None:
    parent = made("A", sparse=["a", *FAR[:20]])
    child = made("C", "A", sparse=["a", *FAR[:20]], dense=FAR[:30], fused=at(14))
    assert said(parent, child) == (
        "BM25 has the gold first, dense retrieval has it nowhere in its first 100; fusion puts it at 14, "
        "and at least 12 of the 13 before it are in both lists.",
        "BM25 把标注证据排在第 1，稠密检索的前 100 名中没有它；融合后排第 14，排在前面的 13 段中至少 12 段两个列表都有。",
    )


def test_fusion_of_a_hit_that_both_lists_have() -> None:
    parent = made("B", dense=at(12))
    child = made("C", "B", sparse=at(3), dense=at(12), fused=["a"])
    assert said(parent, child) == (
        "BM25 has the gold at 3, dense retrieval has it at 12; fusion puts it first.",
        "BM25 把标注证据排在第 3，稠密检索把它排在第 12；融合后排第 1。",
    )


@pytest.mark.parametrize("fusion", [{"weights": [2, 1]}, {"unit": "clause"}, {"name": "other"}])
def test_what_equal_weights_imply_is_not_said_of_other_fusion(fusion: Mapping[str, object]) -> None:
    parent = made("A", sparse=["a"])
    child = set_to(made("C", "A", sparse=["a"], dense=FAR[:30], fused=at(14)), fusion=fusion)
    assert said(parent, child)[0].endswith("fusion puts it at 14.")


def test_what_lies_below_the_window_is_said_to() -> None:
    parent = made("B", dense=["a"])
    child = set_to(made("C", "B", sparse=at(60), dense=["a"], fused=at(12)), fusion={"window": 50})
    english, chinese = said(parent, child)
    assert english.startswith("BM25 has the gold at 60 (below the window of 50), dense retrieval has it first;")
    assert chinese.startswith("BM25 把标注证据排在第 60（在窗口 50 之外），稠密检索把它排在第 1；")


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(24)), st.permutations(range(24)), st.integers(0, 24), st.integers(0, 80))
def test_as_many_as_claimed_are_in_both_lists(
    first: list[int], second: list[int], length: int, rank_constant: int
) -> None:
    sparse, dense = (["a" if one == 0 else FAR[one] for one in order][:length] for order in (first, second))
    dense = [name for name in dense if name != "a"]
    if "a" not in sparse:
        return
    score = {
        name: sum(1 / (rank_constant + own.index(name) + 1) for own in (sparse, dense) if name in own)
        for name in {*sparse, *dense}
    }
    fused = sorted(score, key=lambda name: (-round(score[name], 12), name))
    if fused.index("a") == sparse.index("a"):
        return
    before = fused[: fused.index("a")]
    both = sum(name in sparse and name in dense for name in before)
    parent, child = made("A", sparse=sparse), made("C", "A", sparse=sparse, dense=dense, fused=fused)
    results = study(parent, child)
    flips = flips_of(results, ladder(results))
    sentence = "" if flips is None or flips.questions[0].why is None else flips.questions[0].why.plain()
    claimed = int(sentence.split("at least ")[1].split(" ")[0]) if "at least" in sentence else 0
    assert both >= claimed
    assert flips is None or claimed == max(0, len(before) + 1 - 2 * (sparse.index("a") + 1))


def test_a_reranker_that_lifts_a_hit_out_of_the_pool() -> None:
    parent = made("A", sparse=at(46))
    child = made("D", "A", sparse=at(46), reranked=["a"])
    assert said(parent, child) == (
        "BM25 has the gold at 46 and the reranker puts it first.",
        "BM25 把标注证据排在第 46，重排后排第 1。",
    )


def test_a_reranker_behind_fusion_that_pushes_a_hit_down() -> None:
    lists = {"sparse": ["a"], "dense": at(2), "fused": ["a"]}
    parent, child = made("C", **lists), made("D", "C", **lists, reranked=at(17))
    assert said(parent, child) == (
        "Fusion has the gold first and the reranker puts it at 17.",
        "融合把标注证据排在第 1，重排后排第 17。",
    )


def test_two_pools_under_one_reranker() -> None:
    parent = made("A+D", sparse=FAR[:30], reranked=FAR[:30])
    child = made("D", "A+D", sparse=FAR[:30], dense=["a"], fused=at(11), reranked=["a"])
    assert said(parent, child) == (
        "In A+D the first 50 of BM25 are reranked, without the gold among them; "
        "in D fusion has it at 11 and the reranker puts it first.",
        "A+D 重排 BM25 的前 50 名，其中没有标注证据；D 中融合把它排在第 11，重排后排第 1。",
    )


def test_a_pool_that_ends_before_the_hit() -> None:
    parent = made("B+D", dense=["a"], reranked=["a"])
    child = made("D", "B+D", sparse=FAR, dense=["a"], fused=at(57), reranked=at(57))
    assert said(parent, child) == (
        "In B+D dense retrieval has the gold first and the reranker leaves it there; "
        "in D fusion has it at 57, below the first 50, which are reranked.",
        "B+D 中稠密检索把标注证据排在第 1，重排后不变；D 中融合把它排在第 57，在参与重排的前 50 名之外。",
    )


def test_one_retriever_in_the_place_of_another() -> None:
    assert said(made("A", sparse=FAR[:9]), made("B", "A", dense=["a"])) == (
        "BM25 has the gold nowhere in its first 100, dense retrieval has it first.",
        "BM25 的前 100 名中没有标注证据，稠密检索把它排在第 1。",
    )


def test_a_setting_alone_gives_the_two_places() -> None:
    parent = made("A", sparse=at(4))
    child = set_to(made("A′", "A", sparse=["a"]), sparse={"k1": 1.2})
    assert said(parent, child) == (
        "The gold stands at 4 in A and first in A′.",
        "标注证据在 A 中排第 4，在 A′ 中排第 1。",
    )


def test_a_step_of_several_factors_gives_the_two_places() -> None:
    parent = made("A", sparse=FAR[:9])
    child = made("D", "A", sparse=FAR[:9], dense=["a"], fused=at(2), reranked=["a"])
    assert said(parent, child)[0] == "The gold stands without a recorded place in A and first in D."


def test_ranks_that_do_not_fit_the_step_give_the_two_places() -> None:
    parent = made("A", sparse=at(4))
    child = made("C", "A", sparse=at(7), dense=["a"], fused=["a"])
    assert said(parent, child)[0] == "The gold stands at 4 in A and first in C."


def test_without_recorded_fates_there_are_only_places_among_the_first_ten() -> None:
    parent, child = made("A", sparse=at(4)), made("C", "A", sparse=at(4), dense=["a"], fused=["a"])
    bare = [replace(one, record=replace(one.record, evidence={})) for one in (parent, child)]
    assert said(*bare)[0] == "The gold stands at 4 in A and first in C."


TWO = Asked(gold={"q1": {"a": 1, "b": 2}})


def test_of_several_the_one_that_does_most_for_the_difference_is_named() -> None:
    parent = made("A", asked=TWO, sparse=["b", "a"])
    child = made("B", "A", asked=TWO, dense=["a", *FAR[:2], "b"])
    assert said(parent, child) == (
        "Of 2\u00a0gold passages, b moves most: BM25 has it first, dense retrieval has it at 4.",
        "2\u00a0段标注证据中，b 变动最大：BM25 把它排在第 1，稠密检索把它排在第 4。",
    )


def test_the_one_named_moves_the_way_the_question_does() -> None:
    parent = made("A", asked=TWO, sparse=["x", "a", "y", "b"])
    child = made("B", "A", asked=TWO, dense=["b", "x"])
    assert said(parent, child)[0].startswith("Of 2\u00a0gold passages, b moves most")


def test_nothing_is_said_where_no_relevant_unit_moves() -> None:
    graded = Asked(gold={"q1": {"a": 2, "h": 1}})
    parent = made("A", asked=graded, sparse=["a", "x", "h"])
    child = made("B", "A", asked=graded, dense=["a", "h"])
    strict = []
    for one in (parent, child):
        kept = [row for row in one.rows("fates", None) if row["unit"] == "a"]
        strict.append(
            replace(
                one, rows=lambda name, query, one=one, kept=kept: kept if name == "fates" else one.rows(name, query)
            )
        )  # type: ignore[misc]
    assert why(*strict) is None
