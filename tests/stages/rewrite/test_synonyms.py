from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import ConfigError
from rag_ablation.stages.base import NoCache, Rewritten
from rag_ablation.stages.rewrite import Synonyms
from tests.builders import queries


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "words.tsv"


def rewritten(file: Path, text: str, **settings: object) -> Rewritten:
    return Synonyms(file=str(file), **settings).rewrite(queries({"q": text}), NoCache())  # type: ignore[arg-type]


def texts(file: Path, lines: str, text: str, **settings: object) -> list[str]:
    file.write_text(lines, encoding="utf-8")
    (own,) = rewritten(file, text, **settings).texts
    return list(own)


def refused(file: Path, content: bytes) -> list[str]:
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        Synonyms(file=str(file))
    return [str(problem).removeprefix(f"{file}:") for problem in caught.value.problems]


def test_each_synonym_gives_a_text_with_its_term_alone_replaced_and_the_question_comes_first(file: Path) -> None:
    lines = "cab\ttaxi\tride\nhotel\tlodging\n"
    assert texts(file, lines, "cab from the hotel") == [
        "cab from the hotel",
        "cab from the lodging",
        "taxi from the hotel",
        "ride from the hotel",
    ]


def test_a_question_without_a_term_is_searched_as_asked(file: Path) -> None:
    assert texts(file, "cab\ttaxi\n", "Who signs？") == ["Who signs？"]


def test_the_longest_term_comes_first_and_no_two_share_a_character(file: Path) -> None:
    lines = "住宿\t酒店\n住宿费\t房费\n"
    assert texts(file, lines, "住宿费多少") == ["住宿费多少", "房费多少"]
    assert texts(file, "ab\tX\nbcd\tY\n", "abcd", max_variants=9) == ["abcd"]
    assert texts(file, "甲乙\tX\n乙丙丁\tY\n", "甲乙丙丁") == ["甲乙丙丁", "甲Y"]


def test_letters_have_word_boundaries_and_chinese_characters_have_none(file: Path) -> None:
    assert texts(file, "cab\ttaxi\n", "cabin and scab and cab") == ["cabin and scab and cab", "cabin and scab and taxi"]
    assert texts(file, "cab\ttaxi\n", "cab_1 or cab1") == ["cab_1 or cab1"]
    assert texts(file, "年假\t休假\n", "带薪年假几天") == ["带薪年假几天", "带薪休假几天"]
    assert texts(file, "WFH\t远程办公\n", "可以WFH吗") == ["可以WFH吗", "可以远程办公吗"]


def test_case_and_width_do_not_matter(file: Path) -> None:
    assert texts(file, "wfh\tremote work\n", "May I ＷＦＨ?") == ["May I ＷＦＨ?", "May I remote work?"]


def test_every_place_of_a_term_is_replaced(file: Path) -> None:
    assert texts(file, "cab\ttaxi\n", "cab or cab") == ["cab or cab", "taxi or taxi"]


def test_appending_gives_one_text_with_the_synonyms_behind_the_question(file: Path) -> None:
    lines = "cab\ttaxi\tride\nhotel\tlodging\n"
    assert texts(file, lines, "cab or taxi to the hotel", mode="append") == ["cab or taxi to the hotel lodging ride"]
    assert texts(file, lines, "nothing", mode="append") == ["nothing"]


def test_what_is_beyond_the_most_is_left_out_and_counted(file: Path) -> None:
    file.write_text("cab\ta\tb\tc\nhotel\td\n", encoding="utf-8")
    found = rewritten(file, "cab hotel", max_variants=2)
    assert found.texts == (("cab hotel", "cab d", "a hotel"),)
    assert found.facts == {"n_changed": 1, "n_terms": 2, "n_terms_met": 2, "n_left_out": 2}


def test_two_terms_that_give_the_same_text_give_it_once(file: Path) -> None:
    assert texts(file, "a b\tx\na\tq\n", "a b") == ["a b", "x"]
    assert texts(file, "aa\tbb\ncc\tdd\n", "aa cc", max_variants=9) == ["aa cc", "bb cc", "aa dd"]


def test_a_mark_crlf_blank_lines_comments_and_cells_left_empty_at_the_end_are_fine(file: Path) -> None:
    file.write_bytes("\ufeff# cabs\r\ncab\t taxi \t\t\r\n\r\n".encode())
    assert rewritten(file, "a cab").texts == (("a cab", "a taxi"),)


def test_every_bad_line_is_named_with_what_was_found_and_expected(file: Path) -> None:
    lines = "cab\ncab\ttaxi\nCAB\tride\nhotel\t\tinn\n—\tx\ninn\tINN\na\tb\tb\n"
    assert refused(file, lines.encode() + b"\xc4\xea\t\xbc\xd9\nx\ty\rz\tw\n") == [
        "1: line: found 'cab' alone, expected a term and at least one synonym, parted by tabs",
        "3: term: found 'CAB', as in line 2, expected each term once, with all its synonyms",
        "4: column 2: found nothing, expected a word or a phrase",
        "5: term: found '—', expected a word or a phrase",
        "6: synonym: found 'INN' a second time, expected words that differ from the term and from each other",
        "7: synonym: found 'b' a second time, expected words that differ from the term and from each other",
        "8: encoding: found byte 0xc4 at position 1, expected UTF-8",
        "9: line: found a carriage return inside it, expected lines that end in LF or CRLF",
    ]


def test_a_file_without_a_line_and_no_file_are_refused(file: Path) -> None:
    (problem,) = refused(file, b"# nothing yet\n")
    assert "synonyms: found no line" in problem
    with pytest.raises(ValueError, match="file: found '/nowhere', expected a file of lines"):
        Synonyms(file="/nowhere")


def test_settings_are_checked(file: Path) -> None:
    file.write_text("cab\ttaxi\n")
    with pytest.raises(ValueError, match="mode: found 'both'"):
        Synonyms(file=str(file), mode="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_variants: found 0"):
        Synonyms(file=str(file), max_variants=0)


def test_the_content_of_the_file_is_part_of_its_identity_and_is_read_once(file: Path) -> None:
    file.write_text("cab\ttaxi\n")
    before = Synonyms(file=str(file))
    file.write_text("cab\tride\n")
    after = Synonyms(file=str(file))
    assert before.fingerprint() != after.fingerprint()
    assert before.rewrite(queries({"q": "cab"}), NoCache()).texts == (("cab", "taxi"),)


LETTERS = st.text(alphabet="ab 年假", min_size=1, max_size=4).filter(lambda text: bool(text.strip()))


@given(st.dictionaries(LETTERS.map(str.strip), st.sampled_from(["x", "休", "y z"]), min_size=1, max_size=6), LETTERS)
def test_the_order_of_the_lines_does_not_matter_and_texts_are_different_and_not_empty(
    tmp_path_factory: pytest.TempPathFactory, table: dict[str, str], text: str
) -> None:
    file = tmp_path_factory.mktemp("lines") / "words.tsv"
    lines = [f"{term}\t{other}\n" for term, other in table.items()]
    one = texts(file, "".join(lines), text)
    assert one == texts(file, "".join(reversed(lines)), text)
    assert one[0] == text
    assert len(set(one)) == len(one)
    assert all(one)
