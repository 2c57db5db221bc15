"""Near-duplicate texts: the rule, and that the join finds every pair the rule names."""

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.holdout import likeness
from rag_ablation.holdout._normal import normal_text
from rag_ablation.holdout.likeness import QUESTIONS, alike


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  What   is RRF? ", "what is rrf"),
        ("ＩＮＶ－１０２ 是什么", "inv 102 是什么"),
        ("請問一下，發票怎麼報銷？謝謝", "发票怎么报销"),
        ("Hello, could you please tell me who signs? Thanks a lot!", "who signs"),
        ("Please!", "please"),
        ("请问", "请问"),
        ("hinder", "hinder"),
        ("谢谢不用客气吗", "不用客气吗"),
    ],
)
def test_what_does_not_change_a_question_is_taken_away(text: str, normal: str) -> None:
    assert normal_text(text) == normal


def test_equal_texts_are_near_whatever_they_hold() -> None:
    found = alike(["a?", "b", "A", "b!"], QUESTIONS)
    assert list(zip(found.left.tolist(), found.right.tolist(), strict=True)) == [(0, 2), (1, 3)]
    assert found.likeness.tolist() == [1.0, 1.0]


def test_a_floor_also_gives_pairs_that_are_not_near() -> None:
    texts = ["who approves a hotel above the limit", "who approves a flight to Oslo", "seals and contracts"]
    assert not alike(texts, QUESTIONS).left.size
    found = alike(texts, QUESTIONS, floor=0.2)
    assert (found.left.tolist(), found.right.tolist(), found.near.tolist()) == ([0], [1], [False])
    assert 0.2 <= found.likeness[0] < 0.6


def test_nothing_and_one_text_have_no_pair() -> None:
    assert alike([], QUESTIONS).left.size == 0
    assert alike(["a"], QUESTIONS, floor=0.1).left.size == 0
    assert alike(["", " "], QUESTIONS).left.tolist() == [0]


def test_texts_without_a_letter_are_near_only_if_they_are_equal() -> None:
    found = alike(["？？？", "！！！", "🙂", "😀", "?", "???"], QUESTIONS)
    assert (found.left.tolist(), found.right.tolist()) == ([0], [5])


LETTERS = st.text(alphabet="abc 住宿标准报销12", max_size=12)


@given(st.lists(LETTERS, max_size=14), st.sampled_from([None, 0.4, 0.2]))
@settings(max_examples=150, deadline=None)
def test_the_join_finds_what_comparing_all_pairs_finds(texts: list[str], floor: float | None) -> None:
    found = alike(texts, QUESTIONS, floor)
    got = dict(zip(zip(found.left.tolist(), found.right.tolist(), strict=True), found.near.tolist(), strict=True))
    values = dict(zip(got, found.likeness.tolist(), strict=True))
    wanted = by_all_pairs(texts, floor)
    assert got == {pair: near for pair, (_, near) in wanted.items()}
    assert values == pytest.approx({pair: value for pair, (value, _) in wanted.items()})


def by_all_pairs(texts: list[str], floor: float | None) -> dict[tuple[int, int], tuple[float, bool]]:
    """The rule as it is written, without an index."""
    normal = [normal_text(text) for text in texts]
    first: dict[str, int] = {}
    found = {}
    for row, text in enumerate(normal):
        head = first.setdefault(text.replace(" ", ""), row)
        if head != row:
            found[head, row] = (1.0, True)
    rows = sorted(first.values())
    cut = likeness._word_cutter(any(likeness._mostly_han(normal[row]) for row in rows))
    words = {row: set(cut(normal[row])) for row in rows}
    held = Counter(word for some in words.values() for word in some)
    weight = {word: math.log(1 + len(rows) / (1 + n)) for word, n in held.items()}
    for place, left in enumerate(rows):
        for right in rows[place + 1 :]:
            if set(likeness.NUMBER.findall(normal[left])) != set(likeness.NUMBER.findall(normal[right])):
                continue
            one, other = (set(likeness._neighbours(normal[row])) for row in (left, right))
            characters = len(one & other) / len(one | other)
            union = sum(weight[word] for word in words[left] | words[right])
            common = sum(weight[word] for word in words[left] & words[right])
            by_words = common / union if union else 0.0
            least = min(
                QUESTIONS.characters_han if likeness._mostly_han(normal[row]) else QUESTIONS.characters
                for row in (left, right)
            )
            near = characters >= least - 1e-12 or by_words >= QUESTIONS.words - 1e-12
            value = max(characters, by_words)
            if near or (floor is not None and value >= floor - 1e-12):
                found[left, right] = (value, near)
    return found
