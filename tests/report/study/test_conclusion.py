"""The two sentences, the denominators and what follows, in every way a study can end."""

import re
from typing import Any

import pytest

from rag_ablation.measures.uncertainty import clustered_mean
from rag_ablation.report.study.conclusion import conclusion_of
from rag_ablation.report.study.content import Conclusion, Unjudged, UnjudgedStep
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.ladder import ladder_of
from rag_ablation.report.study.needed import in_two_digits
from rag_ablation.report.study.question_types import types_of
from rag_ablation.report.study.sweeps import sweeps_of
from rag_ablation.report.study.words import Text
from tests.report.study.build import (
    BM25,
    DENSE,
    DIGESTS,
    RERANK,
    RRF,
    arm,
    bracket,
    failed,
    floats,
    skipped,
    study,
    timing,
    ups,
)
from tests.report.study.texts import kinds

N = 40
LOW, MIDDLE, HIGH = ups(0, N), ups(15, N), ups(30, N)
HARDLY = [value + (0.3 if place in (1, 38, 39) else 0) for place, value in enumerate(LOW)]


def found_of(results: StudyResults, unjudged: Unjudged | None = None) -> Found:
    ladder = ladder_of(results)
    return Found(
        results=results,
        ladder=ladder,
        types=types_of(results, ladder),
        sweeps=sweeps_of(results),
        unjudged=unjudged,
        holdout=None,
    )


def concluded(*arms: Any, unjudged: Unjudged | None = None, **declared: Any) -> Conclusion:
    return conclusion_of(found_of(study(*arms, **declared), unjudged))


def plain(text: Text, language: str = "en") -> str:
    return text.plain(language).replace("\u00a0", " ")


def sentences(conclusion: Conclusion, language: str = "en") -> list[str]:
    return [plain(said.sentence, language) for said in conclusion.sentences]


A = arm("A", LOW)
B = arm("B", HIGH, parents=("A",), settings=DENSE)


def test_a_gain_and_what_is_lost_and_open_after_it() -> None:
    near = [value + (0.05 if place in (1, 2) else 0) for place, value in enumerate(HIGH)]
    conclusion = concluded(
        A,
        B,
        arm("C", MIDDLE, parents=("A", "B"), settings=RRF),
        arm("B+D", near, parents=("B",), settings={**DENSE, **RERANK}),
    )
    assert sentences(conclusion) == [
        "Dense retrieval (B) is better than BM25 (A): mean nDCG@10 goes from 0.200 to 0.575.",
        "Fusion (C) is worse than dense retrieval (B), the better of its parents: mean nDCG@10 goes from 0.575 to "
        "0.388; dense retrieval with a cross-encoder (B+D) is not distinguishable on these 40 questions (40 groups) "
        "from dense retrieval (B).",
    ]
    assert sentences(conclusion, "zh") == [
        "稠密检索（B）优于 BM25（A）：nDCG@10 均值由 0.200 升到 0.575。",
        "融合（C）差于几个父方案中较好的稠密检索（B）：nDCG@10 均值由 0.575 降到 0.388；稠密检索加交叉编码器（B+D）与稠密检索（B）"
        "在这 40 题（40 组）上无法区分。",
    ]
    assert kinds(conclusion.sentences) >= {"better", "worse", "undecided"}
    figures = [plain(said.figures) for said in conclusion.sentences]
    assert figures[0].endswith("adjusted p < 0.001 · 30 wins, 10 ties, 0 losses · n 40, 40 groups")
    assert figures[1].startswith("C − B −0.187 (")
    assert "(B+D) − B" not in figures[1]
    assert "B+D − B +0.003 (" in figures[1]


def test_with_nothing_decided_that_is_said_first() -> None:
    conclusion = concluded(
        A, arm("B", HARDLY, parents=("A",), settings=DENSE), arm("C", LOW, parents=("A", "B"), settings=RRF)
    )
    first, second = sentences(conclusion)
    assert first == (
        "None of the 3 steps compared is decided: each is not distinguishable on these 40 questions (40 groups)."
    )
    assert second.startswith("Nearest to a decision is dense retrieval (B) against BM25 (A): mean nDCG@10 goes from")
    assert "detectable difference" in plain(conclusion.sentences[0].figures)


def test_one_open_step_says_what_was_likely_to_show() -> None:
    first, second = sentences(concluded(A, arm("B", HARDLY, parents=("A",), settings=DENSE)))
    assert first.startswith("Dense retrieval (B) is not distinguishable on these 40 questions")
    assert second.startswith("A difference of 0.0")


def test_one_arm_says_what_it_reaches() -> None:
    conclusion = concluded(A, bracket("Oracle", N))
    assert sentences(conclusion) == ["BM25 (A) reaches a mean nDCG@10 of 0.200; no other arm was compared with it."]
    assert sentences(conclusion, "zh") == ["BM25（A）的 nDCG@10 均值为 0.200；没有与其他方案比较。"]
    assert "better" not in kinds(conclusion)


