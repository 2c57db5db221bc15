import math

import numpy as np
import pytest

from rag_ablation.core.corpus import Unit
from rag_ablation.core.errors import InputRefused, RagAblationError
from rag_ablation.core.rankings import Rankings
from rag_ablation.measures.evaluate import Question, evaluate
from rag_ablation.measures.ranking import score_point
from tests.measures.test_ranking import HANDBOOK, evalset, table

GOOD = {"id": "q1", "status": "reviewed", "gold": {"a": 1, "b": 2}, "ranked": ["a", "x"]}


def test_questions_and_mappings_give_the_same() -> None:
    plain = evaluate([GOOD], cutoffs=[1, 2])
    assert evaluate([Question(**GOOD)], cutoffs=[1, 2]) == plain  # type: ignore[arg-type]
    assert evaluate(iter([{**GOOD, "scores": [1.0, 0.5], "note": "…"}]), cutoffs=(1, 2)) == plain
    assert plain.means["recall", 2].value == 1 / 2
    assert plain.per_query["q1"]["ndcg", 1] == (2**1 - 1) / (2**2 - 1)
    assert plain.micro_weight == {"q1": 1}


@pytest.mark.parametrize(
    ("change", "reason", "says"),
    [
        ({"ranked": ["a", "a"]}, "duplicate_id", "rank 1 and again at rank 2"),
        ({"ranked": None}, "missing_results", "'q1'"),
        ({"ranked": "ab"}, "bad_results", "list of ids"),
        ({"ranked": {"a", "b"}}, "bad_results", "best first"),
        ({"ranked": [b"a"]}, "bad_id", "non-empty string"),
        ({"ranked": [None]}, "bad_id", "None"),
        ({"id": ""}, "bad_id", "non-empty"),
        ({"id": 1}, "bad_id", "non-empty"),
        ({"gold": {1: 1}}, "bad_id", "found the id 1"),
        ({"gold": {"a": 63}}, "bad_grade", "0 to 62"),
        ({"gold": {"a": "1"}}, "bad_grade", "'1'"),
        ({"gold": {"a": None}}, "bad_grade", "None"),
        ({"gold": {"a": math.nan}}, "bad_grade", "nan"),
        ({"gold": ["a"]}, "bad_grade", "grades by item id"),
        ({"gold": None}, "empty_gold", "no_answer"),
        ({"gold": {}}, "empty_gold", "'q1'"),
        ({"status": "done"}, "bad_status", "reviewed, no_answer, unreviewed"),
        ({"status": None}, "bad_status", "None"),
        ({"status": ["reviewed"]}, "bad_status", "expected one of"),
        ({"status": "no_answer"}, "status_gold_conflict", "id 'a'"),
        ({"weight": True}, "bad_weight", "True"),
        ({"weight": math.nan}, "bad_weight", "nan"),
        ({"weight": math.inf}, "bad_weight", "inf"),
        ({"weight": "1"}, "bad_weight", "'1'"),
    ],
)
def test_a_fault_is_refused_by_name(change: dict[str, object], reason: str, says: str) -> None:
    with pytest.raises(InputRefused) as caught:
        evaluate([{**GOOD, **change}], cutoffs=[3])
    assert caught.value.reason == reason
    assert says in str(caught.value)
    assert isinstance(caught.value, RagAblationError)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"cutoffs": []}, "bad_k"),
        ({"cutoffs": 3}, "bad_k"),
        ({"cutoffs": None}, "bad_k"),
        ({"cutoffs": "3"}, "bad_k"),
        ({"cutoffs": [None]}, "bad_k"),
        ({"cutoffs": [math.inf]}, "bad_k"),
        ({"relevant_from": 0}, "bad_relevant_from"),
        ({"gold_unit": "page"}, "bad_unit"),
        ({"result_unit": None}, "bad_unit"),
        ({"gold_unit": "document"}, "unit_mismatch"),
        ({"dedup": {"to": "document", "map": {"a": "a", "x": "x"}}}, "unit_mismatch"),
        ({"dedup": {"to": "passage"}}, "bad_dedup"),
        ({"dedup": "document"}, "bad_dedup"),
        ({"dedup": {"to": "passage", "map": {"a": ""}}}, "bad_id"),
        ({"dedup": {"to": "passage", "map": {"a": "a"}}}, "unmapped_id"),
        ({"corpus": ["a", "b"]}, "result_not_in_corpus"),
        ({"corpus": ["a", "x"]}, "gold_not_in_corpus"),
        ({"corpus": ["a", "b", "x", 7]}, "bad_id"),
        ({"index_snapshot": "v1"}, "snapshot_mismatch"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(settings: dict[str, object], reason: str) -> None:
    with pytest.raises(InputRefused) as caught:
        evaluate([GOOD], **{"cutoffs": [3], **settings})  # type: ignore[arg-type]
    assert caught.value.reason == reason


def test_faults_of_questions_together_are_refused() -> None:
    other = {**GOOD, "id": "q2"}
    with pytest.raises(InputRefused, match="'q1': found it twice"):
        evaluate([GOOD, other, GOOD], cutoffs=[3])
    with pytest.raises(InputRefused, match="for all questions or for none"):
        evaluate([GOOD, {**other, "weight": 1}], cutoffs=[3])


def test_an_excluded_question_is_still_checked() -> None:
    draft = {"id": "q2", "status": "unreviewed", "gold": {}, "ranked": ["x", "y", "x"]}
    with pytest.raises(InputRefused, match="question 'q2'"):
        evaluate([GOOD, draft], cutoffs=[1])
    assert evaluate([GOOD, {**draft, "ranked": None, "gold": None}], cutoffs=[1]).excluded == {"unreviewed": 1}


def test_a_question_with_no_grade_that_counts_is_set_aside() -> None:
    got = evaluate([GOOD, {**GOOD, "id": "q2", "gold": {"a": 1}}], cutoffs=[2], relevant_from=2)
    assert got.status == {"q1": "scored", "q2": "no_relevant"}
    assert got.means["recall", 2].excluded == {"no_relevant": 1}


def test_integers_of_numpy_are_integers() -> None:
    question = {**GOOD, "gold": {"a": np.int64(1), "b": np.int8(2)}}
    assert evaluate([question], cutoffs=[np.int64(2)]) == evaluate([GOOD], cutoffs=[2])


def test_weighted_recall_is_there_only_where_weights_are() -> None:
    assert ("recall_weighted", 2) not in evaluate([GOOD], cutoffs=[2]).means
    other = {"id": "q2", "status": "reviewed", "gold": {"c": 1}, "ranked": []}
    got = evaluate([{**GOOD, "weight": 3}, {**other, "weight": 1}], cutoffs=[2])
    assert got.means["recall_weighted", 2].value == (3 * 1 / 2 + 1 * 0) / (3 + 1)
    nothing = evaluate([{**GOOD, "weight": 0}], cutoffs=[2]).means["recall_weighted", 2]
    assert (nothing.value, nothing.reason) == (None, "no_weights")


def test_lists_and_a_measuring_point_give_the_same_numbers() -> None:
    labels = [{0: 1, 1: 2, 3: 1}, {2: 1}, {}]
    statuses = ["reviewed", "reviewed", "no_answer"]
    lists = [[0, 1, 2, 3], [3, 1], [2]]
    names = [passage[0] for passage in HANDBOOK]
    clauses = {"a1": "A#1", "a2": "A#2", "a3": "A#2", "b1": "B#1"}
    gold: list[dict[str, int]] = [{} for _ in labels]
    for query, units in enumerate(labels):
        for row, grade in units.items():
            clause = clauses[names[row]]
            gold[query][clause] = max(grade, gold[query].get(clause, 0))
    plain = evaluate(
        [
            {"id": f"q{i:03}", "status": statuses[i], "gold": gold[i], "ranked": [names[r] for r in lists[i]]}
            for i in range(3)
        ],
        cutoffs=[1, 2, 3],
        gold_unit="clause",
        dedup={"to": "clause", "map": clauses},
    )
    point = score_point(
        evalset(HANDBOOK, labels, statuses=statuses),
        Rankings.from_order(table(lists)),
        unit=Unit.CLAUSE,
        cutoffs=[1, 2, 3],
        measures=sorted({name for name, _ in plain.means}),
    )
    assert point.means == plain.means


@pytest.mark.parametrize("cutoff", [10**30, 2**31])
def test_a_cutoff_beyond_any_ranking_is_refused(cutoff: int) -> None:
    with pytest.raises(InputRefused) as caught:
        evaluate([{"id": "q", "status": "reviewed", "gold": {"a": 1}, "ranked": ["a"]}], cutoffs=[cutoff])
    assert caught.value.reason == "bad_k"
