"""What a model of language is told, and what is made of its reply.

Passages, questions and replies are data: nothing in them is filled in a second time, and a reply is read by one strict
form only.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from rag_ablation.core.answers import Answer
from rag_ablation.core.digest import digest_json

ROLES = ("system", "user")
FIELD = re.compile(r"\{\{|\}\}|\{(\w+)\}")
FENCE, FENCED_AS = "```", ("", "json")
MARKER = re.compile(r"\[(\d+)\]")
NO_REPLY = "the reply is empty"

Messages = list[dict[str, str]]
Prompt = Mapping[str, Mapping[str, str]]
"""By language code, the texts of `system` and `user`."""


class Malformed(ValueError):  # noqa: N818 - it reads as what happened
    """A reply that is not of the form asked for."""


@dataclass(frozen=True, kw_only=True)
class AnswerPrompts:
    """The settings of a generator that is told in words what to do.

    Args:
        prompt: by language, what it is told; `{passages}` and `{question}` are filled in.
        closed_book_prompt: the same where no question of the arm has a passage; `{question}` is filled in.
    """

    prompt: Prompt
    closed_book_prompt: Prompt

    def check_prompts(self) -> None:
        """Raise unless both name what is filled in.

        Raises:
            ValueError: otherwise; the text is `field: found …, expected …`.
        """
        check_prompt("prompt", self.prompt, ("question", "passages"))
        check_prompt("closed_book_prompt", self.closed_book_prompt, ("question",))

    @property
    def needs_context(self) -> bool:
        """What it says without passages is the floor."""
        return False

    def resolved(self, language: str) -> Self:
        """The same with the prompts of one language."""
        return replace(
            self,
            prompt=prompt_of(self.prompt, language),
            closed_book_prompt=prompt_of(self.closed_book_prompt, language),
        )


class Shown(NamedTuple):
    """A passage as a model is shown it."""

    id: str
    text: str


def check_prompt(field: str, prompt: object, fields: Sequence[str]) -> None:
    """Raise unless a prompt has, for each of its languages, texts that name known fields only.

    Args:
        field: name of the setting.
        prompt: by language, `system` and `user`.
        fields: what may be filled in; each stands in one of the two texts.

    Raises:
        ValueError: otherwise; the text is `field: found …, expected …`.
    """
    expected = f"for each language a system and a user text that name {', '.join(f'{{{one}}}' for one in fields)}"
    message = f"{field}: found {_short(prompt)}, expected {expected}"
    if not isinstance(prompt, Mapping) or not prompt:
        raise ValueError(message)
    for texts in prompt.values():
        if not isinstance(texts, Mapping) or set(texts) != set(ROLES):
            raise ValueError(message)
        if not all(isinstance(text, str) for text in texts.values()):
            raise ValueError(message)
        named = {match[1] for text in texts.values() for match in FIELD.finditer(text) if match[1]}
        if named != set(fields):
            raise ValueError(message)


def prompt_of(prompt: Prompt, language: str) -> Prompt:
    """The same with the one language that fits a dataset: its own, else English, else the first.

    Args:
        prompt: by language.
        language: of the dataset, such as `zh-CN` or `mixed`.
    """
    primary = language.lower().split("-")[0]
    wanted = next((one for one in (primary, "en", *prompt) if one in prompt), primary)
    return {wanted: prompt[wanted]}


def prompt_for(prompt: Prompt, closed_book: Prompt, contexts: Sequence[Sequence[object]]) -> Prompt:
    """The prompt of an arm: the one for a closed book where no question has a passage.

    A single empty context in an arm that retrieves is no closed book: there, declining is right.

    Args:
        prompt: asks for an answer from passages.
        closed_book: asks for an answer from what the model knows.
        contexts: (Q,) what is shown for each question.
    """
    return prompt if any(contexts) else closed_book


def prompt_digest(prompt: Prompt) -> str:
    """Identity of a prompt (64 hex characters)."""
    return digest_json({language: dict(texts) for language, texts in prompt.items()})


def messages(prompt: Prompt, fields: Mapping[str, str]) -> Messages:
    """The texts of a prompt of one language, filled in once; what is filled in is never read as a field.

    Args:
        prompt: of one language.
        fields: by name.
    """
    texts = next(iter(prompt.values()))
    return [{"role": role, "content": _filled(texts[role], fields)} for role in ROLES if texts[role]]


def numbered(passages: Sequence[Shown]) -> str:
    """Passages as a model reads them, numbered from 1."""
    return "\n\n".join(f"[{place}] {passage.text}" for place, passage in enumerate(passages, start=1))


def as_text(told: Messages) -> str:
    """Messages in one text, as they are shown to a person."""
    return "\n\n".join(f"{one['role']}:\n{one['content']}" for one in told)


def object_in(reply: str) -> Mapping[str, object]:
    """The one JSON object that a reply is, in a code fence or not; nothing around it is tolerated.

    Raises:
        Malformed: it is none.
    """
    try:
        found = json.loads(unfenced(reply), object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        message = f"the reply is no JSON object: {_short(reply)}"
        raise Malformed(message) from error
    if not isinstance(found, Mapping):
        message = f"the reply is no JSON object: {_short(reply)}"
        raise Malformed(message)
    return found


def answer_from_json(reply: str, passages: Sequence[Shown]) -> Answer:
    """An answer of the form `{"answer": text, "citations": [numbers], "refused": truth}`.

    Args:
        reply: what the model said.
        passages: that it was shown, in order.

    Raises:
        Malformed: it is of another form, or cites a passage that was not shown.
    """
    found = object_in(reply)
    text, citations, refused = found.get("answer"), found.get("citations", []), found.get("refused", False)
    if not isinstance(text, str) or not isinstance(citations, list) or not isinstance(refused, bool):
        message = f"the reply has no answer, citations and refused of the form asked for: {_short(reply)}"
        raise Malformed(message)
    if not refused and not text.strip():
        raise Malformed(NO_REPLY)
    return Answer(text=encodable(text.strip()), refused=refused, cited=_cited(citations, passages))


def answer_from_text(reply: str, passages: Sequence[Shown], refusals: Sequence[str]) -> Answer:
    """An answer in plain text that cites by `[number]`; numbers of no passage are left in the text.

    Args:
        reply: what the model said.
        passages: that it was shown, in order.
        refusals: texts that, said alone, are a refusal.

    Raises:
        Malformed: it is empty.
    """
    text = encodable(reply.strip())
    if not text:
        raise Malformed(NO_REPLY)
    bare = text.strip(" .。!！\"'").casefold()
    refused = bare in [one.strip(" .。!！").casefold() for one in refusals]
    numbers = [int(match[1]) for match in MARKER.finditer(text) if 1 <= int(match[1]) <= len(passages)]
    return Answer(text=text, refused=refused, cited=_cited(numbers, passages))


def encodable(text: str) -> str:
    """A text that can be written: halves of characters that JSON lets through are replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def unfenced(reply: str) -> str:
    """What a code fence around all of a reply holds; the reply where there is none."""
    text = reply.strip()
    if len(text) < 2 * len(FENCE) or not (text.startswith(FENCE) and text.endswith(FENCE)):
        return text
    kind, _, inside = text[len(FENCE) : -len(FENCE)].partition("\n")
    return inside if kind.strip() in FENCED_AS else text


def _once_each(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """An object whose names are all different: of two values for one name, neither is the one that was meant."""
    found = dict(pairs)
    if len(found) != len(pairs):
        message = "a name twice in one object"
        raise ValueError(message)
    return found


def _cited(numbers: Sequence[object], passages: Sequence[Shown]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(passages):
            message = f"the reply cites {_short(number)}, expected numbers from 1 to {len(passages)}"
            raise Malformed(message)
        found[passages[number - 1].id] = None
    return tuple(found)


def _filled(text: str, fields: Mapping[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        return fields[match[1]] if match[1] else match[0][0]

    return FIELD.sub(value, text)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
