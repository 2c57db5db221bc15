"""What nobody has judged, gathered from several arms."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import RagAblationError
from rag_ablation.core.record import ArmRecord
from rag_ablation.experiment.study import Role, StudyArm
from rag_ablation.report.pool import Pool, pool
from rag_ablation.report.study.inputs import ArmResult, Source, SourcePassage

STATUSES = {"q1": "scored", "q2": "no_relevant", "q3": "no_answer", "q4": "unreviewed"}
DIGESTS = {"corpus": "c", "queries": "q", "labels": "l"}
Lists = Mapping[str, Sequence[str]]


def source(absent: str | None = None) -> Source:
    def passage(name: str) -> SourcePassage | None:
        return SourcePassage(name, f"title {name}", f"text {name}", "D", name[:2]) if "@" not in name else None

    return Source(questions={"q1": "一？", "q2": "二？"}, passage=passage, absent=absent)


def arm(
    key: str,
    lists: Lists,
    judged: Mapping[str, Mapping[str, int]] | None = None,
    *,
    final: str | None = "fused",
    status: str = "finished",
    digests: Mapping[str, str] = DIGESTS,
    settings: Mapping[str, object] | None = None,
) -> ArmResult:
    rows = [
        {"query_id": query, "point": point, "rank": rank, "passage_id": name}
        for point in ("sparse", "fused")
        for query, names in lists.items()
        for rank, name in enumerate(names if point == "fused" else ["elsewhere"], start=1)
    ]
    record = ArmRecord(
        id=key, arm=key, variant=key, parents=(), status=status, dataset="made", side="dev", final=final,  # type: ignore[arg-type]
        settings=settings or {}, digests=digests,
    )  # fmt: skip
    return ArmResult(
        arm=StudyArm(key=key, role=Role.LADDER, overrides=()),
        record=record,
        query_ids=tuple(STATUSES),
        types=("t",) * 4,
        statuses=tuple(STATUSES.values()),
        groups=np.arange(4),
        values={},
        rows=lambda name, query: rows if (name, query) == ("top", None) else (),
        judged=lambda: judged or {},
    )


def pairs(found: Pool) -> list[tuple[str, str]]:
    return [(row.query_id, row.unit) for row in found.rows]


def gathered(*arms: ArmResult, unit: Unit = Unit.PASSAGE, depth: int = 10) -> Pool:
    return pool(arms, source(), unit=unit, depth=depth)


def test_each_unjudged_result_stands_once_with_every_arm_that_has_it() -> None:
    found = gathered(arm("A", {"q1": ["p1", "p2"]}), arm("B", {"q1": ["p2", "p3"]}))
    assert pairs(found) == [("q1", "p1"), ("q1", "p2"), ("q1", "p3")]
    both = found.rows[1]
    assert (both.found_by, both.best_rank) == ("A #2; B #1", 1)
    assert (both.question, both.type, both.title, both.text) == ("一？", "t", "title p2", "text p2")


def test_the_order_is_question_then_best_rank_then_id_whatever_the_order_of_arms() -> None:
    arms = [arm("A", {"q2": ["p9"], "q1": ["p2", "p1"]}), arm("B", {"q1": ["p1", "p3"]})]
    expected = [("q1", "p1"), ("q1", "p2"), ("q1", "p3"), ("q2", "p9")]
    assert pairs(gathered(*arms)) == expected == pairs(gathered(*reversed(arms)))


def test_what_was_judged_is_left_out_even_with_grade_0() -> None:
    judged = {"q1": {"p1": 0, "p2": 2}}
    assert pairs(gathered(arm("A", {"q1": ["p1", "p2", "p3"]}, judged))) == [("q1", "p3")]


def test_only_the_first_results_at_final_count() -> None:
    found = gathered(arm("A", {"q1": ["p1", "p2", "p3"]}), depth=2)
    assert pairs(found) == [("q1", "p1"), ("q1", "p2")]


def test_questions_that_no_judgement_would_bring_into_a_mean_are_left_out_and_counted() -> None:
    found = gathered(arm("A", {name: ["p1"] for name in STATUSES}))
    assert pairs(found) == [("q1", "p1"), ("q2", "p1")]
    assert found.n_questions == 2
    assert found.left_out == ("1 question with the status no_answer", "1 question with the status unreviewed")


def test_arms_without_a_ranking_or_a_result_are_named() -> None:
    found = gathered(
        arm("A", {"q1": ["p1"]}), arm("Oracle", {"q1": ["p2"]}, final=None), arm("X", {"q1": ["p3"]}, status="failed")
    )
    assert pairs(found) == [("q1", "p1")]
    assert found.arms == ("A",)
    assert found.left_out[:2] == ("Oracle: ranks nothing", "X: failed")


def test_at_the_clause_passages_of_one_clause_are_one_result_shown_by_the_best_ranked() -> None:
    found = gathered(arm("A", {"q1": ["c1b", "c1a", "c2"]}), arm("B", {"q1": ["c1a"]}), unit=Unit.CLAUSE)
    assert pairs(found) == [("q1", "D#c1"), ("q1", "D#c2")]
    assert (found.rows[0].text, found.rows[0].found_by) == ("text c1b", "A #1; B #1")


def test_chunks_stand_for_their_clause_and_are_no_unit_where_labels_are_of_passages() -> None:
    cut = arm("S", {"q1": ["c1a@0-40"]}, settings={"chunking": {"name": "fixed"}})
    assert pairs(gathered(cut, unit=Unit.CLAUSE)) == [("q1", "D#c1")]
    found = gathered(arm("A", {"q1": ["p1"]}), cut)
    assert pairs(found) == [("q1", "p1")]
    assert found.left_out[0] == "S: cuts passages, and the labels are of whole ones"


def test_arms_scored_on_different_labels_are_refused() -> None:
    with pytest.raises(RagAblationError, match="labels of the arms A and B differ"):
        gathered(arm("A", {}), arm("B", {}, digests={**DIGESTS, "labels": "other"}))


def test_without_the_datasets_words_there_is_nothing_to_judge_by() -> None:
    with pytest.raises(RagAblationError, match="the corpus changed since"):
        pool([arm("A", {})], source("the corpus changed since the runs"), unit=Unit.PASSAGE, depth=10)


def test_no_arm_with_a_ranking_gives_an_empty_pool() -> None:
    assert gathered(arm("Oracle", {}, final=None)).rows == ()
