"""How a server of chat models is asked: the settings that every stage with such a model has."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from rag_ablation.core.errors import ModelError
from rag_ablation.core.secrets import is_secret_name, masked_text
from rag_ablation.stages.base import check_choice, check_whole_number

Structured = Literal["json_schema", "json_object", "none"]

LIBRARIES = ("openai",)
DEFAULT_SERVER = "https://api.openai.com/v1"
SERVER_VARIABLE = "OPENAI_BASE_URL"
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
NO_KEY = "EMPTY"
PRICED = ("prompt", "completion")
PER = 1_000_000
A_SERVER = "an http or https address without user, password, query and fragment, such as http://127.0.0.1:8000/v1"
OWN = frozenset({"model", "messages", "stream", "n", "temperature", "max_tokens", "seed", "top_p", "response_format"})


class Key(NamedTuple):
    """What a server is shown.

    Args:
        value: sent with every request.
        secret: whether it came from the environment, so that it is written nowhere.
    """

    value: str
    secret: bool


@dataclass(frozen=True, kw_only=True)
class ChatSettings:
    """How a server is asked.

    Args:
        model: name that the server knows it by.
        base_url: address of the server; None for what `OPENAI_BASE_URL` says, else that of OpenAI.
        temperature: 0 for the most likely words; None leaves it to the server, as with the next three.
        max_tokens: most tokens of a reply.
        seed: of the server's sampling.
        top_p: share of the likeliest words that are drawn from.
        extra_body: further parameters of a request, sent as they are.
        structured: form of reply that the server is held to: `json_schema`, `json_object`, or `none`.
        concurrency: requests under way at a time.
        timeout_s: seconds without a sign of the server after which a request is given up.
        retries: further attempts after a time-out, a cut connection, 429 and 5xx, with growing pauses.
        max_requests: most attempts of one run, retries among them; None for no limit.
        max_cost: most that one run spends, in `currency`; None for no limit.
        prices: of a million tokens, `prompt` and `completion`; without them nothing has a cost.
        currency: of the prices.
        api_key_env: name of the environment variable that holds the key; where it is not set, a server of one's own
            is asked without one.
    """

    model: str
    base_url: str | None = None
    temperature: float | None = 0.0
    max_tokens: int | None = 512
    seed: int | None = 0
    top_p: float | None = None
    extra_body: Mapping[str, object] = field(default_factory=dict)
    structured: Structured = "json_schema"
    concurrency: int = 4
    timeout_s: float = 60.0
    retries: int = 4
    max_requests: int | None = None
    max_cost: float | None = None
    prices: Mapping[str, float | None] = field(default_factory=dict)
    currency: str = "USD"
    api_key_env: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        """Check values."""
        if not self.model.strip():
            _refuse("model", repr(self.model), "the name of a model")
        if self.base_url is not None and not is_server(self.base_url):
            _refuse("base_url", "an address of another form", A_SERVER)
        check_choice("structured", self.structured, get_args(Structured))
        _check_number("temperature", self.temperature, 0, 2)
        _check_number("top_p", self.top_p, 0, 1)
        _check_number("max_cost", self.max_cost, 0)
        _check_number("timeout_s", self.timeout_s, 0.001)
        for name, least in (("max_tokens", 1), ("max_requests", 1)):
            if getattr(self, name) is not None:
                check_whole_number(name, getattr(self, name), least)
        check_whole_number("concurrency", self.concurrency)
        check_whole_number("retries", self.retries, 0)
        if not VARIABLE.fullmatch(self.api_key_env):
            _refuse("api_key_env", "something else", "the name of an environment variable, such as OPENAI_API_KEY")
        self._check_extra()
        self._check_prices()

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions that ask."""
        return LIBRARIES

    @property
    def server(self) -> str:
        """Address that is asked, without a slash at its end.

        Raises:
            ModelError: the environment names none that can be used.
        """
        given = self.base_url or os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER
        if not is_server(given):
            message = f"{SERVER_VARIABLE}: found an address of another form, expected {A_SERVER}"
            raise ModelError(message)
        return given.rstrip("/")

    @property
    def price_of(self) -> Mapping[str, float]:
        """Prices of a million tokens; empty where there are none."""
        found = {name: price for name, price in self.prices.items() if price is not None}
        return found if len(found) == len(PRICED) else {}

    @property
    def longest_reply(self) -> int | None:
        """Most tokens of a reply, None where nothing limits them."""
        other = self.extra_body.get("max_completion_tokens")
        return self.max_tokens if other is None else int(str(other))

    def key(self) -> Key:
        """The key of the environment.

        Raises:
            ModelError: there is none and the server is not one's own, or it cannot be a key.
        """
        value = os.environ.get(self.api_key_env, "").strip()
        if not value and self.base_url is None:
            message = f"the environment variable {self.api_key_env} is not set; it holds the key of {self.server}"
            raise ModelError(message)
        if any(not 33 <= ord(character) <= 126 for character in value):
            message = f"the environment variable {self.api_key_env} holds a text that cannot be a key"
            raise ModelError(message)
        return Key(value, secret=True) if value else Key(NO_KEY, secret=False)

    def parameters(self, response_format: Mapping[str, object] | None) -> dict[str, object]:
        """What a request says beside model and messages."""
        own = {
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "seed": self.seed,
            "top_p": self.top_p,
            "response_format": response_format,
        }
        return {**{name: value for name, value in own.items() if value is not None}, **self.extra_body}

    def cost(self, tokens: Mapping[str, int]) -> float | None:
        """What tokens cost, None where prices or counts are missing."""
        prices = self.price_of
        if not prices or not all(name in tokens for name in PRICED):
            return None
        return math.fsum(prices[name] * tokens[name] / PER for name in PRICED)

    def _check_extra(self) -> None:
        for name in _names_in(self.extra_body):
            if is_secret_name(name):
                _refuse("extra_body", "a parameter that looks like a secret", "none: keys come from the environment")
        for name in self.extra_body:
            if name in OWN:
                _refuse("extra_body", repr(name), "parameters that are no settings of their own, and no messages")
        other = self.extra_body.get("max_completion_tokens")
        if other is not None:
            check_whole_number("extra_body.max_completion_tokens", other)

    def _check_prices(self) -> None:
        given = [price for price in self.prices.values() if price is not None]
        if not set(self.prices) <= set(PRICED) or not all(0 <= price < math.inf for price in given):
            _refuse("prices", repr(dict(self.prices)), "prompt and completion, each a price of a million tokens")
        if len(given) == 1:
            _refuse("prices", repr(dict(self.prices)), "both prompt and completion, or neither")
        if self.max_cost is not None and not (self.price_of and self.longest_reply):
            _refuse("max_cost", str(self.max_cost), "null, or prices and max_tokens: without them no cost is known")


def is_server(address: str) -> bool:
    """Whether an address names a server and nothing that could be a secret."""
    try:
        parts = urlsplit(address)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    plain = "@" not in address and "?" not in address and "#" not in address and not re.search(r"\s", address)
    return parts.scheme in ("http", "https") and named and plain and masked_text(address) == address


def _names_in(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return [name for key, inner in value.items() for name in (str(key), *_names_in(inner))]
    return [name for inner in value for name in _names_in(inner)] if isinstance(value, list | tuple) else []


def _check_number(name: str, value: float | None, least: float, most: float = math.inf) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not (least <= value <= most and math.isfinite(value)):
        _refuse(name, repr(value), f"a number from {least:g}" + ("" if math.isinf(most) else f" to {most:g}"))


def _refuse(name: str, found: str, expected: str) -> None:
    message = f"{name}: found {found}, expected {expected}"
    raise ValueError(message)
