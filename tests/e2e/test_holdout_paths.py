"""Ways around the holdout by way of folders: copies, links, other roots, other names, folds."""

import json
import shutil
from pathlib import Path

import pytest

from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import HELD, PLAN, STUDY, Bench, changed, in_process, replace_in, snapshot

UNSEEN = "the holdout is no longer unseen"
QUIET = ("run", "variant=bm25", "latency=none", "tracking=files", "dataset=folder")


def copied(bench: Bench, name: str, *, splits: bool) -> Path:
    leave_out = () if splits else ("splits",)
    return Path(shutil.copytree(bench.data, bench.root / name, ignore=shutil.ignore_patterns(*leave_out)))


def over(folder: Path, *more: str) -> tuple[str, ...]:
    return (*QUIET, f"dataset.path={folder}", *more)


def test_a_copy_without_its_splits_run_as_a_whole_is_recognised_by_its_texts(frozen: Bench) -> None:
    folder = copied(frozen, "elsewhere", splits=False)
    replace_in(folder / "dataset.yaml", "name: made", "name: quite-another")
    frozen.well(*over(folder, "split=none"))
    said = frozen.refused(*frozen.holdout())
    assert f"{UNSEEN}: 28 of 28 questions seen before: 28 under split=none of quite-another" in said
    assert UNSEEN in frozen.refused(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))


def test_a_copy_with_renamed_ids_is_recognised_by_its_texts(frozen: Bench) -> None:
    folder = copied(frozen, "renamed", splits=False)
    for file in ("queries.jsonl", "qrels.tsv"):
        path = folder / file
        text = path.read_text()
        for n in range(64):
            text = text.replace(f'"q{n:02}"', f'"z{n:02}"').replace(f"q{n:02}\t", f"z{n:02}\t")
        path.write_text(text)
    frozen.well(*over(folder, "split=none"))
    assert f"{UNSEEN}: 28 of 28 questions seen before" in frozen.refused(*frozen.holdout())


