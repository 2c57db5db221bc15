"""`rag-ablation data` as a person types it."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from rag_ablation.cli import main
from rag_ablation.commands.progress import reading
from tests.data.folders import table, twelve_questions


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return twelve_questions(tmp_path / "set")


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
        "tiny: no problems found. 9 passages, 12 questions, 12 judgements at unit passage, language en\n"
        "notice: corpus.jsonl: 3 texts under more than one id (6 passages)\n"
    )


def test_check_tells_notices_even_where_there_are_problems(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels.tsv").write_text(table(("q00", "d9", 1)))
    assert main(["data", "check", str(folder)]) == 2
    assert "notice: corpus.jsonl: 3 texts under more than one id (6 passages)" in capsys.readouterr().out


def test_nothing_but_problems_goes_to_standard_error_where_it_is_no_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "check", str(folder)]) == 0
    assert capsys.readouterr().err == ""


def test_progress_is_shown_on_a_terminal() -> None:
    written = io.StringIO()
    with reading(Console(file=written, force_terminal=True), "corpus") as on_read:
        assert on_read is not None
        on_read(5_000_000, 10_000_000)
    assert "reading corpus" in written.getvalue()
    with reading(Console(file=written, force_terminal=False), "corpus") as on_read:
        assert on_read is None


def test_check_tells_every_problem_and_ends_with_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels.tsv").write_text(table(("q00", "d9", 1), ("q99", "d1", 1)))
    assert main(["data", "check", str(folder)]) == 2
    err = capsys.readouterr().err
    assert "qrels.tsv:2: corpus-id: found 'd9'" in err
    assert "qrels.tsv:3: query-id: found 'q99'" in err
    assert err.startswith(f"rag-ablation: {folder} (native layout) cannot be used: 13 problems\n")


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
    assert "or remove the file first" in capsys.readouterr().err


def test_a_second_split_that_would_block_the_first_is_not_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "data", "split", str(folder))
    assert main(["data", "split", str(folder), "--seed", "1", "--name", "b"]) == 2
    err = capsys.readouterr().err
    assert "so that no run could use either" in err
    assert f"or remove {folder / 'splits' / 'default.json'} first" in err
    assert [path.name for path in (folder / "splits").iterdir()] == ["default.json"]
    (folder / "splits" / "default.json").unlink()
    assert said(capsys, "data", "split", str(folder), "--seed", "1", "--name", "b").endswith(" dataset.split=b\n")


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
    (folder / "dataset.yaml").write_text('name: "[bold]:smile:[/bold]"\nlanguage: en')
    assert said(capsys, "data", "check", str(folder)).startswith("[bold]:smile:[/bold]: no problems")
    assert '"dataset": "[bold]:smile:[/bold]"' in said(capsys, "data", "stats", str(folder), "--json")
    assert said(capsys, "data", "stats", str(folder)).startswith("[bold]:smile:[/bold] (en, ")
