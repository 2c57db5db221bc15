"""`rag-ablation study plan` and `study run` through the command line."""

import csv
import json
from pathlib import Path

import pytest
from mlflow import MlflowClient

from tests.e2e.program import rag_ablation
from tests.e2e.studies import ARMS, table, write_study


def test_a_plan_says_what_will_run_and_what_each_step_changes_before_anything_runs(tmp_path: Path) -> None:
    write_study(tmp_path, sweeps=[{"arm": "A", "set": "sparse.k1=1.5,2"}])
    done = rag_ablation(tmp_path, "study", "plan", "tiny", "--json")
    assert done.status == 0, done.said
    plan = json.loads(done.out)
    assert (plan["asked"], plan["scored"], plan["n_groups"]) == (24, 24, 24)
    assert [arm["key"] for arm in plan["arms"]] == ["A", "A2", "Oracle", "A k1=2"]
    assert plan["same"] == {"A k1=1.5": "A"}
    (step,) = plan["steps"]
    assert step["step"]["change"]["factors"] == ["sparse.b 0.75 → 0"]
    assert not list(tmp_path.glob("runs/*"))
    assert not list(tmp_path.glob("store/*"))


def test_a_plan_after_a_run_counts_finished_arms_and_plans_with_the_measured_spread(tmp_path: Path) -> None:
    write_study(tmp_path, [ARMS[0], {"key": "A2", "set": "variant=bm25 sparse.depth=1", "parents": ["A"]}, ARMS[2]])
    assert "to run: 3 arms" in rag_ablation(tmp_path, "study", "plan", "tiny").out
    assert rag_ablation(tmp_path, "study", "run", "tiny").status == 0
    plan = json.loads(rag_ablation(tmp_path, "study", "plan", "tiny", "--json").out)
    assert {arm["state"] for arm in plan["arms"]} == {"finished"}
    assert plan["steps"][0]["plan"]["basis"] == "clustered standard error of a comparable pair"


