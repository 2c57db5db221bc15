"""Samples with gold chunks."""

from pathlib import Path

from tests.data.exchange.ways import given, grades, refused, statuses, taken
from tests.data.folders import jsonl, native, passage, question, table

CHUNKS = jsonl(
    [{"chunk_id": "c1", "content": "a", "doc_id": "D"}, {"chunk_id": "c2", "content": "b", "metadata": {"page": 3}}]
)


def sample(name: str, *gold: str, **more: object) -> dict[str, object]:
    return {
        "sample_id": name,
        "question": f"what {name}?",
        "gold_chunks": list(gold),
        "gold_answer": "x",
        "answerable": bool(gold),
        "dataset_version": "3",
        "corpus_version": "2026-11",
    } | more


def samples(folder: Path, *rows: dict[str, object], chunks: str = CHUNKS, name: str = "corpus.jsonl") -> Path:
    folder.mkdir()
    (folder / name).write_text(chunks)
    (folder / "samples.jsonl").write_text(jsonl(rows))
    return folder


def test_samples_and_chunks(tmp_path: Path) -> None:
    rows = (sample("s1", "c1", "c2", type="multi"), sample("s2"), sample("s3", answerable=True))
    outcome, benchmark = taken("samples", samples(tmp_path / "s", *rows))
    assert grades(benchmark) == {("s1", "c1"): 1, ("s1", "c2"): 1}
    assert statuses(benchmark) == {"s1": "reviewed", "s2": "no_answer", "s3": "unreviewed"}
    assert benchmark.about == {"dataset_version": "3", "corpus_version": "2026-11"}
    assert benchmark.queries.rows[0].type == "multi"
    assert benchmark.passages.rows[1].metadata == {"page": 3}
    assert any("taken as unreviewed: 1 (s3)" in notice for notice in outcome.notices)


def test_chunks_may_be_csv(tmp_path: Path) -> None:
    folder = samples(tmp_path / "s", sample("s1", "c1"), chunks="chunk_id,text,doc_id\nc1,a,D\n", name="chunks.csv")
    assert taken("samples", folder)[1].passages.rows[0].doc_id == "D"


def test_contradictions_are_problems(tmp_path: Path) -> None:
    rows = (sample("s1", "c1", answerable=False), sample("s2", "c9"), sample("s3", answerable="no"), sample("s4", 5))  # type: ignore[arg-type]
    said = refused("samples", samples(tmp_path / "s", *rows))
    assert "samples.jsonl:1: answerable: found false, with 1 gold chunks" in said
    assert "samples.jsonl:2: corpus-id: found 'c9'" in said
    assert "samples.jsonl:3: answerable: found 'no'" in said
    assert "samples.jsonl:4: gold_chunks: found a list (the number 5, …)" in said


def test_versions_that_differ_stay_with_their_questions(tmp_path: Path) -> None:
    outcome, benchmark = taken(
        "samples", samples(tmp_path / "s", sample("a", "c1"), sample("b", "c1", corpus_version="2025"))
    )
    assert (
        "corpus_version is not the same in all samples (2025, 2026-11): it stays with each question" in outcome.notices
    )
    assert benchmark.queries.rows[1].metadata == {"corpus_version": "2025"}


def test_there_and_back(tmp_path: Path) -> None:
    corpus = [passage("d1", acl=["hr"]), passage("d2")]
    asked = [
        question("q1", answer="a", answers=["a", "b"]),
        question("q2", status="no_answer"),
        question("q3", status="unreviewed", question="!"),
    ]
    folder = native(
        tmp_path / "n", corpus, asked, table(("q1", "d1", 2), ("q1", "d2", 0)), "name: n\ndataset_version: '1'"
    )
    outcome, target = given("samples", folder)
    assert outcome.losses == ("metadata of questions named question",)
    back = taken("samples", target)[1]
    assert grades(back) == {("q1", "d1"): 2, ("q1", "d2"): 0}
    assert statuses(back) == {"q1": "reviewed", "q2": "no_answer", "q3": "unreviewed"}
    assert back.labels[0] == {"answer": "a", "answers": ["a", "b"]}
    assert back.about == {"dataset_version": "1"}
