"""TREC: the files of a track."""

from pathlib import Path

import pytest

from rag_ablation.core.errors import DataError
from tests.data.exchange.ways import given, grades, refused, statuses, taken
from tests.data.folders import native, passage, question, table


def track(folder: Path, **files: str) -> Path:
    folder.mkdir()
    defaults = {
        "corpus.tsv": "FT911-3\tTitle\tText of it.\nFT911-4\t\tOther.\n",
        "topics.tsv": "301\tInternational Organized Crime\n302\tPoliomyelitis\n",
        "qrels.txt": "301 0 FT911-3 1\n301\t0  FT911-4\t0\n",
    }
    for name, text in {**defaults, **files}.items():
        (folder / name).write_bytes(text.encode())
    return folder


def test_a_track_with_mixed_blanks(tmp_path: Path) -> None:
    outcome, benchmark = taken("trec", track(tmp_path / "t"))
    assert grades(benchmark) == {("301", "FT911-3"): 1, ("301", "FT911-4"): 0}
    assert [row.title for row in benchmark.passages.rows] == ["Title", ""]
    assert statuses(benchmark) == {"301": "reviewed", "302": "unreviewed"}
    assert "questions without a judgement, taken as unreviewed: 1 (302)" in outcome.notices


def test_blanks_at_the_end_of_a_line_do_not_count(tmp_path: Path) -> None:
    assert grades(taken("trec", track(tmp_path / "t", **{"qrels.txt": "301 0 FT911-3 2 \t\r\n"}))[1]) == {
        ("301", "FT911-3"): 2
    }


def test_negative_grades_are_never_guessed(tmp_path: Path) -> None:
    folder = track(tmp_path / "t", **{"qrels.txt": "301 0 FT911-3 -2\n301 0 FT911-4 1\n"})
    said = refused("trec", folder)
    assert (
        "qrels.txt:1: score: found -2, expected a whole number from 0 to 62, or say what it means: --grade-map=-2:0"
        in said
    )
    assert grades(taken("trec", folder, grades={-2: 0})[1]) == {("301", "FT911-3"): 0, ("301", "FT911-4"): 1}


def test_ids_stay_as_they_are(tmp_path: Path) -> None:
    files = {"corpus.tsv": "007\ta\nNA\tb\n1e3\tc\n", "qrels.txt": "301 0 007 1\n301 0 NA 1\n302 0 1e3 1\n"}
    assert set(grades(taken("trec", track(tmp_path / "t", **files))[1])) == {
        ("301", "007"),
        ("301", "NA"),
        ("302", "1e3"),
    }


def test_jsonl_in_the_form_of_anserini_and_extra_keys(tmp_path: Path) -> None:
    folder = track(tmp_path / "t")
    (folder / "corpus.tsv").unlink()
    lines = '{"id": "FT911-3", "contents": "one\\ttwo", "url": "u"}\n{"id": "FT911-4", "contents": "x"}\n'
    (folder / "corpus.jsonl").write_text(lines)
    rows = taken("trec", folder)[1].passages.rows
    assert (rows[0].text, rows[0].metadata) == ("one\ttwo", {"url": "u"})


def test_the_four_columns_of_ms_marco_documents_and_a_header(tmp_path: Path) -> None:
    corpus = "docid\turl\ttitle\tbody\nFT911-3\thttp://x\tT\tB\nFT911-4\t\t\tC\n"
    outcome, benchmark = taken("trec", track(tmp_path / "t", **{"corpus.tsv": corpus}))
    assert benchmark.passages.rows[0].metadata == {"url": "http://x"}
    assert "corpus.tsv: the first line is a header, and no row" in outcome.notices


def test_problems_name_the_line(tmp_path: Path) -> None:
    files = {
        "corpus.tsv": "FT911-3\ta\nFT911-4\n",
        "topics.tsv": "301\tx\n301\ty\n",
        "qrels.txt": "301 0 FT911-3\n301 0 FT911-3 yes\n",
    }
    said = refused("trec", track(tmp_path / "t", **files))
    assert "corpus.tsv:2: columns: found 1 column ('FT911-4')" in said
    assert "topics.tsv:2: _id: found '301', which topics.tsv:1 has already, expected each id once" in said
    assert "qrels.txt:1: columns: found 3 columns" in said
    assert "qrels.txt:2: score: found 'yes'" in said
    assert said.startswith(f"{tmp_path / 't'} (TREC) cannot be imported: 4 problems")


def test_two_tables_of_one_kind_need_a_choice(tmp_path: Path) -> None:
    folder = track(tmp_path / "t", **{"topics.jsonl": '{"qid": "301", "text": "x"}\n'})
    assert "questions: found several files: topics.tsv, topics.jsonl" in refused("trec", folder)
    assert statuses(taken("trec", folder, questions="topics.jsonl")[1]) == {"301": "reviewed"}


def test_a_text_with_a_tab_or_a_line_break_goes_to_jsonl_and_that_is_said(tmp_path: Path) -> None:
    folder = native(tmp_path / "n", [passage("d1", "a\tb"), passage("d2", "c\nd")], [question("q1", "one line")])
    outcome, target = given("trec", folder)
    assert "corpus.jsonl in place of corpus.tsv: 2 rows with a tab or a line break" in outcome.notices
    assert outcome.files == ("corpus.jsonl", "dataset.yaml", "qrels.txt", "topics.tsv")
    assert [row.text for row in taken("trec", target)[1].passages.rows] == ["a\tb", "c\nd"]


def test_what_is_lost_is_counted(tmp_path: Path) -> None:
    corpus = [passage("d1", acl=["hr"]), passage("d2", location="1")]
    folder = native(tmp_path / "n", corpus, [question("q1", answer="x"), question("q2", status="no_answer")])
    assert given("trec", folder)[0].losses == (
        "the status no_answer (1 question, read as reviewed or unreviewed)",
        "who may see what: 1 passage with an acl will be open to everyone",
        "fields of passages: acl (1 of 2), location (1 of 2)",
        "fields of questions: answer (1 of 2)",
    )


def test_an_id_with_a_blank_is_refused(tmp_path: Path) -> None:
    folder = native(tmp_path / "n", [passage("d 1"), passage("d2")], qrels=table(("q1", "d 1", 1)))
    with pytest.raises(DataError, match=r"corpus.jsonl:1: _id: found 'd 1', expected an id without blanks"):
        given("trec", folder)
    assert not (tmp_path / "n-trec").exists()


def test_labels_of_documents_are_refused(tmp_path: Path) -> None:
    folder = native(
        tmp_path / "n", [passage("d1", doc_id="D")], qrels=table(("q1", "D", 1)), about="label_unit: document"
    )
    with pytest.raises(DataError, match=r"dataset.yaml: label_unit: found document"):
        given("trec", folder)
