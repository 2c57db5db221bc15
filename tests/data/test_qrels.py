"""The table of judgements."""

from pathlib import Path

import pytest

from rag_ablation.core.errors import DataError
from rag_ablation.data.load import load
from tests.data.folders import HEADER, native, passage, question, table
from tests.data.test_lines import problems

CASE = Path(__file__).parents[1] / "cases" / "15-qrels-repeated-lines"


def case_folder(folder: Path, file: str) -> Path:
    corpus = [passage(name) for name in "abcxy"]
    return native(folder, corpus=corpus, qrels=(CASE / file).read_bytes(), about="language: en")


def test_case_15_a_contradiction_names_file_lines_field_pair_and_grades(tmp_path: Path) -> None:
    assert problems(case_folder(tmp_path / "set", "qrels.tsv")) == [
        "qrels.tsv:5: score: found two grades for the pair (q1, b): 1 on line 4 and 2 on line 5, "
        "expected one grade for each pair"
    ]


def test_case_15_a_repeated_judgement_counts_once(tmp_path: Path) -> None:
    found = load(case_folder(tmp_path / "set", "qrels-identical.tsv"))
    assert found.qrels.keys.size == 2
    assert found.notices == ("qrels.tsv: line 3 repeats line 2; a repeated judgement counts once",)


def test_many_repeats_are_told_in_one_notice(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", qrels=table(*[("q1", "d1", 1)] * 30), about="language: en")
    [notice] = load(folder).notices
    assert notice.startswith("qrels.tsv: line 3 repeats line 2; line 4 repeats line 2;")
    assert notice.endswith("and 19 more; a repeated judgement counts once")


def test_repeats_do_not_change_the_labels(tmp_path: Path) -> None:
    once = load(native(tmp_path / "once", qrels=table(("q1", "d1", 1))))
    twice = load(native(tmp_path / "twice", qrels=table(("q1", "d1", 1), ("q1", "d1", 1))))
    assert once.fingerprints == twice.fingerprints


@pytest.mark.parametrize(
    "grade", ["1.0", "-0", "-x", "+1", "01", "63", "1e1", " 1", "１", "x", "999999999999999999999"]
)
def test_a_grade_is_a_plain_whole_number_up_to_62(tmp_path: Path, grade: str) -> None:
    assert problems(native(tmp_path / "set", qrels=table(("q1", "d1", grade)))) == [
        f"qrels.tsv:2: score: found {grade!r}, expected a plain whole number from 0 to 62"
    ]


@pytest.mark.parametrize("grade", ["-1", "-2", "-12345678901234567890"])
def test_a_negative_grade_names_the_way_and_is_never_guessed(tmp_path: Path, grade: str) -> None:
    assert problems(native(tmp_path / "set", qrels=table(("q1", "d1", grade)))) == [
        f"qrels.tsv:2: score: found {grade!r}, expected a plain whole number from 0 to 62; what a negative grade means "
        "is never guessed: say it with --grade-map of `rag-ablation data import native`"
    ]


@pytest.mark.parametrize(
    ("row", "found", "near"),
    [
        (("q1 ", "d1", 1), "query-id: found 'q1 '", "'q1'"),
        (("q1", " d1", 1), "corpus-id: found ' d1'", "'d1'"),
        (("q1", "d1\u3000", 1), "corpus-id: found 'd1\\u3000'", "'d1'"),
        (("q1", "d2", 1), "corpus-id: found 'd2'", "'d2 '"),
        (("q1", "ab", 1), "corpus-id: found 'ab'", "'a b'"),
    ],
)
def test_an_id_that_differs_by_white_space_is_told_which_is_meant(
    tmp_path: Path, row: tuple[str, str, int], found: str, near: str
) -> None:
    corpus = [passage("d1"), passage("d2 "), passage("a b")]
    said = problems(native(tmp_path / "set", corpus, qrels=table(("q1", "d1", 1), row)))
    assert said == [f"qrels.tsv:3: {found}, expected {near} (did you mean this one? they differ only by white space)"]


def test_grades_0_and_62_are_good(tmp_path: Path) -> None:
    found = load(native(tmp_path / "set", qrels=table(("q1", "d1", 0), ("q1", "d2", 62))))
    assert found.qrels.grades.tolist() == [0, 62]


@pytest.mark.parametrize("header", ["", "query-id corpus-id score\n", "qid\tdocid\tscore\n", "query-id\tcorpus-id\n"])
def test_the_header_is_needed(tmp_path: Path, header: str) -> None:
    found = problems(native(tmp_path / "set", qrels=header + "q1\td1\t1\n"))
    assert len(found) == 1
    assert found[0].startswith("qrels.tsv:1: header: found ")
    assert found[0].endswith("expected the header query-id corpus-id score, separated by tabs")


def test_an_empty_file_lacks_its_header(tmp_path: Path) -> None:
    assert "qrels.tsv:1: header: found an empty file" in problems(native(tmp_path / "set", qrels=""))[-1]


@pytest.mark.parametrize(
    ("row", "count"), [("q1 d1 1", "1 column"), ("q1\td1", "2 columns"), ("q1\t0\td1\t1", "4 columns")]
)
def test_a_row_has_three_columns(tmp_path: Path, row: str, count: str) -> None:
    [found] = problems(native(tmp_path / "set", qrels=HEADER + row + "\n"))
    assert found.startswith(f"qrels.tsv:2: columns: found {count} ({row!r})")


def test_an_empty_id_is_a_problem(tmp_path: Path) -> None:
    assert problems(native(tmp_path / "set", qrels=HEADER + "\td1\t1\n")) == [
        "qrels.tsv:2: query-id: found nothing, expected an id"
    ]


def test_unknown_ids_are_named(tmp_path: Path) -> None:
    rows = table(("q1", "d1", 1), ("q9", "d1", 1), ("q1", "d9", 0))
    assert problems(native(tmp_path / "set", qrels=rows)) == [
        "qrels.tsv:3: query-id: found 'q9', expected an id of queries.jsonl",
        "qrels.tsv:4: corpus-id: found 'd9', expected an id of the label unit that is in corpus.jsonl, such as 'd1'",
    ]


def test_ids_are_not_called_unknown_where_a_file_could_not_be_read(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus='{"_id": "d1", \n', qrels=table(("q1", "d1", 1)))
    assert [said.split(":")[0] for said in problems(folder)] == ["corpus.jsonl"]


def test_zero_is_judged(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", queries=[question("q1", status="no_answer")], qrels=table(("q1", "d1", 0)))
    assert load(folder).qrels.judged().tolist() == [1]


def test_all_problems_come_in_one_error(tmp_path: Path) -> None:
    rows = table(*((f"q{n}", "d1", 1) for n in range(1, 62)))
    with pytest.raises(DataError) as caught:
        load(native(tmp_path / "set", qrels=rows))
    assert len(caught.value.problems) == 60
    assert str(caught.value).endswith("  … and 10 more")
    assert "(native layout) cannot be used: 60 problems" in str(caught.value)
