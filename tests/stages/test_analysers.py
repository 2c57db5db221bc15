import pytest

from rag_ablation.stages._analysers import Analyser, analyser_for


@pytest.mark.parametrize("name", ["jieba", "words", "char_bigram"])
@pytest.mark.parametrize("text", ["表单 INV-102 须附", "ＩＮＶ－１０２", "see inv-102."])
def test_a_code_is_a_token_in_every_analyser_and_width(name: str, text: str) -> None:
    assert "inv-102" in Analyser(name=name).tokens(text)  # type: ignore[arg-type]


def test_a_clause_number_is_a_token() -> None:
    assert "4.2" in Analyser(name="jieba").tokens("第4.2条")
    assert "4.2" in Analyser(name="words").tokens("see 4.2")


def test_a_hyphenated_word_without_a_digit_is_only_its_parts() -> None:
    assert Analyser(name="words").tokens("Well-known") == ["well", "known"]


def test_a_code_is_given_once() -> None:
    assert Analyser(name="jieba").tokens("6601-03").count("6601-03") == 1


def test_case_and_width_are_folded() -> None:
    assert Analyser(name="words").tokens("ＶＰＮ Straße") == ["vpn", "strasse"]


def test_punctuation_is_no_token() -> None:
    assert Analyser(name="jieba").tokens("。，！—") == []


def test_char_bigrams_keep_words_of_other_scripts_whole() -> None:
    assert Analyser(name="char_bigram").tokens("报销VPN费") == ["报销", "vpn", "费"]


def test_traditional_characters_fold_to_simplified_when_asked() -> None:
    assert Analyser(name="char_bigram", fold_traditional=True).tokens("電腦") == ["电脑"]
    assert Analyser(name="char_bigram").tokens("電腦") == ["電腦"]


def test_search_mode_adds_the_parts_of_long_words() -> None:
    plain = Analyser(name="jieba").tokens("中华人民共和国")
    searched = Analyser(name="jieba", search_mode=True).tokens("中华人民共和国")
    assert set(plain) < set(searched)


def test_stop_words_and_stems() -> None:
    analyser = Analyser(name="words", stemmer="english", stop_words=("the",))
    assert analyser.tokens("The claims") == ["claim"]


def test_a_user_dictionary_keeps_its_words_whole(tmp_path) -> None:  # type: ignore[no-untyped-def]
    words = tmp_path / "words.txt"
    words.write_text("澄岳差旅通 10\n", encoding="utf-8")
    assert "澄岳差旅通" in Analyser(name="jieba", user_dictionary=str(words)).tokens("登录澄岳差旅通报销")


@pytest.mark.parametrize(
    ("language", "name"), [("zh", "jieba"), ("zh-CN", "jieba"), ("mixed", "jieba"), ("en", "words")]
)
def test_the_default_analyser_follows_the_language(language: str, name: str) -> None:
    assert analyser_for(language) == name
