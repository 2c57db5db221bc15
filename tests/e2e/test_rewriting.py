"""`rag-ablation run rewrite=…` and studies with a rewriter, as a person types them."""

import json
from pathlib import Path

import pytest

from rag_ablation.core.record import ArmRecord
from rag_ablation.tracking.content import metrics
from rag_ablation.tracking.files import read_table
from tests.chat_server import MODEL, ChatServer, says
from tests.e2e.holdouts import STUDY, Stages
from tests.e2e.program import Done, rag_ablation, tiny, whole
from tests.e2e.studies import write_definition, write_study

FAST = ("latency=none", "tracking=files")
FLU = "e036"
"""Asks about the flu where the handbook says sick leave."""


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """BM25 on the English handbook: as asked, with a variant for each synonym, and with the synonyms appended."""
    root = tmp_path_factory.mktemp("rewritten")
    (root / "words.tsv").write_text("\ufeffflu\tsick leave\r\nred envelope\tgift\tcash\r\n", encoding="utf-8")
    synonyms = f"variant=bm25 rewrite=synonyms rewrite.file={root / 'words.tsv'}"
    arms = ("variant=bm25", synonyms, f"{synonyms} rewrite.mode=append")
    grid = "hydra.sweeper.arms=[" + ",".join(f"'{arm}'" for arm in arms) + "]"
    done = rag_ablation(root, "run", "-m", "dataset=handbook_en", grid, "tracking=files")
    assert done.status == 0, done.said
    return done


def arms(done: Done) -> dict[str, ArmRecord]:
    return {record.arm: record for record in done.records()}


def value(done: Done, arm: str, query: str, column: str = "final/recall@1") -> float:
    (row,) = read_table(done.root / "runs" / arms(done)[arm].id, "per_question", query)
    return float(row[column])


PLAIN, VARIANTS = "A bm25", "A bm25 rewrite=synonyms rewrite.file=words.tsv"
APPENDED = "A bm25 rewrite=synonyms rewrite.mode=append rewrite.file=words.tsv"


def test_an_arm_is_named_by_its_rewriter(handbook: Done) -> None:
    names = {" ".join(sorted(name.split())) for name in arms(handbook)}
    assert names == {" ".join(sorted(name.split())) for name in (PLAIN, VARIANTS, APPENDED)}


def test_a_question_in_other_words_than_the_corpus_is_found_by_its_synonym(handbook: Done) -> None:
    assert value(handbook, PLAIN, FLU) == 0.0
    assert value(handbook, VARIANTS, FLU, "final/ndcg@10") > value(handbook, PLAIN, FLU, "final/ndcg@10")
    (appended,) = set(arms(handbook)) - {PLAIN, VARIANTS}
    assert value(handbook, appended, FLU) == 1.0


def test_a_question_without_a_term_has_the_same_ranking_and_the_same_scores(handbook: Done) -> None:
    runs = handbook.root / "runs"
    rows = {arm: read_table(runs / record.id, "top", "e004") for arm, record in arms(handbook).items()}
    assert rows[PLAIN]
    assert all(one == rows[PLAIN] for one in rows.values())


def test_it_is_an_ablation_factor_against_the_arm_without_it(handbook: Done) -> None:
    assert "rewrite none →" in handbook.out
    assert "Δ nDCG@10" in handbook.out


def test_the_record_holds_the_stage_its_facts_and_the_digest_of_the_file(handbook: Done) -> None:
    record = arms(handbook)[VARIANTS]
    stage = record.stages[0]
    assert (stage.slot, stage.name, stage.point) == ("rewrite", "synonyms", "rewrite")
    assert (stage.facts["n_terms"], stage.facts["n_terms_met"]) == (2, 2)
    assert len(record.environment["models"]["rewrite"]["synonyms"]) == 64
    assert record.settings["rewrite"]["mode"] == "variants"
    assert "rewrites.parquet" in record.files
    logged = metrics(record)
    assert logged["counts/rewrite_terms_met"] == 2
    assert logged["latency/rewrite_p50_ms"] > 0
    assert logged["latency/end_to_end_p50_ms"] >= logged["latency/sparse_p50_ms"]
    assert "rewrite" not in arms(handbook)[PLAIN].settings


