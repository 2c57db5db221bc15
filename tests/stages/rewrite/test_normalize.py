import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.stages._courtesies import CHINESE_COURTESIES, ENGLISH_COURTESIES
from rag_ablation.stages.base import NoCache, Rewritten
from rag_ablation.stages.rewrite import Normalize
from tests.builders import queries


def rewritten(*texts: str, **settings: bool) -> Rewritten:
    asked = queries({f"q{place}": text for place, text in enumerate(texts)})
    return Normalize(**settings).rewrite(asked, NoCache())


def normal(text: str, **settings: bool) -> str:
    ((only,),) = rewritten(text, **settings).texts
    return only


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("請問一下，發票怎麼報銷？謝謝！", "发票怎么报销?"),
        ("您好，请问住宿费每晚多少", "住宿费每晚多少"),
        ("请问住宿费每晚多少？谢谢", "住宿费每晚多少?"),
        ("ＩＮＶ－１０２　是什么", "INV-102 是什么"),
        ("Hello, could you please tell me who signs? Thanks a lot!", "who signs?"),
        ("I'd like to know who signs, please", "who signs"),
        ("Who   signs\nit?", "Who signs it?"),
        ("Who signs it please", "Who signs it"),
        ("Who signs?", "Who signs?"),
    ],
)
def test_the_plainest_form_of_a_question(asked: str, text: str) -> None:
    assert normal(asked) == text


@pytest.mark.parametrize(
    "text",
    [
        *(
            "请假流程是什么",
            "急救箱在哪里",
            "感谢信怎么写",
            "求助热线是多少",
            "麻烦事怎么处理",
            "是否紧急",
            "怎样表示感谢",
        ),
        *(
            "hi-tech subsidies",
            "hinder",
            "What does the policy say about kind regards",
            "Is there a rule on saying sorry",
        ),
        *("《员工手册》在哪", "Which form is INV-102 (2026)?", "差旅标准 3.5%"),
    ],
)
def test_a_word_that_begins_or_ends_like_a_courtesy_stays(text: str) -> None:
    assert normal(text) == text


@pytest.mark.parametrize("text", ["请问", "谢谢！", "Please!", "hello", "？？"])
def test_a_question_of_which_nothing_is_left_is_searched_as_asked_and_counted(text: str) -> None:
    found = rewritten(text, "who signs")
    assert found.texts == ((text,), ("who signs",))
    assert found.facts["n_nothing_left"] == 1


def test_case_and_script_and_courtesies_are_settings() -> None:
    assert normal("請問 WiFi 密碼", fold_case=True) == "wifi 密码"
    assert normal("請問 WiFi 密碼", fold_traditional=False) == "請問 WiFi 密碼"
    assert normal("请问 WiFi 密码", drop_courtesies=False) == "请问 WiFi 密码"


def test_it_counts_what_it_changed() -> None:
    assert rewritten("请问谁批", "谁批").facts["n_changed"] == 1


ASKED = st.text(alphabet="abc 请问谢急假住宿?，!,.hiplease", min_size=1, max_size=20).filter(str.strip)


@given(ASKED)
def test_doing_it_twice_changes_nothing_and_nothing_is_ever_empty(text: str) -> None:
    once = normal(text)
    assert once.strip()
    if any(map(str.isalnum, normal(once))):
        assert normal(once) == once


@pytest.mark.parametrize("phrase", [*CHINESE_COURTESIES, *ENGLISH_COURTESIES])
def test_every_listed_phrase_goes_where_punctuation_parts_it_from_the_question(phrase: str) -> None:
    assert normal(f"{phrase}, 12 rooms") == "12 rooms"
    assert normal(f"12 rooms? {phrase}.") == "12 rooms?"


def test_the_phrases_are_listed_as_they_are_compared() -> None:
    listed = [*CHINESE_COURTESIES, *ENGLISH_COURTESIES]
    assert listed == [unicodedata.normalize("NFKC", phrase).casefold() for phrase in listed]
