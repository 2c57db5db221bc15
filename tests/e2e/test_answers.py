"""Answers as a person meets them: after a run, in `explain`, `compare` and `gate`, and a threshold chosen for them."""

import json
from pathlib import Path

import pytest

from rag_ablation.core.record import ArmRecord
from rag_ablation.tracking.files import read_table
from tests.data.folders import native, passage, question, table
from tests.e2e.program import Done, rag_ablation

QUIET = ["split=none", "latency=none", "tracking=files", "context.depth=2"]
ANSWERING = ["generate=extractive", "judge=rules"]
N = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight questions in two languages that a sentence answers, one that only the gold does, two without an answer."""
    corpus = [
        *[passage(f"e{n}", f"The limit of item{n} is {300 + n} yuan.", doc_id="E", location=str(n)) for n in range(4)],
        *[passage(f"z{n}", f"物品{n}号 的 上限 是 {500 + n} 元。", doc_id="Z", location=str(n)) for n in range(4)],
        passage("hidden", "Ceilings were raised to 900 yuan.", doc_id="H", location="1"),
        *[passage(f"x{n}", f"The limit of nothing is none, part {n}.", doc_id="X", location=str(n)) for n in range(3)],
    ]
    asked = [
        *[question(f"e{n}", f"limit of item{n}", type="single_hop", answers=[f"{300 + n} yuan"]) for n in range(4)],
        *[question(f"z{n}", f"物品{n}号 的 上限", type="single_hop", answers=[f"{500 + n}元"]) for n in range(4)],
        question("lost", "the limit of everything", type="paraphrase", answers=["900 yuan"]),
        question("none1", "limit of the cantina", type="no_answer", status="no_answer"),
        question("none2", "may dogs be brought", type="no_answer", status="no_answer"),
    ]
    rows = table(
        *[(f"e{n}", f"e{n}", 2) for n in range(4)], *[(f"z{n}", f"z{n}", 2) for n in range(4)], ("lost", "hidden", 2)
    )
    return native(tmp_path_factory.mktemp("set") / "answered", corpus, asked, rows, "name: answered\nlanguage: mixed")


@pytest.fixture(scope="module")
def done(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Three arms side by side, then one with another threshold, one with another k1 as well, one without a generator."""
    root = tmp_path_factory.mktemp("answers")
    words = ["dataset=folder", f"dataset.path={folder}", *QUIET]
    sweep = rag_ablation(root, "run", "-m", "variant=bm25,oracle,closed_book", *words, *ANSWERING)
    assert sweep.status == 0, sweep.said
    for more in (
        [*ANSWERING, "generate.threshold=0.9"],
        [*ANSWERING, "generate.threshold=0.9", "context.depth=1"],
        [],
    ):
        found = rag_ablation(root, "run", "variant=bm25", *words, *more)
        assert found.status == 0, found.said
    return sweep


def arms(done: Done) -> dict[str, ArmRecord]:
    """By a short name."""
    names = ("bm25", "oracle", "floor", "strict", "shallow", "plain")
    return dict(zip(names, done.records(), strict=True))


def test_the_screen_shows_every_arm_beside_its_ceiling_and_why_the_floor_has_none(done: Done) -> None:
    rows = done.out.partition("answers, judged by rules 2")[2].partition("evidence and answers")[0].splitlines()
    oracle = next(line for line in rows if "Oracle" in line)
    floor = next(line for line in rows if "closed_book" in line)
    assert "9 (9)" in oracle
    assert "2 of 2" in oracle
    assert floor.split()[-4:] == ["–"] * 4
    assert "no answers: floor closed_book" in done.out
    assert "a closed book is not applicable" in done.out


def test_fates_and_answers_add_up_on_every_arm(done: Done) -> None:
    for record in arms(done).values():
        counts, split = record.evidence["counts"], record.evidence.get("answers")
        assert sum(counts.values()) == N + 1
        if split:
            assert sum(split.values()) == counts["kept"]
    note = next(done.root.glob("runs/*sweep*/leaderboard.md")).read_text(encoding="utf-8")
    assert "| kept | answer_right | answer_wrong | answer_open |" in note
    assert "answers, judged by rules 2" in note