def test_a_copy_with_its_texts_spelt_otherwise_is_recognised(frozen: Bench) -> None:
    folder = copied(frozen, "spelt", splits=False)
    lines = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    for line in lines:
        line["text"] = f"  {line['text'].upper()} ??"
    (folder / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    frozen.well(*over(folder, "split=none"))
    assert f"{UNSEEN}: 28 of 28 questions seen before" in frozen.refused(*frozen.holdout())


def test_a_copy_with_held_out_questions_moved_to_dev_is_recognised(frozen: Bench) -> None:
    folder = copied(frozen, "moved", splits=False)
    frozen.well("data", "split", str(folder), "--seed", "9", "--holdout", "0.45")
    frozen.well(*over(folder))
    said = frozen.refused(*frozen.holdout())
    assert UNSEEN in said
    assert "on dev of split 'default' of made" in said


def test_one_copied_question_is_overlooked_and_counted_and_marked(frozen: Bench) -> None:
    """2 % of 28 questions is less than one, so a single one is one too many here, and a person has to say so."""
    folder = copied(frozen, "few", splits=False)
    name = frozen.split.holdout[0]
    for file, start in (("queries.jsonl", f'{{"_id": "{name}"'), ("qrels.tsv", f"{name}\t")):
        kept = [
            line
            for line in (folder / file).read_text().splitlines()
            if line.startswith(start) or line.startswith("query-id")
        ]
        (folder / file).write_text("\n".join(kept) + "\n")
    frozen.well(*over(folder, "split=none"))
    assert f"{UNSEEN}: 1 of 28 questions seen before" in frozen.refused(*frozen.holdout())
    out = frozen.well(*frozen.holdout("--spend-again", "--reason", "one of 28")).out
    assert "mark: 1 of 28 holdout questions had been seen before it was opened" in out
    assert frozen.entries()[1].details["reason"] == "one of 28"


def test_a_copy_with_its_split_is_not_run_as_a_whole(frozen: Bench) -> None:
    folder = copied(frozen, "whole", splits=True)
    assert "split: found 'none'" in frozen.refused(*over(folder, "split=none"))


def test_a_copy_of_the_dataset_is_not_opened_by_the_plan_that_was_run_on_the_original(frozen: Bench) -> None:
    folder = copied(frozen, "twin", splits=True)
    frozen.well(*frozen.holdout())
    said = frozen.refused(*frozen.holdout("--dataset", str(folder)))
    assert "lacks" in said
    assert "It was removed, or an older copy was put back" in said


def test_a_copy_is_not_opened_either_when_the_runs_are_gone(frozen: Bench) -> None:
    folder = copied(frozen, "twin", splits=True)
    frozen.well(*frozen.holdout())
    shutil.rmtree(frozen.root / "runs")
    shutil.rmtree(frozen.root / "studies" / STUDY / "holdout")
    said = frozen.refused(*frozen.holdout("--dataset", str(folder)))
    assert "(known to the list of seen questions under the root, as one of " in said


def test_a_copy_without_splits_has_no_holdout(frozen: Bench) -> None:
    folder = copied(frozen, "bare", splits=False)
    assert "has no split 'default'" in frozen.refused(*frozen.holdout("--dataset", str(folder)))


def test_a_dataset_that_was_moved_is_opened_where_it_lies_now(frozen: Bench) -> None:
    frozen.data.rename(frozen.root / "moved")
    assert "dataset.path" in frozen.refused(*frozen.holdout())
    assert "opened" in frozen.well(*frozen.holdout("--dataset", str(frozen.root / "moved"))).out
    moved = frozen.root / "moved" / "splits" / "ledger.jsonl"
    assert "opened" in moved.read_text()


def test_a_link_to_the_dataset_is_the_dataset(frozen: Bench) -> None:
    (frozen.root / "link").symlink_to(frozen.data)
    assert "split: found 'none'" in frozen.refused(*over(frozen.root / "link", "split=none"))
    frozen.well(*frozen.holdout("--dataset", str(frozen.root / "link")))
    assert frozen.kinds() == ["in_use", "opened", "closed"]
    assert "replayed" in frozen.well(*frozen.holdout()).out


def test_a_ledger_that_is_a_link_stays_one(frozen: Bench) -> None:
    """Links under `splits/` are followed: the file behind them is the ledger."""
    real = frozen.root / "ledger-behind.jsonl"
    frozen.ledger.rename(real)
    frozen.ledger.symlink_to(real)
    frozen.well(*frozen.holdout())
    assert frozen.kinds() == ["in_use", "opened", "closed"]
    assert "replayed" in frozen.well(*frozen.holdout()).out


def test_two_links_to_one_folder_of_splits_share_the_lock_and_the_ledger(frozen: Bench) -> None:
    folder = copied(frozen, "sister", splits=False)
    (folder / "splits").symlink_to(frozen.data / "splits")
    frozen.well(*frozen.holdout())
    assert "replayed" in frozen.well(*frozen.holdout("--dataset", str(folder))).out
    assert frozen.kinds().count("opened") == 1


def test_another_root_does_not_forget_what_the_dataset_knows(spent: Bench, tmp_path: Path) -> None:
    before = snapshot(spent.root)
    done = in_process(tmp_path, "freeze", "--study", STUDY, "--arm", "A", "--name", "v2")
    assert done.status == 2
    done = in_process(tmp_path, "holdout", "--study", str(spent.home), "--name", PLAN, "--dataset", str(spent.data))
    assert done.status == 0, done.said
    assert "replayed" in done.out
    assert spent.kinds() == ["in_use", "opened", "closed", "replayed"]
    assert {path for path in before if "ledger" not in path} <= set(snapshot(spent.root))
    assert "opened" in (tmp_path / "seen.jsonl").read_text(), "the other root knows of it from now on"


def test_a_folder_of_splits_under_the_root_does_not_shadow_those_of_the_dataset(frozen: Bench) -> None:
    under = next(iter(under_root(frozen)))
    under.mkdir(parents=True)
    other = json.loads(frozen.split_file.read_text())
    (under / "default.json").write_text(json.dumps(other))
    assert frozen.do(*frozen.run()).status == 0, "the same split in both places is one split"
    (under / "default.json").unlink()
    folder = copied(frozen, "seed", splits=False)
    frozen.well("data", "split", str(folder), "--seed", "9", "--holdout", "0.45")
    shutil.copy(folder / "splits" / "default.json", under / "default.json")
    said = frozen.refused(*frozen.run())
    assert "two different splits 'default'" in said
    assert str(under / "default.json") in said
    assert str(frozen.split_file) in said


def under_root(bench: Bench) -> list[Path]:
    queries = read_record(bench.runs()[0]).digests["queries"]
    return [bench.root / "datasets" / f"made-{queries[:12]}" / "splits"]


def test_a_ledger_under_the_root_that_does_not_fit_the_datasets_is_refused(frozen: Bench) -> None:
    under = under_root(frozen)[0]
    under.mkdir(parents=True)
    shutil.copy(foreign(frozen), under / "ledger.jsonl")
    said = frozen.refused(*frozen.holdout())
    assert "has two ledgers of which neither goes on from the other" in said
    assert "rag-ablation holdout join" in said


def foreign(bench: Bench) -> Path:
    folder = copied(bench, "foreign", splits=False)
    replace_in(folder / "queries.jsonl", "amber", "ember")
    bench.well(*over(folder, "split=none"))
    return folder / "splits" / "ledger.jsonl"


def test_another_table_of_judgements_of_a_beir_folder_is_another_set(frozen: Bench) -> None:
    """A BEIR folder's tables name its questions; one that a split does not fit is refused with what to do."""
    folder = copied(frozen, "beir", splits=True)
    (folder / "qrels").mkdir()
    shutil.copy(folder / "qrels.tsv", folder / "qrels" / "test.tsv")
    rows = (folder / "qrels.tsv").read_text().splitlines(keepends=True)
    held = set(frozen.split.holdout)
    only = [row for row in rows if row.startswith("query-id") or row.split("\t")[0] in held]
    (folder / "qrels" / "held.tsv").write_text("".join(only))
    (folder / "qrels.tsv").unlink()
    words = over(folder, "dataset.qrels=held")
    assert "the split 'default' was made for other data" in frozen.refused(*words)
    assert "split: found 'none'" in frozen.refused(*words, "split=none")


def test_a_name_in_other_letters_is_no_other_dataset(frozen: Bench) -> None:
    folder = copied(frozen, "DATA", splits=False)
    replace_in(folder / "dataset.yaml", "name: made", "name: MADE")
    frozen.well(*over(folder, "split=none"))
    assert UNSEEN in frozen.refused(*frozen.holdout())


def test_a_fold_that_was_opened_leaves_the_others_unopened(folded: Bench) -> None:
    folded.well(*folded.freeze("--fold", "1", name="one"))
    folded.well("holdout", "--study", STUDY, "--name", "one")
    (opened,) = [entry for entry in folded.entries() if entry.kind == "opened"]
    assert {question.id for question in opened.questions} == set(folded.split.fold(1))
    rows = json.loads(folded.well("holdout", "status", str(folded.data), "--json").out)["holdouts"]
    assert [(row["fold"], row["opened"]) for row in rows] == [(1, 1), (2, 0)]
    held = folded.runs(HELD)[0].name
    assert "which this run was not asked" in folded.refused("explain", held, folded.split.fold(2)[0])


def test_a_fold_that_was_opened_is_spent_and_the_next_is_opened_by_a_plan_of_its_own(folded: Bench) -> None:
    folded.well(*folded.freeze(name="one"))
    folded.well("holdout", "--study", STUDY, "--name", "one")
    said = folded.refused(*folded.freeze("--fold", "1", "--baseline", "A2", arm="A", name="again"))
    assert UNSEEN in said
    folded.well(*folded.freeze(name="two"))
    assert "opened" in folded.well("holdout", "--study", STUDY, "--name", "two").out
    opened = [entry for entry in folded.entries() if entry.kind == "opened"]
    assert [entry.details["fold"] for entry in opened] == [1, 2]
    assert [entry.details["times"] for entry in opened] == [1, 1]


@pytest.mark.parametrize(("fold", "expected"), [("3", "1 to 2"), ("0", "1 to 2"), ("-1", "1 to 2")])
def test_a_fold_that_is_not_there_is_refused(folded: Bench, fold: str, expected: str) -> None:
    assert f"--fold: found {fold}, expected {expected}" in folded.refused(*folded.freeze(f"--fold={fold}"))


def test_a_holdout_in_one_piece_has_no_folds(tuned: Bench) -> None:
    said = tuned.refused(*tuned.freeze("--fold", "2"))
    assert "--fold: found 2, expected none: the holdout of split default is one" in said


def test_a_project_that_was_copied_opens_the_holdout_of_the_copy(tuned: Bench, tmp_path: Path) -> None:
    copy = Bench(tmp_path / "copy")
    shutil.copytree(tuned.root, copy.root)
    before = snapshot(tuned.root)
    copy.well(*copy.freeze())
    assert copy.plan.dataset["path"] == "data"
    copy.well(*copy.holdout())
    assert copy.kinds()[-2:] == ["opened", "closed"]
    assert changed(before, snapshot(tuned.root)) == []
