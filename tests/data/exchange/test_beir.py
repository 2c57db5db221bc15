"""BEIR folders as beir.datasets writes them."""

from pathlib import Path

import pytest

from rag_ablation.cli import main
from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Kind, question_of
from rag_ablation.holdout.seen import add_to_root
from rag_ablation.holdout.split import dev_side, read_split
from tests.data.exchange.ways import given, grades, refused, statuses, taken
from tests.data.folders import beir, native, passage, question, table

SCIFACT_CORPUS = (
    {"_id": "4983", "title": "Microstructural development", "text": "Alterations of the …", "metadata": {}},
    {"_id": "007", "title": "", "text": "Untitled.", "metadata": {"url": "https://x", "pubmed_id": "1"}},
)
SCIFACT_QUERIES = (
    {"_id": "0", "text": "0-dimensional biomaterials", "metadata": {}},
    {"_id": "2", "text": "1 in 5 million", "metadata": {"13734012": [{"sentences": [4], "label": "CONTRADICT"}]}},
)


def scifact(folder: Path, **splits: str) -> Path:
    return beir(folder, splits, SCIFACT_CORPUS, SCIFACT_QUERIES)


def test_the_chosen_split_is_taken_and_the_others_are_named(tmp_path: Path) -> None:
    folder = scifact(tmp_path / "s", train=table(("0", "4983", 1)), test=table(("2", "007", 1)))
    outcome, benchmark = taken("beir", folder, split="test")
    assert grades(benchmark) == {("2", "007"): 1}
    assert outcome.losses == (
        "judgements of other splits, not taken: train",
        "1 of 2 questions have no row in qrels/test.tsv and are left out",
    )
    assert benchmark.queries.rows[0].metadata == SCIFACT_QUERIES[1]["metadata"]


def test_several_splits_need_a_choice(tmp_path: Path) -> None:
    folder = scifact(tmp_path / "s", train=table(), test=table())
    assert "qrels/: qrels: found several files: test, train, expected a choice: --split-name" in refused("beir", folder)
    assert "found qrels=dev, expected one of: test, train" in refused("beir", folder, split="dev")


def test_crlf_and_blanks_at_the_end_of_cells_are_said_and_counted(tmp_path: Path) -> None:
    rows = "query-id\tcorpus-id\tscore\r\n0\t4983 \t1 \r\n2 \t007\t2\r\n"
    outcome, benchmark = taken("beir", scifact(tmp_path / "s", test=rows))
    assert grades(benchmark) == {("0", "4983"): 1, ("2", "007"): 2}
    assert "grades with blanks at their ends, which were taken off: 1 (qrels/test.tsv:2)" in outcome.notices
    assert "ids with blanks at their ends, which were taken off: 2 ('4983 ', '2 ')" in outcome.notices


def test_a_blank_that_belongs_to_an_id_stays(tmp_path: Path) -> None:
    corpus = [{"_id": "d ", "text": "a"}, {"_id": "d", "text": "b"}]
    folder = beir(tmp_path / "s", {"test": table(("q", "d ", 1))}, corpus, [{"_id": "q", "text": "?"}])
    assert grades(taken("beir", folder)[1]) == {("q", "d "): 1}


def test_a_header_may_be_missing_but_a_wrong_grade_is_no_header(tmp_path: Path) -> None:
    assert grades(taken("beir", scifact(tmp_path / "s", test="0\t4983\t1\n"))[1]) == {("0", "4983"): 1}
    assert "qrels/test.tsv:1: score: found '1.5'" in refused("beir", scifact(tmp_path / "t", test="0\t4983\t1.5\n"))


def test_every_problem_is_told_at_once_by_file_and_line(tmp_path: Path) -> None:
    rows = table(("0", "4983", -1), ("0", "nope", 1), ("2", "007", 63), ("x", "007", 1), ("2", "4983", 1))
    folder = beir(
        tmp_path / "s", {"test": rows + "2\t4983\t2\n2\n"}, [*SCIFACT_CORPUS, {"_id": 7, "text": "x"}], SCIFACT_QUERIES
    )
    said = refused("beir", folder)
    assert said.splitlines() == [
        f"{folder} (BEIR) cannot be imported: 6 problems",
        '  corpus.jsonl:3: _id: found the number 7, expected a non-empty string, for example "7"',
        "  qrels/test.tsv:2: score: found -1, expected a whole number from 0 to 62, or say what it means: --grade-map=-1:0",
        "  qrels/test.tsv:4: score: found 63, expected a whole number from 0 to 62, or say what it means: --grade-map=63:0",
        "  qrels/test.tsv:5: query-id: found 'x', expected an id of queries.jsonl",
        "  qrels/test.tsv:7: score: found two grades for the pair (2, 4983): 1 at qrels/test.tsv:6 and 2 at qrels/test.tsv:7, expected one grade for each pair",
        "  qrels/test.tsv:8: columns: found 1 column ('2'), expected 3 columns separated by tabs: query-id, corpus-id, score",
    ]


def test_grades_are_changed_only_as_told(tmp_path: Path) -> None:
    folder = scifact(tmp_path / "s", test=table(("0", "4983", -1), ("2", "007", 1)))
    outcome, benchmark = taken("beir", folder, grades={-1: 0})
    assert grades(benchmark) == {("0", "4983"): 0, ("2", "007"): 1}
    assert "grades changed from -1 to 0, as --grade-map says: 1" in outcome.notices


