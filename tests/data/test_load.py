"""From a folder to a benchmark."""

import os
import shutil
from datetime import date
from pathlib import Path

import pytest

from rag_ablation.core.corpus import Unit
from rag_ablation.core.evalset import LABEL_KEYS
from rag_ablation.core.queries import Status
from rag_ablation.data.load import load
from tests.data.folders import beir, jsonl, native, passage, question, table
from tests.data.test_lines import problems

CASES = Path(__file__).parents[1] / "cases"
COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")


def test_case_13_ids_with_leading_zeros_stay_apart() -> None:
    found = load(CASES / "13-ids-with-leading-zeros")
    assert found.queries.ids == ("001", "1")
    assert found.passages.ids == ("007", "7")
    assert found.qrels.keys.tolist() == [0, 3]


def test_case_14_a_file_from_windows_loads_like_its_clean_copy(tmp_path: Path) -> None:
    found = load(CASES / "14-bom-crlf-blank-lines")
    assert (len(found.passages), len(found.queries), found.qrels.keys.size) == (3, 2, 2)
    assert found.passages.ids[0] == "d1"
    assert sorted(notice.split(":")[0] for notice in found.notices) == [
        "corpus.jsonl", "language not stated", "qrels.tsv", "queries.jsonl",
    ]  # fmt: skip
    for file in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        data = (CASES / "14-bom-crlf-blank-lines" / file).read_bytes()
        lines = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r", b"").split(b"\n")
        (tmp_path / file).write_bytes(b"\n".join(line for line in lines if line) + b"\n")
    assert load(tmp_path).fingerprints == found.fingerprints


def test_fields_reach_the_nouns(tmp_path: Path) -> None:
    known = {
        "doc_id": "D-2026", "location": "4.2", "version": "2026", "family": "F", "acl": ["hr", "legal"],
        "effective_from": "2026-01-01", "effective_to": "2026-12-31", "page": 3,
    }  # fmt: skip
    asked = {"type": "multi_hop", "status": "reviewed", "identity": "hr", "as_of": "2026-06-01", "group": "g", "x": [1]}
    found = load(native(tmp_path / "set", corpus=[passage("d1", "body", **known)], queries=[question("q1", **asked)]))
    [row], [query] = found.passages.rows, found.queries.rows
    assert (row.doc_id, row.location, row.version, row.family) == ("D-2026", "4.2", "2026", "F")
    assert row.acl == {"hr", "legal"}
    assert (row.effective_from, row.effective_to) == (date(2026, 1, 1), date(2026, 12, 31))
    assert row.metadata == {"page": 3}
    assert (query.type, query.status, query.identity) == ("multi_hop", Status.REVIEWED, "hr")
    assert (query.as_of, query.group, query.metadata) == (date(2026, 6, 1), "g", {"x": [1]})


@pytest.mark.parametrize("beside", [False, True])
def test_labels_never_reach_the_question(tmp_path: Path, beside: bool) -> None:
    labels = {"answer": "a", "answers": ["a"], "keypoints": [], "evidence_groups": [["d1"]], "spans": [],
              "asked_about": "d2", "verdicts": {}}  # fmt: skip
    record = question("q1") | labels if beside else question("q1", **labels)
    found = load(native(tmp_path / "set", queries=[record]))
    assert set(labels) == set(LABEL_KEYS)
    assert found.queries.rows[0].metadata == {}
    assert found.labels == (labels,)


def test_a_key_beside_metadata_counts_as_metadata(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus=[{"_id": "d1", "text": "a", "acl": ["hr"], "url": "u"}])
    [row] = load(folder).passages.rows
    assert row.acl == {"hr"}
    assert row.metadata == {"url": "u"}


def test_evidence_groups_become_rows(tmp_path: Path) -> None:
    corpus = [passage("d1"), passage("d2"), passage("d3")]
    asked = [question("q2", evidence_groups=[["d3"], ["d2", "d1", "d2"]]), question("q1")]
    found = load(native(tmp_path / "set", corpus, asked, table(("q1", "d1", 1), ("q2", "d3", 1))))
    groups = found.evidence_groups
    assert groups.query_rows.tolist() == [1, 1, 1]
    assert groups.group_rows.tolist() == [0, 1, 1]
    assert groups.unit_rows.tolist() == [2, 1, 0]


def test_dataset_yaml_is_optional(tmp_path: Path) -> None:
    found = load(native(tmp_path / "my set"))
    assert (found.name, found.unit, found.label_unit, found.identities) == ("my set", Unit.PASSAGE, Unit.PASSAGE, {})
    assert found.notices == ("language not stated: en, by the script of the corpus (say it in dataset.yaml)",)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("出差住宿每晚不超过三百元", "zh"),
        ("Nights at the inn are paid", "en"),
        ("报销 reimbursement 每晚 per night of stay", "mixed"),
        ("гостиница", "mixed"),
        ("123 !?", "mixed"),
        ("A long English sentence that names 北京 once, and no more than that", "en"),
    ],
)
def test_the_language_is_told_by_script(tmp_path: Path, text: str, language: str) -> None:
    assert load(native(tmp_path / "set", [passage("d1", text)])).language == language