@pytest.mark.parametrize("folder", ["with a blank", "中文", "it's 100%", "a,b=(c)"])
def test_a_study_may_lie_in_a_folder_of_any_name(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    write_study(tmp_path / folder)
    done = rag_ablation(tmp_path / folder, "study", "plan", "tiny")
    assert done.status == 0, done.said


def test_an_arm_may_have_any_key(tmp_path: Path) -> None:
    keys = ["D'", "C\\", 'B"', "\\'", "a,b=1", "甲 乙", "<b>E</b>"]
    write_study(tmp_path, [{"key": key, "set": f"variant=bm25 sparse.k1={k1}"} for k1, key in enumerate(keys, start=1)])
    done = rag_ablation(tmp_path, "study", "run", "tiny")
    assert done.status == 0, done.said
    assert {row["arm"] for row in table(tmp_path, "mean")} == set(keys)


def test_a_plan_never_takes_one_run_for_both_sides_of_a_step(tmp_path: Path) -> None:
    write_study(tmp_path, [ARMS[0]])
    rag_ablation(tmp_path, "study", "run", "tiny")
    write_study(tmp_path, ARMS, data=tmp_path / "data")
    (step,) = json.loads(rag_ablation(tmp_path, "study", "plan", "tiny", "--json").out)["steps"]
    assert step["plan"]["basis"].startswith("assumed")


@pytest.mark.parametrize("text", [b"a: [", b"study:\n\tarms: []\n", b"\xff\xfe\x00"])
def test_a_definition_that_cannot_be_read_is_named(tmp_path: Path, text: bytes) -> None:
    (write_study(tmp_path) / "study.yaml").write_bytes(text)
    done = rag_ablation(tmp_path, "study", "plan", "tiny")
    assert done.status == 2, done.said
    assert "study.yaml" in done.err
    assert "Traceback" not in done.err


def test_a_run_writes_a_page_a_note_and_a_table(tmp_path: Path) -> None:
    write_study(tmp_path)
    done = rag_ablation(tmp_path, "study", "run", "tiny")
    assert done.status == 0, done.said
    folder = tmp_path / "studies" / "tiny"
    assert {"report.html", "report.md", "results.parquet", "study.json"} <= {path.name for path in folder.iterdir()}
    (step,) = table(tmp_path, "step")
    assert (step["arm"], step["parent"], step["n"], step["n_groups"]) == ("A2", "A", 24, 24)
    assert step["wins"] + step["ties"] + step["losses"] == 24
    assert str(folder / "report.html") in done.out


def test_a_second_run_keeps_every_finished_arm(tmp_path: Path) -> None:
    write_study(tmp_path)
    rag_ablation(tmp_path, "study", "run", "tiny")
    before = {record.id for record in rag_ablation(tmp_path, "runs", "--help").records()}
    again = rag_ablation(tmp_path, "study", "run", "tiny")
    assert {record.id for record in again.records()} == before
    assert "arms that had finished before, kept as they were: 3" in again.out
    anew = rag_ablation(tmp_path, "study", "run", "tiny", "resume=false")
    assert len(anew.records()) == 6


@pytest.mark.slow
def test_an_edited_question_runs_every_arm_again(tmp_path: Path) -> None:
    write_study(tmp_path)
    rag_ablation(tmp_path, "study", "run", "tiny")
    path = tmp_path / "data" / "queries.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('what about topic1"', 'what of topic1"'), encoding="utf-8")
    assert len(rag_ablation(tmp_path, "study", "run", "tiny").records()) == 6


BROKEN = {"key": "X", "set": "variant=dense dense.model=no/such-model", "parents": ["A"]}


def test_a_failed_arm_does_not_stop_the_others_and_the_study_says_so(tmp_path: Path) -> None:
    write_study(tmp_path, [ARMS[0], BROKEN, ARMS[1]])
    done = rag_ablation(tmp_path, "study", "run", "tiny")
    assert done.status == 1
    assert {record.status for record in done.records()} == {"finished", "failed"}
    assert "dense.model" in done.err
    assert [row["arm"] for row in table(tmp_path, "mean") if row["measure"] == "ndcg@10"]
    page = (tmp_path / "studies" / "tiny" / "report.html").read_text(encoding="utf-8")
    assert "no/such-model" in page


def test_fail_fast_ends_with_the_first_failure(tmp_path: Path) -> None:
    write_study(tmp_path, [ARMS[0], BROKEN, ARMS[1]], fail_fast=True)
    done = rag_ablation(tmp_path, "study", "run", "tiny")
    assert done.status == 1
    assert [record.status for record in done.records()] == ["finished", "failed"]
    manifest = json.loads((tmp_path / "studies" / "tiny" / "study.json").read_text(encoding="utf-8"))
    assert "fail_fast" in manifest["not_run"]["A2"]
    page = (tmp_path / "studies" / "tiny" / "report.html").read_text(encoding="utf-8")
    assert f"A2</span> was not reached: {manifest['not_run']['A2']}" in page
    steps = {(row["arm"], row["parent"]) for row in table(tmp_path, "step")}
    assert steps == {("X", "A"), ("A2", "A")}, "a step that was not reached stays in the family"


def test_an_optional_arm_without_its_model_is_skipped_with_a_clear_line(tmp_path: Path) -> None:
    write_study(tmp_path, [*ARMS, {**BROKEN, "optional": True}])
    planned = rag_ablation(tmp_path, "study", "plan", "tiny")
    assert "skipped: X: dense.model: found 'no/such-model'" in planned.out
    done = rag_ablation(tmp_path, "study", "run", "tiny")
    assert done.status == 0, done.said
    assert len(done.records()) == 3


def test_a_plan_says_which_steps_and_watched_types_can_never_be_scored(tmp_path: Path) -> None:
    watched = [{"child": "A2", "parent": "A", "type": "no_such_type"}]
    write_study(tmp_path, primary="fused/ndcg@10", watched=watched)
    done = rag_ablation(tmp_path, "study", "plan", "tiny")
    assert done.status == 0, done.said
    assert "threat: A2 − A cannot be scored, since there is no measuring point fused in A2 and A" in done.out
    assert "threat: no scored question is of type no_such_type" in done.out


def test_a_wrong_setting_names_its_arm_in_plan_and_run(tmp_path: Path) -> None:
    write_study(tmp_path, [ARMS[0], {"key": "bad", "set": "variant=bm25 sparse.kk=1", "parents": ["A"]}])
    for verb in ("plan", "run"):
        done = rag_ablation(tmp_path, "study", verb, "tiny")
        assert done.status == 2, done.said
        assert "sparse.kk" in done.err
        assert "study.arm='bad'" in done.err
        assert "Traceback" not in done.err


def test_a_study_given_by_path_is_repeated_by_path(tmp_path: Path) -> None:
    home = write_study(tmp_path)
    other = tmp_path / "some where"
    home.parent.rename(other)
    planned = rag_ablation(tmp_path, "study", "plan", str(other / "tiny"))
    assert f"next: rag-ablation study run '{other / 'tiny'}'" in planned.out


CONFOUNDED = {"key": "A3", "set": "variant=bm25 sparse.b=0 sparse.k1=1", "parents": ["A"]}


def test_a_confounded_step_is_flagged_and_a_strict_study_refuses_it(tmp_path: Path) -> None:
    write_study(tmp_path, [ARMS[0], CONFOUNDED])
    assert "2 factors: confounded" in rag_ablation(tmp_path, "study", "plan", "tiny").out
    strict = rag_ablation(tmp_path, "study", "run", "tiny", "study.strict=true")
    assert strict.status == 2
    assert "A3 − A" in strict.err
    assert "2 changed factors" in strict.err
    assert not strict.records()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("study", "run", "nothing"), "study: found 'nothing'"),
        (("study", "run", "tiny", "sparse.depht=3"), "depht"),
        (("study", "run", "tiny", "sparse.k1=1,2"), "study.sweeps"),
        (("study", "run", "tiny", "study.primary=final/ndcg@7"), "study.primary: found 'final/ndcg@7'"),
        (("study", "run", "tiny", "split=holdout"), "holdout"),
        (("report", "tiny"), "which has no results"),
        (("latency", "tiny"), "which has no results"),
    ],
)
def test_what_cannot_be_run_is_said_and_leaves_nothing(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    write_study(tmp_path)
    done = rag_ablation(tmp_path, *words)
    assert done.status == 2, done.said
    assert expected in done.err
    assert not done.records()
    assert not (tmp_path / "studies").exists()


def test_a_report_can_be_written_again_and_is_the_same(tmp_path: Path) -> None:
    write_study(tmp_path)
    rag_ablation(tmp_path, "study", "run", "tiny")
    folder = tmp_path / "studies" / "tiny"
    before = {name: (folder / name).read_bytes() for name in ("report.html", "report.md", "results.parquet")}
    done = rag_ablation(tmp_path, "report", "tiny")
    assert done.status == 0, done.said
    assert {name: (folder / name).read_bytes() for name in before} == before


@pytest.mark.slow
def test_arms_side_by_side_give_the_table_of_arms_one_by_one(tmp_path: Path) -> None:
    write_study(tmp_path, sweeps=[{"arm": "A", "set": "sparse.k1=1,1.5,2"}])
    rag_ablation(tmp_path, "study", "run", "tiny")
    serial = (tmp_path / "studies" / "tiny" / "results.parquet").read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    done = rag_ablation(other, "study", "run", str(tmp_path / "experiments" / "tiny"), "hydra/launcher=joblib")
    assert done.status == 0, done.said
    assert (other / "studies" / "tiny" / "results.parquet").read_bytes() == serial


def test_latency_times_the_arms_together_and_updates_the_report(tmp_path: Path) -> None:
    write_study(tmp_path)
    rag_ablation(tmp_path, "study", "run", "tiny")
    done = rag_ablation(tmp_path, "latency", "tiny", "latency.questions=24", "latency.passes=2")
    assert done.status == 0, done.said
    timing = json.loads((tmp_path / "studies" / "tiny" / "latency.json").read_text(encoding="utf-8"))["timing"]
    assert (timing["questions"], timing["passes"], set(timing["milliseconds"])) == (24, 2, {"A", "A2"})
    assert "Oracle" in timing["absent"]
    wrong = rag_ablation(tmp_path, "latency", "tiny", "latency.rounds=2")
    assert wrong.status == 2
    assert "latency.questions=N" in wrong.err


def test_unjudged_results_can_be_reviewed_and_all_arms_scored_again_without_retrieving(tmp_path: Path) -> None:
    write_study(tmp_path)
    rag_ablation(tmp_path, "study", "run", "tiny")
    pool = tmp_path / "pool.csv"
    assert rag_ablation(tmp_path, "judge", "pool", "tiny", "--out", str(pool)).status == 0
    with pool.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        row["grade"] = "0"
    with pool.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    target = tmp_path / "judged"
    done = rag_ablation(tmp_path, "judge", "apply", "tiny", str(pool), "--to", str(target))
    assert done.status == 0, done.said
    before = table(tmp_path, "step")
    again = rag_ablation(tmp_path, "study", "run", "tiny", f"dataset.path={target}")
    assert again.status == 0, again.said
    newest = {record.arm: record for record in again.records()}
    assert {record.counts["stages_computed"] for record in newest.values() if record.final} == {0}
    assert len({record.digests["labels"] for record in newest.values()}) == 1
    assert table(tmp_path, "step") == before  # what was judged not relevant was scored so already
    judged = [
        row["value"] for row in table(tmp_path, "mean") if row["measure"] == "judged@10" and row["point"] == "final"
    ]
    assert judged == [1.0, 1.0]


def test_the_tracker_holds_one_parent_with_the_table_and_the_report(tmp_path: Path) -> None:
    write_study(tmp_path)
    for _ in range(2):
        assert rag_ablation(tmp_path, "study", "run", "tiny", "tracking=mlflow").status == 0
    client = MlflowClient(f"sqlite:///{tmp_path / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("tiny")
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id])
    (parent,) = [run for run in runs if run.data.tags["rag.kind"] == "study"]
    arms = [run for run in runs if run.data.tags["rag.kind"] == "arm"]
    assert parent.info.status == "FINISHED"
    assert {run.data.tags["rag.study_arm"] for run in arms} == {"A", "A2", "Oracle"}
    assert {run.data.tags["mlflow.parentRunId"] for run in arms} == {parent.info.run_id}
    assert len(arms) == 3
    assert "| A2 |" in parent.data.tags["mlflow.note.content"]
    files = [artifact.path for artifact in client.list_artifacts(parent.info.run_id)]
    assert {"report.html", "report.md", "results.parquet"} <= set(files)
