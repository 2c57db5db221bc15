"""Texts that a chat model makes of a question: other ways to ask it, or a passage that would answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

from rag_ablation.core.errors import StageError
from rag_ablation.core.queries import Queries
from rag_ablation.stages._chat import CUT_OFF, Ask, NoReply, Reply, converse, formatted, strict_object
from rag_ablation.stages._chat_settings import ChatSettings
from rag_ablation.stages._prompting import (
    Malformed,
    Prompt,
    check_prompt,
    encodable,
    messages,
    object_in,
    prompt_digest,
    prompt_of,
)
from rag_ablation.stages.base import Cache, Rewritten, check_choice, check_whole_number

SLOT = "rewrite"
MODES = ("multi_query", "hyde")
TEXT = {"type": "string"}
QUERIES, PASSAGE = "queries", "passage"
SCHEMAS = {
    "multi_query": strict_object({QUERIES: {"type": "array", "items": TEXT}}),
    "hyde": strict_object({PASSAGE: TEXT}),
}


class _Made(NamedTuple):
    """What came of one question: texts, or why there are none; `failed` where there was no reply at all."""

    texts: tuple[str, ...]
    reason: str = ""
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class LlmRewriter(ChatSettings):
    """Asks a chat model for texts to search for; where it gives none, the question is searched for as asked.

    Settings of the server are those of every chat model.

    Args:
        mode: `multi_query`, other ways to ask the question; `hyde`, a passage as the corpus might hold it.
        n_queries: with `multi_query`, how many other ways, at least 1; further ones are left out.
        keep_question: whether the question as asked is searched for too, first.
        multi_query_prompt: by language, with `{question}` and `{n_queries}`.
        hyde_prompt: by language, with `{question}`.

    References:
        Gao, Ma, Lin and Callan (2023), Precise zero-shot dense retrieval without relevance labels (HyDE).
    """

    mode: Literal["multi_query", "hyde"] = "multi_query"
    n_queries: int = 3
    keep_question: bool = True
    multi_query_prompt: Mapping[str, Mapping[str, str]]
    hyde_prompt: Mapping[str, Mapping[str, str]]

    def __post_init__(self) -> None:
        """Check values."""
        super().__post_init__()
        check_choice("mode", self.mode, MODES)
        check_whole_number("n_queries", self.n_queries)
        check_prompt("multi_query_prompt", self.multi_query_prompt, ("question", "n_queries"))
        check_prompt("hyde_prompt", self.hyde_prompt, ("question",))

    @property
    def remote(self) -> bool:
        """It asks a server."""
        return True

    def resolved(self, language: str) -> Self:
        """The same with the prompts of one language."""
        return replace(
            self,
            multi_query_prompt=prompt_of(self.multi_query_prompt, language),
            hyde_prompt=prompt_of(self.hyde_prompt, language),
        )

    def fingerprint(self) -> Mapping[str, object]:
        """The model is known by name and server only.

        Raises:
            ModelError: the environment names no server that can be used.
        """
        return {"model": self.model, "server": self.server, "prompt": prompt_digest(self._prompt)}

    def rewrite(self, queries: Queries, cache: Cache) -> Rewritten:
        """Ask for the texts of every question; a reply of another form is counted, and is no text.

        Args:
            queries: (Q,) questions.
            cache: where replies are kept.

        Raises:
            StageError: a budget is spent, or nothing came of any question.
            ModelError: server, key or model cannot be had.
        """
        form = formatted(self, QUERIES if self.mode == "multi_query" else PASSAGE, SCHEMAS[self.mode])
        asks = [Ask(messages(self._prompt, self._fields(text)), form) for text in queries.texts]
        outcomes, facts = converse(self, asks, cache, slot=SLOT, done="rewritten")
        made = [self._made(outcome) for outcome in outcomes]
        without = [one for one in made if not one.texts]
        if made and len(without) == len(made):
            message = f"no text for any of {len(made)} questions; the first: {made[0].reason}"
            raise StageError(SLOT, message)
        texts = tuple(self._searched(asked, one.texts) for asked, one in zip(queries.texts, made, strict=True))
        counts = {
            "mode": self.mode,
            "n_failed": sum(one.failed for one in made),
            "n_malformed": sum(not one.failed for one in without),
            "n_changed": sum(own != (asked,) for own, asked in zip(texts, queries.texts, strict=True)),
            "warnings": _warnings(made, len(without)),
        }
        return Rewritten(texts=texts, facts={**facts, **counts}, complete=not any(one.failed for one in made))

    @property
    def _prompt(self) -> Prompt:
        return self.multi_query_prompt if self.mode == "multi_query" else self.hyde_prompt

    def _fields(self, question: str) -> dict[str, str]:
        return {"question": question} | ({"n_queries": str(self.n_queries)} if self.mode == "multi_query" else {})

    def _searched(self, asked: str, made: tuple[str, ...]) -> tuple[str, ...]:
        """The question where it is kept or nothing was made, then what was made of it, each text once."""
        return tuple(dict.fromkeys([asked, *made] if self.keep_question or not made else made))

    def _made(self, outcome: Reply | NoReply) -> _Made:
        if isinstance(outcome, NoReply):
            return _Made((), outcome.reason, failed=True)
        if outcome.declined:
            return _Made((), "the provider declined")
        if outcome.finish == CUT_OFF:
            return _Made((), f"the reply was cut off at {self.longest_reply} tokens")
        try:
            made = queries_in(outcome.text) if self.mode == "multi_query" else passage_in(outcome.text)
            return _Made(made[: self.n_queries])
        except Malformed as error:
            return _Made((), str(error))


def queries_in(reply: str) -> tuple[str, ...]:
    """The texts of a reply of the form `{"queries": [texts]}`, each once.

    Args:
        reply: what the model said.

    Raises:
        Malformed: it is of another form, or has no text.
    """
    found = _only(reply, QUERIES)
    if not isinstance(found, list) or not found or not all(isinstance(text, str) and text.strip() for text in found):
        message = f"the reply has {QUERIES} that are no list of texts"
        raise Malformed(message)
    return tuple(dict.fromkeys(_one_line(text) for text in found))


def passage_in(reply: str) -> tuple[str, ...]:
    """The text of a reply of the form `{"passage": text}`.

    Args:
        reply: what the model said.

    Raises:
        Malformed: it is of another form, or empty.
    """
    found = _only(reply, PASSAGE)
    if not isinstance(found, str) or not found.strip():
        message = f"the reply has a {PASSAGE} that is no text"
        raise Malformed(message)
    return (_one_line(found),)


def _only(reply: str, name: str) -> object:
    found = object_in(reply)
    if set(found) != {name}:
        message = f"the reply has {', '.join(sorted(map(repr, found))) or 'nothing'}, expected {name!r} alone"
        raise Malformed(message)
    return found[name]


def _one_line(text: str) -> str:
    return " ".join(encodable(text).split())


def _warnings(made: list[_Made], n_without: int) -> list[str]:
    if not n_without:
        return []
    first = next(one.reason for one in made if not one.texts)
    said = f"nothing came of {n_without} of {len(made)} questions, which were searched for as asked; the first: {first}"
    return [said]
