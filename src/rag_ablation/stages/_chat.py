"""Many requests to a server of chat models: side by side, within a budget, each reply kept and asked for once."""

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import NamedTuple

from rag_ablation.core.errors import ModelError, StageError
from rag_ablation.stages._chat_client import Client, tokens_of
from rag_ablation.stages._chat_errors import Unanswered
from rag_ablation.stages._chat_meter import Meter, Stopped
from rag_ablation.stages._chat_settings import ChatSettings
from rag_ablation.stages._prompting import Messages, encodable
from rag_ablation.stages.base import Cache, Response

FILTERED = "content_filter"
CUT_OFF = "length"


class Ask(NamedTuple):
    """One request.

    Args:
        messages: what is said.
        response_format: form that the server holds the reply to, None for no form.
        sample: number of the sample, for stages that ask the same more than once.
    """

    messages: Messages
    response_format: Mapping[str, object] | None = None
    sample: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server said.

    Args:
        text: of the message.
        finish: why it ended, in the server's word.
        refusal: what the provider said instead of a reply, None where it did not decline.
        tokens: `prompt` and `completion`, where the server counts them.
        cost: at the prices of the settings, None where it has none; it is the same whether it was asked or kept.
        model: name that the server gave.
        system_fingerprint: of the server's configuration, where it gives one.
        kept: whether it came from the store.
    """

    text: str
    finish: str
    refusal: str | None = None
    tokens: Mapping[str, int] = field(default_factory=dict)
    cost: float | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    kept: bool = False

    @property
    def declined(self) -> bool:
        """Whether the provider, not the model's answer, says no."""
        return bool(self.refusal) or self.finish == FILTERED


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReply:
    """Why there is none.

    Args:
        reason: in a person's words.
        declined: whether the provider declined the request.
    """

    reason: str
    declined: bool = False


class Conversation(NamedTuple):
    """What became of all requests.

    Args:
        outcomes: one for each request, in their order.
        facts: counts and settings in force, JSON values only.
    """

    outcomes: tuple[Reply | NoReply, ...]
    facts: Mapping[str, object]


class _Told(NamedTuple):
    """How far a slot came, and its words for it."""

    slot: str
    n_done: int
    n: int
    of: str
    done: str


def converse(
    settings: ChatSettings,
    asks: Sequence[Ask],
    cache: Cache,
    *,
    slot: str,
    of: str = "questions",
    done: str = "answered",
) -> Conversation:
    """Ask everything, from the store where it was asked before.

    Args:
        settings: how to ask.
        asks: what.
        cache: where replies are kept; an error never is.
        slot: of the stage that asks.
        of: what is counted when a budget stops it.
        done: what they are when there is a reply.

    Returns:
        A reply, or why there is none, for each; which of them came first changes nothing.

    Raises:
        StageError: a budget is spent, the server is gone or says that it will not go on.
        ModelError: server, key or model cannot be had.
    """
    meter = Meter(settings)
    found = tuple(one for one in _side_by_side(Client(settings, slot, meter), asks, cache) if one is not None)
    facts = _facts(settings, meter, found)
    if meter.stopped is not None:
        n_done = sum(isinstance(one, Reply) for one in found)
        raise _stopped(meter.stopped, facts, settings, _Told(slot, n_done, len(asks), of, done))
    return Conversation(found, facts)


def formatted(settings: ChatSettings, name: str, schema: Mapping[str, object]) -> Mapping[str, object] | None:
    """`response_format` of a request that asks for an object of this schema.

    Args:
        settings: say how strictly the server is to hold the model to it.
        name: of the schema.
        schema: JSON Schema of an object, all of whose properties are required.
    """
    if settings.structured == "none":
        return None
    if settings.structured == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": dict(schema)}}


