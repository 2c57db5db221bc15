"""One server of chat models, asked through the official client of the package `openai`."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rag_ablation.core.digest import canonical_json
from rag_ablation.core.errors import ModelError
from rag_ablation.stages._chat_errors import Asked, Unanswered, scrubber, understood
from rag_ablation.stages._chat_meter import Meter, Stopped
from rag_ablation.stages._chat_settings import ChatSettings
from rag_ablation.stages.base import Response

EXTRA = 'asking a server needs the package openai: pip install "rag-ablation[openai]"'
COUNTED = {"prompt": "prompt_tokens", "completion": "completion_tokens"}
NO_FORM = "the server's reply is no chat completion"


class Client:
    """Asks, with retries; nothing is made ready before the first request, so kept responses need no key and no network.

    Args:
        settings: how to ask.
        slot: whose stage asks.
        meter: told of every attempt.
    """

    def __init__(self, settings: ChatSettings, slot: str, meter: Meter) -> None:
        """Remember how to ask."""
        self.settings = settings
        self.slot = slot
        self.meter = meter
        self._lock = threading.Lock()
        self._made: tuple[Any, Callable[[str], str]] | None = None

    def ask(self, messages: Sequence[Mapping[str, str]], parameters: Mapping[str, object]) -> Response:
        """The reply to one request, as it is kept.

        Args:
            messages: what is said.
            parameters: what else the request holds.

        Raises:
            Unanswered: there is no reply to this one.
            Stopped: nothing more is asked.
            ModelError: no request can be answered.
            StageError: no further request can be answered.
        """
        self.meter.begin(len(canonical_json([self.settings.model, list(messages), dict(parameters)]).encode()))
        client, scrub = self._ready()
        try:
            raw = client.chat.completions.with_raw_response.create(
                model=self.settings.model, messages=list(messages), extra_body=dict(parameters)
            )
            response = _response(raw.http_response.content, scrub)
            self.meter.paid(self.settings.cost(tokens_of(response)))
        except (Stopped, Unanswered):
            raise
        except Exception as error:  # whatever it is, its text and its chain may hold the key
            raise understood(error, Asked(self.settings, self.slot, self.meter.attempts, scrub)) from None
        finally:
            self.meter.end()
        return response

    def close(self) -> None:
        """Let go of connections."""
        if self._made is not None:
            self._made[0].close()

    def _ready(self) -> tuple[Any, Callable[[str], str]]:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> tuple[Any, Callable[[str], str]]:
        try:
            import openai  # noqa: PLC0415 - heavy, and of an extra
        except ImportError as error:
            raise ModelError(EXTRA) from error
        key = self.settings.key()
        http = openai.DefaultHttpxClient(
            timeout=self.settings.timeout_s,
            event_hooks={"request": [self.meter.before], "response": [self.meter.after]},
        )
        client = openai.OpenAI(
            api_key=key.value,
            base_url=self.settings.server,
            timeout=self.settings.timeout_s,
            max_retries=self.settings.retries,
            http_client=http,
        )
        return client, scrubber(key)


def tokens_of(response: Response) -> dict[str, int]:
    """Tokens that the server counted, `prompt` and `completion`."""
    return {name: value for name in COUNTED if isinstance(value := response.get(f"{name}_tokens"), int)}


def _response(content: bytes, scrub: Callable[[str], str]) -> Response:
    """What is kept of a reply: never the request, and no key that a server may repeat.

    Raises:
        Unanswered: it is no chat completion.
    """
    body = _object(content)
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        raise Unanswered(f"{NO_FORM}: it has no message")
    text, refusal = message.get("content"), message.get("refusal")
    if not isinstance(text, str | None) or not isinstance(refusal, str | None):
        raise Unanswered(f"{NO_FORM}: its message is no text")
    usage = body.get("usage")
    counts = usage if isinstance(usage, Mapping) else {}

    def word(value: object) -> str | None:
        return scrub(value) if isinstance(value, str) else None

    return {
        "text": scrub(text or ""),
        "refusal": word(refusal),
        "finish": word(choice.get("finish_reason")),
        **{f"{name}_tokens": _count(counts.get(theirs)) for name, theirs in COUNTED.items()},
        "model": word(body.get("model")),
        "system_fingerprint": word(body.get("system_fingerprint")),
    }


def _object(content: bytes) -> Mapping[str, object]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise Unanswered("the server's reply is no JSON") from None
    if not isinstance(body, Mapping):
        raise Unanswered(f"{NO_FORM}: it is no object")
    return body


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