def test_an_id_of_both_a_question_and_a_passage_is_said(tmp_path: Path) -> None:
    folder = beir(tmp_path / "s", {"test": table(("d1", "d2", 1))}, queries=[{"_id": "d1", "text": "?"}])
    assert "ids that stand for both a question and a passage: 1 (first: 'd1')" in taken("beir", folder)[0].notices


def test_everything_of_a_question_survives(tmp_path: Path) -> None:
    corpus = [passage("d1", acl=["hr"], doc_id="D", location="1"), passage("d2", effective_from="2026-01-01")]
    asked = [
        question("q1", type="t", answer="a", evidence_groups=[["d1"], ["d2"]]),
        question("q2", status="no_answer", asked_about="d1", identity="clerk"),
        question("q3", status="unreviewed"),
    ]
    about = "name: n\nlanguage: en\nidentities: {clerk: [all]}\nlicence: MIT"
    folder = native(tmp_path / "n", corpus, asked, table(("q1", "d1", 3), ("q1", "d2", 0)), about)
    outcome, target = given("beir", folder, split="dev")
    assert (target / "qrels" / "dev.tsv").is_file()
    assert outcome.losses == ()
    assert any("2 questions without a judgement (no_answer, unreviewed)" in notice for notice in outcome.notices)
    back = taken("beir", target)[1]
    assert statuses(back) == {"q1": "reviewed", "q2": "no_answer", "q3": "unreviewed"}
    assert back.identities == {"clerk": ("all",)}
    assert back.about == {"licence": "MIT"}


def test_a_source_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert "corpus.jsonl: file: found no such file; in the folder: no such folder" in refused("beir", tmp_path / "no")


@pytest.mark.parametrize("unit", ["clause", "document"])
def test_labels_of_a_larger_unit_come_back(tmp_path: Path, unit: str) -> None:
    corpus = [passage("d1", doc_id="D", location="1"), passage("d2", doc_id="D", location="2")]
    name = {"clause": "D#1", "document": "D"}[unit]
    folder = native(tmp_path / "n", corpus, qrels=table(("q1", name, 1)), about=f"label_unit: {unit}\nlanguage: en")
    assert grades(taken("beir", given("beir", folder)[1])[1]) == {("q1", name): 1}


def test_its_own_tables_are_taken_as_the_split_and_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Question 3 of dev is about the clause of question 4 of test, and is set aside; the holdout stays whole."""
    corpus = [{"_id": f"d{n}", "text": f"clause {word}"} for n, word in enumerate(("red", "green", "blue", "white"))]
    asked = [
        {"_id": f"q{n}", "text": word} for n, word in enumerate(("why red?", "how green?", "blue where?", "so white"))
    ]
    tables = {"dev": table(("q0", "d0", 1), ("q2", "d2", 1)), "test": table(("q1", "d1", 1), ("q3", "d2", 2))}
    folder = beir(tmp_path / "s", tables, corpus, asked)
    assert main(["data", "import", "beir", str(folder), str(tmp_path / "t"), "--own-split", "dev,test"]) == 0
    out = capsys.readouterr().out
    assert "split default: dev 1 question in 1 group; holdout 2 questions in 2 groups; 1 question set aside" in out
    assert "dev questions set aside, since they belong together with the holdout: 1" in out
    assert "lost: nothing" in out
    split = read_split(tmp_path / "t" / "splits" / "default.json")
    assert (split.dev, split.holdout, split.unassigned) == (("q0",), ("q1", "q3"), ("q2",))
    assert len(dev_side(load(tmp_path / "t"), split).query_rows) == 1


def test_questions_of_its_tables_that_were_looked_at_under_the_root_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = [{"_id": f"d{n}", "text": f"clause {word}"} for n, word in enumerate(("red", "green"))]
    asked = [{"_id": f"q{n}", "text": word} for n, word in enumerate(("why red?", "how green?"))]
    tables = {"dev": table(("q0", "d0", 1)), "test": table(("q1", "d1", 1))}
    folder, root = beir(tmp_path / "s", tables, corpus, asked), tmp_path / "root"
    looked_at = [question_of("x", "Please: HOW green?", 0)]
    add_to_root(root, lambda _: (Kind.SEEN, looked_at, {"dataset": "other"}))
    words = ["data", "import", "beir", str(folder), str(tmp_path / "t"), "--own-split", "dev,test"]
    assert main(["--root", str(root), *words]) == 0
    out = capsys.readouterr().out
    assert "seen before: dev 0 of 1 question; holdout 1 of 1 question\n" in out
    assert "it cannot be opened without --spend-again --reason" in out
    split = read_split(tmp_path / "t" / "splits" / "default.json")
    assert split.audit["seen_before"] == {"dev": 0, "holdout": 1}


def test_a_question_in_both_tables_cannot_be_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = scifact(tmp_path / "s", test=table(("0", "4983", 1)), dev=table(("0", "007", 1)))
    assert main(["data", "import", "beir", str(folder), str(tmp_path / "t"), "--own-split", "dev,test"]) == 2
    assert "the sides that were given share 1 of their questions (first: '0')" in capsys.readouterr().err
    assert not (tmp_path / "t").exists()
