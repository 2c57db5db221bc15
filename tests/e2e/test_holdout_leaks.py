"""Nothing that a study over dev writes or prints holds a label, or a text, of a held-out question."""

from pathlib import Path

import pytest

from tests.e2e.holdouts import (
    PLAN,
    STUDY,
    Bench,
    files_with,
    replace_in,
    secrets_of,
)


def planted(bench: Bench) -> list[str]:
    return secrets_of(bench.split.holdout, "answer", "keypoint", "text")


def test_the_words_are_there_and_would_be_found(frozen: Bench) -> None:
    """The search itself: dev's own labels do stand in the dataset, in the report, and in what Parquet compresses."""
    dev = frozen.split.dev
    found = files_with(secrets_of(dev, "answer", "keypoint", "text"), frozen.root)
    assert {Path(path).name for path, _ in found} >= {"queries.jsonl", "report.html"}
    assert {Path(path).name for path, _ in files_with(dev, frozen.root)} >= {"per_question.parquet", "fates.parquet"}


def test_no_file_of_a_study_holds_a_word_of_the_holdout(frozen: Bench) -> None:
    assert files_with(planted(frozen), frozen.root, leave_out=[frozen.data / "queries.jsonl"]) == []


def test_no_file_but_the_split_names_a_held_out_question(frozen: Bench) -> None:
    data = [frozen.data / "queries.jsonl", frozen.data / "qrels.tsv", frozen.split_file]
    assert files_with(frozen.split.holdout, frozen.root, leave_out=data) == []


def test_no_command_over_dev_prints_a_word_of_the_holdout(tuned: Bench) -> None:
    done = [
        tuned.well("study", "run", STUDY, "resume=false"),
        tuned.well("study", "plan", STUDY),
        tuned.well("study", "plan", STUDY, "--json"),
        tuned.well("report", STUDY),
        tuned.well("compare", f"{STUDY}:A", f"{STUDY}:A2"),
        tuned.do("gate", f"{STUDY}:A2", "--against", f"{STUDY}:A", "--max-drop", "0.1"),
        tuned.well("judge", "pool", STUDY),
        tuned.well("data", "stats", str(tuned.data)),
        tuned.well("data", "check", str(tuned.data)),
        tuned.well(*tuned.freeze()),
        tuned.well("freeze", "show", PLAN, "--study", STUDY, "--json"),
        tuned.well("holdout", "status", str(tuned.data)),
    ]
    assert [(one.out, word) for one in done for word in planted(tuned) if word in one.said] == []
    assert files_with(planted(tuned), tuned.root, leave_out=[tuned.data / "queries.jsonl"]) == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("qrels.tsv", "\t2\n", "\ttwo\n"),
        ("qrels.tsv", "query-id\t", "query\t"),
        ("corpus.jsonl", '"_id": "p01"', '"_id": "p00"'),
        ("queries.jsonl", '"keypoints": [', '"keypoints": 7, "x": ['),
        ("queries.jsonl", '"_id": "q01"', '"_id": "q00"'),
        ("queries.jsonl", "}\n", "\n"),
    ],
)
def test_an_error_of_a_run_over_broken_files_shows_no_answer_of_the_holdout(
    tuned: Bench, file: str, old: str, new: str
) -> None:
    replace_in(tuned.data / file, old, new, count=-1)
    for words in (tuned.run(), ("study", "run", STUDY), ("data", "check", str(tuned.data)), tuned.freeze()):
        done = tuned.do(*words)
        assert done.status == 2, done.said
        assert not [word for word in planted(tuned) if word in done.said], done.said
    assert files_with(planted(tuned), tuned.root, leave_out=[tuned.data / "queries.jsonl"]) == []


def test_a_failing_run_leaves_no_word_of_the_holdout(tuned: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    import rag_ablation.commands.run as running

    def failing(experiment, data, *_):  # type: ignore[no-untyped-def]
        message = f"{experiment!r} {data!r}"
        raise ValueError(message)

    monkeypatch.setattr(running, "run", failing)
    done = tuned.do(*tuned.run())
    assert done.status == 1
    assert [word for word in secrets_of(tuned.split.dev, "text") if word in done.said], "the error shows all it has"
    assert not [word for word in planted(tuned) if word in done.said]
    assert files_with(planted(tuned), tuned.root, leave_out=[tuned.data / "queries.jsonl"]) == []


def test_a_spent_holdout_writes_its_own_questions_and_nothing_of_them_reaches_the_dev_report(spent: Bench) -> None:
    results = spent.root / "studies" / STUDY
    own = {Path(path).name for path, _ in files_with(planted(spent), results / "holdout")}
    assert "report.html" in own
    spent.well("study", "run", STUDY)
    spent.well("report", STUDY)
    assert files_with(planted(spent), results, leave_out=[results / "holdout"]) == []


def test_the_tracking_store_of_a_study_holds_no_word_of_the_holdout(logged: Bench) -> None:
    assert files_with(secrets_of(logged.split.dev, "text"), logged.root / "mlartifacts"), "artifacts are searched"
    assert files_with(["rag.frozen_plan"], logged.root), "and so is the database"
    assert files_with(planted(logged), logged.root, leave_out=[logged.data / "queries.jsonl"]) == []
