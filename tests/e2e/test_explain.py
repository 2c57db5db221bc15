"""`rag-ablation explain` as a person types it, over two arms on a tiny set in both languages."""

import json
from pathlib import Path

import pytest

from tests.data.folders import native, passage, question, table
from tests.e2e.program import Done, rag_ablation

ABOUT = "name: tiny\nlanguage: mixed\nidentities:\n  clerk: [all]\n  lead: [all, manager]"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Seven clauses, one of them limited; a context of two passages."""
    root = tmp_path_factory.mktemp("explained")
    corpus = [
        passage("t1", "住宿费 每晚 380 元 凭票实报", doc_id="T", location="1"),
        passage("t2", "住宿费 超标 审批 部门负责人", doc_id="T", location="2"),
        passage("t3", "住宿费 住宿费 住宿费 发票", doc_id="T", location="3"),
        passage("e1", "hotel limit is 380 yuan a night", doc_id="E", location="1"),
        passage("e2", "hotel hotel hotel invoice", doc_id="E", location="2"),
        passage("e3", "hotel approval by the head", doc_id="E", location="3"),
        passage("m1", "hotel budget reserve for managers", doc_id="M", location="1", acl=["manager"]),
    ]
    asked = [
        question("zh", "住宿费 每晚 多少 zzz", type="single_hop"),
        question("en", "hotel approval or limit", type="multi_hop", evidence_groups=[["e1"], ["e3", "e2"]]),
        question("secret", "hotel budget reserve", type="permission", identity="lead"),
        question("refused", "hotel reserve", type="permission", identity="clerk", status="no_answer", asked_about="m1"),
    ]
    rows = table(
        ("zh", "t1", 2), ("zh", "t2", 0), ("en", "e1", 2), ("en", "e2", 1), ("en", "e3", 2), ("secret", "m1", 2)
    )
    folder = native(root / "set", corpus, asked, rows, ABOUT)
    words = ["dataset=folder", f"dataset.path={folder}", "split=none", "latency=none", "context.depth=2"]
    found = rag_ablation(root, "run", "-m", "variant=bm25,oracle", *words)
    assert found.status == 0, found.said
    return found


def explained(done: Done, variant: str, *words: str) -> Done:
    run = next(record.id for record in done.records() if record.variant == variant)
    return rag_ablation(done.root, "explain", run, *words)


def test_one_screen_tells_the_whole_story(done: Done) -> None:
    out = explained(done, "bm25", "zh").out
    assert "A bm25 context.depth=2 on tiny (none), question zh" in out
    assert "type single_hop, status scored" in out
    assert "zzz?" in out
    assert "?: no passage holds this token" in out
    assert "●●" in out
    assert "where each relevant unit stands" in out
    assert "the context in the order shown" in out


def test_json_holds_the_same(done: Done) -> None:
    told = json.loads(explained(done, "bm25", "en", "--json").out)
    assert told["question"] == {
        "id": "en",
        "text": "hotel approval or limit",
        "type": "multi_hop",
        "status": "scored",
        "identity": None,
        "as_of": None,
    }
    assert {token["token"] for token in told["query_tokens"]} == {"hotel", "approval", "or", "limit"}
    assert [row["rank"] for row in told["points"]["sparse"]] == list(range(1, len(told["points"]["sparse"]) + 1))
    fates = {row["unit"]: row["fate"] for row in told["gold"]}
    assert fates["e1"] == fates["e3"] == "kept"
    assert fates["e2"] == "redundant"
    assert told["context"]["tokens"] == len("hotel approval by the head") + len("hotel limit is 380 yuan a night")


def test_a_judged_passage_that_is_not_relevant_is_marked(done: Done) -> None:
    told = json.loads(explained(done, "bm25", "zh", "--json").out)
    grades = {row["passage_id"]: row["grade"] for row in told["points"]["sparse"]}
    assert (grades["t1"], grades["t2"], grades["t3"]) == (2, 0, None)


def test_nobody_is_told_what_is_not_theirs(done: Done) -> None:
    for query, allowed in (("secret", True), ("refused", False)):
        for words in ((query,), (query, "--json")):
            assert ("m1" in explained(done, "bm25", *words).out) is allowed
            assert ("reserve for managers" in explained(done, "bm25", *words).out) is allowed


def test_the_oracle_has_a_context_and_no_points(done: Done) -> None:
    told = json.loads(explained(done, "oracle", "en", "--json").out)
    assert told["points"] == {}
    assert told["query_tokens"] is None
    assert [row["passage_id"] for row in told["context"]["shown"]] == ["e1", "e3"]
    assert told["context"]["left_out"] == [{"passage_id": "e2", "reason": "max_passages"}]


def test_the_questions_of_a_fate_come_worst_first(done: Done) -> None:
    rows = json.loads(explained(done, "bm25", "--fate", "kept", "--json").out)
    assert {row["query_id"] for row in rows} == {"zh", "en", "secret"}
    rows = json.loads(explained(done, "oracle", "--fate", "redundant", "--json").out)
    assert rows == [
        {
            "query_id": "en",
            "type": "multi_hop",
            "text": "hotel approval or limit",
            "units": ["e2"],
            "lost_recall": pytest.approx(1 / 3),
            "marks": [],
        }
    ]
    out = explained(done, "oracle", "--fate", "redundant").out
    assert "1 of 3 scored questions have a unit that is redundant" in out
    assert "next: rag-ablation explain" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nobody",), "question: found 'nobody', which this run was not asked (4 questions of side none)"),
        ((), "give one of them"),
        (("zh", "--fate", "kept"), "give one of them"),
        (("zh", "--type", "vague"), "--type goes with --fate"),
        (("--fate", "kept", "--type", "nosuch"), "a type with scored questions: multi_hop, permission, single_hop"),
    ],
)
def test_what_cannot_be_told_is_said(done: Done, words: tuple[str, ...], said: str) -> None:
    found = explained(done, "bm25", *words)
    assert found.status == 2
    assert said in found.err


def test_a_type_is_counted_by_itself(done: Done) -> None:
    out = explained(done, "bm25", "--fate", "kept", "--type", "permission").out
    assert "1 of 1 scored questions of type permission have a unit that is kept" in out


def test_a_damaged_table_is_named(done: Done, tmp_path: Path) -> None:
    import shutil

    run = next(record.id for record in done.records() if record.variant == "bm25")
    copy = Path(shutil.copytree(done.root / "runs" / run, tmp_path / "copy"))
    (copy / "fates.parquet").write_bytes((copy / "fates.parquet").read_bytes()[:100])
    found = rag_ablation(done.root, "explain", str(copy), "--fate", "kept")
    assert found.status == 2
    assert "fates.parquet: found" in found.err
    assert "Traceback" not in found.err


def test_a_run_that_is_not_there_is_named(done: Done) -> None:
    found = rag_ablation(done.root, "explain", "nothing", "zh")
    assert found.status == 2
    assert "found 'nothing', which is no run under" in found.err
    assert done.records()[0].id in found.err


def test_an_mlflow_run_id_is_as_good_as_a_folder(done: Done) -> None:
    import mlflow

    client = mlflow.MlflowClient(f"sqlite:///{done.root / 'mlflow.db'}")
    ids = [str(experiment.experiment_id) for experiment in client.search_experiments()]
    run = next(run for run in client.search_runs(ids) if run.data.tags.get("rag.variant") == "bm25")
    assert run.data.metrics["fate/kept"] == 4
    assert run.data.metrics["gap/redundant"] == pytest.approx(1 / 9)
    assert "question zh" in rag_ablation(done.root, "explain", run.info.run_id, "zh").out


def test_an_edited_corpus_is_not_explained(done: Done) -> None:
    file = done.root / "set" / "corpus.jsonl"
    before = file.read_text(encoding="utf-8")
    try:
        file.write_text(before.replace("380", "390"), encoding="utf-8")
        found = explained(done, "bm25", "zh")
    finally:
        file.write_text(before, encoding="utf-8")
    assert found.status == 2
    assert "dataset: found corpus changed since this run was made" in found.err


def test_the_tables_are_complete(done: Done) -> None:
    from rag_ablation.tracking.files import read_table

    for record in done.records():
        folder: Path = done.root / "runs" / record.id
        rows = read_table(folder, "fates")
        assert len(rows) == sum(record.evidence["counts"].values()) == 5
        assert sum(record.evidence["gap"].values()) == pytest.approx(
            1 - (record.points["context"]["recall@10"].value or 0)
        )
