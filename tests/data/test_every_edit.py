"""An edit of one character is seen by the fingerprint of its part, and the spelling of a file is no edit."""

import json
import random
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import DataError
from rag_ablation.core.evalset import LABEL_KEYS, Benchmark
from rag_ablation.data.load import load
from tests.data.folders import native, passage, question, table
from tests.paths import ROOT

Path_ = tuple[str | int, ...]

ABOUT = """name: set
language: zh
unit: clause
label_unit: passage
identities:
  boss: [hr, finance]
  clerk: [staff]
"""
CORPUS = [
    passage(
        "d1",
        "年假须提前三天申请",
        **{
            "doc_id": "leave-2026",
            "location": "2.1",
            "version": "2026",
            "family": "leave/2.1",
            "acl": ["hr", "finance", "bosx"],
        },
        **{"effective_from": "2026-01-01", "effective_to": "2026-12-31", "note": {"by": ["hr"], "weight": 1.5}},
    )
    | {"title": "年假"},
    passage("d2", "Taxi fares up to 50", doc_id="travel", location="3") | {"title": "Travel", "beside": "kept"},
    passage("d3", "nothing of the kind"),
]
QUERIES = [
    question(
        "q1",
        "年假要提前几天?",
        **{
            "type": "exact",
            "status": "reviewed",
            "identity": "boss",
            "as_of": "2026-05-01",
            "group": "g1",
            "x": [1, "a"],
        },
        **{"answer": "三天", "answers": ["三天", "3 days"], "keypoints": ["three", {"text": "days"}]},
        **{"evidence_groups": [["d1", "d2"]], "spans": [{"corpus_id": "d1", "start": 4, "text": "三天"}]},
        verdicts={"right": "yes"},
    ),
    question("q2", "How much for a taxi?", type="plain"),
    question("q3", "Who may see it?", status="no_answer", asked_about="d3"),
]
QRELS = table(("q1", "d1", 2), ("q1", "d2", 1), ("q2", "d2", 1))
FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv", "dataset.yaml")


BEIR_FILES = ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "dataset.yaml")


def in_native(folder: Path, corpus: object = CORPUS, queries: object = QUERIES, qrels: str = QRELS) -> Path:
    return native(folder, corpus, queries, qrels, ABOUT)  # type: ignore[arg-type]


def in_beir(folder: Path) -> Path:
    in_native(folder)
    (folder / "qrels").mkdir()
    (folder / "qrels.tsv").rename(folder / "qrels" / "test.tsv")
    return folder


LAYOUTS = pytest.mark.parametrize(("made", "files"), [(in_native, FILES), (in_beir, BEIR_FILES)])


def everything(found: Benchmark) -> str:
    """All that a result can follow from, as text, in which 1, 1.0 and true are three."""
    groups = found.evidence_groups
    parts = [
        [asdict(row) | {"acl": row.acl and sorted(row.acl)} for row in found.passages.rows],
        [asdict(row) for row in found.queries.rows],
        list(found.labels),
        [found.qrels.keys.tolist(), found.qrels.grades.tolist()],
        [array.tolist() for array in (groups.query_rows, groups.group_rows, groups.unit_rows)],
        [found.language, found.unit, found.label_unit],
        {name: sorted(set(roles)) for name, roles in found.identities.items()},
    ]
    return json.dumps(parts, sort_keys=True, default=str)


