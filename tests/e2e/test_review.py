"""`rag-ablation review`: from open verdicts to people and back, and the rates that follow."""

import csv
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from rag_ablation.core.answers import Word
from rag_ablation.core.record import ArmRecord
from rag_ablation.core.reviews import question_digest
from rag_ablation.data.settled import REVIEWS, read_reviews
from rag_ablation.tracking.files import read_record, read_table
from tests.data.folders import native, passage, question, table
from tests.e2e.holdouts import HELD, WORDS, Bench, snapshot
from tests.e2e.program import PROGRAM, Done, environment, rag_ablation
from tests.e2e.studies import write_definition

N = 27
ANSWERING = "generate=extractive generate.sentences=1 judge=rules"
ARMS = (
    {"key": "A", "set": "variant=bm25"},
    {"key": "A answers", "set": f"variant=bm25 {ANSWERING}", "parents": ["A"]},
    {"key": "B answers", "set": f"variant=bm25 sparse.b=0 {ANSWERING}", "parents": ["A"]},
    {"key": "Floor", "set": f"variant=closed_book {ANSWERING}", "role": "bracket"},
)
Row = dict[str, str]


def topic(n: int) -> str:
    return " ".join(WORDS[4 * n : 4 * n + 4])


def write_set(folder: Path) -> Path:
    """A passage and a question a topic: a third has one figure, a third two of a kind, a third another than is right."""
    corpus, asked = [], []
    for n in range(N):
        more = f" and sickness {n + 50} days" if n % 3 == 1 else ""
        text = f"Leave for {topic(n)} takes {n + 10} days{more}."
        corpus.append(passage(f"p{n:02}", text, doc_id="D", location=str(n)))
        right = n + (90 if n % 3 == 2 else 10)
        asked.append(question(f"q{n:02}", f"How long is {topic(n)}?", answers=[f"{right} days"]))
    asked += [question(f"x{n}", f"Who owns {' '.join(WORDS[n::9][:4])}?", status="no_answer") for n in range(4)]
    asked += [question("z0", "What is it?", status="unreviewed")]
    rows = [(f"q{n:02}", f"p{n:02}", 1) for n in range(N)]
    return native(folder, corpus, asked, table(*rows), "name: made\nlanguage: en\n")


def brought_back(home: Path, make: Callable[[Bench], None]) -> Bench:
    """A root as it was made the first time, always at the same path."""
    found, kept = Bench(home / "root"), home / "kept"
    if not kept.exists():
        found.root.mkdir()
        make(found)
        shutil.copytree(found.root, kept)
    shutil.rmtree(found.root)
    shutil.copytree(kept, found.root)
    return found


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: tmp_path_factory.mktemp(name) for name in ("studied", "held")}


@pytest.fixture
def studied(homes: dict[str, Path]) -> Bench:
    """A study of answering arms was run over a whole set."""

    def make(bench: Bench) -> None:
        write_set(bench.data)
        write_definition(bench.root, bench.data, study={"arms": [dict(arm) for arm in ARMS]}, split="none")
        bench.well("study", "run", "tiny")

    return brought_back(homes["studied"], make)


def rows_of(file: Path) -> list[Row]:
    with file.open(encoding="utf-8-sig", newline="") as handle:
        return list(csv.DictReader(handle))


