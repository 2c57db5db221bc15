"""Answers of a chat model behind an OpenAI-compatible server: hosted, or one's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag_ablation.core.answers import Answer
from rag_ablation.core.errors import StageError
from rag_ablation.stages._chat import (
    CUT_OFF,
    FILTERED,
    Ask,
    NoReply,
    Reply,
    converse,
    formatted,
    strict_object,
)
from rag_ablation.stages._chat_settings import ChatSettings
from rag_ablation.stages._prompting import (
    AnswerPrompts,
    Malformed,
    Messages,
    Shown,
    answer_from_json,
    as_text,
    messages,
    numbered,
    prompt_digest,
    prompt_for,
    prompt_of,
)
from rag_ablation.stages.answering import Generated, Reading
from rag_ablation.stages.base import Cache

FAILED = "error"
TEXT = {"type": "string"}
CITATIONS = {"type": "array", "items": {"type": "integer"}}
REFUSED = {"type": "boolean"}


@dataclass(frozen=True, kw_only=True)
class OpenAIGenerator(AnswerPrompts, ChatSettings):
    """Asks a chat model for an answer from the numbered passages, or a refusal.

    Settings of the server are those of every chat model, prompts those of every generator that is told in words.
    """

    def __post_init__(self) -> None:
        """Check values."""
        ChatSettings.__post_init__(self)
        self.check_prompts()

    def fingerprint(self) -> Mapping[str, object]:
        """The model is known by name and server only.

        Raises:
            ModelError: the environment names no server that can be used.
        """
        return {
            "model": self.model,
            "server": self.server,
            "prompt": prompt_digest(self.prompt),
            "closed_book_prompt": prompt_digest(self.closed_book_prompt),
        }

    def generate(self, reading: Reading, cache: Cache) -> Generated:
        """Ask for every answer.

        Args:
            reading: questions and contexts.
            cache: where replies are kept.

        Raises:
            StageError: a budget is spent, or no question has an answer.
            ModelError: server, key or model cannot be had.
        """
        prompt = prompt_of(prompt_for(self.prompt, self.closed_book_prompt, reading.contexts), reading.language)
        properties = {"answer": TEXT, "citations": CITATIONS, "refused": REFUSED}
        closed = not any(reading.contexts)
        if closed:
            del properties["citations"]
        form = formatted(self, "answer", strict_object(properties))
        shown = [_shown(reading, context) for context in reading.contexts]
        told = [
            messages(prompt, {"question": question, "passages": numbered(passages)})
            for question, passages in zip(reading.queries.texts, shown, strict=True)
        ]
        outcomes, facts = converse(self, [Ask(one, form) for one in told], cache, slot="generate")
        answers = tuple(map(self._answer, outcomes, shown, told))
        if answers and all(answer.failed for answer in answers):
            raise StageError("generate", f"no answer to any of {len(answers)} questions; the first: {answers[0].error}")
        counts = {
            "closed_book": closed,
            "n_refused": sum(answer.refused for answer in answers),
            "n_failed": sum(answer.failed for answer in answers),
            "n_empty_context": sum(not context for context in reading.contexts),
        }
        return Generated(answers=answers, facts={**facts, **counts})

    def _answer(self, outcome: Reply | NoReply, shown: Sequence[Shown], told: Messages) -> Answer:
        prompt = as_text(told)
        if isinstance(outcome, NoReply):
            if outcome.declined:
                return Answer(text="", refused=True, finish=FILTERED, prompt=prompt)
            return Answer(text="", finish=FAILED, error=outcome.reason, prompt=prompt)
        return replace(self._read(outcome, shown), tokens=outcome.tokens, cost=outcome.cost, prompt=prompt)

    def _read(self, reply: Reply, shown: Sequence[Shown]) -> Answer:
        if reply.declined:
            return Answer(text=reply.refusal or "", refused=True, finish=reply.finish)
        if reply.finish == CUT_OFF:
            return _failed(reply, f"the answer was cut off at {self.longest_reply} tokens")
        if not reply.text.strip():
            return _failed(reply, "the answer is empty")
        try:
            return replace(answer_from_json(reply.text, shown), finish=reply.finish)
        except Malformed as error:
            return _failed(reply, str(error))


def _failed(reply: Reply, reason: str) -> Answer:
    return Answer(text=reply.text, finish=FAILED, error=reason)


def _shown(reading: Reading, context: Sequence[int]) -> list[Shown]:
    return [Shown(reading.passages.ids[row], reading.passages.text(row)) for row in context]
