"""Chunkers: worked examples by hand, then what holds for every text."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.chunks import Piece
from rag_ablation.stages._sentences import breaks
from rag_ablation.stages.base import Chunker
from rag_ablation.stages.chunking import ClauseChunker, FixedChunker, SentenceChunker

PIECES_OF_TEXT = st.lists(
    st.sampled_from(
        [
            *"一二三甲乙。！？，；：“”（）「」\"'.,!? \n\t|ab3A",
            "\n\n",
            "\n第三条 ",
            "\n2.1 ",
            "| a | b |\n",
            "Dr. ",
            "3.5",
            "# T\n",
        ]
    ),
    max_size=60,
).map("".join)
KINDS = (FixedChunker, SentenceChunker, ClauseChunker)
CHUNKERS = st.builds(
    lambda kind, size, overlap: kind(size=size, overlap=min(overlap, size - 1)),
    st.sampled_from(KINDS),
    st.integers(1, 40),
    st.integers(0, 39),
)


def texts(chunker: Chunker, text: str) -> list[str]:
    return [text[start:end] for start, end in chunker.cut(text)]


def sentences(text: str) -> list[str]:
    places = [0, *breaks(text).sentences, len(text)]
    return [text[a:b] for a, b in itertools.pairwise(places)]


def test_fixed_windows_overlap_by_the_characters_asked_for() -> None:
    assert texts(FixedChunker(size=8), "0123456789abcdefghij") == ["01234567", "89abcdef", "ghij"]
    assert texts(FixedChunker(size=8, overlap=3), "0123456789abcdef") == ["01234567", "56789abc", "abcdef"]


def test_a_fixed_window_counts_characters_and_not_bytes() -> None:
    assert texts(FixedChunker(size=3), "差旅费😀报销") == ["差旅费", "😀报销"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "住宿费每晚380元。超出部分自理！可以吗？可以。",
            ["住宿费每晚380元。", "超出部分自理！", "可以吗？", "可以。"],
        ),
        ("他说：“你好。我走了。”然后离开了。", ["他说：“你好。我走了。”", "然后离开了。"]),
        ("“我不去。”她摇头。真的？！是的。", ["“我不去。”", "她摇头。", "真的？！", "是的。"]),
        ("金额为3.5元（见表1。另见表2。）。下一条。", ["金额为3.5元（见表1。另见表2。）。", "下一条。"]),
        ('他说"好。"然后走了。', ['他说"好。"', "然后走了。"]),
        ("第一行没有标点\n第二行", ["第一行没有标点\n", "第二行"]),
    ],
)
def test_chinese_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs 3.5 dollars. It is late.", ["It costs 3.5 dollars. ", "It is late."]),
        (
            "Dr. Smith met Mr. J. Doe, e.g. Here. Then he left.",
            ["Dr. Smith met Mr. J. Doe, e.g. Here. ", "Then he left."],
        ),
        (
            "See No. 5 and Fig. 3. The answer is No. He left.",
            ["See No. 5 and Fig. 3. ", "The answer is No. ", "He left."],
        ),
        ('He said "Go. Now." Then he left!', ['He said "Go. Now." ', "Then he left!"]),
        ("It was (see above. And below.) fine. Yes.", ["It was (see above. And below.) fine. ", "Yes."]),
        ("The U.S. Army came in 1999. They left.", ["The U.S. Army came in 1999. ", "They left."]),
        ("1. First item\n2. Second item", ["1. First item\n", "2. Second item"]),
        ("a wrapped line\ngoes on here. End", ["a wrapped line\ngoes on here. ", "End"]),
        ("so it was.[12] Then more.", ["so it was.[12] ", "Then more."]),
        ("See www.example.com?q=abc. Done", ["See www.example.com?q=abc. ", "Done"]),
    ],
)
def test_english_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_sentences_are_packed_and_repeated_whole() -> None:
    text = "一二三。四五六。七八九。十。"
    assert texts(SentenceChunker(size=8), text) == ["一二三。四五六。", "七八九。十。"]
    assert texts(SentenceChunker(size=8, overlap=4), text) == ["一二三。四五六。", "四五六。七八九。", "七八九。十。"]
    assert texts(SentenceChunker(size=8, overlap=3), text) == ["一二三。四五六。", "七八九。十。"]


def test_a_sentence_longer_than_a_chunk_is_cut_at_commas_then_spaces_then_anywhere() -> None:
    assert texts(SentenceChunker(size=6), "一二三，四五六，七。") == ["一二三，", "四五六，七。"]
    assert texts(SentenceChunker(size=9), "alpha beta gamma.") == ["alpha ", "beta ", "gamma."]
    assert texts(SentenceChunker(size=4), "一二三四五六七八九") == ["一二三四", "五六七八", "九"]


def test_clauses_begin_at_their_headings() -> None:
    text = "第一条 适用于全体。\n第二条 报销须知：\n（一）发票；\n（二）行程单。\n2.1 住宿\n每晚380元。\n3) 其他\n\n附件见后。"
    assert texts(ClauseChunker(size=60), text) == [
        "第一条 适用于全体。\n",
        "第二条 报销须知：\n",
        "（一）发票；\n",
        "（二）行程单。\n",
        "2.1 住宿\n每晚380元。\n",
        "3) 其他\n\n附件见后。",
    ]


def test_a_title_goes_with_what_follows_and_a_number_in_a_text_is_no_heading() -> None:
    text = "# 总则\n\n第一章 概述\n\n1.1 定义如下。\n3.5亿元以内的合同。\n\n# 附则\n自发布之日起施行。"
    assert texts(ClauseChunker(size=60), text) == [
        "# 总则\n\n第一章 概述\n\n1.1 定义如下。\n3.5亿元以内的合同。\n\n",
        "# 附则\n自发布之日起施行。",
    ]


def test_a_long_clause_is_cut_by_sentences() -> None:
    text = "1.1 甲乙丙丁。戊己庚辛。\n1.2 短。"
    assert texts(ClauseChunker(size=10), text) == ["1.1 甲乙丙丁。", "戊己庚辛。\n", "1.2 短。"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_row_that_fits_is_not_cut(kind: type) -> None:
    text = "说明文字\n| 一类城市 | 500 |\n| 二类城市 | 380。元。 |\n完"
    found = texts(kind(size=18), text)
    assert "".join(found) == text
    for row in ("| 一类城市 | 500 |", "| 二类城市 | 380。元。 |"):
        assert any(row in chunk for chunk in found)


def test_an_empty_text_is_one_chunk() -> None:
    assert [kind(size=5).cut("") for kind in KINDS] == [[(0, 0)]] * 3


@pytest.mark.parametrize("wrong", [{"size": 0}, {"overlap": -1}, {"size": 5, "overlap": 5}, {"coverage": 0.0}])
@pytest.mark.parametrize("kind", KINDS)
def test_settings_out_of_range_are_refused(kind: type, wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="found"):
        kind(**wrong)


@given(text=PIECES_OF_TEXT, kind=st.sampled_from(KINDS), size=st.integers(1, 40))
def test_without_overlap_the_chunks_put_together_are_the_text(text: str, kind: type, size: int) -> None:
    assert "".join(texts(kind(size=size), text)) == text


def test_a_window_before_a_row_is_not_given_twice() -> None:
    assert FixedChunker(size=6, overlap=2).cut("一一\n第三条 \t一") == [Piece(0, 3), Piece(3, 9)]


@given(text=PIECES_OF_TEXT, chunker=CHUNKERS)
def test_every_character_is_in_a_chunk_and_no_chunk_is_there_twice(text: str, chunker: Chunker) -> None:
    found = chunker.cut(text)
    assert found[0].start == 0
    assert found[-1].end == len(text)
    assert all(after.start <= before.end for before, after in itertools.pairwise(found))
    assert [piece.start for piece in found] == sorted({piece.start for piece in found})
    assert [piece.end for piece in found] == sorted({piece.end for piece in found})


@given(text=PIECES_OF_TEXT, chunker=CHUNKERS)
def test_no_chunk_is_wider_than_asked_for_but_by_white_space(text: str, chunker: Chunker) -> None:
    for chunk in texts(chunker, text):
        assert len(chunk.strip()) <= chunker.size
        assert chunk.strip() or not text.strip()