def test_every_text_that_was_searched_for_is_in_the_run_folder(handbook: Done) -> None:
    folder = handbook.root / "runs" / arms(handbook)[VARIANTS].id
    texts = [row["text"] for row in read_table(folder, "rewrites", FLU)]
    asked = "This flu has knocked me out for well over a week. When does my money shrink, and to what?"
    assert texts == [asked, asked.replace("flu", "sick leave")]
    every = read_table(folder, "rewrites")
    assert {row["query_id"] for row in every if row["place"] == 1} == {
        row["query_id"] for row in read_table(folder, "per_question")
    }


def test_explain_shows_what_was_searched_for(handbook: Done) -> None:
    run = arms(handbook)[VARIANTS].id
    out = rag_ablation(handbook.root, "explain", run, FLU).out
    assert out.count("searched for") == 2
    assert "This sick leave has knocked me out" in out
    told = json.loads(rag_ablation(handbook.root, "explain", run, FLU, "--json").out)
    assert len(told["rewrites"]) == 2
    plain = rag_ablation(handbook.root, "explain", arms(handbook)[PLAIN].id, FLU, "--json")
    assert json.loads(plain.out)["rewrites"] == []


def test_a_second_arm_takes_the_texts_from_the_store(tmp_path: Path) -> None:
    words = ["run", "rewrite=normalize", *whole(tiny(tmp_path / "data")), *FAST]
    assert rag_ablation(tmp_path, *words).status == 0
    assert rag_ablation(tmp_path, *words, "context.depth=3").status == 0
    first, second = (record.stages[0] for record in Done(0, "", "", tmp_path).records())
    assert (first.reused, second.reused) == (False, True)
    assert first.digest == second.digest