def test_with_nothing_scored_that_is_said_with_the_reasons() -> None:
    statuses = ["no_answer", "no_answer", "unreviewed"]
    conclusion = concluded(arm("A", [None] * 3, statuses=statuses), arm("B", [None] * 3, statuses=statuses))
    assert sentences(conclusion) == [
        "Nothing could be scored: none of the 3 questions asked has gold that counts, so every mean is undefined."
    ]
    assert plain(conclusion.sentences[0].figures) == ("2 no_answer (no gold by design) · 1 unreviewed (gold unknown)")
    assert conclusion.denominators.excluded == {"no_answer": 2, "unreviewed": 1, "no_relevant": 0, "not_visible": 0}


def test_without_a_finished_arm_there_is_one_sentence() -> None:
    conclusion = concluded(failed("A"), failed("B", parents=("A",)))
    assert sentences(conclusion) == ["No arm finished, so there is nothing to tell."]
    assert conclusion.alone is not None
    assert plain(conclusion.alone) == "A failed: no model; B failed: no model"


def test_only_losses_are_not_called_undecided() -> None:
    first, second = sentences(concluded(arm("A", HIGH), arm("B", LOW, parents=("A",), settings=DENSE)))
    assert first == "No arm is better than its parent."
    assert second == "Dense retrieval (B) is worse than BM25 (A): mean nDCG@10 goes from 0.575 to 0.200."


def test_under_six_groups_there_is_no_verdict_whatever_the_difference() -> None:
    groups = [place % 5 for place in range(N)]
    conclusion = concluded(arm("A", LOW, groups=groups), arm("B", HIGH, parents=("A",), groups=groups, settings=DENSE))
    first, second = sentences(conclusion)
    assert first == (
        "No verdict is possible: the 40 scored questions form 5 groups, and under 6 groups no step can be decided."
    )
    assert (
        second
        == "The largest difference seen is that of dense retrieval (B) from BM25 (A): +0.375 nDCG@10, without a verdict."
    )
    assert not kinds(conclusion) & {"better", "worse", "undecided"}


def test_a_parent_that_failed_is_not_passed_over_in_silence() -> None:
    conclusion = concluded(
        A, failed("B", parents=("A",), settings=DENSE), arm("C", HIGH, parents=("A", "B"), settings=RRF)
    )
    assert sentences(conclusion)[0].startswith(
        "Fusion (C) is better than BM25 (A), the only one of its parents that could be compared: "
    )


def test_a_confounded_gain_and_one_that_is_too_small_to_matter_say_so_below() -> None:
    confounded = concluded(A, arm("B", HIGH, parents=("A",), settings={**DENSE, **RERANK}))
    assert plain(confounded.sentences[0].figures).endswith("2 factors at once: confounded")
    small = concluded(A, B, smallest_difference=0.5)
    assert plain(small.sentences[0].figures).endswith("less than the 0.5 that matters")


def test_arms_of_one_kind_are_called_by_their_keys() -> None:
    first, _ = sentences(concluded(A, arm("B", HIGH, parents=("A",))))
    assert first == "B is better than A: mean nDCG@10 goes from 0.200 to 0.575."


def test_arms_that_do_not_compare_say_why() -> None:
    conclusion = concluded(A, arm("B", HIGH, parents=("A",), settings=DENSE, digests={**DIGESTS, "labels": "x"}))
    assert sentences(conclusion) == [
        "Dense retrieval (B) reaches a mean nDCG@10 of 0.575; no other arm could be compared with it."
    ]
    assert plain(conclusion.sentences[0].figures).endswith("not comparable: labels differ")


def test_denominators_add_up() -> None:
    values = [0.5, 0.5, 0.5, None, None]
    groups = [0, 0, 1, 2, 2]
    statuses = ["scored", "scored", "scored", "no_answer", "unreviewed"]
    judged = {"q001": {"a": 2, "b": 0}, "q002": {"c": 1}, "q003": {"d": 1, "e": 1}, "q005": {"f": 2}}
    found = concluded(arm("A", values, groups=groups, statuses=statuses, judged=judged)).denominators
    assert (found.asked, found.asked_groups) == (5, 3)
    assert (found.scored, found.scored_groups) == (3, 2)
    assert found.gold == 4
    assert found.scored + sum(found.excluded.values()) == found.asked
    assert "final/ndcg at 10" in plain(found.setup)


def test_titles_fall_back_to_what_there_is() -> None:
    assert concluded(A).title.plain("zh") == "哪一步值得？"
    assert concluded(A, question={"en": "Q?"}).title.plain("zh") == "Q?"
    assert concluded(A, question={}).title.plain() == "made"


def test_an_open_step_at_the_top_leaves_the_decided_arm_standing() -> None:
    near = [value + (0.05 if place in (1, 2) else 0) for place, value in enumerate(HIGH)]
    rerank = arm("B+D", near, parents=("B",), settings={**DENSE, **RERANK})
    said = plain(concluded(A, B, rerank, timing=timing({"A": 1.0, "B": 15.6, "B+D": 110.7})).next[0])
    assert said.startswith("Stay with dense retrieval (B) until B+D proves itself")
    assert "at the median B+D takes 111 ms, B 16 ms (n 20)" in said
    assert "A difference of 0.02 was likely to show between B+D and B" in said