def fill(file: Path, verdict: Callable[[Row], str]) -> list[Row]:
    """As a person would: each row looked at, the column filled, the file saved."""
    rows = [{**row, "verdict": verdict(row)} for row in rows_of(file)]
    with file.open("w", encoding="utf-8-sig", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return rows


def truth(row: Row) -> str:
    """A rule of its own: one of the right answers stands in the answer as it is written."""
    line = row["reference"].splitlines()[0]
    if not line.startswith("right: "):
        return "correct" if row["declines"] else "incorrect"
    right = line.removeprefix("right: ").split(" | ")
    return "correct" if any(one.casefold() in row["answer"].casefold() for one in right) else "incorrect"


def arms(bench: Bench) -> dict[str, ArmRecord]:
    manifest = json.loads((bench.root / "studies" / "tiny" / "study.json").read_text())
    return {key: read_record(bench.root / "runs" / name) for key, name in manifest["runs"].items()}


def verdicts(bench: Bench, record: ArmRecord, column: str = "verdict") -> Counter[str | None]:
    return Counter(row[column] for row in read_table(bench.root / "runs" / record.id, "answers"))


def test_what_the_judge_left_open_on_a_handbook_is_settled_and_the_rate_is_final(tmp_path: Path) -> None:
    """From a run to a sheet, to a person, and to the same run again."""
    words = (
        "run",
        "dataset=handbook_en",
        "variant=bm25",
        "generate=extractive",
        "judge=rules",
        "latency=none",
        "tracking=files",
    )
    assert rag_ablation(tmp_path, *words).status == 0
    (before,) = Done(0, "", "", tmp_path).records()
    assert before.points["answer"]["correct"].reason == "answers_wait_for_review"
    written = rag_ablation(tmp_path, "review", "export", before.id)
    assert written.status == 0, written.said
    file = tmp_path / "reviews" / f"{before.id}.csv"
    answers = {row["query_id"]: row for row in read_table(tmp_path / "runs" / before.id, "answers")}
    rows = fill(file, truth)
    assert {row["query_id"] for row in rows} == {
        name for name, row in answers.items() if row["verdict"] == "needs_review"
    }
    taken = rag_ablation(tmp_path, "review", "import", before.id, str(file))
    assert taken.status == 0, taken.said

    assert rag_ablation(tmp_path, *words).status == 0
    after = next(record for record in Done(0, "", "", tmp_path).records() if record.id != before.id)
    scored = {
        row["query_id"] for row in read_table(tmp_path / "runs" / after.id, "per_question") if row["status"] == "scored"
    }
    said = {row["query_id"]: row["verdict"] for row in rows}
    right = sum(said.get(name, answers[name]["verdict"]) == "correct" for name in scored)
    correct, low, high = (after.points["answer"][name] for name in ("correct", "correct_low", "correct_high"))
    assert (correct.value, correct.n) == (right / len(scored), len(scored))
    assert correct.value == low.value == high.value
    assert (
        before.points["answer"]["correct_low"].value <= correct.value <= before.points["answer"]["correct_high"].value
    )
    assert after.points["answer"]["needs_review"].value == 0
    assert f"{correct.value:.3f} ({correct.low:.3f} to {correct.high:.3f})" in taken.out
    assert after.counts["stages_computed"] == 0
    assert rag_ablation(tmp_path, "review", "export", after.id).out.splitlines()[-1] == "no file written"


def test_a_study_is_reviewed_once_for_all_its_arms_and_only_judged_arms_run_again(studied: Bench) -> None:
    before = arms(studied)
    out = studied.well("review", "export", "tiny").out
    file = studied.root / "reviews" / "tiny.csv"
    assert out.startswith(f"written: {file}")
    assert "left out: A: without answers; Floor: without answers: generate=extractive: a closed book" in out
    rows = fill(file, truth)
    open_ones = {
        (row["query_id"], row["answer"])
        for key in ("A answers", "B answers")
        for row in read_table(studied.root / "runs" / before[key].id, "answers")
        if row["verdict"] == "needs_review"
    }
    assert len(rows) == len(open_ones)
    assert {(row["query_id"], row["answer"]) for row in rows} == open_ones
    assert sum(verdicts(studied, before[key])["needs_review"] for key in ("A answers", "B answers")) > len(rows)

    out = studied.well("review", "import", "tiny", str(file)).out
    assert f"taken over: {len(rows)} verdicts ({len(rows)} new)" in out
    assert out.splitlines()[-1].strip() == "rag-ablation study run tiny"
    out = studied.well("study", "run", "tiny").out
    assert "arms that had finished before, kept as they were: 1" in out
    after = arms(studied)
    assert after["A"].id == before["A"].id
    for key in ("A answers", "B answers"):
        assert after[key].id != before[key].id
        assert after[key].counts["stages_computed"] == 0
        assert verdicts(studied, after[key])["needs_review"] == 0
        assert verdicts(studied, after[key], "judged") == verdicts(studied, before[key])
        assert after[key].points["answer"]["correct"].value is not None
    again = studied.well("study", "run", "tiny").out
    assert "kept as they were: 4" in again
    assert "no file written" in studied.well("review", "export", "tiny").out


def test_a_verdict_holds_for_the_same_answer_in_another_run(studied: Bench) -> None:
    file = studied.root / "a.csv"
    studied.well("review", "export", "tiny:A answers", "--out", str(file))
    fill(file, truth)
    studied.well("review", "import", "tiny:A answers", str(file))
    out = studied.well("review", "export", "tiny:B answers").out
    said = {row["answer"] for row in rows_of(file)}
    other = [
        row
        for row in read_table(studied.root / "runs" / arms(studied)["B answers"].id, "answers")
        if row["verdict"] == "needs_review"
    ]
    shared = sum(row["answer"] in said for row in other)
    assert shared > 0
    assert f"settled before: {shared}" in out
    assert f"{len(other) - shared} open verdict" in out


def test_what_is_partly_settled_stays_open_with_closer_bounds(studied: Bench) -> None:
    studied.well("review", "export", "tiny:A answers", "--out", "a.csv")
    rows = rows_of(studied.root / "a.csv")
    fill(studied.root / "a.csv", lambda row: "correct" if row["query_id"] == rows[0]["query_id"] else "")
    out = studied.well("review", "import", "tiny:A answers", "a.csv").out
    assert f"undefined: {len(rows) - 1} open" in out
    assert f"rows without a verdict: {len(rows) - 1}" in out
    assert f"still open: {len(rows) - 1} distinct answers" in out
    assert "kappa: none, this sheet is no sample" in out


def test_the_work_of_a_person_is_never_written_over(studied: Bench) -> None:
    studied.well("review", "export", "tiny")
    file = studied.root / "reviews" / "tiny.csv"
    studied.well("review", "export", "tiny")
    fill(file, truth)
    assert "perhaps verdicts" in studied.refused("review", "export", "tiny")


def test_rows_that_do_not_fit_are_told_together_and_nothing_is_taken_over(studied: Bench) -> None:
    studied.well("review", "export", "tiny", "--out", "a.csv")
    rows = fill(studied.root / "a.csv", truth)
    changed = [
        {**rows[0], "answer": "another"},
        {**rows[1], "verdict": "maybe"},
        {**rows[2], "verdict": "correct"},
        {**rows[2], "verdict": "incorrect"},
    ]
    changed.append({**rows[3], "answer_id": "r0"})
    with (studied.root / "a.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(changed)
    said = studied.refused("review", "import", "tiny", "a.csv")
    assert "no verdict was taken over: 4 problems" in said
    for line, field in ((2, "answer"), (3, "verdict"), (5, "verdict"), (6, "answer_id")):
        assert f"a.csv:{line}: {field}: found" in said
    assert not (studied.root / REVIEWS).exists()


def test_a_sheet_without_any_verdict_is_refused(studied: Bench) -> None:
    studied.well("review", "export", "tiny", "--out", "a.csv")
    assert "verdict: found none in" in studied.refused("review", "import", "tiny", "a.csv")


def test_a_changed_reference_unsettles_and_makes_a_sheet_stale(studied: Bench) -> None:
    studied.well("review", "export", "tiny", "--out", "a.csv")
    rows = fill(studied.root / "a.csv", truth)
    studied.well("review", "import", "tiny", "a.csv")
    lines = (studied.data / "queries.jsonl").read_text().splitlines()
    changed = next(place for place, line in enumerate(lines) if f'"{rows[0]["query_id"]}"' in line)
    asked = json.loads(lines[changed])
    asked["metadata"]["answers"].append("99 years")
    lines[changed] = json.dumps(asked)
    (studied.data / "queries.jsonl").write_text("\n".join(lines) + "\n")
    assert "labels changed since this run was made" in studied.refused("review", "import", "tiny", "a.csv")
    studied.well("study", "run", "tiny")
    studied.well("review", "export", "tiny", "--out", "b.csv")
    assert [row["query_id"] for row in rows_of(studied.root / "b.csv")] == [rows[0]["query_id"]] * sum(
        row["query_id"] == rows[0]["query_id"] for row in rows
    )
    said = studied.refused("review", "import", "tiny", "a.csv")
    assert "a.csv:2: answer_id: found" in said
    assert "export anew" in said


def test_a_later_verdict_overrides_and_says_so(studied: Bench) -> None:
    studied.well("review", "export", "tiny", "--out", "a.csv")
    rows = fill(studied.root / "a.csv", lambda _: "correct")
    studied.well("review", "import", "tiny", "a.csv")
    fill(studied.root / "a.csv", lambda row: "incorrect" if row["answer_id"] == rows[0]["answer_id"] else "correct")
    out = studied.well("review", "import", "tiny", "a.csv", "--by", "Li").out
    assert f"1 in place of another verdict, {len(rows) - 1} the same with another note or name" in out
    found = read_reviews(studied.root / REVIEWS)
    assert Counter(str(one.word) for one in found.latest.values()) == {"correct": len(rows) - 1, "incorrect": 1}
    assert {one.by for one in found.latest.values()} == {"Li"}


def test_two_imports_at_once_lose_nothing(studied: Bench) -> None:
    sheets = {"tiny:A answers": "a.csv", "tiny:B answers": "b.csv"}
    rows = []
    for run, file in sheets.items():
        studied.well("review", "export", run, "--out", file)
        rows += fill(studied.root / file, truth)
    running = [
        subprocess.Popen(
            [PROGRAM, "review", "import", run, file],
            cwd=studied.root, env=environment(studied.root), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for run, file in sheets.items()
    ]  # fmt: skip
    for one in running:
        out, err = one.communicate(timeout=100)
        assert one.returncode == 0, (out, err)
    found = read_reviews(studied.root / REVIEWS)
    assert len(found) == len({row["answer_id"] for row in rows})
    assert {key.question for key in found.latest} == {question_digest(row["question"]) for row in rows}


def test_a_sample_is_blind_and_random_and_the_same_for_one_seed(studied: Bench) -> None:
    out = studied.well("review", "export", "tiny:A answers", "--sample", "18", "--out", "a.csv").out
    rows = rows_of(studied.root / "a.csv")
    assert (
        "drawn: 18 of 31 distinct judged answers of 1 arm, seed 0: correct 6 of 9, incorrect 6 of 13, needs_review 6 of 9"
        in out
    )
    judged = {
        row["query_id"]: row["judged"]
        for row in read_table(studied.root / "runs" / arms(studied)["A answers"].id, "answers")
    }
    assert Counter(judged[row["query_id"]] for row in rows) == dict.fromkeys(map(str, Word), 6)
    assert "reason" not in rows[0]
    assert not any(
        word in " ".join(row.values()) for row in rows for word in ("needs_review", "incorrect", "also says")
    )
    order = [judged[row["query_id"]] for row in rows]
    assert order != sorted(order)
    studied.well("review", "export", "tiny:A answers", "--sample", "18", "--seed", "0", "--out", "a.csv")
    studied.well("review", "export", "tiny:A answers", "--sample", "18", "--seed", "1", "--out", "b.csv")
    assert {row["answer_id"] for row in rows_of(studied.root / "b.csv")} != {row["answer_id"] for row in rows}


def test_agreement_is_told_and_written_with_its_weights(studied: Bench) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="comes with sentence-transformers (extra dense)")
    studied.well("review", "export", "tiny:A answers", "--sample", "18", "--out", "a.csv")
    flips = iter([True, *[False] * 4] * 9)
    rows = fill(
        studied.root / "a.csv",
        lambda row: {"correct": "incorrect", "incorrect": "correct"}[truth(row)] if next(flips) else truth(row),
    )
    before = arms(studied)["A answers"]
    out = studied.well("review", "import", "tiny:A answers", "a.csv").out
    found = json.loads((studied.root / "a.agreement.json").read_text())
    judged = {row["query_id"]: row["judged"] for row in read_table(studied.root / "runs" / before.id, "answers")}
    pairs = [(judged[row["query_id"]], row["verdict"]) for row in rows if judged[row["query_id"]] != "needs_review"]
    weights = [{"correct": 9 / 6, "incorrect": 13 / 6}[judge] for judge, _ in pairs]
    expected = metrics.cohen_kappa_score(*zip(*pairs, strict=True), sample_weight=weights)
    assert found["kappa"]["value"] == pytest.approx(expected)
    assert found["kappa"]["low"] <= expected <= found["kappa"]["high"]
    assert found["decided"] == 22 / 31
    assert found["sample"] == {"n": 18, "of": 31, "seed": 0}
    assert found["answers"] == {"correct": 9, "incorrect": 13, "needs_review": 9}
    assert sum(found["table"]["needs_review"].values()) == 6
    assert found["judge"]["name"] == "rules"
    assert f"kappa {expected:.3f} [{found['kappa']['low']:.3f}, {found['kappa']['high']:.3f}] 95% (12 answers" in out
    assert "the judge decided 0.710 of the answers" in out

    overruled = sum(judge != person for judge, person in pairs)
    assert overruled
    studied.well("study", "run", "tiny")
    after = arms(studied)["A answers"]
    facts = after.stages[-1].facts
    assert (facts["n_reviewed"], facts["n_overruled"]) == (18, overruled)
    assert any(
        row["reason"].startswith("a person: ") and "the judge: correct, " in row["reason"]
        for row in read_table(studied.root / "runs" / after.id, "answers")
        if row["reason"]
    )
    again = studied.well("review", "import", "tiny:A answers", "a.csv").out
    assert "18 there already" in again
    assert f"kappa {expected:.3f} [" in again, "the judge's own verdicts are what it is measured on"


def test_agreement_is_undefined_on_a_sample_that_is_not_whole(studied: Bench) -> None:
    studied.well("review", "export", "tiny:A answers", "--sample", "12", "--out", "a.csv")
    rows = fill(studied.root / "a.csv", lambda row: "" if row["query_id"].startswith("x") else truth(row))
    left = sum(not row["verdict"] for row in rows)
    said = studied.well("review", "import", "tiny:A answers", "a.csv").out
    if left:
        assert f"kappa: undefined: {left} of its 12 rows have no verdict yet" in said
    kept = [row for row in rows if row["verdict"] == "correct"]
    with (studied.root / "a.csv").open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(kept)
    said = studied.well("review", "import", "tiny:A answers", "a.csv").out
    assert f"kappa: undefined: {12 - len(kept)} of its 12 rows were taken out" in said
    assert not (studied.root / "a.agreement.json").exists()


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--sample", "32"), "--sample: found 32, expected 3 to 31"),
        (("--sample", "2"), "--sample: found 2, expected 3 to 31"),
        (("--seed", "1"), "--seed: found 1, expected --sample N beside it"),
        (("--sample", "9", "--seed", "-1"), "--seed: found -1"),
    ],
)
def test_a_sample_that_cannot_be_drawn_is_refused(studied: Bench, words: Sequence[str], reason: str) -> None:
    assert reason in studied.refused("review", "export", "tiny:A answers", *words)


