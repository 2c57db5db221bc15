"""Attempts to look at held-out questions before a plan opens them: refused, and nothing is written."""

import json
import shutil
from pathlib import Path

import pytest

from rag_ablation.commands.explain import questions_of
from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import (
    STUDY,
    Bench,
    in_process,
    replace_in,
    secret,
    secrets_of,
    snapshot,
)
from tests.e2e.studies import write_definition

ONLY_DEV = "split: found 'holdout', expected dev or none: no run reads a holdout; it is opened once, for a frozen plan"
HAS_SPLIT = "split: found 'none', expected dev, since made has a split (default); none reads the holdout"


@pytest.mark.parametrize("words", ["split=holdout", "++split=holdout", "split='holdout'"])
def test_no_override_asks_for_the_holdout(tuned: Bench, words: str) -> None:
    assert ONLY_DEV in tuned.refused(*tuned.run(words))


def test_no_arm_of_a_sweep_asks_for_the_holdout(tuned: Bench) -> None:
    verb, *words = tuned.run("split=dev,holdout")
    assert ONLY_DEV in tuned.refused(verb, "-m", *words)


def test_an_added_override_of_a_key_that_is_there_is_refused(tuned: Bench) -> None:
    assert "Could not append to config. An item is already at 'split'" in tuned.refused(*tuned.run("+split=holdout"))


@pytest.mark.parametrize("side", ["Holdout", "HOLDOUT", "' holdout'", "test", "all", "null", "[dev,holdout]", "true"])
def test_no_other_spelling_of_a_side_is_a_side(tuned: Bench, side: str) -> None:
    assert "expected dev, or none for a set without a split" in tuned.refused(*tuned.run(f"split={side}"))


def test_a_users_own_configuration_file_cannot_ask_for_it(tuned: Bench) -> None:
    group = tuned.root / "mine" / "habits"
    group.mkdir(parents=True)
    (group / "sly.yaml").write_text("# @package _global_\nsplit: holdout\n")
    words = tuned.run("+habits=sly", f"hydra.searchpath=[file://{tuned.root / 'mine'}]")
    assert ONLY_DEV in tuned.refused(*words)


