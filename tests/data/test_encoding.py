"""Files that are no UTF-8: one problem a file, with the way out."""

import shutil
import subprocess
from pathlib import Path

import pytest

from rag_ablation.data._encoding import narrow_encoding, wide_encoding
from rag_ablation.data._lines import ICONV_NAMES
from rag_ablation.data.load import load
from tests.data.folders import jsonl, native, passage, question, table
from tests.data.test_lines import problems

CHINESE = "出差住宿每晚不超过三百元。"
WAY = (
    "expected UTF-8: read it with --encoding {name} of `rag-ablation data import native`, or convert it: "
    "iconv -f {upper} -t UTF-8 {file} > new, and put new in its place"
)


def way(file: str, name: str) -> str:
    return WAY.format(file=file, name=name, upper=ICONV_NAMES.get(name, name.upper()))


@pytest.mark.skipif(shutil.which("iconv") is None, reason="no iconv here")
@pytest.mark.parametrize(
    ("encoding", "text"),
    [("gb18030", CHINESE), ("big5", "出差住宿費"), ("latin-1", "Prüfung"), ("cp1252", "it’s £5 – no"), ("utf-16", CHINESE),
     ("utf-16-le", CHINESE), ("utf-16-be", CHINESE), ("utf-32", CHINESE), ("utf-32-le", CHINESE), ("utf-32-be", CHINESE)],
)  # fmt: skip
def test_the_command_that_is_told_mends_the_file(tmp_path: Path, encoding: str, text: str) -> None:
    folder = native(tmp_path / "set", corpus=jsonl([passage("d1", text)]).encode(encoding))
    [found] = problems(folder)
    command = found[found.index("iconv -f") : found.index(" > new")].split()
    done = subprocess.run(command, cwd=folder, capture_output=True, check=True)
    (folder / "corpus.jsonl").write_bytes(done.stdout)
    assert load(folder).passages.rows[0].text == text


def test_gb18030_is_one_problem_with_the_first_byte_and_a_count(tmp_path: Path) -> None:
    lines = [passage("d1", "plain"), *[passage(f"d{n}", CHINESE) for n in range(2, 90)]]
    data = jsonl(lines).encode("gb18030")
    first = next(place for place, byte in enumerate(data) if byte >= 0x80)
    position = first - data.index(b"\n")
    assert problems(native(tmp_path / "set", corpus=data)) == [
        f"corpus.jsonl:2: encoding: found byte 0xb3 at position {position} (byte {first + 1} of the file), "
        f"88 such lines; it looks like gb18030, {way('corpus.jsonl', 'gb18030')}"
    ]


def test_latin_1_is_named(tmp_path: Path) -> None:
    [found] = problems(native(tmp_path / "set", queries=jsonl([question("q1", "Où est le café ?")]).encode("latin-1")))
    assert found.startswith(
        "queries.jsonl:1: encoding: found byte 0xf9 at position 25 (byte 25 of the file), this line "
    )
    assert found.endswith(f"it looks like latin-1, {way('queries.jsonl', 'latin-1')}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_utf_16_is_one_problem_and_no_false_second_one(tmp_path: Path, encoding: str, file: str) -> None:
    folder = native(tmp_path / "set", [passage("d1", CHINESE)], [question("q1")], table(("q1", "d1", 1)))
    text = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_bytes(text.encode(encoding))
    name = "UTF-16" if encoding == "utf-16" else encoding.upper()
    assert problems(folder) == [
        f"{file}:1: encoding: found {name} from the first byte on, {way(file, name.lower())}",
    ]


def test_the_description_may_be_in_another_encoding_too(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")
    (folder / "dataset.yaml").write_bytes(f"name: {CHINESE}\n".encode("gb18030"))
    [found] = problems(folder)
    assert found.startswith("dataset.yaml:1: encoding: found byte 0xb3")


def test_what_cannot_be_told_is_not_guessed(tmp_path: Path) -> None:
    [found] = problems(native(tmp_path / "set", corpus=jsonl([passage("d1", "гостиница")]).encode("cp1251")))
    assert "of an encoding that cannot be told, expected UTF-8: read it with --encoding ENCODING" in found


def test_several_files_are_each_named_once(tmp_path: Path) -> None:
    files = [jsonl([passage("d1", CHINESE)] * 3), jsonl([question("q1", CHINESE)] * 3), table((CHINESE, "d1", 1))]
    found = problems(native(tmp_path / "set", *(text.encode("gb18030") for text in files)))
    assert [said.split(":")[0] for said in found] == ["corpus.jsonl", "queries.jsonl", "qrels.tsv"]


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [
        (CHINESE, "gb18030", "gb18030"),
        ("出差", "gbk", "gb18030"),
        ("第1條 出差人員住宿費，依標準報支", "big5", "big5"),
        ("Prüfung für das Büro", "latin-1", "latin-1"),
        ("été", "latin-1", "latin-1"),
        ("£5 – it’s", "cp1252", "cp1252"),
        ("гостиница стоит дорого", "cp1251", None),
        ("ホテルの費用は", "shift_jis", None),
    ],
)
def test_the_encoding_is_told_by_the_bytes(text: str, encoding: str, told: str | None) -> None:
    assert narrow_encoding([b'{"_id": "d1", "text": "' + text.encode(encoding) + b'"}']) == told


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_are_told_by_mark_or_zeros(encoding: str) -> None:
    assert wide_encoding('{"_id"'.encode(encoding)[:4]) == encoding


@pytest.mark.parametrize("head", [b"", b"{", b"\xef\xbb\xbf{", b'{"_i', "出差".encode()[:4]])
def test_utf_8_is_not_wide(head: bytes) -> None:
    assert wide_encoding(head) is None
