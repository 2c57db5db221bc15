"""`rag-ablation data import` and `export` as a person types them."""

from pathlib import Path

import pytest

from rag_ablation.cli import main
from rag_ablation.data.exchange.options import parse_column, parse_grades
from tests.data.folders import native, passage, question, table


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path / "root"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = [passage("d1", location="1", acl=["hr"]), passage("d2")]
    return native(
        tmp_path / "set",
        corpus,
        [question("q1", type="t", answer="a")],
        table(("q1", "d1", 2)),
        "name: n\nlanguage: en",
    )


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status = main(list(words))
    out = capsys.readouterr()
    assert status == 0, out.err
    return out.out


def test_export_and_import_end_with_what_is_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "data", "export", "trec", "set", "track").splitlines() == [
        "exported: track (TREC): 2 passages, 1 question, 1 judgement; corpus.tsv, dataset.yaml, qrels.txt, topics.tsv",
        "notice: dataset.yaml is not of the format: it is for the way back, and other tools pass it over",
        "TREC cannot hold: who may see what: 1 passage with an acl will be open to everyone",
        "TREC cannot hold: fields of passages: acl (1 of 2), location (1 of 2)",
        "TREC cannot hold: fields of questions: answer (1 of 1), type (1 of 1)",
    ]
    assert said(capsys, "data", "import", "trec", "track", "back").splitlines() == [
        "imported: back (TREC): 2 passages, 1 question, 1 judgement, language en",
        "not in the source: 2 of 2 passages without doc_id: each is its own document",
        "not in the source: 2 of 2 passages without location: each is its own answer location",
        "not in the source: 1 of 1 questions without type: type unspecified",
        "not in the source: 1 of 1 answerable questions without answer and answers: no reference answer",
        "lost: nothing",
        "next: rag-ablation data check back",
    ]
    assert "no problems found. 2 passages, 1 question" in said(capsys, "data", "check", "back")


def test_the_bundled_handbook_goes_to_beir(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "data", "export", "beir", "bundled:handbook_zh", "b", "--split-name", "dev")
    assert "qrels/dev.tsv" in text
    assert "BEIR cannot hold: splits/ (make a split where the dataset is used)" in text


def test_options_reach_the_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "corpus.csv").write_bytes("编号;正文\nd1;甲乙丙丁\n".encode("gb18030"))
    (tmp_path / "t" / "asked.csv").write_bytes("编号;正文;gold;grades\nq1;谁？;d1;-1\n".encode("gb18030"))
    words = ["--column", "id=编号", "--column", "text=正文", "--grade-map=-1:2", "--encoding", "gb18030"]
    text = said(
        capsys,
        "data",
        "import",
        "csv",
        "t",
        "out",
        *words,
        "--delimiter",
        ";",
        "--questions",
        "asked.csv",
        "--name",
        "甲",
    )
    assert "1 judgement, language zh" in text
    assert (tmp_path / "out" / "qrels.tsv").read_text() == "query-id\tcorpus-id\tscore\nq1\td1\t2\n"
    assert "name: 甲" in (tmp_path / "out" / "dataset.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("there", ["folder", "file"])
def test_nothing_that_is_there_is_touched(
    folder: Path, tmp_path: Path, there: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out"
    if there == "file":
        target.write_text("mine")
    else:
        target.mkdir()
        (target / "mine").touch()
    assert main(["data", "export", "beir", "set", "out"]) == 2
    assert "expected a path where there is nothing yet, or an empty folder" in capsys.readouterr().err


def test_an_empty_folder_may_be_the_target_and_parents_are_made(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert main(["data", "export", "beir", "set", "out"]) == 0
    assert main(["data", "import", "beir", "out", "deep/er/set"]) == 0
    assert sorted(path.name for path in (tmp_path / "deep" / "er" / "set").iterdir()) == [
        "corpus.jsonl",
        "dataset.yaml",
        "qrels.tsv",
        "queries.jsonl",
    ]


def test_a_failure_leaves_nothing_behind(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(tmp_path.iterdir())
    assert main(["data", "import", "squad", "set", "new/out"]) == 2
    assert capsys.readouterr().err.startswith("rag-ablation: set (SQuAD) cannot be imported: ")
    assert sorted(tmp_path.iterdir()) == before


def test_an_option_that_a_format_does_not_take_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "import", "beir", "set", "out", "--column", "text=x"]) == 2
    assert "options: found --column, which beir does not take, expected of these: --encoding" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--split-name=../x", "--split-name=a/b", "--split-name="])
def test_a_split_is_a_file_in_its_folder(folder: Path, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "export", "beir", "set", "out", word]) == 2
    assert "expected the name of a file" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["--separator=", "--delimiter=", "--delimiter=;;"])
def test_what_cannot_separate_is_refused(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "import", "csv", "set", "out", word]) == 2
    assert "character" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--grade-map=1"], ["--grade-map=-1:x"], ["--grade-map=1:0,1:2"], ["--column", "text"]]
)
def test_a_word_of_the_wrong_form_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["data", "import", "csv", "a", "b", *words])
    assert stop.value.code == 2


def test_words_in_their_forms() -> None:
    assert parse_grades("-1:0,-2:0") == {-1: 0, -2: 0}
    assert parse_column("corpus.text=a=b") == ("corpus", "text", "a=b")
    assert parse_column("my.field=x") == (None, "my.field", "x")
