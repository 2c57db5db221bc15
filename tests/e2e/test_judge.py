"""`rag-ablation judge`: from unjudged results to new labels, and the same arms on them."""

import csv
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from rag_ablation.cli import ROOT_VARIABLE, main
from rag_ablation.commands import _study_folder
from rag_ablation.commands._study_inputs import arm_result, source_of
from rag_ablation.core.errors import CommandError
from rag_ablation.core.record import ArmRecord
from rag_ablation.data.load import load
from rag_ablation.experiment.study import Role, Study, StudyArm
from rag_ablation.holdout.split import read_split
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.tracking.files import read_table, read_values
from tests.data.folders import native, passage, question, table
from tests.e2e.program import Done, rag_ablation

ARMS = {"A": [], "A b=0": ["sparse.b=0"]}
QUIET = ["latency=none", "tracking=files", "variant=bm25"]
Judge = Callable[..., tuple[int, str, str]]


def dataset(folder: Path) -> Path:
    """30 clauses, two topics each; a question on each of the first 24, one without an answer, one not reviewed."""
    corpus = [
        passage(
            f"p{n:02}",
            f"={n} rule {n} on topic{n} and topic{(n + 1) % 30}" + " filler" * (n % 5),
            doc_id="D",
            location=str(n),
        )
        for n in range(30)
    ]
    asked = [question(f"q{n:02}", f"what about topic{n}", type="ab"[n % 2]) for n in range(24)]
    asked += [
        question("x1", "what about topic25", status="no_answer"),
        question("x2", "is topic26", status="unreviewed"),
    ]
    rows = [(f"q{n:02}", f"p{n:02}", 2) for n in range(24)]
    return native(folder, corpus, asked, table(*rows), "name: made\nlanguage: en")


def ran(root: Path, folder: Path) -> StudyResults:
    """Both arms on a folder, as a study has them."""
    records = {record.id for record in Done(0, "", "", root).records()}
    for words in ARMS.values():
        done = rag_ablation(root, "run", *QUIET, "dataset=folder", f"dataset.path={folder}", *words)
        assert done.status == 0, done.said
    new = [record for record in done.records() if record.id not in records]
    arms = [StudyArm(key=key, role=Role.LADDER, overrides=tuple(words)) for key, words in ARMS.items()]
    results = [arm_result(arm, root / "runs" / record.id) for arm, record in zip(arms, new, strict=True)]
    return StudyResults(
        study=Study(
            name="made", question={}, primary="final/ndcg@10", smallest_difference=0.02, strict=False, fail_fast=False,
            latency=None, arms=tuple(arms),
        ),
        arms=tuple(results),
        source=source_of(results[0].record, results[0].query_ids, root),
    )  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, StudyResults]:
    root = tmp_path_factory.mktemp("judged")
    folder = dataset(root / "set")
    done = rag_ablation(root, "data", "split", str(folder))
    assert done.status == 0, done.said
    return root, folder, ran(root, folder)


@pytest.fixture
def judge(
    place: tuple[Path, Path, StudyResults], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Judge:
    root, _, results = place
    monkeypatch.setenv(ROOT_VARIABLE, str(root))

    def call(*words: str, results: StudyResults = results) -> tuple[int, str, str]:
        monkeypatch.setattr(_study_folder, "open_results", lambda name, root: results)
        status = main(["judge", *words])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle))


def write_rows(file: Path, rows: Sequence[dict[str, str]]) -> Path:
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file


def graded(judge: Judge, file: Path, grade: Callable[[dict[str, str]], str]) -> Path:
    assert judge("pool", "made", "--out", str(file.with_suffix(".pool.csv")))[0] == 0
    rows = rows_of(file.with_suffix(".pool.csv"))
    return write_rows(file, [{**row, "grade": grade(row)} for row in rows])


def second_topic(row: dict[str, str]) -> str:
    """The clause before is about the topic too: a reviewer finds it relevant."""
    return "1" if int(row["unit"][1:]) == int(row["query_id"][1:]) - 1 else "0"


def values(root: Path, record: ArmRecord, measure: str) -> list[float]:
    return read_values(root / "runs" / record.id, [measure])[measure].tolist()