def test_explain_tells_what_was_answered_and_what_would_have_been_right(done: Done) -> None:
    run = arms(done)["bm25"].id
    told = json.loads(rag_ablation(done.root, "explain", run, "e1", "--json").out)["answer"]
    assert told["judge"] == "rules 2"
    assert told["verdict"] in {"correct", "needs_review"}
    assert "301 yuan" in told["text"]
    assert told["citations"][0] == {"passage_id": "e1", "in_context": True, "gold": True, "grade": 2}
    assert told["reference"]["answers"] == ["301 yuan"]
    out = rag_ablation(done.root, "explain", run, "e1").out
    assert "the answer of extractive, judged by rules 2" in out
    assert "e1 ●●" in out
    assert "right would be" in out
    out = rag_ablation(done.root, "explain", run, "none2").out
    assert "a refusal: the question has no answer" in out


def test_explain_says_why_there_is_no_answer_and_a_run_without_a_generator_says_nothing(done: Done) -> None:
    floor = rag_ablation(done.root, "explain", arms(done)["floor"].id, "e1")
    assert "there is no answer: generate=extractive: a closed book is not applicable" in floor.out
    plain = rag_ablation(done.root, "explain", arms(done)["plain"].id, "e1", "--json")
    assert json.loads(plain.out)["answer"] is None


@pytest.mark.parametrize("word", ["correct", "incorrect", "needs_review"])
def test_the_questions_of_a_verdict_are_listed_with_answer_and_reason(done: Done, word: str) -> None:
    record = arms(done)["bm25"]
    table_of = read_table(done.root / "runs" / record.id, "answers")
    rows = json.loads(rag_ablation(done.root, "explain", record.id, "--verdict", word, "--json").out)
    assert [row["query_id"] for row in rows] == sorted(row["query_id"] for row in table_of if row["verdict"] == word)
    assert all(row["reason"] for row in rows)
    out = rag_ablation(done.root, "explain", record.id, "--verdict", word).out
    assert f"{len(rows)} of 11 judged answers are {word} (rules 2)" in out


@pytest.mark.parametrize(
    ("arm", "words", "said"),
    [
        ("plain", ("--verdict", "correct"), "expected a finished run with a generator and a judge"),
        ("floor", ("--verdict", "correct"), "a closed book is not applicable"),
        ("bm25", ("--verdict", "correct", "--type", "nosuch"), "a type with judged answers: no_answer, paraphrase"),
        ("bm25", ("--verdict", "correct", "--fate", "kept"), "give one of them"),
    ],
)
def test_what_has_no_verdicts_is_said(done: Done, arm: str, words: tuple[str, ...], said: str) -> None:
    found = rag_ablation(done.root, "explain", arms(done)[arm].id, *words)
    assert found.status == 2
    assert said in found.err


def compared(done: Done, before: str, after: str, *words: str) -> dict[str, dict[str, object]]:
    found = arms(done)
    told = json.loads(rag_ablation(done.root, "compare", found[before].id, found[after].id, "--json", *words).out)
    return {row["measure"]: row for row in told["differences"]} | {"questions": told["questions"]}


def test_a_threshold_that_is_all_that_changed_can_be_compared_and_its_questions_are_listed(done: Done) -> None:
    told = compared(done, "bm25", "strict", "--measure", "answer/correct_low")
    assert told["answer/correct_low"]["n"] == N + 1
    assert isinstance(told["answer/correct_low"]["difference"], float)
    found = {
        name: record.points["answer"]["correct_low"].value or 0
        for name, record in arms(done).items()
        if name in ("bm25", "strict")
    }
    assert told["answer/correct_low"]["difference"] == pytest.approx(found["strict"] - found["bm25"])


def test_answers_do_not_compare_where_the_threshold_is_not_all_that_changed(done: Done) -> None:
    told = compared(done, "bm25", "shallow", "--measure", "answer/correct_low")
    assert told["answer/correct_low"]["difference"] is None
    assert str(told["answer/correct_low"]["reason"]).startswith("answers do not compare: generate.threshold 0.0 → 0.9")
    assert told["context/recall@10"]["difference"] is not None
    assert told["questions"] is None
    ids = arms(done)
    out = rag_ablation(done.root, "compare", ids["bm25"].id, ids["shallow"].id).out
    assert "answers do not compare: generate.threshold 0.0 → 0.9, beside context.depth 2 → 1" in out