def test_a_run_without_answers_or_without_a_judge_is_refused(studied: Bench) -> None:
    assert "without answers" in studied.refused("review", "export", "tiny:A")
    studied.well(*studied.run("split=none", "generate=extractive"))
    assert "without a judge" in studied.refused("review", "export", studied.runs()[-1].name)


@pytest.fixture
def held(homes: dict[str, Path], no_checkout: None) -> Bench:
    """A study of two answering arms was run on dev, of a set with a holdout."""

    def make(bench: Bench) -> None:
        write_set(bench.data)
        bench.well("data", "split", str(bench.data), "--holdout", "0.45")
        study = {"arms": [{**ARMS[1], "key": "A", "parents": []}, {**ARMS[2], "key": "A2"}]}
        write_definition(bench.root, bench.data, study=study)
        bench.well("study", "run", "tiny")

    return brought_back(homes["held"], make)


def test_no_question_of_an_unopened_holdout_is_shown(held: Bench) -> None:
    held.well("review", "export", "tiny", "--sample", "12", "--out", "a.csv")
    held.well("review", "export", "tiny", "--out", "b.csv")
    shown = {row["query_id"] for name in ("a.csv", "b.csv") for row in rows_of(held.root / name)}
    assert shown
    assert shown <= set(held.split.dev)


