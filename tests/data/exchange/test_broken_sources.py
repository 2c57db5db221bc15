"""Sources that are wrong in one way each: always one clear report, never a trace, and nothing written."""

import json
from pathlib import Path

import pytest

from tests.data.exchange.ways import refused

CSV = {"corpus.csv": "id,text\nd1,a\n", "questions.csv": "id,text,gold\nq1,?,d1\n"}
TREC = {"corpus.tsv": "d1\ta\n", "topics.tsv": "q1\t?\n", "qrels.txt": "q1 0 d1 1\n"}
SAMPLES = {
    "corpus.jsonl": '{"chunk_id": "d1", "text": "a"}\n',
    "samples.jsonl": '{"sample_id": "q1", "question": "?"}\n',
}
BEIR = {
    "corpus.jsonl": '{"_id": "d1", "text": "a"}\n',
    "queries.jsonl": '{"_id": "q1", "text": "?"}\n',
    "qrels/test.tsv": "q1\td1\t1\n",
}
WHOLE = {"csv": CSV, "trec": TREC, "samples": SAMPLES, "beir": BEIR}


@pytest.mark.parametrize(
    ("format_name", "file", "content", "said"),
    [
        ("csv", "corpus.csv", "", "corpus.csv:1: header: found an empty file"),
        ("csv", "corpus.csv", 'id,text\nd1,"a\n', "corpus.csv:2: row: found no valid CSV"),
        ("csv", "corpus.csv", "id,text,text\nd1,a,b\n", "corpus.csv: header: found two columns 'text'"),
        ("csv", "corpus.csv", "id,_id,text\nd1,d1,b\n", "corpus.csv: id: found the columns _id, id"),
        ("csv", "corpus.csv", "id,text,\nd1,a,b\n", "corpus.csv:2: column 3: found 'b'"),
        ("csv", "corpus.csv", "id,text,x:json\nd1,a,{\n", "corpus.csv:2: x:json: found no usable JSON"),
        ("csv", "corpus.csv", "id,text\n,a\n", "corpus.csv:2: _id: found nothing"),
        ("csv", "questions.csv", "id,text,gold\nq1,,d1\n", "questions.csv:2: text: found nothing"),
        ("csv", "qrels.csv", "query-id,corpus-id,score\nq1,d1,1\n", "gold here, and a table of judgements beside it"),
        ("trec", "corpus.tsv", None, "corpus: found none of corpus.tsv"),
        ("trec", "qrels.txt", None, "qrels: found none of qrels.txt"),
        ("trec", "topics.tsv", "q1\ta\tb\n", "topics.tsv:1: columns: found 3 columns"),
        ("samples", "samples.jsonl", None, "questions: found none of samples.jsonl"),
        ("samples", "samples.jsonl", "[1]\n", "samples.jsonl:1: line: found JSON that is no object"),
        ("samples", "samples.jsonl", "{\n", "samples.jsonl:1: line: found no usable JSON"),
        ("samples", "samples.jsonl", '{"sample_id": 3, "question": "?"}\n', "samples.jsonl:1: _id: found the number 3"),
        ("samples", "samples.jsonl", '{"sample_id": "q"}\n', "samples.jsonl:1: text: found nothing"),
        ("samples", "corpus.jsonl", '{"chunk_id": "d"}\n', "corpus.jsonl:1: text: found nothing"),
        (
            "samples",
            "corpus.jsonl",
            '{"chunk_id": "d", "text": "", "title": 3}\n',
            "corpus.jsonl:1: title: found the number 3",
        ),
        (
            "samples",
            "corpus.jsonl",
            '{"chunk_id": "d", "text": "", "acl": "hr"}\n',
            "corpus.jsonl:1: metadata.acl: found 'hr'",
        ),
        ("beir", "corpus.jsonl", '{"_id": "d1"}\n', "corpus.jsonl:1: text: found nothing"),
        ("beir", "corpus.jsonl", '{"_id": "d1", "text": 3}\n', "corpus.jsonl:1: text: found the number 3"),
        ("beir", "corpus.jsonl", '{"_id": "d1", "text": "", "metadata": 3}\n', "corpus.jsonl:1: metadata: found"),
        (
            "beir",
            "corpus.jsonl",
            '{"_id": "d1", "text": "", "a": 1, "metadata": {"a": 1}}\n',
            "corpus.jsonl:1: a: found the key",
        ),
        ("beir", "corpus.jsonl", "", "corpus.jsonl: file: found no passage"),
        ("beir", "queries.jsonl", None, "queries.jsonl: file: found no such file"),
        ("beir", "qrels/test.tsv", None, "qrels/: file: found no .tsv file in it"),
        ("beir", "dataset.yaml", "unit: page\n", "dataset.yaml: unit: found 'page'"),
        ("beir", "dataset.yaml", "a: [\n", "dataset.yaml:"),
    ],
)
def test_one_thing_wrong(tmp_path: Path, format_name: str, file: str, content: str | None, said: str) -> None:
    files: dict[str, str | None] = {**WHOLE[format_name], file: content}
    for name, text in files.items():
        path = tmp_path / "s" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is not None:
            path.write_text(text, encoding="utf-8")
    assert said in refused(format_name, tmp_path / "s")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"data": 3}, "x.json: data: found an object"),
        ({"data": [3]}, "x.json: data[0]: found the number 3"),
        ({"data": [{"title": 3, "paragraphs": []}]}, "x.json: data[0].title: found the number 3"),
        ({"data": [{"title": "t"}]}, "x.json: data[0].paragraphs: found nothing"),
        (
            {"data": [{"title": "t", "paragraphs": [{"qas": []}]}]},
            "x.json: data[0].paragraphs[0].context: found nothing",
        ),
        (
            {"data": [{"title": "t", "paragraphs": [{"context": "c"}]}]},
            "x.json: data[0].paragraphs[0].qas: found nothing",
        ),
    ],
)
def test_a_squad_file_of_another_form(tmp_path: Path, value: object, said: str) -> None:
    (tmp_path / "x.json").write_text(json.dumps(value))
    assert said in refused("squad", tmp_path / "x.json")


def test_a_file_that_was_named_and_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    for name, text in CSV.items():
        (tmp_path / "s" / name).write_text(text)
    said = refused("csv", tmp_path / "s", qrels="judged.csv")
    assert (
        "judged.csv: file: found no such file; in the folder: corpus.csv, questions.csv, expected --qrels FILE" in said
    )
