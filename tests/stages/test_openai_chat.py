"""The generator `openai` against a server on loopback: one question, one marker, one thing that happens."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from rag_ablation.core.answers import Answer
from rag_ablation.core.errors import ModelError, StageError
from rag_ablation.experiment.store import StageStore
from rag_ablation.stages.answering import Generated, Reading
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.openai_chat import OpenAIGenerator
from tests.builders import passages, queries
from tests.chat_server import MODEL, ChatServer, Step, answers, cut, error, garbled, hangs, says
from tests.paths import ROOT

KEY = "sk-EXAMPLE+not/a-real-key"
PRICES = {"prompt": 2.0, "completion": 30.0}
COST = (100 * 2.0 + 10 * 30.0) / 1_000_000
PAUSES: list[float] = []


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key, no proxy between here and loopback, and pauses that are noted, not waited for."""
    for name in ("OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    PAUSES.clear()
    clock = SimpleNamespace(sleep=PAUSES.append, time=time.time)
    monkeypatch.setattr("openai._base_client.time", clock)


@pytest.fixture
def store(tmp_path: Path) -> StageStore:
    return StageStore(tmp_path / "store")


def prompt(name: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = yaml.safe_load((ROOT / "conf" / "prompt" / f"{name}.yaml").read_text())
    return found


def generator(server: ChatServer | str, **changes: object) -> OpenAIGenerator:
    url = server if isinstance(server, str) else server.url
    given = {"model": MODEL, "base_url": url, "timeout_s": 5.0, "retries": 2, **changes}
    prompts = {"prompt": prompt("answer"), "closed_book_prompt": prompt("closed_book")}
    return OpenAIGenerator(**{**prompts, **given})  # type: ignore[arg-type]


def reading(*texts: str, contexts: Mapping[int, tuple[int, ...]] | None = None) -> Reading:
    shown = tuple((contexts or {}).get(row, (0, 1)) for row in range(len(texts)))
    return Reading(
        queries=queries({f"q{row:03}": text for row, text in enumerate(texts)}),
        contexts=shown,
        passages=passages({"a": "rule one", "b": "rule two"}),
        language="en",
    )


def one(step: Step, *more: Step, **changes: object) -> tuple[Answer, Generated, int]:
    """The answer to a question that gets these steps, beside one that is answered well."""
    with ChatServer({"marked": [step, *more]}) as server:
        found = generator(server, **changes).generate(reading("marked", "plain"), NoCache())
        assert found.answers[1].text == "yes"
        return found.answers[0], found, server.asked("marked")


def test_a_good_reply_is_an_answer_with_its_passages_its_tokens_and_its_cost() -> None:
    answer, found, asked = one(answers("120 km", [2, 1, 2]), prices=PRICES)
    assert (answer.text, answer.cited, answer.finish, answer.refused) == ("120 km", ("b", "a"), "stop", False)
    assert (answer.tokens, answer.cost) == ({"prompt": 100, "completion": 10}, pytest.approx(COST))
    assert "user:\n[1] rule one\n\n[2] rule two\n\nQuestion: marked" in answer.prompt
    assert asked == 1
    assert found.facts["models_reported"] == [f"{MODEL}-2026-01-01"]
    assert found.facts["system_fingerprints"] == ["fp_1"]
    assert found.facts["cost"] == found.facts["spent"] == pytest.approx(2 * COST)


@pytest.mark.parametrize(
    ("steps", "attempts"),
    [
        ([error(429, "slow down"), answers("ok")], 2),
        ([error(500, "oops"), error(503, "busy"), answers("ok")], 3),
        ([cut(), answers("ok")], 2),
        ([hangs(3), answers("ok")], 2),
    ],
    ids=["429", "5xx", "cut", "time-out"],
)
def test_what_passes_is_tried_again(steps: list[Step], attempts: int) -> None:
    answer, found, asked = one(*steps, timeout_s=0.5)
    assert answer.text == "ok"
    assert asked == attempts
    assert found.facts["n_requests"] == attempts + 1
    assert found.facts["n_retries"] == attempts - 1


def test_a_server_that_says_when_to_come_back_is_believed() -> None:
    answer, _, _ = one(error(429, "slow down", Retry_After="17"), answers("ok"))
    assert answer.text == "ok"
    assert PAUSES == [17.0]


def test_pauses_grow_and_are_not_all_alike() -> None:
    one(*[error(500, "oops")] * 4, answers("ok"), retries=4)
    shares = [pause / longest for pause, longest in zip(PAUSES, (0.5, 1, 2, 4), strict=True)]
    assert all(0.75 <= share <= 1 for share in shares)
    assert len(set(shares)) == 4


@pytest.mark.parametrize(
    ("step", "reason", "attempts"),
    [
        (error(500, "oops"), "the server failed (500), after 3 attempts: oops", 3),
        (hangs(3), "no reply within 0.5 s, after 3 attempts", 3),
        (cut(), "the connection was cut, after 3 attempts: RemoteProtocolError", 3),
        (garbled(), "the server's reply is no JSON", 1),
        (Step(body=b"[1]"), "the server's reply is no chat completion: it is no object", 1),
        (Step(body=b'{"choices": []}'), "the server's reply is no chat completion: it has no message", 1),
        (Step(body=b"\xff\xfe"), "the server's reply is no JSON", 1),
        (Step(body=b"[" * 100_000), "the server's reply is no JSON", 1),
        (Step(status=502, body=b"<html>Bad\n gateway</html>"), "the server failed (502), after 3 attempts: <html>Bad gateway</html>", 3),
        (
            error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
            "the context is too long for the model (400): This model's maximum context length is 8192 tokens.",
            1,
        ),
        (error(400, "logit_bias is wrong"), "the server refused the request (400): logit_bias is wrong", 1),
        (says(""), "the answer is empty", 1),
        (says(None), "the answer is empty", 1),
        (says('{"answer": "", "citations": [], "refused": false}'), "the reply is empty", 1),
        (says('{"answer": "ye', finish="length"), "the answer was cut off at 512 tokens", 1),
        (says("Sure! {}"), "the reply is no JSON object: 'Sure! {}'", 1),
        (answers("x", [3]), "the reply cites 3, expected numbers from 1 to 2", 1),
    ],
)  # fmt: skip
def test_what_fails_is_a_failed_answer_with_a_reason_and_the_others_go_on(
    step: Step, reason: str, attempts: int
) -> None:
    answer, found, asked = one(step, timeout_s=0.5)
    assert answer.failed
    assert (answer.error, answer.finish, answer.cited) == (reason, "error", ())
    assert found.facts["n_failed"] == 1
    assert asked == attempts


@pytest.mark.parametrize(
    "step",
    [
        says(None, refusal="I cannot help with that."),
        says("", finish="content_filter"),
        error(400, "filtered", "content_filter"),
        answers("", [], refused=True),
    ],
)
def test_a_provider_that_declines_and_a_model_that_does_are_refusals(step: Step) -> None:
    answer, _, _ = one(step)
    assert (answer.refused, answer.failed) == (True, False)


def test_half_characters_in_questions_and_replies_harm_nothing(store: StageStore) -> None:
    with ChatServer(reply=lambda _: answers("a \ud800 b")) as server:
        found = generator(server).generate(reading("half \udfff"), store)
    assert found.answers[0].text == "a \ufffd b"


@pytest.mark.parametrize(
    ("server", "changes", "said"),
    [
        (ChatServer(key="another"), {}, "refuses the key of OPENAI_API_KEY (401)"),
        (ChatServer(key="another"), {"api_key_env": "NOT_SET"}, "refuses a request without a key, since NOT_SET is not set"),
        (ChatServer(), {"model": "gpt-9"}, "does not know the model 'gpt-9', or has nothing at this address (404)"),
        (ChatServer(reply=lambda _: error(403, "no")), {}, "refuses the key of OPENAI_API_KEY (403): no"),
        (ChatServer(reply=lambda _: error(429, "pay", "insufficient_quota")), {"retries": 0}, "has nothing left to spend (429): pay"),
        (ChatServer(reply=lambda _: error(429, "slow down")), {"retries": 0}, "takes no more requests (429), after 1 attempt: slow down; lower generate.concurrency or raise"),
        (ChatServer(reply=lambda _: error(402, "pay")), {}, "has nothing left to spend (402): pay"),
        (ChatServer(reply=lambda _: error(400, "no schemas here")), {}, "no answer to any of 20 questions; the first: the server refused the request (400): no schemas here"),
    ],
)  # fmt: skip
def test_what_no_question_can_pass_ends_the_arm(server: ChatServer, changes: dict[str, object], said: str) -> None:
    with server, pytest.raises((ModelError, StageError)) as caught:
        generator(server, concurrency=2, **changes).generate(reading(*map(str, range(20))), NoCache())
    assert said in str(caught.value)
    assert KEY not in str(caught.value)
    assert server.n <= 2 or "any of" in said


def test_a_server_that_cannot_be_reached_ends_the_arm() -> None:
    with ChatServer() as server:
        url = server.url
    start = time.perf_counter()
    with pytest.raises(ModelError, match="cannot be reached, after 3 attempts: ConnectError"):
        generator(url).generate(reading(*"abcdefgh"), NoCache())
    assert time.perf_counter() - start < 5


def test_a_server_that_takes_no_more_is_no_failure_of_a_question(store: StageStore) -> None:
    """What it would have said is not known, so the arm stops, and goes on from there."""
    with ChatServer({"marked": [error(429, "come back tomorrow", Retry_After="86400"), answers("ok")]}) as server:
        settings = generator(server, concurrency=1)
        with pytest.raises(StageError, match=r"after 1 attempt: come back tomorrow;.*; 2 of 4 questions are answered"):
            settings.generate(reading("a", "b", "marked", "d"), store)
        assert settings.generate(reading("a", "b", "marked", "d"), store).answers[2].text == "ok"
    assert server.n == 5


def test_a_server_that_goes_away_ends_the_arm_and_what_it_answered_is_kept(store: StageStore) -> None:
    texts = list(map(str, range(12)))
    server = ChatServer(reply=lambda said: Step(cut=True, body=b"") if said.endswith("5") else answers("yes"))

    def leaves(said: str) -> Step:
        if said.endswith("5"):
            server._http.socket.close()
            return error(500, "bye", Connection="close")
        return answers("yes")

    server.reply = leaves
    with server, pytest.raises(ModelError, match=r"cannot be reached.*; 5 of 12 questions are answered, 0 of them"):
        generator(server, concurrency=1).generate(reading(*texts), store)


def test_without_a_key_openai_itself_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    made = generator("http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match=r"OPENAI_API_KEY is not set; it holds the key of https://api\.openai"):
        OpenAIGenerator(model="m", prompt=made.prompt, closed_book_prompt=made.closed_book_prompt).generate(
            reading("a"), NoCache()
        )


@pytest.mark.parametrize("value", ["sk-a b", "sk-\u2026", "sk-a\x00"])
def test_a_text_that_cannot_be_a_key_is_refused_without_being_shown(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "\x00" in value:
        monkeypatch.setattr("os.environ", {"OPENAI_API_KEY": value})
    else:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(ModelError, match="holds a text that cannot be a key") as caught:
        generator("http://127.0.0.1:9/v1").generate(reading("a"), NoCache())
    assert "sk-" not in str(caught.value)


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(ModelError, match=r'pip install "rag-ablation\[openai\]"'):
        generator("http://127.0.0.1:9/v1").generate(reading("a"), NoCache())


def test_a_server_of_ones_own_is_asked_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with ChatServer(key="EMPTY") as server:
        assert generator(server).generate(reading("a"), NoCache()).answers[0].text == "yes"


def test_answers_stand_with_their_questions_whichever_comes_first() -> None:
    texts = [f"number {row:02}." for row in range(30)]

    def late(said: str) -> Step:
        number = int(said[-3:-1])
        return answers(f"answer {number}", delay_s=0.1 if number % 5 == 0 else 0.0)

    with ChatServer(reply=late) as server:
        found = generator(server, concurrency=7).generate(reading(*texts), NoCache())
        assert server.most_at_once <= 7
    assert [answer.text for answer in found.answers] == [f"answer {row}" for row in range(30)]


def test_at_most_as_many_requests_as_allowed_are_under_way_and_no_fewer() -> None:
    with ChatServer(reply=lambda _: answers("yes", delay_s=0.1)) as server:
        generator(server, concurrency=3).generate(reading(*map(str, range(12))), NoCache())
    assert server.most_at_once == 3


def test_what_was_answered_is_not_asked_again_and_costs_what_it_did(store: StageStore) -> None:
    with ChatServer() as server:
        first = generator(server, prices=PRICES).generate(reading(*"abc"), store)
        again = generator(server, prices=PRICES, concurrency=1, retries=0).generate(reading(*"abcd"), store)
    assert server.n == 4
    assert again.answers[:3] == first.answers
    assert (again.facts["n_requests"], again.facts["n_from_store"]) == (1, 3)
    assert again.facts["cost"] == pytest.approx(4 * COST)
    assert again.facts["spent"] == pytest.approx(COST)


def test_kept_answers_need_no_server_no_key_and_no_package(store: StageStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        first = generator(server).generate(reading(*"abc"), store)
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    assert generator(server).generate(reading(*"abc"), store).answers == first.answers


def test_another_price_table_asks_nothing_again(store: StageStore) -> None:
    with ChatServer() as server:
        generator(server).generate(reading("a"), store)
        dear = generator(server, prices={"prompt": 20.0, "completion": 300.0}).generate(reading("a"), store)
        assert server.n == 1
    assert dear.answers[0].cost == pytest.approx(10 * COST)


@pytest.mark.parametrize(
    "changes",
    [{"temperature": 0.5}, {"seed": 1}, {"max_tokens": 9}, {"top_p": 0.5}, {"structured": "none"}, {"extra_body": {"top_k": 1}}],
)  # fmt: skip
def test_another_parameter_is_another_question(changes: dict[str, object], store: StageStore) -> None:
    with ChatServer() as server:
        generator(server).generate(reading("a"), store)
        generator(server, **changes).generate(reading("a"), store)
        assert server.n == 2
        assert server.bodies[0] != server.bodies[1]


def test_the_same_name_on_another_server_is_another_model(store: StageStore) -> None:
    with ChatServer() as server, ChatServer(reply=lambda _: answers("no")) as other:
        generator(server).generate(reading("a"), store)
        assert generator(other).generate(reading("a"), store).answers[0].text == "no"


@pytest.mark.parametrize("step", [error(500, "oops"), error(400, "too long"), garbled(), cut(), hangs(1)])
def test_a_failure_is_not_kept(step: Step, store: StageStore) -> None:
    with ChatServer({"marked": [step, answers("now")]}) as server:
        settings = generator(server, retries=0, timeout_s=0.3)
        assert settings.generate(reading("marked", "b"), store).answers[0].failed
        assert settings.generate(reading("marked", "b"), store).answers[0].text == "now"


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_budget_of_requests_stops_before_the_one_that_would_pass_it(concurrency: int, store: StageStore) -> None:
    texts = [f"number {row:02}." for row in range(20)]
    with ChatServer({"number 03": [error(500, "oops"), answers("yes")]}) as server:
        with pytest.raises(StageError) as caught:
            generator(server, max_requests=8, concurrency=concurrency).generate(reading(*texts), store)
        assert server.n == 8
        assert "generate: generate.max_requests=8 is spent: 7 of 20 questions are answered" in str(caught.value)
        assert "this run made 8 requests" in str(caught.value)
        assert "running again goes on from there: raise generate.max_requests" in str(caught.value)
        found = generator(server, max_requests=13, concurrency=concurrency).generate(reading(*texts), store)
    assert server.n == 21
    assert (found.facts["n_requests"], found.facts["n_from_store"]) == (13, 7)
    assert all(server.asked(text) == 1 + (text == "number 03.") for text in texts)


def test_a_budget_of_money_is_not_passed_and_is_used(store: StageStore) -> None:
    texts = [f"number {row:02}." for row in range(40)]
    budget = 20 * COST
    with ChatServer(reply=lambda _: answers("yes", delay_s=0.02)) as server:
        with pytest.raises(StageError, match=r"generate.max_cost=0.01 is spent: \d+ of 40") as caught:
            generator(server, max_cost=budget, prices=PRICES, max_tokens=50).generate(reading(*texts), store)
        assert server.n * COST <= budget
        assert server.n >= 14
        assert f"and spent {server.n * COST:.6g} USD" in str(caught.value)
        found = generator(server, max_cost=1.0, prices=PRICES, max_tokens=50).generate(reading(*texts), store)
    assert found.facts["cost"] == pytest.approx(40 * COST)
    assert server.n == 40


def test_a_reply_that_never_came_counts_against_the_budget_at_the_most_it_can_have_cost() -> None:
    with ChatServer(reply=lambda _: hangs(2)) as server, pytest.raises(StageError, match="max_cost"):
        generator(server, max_cost=0.01, prices=PRICES, timeout_s=0.2, retries=20, max_tokens=50).generate(
            reading("a"), NoCache()
        )
    assert 1 <= server.n < 10


def test_the_closed_book_has_its_own_prompt_and_an_empty_context_among_others_does_not() -> None:
    with ChatServer(reply=lambda _: answers("yes", [])) as server:
        shut = generator(server).generate(reading("a", "b", contexts={0: (), 1: ()}), NoCache())
        generator(server, concurrency=1).generate(reading("c", "d", contexts={0: ()}), NoCache())
    told = [body["messages"][0]["content"] for body in server.bodies]
    assert ["from what you know" in text for text in told] == [True, True, False, False]
    properties = server.bodies[0]["response_format"]["json_schema"]["schema"]["properties"]
    assert list(properties) == ["answer", "refused"]
    assert shut.facts["closed_book"] is True


def test_the_form_of_the_reply_is_asked_for_as_the_settings_say() -> None:
    sent = []
    for structured in ("json_schema", "json_object", "none"):
        with ChatServer() as server:
            generator(server, structured=structured).generate(reading("a"), NoCache())
        sent.append(server.bodies[0].get("response_format"))
    assert sent[0]["json_schema"]["strict"] is True
    assert sent[0]["json_schema"]["schema"]["additionalProperties"] is False
    assert sent[1:] == [{"type": "json_object"}, None]


def test_a_parameter_that_is_null_is_not_sent() -> None:
    with ChatServer() as server:
        generator(server, temperature=None, seed=None, max_tokens=None).generate(reading("a"), NoCache())
    assert not {"temperature", "seed", "max_tokens", "top_p"} & set(server.bodies[0])


def test_a_key_that_the_server_repeats_is_kept_nowhere(store: StageStore) -> None:
    def repeats(said: str) -> Step:
        if "fails" in said:
            return error(500, f"bad key {KEY} or {json.dumps(KEY)} or Bearer {KEY}")
        return answers(f"your key is {KEY}")

    with ChatServer(reply=repeats, key=KEY) as server:
        found = generator(server, retries=0).generate(reading("fails", "works"), store)
    assert found.answers[1].text == "your key is ***"
    assert KEY not in repr(found)
    written = [path.read_text() for path in store.folder.rglob("*.json")]
    assert len(written) == 1
    assert all(KEY not in text for text in written)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"base_url": "http://me:hush@host/v1"}, "base_url: found an address of another form, expected"),
        ({"base_url": "http://host/v1?key=hush"}, "base_url: found"),
        ({"base_url": "host/v1"}, "base_url: found"),
        ({"base_url": "http://host:port/v1"}, "base_url: found"),
        ({"api_key_env": "sk-hush"}, "api_key_env: found something else, expected the name of an environment variable"),
        ({"api_key_env": "gsk_hush"}, "api_key_env: found something else"),
        ({"extra_body": {"api_key": "hush"}}, "extra_body: found a parameter that looks like a secret"),
        ({"extra_body": {"a": [{"token": "hush"}]}}, "extra_body: found a parameter that looks like a secret"),
        ({"extra_body": {"messages": []}}, "extra_body: found 'messages'"),
        ({"prices": {"prompt": 1.0}}, "prices: found {'prompt': 1.0}, expected both prompt and completion"),
        ({"prices": {"input": 1.0, "completion": 1.0}}, "prices: found"),
        ({"prices": {"prompt": -1.0, "completion": 1.0}}, "prices: found"),
        ({"max_cost": 1.0}, "max_cost: found 1.0, expected null, or prices and max_tokens"),
        ({"max_cost": 1.0, "prices": PRICES, "max_tokens": None}, "max_cost: found"),
        ({"temperature": 3.0}, "temperature: found 3.0, expected a number from 0 to 2"),
        ({"concurrency": 0}, "concurrency: found 0"),
        ({"retries": -1}, "retries: found -1"),
        ({"timeout_s": 0}, "timeout_s: found 0"),
        ({"max_requests": 0}, "max_requests: found 0"),
        ({"structured": "yaml"}, "structured: found 'yaml'"),
        ({"model": " "}, "model: found ' '"),
        ({"prompt": {"en": {"system": "", "user": "{question}"}}}, "prompt: found"),
    ],
)
def test_a_wrong_setting_is_named_and_no_secret_repeated(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match="found") as caught:
        generator("http://127.0.0.1:9/v1", **changes)
    assert str(caught.value).startswith(said)
    assert "hush" not in str(caught.value)


def test_the_servers_address_of_the_environment_is_taken_and_is_part_of_the_identity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        made = generator("http://127.0.0.1:9/v1", base_url=None)
        assert made.fingerprint()["server"] == server.url
        assert made.generate(reading("a"), NoCache()).answers[0].text == "yes"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://me:hush@host/v1")
    with pytest.raises(ModelError) as caught:
        made.fingerprint()
    assert "hush" not in str(caught.value)


def test_one_language_of_the_prompts_is_kept() -> None:
    made = generator("http://127.0.0.1:9/v1")
    assert list(made.resolved("zh-CN").prompt) == ["zh"]
    assert list(made.resolved("fr").closed_book_prompt) == ["en"]
    assert made.resolved("zh").fingerprint()["prompt"] != made.resolved("en").fingerprint()["prompt"]


def test_a_full_disk_stops_the_asking(monkeypatch: pytest.MonkeyPatch, store: StageStore) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rag_ablation.experiment.store.replace_text", full)
    with ChatServer() as server, pytest.raises(OSError, match="No space left"):
        generator(server, concurrency=2).generate(reading(*map(str, range(20))), store)
    assert server.n <= 4
