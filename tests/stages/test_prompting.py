import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.stages._prompting import (
    Malformed,
    Shown,
    answer_from_json,
    answer_from_text,
    check_prompt,
    encodable,
    messages,
    object_in,
    prompt_for,
    prompt_of,
)

PROMPT = {
    "en": {"system": "Be short. {{}}", "user": "{passages}\n{question}"},
    "zh": {"system": "", "user": "{question}{passages}"},
}
SHOWN = [Shown("a", "one"), Shown("b", "two")]


def test_what_is_filled_in_is_never_read_as_a_field() -> None:
    told = messages(prompt_of(PROMPT, "en"), {"question": "{passages}", "passages": "{question} {{x}}"})
    assert told == [
        {"role": "system", "content": "Be short. {}"},
        {"role": "user", "content": "{question} {{x}}\n{passages}"},
    ]


def test_a_prompt_without_a_field_that_is_filled_in_is_refused() -> None:
    with pytest.raises(ValueError, match="prompt: found"):
        check_prompt("prompt", {"en": {"system": "", "user": "{question}"}}, ("question", "passages"))


def test_the_prompt_of_a_closed_book_is_for_arms_without_any_passage() -> None:
    shut = {"en": {"system": "", "user": "{question}"}}
    assert prompt_for(PROMPT, shut, [(), ()]) is shut
    assert prompt_for(PROMPT, shut, [(), (3,)]) is PROMPT


@pytest.mark.parametrize("reply", ['{"a": 1}', ' {"a": 1}\n', '```json\n{"a": 1}\n```', '```\n{"a": 1}```\n'])
def test_one_object_is_read_with_and_without_a_fence(reply: str) -> None:
    assert object_in(reply) == {"a": 1}


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "[1]",
        '{"a": 1} and more',
        'here: {"a": 1}',
        '{"a": 1}{"a": 1}',
        '```json\n{"a": 1}\n``` done',
        '```python\n{"a": 1}\n```',
        '{"a": 1, "a": 2}',
        "{" * 10_000,
        "[" * 100_000,
        "9" * 10_000,
        "``````",
        "```",
        "```json\n" + "\n" * 100_000,
    ],
)
def test_anything_else_is_malformed_at_once(reply: str) -> None:
    with pytest.raises(Malformed):
        object_in(reply)


@given(st.text())
def test_no_text_breaks_the_reading_of_a_reply(reply: str) -> None:
    for read in (lambda: answer_from_json(reply, SHOWN), lambda: answer_from_text(reply, SHOWN, ["none"])):
        try:
            found = read()
        except Malformed:
            continue
        assert found.text.encode()


def test_half_a_character_in_an_answer_is_replaced() -> None:
    reply = json.dumps({"answer": "a \ud800 b", "citations": [2], "refused": False})
    found = answer_from_json(reply, SHOWN)
    assert (found.text, found.cited) == ("a \ufffd b", ("b",))
    assert encodable("\ud83d\ude00") == "😀"


@pytest.mark.parametrize("citations", [[0], [3], [True], ["1"], [1.0], {"1": 2}])
def test_a_citation_of_what_was_not_shown_is_malformed(citations: object) -> None:
    with pytest.raises(Malformed):
        answer_from_json(json.dumps({"answer": "x", "citations": citations, "refused": False}), SHOWN)
