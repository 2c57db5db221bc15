"""Answers of a causal model on this machine: one question at a time, the likeliest words by default."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rag_ablation.core.answers import Answer
from rag_ablation.core.errors import ModelError, StageError
from rag_ablation.stages._causal_model import (
    GGUF_LIBRARIES,
    LIBRARIES,
    SMOLLM2,
    CausalModel,
    Decoding,
    locate_reader,
    reader_weights,
)
from rag_ablation.stages._models import is_english
from rag_ablation.stages._prompting import (
    AnswerPrompts,
    Malformed,
    Messages,
    Prompt,
    Shown,
    answer_from_text,
    messages,
    numbered,
    prompt_digest,
    prompt_for,
)
from rag_ablation.stages.answering import Generated, Reading
from rag_ablation.stages.base import Cache, Response, check_whole_number, library_versions

REQUEST = "transformers/1"
"""Changes with what is asked or kept, so that no response of another form is taken."""


@dataclass(frozen=True, kw_only=True)
class CausalLmGenerator(AnswerPrompts):
    """Answers of a causal model of transformers, in plain text that cites by `[number]`.

    Args:
        model: `smollm2`, a hub name, or a folder with safetensors.
        refusals: texts that, said alone, are a refusal; the prompts name them.
        max_new_tokens: most tokens of an answer.
        max_input_tokens: most tokens of a prompt, None for all that the model can read besides an answer; a question
            with a longer prompt has no answer, and is counted.
        temperature: 0 takes the likeliest token each time; above 0 tokens are drawn.
        seed: of the draw.
        threads: threads of the computation; several change the last bits, and are slower on a busy machine.
    """

    model: str = SMOLLM2
    refusals: tuple[str, ...] = ()
    max_new_tokens: int = 64
    max_input_tokens: int | None = None
    temperature: float = 0.0
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        """Check values."""
        if not self.model.strip():
            message = f"model: found {self.model!r}, expected {SMOLLM2}, a hub name (owner/name) or a folder"
            raise ValueError(message)
        self.check_prompts()
        if not all(one.strip() for one in self.refusals):
            message = f"refusals: found {self.refusals!r}, expected texts that are not empty"
            raise ValueError(message)
        for field in ("max_new_tokens", "threads"):
            check_whole_number(field, getattr(self, field))
        if self.max_input_tokens is not None:
            check_whole_number("max_input_tokens", self.max_input_tokens)
        check_whole_number("seed", self.seed, least=0)
        if isinstance(self.temperature, bool) or not (math.isfinite(self.temperature) and self.temperature >= 0):
            message = f"temperature: found {self.temperature!r}, expected a finite number of at least 0"
            raise ValueError(message)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the answers."""
        return GGUF_LIBRARIES if self.model == SMOLLM2 else LIBRARIES

    def fingerprint(self) -> Mapping[str, object]:
        """Name of the model, with the digest of its files or its revision.

        Raises:
            ModelError: the model cannot be had, or is no causal model.
        """
        return locate_reader(self.model).fingerprint

    def model_weights(self) -> Mapping[str, str]:
        """Name, kind and digest of the files that are loaded.

        Raises:
            ModelError: the model cannot be had, or is no causal model.
        """
        return reader_weights(locate_reader(self.model))

    def generate(self, reading: Reading, cache: Cache) -> Generated:
        """Ask one question after another; what was said before under the same prompt and settings is not said again.

        Args:
            reading: questions and contexts.
            cache: where responses are kept.

        Raises:
            ModelError: the model cannot be had, or cannot read `max_input_tokens`.
            StageError: no question has an answer.
        """
        model = CausalModel(locate_reader(self.model))
        own = self.resolved(reading.language)
        asked = _Asked(
            self, model, prompt_for(own.prompt, own.closed_book_prompt, reading.contexts), self._limit(model)
        )
        answers = tuple(
            asked.answer(
                question, [Shown(reading.passages.ids[row], reading.passages.text(row)) for row in context], cache
            )
            for question, context in zip(reading.queries.texts, reading.contexts, strict=True)
        )
        if answers and all(answer.failed for answer in answers):
            raise StageError("generate", f"no question has an answer; the first: {answers[0].error}")
        return Generated(answers=answers, facts=asked.facts(answers) | {"warnings": self._warnings(reading.language)})

    def _limit(self, model: CausalModel) -> int | None:
        positions = model.positions
        if positions is None:
            return self.max_input_tokens
        most = positions - self.max_new_tokens
        if most < 1 or (self.max_input_tokens or 1) > most:
            message = (
                f"generate.max_input_tokens: found {self.max_input_tokens} with max_new_tokens {self.max_new_tokens}, "
                f"expected at most {positions} together, all that {model.located.name} can read and write"
            )
            raise ModelError(message)
        return self.max_input_tokens or most

    def _warnings(self, language: str) -> list[str]:
        if self.model != SMOLLM2 or is_english(language):
            return []
        return [f"language mismatch: the model {SMOLLM2!r} reads and writes English only, the dataset is {language!r}"]


