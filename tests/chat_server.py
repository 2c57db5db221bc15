"""A server on loopback that speaks as OpenAI-compatible servers do, and does what a test tells it.

A step is chosen by a marker in the messages of a request: the first request that holds the marker gets the first step,
the next one the second, and the last step goes on for ever.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

MODEL = "echo-1"


@dataclass(frozen=True)
class Step:
    """What the server does with a request; `body` is sent as it is."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False


def completion(text: str | None, finish: str = "stop", **message: object) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": f"{MODEL}-2026-01-01",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def says(text: str | None, finish: str = "stop", delay_s: float = 0.0, **message: object) -> Step:
    return Step(body=json.dumps(completion(text, finish, **message)).encode(), delay_s=delay_s)


def answers(text: str, citations: Sequence[int] = (1,), *, refused: bool = False, delay_s: float = 0.0) -> Step:
    reply = {"answer": text, "citations": list(citations), "refused": refused}
    return says(json.dumps(reply), delay_s=delay_s)


def error(status: int, message: str, code: str | None = None, **headers: str) -> Step:
    body = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Step(status=status, body=json.dumps(body).encode(), headers=named)


def hangs(seconds: float) -> Step:
    return Step(body=json.dumps(completion("late")).encode(), delay_s=seconds)


def cut() -> Step:
    """Half of a body, and then the connection is closed."""
    return Step(body=json.dumps(completion("a long reply " * 100)).encode(), cut=True)


def garbled() -> Step:
    return Step(body=b'{"choices": [{"message": ')


class ChatServer:
    """Counts every request by the markers that it holds.

    Args:
        script: steps by marker; of several markers in one request the first of the script counts.
        reply: the step of a request that holds no marker, from its last message.
        key: what requests must show, None for anything.
        model: the one that there is.
    """

    def __init__(
        self,
        script: Mapping[str, Sequence[Step]] | None = None,
        reply: Callable[[str], Step] = lambda _: answers("yes"),
        key: str | None = None,
        model: str = MODEL,
    ) -> None:
        self.script, self.reply, self.key, self.model = dict(script or {}), reply, key, model
        self.bodies: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()
        self._over = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_owner = self

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.server_owner.handle(self, body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def n(self) -> int:
        return len(self.bodies)

    def asked(self, text: str) -> int:
        """How many requests had this text in their last message."""
        return sum(text in body["messages"][-1]["content"] for body in list(self.bodies))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def handle(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        with self._lock:
            self.bodies.append(body)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            step = self._step(handler.headers.get("Authorization", ""), handler.path, body)
        try:
            self._over.wait(step.delay_s)
            self._send(handler, step)
        except OSError:
            handler.close_connection = True
        finally:
            with self._lock:
                self.at_once -= 1

    def _step(self, authorization: str, path: str, body: dict[str, Any]) -> Step:
        if self.key is not None and authorization != f"Bearer {self.key}":
            shown = authorization.removeprefix("Bearer ")
            return error(401, f"Incorrect API key provided: {shown}.", "invalid_api_key")
        if not path.endswith("/v1/chat/completions"):
            return error(404, f"Invalid URL (POST {path})")
        if body["model"] != self.model:
            return error(404, f"The model `{body['model']}` does not exist", "model_not_found")
        said = body["messages"][-1]["content"]
        for marker, steps in self.script.items():
            if marker in said:
                self.seen[marker] += 1
                return steps[min(self.seen[marker], len(steps)) - 1]
        return self.reply(said)

    def _send(self, handler: BaseHTTPRequestHandler, step: Step) -> None:
        handler.send_response(step.status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(step.body)))
        for name, value in step.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(step.body[: len(step.body) // 2] if step.cut else step.body)
        handler.wfile.flush()
        handler.close_connection = handler.close_connection or step.cut
