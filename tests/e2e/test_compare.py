"""`rag-ablation compare` as a person types it."""

import json
from pathlib import Path

import pytest

from tests.data.folders import native, passage, question, table
from tests.e2e.program import Done, rag_ablation


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Without stop words the exact code is drowned; with them it is found."""
    root = tmp_path_factory.mktemp("compared")
    corpus = [
        passage("a", "form INV-102 for lost invoices", doc_id="I", location="1"),
        passage("b", "the the the the form of the forms", doc_id="F", location="1"),
        passage("c", "the seal and the form", doc_id="S", location="1"),
        *[passage(f"z{n}", f"clause {n} on other matters", doc_id="Z", location=str(n)) for n in range(9)],
    ]
    asked = [
        question("q1", "the the the the lost INV-102", type="exact_code"),
        question("q2", "the form of the forms", type="single_hop"),
    ]
    rows = table(("q1", "a", 2), ("q2", "b", 2))
    folder = native(root / "set", corpus, asked, rows, "name: tiny\nlanguage: en")
    words = ["dataset=folder", f"dataset.path={folder}", "split=none", "latency=none", "context.depth=1"]
    for more in (["sparse.b=0"], ["sparse.b=0", "sparse.stop_words=[the,of]"], ["unit=document"]):
        found = rag_ablation(root, "run", "variant=bm25", *words, *more)
        assert found.status == 0, found.said
    return found


def test_units_that_moved_are_told_with_their_questions(done: Done) -> None:
    plain, stopped, _ = (record.id for record in done.records())
    told = json.loads(rag_ablation(done.root, "compare", plain, stopped, "--json").out)
    moved = told["moved"]
    assert [row["query_id"] for row in moved["rescued"]] in ([], ["q1"])
    assert all(row["after"] == "kept" != row["before"] for row in moved["rescued"])
    assert all(row["before"] == "kept" != row["after"] for row in moved["lost"])
    measures = {row["measure"]: row for row in told["differences"]}
    gained = len(moved["rescued"]) - len(moved["lost"])
    assert measures["final/recall@10"]["n"] == 2
    assert (measures["final/mrr@10"]["difference"] > 0) == (gained > 0)
    out = rag_ablation(done.root, "compare", plain, stopped).out
    assert "changed: sparse.stop_words" in out
    assert f"rescued: {len(moved['rescued'])} unit" in out
    assert "exploratory: intervals, no verdict" in out


def test_the_reverse_exchanges_rescued_and_lost(done: Done) -> None:
    plain, stopped, _ = (record.id for record in done.records())
    one, other = (
        json.loads(rag_ablation(done.root, "compare", *pair, "--json").out)
        for pair in ((plain, stopped), (stopped, plain))
    )
    assert [row["unit"] for row in one["moved"]["rescued"]] == [row["unit"] for row in other["moved"]["lost"]]
    assert [row["unit"] for row in one["moved"]["lost"]] == [row["unit"] for row in other["moved"]["rescued"]]
    assert one["differences"][0]["difference"] == -other["differences"][0]["difference"]


def test_arms_scored_at_different_units_do_not_compare(done: Done) -> None:
    plain, _, document = (record.id for record in done.records())
    found = rag_ablation(done.root, "compare", plain, document)
    assert found.status == 2
    assert "scoring" in found.err
    assert "Traceback" not in found.err


def test_a_run_that_failed_does_not_compare(done: Done, tmp_path: Path) -> None:
    found = rag_ablation(done.root, "compare", done.records()[0].id, "no such run")
    assert found.status == 2
    assert "which is no run under" in found.err


def test_the_questions_that_moved_most_are_listed_with_the_rank_of_their_first_relevant_unit(done: Done) -> None:
    plain, stopped, _ = (record.id for record in done.records())
    told = json.loads(rag_ablation(done.root, "compare", plain, stopped, "--measure", "final/mrr@10", "--json").out)
    rows = told["questions"]["rows"]
    assert rows
    assert told["questions"]["n_moved"] == len(rows)
    for row in rows:
        assert row["type"] == {"q1": "exact_code", "q2": "single_hop"}[row["query_id"]]
        assert row["before"] == pytest.approx(1 / row["rank_before"])
        assert row["after"] == pytest.approx(1 / row["rank_after"])
    gaps = [abs(row["difference"]) for row in rows]
    assert gaps == sorted(gaps, reverse=True)
    out = rag_ablation(done.root, "compare", plain, stopped, "--measure", "final/mrr@10").out
    assert f"questions that moved most on final MRR@10: {len(rows)} of {len(rows)} that moved, among 2" in out


def test_no_question_is_listed_where_none_is_asked_for(done: Done) -> None:
    plain, stopped, _ = (record.id for record in done.records())
    assert "questions that moved most" not in rag_ablation(done.root, "compare", plain, stopped, "--questions", "0").out
    assert rag_ablation(done.root, "compare", plain, stopped, "--questions=-1").status == 2


def test_p_and_the_bootstrap_stand_beside_the_interval_and_are_called_exploratory(done: Done) -> None:
    plain, stopped, _ = (record.id for record in done.records())
    told = json.loads(rag_ablation(done.root, "compare", plain, stopped, "--json").out)
    assert "exploratory" in told["tests"]
    for row in told["differences"]:
        assert 0 < row["p"] <= 1
        assert row["bootstrap_low"] <= row["difference"] <= row["bootstrap_high"]


def test_a_measure_that_nobody_took_is_refused_by_name(done: Done) -> None:
    plain, stopped, _ = (record.id for record in done.records())
    found = rag_ablation(done.root, "compare", plain, stopped, "--measure", "final/ndgc@10")
    assert found.status == 2
    assert "MEASURE one of recall" in found.err