def strict_object(properties: Mapping[str, object]) -> dict[str, object]:
    """JSON Schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _side_by_side(client: Client, asks: Sequence[Ask], cache: Cache) -> list[Reply | NoReply | None]:
    """What became of each request, in their order; what is under way is paid for, so its reply is waited for."""
    pool = ThreadPoolExecutor(max_workers=client.settings.concurrency, thread_name_prefix=f"chat-{client.slot}")
    try:
        futures = [pool.submit(_outcome, client, ask, cache) for ask in asks]
        return [future.result() for future in futures]
    except BaseException as error:
        client.meter.stop(error if isinstance(error, Exception) else "interrupted")
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        client.close()


def _outcome(client: Client, ask: Ask, cache: Cache) -> Reply | NoReply | None:
    """What became of one request; None where it was not made because asking has stopped."""
    settings, asked = client.settings, False
    messages = [{name: encodable(text) for name, text in one.items()} for one in ask.messages]
    parameters = settings.parameters(ask.response_format)
    key = {
        "what": "chat",
        "server": settings.server,
        "model": settings.model,
        "messages": messages,
        "parameters": parameters,
        "sample": ask.sample,
    }

    def request() -> Response:
        nonlocal asked
        asked = True
        return client.ask(messages, parameters)

    try:
        return _reply(cache.response(key, request), settings, kept=not asked)
    except Unanswered as error:
        return NoReply(reason=error.reason, declined=error.refused)
    except Stopped:
        return None
    except (ModelError, StageError) as error:
        client.meter.stop(error)
        return None
    except Exception as error:
        client.meter.stop(error)
        raise


def _reply(response: Response, settings: ChatSettings, *, kept: bool) -> Reply:
    tokens = tokens_of(response)

    def word(name: str) -> str | None:
        value = response.get(name)
        return None if value is None else str(value)

    return Reply(
        text=word("text") or "",
        finish=word("finish") or "stop",
        refusal=word("refusal"),
        tokens=tokens,
        cost=settings.cost(tokens),
        model=word("model"),
        system_fingerprint=word("system_fingerprint"),
        kept=kept,
    )


def _facts(settings: ChatSettings, meter: Meter, outcomes: Sequence[Reply | NoReply]) -> dict[str, object]:
    replies = [one for one in outcomes if isinstance(one, Reply)]
    costs = [one.cost for one in replies if one.cost is not None]
    new = [one.cost for one in replies if one.cost is not None and not one.kept]
    priced = bool(settings.price_of)
    return {
        "model": settings.model,
        "server": settings.server,
        "models_reported": sorted({one.model for one in replies if one.model is not None}),
        "system_fingerprints": sorted({one.system_fingerprint for one in replies if one.system_fingerprint}),
        "n_requests": meter.n_requests,
        "n_retries": meter.n_retries,
        "n_from_store": sum(one.kept for one in replies),
        "n_lost": meter.n_lost,
        "cost": math.fsum(costs) if priced else None,
        "spent": math.fsum(new) if priced else None,
        "currency": settings.currency if priced else None,
        "prices": dict(settings.price_of),
        "max_requests": settings.max_requests,
        "max_cost": settings.max_cost,
        "concurrency": settings.concurrency,
        "timeout_s": settings.timeout_s,
        "retries": settings.retries,
    }


def _stopped(why: str | Exception, facts: Mapping[str, object], settings: ChatSettings, told: _Told) -> Exception:
    """What a person is told: how far it came, what it took, what is kept, what to do."""
    if not told.n_done and isinstance(why, Exception):
        return why
    spent = "" if facts["spent"] is None else f" and spent {facts['spent']:.6g} {settings.currency}"
    so_far = (
        f"{told.n_done} of {told.n} {told.of} are {told.done}, {facts['n_from_store']} of them from the store; "
        f"this run made {facts['n_requests']} requests{spent}; what was {told.done} is kept, and running again goes on "
        "from there"
    )
    if isinstance(why, str):
        setting = f"{told.slot}.{why}"
        return StageError(told.slot, f"{setting}={getattr(settings, why)} is spent: {so_far}: raise {setting}")
    said = str(why).removeprefix(f"{told.slot}: ")
    return (
        StageError(told.slot, f"{said}; {so_far}") if isinstance(why, StageError) else ModelError(f"{said}; {so_far}")
    )
