"""Whole runs that ask a server on loopback: killed and resumed, stopped by a budget, and without a trace of the key."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.chat_server import MODEL, ChatServer, Step, answers, error, says
from tests.e2e.interrupting import kill, started, wait_until
from tests.e2e.program import Done, rag_ablation, whole, write_dataset

KEY = "sk-EXAMPLE+not/a-real-key-0004"
N = 24
HERE = {"NO_PROXY": "127.0.0.1", "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": ""}
PRICES = "{prompt: 2, completion: 30}"
COST = (100 * 2 + 10 * 30) / 1_000_000


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """24 questions, each with a passage and a figure that answers it."""
    corpus = {f"p{i:02}": f"The limit of topic{i:02} is {i + 100} km." for i in range(N)}
    queries = {f"q{i:02}": f"What is the limit of topic{i:02}?" for i in range(N)}
    folder = write_dataset(tmp_path / "data", corpus, queries, {f"q{i:02}": {f"p{i:02}": 1} for i in range(N)})
    lines = [json.loads(line) for line in (folder / "queries.jsonl").read_text().splitlines()]
    for row, line in enumerate(lines):
        line["metadata"]["answers"] = [f"{row + 100} km"]
    (folder / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def right(said: str) -> Step:
    """The figure of the passage that is about the question, with its number."""
    topic = re.findall(r"topic(\d\d)", said)[-1]
    shown = re.search(rf"\[(\d+)\][^\[]*topic{topic} is (\d+) km", said)
    return answers("", [], refused=True) if shown is None else answers(f"{shown[2]} km", [int(shown[1])])


def question(row: int) -> str:
    return f"Question: What is the limit of topic{row:02}?"


def words(server: ChatServer, data: Path, *more: str) -> list[str]:
    asked = ["generate=openai", f"generate.base_url={server.url}", f"generate.model={MODEL}", "judge=rules"]
    return ["run", *whole(data), "variant=bm25", "latency=none", *asked, *more]


def run(root: Path, server: ChatServer, data: Path, *more: str) -> Done:
    return rag_ablation(root, *words(server, data, *more), **HERE)


def test_a_run_asks_every_question_once_and_its_answers_are_judged_and_priced(tmp_path: Path, data: Path) -> None:
    wrong = {"Question: What is the limit of topic03?": [answers("7 km")], question(4): [error(500, "oops")]}
    with ChatServer(wrong, right, key=KEY) as server:
        done = run(
            tmp_path, server, data, "tracking=files", f"generate.prices={PRICES}", "generate.retries=0"
        )  # fmt: skip
        asked = [server.asked(question(row)) for row in range(N)]
    assert done.status == 0, done.said
    assert asked == [1] * N
    record = done.records()[0]
    assert record.arm == f"A bm25 generate=openai generate.model={MODEL} judge=rules"
    means = record.points["answer"]
    assert means["correct"].value == pytest.approx(22 / 24)
    assert means["failed"].value == pytest.approx(1 / 24)
    assert record.answers["cost"] == pytest.approx(23 * COST)
    facts = next(stage.facts for stage in record.stages if stage.slot == "generate")
    assert (facts["n_requests"], facts["n_from_store"], facts["n_failed"]) == (N, 0, 1)
    again = run(tmp_path, server, data, "tracking=files", f"generate.prices={PRICES}", "generate.retries=0")
    assert "cannot be reached" in again.said, "the failed answer is not kept, so it is asked for again"


def test_a_closed_book_shows_no_passage_and_its_floor_is_what_the_model_knows(tmp_path: Path, data: Path) -> None:
    with ChatServer(reply=lambda said: answers("105 km", []) if "topic05?" in said else answers("9 km", [])) as server:
        done = run(tmp_path, server, data, "variant=closed_book", "tracking=files")
    assert done.status == 0, done.said
    assert not any("The limit of" in body["messages"][-1]["content"] for body in server.bodies)
    assert done.records()[0].points["answer"]["correct"].value == pytest.approx(1 / 24)


def test_a_run_killed_among_its_requests_goes_on_and_pays_for_nothing_twice(tmp_path: Path, data: Path) -> None:
    concurrency = 3

    def slowly(said: str) -> Step:
        step = right(said)
        return Step(body=step.body, delay_s=0.15)

    with ChatServer(reply=slowly) as server:
        given = words(server, data, "tracking=files", f"generate.concurrency={concurrency}")
        process = started(tmp_path, *given, more=HERE)
        wait_until(lambda: server.n >= N // 2, "half of the questions are asked")
        kill(process)
        wait_until(lambda: server.at_once == 0, "what was under way is over")
        before = [server.asked(question(row)) for row in range(N)]
        again = run(tmp_path, server, data, "tracking=files", f"generate.concurrency={concurrency}")
        assert again.status == 0, again.said
        after = [server.asked(question(row)) for row in range(N)]
    assert 0 < sum(before) < N
    assert min(after) == 1
    assert max(after) <= 2
    twice = sum(n == 2 for n in after)
    assert twice <= concurrency, "only what was under way may be asked again"
    finished = [record for record in again.records() if record.status == "finished"]
    facts = next(stage.facts for stage in finished[0].stages if stage.slot == "generate")
    assert facts["n_from_store"] == sum(before) - twice
    assert facts["n_requests"] == sum(after) - sum(before)
    assert finished[0].points["answer"]["correct"].value == 1.0


def test_a_budget_stops_a_run_and_a_larger_one_goes_on_from_there(tmp_path: Path, data: Path) -> None:
    with ChatServer(reply=right) as server:
        short = run(tmp_path, server, data, "tracking=files", "generate.max_requests=10")
        assert short.status == 1
        said = " ".join(short.said.split())
        assert "generate.max_requests=10 is spent: 10 of 24 questions are answered" in said
        assert "raise generate.max_requests" in said
        assert server.n == 10
        done = run(tmp_path, server, data, "tracking=files", "generate.max_requests=14")
    assert done.status == 0, done.said
    assert server.n == N
    assert [record.status for record in done.records()] == ["failed", "finished"]


def test_a_sweep_keeps_an_arm_whose_budget_alone_has_changed(tmp_path: Path, data: Path) -> None:
    with ChatServer(reply=right) as server:
        arm = ["-m", *words(server, data, "tracking=files")[1:]]
        first = rag_ablation(tmp_path, "run", *arm, "generate.max_requests=50", **HERE)
        again = rag_ablation(tmp_path, "run", *arm, "generate.max_requests=60", "generate.concurrency=2", **HERE)
    assert (first.status, again.status) == (0, 0), again.said
    assert len(again.records()) == 1


def forms(key: str) -> list[bytes]:
    return [form.encode() for form in (key, key.removeprefix("sk-"), quote(key, safe=""), json.dumps(key)[1:-1])]


def written(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def repeats_when_it_fails(_: str) -> Step:
    return error(500, f"internal: Authorization: Bearer {KEY}, key={KEY}, {quote(KEY, safe='')}", None, X_Key=KEY)


def repeats_in_its_answers(said: str) -> Step:
    return answers(f"{KEY} says {json.loads(right(said).body)['choices'][0]['message']['content']}", [1])


def judges_and_repeats(said: str) -> Step:
    return says(f"{KEY} {KEY}") if '"must_not_say"' in said else right(said)


@pytest.mark.parametrize(
    ("reply", "shown", "status"),
    [
        (right, KEY, 0),
        (repeats_in_its_answers, KEY, 0),
        (repeats_when_it_fails, KEY, 1),
        (right, "another", 1),
        (judges_and_repeats, KEY, 0),
    ],
    ids=["works", "answers with the key", "fails with the key", "refuses the key", "judges with the key"],
)
def test_the_key_is_written_nowhere(
    reply: Callable[[str], Step], shown: str, status: int, tmp_path: Path, data: Path
) -> None:
    judge: list[str] = []
    with ChatServer(reply=reply, key=shown) as server:
        if reply is judges_and_repeats:
            judge = ["judge=llm", f"judge.base_url={server.url}", f"judge.model={MODEL}"]
        done = run(tmp_path, server, data, "tracking=mlflow", "generate.retries=0", *judge)
    assert done.status == status, done.said
    files = written(tmp_path)
    assert any(path.name == "mlflow.db" for path in files)
    assert status or any("responses" in path.parts for path in files)
    for form in forms(KEY):
        assert form not in done.said.encode()
        assert [path for path in files if form in path.read_bytes()] == []


def test_a_key_given_as_a_setting_is_refused_and_not_repeated(tmp_path: Path, data: Path) -> None:
    with ChatServer() as server:
        said = [
            run(tmp_path, server, data, f"generate.api_key_env={KEY}").said,
            run(tmp_path, server, data, f"+generate.api_key={KEY}").said,
            run(tmp_path, server, data, f"+generate.extra_body.api_key={KEY}").said,
            run(tmp_path, server, data, f"generate.base_url=http://me:{quote(KEY, safe='')}@127.0.0.1/v1").said,
        ]
        assert server.n == 0
    for text in said:
        assert "found" in text
        assert not any(form in text.encode() for form in forms(KEY)[1:])
    assert not any(form in path.read_bytes() for path in written(tmp_path) for form in forms(KEY))


def test_a_run_without_a_server_loads_neither_the_client_nor_torch(data: Path, tmp_path: Path) -> None:
    script = (
        "import sys; from rag_ablation.cli import main; "
        f"main({['run', *whole(data), 'variant=bm25', 'generate=extractive', 'judge=rules', 'tracking=files', 'latency=none']!r}); "
        "print([name for name in ('openai', 'torch', 'transformers') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True, text=True, check=True,
        env={**__import__("tests.e2e.program", fromlist=["environment"]).environment(tmp_path)},
    )  # fmt: skip
    assert done.stdout.strip().endswith("[]")
