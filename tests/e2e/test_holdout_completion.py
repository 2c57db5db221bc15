"""What comes after an opening: labels amended, the plan replayed, an opening that was cut off completed."""

import shutil

import pytest

from rag_ablation.commands import _holdout_run, _plan_check, _plan_made
from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import HELD, PLAN, STUDY, Bench, replace_in

SPENT = "this holdout is spent: plan 'v1' of study 'tiny'"


def test_labels_changed_after_the_opening_are_no_replay_but_an_amendment(spent: Bench) -> None:
    relabel(spent)
    said = spent.refused(*spent.holdout())
    assert "labels: found" in said
    first = spent.runs(HELD)
    done = spent.well(*amendment(spent))
    assert "scored again on corrected labels" in done.out
    assert "mark: relabelled after opening" in done.out
    assert set(first) < set(spent.runs(HELD))
    kept = spent.root / "studies" / STUDY / "holdout" / PLAN
    assert (kept / "holdout.json").exists()
    assert "relabelled after opening" in (kept / "amended-1" / "holdout.json").read_text()
    assert spent.kinds() == ["in_use", "opened", "closed", "amended", "closed"]
    before, after = (spent.entries()[number].details["results"] for number in (2, 4))
    assert before.keys() == after.keys()
    assert before["A"]["values"] != after["A"]["values"]
    assert before["A"]["sparse"] == after["A"]["sparse"], "the rankings are as they were"


def relabel(bench: Bench) -> None:
    """One gold passage of a held-out question is another one."""
    name = bench.split.holdout[0]
    replace_in(bench.data / "qrels.tsv", f"{name}\tp{int(name[1:]) // 2:02}\t2", f"{name}\tp39\t2")


def amendment(bench: Bench, *more: str) -> tuple[str, ...]:
    reason = ("--reason", "a gold passage was wrong")
    return ("holdout", "amend", "--study", STUDY, "--name", PLAN, *(more or ("--labels", *reason)))


def test_an_amendment_says_what_and_why(spent: Bench) -> None:
    relabel(spent)
    for words in (("--labels",), ("--reason", "why"), ("--labels", "--reason", " ")):
        assert 'expected what was corrected, and why: --labels --reason "…"' in spent.refused(*amendment(spent, *words))


def test_an_amendment_without_a_change_is_refused(spent: Bench) -> None:
    said = spent.refused(*amendment(spent))
    assert "the labels of made are those that plan 'v1' was scored on: nothing to amend" in said
    relabel(spent)
    spent.well(*amendment(spent))
    assert "nothing to amend" in spent.refused(*amendment(spent))


def test_an_amendment_before_the_opening_is_refused(frozen: Bench) -> None:
    relabel(frozen)
    said = frozen.refused(*amendment(frozen))
    assert "plan 'v1' has not been run on its holdout: there is nothing to amend" in said


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl"])
def test_an_amendment_of_more_than_labels_is_refused(spent: Bench, file: str) -> None:
    relabel(spent)
    replace_in(spent.data / file, "amber", "ember")
    said = spent.refused(*amendment(spent))
    assert "more than the labels has changed since it was frozen" in said


def test_an_amendment_of_another_split_is_refused(spent: Bench) -> None:
    relabel(spent)
    spent.split_file.unlink()
    spent.well("data", "split", str(spent.data), "--holdout", "0.45")
    said = spent.refused(*amendment(spent))
    assert "the split 'default' is another than that of plan 'v1'" in said


def test_a_split_that_grew_with_the_labels_is_the_same_holdout(spent: Bench) -> None:
    relabel(spent)
    spent.well("data", "split", str(spent.data), "--extend", "default")
    assert "scored again" in spent.well(*amendment(spent)).out