def test_the_pool_holds_the_unjudged_first_results_of_scored_dev_questions(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    root, folder, results = place
    status, out, _ = judge("pool", "made", "--depth", "5", "--out", str(tmp_path / "pool.csv"))
    assert status == 0
    rows = rows_of(tmp_path / "pool.csv")
    dev = set(read_split(folder / "splits/default.json").dev)
    assert f"without a judgement {len(rows)} results" in out
    assert {row["query_id"] for row in rows} <= {name for name in dev if name.startswith("q")}
    assert all(row["unit"][1:] != row["query_id"][1:] for row in rows), "the gold is judged"
    assert all(row["text"].startswith("'=") for row in rows), "no text runs as a formula"
    keys = [(row["query_id"], int(row["best_rank"]), row["unit"]) for row in rows]
    assert keys == sorted(keys)
    assert len({(query, unit) for query, _, unit in keys}) == len(keys)
    top = {
        (row["query_id"], row["passage_id"])
        for arm in results.arms
        for row in read_table(root / "runs" / arm.record.id, "top")
        if row["point"] == arm.record.final and row["rank"] <= 5
    }
    judged = {(query, unit) for query, units in results.arms[0].judged().items() for unit in units}
    scored = {
        query
        for query, status in zip(results.arms[0].query_ids, results.arms[0].statuses, strict=True)
        if status == "scored"
    }
    assert {(query, unit) for query, _, unit in keys} == {pair for pair in top - judged if pair[0] in scored}


def test_the_work_of_a_reviewer_is_never_written_over(judge: Judge, tmp_path: Path) -> None:
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    before = file.read_bytes()
    status, _, err = judge("pool", "made", "--out", str(file))
    assert (status, file.read_bytes()) == (2, before)
    assert "perhaps grades" in err


@pytest.mark.parametrize("depth", ["0", "11"])
def test_no_more_results_are_pooled_than_a_run_keeps(judge: Judge, depth: str) -> None:
    status, _, err = judge("pool", "made", "--depth", depth)
    assert status == 2
    assert "expected 1 to 10" in err


def test_every_arm_is_scored_on_the_new_labels_from_the_rankings_that_are_there(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    root, _, before = place
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    status, out, err = judge("apply", "made", str(file), "--to", str(tmp_path / "copy"))
    assert status == 0, err
    assert out.rstrip().endswith(f"rag-ablation study run made dataset=folder dataset.path={tmp_path}/copy")
    checked = rag_ablation(root, "data", "check", str(tmp_path / "copy"))
    assert checked.status == 0, checked.said
    assert "split default: fits the questions and labels" in checked.out

    after = ran(root, tmp_path / "copy")
    labels = load(tmp_path / "copy").fingerprints["labels"]
    for old, new in zip(before.arms, after.arms, strict=True):
        assert new.record.counts["stages_computed"] == 0
        assert new.record.counts["stages_reused"] == len(new.record.stages) == 2
        assert [stage.digest for stage in new.record.stages] == [stage.digest for stage in old.record.stages]
        for part in ("corpus", "queries", "visibility"):
            assert new.record.digests[part] == old.record.digests[part]
        assert new.record.digests["labels"] == labels != old.record.digests["labels"]
        judged = values(root, new.record, "final/judged@10")
        assert {share for share in judged if not math.isnan(share)} == {1.0}
        assert values(root, new.record, "final/recall@10") != values(root, old.record, "final/recall@10")
    refused = rag_ablation(root, "compare", before.arms[0].record.id, after.arms[0].record.id)
    assert (refused.status, "labels" in refused.err) == (2, True)
    assert judge("pool", "made", results=after)[1].startswith("the first 10 results of 2 arms: no result without")


def test_labels_that_are_0_change_what_is_judged_and_no_recall(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    root, _, before = place
    file = graded(judge, tmp_path / "sheet.csv", lambda _: "0")
    assert judge("apply", "made", str(file), "--to", str(tmp_path / "copy"))[0] == 0
    after = ran(root, tmp_path / "copy")
    for old, new in zip(before.arms, after.arms, strict=True):
        for measure in ("final/recall@5", "final/mrr@10", "final/ndcg@10", "context/recall@10"):
            assert json.dumps(values(root, new.record, measure)) == json.dumps(values(root, old.record, measure))
        assert old.record.mean("final", "judged@10") != new.record.mean("final", "judged@10")


def test_the_copy_has_the_same_sides_and_says_what_became_of_the_groups(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    _, folder, _ = place
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    _, out, _ = judge("apply", "made", str(file), "--to", str(tmp_path / "copy"))
    old, new = (read_split(path / "splits/default.json") for path in (folder, tmp_path / "copy"))
    assert (new.dev, new.holdout) == (old.dev, old.holdout)
    assert new.extends == (old.digest(),)
    parted = new.audit["groups_on_both_sides"]
    assert parted
    assert f"groups that reach across the sides by these labels: {parted}; nothing was moved" in out
    assert "every question keeps its side" in out


def test_rows_that_cannot_be_taken_over_are_told_together_and_nothing_is_written(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    _, folder, _ = place
    split = read_split(folder / "splits/default.json")
    mine = next(name for name in split.dev if name.startswith("q"))
    held = next(name for name in split.holdout if name.startswith("q"))
    blank = dict.fromkeys(("query_id", "unit", "grade", "note"), "")
    rows = [
        {**blank, "query_id": held, "unit": "p29", "grade": "1"},
        {**blank, "query_id": mine, "unit": "p99", "grade": "1"},
        {**blank, "query_id": mine, "unit": f"p{mine[1:]}", "grade": "1"},
        {**blank, "query_id": mine, "unit": "p29", "grade": ""},
    ]
    file = write_rows(tmp_path / "bad.csv", rows)
    status, _, err = judge("apply", "made", str(file), "--to", str(tmp_path / "copy"))
    assert status == 2
    assert err.splitlines()[0] == "rag-ablation: no judgement was taken over: 3 problems"
    assert f"bad.csv:2: query_id: found '{held}', a question that stands in the holdout of the split 'default'" in err
    assert "bad.csv:3: unit: found 'p99'" in err
    assert "bad.csv:4: grade: found 1 for a pair that has the grade 2 already" in err
    assert not (tmp_path / "copy").exists()


def test_a_file_without_any_grade_is_refused(judge: Judge, tmp_path: Path) -> None:
    file = graded(judge, tmp_path / "sheet.csv", lambda _: "")
    status, _, err = judge("apply", "made", str(file))
    assert status == 2
    assert "found no grade in" in err


def test_without_a_place_the_copy_lies_under_the_root_and_is_made_once(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    root, _, _ = place
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    status, out, err = judge("apply", "made", str(file))
    assert status == 0, err
    (copy,) = (root / "datasets").glob("made-judged-*")
    assert out.startswith(f"written: {copy}")
    assert judge("apply", "made", str(file))[1].startswith(f"already there: {copy}")


def test_in_place_the_dataset_is_changed_and_its_split_grows_with_it(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    folder = dataset(tmp_path / "own")
    assert rag_ablation(tmp_path, "data", "split", str(folder)).status == 0
    results = ran(tmp_path, folder)
    before = (folder / "qrels.tsv").read_bytes()
    file = graded(lambda *words: judge(*words, results=results), tmp_path / "sheet.csv", second_topic)
    status, out, err = judge("apply", "made", str(file), "--in-place", results=results)
    assert status == 0, err
    (kept,) = folder.glob("qrels.tsv.before-*")
    assert kept.read_bytes() == before
    assert (folder / "qrels.tsv").read_bytes().startswith(before)
    checked = rag_ablation(tmp_path, "data", "check", str(folder))
    assert "split default: fits the questions and labels" in checked.out
    status, out, _ = judge("apply", "made", str(file), "--in-place", results=results)
    assert (status, out.splitlines()[-1]) == (0, "nothing was written")
    assert "0 judgements added" in out


def test_a_dataset_that_ships_with_the_package_is_not_changed(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    _, _, results = place
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    bundled = [_from(arm, "bundled:handbook_en") for arm in results.arms]
    status, _, err = judge("apply", "made", str(file), "--in-place", results=replace(results, arms=tuple(bundled)))
    assert status == 2
    assert "--to DIR, which writes a copy" in err


def test_labels_for_data_that_changed_since_are_refused(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    _, _, results = place
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    other = dataset(tmp_path / "other")
    with (other / "corpus.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(passage("p30", "new")) + "\n")
    moved = [_from(arm, str(other)) for arm in results.arms]
    status, _, err = judge("apply", "made", str(file), results=replace(results, arms=tuple(moved)))
    assert status == 2
    assert "corpus that changed since the study was run" in err


def test_a_split_that_is_gone_does_not_open_its_holdout(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    _, _, results = place
    file = graded(judge, tmp_path / "sheet.csv", second_topic)
    moved = [_from(arm, str(dataset(tmp_path / "other"))) for arm in results.arms]
    status, _, err = judge("apply", "made", str(file), results=replace(results, arms=tuple(moved)))
    assert status == 2
    assert "has no split 'default'" in err


def test_runs_on_the_holdout_are_not_pooled(
    judge: Judge, place: tuple[Path, Path, StudyResults], tmp_path: Path
) -> None:
    _, _, results = place
    held = [replace(arm, record=replace(arm.record, side="holdout")) for arm in results.arms]
    found = judge("pool", "made", "--out", str(tmp_path / "p.csv"), results=replace(results, arms=tuple(held)))
    assert (found[0], (tmp_path / "p.csv").exists()) == (2, False)
    assert "nothing else is judged while you tune" in found[2]


def test_a_study_without_a_finished_arm_has_nothing_to_judge(
    judge: Judge, place: tuple[Path, Path, StudyResults]
) -> None:
    _, _, results = place
    status, _, err = judge("pool", "made", results=replace(results, arms=()))
    assert status == 2
    assert "without a finished arm" in err
    assert CommandError.__name__ not in err


def _from(arm: ArmResult, path: str) -> ArmResult:
    return replace(arm, record=replace(arm.record, source={"path": path, "qrels": None}))
