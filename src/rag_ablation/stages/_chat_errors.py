"""What can go wrong with a request, in a person's words; no key is among them."""

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from rag_ablation.core.errors import ModelError, StageError
from rag_ablation.core.secrets import MASK, masked_text
from rag_ablation.stages._chat_settings import ChatSettings, Key
from rag_ablation.stages._prompting import encodable

NEVER_REACHED = frozenset(
    {"ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol", "LocalProtocolError", "SSLError"}
)
TOO_LONG = ("context_length", "context length", "maximum context", "context size", "context window", "too long")
FILTERED = "content_filter"
NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached")
MOST_SHOWN = 300


class Unanswered(Exception):  # noqa: N818 - it reads as what happened
    """There is no reply to one request; the others go on.

    Args:
        reason: why.
        refused: whether the provider declined to pass it to its model.
    """

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.refused = refused


class Asked(NamedTuple):
    """What is known of a request that failed.

    Args:
        settings: how it was asked.
        slot: whose stage asked.
        attempts: how often it was tried.
        scrub: takes the key out of a text.
    """

    settings: ChatSettings
    slot: str
    attempts: int
    scrub: Callable[[str], str]

    @property
    def tries(self) -> str:
        """`after 3 attempts`, in words that fit a sentence."""
        return f"after {self.attempts} attempt" + ("" if self.attempts == 1 else "s")


def scrubber(key: Key) -> Callable[[str], str]:
    """Takes a key out of a text, as it is and as URLs and JSON write it."""
    forms = {key.value, quote(key.value, safe=""), json.dumps(key.value)[1:-1]} if key.secret else set()

    def scrub(text: str) -> str:
        for form in sorted(forms, key=len, reverse=True):
            text = text.replace(form, MASK)
        return encodable(text)

    return scrub


def understood(error: Exception, asked: Asked) -> Exception:
    """What an exception of the client means: `Unanswered` for one request, else what ends all of them.

    Args:
        error: as raised.
        asked: what was asked.
    """
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _by_status(status, error, asked)
    cause = error.__cause__ or error
    kind = type(cause).__name__
    if kind in NEVER_REACHED:
        said = _short(f"{kind}: {cause}", asked.scrub)
        return ModelError(f"the server {asked.settings.server} cannot be reached, {asked.tries}: {said}")
    if "Timeout" in kind:
        return Unanswered(f"no reply within {asked.settings.timeout_s:g} s, {asked.tries}")
    return Unanswered(f"the connection was cut, {asked.tries}: {_short(kind, asked.scrub)}")


def _by_status(status: int, error: Exception, asked: Asked) -> Exception:
    code = str(getattr(error, "code", None) or "")
    said = _short(_words(error), asked.scrub)
    if FILTERED in code:
        return Unanswered(f"the provider's filter declined the question ({status}): {said}", refused=True)
    ends_all = _ends_all(status, code, said, asked)
    if ends_all is not None:
        return ends_all
    if status in (400, 413, 422) and any(sign in f"{code} {said}".lower() for sign in TOO_LONG):
        reason = f"the context is too long for the model ({status})"
    elif status >= 500:
        reason = f"the server failed ({status}), {asked.tries}"
    else:
        reason = f"the server refused the request ({status})"
    return Unanswered(f"{reason}: {said}")


def _ends_all(status: int, code: str, said: str, asked: Asked) -> Exception | None:
    """What no further request can do better; None for what concerns one request."""
    settings = asked.settings
    if status in (401, 403):
        variable = settings.api_key_env
        shown = (
            f"the key of {variable}"
            if settings.key().secret
            else f"a request without a key, since {variable} is not set"
        )
        return ModelError(f"the server {settings.server} refuses {shown} ({status}): {said}")
    if status == 404:
        what = f"does not know the model {settings.model!r}, or has nothing at this address"
        return ModelError(f"the server {settings.server} {what} (404): {said}")
    if status == 402 or code in NO_MONEY:
        return StageError(asked.slot, f"the account at {settings.server} has nothing left to spend ({status}): {said}")
    if status == 429:
        told = f"the server takes no more requests (429), {asked.tries}: {said}"
        return StageError(asked.slot, f"{told}; lower {asked.slot}.concurrency or raise {asked.slot}.retries")
    return None


def _words(error: Exception) -> str:
    """What the server said, in its own words."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        said = inner.get("message") if isinstance(inner, Mapping) else inner
        return str(said or "nothing")
    return str(body or "nothing")


def _short(text: str, scrub: Callable[[str], str]) -> str:
    """On one line, without secrets, and only then cut."""
    text = " ".join(masked_text(scrub(text)).split())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
