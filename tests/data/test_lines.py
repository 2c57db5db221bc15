"""How files are cut into lines and records."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import DataError
from rag_ablation.data._report import Report
from rag_ablation.data.jsonl import parse_json, read_lines, read_records
from rag_ablation.data.load import load
from tests.data.folders import jsonl, native, passage, question, table

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IDS = TEXTS.filter(bool)
INNER = "\u2028\u0085\x0b\x0c\x1c\u2029"


def problems(path: Path, **settings: str) -> list[str]:
    with pytest.raises(DataError) as caught:
        load(path, **settings)  # type: ignore[arg-type]
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize("text", [f"a{char}b" for char in INNER])
def test_only_a_newline_ends_a_record(tmp_path: Path, text: str) -> None:
    line = '{"_id": "d1", "text": "' + text + '"}\n'
    found = load(native(tmp_path / "set", corpus=line))
    assert [row.text for row in found.passages.rows] == [text]


def test_a_separator_inside_a_qrels_id_is_part_of_the_id(tmp_path: Path) -> None:
    name = f"d{INNER}1"
    folder = native(tmp_path / "set", corpus=[passage(name)], qrels=table(("q1", name, 1)))
    assert load(folder).passages.ids == (name,)


def test_a_carriage_return_alone_ends_no_record(tmp_path: Path) -> None:
    both = jsonl([passage("d1")]).rstrip() + "\r" + jsonl([passage("d2")])
    assert problems(native(tmp_path / "set", corpus=both)) == [
        f"corpus.jsonl:1: line: found lines that end in a carriage return alone (as on old Macs), {mended('corpus.jsonl')}"
    ]


def mended(file: str) -> str:
    return f"expected lines that end in LF or CRLF: tr '\\r' '\\n' < {file} > new, and put new in its place"


def test_files_from_an_old_mac_give_one_clear_problem_each(tmp_path: Path) -> None:
    corpus, queries = ([passage("d1"), passage("d2")], [question("q1"), question("q2")])
    rows = table(("q1", "d1", 1), ("q2", "d2", 1))
    texts = [text.replace("\n", "\r") for text in (jsonl(corpus), jsonl(queries), rows)]
    folder = native(tmp_path / "set", *texts)
    assert problems(folder) == [
        f"{file}:1: line: found lines that end in a carriage return alone (as on old Macs), {mended(file)}"
        for file in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
    ]


def test_a_carriage_return_inside_a_text_is_text(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus='{"_id": "d1", "text": "a\r{b"}\n')
    assert load(folder).passages.rows[0].text == "a\r{b"


def test_a_line_longer_than_the_limit_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_ablation.data._lines.MOST_LINE_BYTES", 1 << 20)
    folder = native(tmp_path / "set", corpus=[passage("d1"), passage("d2", "x" * (1 << 20)), passage("d1")])
    [said] = problems(folder)
    assert said.startswith("corpus.jsonl:2: line: found a line of more than 1 MiB; the rest was not read")


def test_invalid_utf8_is_a_problem_with_its_line(tmp_path: Path) -> None:
    data = jsonl([passage("d1")]).encode() + b'{"_id": "d2", "text": "\xff"}\n'
    [said] = problems(native(tmp_path / "set", corpus=data))
    first = len(data) - 3  # the byte before the quote, the brace and the newline, counted from 1
    assert data[first - 1] == 0xFF
    assert said.startswith(
        f"corpus.jsonl:2: encoding: found byte 0xff at position 24 (byte {first} of the file), this line alone; "
    )


def test_a_file_that_is_not_plain_gives_one_notice(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + jsonl([passage("d1")]).replace("\n", "\r\n\r\n \t\r\n").encode()
    notices = load(native(tmp_path / "set", corpus=data, about="language: en")).notices
    assert notices == (
        "corpus.jsonl: starts with a byte order mark, has CRLF line ends, has 2 blank lines; read as if it were plain",
    )


def test_a_plain_file_gives_no_notice(tmp_path: Path) -> None:
    assert load(native(tmp_path / "set", about="language: en")).notices == ()


def test_the_last_line_needs_no_newline(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus=jsonl([passage("d1"), passage("d2")]).rstrip("\n"))
    assert len(load(folder).passages) == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"_id": "x", "text": "a", "text": "b"}', "text: found the key twice in one object, expected each key once"),
        ('{"_id": "x", "text": "a", "metadata": {"n": {"k": 1, "k": 1}}}', "k: found the key twice in one object"),
        ('{"_id": "x", "text": "a", "metadata": {"n": NaN}}', "line: found NaN, which is no JSON, expected a finite"),
        ('{"_id": "x", "text": "a", "metadata": {"n": -Infinity}}', "line: found -Infinity, which is no JSON"),
        ('{"_id": "x", "text": "a", "metadata": {"n": 1e999}}', "line: found the number 1e999, which is too large"),
        ('{"_id": "x", "text": "\\ud800"}', "line: found half of a surrogate pair (\\ud…), expected whole characters"),
        ('["x"]', "line: found a list ('x', …), expected one JSON object"),
        ('{"text": "a"}', "_id: found no such key, expected a non-empty string"),
        ('{"_id": 7, "text": "a"}', '_id: found the number 7, expected a non-empty string, for example "7"'),
        ('{"_id": "", "text": "a"}', "_id: found '', expected a non-empty string"),
        ('{"_id": null, "text": "a"}', "_id: found null, expected a non-empty string"),
        ('{"_id": true, "text": "a"}', "_id: found the truth value true, expected a non-empty string"),
        ("[" * 100_000, "line: found JSON nested too deeply, expected one JSON object"),
        ("{", "line: found no valid JSON"),
    ],
)
def test_a_line_that_is_no_sound_record_is_a_problem(tmp_path: Path, line: str, said: str) -> None:
    [found] = problems(native(tmp_path / "set", corpus=jsonl([passage("d1")]) + line + "\n"))
    assert found.startswith(f"corpus.jsonl:2: {said}")


def test_a_repeated_id_names_both_lines(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus=[passage("d1"), passage("d2"), passage("d1")])
    assert problems(folder) == [
        "corpus.jsonl:3: _id: found 'd1' on line 3, which line 1 has already, expected each id once"
    ]


def test_ids_are_kept_byte_for_byte(tmp_path: Path) -> None:
    names = ["007", "7", "NA", "1e3", "\u00e9", "e\u0301", " x ", "null"]
    folder = native(
        tmp_path / "set",
        corpus=[passage(name) for name in names],
        queries=[question(name) for name in names],
        qrels=table(*((name, name, 1) for name in names)),
    )
    found = load(folder)
    assert set(found.passages.ids) == set(found.queries.ids) == set(names)
    assert found.qrels.keys.size == len(names)


@given(st.lists(st.tuples(IDS, TEXTS), max_size=6, unique_by=lambda pair: pair[0]), st.booleans(), st.booleans())
def test_records_survive_every_kind_of_line_end(rows: list[tuple[str, str]], crlf: bool, marked: bool) -> None:
    end = "\r\n" if crlf else "\n"
    text = "".join(json.dumps({"_id": name, "text": text}, ensure_ascii=False) + end for name, text in rows)
    report = Report()
    found = read_records("f", (b"\xef\xbb\xbf" if marked else b"") + text.encode(), report)
    assert report.problems == []
    assert [(row.id, row.values["text"]) for row in found.rows] == rows
    assert len(report.notices) == int(marked or (crlf and bool(rows)))


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_reported(data: bytes) -> None:
    report = Report()
    assert read_lines("f", data, report).complete == (not report.problems)
    read_records("f", data, report)


def test_numbers_keep_their_value() -> None:
    assert parse_json('{"a": [1, 1.5, 12345678901234567890]}') == {"a": [1, 1.5, 12345678901234567890]}
