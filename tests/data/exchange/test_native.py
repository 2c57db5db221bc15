"""A native folder that needs mending: what `data check` advises works."""

from pathlib import Path

import pytest

from rag_ablation.cli import main
from rag_ablation.data.load import load
from tests.data.folders import native, passage, question, table


def test_another_encoding_and_negative_grades_are_mended_as_advised(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = [passage("d1", "住宿费", doc_id="D", location="1"), passage("d2", "伙食", doc_id="D", location="2")]
    folder = native(tmp_path / "set", corpus, [question("q1", "住宿费多少")], table(("q1", "d1", 1), ("q1", "d2", -1)))
    (folder / "queries.jsonl").write_bytes((folder / "queries.jsonl").read_text("utf-8").encode("gb18030"))
    assert main(["data", "check", str(folder)]) == 2
    said = capsys.readouterr().err
    assert "--encoding gb18030 of `rag-ablation data import native`" in said
    assert "--grade-map of `rag-ablation data import native`" in said
    words = [
        "data",
        "import",
        "native",
        str(folder),
        str(tmp_path / "new"),
        "--encoding",
        "gb18030",
        "--grade-map=-1:0",
    ]
    assert main(words) == 0
    mended = load(tmp_path / "new")
    assert mended.queries.texts == ("住宿费多少",)
    assert mended.qrels.grades.tolist() == [1, 0]
    assert mended.passages.rows[1].location == "2"


def test_a_folder_without_judgements_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = native(tmp_path / "set", [passage("d1")], [question("q1")], table(("q1", "d1", 1)))
    (folder / "qrels.tsv").unlink()
    assert main(["data", "import", "native", str(folder), str(tmp_path / "new")]) == 2
    assert "qrels.tsv: file: found no such file" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
