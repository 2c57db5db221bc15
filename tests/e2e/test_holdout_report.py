"""A holdout through the command line: its verdict and its marks wherever its results are shown."""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rag_ablation import api
from rag_ablation.core.errors import HoldoutError, RagAblationError
from tests.e2e.program import Done, rag_ablation
from tests.e2e.split_study import write_split_study

RULE = "the 95 % interval of candidate − baseline in final/ndcg@10 lies above 0"
SPENT_ONCE = "spent holdout: opened 1 time (plan v1 of study tiny)"
USED = "holdout used 2 times; no longer unseen"
SEEN = "16 of 16 holdout questions had been seen before it was opened"
FILES = ("report.html", "report.md", "results.parquet")


def command(root: Path, *words: str) -> Done:
    """A command that ends well, as where the package is installed: a checkout with changes would mark the plan."""
    done = rag_ablation(root, *words, GIT_DIR=os.devnull)
    assert done.status == 0, done.said
    return done


def folder(root: Path, plan: str) -> Path:
    return root / "studies" / "tiny" / "holdout" / plan


def parents(root: Path) -> dict[str, Any]:
    """Runs of the holdout's experiment by plan, with the number of arms below each."""
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{root / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("tiny/holdout")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    found = {}
    for run in runs:
        if run.data.tags["rag.kind"] == "holdout":
            arms = [one for one in runs if one.data.tags.get("mlflow.parentRunId") == run.info.run_id]
            files = {file.path for file in client.list_artifacts(run.info.run_id)}
            found[run.data.tags["rag.frozen"]] = (run.data.tags, len(arms), files)
    return found


class Spent(NamedTuple):
    """A root with one plan opened, and what its opening printed."""

    root: Path
    opened: Done


def opened(root: Path) -> Spent:
    """The study, and its plan v1 run on the holdout."""
    command(root, "data", "split", str(write_split_study(root)))
    command(root, "study", "run", "tiny")
    command(root, "freeze", "--study", "tiny", "--arm", "A2", "--name", "v1")
    return Spent(root, command(root, "holdout", "--study", "tiny", "--name", "v1"))


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Spent:
    """One plan on its holdout."""
    return opened(tmp_path_factory.mktemp("once"))


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Spent:
    """The same, and then a second plan, the other way round, on the same questions with a reason."""
    root = opened(tmp_path_factory.mktemp("twice")).root
    again = ("--spend-again", "--reason", "to see the other way")
    made = ("freeze", "--study", "tiny", "--arm", "A", "--baseline", "A2", "--name", "v2")
    command(root, *made, *again)
    return Spent(root, command(root, "holdout", "--study", "tiny", "--name", "v2", *again))


def runs_of(root: Path, plan: str) -> list[str]:
    found: dict[str, str] = json.loads((folder(root, plan) / "holdout.json").read_text(encoding="utf-8"))["runs"]
    return list(found.values())


def test_the_verdict_stands_in_terminal_page_note_and_tracker_in_the_words_of_the_plan(once: Spent) -> None:
    tags, n_arms, files = parents(once.root)["v1"]
    written = {name: (folder(once.root, "v1") / name).read_bytes() for name in FILES}
    page = re.sub(r"<[^>]+>", "", written["report.html"].decode())
    for text in (once.opened.out, page, written["report.md"].decode(), tags["mlflow.note.content"]):
        assert RULE in text
        assert "above 0, and at least 0.02." in text
        assert "adopt." in text
        assert "not adopt." not in text
        assert SPENT_ONCE in text
    assert (tags["rag.decision"], tags["rag.spent"], n_arms) == ("adopt", SPENT_ONCE, 2)
    assert files >= set(FILES)
    assert "| A2 − A |" in tags["mlflow.note.content"]


def test_a_replay_writes_and_logs_what_a_crash_left_out(once: Spent, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(once.root, root)
    for name in FILES:
        (folder(root, "v1") / name).unlink()
    (root / "mlflow.db").unlink()
    done = command(root, "holdout", "--study", "tiny", "--name", "v1")
    assert "replayed: this plan had been run on its holdout before, and nothing was opened" in done.out
    tags, n_arms, files = parents(root)["v1"]
    assert (tags["rag.decision"], n_arms) == ("adopt", 2)
    assert files >= set(FILES)
    assert "the same to the last bit" in (folder(root, "v1") / "report.md").read_text(encoding="utf-8")


def test_a_replay_logs_nothing_twice(once: Spent, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(once.root, root)
    command(root, "holdout", "--study", "tiny", "--name", "v1")
    assert {plan: n_arms for plan, (_, n_arms, _) in parents(root).items()} == {"v1": 2}


def test_a_holdout_that_is_spent_again_is_marked_in_terminal_page_note_and_tags(twice: Spent) -> None:
    tags, _, _ = parents(twice.root)["v2"]
    note = (folder(twice.root, "v2") / "report.md").read_text(encoding="utf-8")
    page = (folder(twice.root, "v2") / "report.html").read_text(encoding="utf-8")
    for text in (twice.opened.out, note, page, tags["rag.marks"], tags["mlflow.note.content"]):
        assert USED in text
        assert SEEN in text
    assert "留出集已用 2 次，不再是未见过的题" in page
    assert "to see the other way" in note
    assert tags["rag.decision"] == "do not adopt"


def test_every_command_that_shows_a_run_of_a_holdout_says_that_it_is_spent_and_how_it_is_marked(twice: Spent) -> None:
    first, second = runs_of(twice.root, "v2")
    spent = "spent holdout: opened 2 times (plan v2 of study tiny)"
    gate = ("gate", first, "--against", second, "--max-drop", "0.5")
    for words in (("compare", first, second), gate, ("explain", first, "--fate", "kept")):
        told = rag_ablation(twice.root, *words).out
        values = json.loads(rag_ablation(twice.root, *words, "--json").out)
        marks = (values[0] if isinstance(values, list) else values)["marks"]
        assert marks[0] == spent
        assert {USED, SEEN} <= set(marks)
        for mark in (spent, USED, SEEN):
            assert f"mark: {mark}" in told, words
    listed = rag_ablation(twice.root, "runs", "--experiment", "tiny/holdout").out
    assert f"mark: {spent}; {USED}; {SEEN}" in listed
    assert "mark: spent holdout: opened 2 times (plan v1 of study tiny)" in listed


def test_how_often_a_holdout_was_opened_is_counted_when_it_is_shown(twice: Spent) -> None:
    command(twice.root, "report", "tiny", "--holdout", "v1")
    note = (folder(twice.root, "v1") / "report.md").read_text(encoding="utf-8")
    assert "spent holdout: opened 2 times (plan v1 of study tiny)" in note
    assert "none when this plan opened it; by now it was opened 2 times" in note
    assert USED not in note


def test_runs_on_dev_bear_no_marks(once: Spent) -> None:
    found = json.loads(command(once.root, "compare", "tiny:A", "tiny:A2", "--json").out)
    assert found["marks"] == []


def test_the_report_of_the_study_says_what_became_of_its_plans(twice: Spent) -> None:
    done = command(twice.root, "report", "tiny")
    page = (twice.root / "studies" / "tiny" / "report.html").read_text(encoding="utf-8")
    assert "was run on the holdout (n 16, 16 groups, opened 2 times): adopt" in done.out.replace("\u00a0", " ")
    assert "studies/tiny/holdout/v1/report.html" in page
    assert USED in page


def test_the_interface_gives_the_frames_of_a_plan_and_marks_what_it_compares(twice: Spent) -> None:
    frames = api.load_results("tiny", twice.root, holdout="v2")
    assert frames.verdict == "do not adopt"
    assert frames.marks[0] == "spent holdout: opened 2 times (plan v2 of study tiny)"
    assert set(frames.means["arm"]) == {"A", "A2"}
    assert frames.steps["word"].tolist() == ["falls behind"]
    assert "spent holdout" in repr(frames)
    compared = api.compare(*runs_of(twice.root, "v2"), twice.root)
    assert compared["marks"].str.contains(USED).all()
    dev = api.load_results("tiny", twice.root)
    assert (dev.verdict, dev.marks) == (None, ())
    assert "marks" not in api.compare("tiny:A", "tiny:A2", twice.root)


def test_nothing_is_shown_of_a_holdout_that_the_ledger_does_not_know(once: Spent, tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(once.root, root)
    first, second = runs_of(root, "v1")
    ledger = root / "data" / "splits" / "ledger.jsonl"
    ledger.write_bytes(ledger.read_bytes().splitlines(keepends=True)[0])
    for words in (
        ("report", "tiny", "--holdout", "v1"),
        ("compare", first, second),
        ("gate", first, "--against", second, "--max-drop", "0.5"),
        ("explain", first, "--fate", "kept"),
        ("runs", "--experiment", "tiny/holdout"),
    ):
        done = rag_ablation(root, *words)
        assert done.status == 2, words
        assert "does not say was opened" in done.err, words
    with pytest.raises(HoldoutError, match="does not say was opened"):
        api.load_results("tiny", root, holdout="v1")
    assert "not told" in command(root, "report", "tiny").out


def test_a_plan_that_was_not_run_has_no_report(once: Spent) -> None:
    with pytest.raises(RagAblationError, match="expected a plan of study tiny"):
        api.load_results("tiny", once.root, holdout="v9")