def test_answers_compare_with_no_run_that_has_none(done: Done) -> None:
    assert not [name for name in compared(done, "bm25", "plain") if name.startswith("answer/")]
    told = compared(done, "floor", "oracle", "--measure", "context/recall@10")
    assert "undefined on floor" in str(told["answer/correct_low"]["reason"])


def test_a_gate_rules_on_right_answers(done: Done) -> None:
    ids = arms(done)
    words = ("--against", ids["bm25"].id, "--measure", "answer/correct_low")
    same = rag_ablation(done.root, "gate", ids["bm25"].id, *words, "--max-drop", "0")
    assert same.status == 0, same.said
    assert "answer correct_low" in same.out
    refused = rag_ablation(done.root, "gate", ids["shallow"].id, *words, "--max-drop", "0")
    assert refused.status == 2
    assert "answers do not compare" in refused.err


def test_a_measure_of_answers_that_nobody_took_is_named_without_a_cutoff(done: Done) -> None:
    run = arms(done)["bm25"].id
    found = rag_ablation(done.root, "gate", run, "--against", run, "--max-drop", "0", "--measure", "answer/corect")
    assert found.status == 2
    assert "expected answer/MEASURE, MEASURE one of correct, correct_low" in found.err


@pytest.fixture(scope="module")
def tuned(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, dict[str, object]]:
    """A threshold chosen, and the arm run with it."""
    root = tmp_path_factory.mktemp("tuned")
    words = ["dataset=folder", f"dataset.path={folder}", *QUIET, "variant=bm25"]
    found = rag_ablation(root, "tune", "threshold", *words, "--json")
    assert found.status == 0, found.said
    told = json.loads(found.out)
    done = rag_ablation(root, "run", *words, *ANSWERING, str(told["settings"]))
    assert done.status == 0, done.said
    return done, told


def test_an_arm_with_the_chosen_threshold_measures_what_was_told(tuned: tuple[Done, dict[str, object]]) -> None:
    done, told = tuned
    (record,) = done.records()
    best = told["best"]
    assert isinstance(best, dict)
    means = record.points["answer"]
    assert record.settings["generate"]["threshold"] == told["threshold"]
    assert means["correct_low"].value == best["correct_low"]
    assert means["correct_low"].n == told["n_answerable"]
    assert means["refused_right"].value == best["refused_right"] / told["n_no_answer"]  # type: ignore[operator]
    assert means["refused_wrong"].value == best["refused_wrong"] / told["n_answerable"]  # type: ignore[operator]
    judged = read_table(done.root / "runs" / record.id, "answers")
    assert sum(row["verdict"] == "correct" for row in judged) == best["right"]
    assert sum(row["verdict"] == "needs_review" for row in judged) == best["open"]


def test_choosing_leaves_no_run_behind_and_says_what_to_type(folder: Path, tmp_path: Path) -> None:
    words = ["dataset=folder", f"dataset.path={folder}", *QUIET, "variant=bm25"]
    found = rag_ablation(tmp_path, "tune", "threshold", *words)
    assert found.status == 0, found.said
    assert found.records() == []
    assert (tmp_path / "seen.jsonl").exists()
    assert "chosen on these 11 questions (11 groups): 9 with an answer, 2 without" in found.out
    assert found.out.rstrip().splitlines()[-1].startswith("next: generate.threshold=")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["generate=none", "judge=none"], "generate: found 'none', expected generate=extractive"),
        (["judge=none"], "judge: found 'none', expected judge=rules"),
        (["generate.threshold=0.5"], "generate.threshold: found a value, expected none, since it is what is chosen"),
        (["variant=closed_book"], "nothing to choose from"),
        (["split=holdout"], "no run reads a holdout"),
    ],
)
def test_what_cannot_be_chosen_is_said(folder: Path, tmp_path: Path, words: list[str], said: str) -> None:
    found = rag_ablation(
        tmp_path, "tune", "threshold", "dataset=folder", f"dataset.path={folder}", "split=none", *words
    )
    assert found.status == 2
    assert said in found.err