def test_other_fields_of_dataset_yaml_are_kept(tmp_path: Path) -> None:
    about = "name: 手册\nlanguage: zh\nlicence: MIT\nsource: {commit: abc}\n"
    found = load(native(tmp_path / "set", about=about))
    assert (found.name, found.language) == ("手册", "zh")
    assert found.about == {"licence": "MIT", "source": {"commit": "abc"}}


def test_a_name_given_by_the_caller_comes_first(tmp_path: Path) -> None:
    assert load(native(tmp_path / "set", about="name: a"), name="b").name == "b"


def test_a_missing_file_names_what_the_folder_should_hold(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", queries=[question("q1", type=3)])
    (folder / "corpus.jsonl").unlink()
    missing, other = problems(folder)
    assert missing == (
        "corpus.jsonl: file: found no such file; in the folder: qrels.tsv, queries.jsonl, expected a folder with "
        "corpus.jsonl, queries.jsonl and qrels.tsv (native layout) or with corpus.jsonl, queries.jsonl and "
        "qrels/<split>.tsv (BEIR layout)"
    )
    assert other.startswith("queries.jsonl:1: metadata.type:")


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    assert problems(tmp_path / "nowhere")[0].startswith("dataset: found no such folder, expected a folder with")
    (tmp_path / "file").touch()
    assert problems(tmp_path / "file")[0].startswith("dataset: found a file, expected a folder with")


def test_an_empty_folder_lists_all_that_is_missing(tmp_path: Path) -> None:
    assert [said.split(":")[0] for said in problems(tmp_path)] == ["corpus.jsonl", "queries.jsonl", "qrels.tsv"]


def test_a_plain_beir_folder_loads_as_it_is(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", {"test": table(("q2", "d2", 1))})
    found = load(folder)
    assert [(row.doc_id, row.location) for row in found.passages.rows] == [("d1", None), ("d2", None)]
    assert found.queries.ids == ("q2",)
    assert "queries.jsonl: 1 of 2 questions have no row in qrels/test.tsv and are not in the set" in found.notices


def test_a_beir_question_with_another_status_needs_no_row(tmp_path: Path) -> None:
    asked = [question("q1"), question("q2", status="no_answer"), question("q3", status="unreviewed"), question("q4")]
    folder = beir(tmp_path / "set", {"test": table(("q1", "d1", 1))}, queries=asked)
    assert load(folder).queries.ids == ("q1", "q2", "q3")


def test_beir_splits_are_chosen_by_name(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", {"dev": table(("q1", "d1", 1)), "test": table(("q2", "d2", 1))})
    assert load(folder, qrels="dev").queries.ids == ("q1",)
    assert load(folder, qrels="test").queries.ids == ("q2",)
    assert problems(folder) == [
        "qrels/: qrels: found several files: dev, test, expected a choice: qrels=<one of dev, test>"
    ]
    assert problems(folder, qrels="train") == ["qrels/: qrels: found qrels=train, expected one of: dev, test"]


def test_a_choice_of_qrels_in_a_native_folder_is_a_problem(tmp_path: Path) -> None:
    assert problems(native(tmp_path / "set"), qrels="test") == [
        "qrels: found qrels=test, and no folder qrels/, expected no such choice: "
        "this folder has one qrels.tsv (native layout)"
    ]


def test_two_layouts_in_one_folder_need_a_choice(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(table(("q1", "d2", 1)))
    assert "layout: found both qrels.tsv (native layout) and qrels/ (BEIR layout)" in problems(folder)[0]
    assert load(folder, qrels="test").qrels.unit_rows.tolist() == [1]


def test_the_same_bytes_are_parsed_once(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")
    copy = shutil.copytree(folder, tmp_path / "elsewhere" / "set")
    assert load(folder) is load(folder)
    assert load(copy) is load(folder)


def test_an_edited_file_is_seen_even_with_its_old_time(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")
    before = load(folder)
    stamp = (folder / "corpus.jsonl").stat()
    (folder / "corpus.jsonl").write_text(jsonl([passage("d1", "tuxt"), passage("d2")]))
    os.utime(folder / "corpus.jsonl", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert load(folder).fingerprints != before.fingerprints


def test_another_template_is_another_benchmark(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")
    assert load(folder, template="<{text}>").passages.texts == ("<text>", "<text>")
    assert load(folder).passages.texts == ("text", "text")


def test_problems_are_told_every_time(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", corpus="")
    assert problems(folder) == problems(folder)


def test_a_dataset_folder_is_only_read(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")
    before = sorted(path.name for path in folder.iterdir())
    load(folder)
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.collections
@pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections")
@pytest.mark.parametrize(
    ("name", "counts", "language"),
    [
        ("xquad_zh", (240, 1190, 1190), "zh"),
        ("xquad_en", (240, 1190, 1190), "en"),
        ("xquad_zh_sentences", (1210, 1190, 1191), "zh"),
        ("xquad_en_sentences", (1213, 1190, 1209), "en"),
        ("hotpotqa_sample_en", (994, 100, 200), "en"),
        ("squad2_en", (131, 1124, 583), "en"),
    ],
)
def test_real_collections_load(name: str, counts: tuple[int, int, int], language: str) -> None:
    found = load(Path(str(COLLECTIONS)) / name)
    assert (len(found.passages), len(found.queries), found.qrels.keys.size) == counts
    assert (found.language, found.notices, bool(found.evidence_groups)) == (language, (), name.startswith("hotpot"))