def test_a_plan_replayed_with_other_libraries_says_so(spent: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    known = _holdout_run.libraries
    monkeypatch.setattr(_holdout_run, "libraries", lambda: {**known(), "numpy": "0.1"})
    n_runs = len(spent.runs(HELD))
    out = spent.well(*spent.holdout()).out
    assert "replayed" in out
    assert "not the library of the plan: numpy" in out
    replay = spent.entries()[-1]
    assert replay.kind == "replayed"
    assert replay.details["elsewhere"]
    assert replay.details["differs"] == []
    assert len(spent.runs(HELD)) == n_runs
    assert spent.kinds().count("opened") == 1


def test_a_replay_that_gives_something_else_is_refused_here_and_marked_elsewhere(
    spent: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rag_ablation.commands._holdout_score as scoring

    real = scoring.run

    def other(experiment, data, store, on_stage):  # type: ignore[no-untyped-def]
        return real(experiment, data.sample(range(len(data.queries.ids) - 1)), store, on_stage)

    monkeypatch.setattr(scoring, "run", other)
    done = spent.do(*spent.holdout())
    assert done.status == 2
    assert "the replay differs from what was noted when the holdout was closed" in done.err
    assert spent.entries()[-1].details["differs"]
    known = _holdout_run.libraries
    monkeypatch.setattr(_holdout_run, "libraries", lambda: {**known(), "numpy": "0.1"})
    out = spent.well(*spent.holdout()).out
    assert "mark: replayed elsewhere, with differences" in out
    assert "differs from what was noted: A" in out


def cut_off(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """An opening whose second arm fails."""
    import rag_ablation.commands._holdout_score as scoring

    with monkeypatch.context() as broken:
        real, calls = scoring.run, iter((True, False))

        def failing(*given):  # type: ignore[no-untyped-def]
            if next(calls):
                return real(*given)
            message = "the disk is full"
            raise OSError(message)

        broken.setattr(scoring, "run", failing)
        assert bench.do(*bench.holdout()).status == 2
    assert bench.kinds() == ["in_use", "opened"]
    assert not bench.runs(HELD), "of arms that ran, nothing is told before all have"


def with_other_code(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study run again, and frozen again, by a program that was mended."""
    for module in (_plan_made, _plan_check):
        monkeypatch.setattr(module, "package_code", lambda: "1" * 64)
    monkeypatch.setattr("rag_ablation.experiment.record.package_code", lambda: "1" * 64)
    bench.well("study", "run", STUDY, "resume=false")


def test_an_opening_that_was_cut_off_is_completed_by_its_own_plan(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(frozen, monkeypatch)
    assert "completed: an earlier opening by this plan had been cut off" in frozen.well(*frozen.holdout()).out
    assert frozen.kinds() == ["in_use", "opened", "closed"]


def test_an_opening_that_was_cut_off_is_completed_by_mended_code_with_a_reason(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(frozen, monkeypatch)
    with_other_code(frozen, monkeypatch)
    frozen.well(*frozen.freeze(name="v2"))
    words = ("holdout", "--study", STUDY, "--name", "v2")
    said = frozen.refused(*words)
    assert "opened this holdout and never closed it; 'v2' differs from it in the code alone" in said
    assert '--reason "…" (what was mended)' in said
    out = frozen.well(*words, "--reason", "mended").out
    assert "completed: an earlier opening by a plan that differs in the code alone had been cut off" in out
    assert frozen.kinds() == ["in_use", "opened", "reopened", "closed"]
    reopened = frozen.entries()[2]
    assert reopened.details["reason"] == "mended"
    assert reopened.details["completes"] == frozen.entries()[1].digest
    assert (reopened.details["seen"], reopened.details["times"]) == (0, 1)
    assert not any(read_record(folder).holdout["marks"] for folder in frozen.runs(HELD))
    assert "mark:" not in out


def test_an_opening_that_wrote_results_is_not_completed_by_other_code(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen.well(*frozen.holdout())
    frozen.ledger.write_text("".join(frozen.ledger.read_text().splitlines(keepends=True)[:2]))
    shutil.rmtree(frozen.root / "studies" / STUDY / "holdout")
    with_other_code(frozen, monkeypatch)
    frozen.well(*frozen.freeze(name="v2"))
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v2", "--reason", "mended")
    assert "has written results" in said
    assert "other code cannot complete it any more" in said
    assert 'go on with --spend-again --reason "…"' in said
    again = ("--spend-again", "--reason", "mended")
    out = frozen.well("holdout", "--study", STUDY, "--name", "v2", *again).out
    assert "opened again" in out
    assert "mark: holdout used 2 times; no longer unseen" in out
    assert frozen.kinds() == ["in_use", "opened", "opened", "closed"]


def test_an_opening_that_was_cut_off_is_not_completed_by_a_plan_of_another_rule(
    frozen: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen.well(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))
    cut_off(frozen, monkeypatch)
    said = frozen.refused("holdout", "--study", STUDY, "--name", "v2", "--reason", "because")
    assert SPENT in said
