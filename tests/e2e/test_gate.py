"""`rag-ablation gate` as a pipeline calls it: the exit status is the answer."""

import json
from pathlib import Path

import pytest

from tests.e2e.program import Done, rag_ablation, tiny, whole, write_dataset

QUIET = ["latency=none", "tracking=files"]
GOOD, BAD, DEEP = range(3)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """24 questions; the second arm ranks by nothing that helps, the third differs in its context alone."""
    root = tmp_path_factory.mktemp("gated")
    words = [*whole(tiny(root / "set")), *QUIET, "variant=bm25"]
    for more in (
        [],
        ["sparse.stop_words=[" + ",".join(f"topic{n}" for n in range(0, 24, 2)) + "]"],
        ["context.depth=3"],
    ):
        found = rag_ablation(root, "run", *words, *more)
        assert found.status == 0, found.said
    return found


def gate(done: Done, candidate: int, baseline: int, *words: str) -> Done:
    ids = [record.id for record in done.records()]
    return rag_ablation(done.root, "gate", ids[candidate], "--against", ids[baseline], *words)


def test_a_run_that_lost_nothing_passes(done: Done) -> None:
    found = gate(done, DEEP, GOOD, "--max-drop", "0")
    assert found.status == 0, found.said
    assert "passed" in found.out
    assert "0.000 to 0.000" in found.out
    assert "24 (24)" in found.out


def test_a_drop_beyond_the_limit_fails_and_the_reverse_passes(done: Done) -> None:
    assert gate(done, BAD, GOOD, "--max-drop", "0.01").status == 1
    assert gate(done, GOOD, BAD, "--max-drop", "0.01").status == 0


def test_what_the_interval_does_not_settle_is_undecided_and_the_groups_needed_are_told(done: Done) -> None:
    told = json.loads(gate(done, BAD, GOOD, "--max-drop", "0.01", "--json").out)
    inside = (abs(told["low"]) + abs(told["high"])) / 2
    found = gate(done, BAD, GOOD, "--max-drop", f"{inside:.3f}")
    assert found.status == 2
    assert "undecided" in found.out
    assert "planning: there are 24 groups; about" in found.out


def test_json_holds_what_the_table_shows(done: Done) -> None:
    found = gate(done, BAD, GOOD, "--max-drop", "0.01", "--measure", "final/recall@5", "--json")
    told = json.loads(found.out)
    assert (told["ruling"], told["exit"], found.status) == ("failed", 1, 1)
    assert told["measure"] == "final/recall@5"
    assert told["low"] <= told["difference"] <= told["high"] < -0.01
    assert (told["n"], told["n_groups"], told["losses"]) == (24, 24, round(-24 * told["difference"]))
    assert [factor.partition(" ")[0] for factor in told["changed"]] == ["sparse.stop_words"]
    assert told["groups_needed"] is None


@pytest.mark.parametrize("limit", ["-0.1", "nan", "1"])
def test_a_limit_that_is_none_is_refused(done: Done, limit: str) -> None:
    found = gate(done, DEEP, GOOD, f"--max-drop={limit}")
    assert found.status == 2
    assert "--max-drop: found" in found.err


def test_a_measure_that_was_not_taken_is_named_with_those_that_were(done: Done) -> None:
    found = gate(done, DEEP, GOOD, "--max-drop", "0.01", "--measure", "final/ndgc@10")
    assert found.status == 2
    assert "MEASURE one of recall" in found.err
    assert "Traceback" not in found.err


def test_runs_that_do_not_compare_decide_nothing_and_the_message_says_what_differs(done: Done, tmp_path: Path) -> None:
    other = rag_ablation(done.root, "run", *whole(tiny(tmp_path / "other", 23)), *QUIET, "variant=bm25")
    ids = [record.id for record in other.records()]
    found = rag_ablation(done.root, "gate", ids[-1], "--against", ids[0], "--max-drop", "0.01")
    assert found.status == 2
    assert "not comparable: corpus, queries, labels, visibility differ" in found.err


def test_a_run_that_is_not_there_decides_nothing(done: Done) -> None:
    found = rag_ablation(done.root, "gate", "no such", "--against", done.records()[0].id, "--max-drop", "0.01")
    assert found.status == 2
    assert "which is no run under" in found.err


def test_under_six_groups_nothing_is_decided(tmp_path: Path) -> None:
    folder = write_dataset(
        tmp_path / "set",
        {f"p{n}": f"rule {n} topic{n}" for n in range(5)},
        {f"q{n}": f"topic{n}" for n in range(5)},
        {f"q{n}": {f"p{n}": 1} for n in range(5)},
    )
    for more in ([], ["context.depth=3"]):
        ran = rag_ablation(tmp_path, "run", *whole(folder), *QUIET, "variant=bm25", *more)
    found = gate(ran, 1, 0, "--max-drop", "0.01")
    assert found.status == 2
    assert "5 groups: under 6 nothing is decided" in found.out
