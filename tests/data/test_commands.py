"""`rag-ablation data` as a person types it."""

import json
from pathlib import Path

import pytest

from rag_ablation.cli import main
from tests.data.folders import native, passage, question, table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve questions on six clauses, some with two passages of gold."""
    corpus = [passage(f"d{n}", f"text {n}", doc_id="D", location=str(n)) for n in range(6)]
    asked = [question(f"q{n:02d}", f"what {n}", type="ab"[n % 2], answer="SECRET") for n in range(12)]
    rows = [(f"q{n:02d}", f"d{n // 2}", 1) for n in range(12)]
    return native(tmp_path / "set", corpus, asked, table(*rows), "name: tiny\nlanguage: en")


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status = main(["--root", "unused", *words])
    out = capsys.readouterr()
    assert status == 0, out.err
    return out.out


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path / "root"))


def test_check_counts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "data", "check", str(folder)) == (
        "tiny: no problems found. 6 passages, 12 questions, 12 judgements at unit passage, language en\n"
    )


def test_check_tells_every_problem_and_ends_with_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels.tsv").write_text(table(("q00", "d9", 1), ("q99", "d1", 1)))
    assert main(["data", "check", str(folder)]) == 2
    err = capsys.readouterr().err
    assert "qrels.tsv:2: corpus-id: found 'd9'" in err
    assert "qrels.tsv:3: query-id: found 'q99'" in err
    assert err.startswith(f"rag-ablation: {folder} (native layout) cannot be used: 13 problems\n")


def test_stats_without_a_split_count_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "data", "stats", str(folder))
    assert "corpus: 6 passages in 1 document; no text twice" in text
    assert "questions (all questions): 12; no text twice" in text
    assert "types: a 6, b 6" in text
    assert "recall ceiling: 1.0000 at 1, 1.0000 at 3" in text
    assert "groups: 6; questions in a group: 2 (6×)" in text


def test_stats_state_the_ceiling_of_many_gold_passages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(*((("q1"), f"d{n}", 1) for n in range(4)), ("q2", "d0", 1))
    corpus = [passage(f"d{n}") for n in range(4)]
    folder = native(
        tmp_path / "many", corpus, [question("q1"), question("q2"), question("q3", status="no_answer")], rows
    )
    text = said(capsys, "data", "stats", str(folder))
    assert f"{(1 / 4 + 1) / 2:.4f} at 1, {(3 / 4 + 1) / 2:.4f} at 3, 1.0000 at 5" in text
    assert "gold per question: 1 (1×), 4 (1×); mean 2.50" in text
    assert "statuses: no_answer 1, reviewed 2" in text


def test_split_writes_a_file_and_says_what_to_type_next(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "data", "split", str(folder), "--holdout", ".5", "--seed", "3")
    assert f"written: {folder / 'splits' / 'default.json'}" in text
    assert "split default: dev 6 questions in 3 groups; holdout 6 questions in 3 groups" in text
    assert "holdout share: 50.0% (asked for 50.0%)" in text
    assert "holdout share by type: a 50.0%, b 50.0%" in text
    assert "largest group: 2 of 12 questions" in text
    assert f"next: rag-ablation run -m arms=ladder dataset=folder dataset.path={folder}\n" in text
    assert json.loads((folder / "splits" / "default.json").read_text())["seed"] == 3
    assert "already there" in said(capsys, "data", "split", str(folder), "--holdout", ".5", "--seed", "3")


def test_split_does_not_replace_another(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "data", "split", str(folder))
    assert main(["data", "split", str(folder), "--seed", "1"]) == 2
    assert "choose another name" in capsys.readouterr().err
    text = said(capsys, "data", "split", str(folder), "--seed", "1", "--name", "b")
    assert "dev questions stand in the holdout of another split (default)" in text
    assert text.endswith(" dataset.split=b\n")


def test_stats_tell_of_the_holdout_only_its_size(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "data", "split", str(folder), "--holdout", ".5")
    text = said(capsys, "data", "stats", str(folder))
    assert "split default: dev 6 questions in 3 groups; holdout 6 questions in 3 groups" in text
    assert "questions (dev): 6;" in text
    assert "groups: 3; questions in a group: 2 (3×)" in text


def test_check_says_whether_a_split_still_fits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "data", "split", str(folder))
    assert "split default: fits the questions and labels" in said(capsys, "data", "check", str(folder))
    (folder / "queries.jsonl").write_text((folder / "queries.jsonl").read_text().replace("what 3", "what else"))
    text = said(capsys, "data", "check", str(folder))
    assert "notice: the split 'default' was made for other data: texts or metadata of questions changed" in text


def test_no_verb_shows_a_label(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("check", "stats", "split", "stats"):
        assert "SECRET" not in said(capsys, "data", action, str(folder))


def test_text_in_brackets_is_printed_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "dataset.yaml").write_text('name: "[bold]tiny[/bold]"\nlanguage: en')
    assert said(capsys, "data", "check", str(folder)).startswith("[bold]tiny[/bold]: no problems")
