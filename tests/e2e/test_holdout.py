"""The way through: tune on dev, freeze, open the holdout once, read the verdict in terminal, store and files."""

import json
from pathlib import Path

from rag_ablation.commands._holdout_folder import holdout_folder, read_runs
from rag_ablation.holdout.rule import decide
from rag_ablation.measures.uncertainty import paired_difference
from rag_ablation.tracking.files import read_record, read_values
from tests.e2e.holdouts import HELD, PLAN, STUDY, Bench, changed, snapshot
from tests.e2e.interrupting import tracked


def test_freezing_says_what_will_be_done_and_what_the_holdout_can_show(tuned: Bench) -> None:
    before = snapshot(tuned.root)
    out = tuned.well(*tuned.freeze()).out
    assert "frozen: v1 of study tiny" in out
    assert "candidate: A2 (A bm25 sparse.b=0)" in out
    assert "must beat: A (A bm25)" in out
    assert "The rule: adopt the candidate if" in out
    assert "holdout: made, split default: 28 questions in 14 groups" in out
    assert (
        "planning: 28 reviewed questions in 14 groups are likely (80 %) to show, at 95 %, a difference of at least"
        in out
    )
    assert "warning: from A that is above the smallest difference that matters (0.02)" in out
    assert "0 of 28 questions seen before" in out
    assert "next, once: rag-ablation holdout --study tiny --name v1" in out
    assert changed(before, snapshot(tuned.root)) == [str(tuned.plan_file.parent), str(tuned.plan_file)]


def test_a_plan_can_be_read_and_compared(frozen: Bench) -> None:
    form = json.loads(frozen.well("freeze", "show", PLAN, "--study", STUDY, "--json").out)
    assert form["candidate"]["settings"]["sparse"]["b"] == 0
    assert form["chosen_on"]["side"] == "dev"
    assert set(form["fingerprints"]) == {"corpus", "queries", "labels", "about", "split", "code"}
    frozen.well(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))
    out = frozen.well("freeze", "diff", PLAN, "v2", "--study", STUDY).out
    assert 'candidate.key: "A2" → "A"' in out
    assert frozen.well("freeze", "diff", PLAN, PLAN, "--study", STUDY).out.strip() == "the two say the same"


def test_an_opening_writes_its_own_files_and_touches_no_other(frozen: Bench) -> None:
    before = snapshot(frozen.root)
    frozen.well(*frozen.holdout())
    touched = changed(before, snapshot(frozen.root))
    may = (str(frozen.ledger), str(frozen.seen), str(frozen.root / "studies" / STUDY / "holdout"))
    assert [path for path in touched if not path.startswith(may) and "-holdout-" not in path] == []
    assert len(frozen.runs(HELD)) == 2


def test_the_ledger_says_what_was_opened_before_it_was_and_what_came_of_it(spent: Bench) -> None:
    in_use, opened, closed = spent.entries()
    assert [str(entry.kind) for entry in (in_use, opened, closed)] == ["in_use", "opened", "closed"]
    assert {question.id for question in in_use.questions} == set(spent.split.dev)
    assert {question.id for question in opened.questions} == set(spent.split.holdout)
    assert opened.details["plan"] == spent.plan.identity()
    assert (opened.details["study"], opened.details["name"], opened.details["times"]) == (STUDY, PLAN, 1)
    assert closed.details["opened"] == opened.digest
    assert closed.details["results"].keys() == {"A", "A2"}


def test_the_verdict_is_what_the_rule_of_the_plan_makes_of_the_values_on_disk(spent: Bench) -> None:
    kept = read_runs(holdout_folder(STUDY, PLAN, spent.root))
    assert kept is not None
    primary = spent.plan.rule.primary
    values = {key: read_values(spent.root / "runs" / name, ["group", primary]) for key, name in kept.runs.items()}
    gap = paired_difference(values["A2"][primary], values["A"][primary], values["A"]["group"].astype(int))
    ruling = decide(spent.plan.rule, {"A": gap})
    assert kept.words["decision"] == str(ruling.decision)
    assert kept.words["observed"] == ruling.words()
    assert gap.n == 28
    assert gap.n_groups == 14
    assert spent.entries()[2].details["decision"] == str(ruling.decision)


def test_the_terminal_says_the_verdict_in_the_words_of_the_plan(frozen: Bench) -> None:
    out = frozen.well(*frozen.holdout()).out
    assert "Observed against A:" in out
    assert "Therefore: " in out
    assert "dev less holdout, A2 − A:" in out
    assert "spent holdout: opened 1 time (plan v1 of study tiny)" in out


def test_the_same_plan_again_is_a_replay_that_gives_the_same(spent: Bench) -> None:
    runs = spent.runs(HELD)
    before = snapshot(spent.root / "runs")
    out = spent.well(*spent.holdout()).out
    assert "replayed: this plan had been run on its holdout before, and nothing was opened" in out
    assert spent.kinds() == ["in_use", "opened", "closed", "replayed"]
    assert spent.entries()[-1].details["differs"] == []
    assert spent.runs(HELD) == runs
    assert snapshot(spent.root / "runs") == before


def test_a_replay_brings_back_results_that_were_lost(spent: Bench) -> None:
    (spent.runs(HELD)[0] / "per_question.parquet").unlink()
    spent.well(*spent.holdout())
    kept = read_runs(holdout_folder(STUDY, PLAN, spent.root))
    assert kept is not None
    assert len(spent.runs(HELD)) == 4
    assert all(read_record(spent.root / "runs" / name).holdout["opened"] for name in kept.runs.values())
    assert spent.kinds().count("opened") == 1


def test_the_store_holds_plan_and_holdout_apart_from_dev(logged: Bench, tmp_path: Path) -> None:
    opened = logged.apart(*logged.holdout()).out
    assert "Therefore: " in opened
    store = logged.store_in(tmp_path)
    dev = tracked(store, STUDY, "arm")
    assert {run.data.tags["rag.side"] for run in dev} == {"dev"}
    (chosen,) = [run for run in dev if "rag.frozen" in run.data.tags]
    assert chosen.data.tags["rag.study_arm"] == "A2"
    assert (chosen.data.tags["rag.frozen"], chosen.data.tags["rag.frozen_plan"]) == (PLAN, logged.plan.digest())
    held = tracked(store, f"{STUDY}/holdout", "arm")
    (parent,) = tracked(store, f"{STUDY}/holdout", "holdout")
    assert {run.data.tags["split"] for run in (parent, *held)} == {"holdout"}
    assert {run.data.tags["mlflow.parentRunId"] for run in held} == {parent.info.run_id}
    assert {run.data.metrics["counts/scored"] for run in held} == {28}
    assert "Therefore: **undecided.**" in parent.data.tags["mlflow.note.content"]
    again = logged.apart(*logged.holdout()).out
    assert "replayed" in again
    (tmp_path / "again").mkdir()
    assert len(tracked(logged.store_in(tmp_path / "again"), f"{STUDY}/holdout", "arm")) == 2
