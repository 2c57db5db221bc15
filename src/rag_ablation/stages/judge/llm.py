"""Judging answers by a chat model: what it is shown is data, and its reply is read by one strict form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from rag_ablation.core.answers import Answer, Reference, Verdict, Word
from rag_ablation.stages._chat import CUT_OFF, Ask, NoReply, Reply, converse, formatted, strict_object
from rag_ablation.stages._chat_settings import ChatSettings
from rag_ablation.stages._prompting import (
    Malformed,
    check_prompt,
    encodable,
    messages,
    object_in,
    prompt_digest,
    prompt_of,
    unfenced,
)
from rag_ablation.stages.answering import Judged, Judging
from rag_ablation.stages.base import Cache

WORDS = tuple(str(word) for word in Word)
SCHEMA = strict_object(
    {
        "verdict": {"type": "string", "enum": list(WORDS)},
        "reason": {"type": "string"},
        "evidence": {"type": "array", "items": {"type": "string"}},
    }
)
UNREADABLE = "the judge's reply"
MOST_SHOWN = 200

Passages = Sequence[tuple[str, str]]


class _Case(NamedTuple):
    """An answer that has to be asked about, with what it is compared with."""

    question: str
    answer: Answer
    reference: Reference
    passages: Passages


class _Read(NamedTuple):
    verdict: Verdict
    unparsed: bool = False
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class LlmJudge(ChatSettings):
    """Asks a chat model whether an answer says what the reference says.

    Settings of the server are those of every chat model.

    Args:
        prompt: by language, with `{data}`, a JSON object of question, reference, answer and passages.
    """

    prompt: Mapping[str, Mapping[str, str]]

    def __post_init__(self) -> None:
        """Check values."""
        super().__post_init__()
        check_prompt("prompt", self.prompt, ("data",))

    def resolved(self, language: str) -> Self:
        """The same with the prompt of one language."""
        return replace(self, prompt=prompt_of(self.prompt, language))

    def fingerprint(self) -> Mapping[str, object]:
        """The model is known by name and server only.

        Raises:
            ModelError: the environment names no server that can be used.
        """
        return {"model": self.model, "server": self.server, "prompt": prompt_digest(self.prompt)}

    def judge_all(self, given: Judging, cache: Cache) -> Judged:
        """Judge every answer; failed, refused and empty ones without asking.

        Args:
            given: questions, answers and references; their texts are data.
            cache: where replies are kept.

        Raises:
            StageError: a budget is spent.
            ModelError: server, key or model cannot be had.
        """
        rows = zip(given.questions, given.answers, given.references, given.contexts, strict=True)
        cases = [_Case(*row) for row in rows]
        decided = [_without_asking(case) for case in cases]
        open_cases = [case for case, verdict in zip(cases, decided, strict=True) if verdict is None]
        prompt = prompt_of(self.prompt, given.language)
        form = formatted(self, "verdict", SCHEMA)
        asks = [Ask(messages(prompt, {"data": as_data(case)}), form) for case in open_cases]
        outcomes, facts = converse(self, asks, cache, slot="judge", of="answers", done="judged")
        read = [self._read(outcome, case) for outcome, case in zip(outcomes, open_cases, strict=True)]
        asked = iter(read)
        verdicts = tuple(next(asked).verdict if verdict is None else verdict for verdict in decided)
        counts = {
            "n_asked": len(read),
            "n_unparsed": sum(one.unparsed for one in read),
            "n_failed": sum(one.failed for one in read),
        }
        return Judged(verdicts=verdicts, facts={**facts, **counts})

    def _read(self, outcome: Reply | NoReply, case: _Case) -> _Read:
        if isinstance(outcome, NoReply):
            return _Read(_review(f"the judge gave no verdict: {outcome.reason}"), failed=True)
        if outcome.declined:
            return _Read(_review("the judge gave no verdict: the provider declined"), failed=True)
        if outcome.finish == CUT_OFF:
            return _Read(_review(f"{UNREADABLE} was cut off at {self.longest_reply} tokens"), unparsed=True)
        try:
            return _Read(verdict_in(outcome.text, case))
        except Malformed as error:
            return _Read(_review(str(error)), unparsed=True)


def as_data(case: _Case) -> str:
    """What a judge is shown, as one JSON object: no text in it can end the string that holds it."""
    reference = case.reference
    shown = {
        "question": case.question,
        "reference": {
            "answerable": reference.answerable,
            "answers": list(reference.answers),
            "key_points": list(reference.keypoints),
            "may_say": list(reference.optional),
            "must_not_say": list(reference.forbidden),
        },
        "answer": case.answer.text,
        "passages": [{"id": name, "text": text} for name, text in case.passages],
    }
    text = json.dumps(shown, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "backslashreplace").decode()  # half a character, in the form that JSON has for it


def verdict_in(reply: str, case: _Case) -> Verdict:
    """The verdict that a reply is: one JSON object with a word, a reason, and ids of passages that were shown.

    Args:
        reply: what the judge said.
        case: what it was shown.

    Raises:
        Malformed: it is of another form, or a copy of what was to be judged.
    """
    try:
        found = object_in(reply)
    except Malformed:
        raise _unreadable("is not one JSON object", reply) from None
    bare = _bare(unfenced(reply))
    if any(bare in _bare(text) for text in (case.question, case.answer.text, *(text for _, text in case.passages))):
        raise _unreadable("repeats what it was to judge", reply)
    word, reason, evidence = found.get("verdict"), found.get("reason"), found.get("evidence")
    if set(found) != {"verdict", "reason", "evidence"} or word not in WORDS:
        raise _unreadable(f"has no verdict, reason and evidence, the verdict one of {', '.join(WORDS)}", reply)
    if not isinstance(reason, str) or not isinstance(evidence, list):
        raise _unreadable("has a reason that is no text, or evidence that is no list", reply)
    ids = {name for name, _ in case.passages}
    if not all(isinstance(name, str) and name in ids for name in evidence):
        raise _unreadable("names evidence that was not shown", reply)
    return Verdict(word=Word(str(word)), reason=encodable(reason.strip()), evidence=tuple(dict.fromkeys(evidence)))


def _without_asking(case: _Case) -> Verdict | None:
    """The verdict where nothing has to be weighed, None elsewhere."""
    answer, answerable = case.answer, case.reference.answerable
    if answer.failed:
        return Verdict(word=Word.INCORRECT, reason="failed: there is no answer")
    if answer.refused and answerable:
        return Verdict(word=Word.INCORRECT, reason="refused: the question has an answer")
    if answer.refused:
        return Verdict(word=Word.CORRECT, reason="refused: the question has no answer")
    if not answer.text.strip():
        return Verdict(word=Word.INCORRECT, reason="empty: it says nothing")
    return None


def _review(reason: str) -> Verdict:
    return Verdict(word=Word.NEEDS_REVIEW, reason=reason)


def _bare(text: str) -> str:
    return "".join(text.split())


def _unreadable(what: str, reply: str) -> Malformed:
    said = repr(reply)
    return Malformed(f"{UNREADABLE} {what}: {said if len(said) <= MOST_SHOWN else f'{said[:MOST_SHOWN]}…'}")