def test_an_arm_that_stands_higher_beside_the_ladder_is_to_be_settled_first() -> None:
    other = arm("X", [0.9 if place % 2 else 0.8 for place in range(N)])
    said = plain(concluded(A, B, other).next[0])
    assert said == (
        "Before going on with dense retrieval (B), settle X: it stands higher on these questions (0.850) and was "
        "compared with nothing."
    )


def test_a_failed_arm_comes_first_of_what_follows() -> None:
    first = plain(concluded(A, B, failed("F", parents=("B",))).next[0])
    assert first.startswith("Mend F and run rag-ablation study run made again")


def test_the_largest_loss_of_the_focus_is_named_with_its_command() -> None:
    counts = {"kept": 30, "ranked_low": 4, "lost_in_fusion": 9, "not_visible": 20}
    child = arm("B", HIGH, parents=("A",), settings=DENSE, evidence={"unit": "passage", "counts": counts})
    said = plain(concluded(A, child).next[1])
    assert said.startswith("The largest loss of dense retrieval (B) is lost_in_fusion, 9 of 63 gold passages:")
    assert "rag-ablation explain made:B --fate lost_in_fusion" in said


def test_an_arm_that_tried_the_remedy_says_what_came_of_it() -> None:
    before, after = {"kept": 30, "ranked_low": 9}, {"kept": 33, "not_promoted": 6}
    near = [value + (0.05 if place in (1, 2) else 0) for place, value in enumerate(HIGH)]
    child = arm("B", HIGH, parents=("A",), settings=DENSE, evidence={"counts": before})
    tried = arm("B+D", near, parents=("B",), settings={**DENSE, **RERANK}, evidence={"counts": after})
    other = arm("C", LOW, parents=("A",), settings=RRF, evidence={"counts": {"kept": 39}})
    said = next(found for text in concluded(A, child, tried, other).next if "largest loss" in (found := plain(text)))
    assert "B+D tried that on it and keeps 33 in place of 30 (+3); its own largest loss is not_promoted, 6." in said
    alone = next(found for text in concluded(A, child, other).next if "largest loss" in (found := plain(text)))
    assert "tried" not in alone, "another retriever is no reranker"


def test_what_a_skipped_arm_leaves_untested_is_said() -> None:
    ran = arm("D", LOW, parents=("A",), settings={**BM25, **RERANK})
    assert plain(concluded(A, B, skipped("E")).alone or Text((), ())) == (
        "E was skipped: its model cannot be had. Reranking with a cross-encoder is untested."
    )
    assert "untested" not in plain(concluded(A, ran, skipped("E")).alone or Text((), ()))


def test_a_sentence_that_begins_with_a_key_leaves_it_as_it_is_typed() -> None:
    alone = concluded(A, B, skipped("bm25_with_a_cross_encoder")).alone
    assert plain(alone or Text((), ())).startswith("bm25_with_a_cross_encoder was skipped: ")


def test_how_many_groups_are_needed_is_said_with_power_and_level() -> None:
    up_and_down = [value + (0.3 if place % 2 else -0.2) for place, value in enumerate(HIGH)]
    said = plain(concluded(A, B, arm("C", up_and_down, parents=("B",), settings=RRF)).next[0])
    assert re.search(r"between C and B takes about [\d,]+ groups \(80 % power, α 0\.05/2\); there are 40\.$", said)


def test_a_gap_in_what_is_judged_is_to_be_closed_before_a_step_is_believed() -> None:
    interval = clustered_mean(floats(HIGH), floats(range(N)).astype(int))
    step = UnjudgedStep(label="B − A", child=0.921, parent=0.995, as_scored=interval, all_relevant=None, warned=True)
    shares = Unjudged(finding=Text((), ()), cutoff=10, n=N, steps=(step,), limit=0.05)
    said = [plain(text) for text in concluded(A, B, unjudged=shares).next]
    assert said[1].startswith("Before believing B − A, have the unjudged passages judged")
    assert "a share of 0.921 is judged for B, 0.995 for A (n 40)" in said[1]
    assert "rag-ablation judge pool made" in said[1]


def test_no_more_than_four_things_follow() -> None:
    counts = {"kept": 30, "ranked_low": 4}
    child = arm("B", HARDLY, parents=("A",), settings=DENSE, evidence={"unit": "passage", "counts": counts})
    assert len(concluded(A, child, failed("F", parents=("A",)), skipped("D", parents=("A",))).next) <= 4


@pytest.mark.parametrize(("needed", "said"), [(6, 6), (57, 57), (100, 100), (185, 190), (307, 310), (10_001, 11_000)])
def test_groups_needed_are_said_in_two_digits_and_never_too_few(needed: int, said: int) -> None:
    assert in_two_digits(needed) == said
