"""Attempts on the ledger: whatever is taken from it, somebody else still knows; nothing is opened on a broken one."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rag_ablation.holdout.entry import Kind
from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import HELD, PLAN, STUDY, Bench, changed, replace_in, snapshot
from tests.e2e.program import PROGRAM, environment, rag_ablation

EDITED = "an entry was edited, removed or moved. Bring the file back from a backup or from version control"
LACKS = "It was removed, or an older copy was put back. Bring the file back as it was, or join the one that holds them"
JOIN = "rag-ablation holdout join A B"


def lines(bench: Bench) -> list[str]:
    return bench.ledger.read_text(encoding="utf-8").splitlines(keepends=True)


def test_a_ledger_that_was_deleted_after_freezing_is_missed_by_the_plan(frozen: Bench) -> None:
    frozen.ledger.unlink()
    said = frozen.refused(*frozen.holdout())
    assert "lacks 1 of its entries" in said
    assert "(known to the plan)" in said
    assert LACKS in said
    assert JOIN in said


def test_a_ledger_that_was_deleted_after_opening_is_missed_by_all_who_know_of_it(spent: Bench) -> None:
    spent.ledger.unlink()
    said = spent.refused(*spent.holdout())
    assert "lacks 3 of its entries" in said
    assert "(known to the plan)" in said
    assert LACKS in said


def test_the_ledger_cut_back_to_what_the_plan_knows_is_missed_by_the_runs(spent: Bench) -> None:
    spent.ledger.write_text(lines(spent)[0])
    shutil.rmtree(spent.root / "studies" / STUDY / "holdout")
    spent.seen.unlink()
    said = spent.refused(*spent.holdout())
    assert "lacks 1 of its entries" in said
    assert "(known to the run " in said


def test_with_the_runs_gone_too_it_is_missed_by_the_list_under_the_root(spent: Bench) -> None:
    spent.ledger.write_text(lines(spent)[0])
    shutil.rmtree(spent.root / "studies" / STUDY / "holdout")
    for folder in spent.runs(HELD):
        shutil.rmtree(folder)
    said = spent.refused(*spent.holdout())
    assert "(known to the list of seen questions under the root, as one of " in said
    assert LACKS in said


def test_with_the_dataset_reached_by_a_link_it_is_missed_as_well(spent: Bench) -> None:
    spent.ledger.write_text(lines(spent)[0])
    shutil.rmtree(spent.root / "studies" / STUDY / "holdout")
    for folder in spent.runs(HELD):
        shutil.rmtree(folder)
    (spent.root / "link").symlink_to(spent.data)
    said = spent.refused(*spent.holdout("--dataset", str(spent.root / "link")))
    assert "(known to the list of seen questions under the root, as one of " in said
    status = json.loads(spent.do("holdout", "status", str(spent.root / "link"), "--json").out)
    assert "(known to the list of seen questions under the root, as one of " in status["problem"]


def test_the_last_entry_removed_is_missed_by_the_results_that_name_it(spent: Bench) -> None:
    spent.ledger.write_text("".join(lines(spent)[:-1]))
    said = spent.refused(*spent.holdout())
    assert "lacks 1 of its entries" in said
    assert f"studies/{STUDY}/holdout/{PLAN}/holdout.json" in said


@pytest.mark.parametrize("number", [0, 1])
def test_an_entry_removed_from_the_middle_breaks_the_chain(spent: Bench, number: int) -> None:
    kept = lines(spent)
    del kept[number]
    spent.ledger.write_text("".join(kept))
    for words in (spent.holdout(), spent.freeze(name="v2"), spent.run(), ("holdout", "status", str(spent.data))):
        said = spent.refused(*words)
        assert EDITED in said
        assert f"ledger.jsonl:{number + 1}: previous: found an entry after " in said


@pytest.mark.parametrize(
    ("old", "new"), [('"kind":"opened"', '"kind":"seen"'), ('"seen":0', '"seen":1'), ('"q0', '"r0'), ("2026", "2025")]
)
def test_an_edited_entry_is_no_entry(spent: Bench, old: str, new: str) -> None:
    replace_in(spent.ledger, old, new)
    said = spent.refused(*spent.holdout())
    assert EDITED in said


def test_entries_in_another_order_are_no_chain(spent: Bench) -> None:
    first, second, *rest = lines(spent)
    spent.ledger.write_text("".join([second, first, *rest]))
    assert EDITED in spent.refused(*spent.holdout())


def test_an_older_copy_of_the_ledger_put_back_is_noticed(frozen: Bench) -> None:
    older = frozen.ledger.read_bytes()
    frozen.well(*frozen.holdout())
    frozen.ledger.write_bytes(older)
    said = frozen.refused(*frozen.holdout())
    assert LACKS in said
    assert "(known to the list of seen questions under the root, as one of " in said
    assert "does not say was opened" in frozen.refused("explain", frozen.runs(HELD)[0].name, frozen.split.holdout[0])
    assert "lacks" in frozen.do("holdout", "status", str(frozen.data)).out


def test_an_older_copy_and_a_new_plan_do_not_open_it_a_second_time(frozen: Bench) -> None:
    older = frozen.ledger.read_bytes()
    frozen.well(*frozen.holdout())
    frozen.ledger.write_bytes(older)
    for folder in (frozen.home / "frozen", frozen.root / "studies" / STUDY / "holdout"):
        shutil.rmtree(folder)
    for folder in frozen.runs(HELD):
        shutil.rmtree(folder)
    said = frozen.refused(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))
    assert "28 of 28 questions seen before: 28 on the holdout of made" in said


def test_a_ledger_of_another_dataset_is_not_this_ones(spent: Bench, tmp_path: Path) -> None:
    other = tmp_path / "ledger.jsonl"
    other.write_text(lines(spent)[0].replace("made", "other"))
    spent.ledger.write_bytes(other.read_bytes())
    assert EDITED in spent.refused(*spent.holdout())
    foreign = foreign_ledger(spent)
    shutil.copy(foreign, spent.ledger)
    said = spent.refused(*spent.holdout())
    assert "(known to the plan)" in said
    assert LACKS in said


def foreign_ledger(bench: Bench) -> Path:
    """A whole ledger, of other questions."""
    from tests.data.folders import twelve_questions

    folder = twelve_questions(bench.root / "twelve")
    bench.well(
        *("run", "variant=bm25", "latency=none", "tracking=files", "dataset=folder"),
        *(f"dataset.path={folder}", "split=none"),
    )
    return folder / "splits" / "ledger.jsonl"


def test_a_line_that_is_cut_off_says_to_bring_the_ledger_back(spent: Bench) -> None:
    spent.ledger.write_text("".join(lines(spent))[:-40])
    said = spent.refused(*spent.holdout())
    assert "found a line that is cut off" in said
    assert "bring it back from a backup or from version control" in said


@pytest.mark.parametrize("spelling", ["bom", "crlf", "blank"])
def test_the_spelling_of_a_line_is_no_edit(spent: Bench, spelling: str) -> None:
    text = spent.ledger.read_text()
    made = {"bom": "\ufeff" + text, "crlf": text.replace("\n", "\r\n"), "blank": "\n\n" + text.replace("\n", "\n\n")}
    spent.ledger.write_text(made[spelling], newline="")
    assert "replayed" in spent.well(*spent.holdout()).out


def test_entries_that_were_lost_come_back_by_joining(spent: Bench) -> None:
    whole = spent.root / "whole.jsonl"
    shutil.copy(spent.ledger, whole)
    spent.ledger.write_text(lines(spent)[0])
    assert LACKS in spent.refused(*spent.holdout())
    spent.well("holdout", "join", str(spent.ledger), str(whole))
    assert "replayed" in spent.well(*spent.holdout()).out


def test_the_list_under_the_root_edited_is_noticed(frozen: Bench) -> None:
    replace_in(frozen.seen, '"side":"dev"', '"side":"Dev"')
    for words in (frozen.holdout(), frozen.freeze(name="v2"), frozen.run()):
        assert EDITED in frozen.refused(*words)


def test_everything_that_knows_of_the_opening_but_the_plan_is_deleted(spent: Bench) -> None:
    """The plan knows the ledger as it was when it was frozen; what came after is known to nobody any more."""
    spent.ledger.unlink()
    spent.seen.unlink()
    shutil.rmtree(spent.root / "runs")
    shutil.rmtree(spent.root / "studies")
    said = spent.refused(*spent.holdout())
    assert "(known to the plan)" in said


def test_two_processes_at_once_open_it_once(frozen: Bench) -> None:
    before = snapshot(frozen.root)
    processes = [opening(frozen) for _ in range(2)]
    ended = [(process.communicate(timeout=120), process.returncode) for process in processes]
    statuses = sorted(status for _, status in ended)
    kinds = frozen.kinds()
    assert kinds[:3] == ["in_use", "opened", "closed"]
    assert kinds.count("opened") == 1
    if statuses == [0, 2]:  # at the same moment: one has to wait for the other's end
        ((_, said), _) = next(one for one in ended if one[1] == 2)
        assert "another process has the holdout of made open" in said
        assert "wait for its end" in said
        assert kinds == ["in_use", "opened", "closed"]
    else:  # one after the other: the second replays
        assert statuses == [0, 0]
        assert kinds == ["in_use", "opened", "closed", "replayed"]
    touched = changed(before, snapshot(frozen.root))
    assert not [path for path in touched if not allowed(path, frozen)], touched


def test_two_plans_at_once_open_it_once(frozen: Bench) -> None:
    frozen.well(*frozen.freeze("--baseline", "A2", arm="A", name="v2"))
    processes = [opening(frozen, name) for name in ("v1", "v2")]
    ended = [(" ".join(process.communicate(timeout=120)), process.returncode) for process in processes]
    assert sorted(status for _, status in ended) == [0, 2]
    said = " ".join(next(said for said, status in ended if status == 2).split())
    assert "another process has the holdout of made open" in said or "this holdout is spent" in said
    assert frozen.kinds() == ["in_use", "opened", "closed"]


def allowed(path: str, bench: Bench) -> bool:
    """What an opening may write to."""
    may = (bench.ledger, bench.seen, bench.root / "studies" / STUDY / "holdout")
    return path.startswith(tuple(map(str, may))) or "-holdout-" in path


def opening(bench: Bench, name: str = PLAN) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [PROGRAM, "holdout", "--study", STUDY, "--name", name],
        env=environment(bench.root),
        cwd=bench.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_process_that_holds_the_holdout_keeps_others_out(frozen: Bench) -> None:
    lock = frozen.data / "splits" / ".holdout.lock"
    code = (
        "import sys, time; from filelock import FileLock\n"
        "with FileLock(sys.argv[1]):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        said = frozen.refused(*frozen.holdout())
        holder.send_signal(signal.SIGKILL)
    assert f"another process has the holdout of made open (it holds {lock}); wait for its end" in said
    assert "opened" in frozen.well(*frozen.holdout()).out


@pytest.mark.slow
def test_the_tracking_store_remembers_an_opening(logged: Bench) -> None:
    """A ledger cut back, with the runs, the results and the list under the root gone: the store still knows."""
    logged.apart(*logged.holdout())
    later = logged.entries()[1].digest
    logged.ledger.write_text(lines(logged)[0])
    for folder in (*logged.runs(HELD), logged.root / "studies" / STUDY / "holdout"):
        shutil.rmtree(folder)
    logged.seen.unlink()
    before = snapshot(logged.root)
    done = rag_ablation(logged.root, *logged.holdout())
    said = " ".join(done.said.split())
    assert done.status == 2, said
    assert f"{later[:12]}… (known to the tracking store" in said
    assert LACKS in said
    assert not [path for path in changed(before, snapshot(logged.root)) if "mlflow.db" not in path]
    status = json.loads(rag_ablation(logged.root, "holdout", "status", str(logged.data), "--json").out)
    assert "known to the tracking store" in status["problem"]


@pytest.mark.slow
def test_with_the_tracking_store_deleted_as_well_the_list_under_the_root_refuses(logged: Bench) -> None:
    logged.apart(*logged.holdout())
    logged.ledger.write_text(lines(logged)[0])
    for folder in (*logged.runs(HELD), logged.root / "studies" / STUDY / "holdout"):
        shutil.rmtree(folder)
    (logged.root / "mlflow.db").unlink()
    done = rag_ablation(logged.root, *logged.holdout())
    assert done.status == 2
    assert "(known to the list of seen questions under the root, as one of " in " ".join(done.said.split())


def test_a_ledger_that_is_lost_for_good_is_given_up_with_a_reason_and_everything_says_so(spent: Bench) -> None:
    spent.ledger.write_bytes(spent.ledger.read_bytes().splitlines(keepends=True)[0])
    assert '--spend-again --reason "…" goes on' in spent.refused(*spent.holdout())
    out = spent.well(*spent.holdout(), "--spend-again", "--reason", "the disk burnt").out
    assert "mark: holdout used 2 times; no longer unseen" in out
    assert "spent holdout: opened 2 times" in out
    (again,) = [entry for entry in spent.entries() if entry.kind is Kind.OPENED]
    assert (len(again.details["lost"]), again.details["times"], again.details["reason"]) == (2, 2, "the disk burnt")
    assert "replayed" in spent.well(*spent.holdout()).out


def test_an_opening_after_a_lost_one_bears_its_mark_also_when_it_is_completed(
    spent: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent.ledger.write_bytes(spent.ledger.read_bytes().splitlines(keepends=True)[0])
    with monkeypatch.context() as broken:
        broken.setattr("rag_ablation.commands._holdout_score.run", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            spent.do(*spent.holdout(), "--spend-again", "--reason", "the disk burnt")
    out = spent.well(*spent.holdout()).out
    assert "completed: an earlier opening by this plan had been cut off" in out
    assert "mark: holdout used 2 times; no longer unseen" in out
    assert "spent holdout: opened 2 times" in out
    newest = read_record(spent.runs(HELD)[-1])
    assert newest.holdout["marks"] == ["holdout used 2 times; no longer unseen"]
    assert "opened 2 times" in spent.do("holdout", "status", str(spent.data)).out


def test_results_alone_tell_of_an_opening(spent: Bench) -> None:
    spent.ledger.write_bytes(spent.ledger.read_bytes().splitlines(keepends=True)[0])
    spent.seen.unlink()
    for folder in spent.runs(HELD):
        shutil.rmtree(folder)
    assert "holdout.json" in " ".join(spent.refused(*spent.holdout()).split())


def test_the_list_under_a_root_is_no_ledger_to_join(spent: Bench) -> None:
    said = spent.refused("holdout", "join", str(spent.ledger), str(spent.seen))
    assert "a list of the questions seen under a root" in said


def test_status_of_a_ledger_that_lacks_entries_fails(spent: Bench) -> None:
    spent.ledger.write_bytes(spent.ledger.read_bytes().splitlines(keepends=True)[0])
    done = spent.do("holdout", "status", str(spent.root / "data"))
    assert done.status == 1
    assert "problem: the ledger" in done.out