class _Asked:
    """One model asked question by question, and what is counted on the way."""

    def __init__(self, settings: CausalLmGenerator, model: CausalModel, prompt: Prompt, limit: int | None) -> None:
        self.settings, self.model, self.prompt, self.limit = settings, model, prompt, limit
        self.decoding = Decoding(
            max_new_tokens=settings.max_new_tokens,
            temperature=settings.temperature,
            seed=settings.seed,
            threads=settings.threads,
        )
        self.n_too_long = 0
        self.seconds = 0.0

    def answer(self, question: str, shown: Sequence[Shown], cache: Cache) -> Answer:
        prompt = self.model.prompt(self._told(question, shown))
        tokens = self.model.tokens(prompt)
        if self.limit is not None and len(tokens) > self.limit:
            self.n_too_long += 1
            error = f"context too long: the prompt has {len(tokens)} tokens, the limit is {self.limit}"
            return Answer(text="", finish="error", prompt=prompt, error=error)
        said = cache.response(self._key(prompt), lambda: self._reply(tokens))
        self.seconds += float(str(said["seconds"]))
        usage = {"prompt": len(tokens), "completion": int(str(said["tokens"]))}
        try:
            found = answer_from_text(str(said["text"]), shown, self.settings.refusals)
        except Malformed as malformed:
            found = Answer(text="", error=str(malformed))
        return replace(found, finish=str(said["finish"]), tokens=usage, prompt=prompt)

    def facts(self, answers: Sequence[Answer]) -> dict[str, object]:
        return {
            "model": self.model.located.name,
            "prompt_digest": prompt_digest(self.prompt),
            "limit_tokens": self.limit,
            "n_too_long": self.n_too_long,
            "n_refused": sum(answer.refused for answer in answers),
            "n_failed": sum(answer.failed for answer in answers),
            "n_cut": sum(answer.finish == "length" for answer in answers),
            "model_seconds": self.seconds,
        }

    def _told(self, question: str, shown: Sequence[Shown]) -> Messages:
        passages = numbered([Shown(one.id, self.model.data(one.text)) for one in shown])
        return messages(self.prompt, {"question": self.model.data(question), "passages": passages})

    def _key(self, prompt: str) -> dict[str, object]:
        return {
            "request": REQUEST,
            "model": dict(self.model.located.fingerprint),
            "libraries": library_versions(self.settings.libraries),
            "prompt": prompt,
            "max_new_tokens": self.decoding.max_new_tokens,
            "temperature": self.decoding.temperature,
            "seed": self.decoding.seed if self.decoding.temperature > 0 else None,
            "threads": self.decoding.threads,
        }

    def _reply(self, tokens: Sequence[int]) -> Response:
        start = time.perf_counter()
        reply = self.model.reply(tokens, self.decoding)
        seconds = time.perf_counter() - start
        return {"text": reply.text, "finish": reply.finish, "tokens": reply.tokens, "seconds": seconds}
