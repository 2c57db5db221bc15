"""Acceptance cases on ranked lists, through the two public functions."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from rag_ablation import evaluate, fuse
from rag_ablation.core.errors import InputRefused
from rag_ablation.measures.evaluate import Evaluation

FOLDER = Path(__file__).parents[1] / "cases"
TOLERANCE = 1e-6


class Files:
    """The files of one case, ids as text."""

    def __init__(self, number: str) -> None:
        self.folder = next(FOLDER.glob(f"{number}-*"))
        self.expected: dict[str, Any] = yaml.safe_load((self.folder / "case.yaml").read_text("utf-8"))["expected"]
        lines = (self.folder / "lists.jsonl").read_text("utf-8").splitlines()
        self.lists = [json.loads(line) for line in lines]
        rows = (self.folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]
        self.qrels = [row.split("\t") for row in rows]

    def status(self) -> dict[str, str]:
        path = self.folder / "queries.jsonl"
        if not path.exists():
            return {query: "reviewed" for query, _, _ in self.qrels}
        records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        return {record["_id"]: record["metadata"]["status"] for record in records}

    def questions(self, ranked: dict[str, list[str] | None] | None = None) -> list[dict[str, object]]:
        lists = ranked or {line["query_id"]: line["ranked"] for line in self.lists}
        return [
            {
                "id": query,
                "status": status,
                "gold": {item: int(grade) for owner, item, grade in self.qrels if owner == query},
                "ranked": lists.get(query),
            }
            for query, status in self.status().items()
        ]


def means(evaluation: Evaluation, wanted: dict[str, float]) -> dict[str, float | None]:
    found = {}
    for name in wanted:
        measure, _, cutoff = name.partition("@")
        found[name] = evaluation.means[measure, int(cutoff)].value
    return found


def per_query(evaluation: Evaluation, query: str, wanted: dict[str, float]) -> dict[str, float | None]:
    names = {"rr": "mrr"}
    found = {}
    for name in wanted:
        measure, _, cutoff = name.partition("@")
        found[name] = evaluation.per_query[query][names.get(measure, measure), int(cutoff)]
    return found


@pytest.mark.parametrize("number", ["01", "02"])
def test_fusion_goes_by_id_with_ranks_from_one_and_nothing_for_the_absent(number: str) -> None:
    case = Files(number)
    fused = fuse({line["list"]: line["ranked"] for line in case.lists})
    assert fused[0].id == case.expected.get("first", "W26-2.1")
    assert {item.id: item.score for item in fused} == pytest.approx(case.expected["fused_scores"], abs=TOLERANCE)
    if "fused_order" in case.expected:
        assert [item.id for item in fused] == case.expected["fused_order"]
        assert len(fused) == case.expected["n_fused"]
    got = evaluate(case.questions({"q1": [item.id for item in fused]}), cutoffs=[3])
    assert means(got, case.expected["metrics"]) == pytest.approx(case.expected["metrics"], abs=TOLERANCE)


@pytest.mark.parametrize("number", ["03", "09", "10"])
def test_measures_follow_the_recorded_order_the_gain_and_the_cut(number: str) -> None:
    case = Files(number)
    got = evaluate(case.questions(), cutoffs=[1, 3, 4, 5, 10])
    assert means(got, case.expected["metrics"]) == pytest.approx(case.expected["metrics"], abs=TOLERANCE)
    for query, wanted in case.expected.get("per_query", {}).items():
        assert per_query(got, query, wanted) == pytest.approx(wanted, abs=TOLERANCE)


def test_a_passage_returned_twice_is_refused_with_question_list_and_id() -> None:
    """Of the two ways that are right, refusing is ours: a ranker that repeats itself should be mended."""
    case = Files("08")
    with pytest.raises(InputRefused, match=r"question 'q1', ranked: the id 'a'") as caught:
        evaluate(case.questions(), cutoffs=[3])
    assert caught.value.reason == "duplicate_id"
    with pytest.raises(InputRefused, match=r"list 'dense': the id 'a'"):
        fuse({"dense": case.lists[0]["ranked"]})


def test_a_declared_rule_keeps_the_first_occurrence_before_the_cut() -> None:
    case = Files("08")
    same = {"to": "passage", "map": {item: item for item in "abx"}}
    got = evaluate(case.questions(), cutoffs=[3], dedup=same)
    for query, wanted in case.expected["choose_one_and_document_it"]["first_occurrence_only"].items():
        if query != "report":
            numbers = {name: value for name, value in wanted.items() if "@" in name}
            assert per_query(got, query, numbers) == pytest.approx(numbers, abs=TOLERANCE)


def test_questions_without_gold_are_set_aside_and_counted_by_reason() -> None:
    case = Files("11")
    got = evaluate(case.questions(), cutoffs=[3])
    assert means(got, case.expected["metrics"]) == pytest.approx(case.expected["metrics"])
    assert got.n_scored == case.expected["counts"]["n_scored"]
    assert dict(got.excluded) == case.expected["counts"]["excluded"]
    assert got.means["recall", 3].excluded == case.expected["counts"]["excluded"]


def test_a_question_that_is_absent_from_the_run_is_named() -> None:
    with pytest.raises(InputRefused, match="question 'q1', ranked") as caught:
        evaluate(Files("12").questions(), cutoffs=[3])
    assert caught.value.reason == "missing_results"


def test_a_question_with_no_result_stays_in_the_mean_as_0() -> None:
    case = Files("12")
    lists = {"q1": [], **{line["query_id"]: line["ranked"] for line in case.lists}}
    got = evaluate(case.questions(lists), cutoffs=[3])
    assert means(got, case.expected["metrics"]) == pytest.approx(case.expected["metrics"], abs=TOLERANCE)
    assert got.n_scored == case.expected["counts"]["n_scored"]
    assert got.n_without_results == case.expected["counts"]["n_without_hits"]


def test_ids_are_text() -> None:
    case = Files("13")
    got = evaluate(case.questions(), cutoffs=[1, 2])
    assert got.n_questions == case.expected["n_queries"]
    for query, wanted in case.expected["per_query"].items():
        assert per_query(got, query, wanted) == wanted


def test_a_repeated_judgement_counts_once() -> None:
    question = {"id": "q1", "status": "reviewed", "gold": {"a": 1, "b": 1}, "ranked": ["a", "x", "y"]}
    assert evaluate([question], cutoffs=[3]).means["recall", 3].value == 1 / 2