def test_a_sweep_keeps_the_arms_that_finished_until_the_file_changes(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("topic1\ttopic2\n")
    words = ["run", "-m", "rewrite=none,synonyms", f"rewrite.file={file}", *whole(tiny(tmp_path / "data")), *FAST]
    assert rag_ablation(tmp_path, *words).status == 0
    assert "kept as they were: 2" in rag_ablation(tmp_path, *words).out
    file.write_text("topic1\ttopic3\n")
    assert "kept as they were: 1" in rag_ablation(tmp_path, *words).out


def test_bad_lines_are_one_error_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "words.tsv"
    file.write_text("cab\nhotel\t\tinn\n")
    done = rag_ablation(
        tmp_path, "run", "rewrite=synonyms", f"rewrite.file={file}", "sparse.b=2", *whole(tiny(tmp_path / "data"))
    )
    assert done.status == 2
    said = " ".join(done.said.split())
    assert "3 problems" in said
    assert f"{file}:1: line: found 'cab' alone, expected a term and at least one synonym, parted by tabs" in said
    assert f"{file}:2: column 2: found nothing" in said
    assert "sparse.b: found 2" in said
    assert done.records() == []


def test_a_rewriter_without_a_retriever_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    said = rag_ablation(tmp_path, "run", "variant=oracle", "rewrite=normalize", *data).said
    assert "rewrite: found normalize, expected rewrite=none, since there is no retriever" in " ".join(said.split())
    said = rag_ablation(tmp_path, "run", "rewrite=synonyms", *data).said
    assert "rewrite.file: found nothing, expected a value: rewrite.file=…" in " ".join(said.split())


def test_a_plan_names_the_factor_and_what_is_stored(tmp_path: Path) -> None:
    listed = (
        {"key": "A", "set": "variant=bm25"},
        {"key": "N", "set": "variant=bm25 rewrite=normalize", "parents": ["A"]},
    )
    write_study(tmp_path, listed, strict=True)
    before = rag_ablation(tmp_path, "study", "plan", STUDY)
    assert before.status == 0, before.said
    assert "rewrite none → normalize" in " ".join(before.out.split())
    assert "rewrite, sparse, context" in before.out
    assert "cost: 0, no paid service is called" in " ".join(before.out.split())
    assert not (tmp_path / "store").exists()
    done = rag_ablation(tmp_path, "study", "run", STUDY)
    assert done.status == 0, done.said
    page = (tmp_path / "studies" / STUDY / "report.md").read_text(encoding="utf-8")
    assert "rewrite added: normalize" in page


def test_a_plan_refuses_a_file_that_changed_since_it_was_frozen(stages: Stages, no_checkout: None) -> None:
    bench = stages.at("split")
    file = bench.root / "words.tsv"
    file.write_text("amber\tanchor\n")
    arm = {"key": "A2", "set": f"variant=bm25 rewrite=synonyms rewrite.file={file}", "parents": ["A"]}
    write_definition(bench.root, bench.data, study={"arms": [{"key": "A", "set": "variant=bm25"}, arm]})
    bench.well("study", "run", STUDY)
    bench.well(*bench.freeze())
    file.write_text("amber\tapple\n")
    assert "arm A2: model of rewrite: found name Synonyms" in bench.refused(*bench.holdout())
    file.write_text("amber\tanchor\n")
    bench.well(*bench.holdout())
    bench.well(*bench.holdout())
    assert bench.kinds()[-1] == "replayed"


# --- a chat model


def chat(server: ChatServer) -> tuple[str, ...]:
    return ("rewrite=llm", f"rewrite.model={MODEL}", f"rewrite.base_url={server.url}", "rewrite.retries=0")


def test_a_chat_model_rewrites_within_a_budget_and_nothing_is_asked_twice(tmp_path: Path) -> None:
    data = whole(tiny(tmp_path / "data"))
    key = {"OPENAI_API_KEY": "sk-EXAMPLEnotarealkey0123456789abcdef", "NO_PROXY": "127.0.0.1"}
    queried = says('{"queries": ["rule about topic3", "topic3 {x}"]}')
    with ChatServer({"topic7": [says("no JSON")]}, reply=lambda _: queried) as server:
        words = ["run", *chat(server), *data, "tracking=files", "latency.questions=20"]
        stopped = rag_ablation(tmp_path, *words, "rewrite.max_requests=10", **key)
        assert stopped.status == 1
        assert "rewrite.max_requests=10 is spent: 10 of 24 questions are rewritten" in " ".join(stopped.said.split())
        done = rag_ablation(tmp_path, *words, **key)
        assert done.status == 0, done.said
        assert server.n == 24
        again = rag_ablation(tmp_path, *words, "context.depth=3", **key)
        assert again.status == 0
        assert server.n == 24
    _, first, second = done.records()
    stage = first.stages[0]
    assert (stage.facts["n_requests"], stage.facts["n_from_store"], stage.facts["n_malformed"]) == (14, 10, 1)
    assert not stage.reused
    assert second.stages[0].reused
    assert first.latency["reason"] == "rewrite=llm asks a server, whose time is not this machine's"
    assert any("nothing came of 1 of 24 questions" in threat for threat in first.threats)
    texts = {row["query_id"]: row["text"] for row in read_table(tmp_path / "runs" / first.id, "rewrites")}
    assert texts["q07"] == "what about topic7"
    assert texts["q08"] == "topic3 {x}"
    written = [path for path in tmp_path.rglob("*") if path.is_file() and b"EXAMPLEnotareal" in path.read_bytes()]
    assert written == []


def test_a_plan_with_a_chat_model_asks_nothing(tmp_path: Path) -> None:
    with ChatServer() as server:
        asking = " ".join(("variant=bm25", *chat(server)))
        write_study(tmp_path, ({"key": "A", "set": "variant=bm25"}, {"key": "L", "set": asking, "parents": ["A"]}))
        done = rag_ablation(tmp_path, "study", "plan", STUDY, NO_PROXY="127.0.0.1")
        assert done.status == 0, done.said
        assert server.n == 0
    assert "rewrite, sparse, context" in done.out
    assert "rewrite none → llm" in " ".join(done.out.split())
    assert "cost: not known before; a server is asked by L (rewrite)" in " ".join(done.out.split())
