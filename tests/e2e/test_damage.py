"""Results that are damaged, and disks that are full: what is wrong is said, and nothing half-written is taken for whole."""

import json
import os
import shutil
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

import pytest

from rag_ablation.cli import main
from rag_ablation.commands import compare, latency, report
from rag_ablation.core.errors import CommandError
from tests.e2e.interrupting import whole_runs
from tests.e2e.studies import write_study

REPORT = "report", report.execute, Namespace(study="tiny", language="en", holdout=None, to=None)
LATENCY = "latency", latency.execute, Namespace(study="tiny", settings=["latency.questions=20"])
COMPARE = (
    "compare",
    compare.execute,
    Namespace(before="tiny:A", after="tiny:A2", measure="final/ndcg@10", questions=1, json=True, tracking_uri=None),
)
VERBS = [pytest.param(execute, args, id=name) for name, execute, args in (REPORT, LATENCY, COMPARE)]
Verb = Callable[[Namespace, Path], int]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    write_study(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        patch.setenv("RAG_ABLATION_ROOT", str(root))
        assert main(["study", "run", "tiny"]) == 0
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same study, to be damaged; its data lie where they lay."""
    for name in ("runs", "studies", "store", "experiments"):
        shutil.copytree(made / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path))
    return tmp_path


def run_folder(root: Path, key: str) -> Path:
    manifest = json.loads((root / "studies" / "tiny" / "study.json").read_text(encoding="utf-8"))
    return root / "runs" / manifest["runs"][key]


@pytest.mark.parametrize(("execute", "args"), VERBS)
@pytest.mark.parametrize("text", ["", '{"layout"', "[1]", '{"layout": "rag-ablation.study/1", "study": 3}'])
def test_a_broken_study_file_is_named(root: Path, execute: Verb, args: Namespace, text: str) -> None:
    (root / "studies" / "tiny" / "study.json").write_text(text)
    with pytest.raises(CommandError, match=r"study\.json.*expected a file that is whole"):
        execute(args, root)


@pytest.mark.parametrize(("execute", "args"), VERBS)
def test_a_run_folder_that_is_gone_is_named(root: Path, execute: Verb, args: Namespace) -> None:
    folder = run_folder(root, "A")
    shutil.rmtree(folder)
    with pytest.raises(CommandError, match=folder.name):
        execute(args, root)


@pytest.mark.parametrize(("execute", "args"), VERBS)
@pytest.mark.parametrize(
    ("name", "size"), [("per_question.parquet", 100), ("per_question.parquet", None), ("result.json", 500)]
)
def test_a_damaged_file_of_a_run_is_named(
    root: Path, execute: Verb, args: Namespace, name: str, size: int | None
) -> None:
    path = run_folder(root, "A2") / name
    if size is None:
        path.unlink()
    else:
        os.truncate(path, size)
    with pytest.raises(CommandError, match=path.parent.name) as caught:
        execute(args, root)
    assert "whole" in str(caught.value) or "written by" in str(caught.value)


@pytest.mark.parametrize(("execute", "args"), VERBS)
def test_a_record_that_is_no_record_is_named(root: Path, execute: Verb, args: Namespace) -> None:
    path = run_folder(root, "A") / "result.json"
    path.write_text("[]")
    with pytest.raises(CommandError, match=path.parent.name):
        execute(args, root)


def test_a_report_names_every_damaged_run_and_the_command_that_mends_them(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(run_folder(root, "A"))
    (run_folder(root, "A2") / "qrels.txt").unlink()
    (run_folder(root, "Oracle") / "context.parquet").write_bytes(b"PAR1")
    assert main(["report", "tiny"]) == 2
    said = capsys.readouterr().err
    for line in ("arm A: found no such folder", "arm A2: found qrels.txt", "arm Oracle: found context.parquet"):
        assert line in said
    assert said.count("rag-ablation study run tiny") == 3
    assert main(["study", "plan", "tiny"]) == 0
    assert "to run: 3 arms" in capsys.readouterr().out
    assert main(["study", "run", "tiny"]) == 0
    assert len(whole_runs(root)) == 3


def test_a_full_disk_leaves_the_report_as_it_was_and_says_which_file(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = root / "studies" / "tiny"
    for name in ("study.json", "report.md"):
        before = (folder / name).read_bytes()
        aside = folder / f"{name}.aside"
        aside.symlink_to("/dev/full")
        assert main(["study", "run", "tiny"]) == 2
        assert f"{folder / name}: " in (said := capsys.readouterr().err)
        assert "No space left on device" in said
        assert (folder / name).read_bytes() == before
        aside.unlink()


@pytest.mark.parametrize("name", ["studies", "runs"])
def test_a_folder_that_cannot_be_made_is_named(root: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(root / name)
    (root / name).touch()
    assert main(["study", "run", "tiny"]) == 2
    assert f"the system refuses: {root / name}" in capsys.readouterr().err


def test_an_arm_whose_files_cannot_be_written_fails_for_itself(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The disk is full when the tables of a run are written, and not yet when the little record is."""
    from rag_ablation.tracking import files

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    shutil.rmtree(root / "runs")
    with monkeypatch.context() as patch:
        patch.setattr(files, "_write_values", full)
        assert main(["study", "run", "tiny"]) == 1
    said = capsys.readouterr()
    assert "failed: A (A bm25): the system refuses: No space left on device" in said.err
    assert not whole_runs(root)