def test_a_plan_is_frozen_on_what_people_said_by_then(held: Bench) -> None:
    held.well("review", "export", "tiny", "--out", "a.csv")
    fill(held.root / "a.csv", truth)
    held.well("review", "import", "tiny", "a.csv")
    assert "reviews changed since; run it again" in held.refused(*held.freeze())
    held.well("study", "run", "tiny")
    held.well(*held.freeze())


def test_on_a_holdout_verdicts_after_the_opening_change_no_record_and_no_replay(held: Bench) -> None:
    held.well(*held.freeze())
    held.well(*held.holdout())
    run = held.runs(HELD)[0]
    before = read_record(run)
    out = held.well("review", "export", run.name, "--out", "a.csv").out
    assert "mark: " in out
    rows = fill(held.root / "a.csv", truth)
    assert {row["query_id"] for row in rows} <= set(held.split.holdout)
    files = snapshot(held.root / "runs", held.data)
    out = held.well("review", "import", run.name, "a.csv").out
    assert "reviewed after opening" in out
    assert "mark: " in out
    assert "study run" not in out
    assert snapshot(held.root / "runs", held.data) == files
    assert read_record(run) == before
    held.well(*held.holdout())
    assert held.entries()[-1].details["differs"] == []
    assert before.points["answer"]["correct"].value is None


def test_a_run_on_a_holdout_that_no_ledger_knows_is_not_shown(held: Bench) -> None:
    held.well(*held.freeze())
    held.well(*held.holdout())
    held.ledger.unlink()
    for action in (("export",), ("import", "a.csv")):
        words = ("review", action[0], held.runs(HELD)[0].name, *action[1:])
        assert "does not say was opened" in held.refused(*words)


def test_a_file_of_verdicts_that_is_damaged_opens_no_holdout(held: Bench) -> None:
    held.well(*held.freeze())
    (held.root / REVIEWS).write_text('{"question": ')
    assert f"{REVIEWS}:1: line: found" in held.refused(*held.holdout())
    assert "opened" not in held.kinds()
    assert f"{REVIEWS}:1: line: found" in held.refused("study", "run", "tiny")