def leaves(value: object, path: Path_ = ()) -> Iterator[Path_]:
    """Paths to everything in a record that is no container."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from leaves(item, (*path, place))
    else:
        yield path


def changed_at(value: object, path: Path_, change: Callable[[object], object]) -> object:
    """A copy in which one leaf is another."""
    if not path:
        return change(value)
    copy = dict(value) if isinstance(value, Mapping) else list(value)  # type: ignore[call-overload]
    copy[path[0]] = changed_at(copy[path[0]], path[1:], change)
    return copy


def by_a_character(value: object) -> object:
    if not isinstance(value, str):
        return value + 1  # type: ignore[operator]
    if value[:4] == "2026" and value[4:5] == "-":
        return value[:-1] + ("0" if value.endswith("31") else "2")
    return value[:-1] + ("y" if value[-1:] == "x" else "x")


def part_of(file: str, path: Path_) -> str:
    return "labels" if file == "queries" and len(path) > 1 and path[1] in LABEL_KEYS else file


def fits_no_more(path: Path_) -> bool:
    """Ids that another line names, and words of a closed set: one character alone makes them wrong."""
    return bool({"_id", "evidence_groups", "asked_about", "status", "spans"} & set(path))


EVERY_LEAF = [
    (file, row, path)
    for file, records in (("corpus", CORPUS), ("queries", QUERIES))
    for row, record in enumerate(records)
    for path in leaves(record)
]


@pytest.mark.parametrize(("file", "row", "path"), [leaf for leaf in EVERY_LEAF if not fits_no_more(leaf[2])])
def test_a_character_of_any_value_changes_the_fingerprint_of_its_part(
    tmp_path: Path, file: str, row: int, path: Path_
) -> None:
    assert changes(tmp_path, file, row, path, by_a_character) == {part_of(file, path)}


@pytest.mark.parametrize(
    ("row", "path", "value"),
    [
        (0, ("metadata", "status"), "unreviewed"),
        (0, ("metadata", "evidence_groups", 0, 0), "d3"),
        (0, ("metadata", "spans", 0, "text"), "三"),
        (0, ("metadata", "spans", 0, "start"), None),
        (2, ("metadata", "asked_about"), "d1"),
        (1, ("_id",), "q9"),
    ],
)
def test_another_fitting_id_or_word_changes_the_fingerprint_of_its_part(
    tmp_path: Path, row: int, path: Path_, value: object
) -> None:
    qrels = QRELS.replace("q2\t", f"{value}\t") if path == ("_id",) else QRELS
    expected = {"queries", "labels"} if path == ("_id",) else {part_of("queries", path)}
    assert changes(tmp_path, "queries", row, path, lambda _: value, qrels) == expected


def test_an_id_of_the_corpus_changes_the_corpus_and_the_labels_that_name_it(tmp_path: Path) -> None:
    before = load(in_native(tmp_path / "before"))
    corpus = changed_at(CORPUS, (2, "_id"), lambda _: "d4")
    queries = changed_at(QUERIES, (2, "metadata", "asked_about"), lambda _: "d4")
    assert differing(before, load(in_native(tmp_path / "after", corpus, queries))) == {"corpus", "labels"}


@pytest.mark.parametrize(
    "qrels",
    [
        QRELS.replace("d1\t2", "d1\t1"),
        QRELS.replace("d1\t2", "d1\t0"),
        QRELS.replace("q2\td2", "q2\td3"),
        QRELS + "q2\td3\t0\n",
    ],
)
def test_a_judgement_changes_the_labels(tmp_path: Path, qrels: str) -> None:
    assert changes(tmp_path, "corpus", 0, (), lambda value: value, qrels) == {"labels"}


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("language: zh", "language: ze", {"about"}),
        ("unit: clause\n", "unit: document\n", {"about"}),
        ("label_unit: passage", "label_unit: clause", {"about", "labels"}),
        ("[hr, finance]", "[hr, finances]", {"about"}),
        ("[hr, finance]", "[hr]", {"about"}),
        ("clerk:", "clerks:", {"about"}),
        ("unit: clause\nlabel_unit: passage", "label_unit: chunk\nunit: clause", set()),
        ("[hr, finance]", "[finance, hr, hr]", set()),
        ("name: set", "name: other\ndescription: of no matter", set()),
    ],
)
def test_settings_that_can_change_a_result_change_a_fingerprint_of_their_own(
    tmp_path: Path, old: str, new: str, parts: set[str]
) -> None:
    corpus = [passage("d1", doc_id="D", location="1")]
    before = native(tmp_path / "before", corpus, [question("q1")], table(("q1", "d1", 1)), ABOUT)
    units = table(("q1", "D#1" if "label_unit: clause" in new else "d1", 1))
    after = native(tmp_path / "after", corpus, [question("q1")], units, ABOUT.replace(old, new))
    assert differing(load(before), load(after)) == parts


@LAYOUTS
@given(st.data())
@settings(max_examples=400, deadline=None)
def test_a_byte_that_is_edited_is_refused_or_seen_or_of_no_effect(
    tmp_path_factory: pytest.TempPathFactory,
    made: Callable[[Path], Path],
    files: Sequence[str],
    data: st.DataObject,
) -> None:
    folder = made(tmp_path_factory.mktemp("set"))
    before = load(folder, name="set")
    edit_a_byte(folder / data.draw(st.sampled_from(files)), data)
    seen_or_of_no_effect(before, folder)


@given(st.data())
@settings(max_examples=15, deadline=None)
def test_an_edited_byte_of_the_handbook_is_refused_or_seen_or_of_no_effect(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("set") / "handbook_zh"
    shutil.copytree(ROOT / "data" / "handbook_zh", folder)
    before = load(folder)
    edit_a_byte(folder / data.draw(st.sampled_from(FILES)), data)
    seen_or_of_no_effect(before, folder)


@LAYOUTS
@given(st.integers(0), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_order_mark_line_ends_blank_lines_and_spelling_are_no_edit(
    tmp_path_factory: pytest.TempPathFactory,
    made: Callable[[Path], Path],
    files: Sequence[str],
    seed: int,
    marked: bool,
    returns: bool,
    ascii_only: bool,
) -> None:
    folder = made(tmp_path_factory.mktemp("set"))
    before = load(folder, name="set")
    chance = random.Random(seed)
    for file in files:
        lines = (folder / file).read_text("utf-8").splitlines()
        if file.endswith(".jsonl"):
            lines = [respelled(line, chance, ascii_only) for line in chance.sample(lines, len(lines))]
        elif file.endswith(".tsv"):
            lines = [lines[0], *chance.sample(lines[1:], len(lines) - 1)]
        lines = [line for row in lines for line in ([row, ""] if chance.random() < 0.3 else [row])]
        end = "\r\n" if returns else "\n"
        text = end.join(lines) + (end if chance.random() < 0.5 else "")
        (folder / file).write_bytes(("\ufeff" if marked else "").encode() + text.encode())
    after = load(folder, name="set")
    assert after.fingerprints == before.fingerprints
    assert everything(after) == everything(before)


def test_what_ships_keeps_the_fingerprints_that_its_splits_carry() -> None:
    for name in ("handbook_zh", "handbook_en"):
        folder = ROOT / "data" / name
        carried = json.loads((folder / "splits" / "default.json").read_text("utf-8"))["fingerprints"]
        assert load(folder).content_fingerprints == carried


def changes(
    folder: Path, file: str, row: int, path: Path_, change: Callable[[object], object], qrels: str = QRELS
) -> set[str]:
    """Which fingerprints differ once one value is another."""
    records: dict[str, list[object]] = {"corpus": [*CORPUS], "queries": [*QUERIES]}
    records[file][row] = changed_at(records[file][row], path, change)
    before, after = in_native(folder / "before"), in_native(folder / "after", **records, qrels=qrels)
    return differing(load(before), load(after))


def differing(before: Benchmark, after: Benchmark) -> set[str]:
    assert before.fingerprints.keys() == after.fingerprints.keys()
    return {part for part in before.fingerprints if before.fingerprints[part] != after.fingerprints[part]}


def edit_a_byte(file: Path, data: st.DataObject) -> None:
    """Replace, remove or add one byte."""
    content = file.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    kept = data.draw(st.sampled_from([0, 1]))
    new = data.draw(
        st.one_of(st.just(b""), st.binary(min_size=1, max_size=1), st.sampled_from([b"0", b"x", b"\n", b"\r"]))
    )
    file.write_bytes(content[: place + kept] + new + content[place + 1 :])


def seen_or_of_no_effect(before: Benchmark, folder: Path) -> None:
    try:
        after = load(folder, name=before.name)
    except DataError:
        return
    if everything(after) != everything(before):
        assert differing(before, after)


def respelled(line: str, chance: random.Random, ascii_only: bool) -> str:
    """The same record with its keys in another order, other blanks and other escapes."""
    return json.dumps(shuffled(json.loads(line), chance), ensure_ascii=ascii_only, separators=(" ,", ":  "))


def shuffled(value: object, chance: random.Random) -> object:
    if isinstance(value, dict):
        return {key: shuffled(value[key], chance) for key in chance.sample(list(value), len(value))}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value