def test_the_environment_cannot_ask_for_it(tuned: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIDE", "holdout")
    assert ONLY_DEV in tuned.refused(*tuned.run("split=${oc.env:SIDE}"))


def test_a_study_cannot_ask_for_it(tuned: Bench) -> None:
    write_definition(tuned.root, tuned.data, name="sly", split="holdout")
    assert ONLY_DEV in tuned.refused("study", "run", "sly")


def test_a_command_over_a_study_cannot_ask_for_it(tuned: Bench) -> None:
    assert ONLY_DEV in tuned.refused("study", "run", STUDY, "split=holdout")
    assert ONLY_DEV in tuned.refused("study", "plan", STUDY, "split=holdout")


def test_an_arm_of_a_study_cannot_ask_for_it(tuned: Bench) -> None:
    arms = [{"key": "A", "set": "variant=bm25 split=holdout"}]
    write_definition(tuned.root, tuned.data, name="sly", study={"arms": arms})
    assert ONLY_DEV in tuned.refused("study", "run", "sly")


def test_the_whole_of_a_set_with_a_split_is_not_run(tuned: Bench) -> None:
    assert HAS_SPLIT in tuned.refused(*tuned.run("split=none"))


@pytest.mark.parametrize("name", ["../default", "/etc/passwd", ".hidden", ""])
def test_no_name_of_a_split_leads_elsewhere(tuned: Bench, name: str) -> None:
    said = tuned.refused(*tuned.run(f"dataset.split='{name}'"))
    assert f"a split's name needs letters, digits, - _ . (at most 60, no . in front), got '{name}'" in said


@pytest.mark.parametrize("name", ["default.json", "Default", "ledger"])
def test_no_name_but_its_own_finds_a_split(tuned: Bench, name: str) -> None:
    assert f"made has no split '{name}'; there are: default" in tuned.refused(*tuned.run(f"dataset.split='{name}'"))


def test_a_run_of_everything_after_the_split_was_moved_away_spends_the_holdout(frozen: Bench) -> None:
    moved = frozen.root / "default.json"
    frozen.split_file.rename(moved)
    frozen.well(*frozen.run("split=none"))
    moved.rename(frozen.split_file)
    said = frozen.refused(*frozen.holdout())
    assert "the holdout is no longer unseen: 28 of 28 questions seen before: 28 under split=none of made" in said
    assert '--spend-again --reason "…"' in said


def test_a_dev_run_of_another_seeds_split_is_refused_while_both_are_there(frozen: Bench) -> None:
    said = frozen.refused("data", "split", str(frozen.data), "--name", "other", "--seed", "9")
    assert "no split was written" in said
    other = other_seed(frozen, frozen.root / "aside")
    shutil.copy(other, frozen.data / "splits" / "other.json")
    said = frozen.refused(*frozen.run("dataset.split=other"))
    assert "dev questions stand in the holdout of split 'default'" in said


def test_a_dev_run_of_another_seeds_split_in_the_place_of_the_first_spends_its_holdout(frozen: Bench) -> None:
    other = other_seed(frozen, frozen.root / "aside")
    kept = frozen.root / "kept.json"
    frozen.split_file.rename(kept)
    shutil.copy(other, frozen.data / "splits" / "other.json")
    frozen.well(*frozen.run("dataset.split=other"))
    (frozen.data / "splits" / "other.json").unlink()
    kept.rename(frozen.split_file)
    said = frozen.refused(*frozen.holdout())
    assert "no longer unseen" in said
    assert "on dev of split 'other' of made" in said


def other_seed(bench: Bench, folder: Path) -> Path:
    """Another split of the same questions, made elsewhere."""
    shutil.copytree(bench.data, folder, ignore=shutil.ignore_patterns("splits"))
    bench.well("data", "split", str(folder), "--name", "other", "--seed", "9", "--holdout", "0.45")
    return folder / "splits" / "other.json"


def test_latency_over_the_study_of_a_held_out_record_times_dev(frozen: Bench) -> None:
    frozen.well("latency", STUDY, "latency.questions=2", "latency.passes=1")
    assert frozen.kinds() == ["in_use"]


def test_explain_does_not_know_a_held_out_question(frozen: Bench) -> None:
    held = frozen.split.holdout[0]
    said = frozen.refused("explain", f"{STUDY}:A2", held)
    assert f"question: found {held!r}, which this run was not asked (36 questions of side dev)" in said
    assert not any(word in said for word in secrets_of(frozen.split.holdout, "answer", "keypoint", "text"))


def test_explain_lists_no_held_out_question_by_its_fate(frozen: Bench) -> None:
    for fate in ("kept", "not_retrieved", "ranked_low", "lost_in_context"):
        rows = json.loads(frozen.well("explain", f"{STUDY}:A2", "--fate", fate, "--json").out)
        assert {row["query_id"] for row in rows} <= set(frozen.split.dev)


def test_a_run_of_everything_from_before_the_split_tells_nothing_of_what_is_held_out_now(frozen: Bench) -> None:
    moved = frozen.root / "default.json"
    frozen.split_file.rename(moved)
    frozen.well(*frozen.run("split=none"))
    moved.rename(frozen.split_file)
    run = next(folder.name for folder in frozen.runs() if read_record(folder).side == "none")
    held = frozen.split.holdout[0]
    said = frozen.refused("explain", run, held)
    assert f"{held!r}, which is held out" in said
    rows = json.loads(frozen.well("explain", run, "--fate", "kept", "--json").out)
    assert {row["query_id"] for row in rows} <= set(frozen.split.dev)


def test_an_edited_table_of_a_dev_run_is_damaged(frozen: Bench) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = next(folder for folder in frozen.runs() if read_record(folder).arm == "A bm25 sparse.b=0")
    path = folder / "per_question.parquet"
    rows = pq.read_table(path)
    names = [frozen.split.holdout[0], *rows["query_id"].to_pylist()[1:]]
    pq.write_table(rows.set_column(0, "query_id", pa.array(names)), path)
    damaged = "not there, or not as it was written"
    for words in (
        ("report", STUDY),
        ("judge", "pool", STUDY),
        frozen.freeze(name="v2"),
        ("explain", folder.name, frozen.split.holdout[0]),
        ("compare", f"{STUDY}:A", folder.name),
        ("gate", folder.name, "--against", f"{STUDY}:A", "--max-drop", "0.1"),
    ):
        said = frozen.refused(*words)
        assert damaged in said
        assert "per_question.parquet" in said


def test_statistics_tell_only_the_size_of_the_holdout(frozen: Bench) -> None:
    planted(frozen)
    data = str(frozen.data)
    told = [frozen.well("data", *words).said for words in (("stats", data), ("stats", data, "--json"), ("check", data))]
    assert "; holdout 28 questions in " in told[0]
    assert [word for said in told for word in planted_words(frozen) if word in said] == []


def test_splitting_and_status_print_no_label(frozen: Bench) -> None:
    planted(frozen)
    done = [
        frozen.well("data", "split", str(frozen.data), "--extend", "default"),
        frozen.well("holdout", "status", str(frozen.data)),
        frozen.well("holdout", "status", str(frozen.data), "--json"),
        frozen.well("freeze", "show", "v1", "--study", STUDY),
    ]
    assert not [word for word in planted_words(frozen) for one in done if word in one.said]


def planted(bench: Bench) -> None:
    """A gold id and an answer that stand nowhere else, in the labels of a held-out question; the split grows with it."""
    name = bench.split.holdout[0]
    replace_in(bench.data / "queries.jsonl", secret("answer", name), "plantedanswer")
    replace_in(bench.data / "qrels.tsv", f"{name}\tp{int(name[1:]) // 2:02}\t2", f"{name}\tp39\t2")
    bench.well("data", "split", str(bench.data), "--extend", "default")


def planted_words(bench: Bench) -> list[str]:
    held = bench.split.holdout
    return ["plantedanswer", "p39", *secrets_of(held, "answer", "keypoint", "text")]


def test_gold_of_the_holdout_reaches_no_error_of_a_run_whose_labels_changed(frozen: Bench) -> None:
    name = frozen.split.holdout[0]
    replace_in(frozen.data / "qrels.tsv", f"{name}\tp{int(name[1:]) // 2:02}\t2", f"{name}\tp39\t2")
    said = frozen.refused(*frozen.run())
    assert "labels changed" in said
    assert not [word for word in planted_words(frozen) if word in said]


def test_grades_for_held_out_questions_are_not_taken_over(frozen: Bench) -> None:
    frozen.well("judge", "pool", STUDY)
    sheet = frozen.root / "judging" / f"{STUDY}.csv"
    assert sheet.exists(), list(frozen.root.iterdir())
    head, first, *rest = sheet.read_text(encoding="utf-8-sig").splitlines()
    held = frozen.split.holdout[0]
    column = head.split(",").index("grade")
    cells = first.split(",")
    query = next(cell for cell in cells if cell in frozen.split.dev)
    graded = [held if cell == query else cell for cell in cells]
    graded[column] = "1"
    sheet.write_text("\n".join([head, ",".join(graded), *rest]) + "\n")
    said = frozen.refused("judge", "apply", STUDY, str(sheet))
    assert f"{held}" in said
    assert "the holdout of the split 'default'" in said
    assert not [word for word in secrets_of(frozen.split.holdout, "answer", "keypoint") if word in said]


def test_grades_for_dev_are_taken_over_and_nothing_of_the_holdout_is_told(frozen: Bench) -> None:
    frozen.well("judge", "pool", STUDY)
    sheet = frozen.root / "judging" / f"{STUDY}.csv"
    head, *rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    column = head.split(",").index("grade")
    graded = [",".join("0" if at == column else cell for at, cell in enumerate(row.split(","))) for row in rows]
    sheet.write_text("\n".join([head, *graded]) + "\n")
    said = frozen.well("judge", "apply", STUDY, str(sheet)).said
    assert "every question keeps its side" in said
    assert not [word for word in secrets_of(frozen.split.holdout, "answer", "keypoint", "text") if word in said]
    assert not [name for name in frozen.split.holdout if name in said]


def test_the_questions_of_a_fate_are_read_from_dev_alone(frozen: Bench) -> None:
    folder = next(folder for folder in frozen.runs() if read_record(folder).variant == "bm25")
    rows = questions_of(read_record(folder), folder, ("kept", None), frozen.root)
    assert {row["query_id"] for row in rows} <= set(frozen.split.dev)


def test_a_refused_command_leaves_another_root_alone_too(frozen: Bench, tmp_path: Path) -> None:
    before = snapshot(frozen.root)
    done = in_process(tmp_path, *frozen.run("split=none"))
    assert done.status == 2
    assert HAS_SPLIT in " ".join(done.said.split())
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert snapshot(frozen.root) == before
