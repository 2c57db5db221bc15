"""Groups stay together; a split is made once and checked at each use."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.corpus import Passage, Passages, Unit
from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import DataError, HoldoutError
from rag_ablation.core.evalset import Benchmark, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.data.load import load
from rag_ablation.holdout import split as split_module
from rag_ablation.holdout.split import (
    Split,
    existing_splits,
    find_split,
    groups,
    make_split,
    read_split,
    side,
    split_notices,
    splits_folder,
    whole,
    write_split,
)
from tests.data import folders as files
from tests.data.folders import native, table

CASE = Path(__file__).parents[1] / "cases" / "25-split-by-answer-location"
COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")


def benchmark(
    passages: Iterable[Passage],
    queries: Iterable[Query],
    gold: Iterable[tuple[str, str, int]],
    labels: Mapping[str, Mapping[str, object]] | None = None,
    label_unit: Unit = Unit.PASSAGE,
) -> Benchmark:
    """By hand, as data/ would make it."""
    corpus = Passages(tuple(sorted(passages, key=lambda row: row.id)))
    asked = Queries(tuple(sorted(queries, key=lambda row: row.id)))
    units = {name: row for row, name in enumerate(corpus.units(label_unit).ids)}
    row_of = {name: row for row, name in enumerate(asked.ids)}
    rows = sorted(gold)
    marks = labels or {}
    return Benchmark(
        name="tiny",
        language="en",
        passages=corpus,
        queries=asked,
        labels=tuple(marks.get(name, {}) for name in asked.ids),
        qrels=Qrels.from_rows(
            np.array([row_of[query] for query, _, _ in rows], dtype=np.int64),
            np.array([units[unit] for _, unit, _ in rows], dtype=np.int64),
            np.array([grade for _, _, grade in rows], dtype=np.int8),
            (len(row_of), len(units)),
        ),
        evidence_groups=EvidenceGroups.none(),
        unit=Unit.PASSAGE,
        label_unit=label_unit,
        identities={},
        fingerprints={
            "corpus": digest_json([[row.id, row.text, row.doc_id, row.location] for row in corpus.rows]),
            "queries": digest_json([[row.id, row.text, row.type, row.group] for row in asked.rows]),
            "labels": digest_json([rows, {name: dict(value) for name, value in marks.items()}]),
        },
    )


def passage(name: str, doc: str = "D", location: str | None = None, version: str | None = None) -> Passage:
    return Passage(id=name, title="", text=name, doc_id=doc, location=location, version=version, metadata={})


def question(name: str, kind: str = "single", group: str | None = None, status: Status = Status.REVIEWED) -> Query:
    return Query(id=name, text=name, type=kind, group=group, status=status, metadata={})


def singles(count: int, kinds: int = 1) -> Benchmark:
    """Questions that share nothing."""
    names = [f"{n:03d}" for n in range(count)]
    return benchmark(
        [passage(f"d{name}", location=name) for name in names],
        [question(f"q{name}", f"t{n % kinds}") for n, name in enumerate(names)],
        [(f"q{name}", f"d{name}", 1) for name in names],
    )


def clustered(sizes: Iterable[int]) -> Benchmark:
    """One location for each size, with so many questions."""
    asked = [(f"q{place:03d}-{n:03d}", f"d{place:03d}") for place, size in enumerate(sizes) for n in range(size)]
    return benchmark(
        [passage(name, location=name) for name in {unit for _, unit in asked}],
        [question(name) for name, _ in asked],
        [(name, unit, 1) for name, unit in asked],
    )


def case_25(order: int = 1) -> Benchmark:
    corpus = [json.loads(line) for line in (CASE / "corpus.jsonl").read_text("utf-8").splitlines()][::order]
    asked = [json.loads(line) for line in (CASE / "queries.jsonl").read_text("utf-8").splitlines()][::order]
    rows = [line.split("\t") for line in (CASE / "qrels.tsv").read_text("utf-8").splitlines()[1:]][::order]
    return benchmark(
        [passage(row["_id"], row["metadata"]["doc_id"], row["metadata"]["location"], "2026") for row in corpus],
        [question(row["_id"], row["metadata"]["type"]) for row in asked],
        [(query, unit, int(grade)) for query, unit, grade in rows],
    )


def numbers(found: Benchmark) -> list[int]:
    return groups(found).tolist()


def test_questions_on_one_location_are_one_group() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="1"), passage("c", location="2")],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "c", 1), ("q2", "a", 1), ("q3", "b", 2)],
    )
    assert numbers(found) == [0, 1, 1]
    assert groups(found).dtype == np.int32


def test_a_clause_of_another_version_is_the_same_location() -> None:
    found = benchmark(
        [passage("a", "travel-2025", "4", "2025"), passage("b", "travel-2026", "4", "2026")],
        [question("q1"), question("q2")],
        [("q1", "a", 1), ("q2", "b", 1)],
    )
    assert numbers(found) == [0, 0]


def test_passages_without_a_location_do_not_join_their_document() -> None:
    found = benchmark([passage("a"), passage("b")], [question("q1"), question("q2")], [("q1", "a", 1), ("q2", "b", 1)])
    assert numbers(found) == [0, 1]


def test_joins_chain() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")],
        [question("q1"), question("q2"), question("q3")],
        [("q1", "a", 1), ("q2", "a", 1), ("q2", "b", 1), ("q3", "b", 1)],
    )
    assert numbers(found) == [0, 0, 0]


def test_a_zero_grade_joins_nothing_and_a_low_grade_does() -> None:
    rows = [("q1", "a", 1), ("q2", "b", 3), ("q3", "b", 1), ("q3", "a", 0)]
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")], [question(f"q{n}") for n in (1, 2, 3)], rows
    )
    assert numbers(found) == [0, 1, 1]


def test_an_explicit_group_joins() -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")],
        [question("q1", group="g"), question("q2"), question("q3", group="g", status=Status.UNREVIEWED)],
        [("q1", "a", 1), ("q2", "b", 1)],
    )
    assert numbers(found) == [0, 1, 0]


def test_an_explicit_group_is_no_location_of_that_name() -> None:
    found = benchmark(
        [passage("x", "D")], [question("q1"), question("q2", group="x", status=Status.UNREVIEWED)], [("q1", "x", 1)]
    )
    assert numbers(found) == [0, 1]


@pytest.mark.parametrize("asked_about", ["a", ["a"], ["b", "a"]])
def test_a_question_without_answer_joins_what_it_was_asked_about(asked_about: object) -> None:
    found = benchmark(
        [passage("a", location="1"), passage("b", location="2")],
        [question("q1"), question("q2", status=Status.NO_ANSWER), question("q3", status=Status.NO_ANSWER)],
        [("q1", "a", 1)],
        {"q2": {"asked_about": asked_about}},
    )
    assert numbers(found) == [0, 0, 1]


def test_labels_of_a_document_join_all_its_clauses() -> None:
    found = benchmark(
        [passage("a", "D", "1"), passage("b", "D", "2"), passage("c", "E", "1")],
        [question("q1"), question("q2"), question("q3", status=Status.NO_ANSWER)],
        [("q1", "D", 1), ("q2", "E", 1)],
        {"q3": {"asked_about": "b"}},
        label_unit=Unit.DOCUMENT,
    )
    assert numbers(found) == [0, 1, 0]


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_case_25_no_seed_parts_questions_of_one_location(share: float) -> None:
    found = case_25()
    for seed in range(100):
        split = make_split(found, name="s", holdout_share=share, seed=seed)
        dev, holdout = set(split.dev), set(split.holdout)
        assert dev
        assert holdout
        assert not dev & holdout
        assert dev | holdout == set(found.queries.ids)
        for pair in ({"q1", "q2"}, {"q3", "q4"}, {"q5", "q6"}, {"q7", "q8"}):
            assert pair <= dev or pair <= holdout
        assert len(holdout) == share * 8


def test_case_25_a_split_does_not_depend_on_the_order_of_lines() -> None:
    for seed in range(100):
        one, other = (make_split(case_25(order), name="s", holdout_share=0.5, seed=seed) for order in (1, -1))
        assert one == other


def test_seeds_give_different_splits() -> None:
    assert len({make_split(case_25(), name="s", holdout_share=0.5, seed=seed).dev for seed in range(100)}) == 6


def test_a_split_is_the_same_on_every_version() -> None:
    split = make_split(singles(12, kinds=2), name="s", holdout_share=0.4, seed=7)
    assert split.holdout == ("q000", "q003", "q006", "q007", "q011")


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("ab")), min_size=6, max_size=40),
    st.sampled_from([0.2, 0.4, 0.5]),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_a_split_never_parts_a_location(rows: list[tuple[int, int, str]], share: float, seed: int) -> None:
    found = benchmark(
        [passage(f"d{n}", location=f"{n // 2}") for n in range(10)],
        [question(f"q{n:02d}", kind) for n, (_, _, kind) in enumerate(rows)],
        {(f"q{n:02d}", f"d{unit}", 1) for n, row in enumerate(rows) for unit in row[:2]},
    )
    try:
        split = make_split(found, name="s", holdout_share=share, seed=seed)
    except HoldoutError as error:
        assert "groups holds" in str(error)  # noqa: PT017
        return
    location = {f"q{n:02d}": {first // 2, second // 2} for n, (first, second, _) in enumerate(rows)}
    places = [{place for name in split.ids(part) for place in location[name]} for part in ("dev", "holdout")]
    assert not places[0] & places[1]
    assert abs(len(split.holdout) - share * len(rows)) <= max(1, 0.05 * len(rows)) + 1e-9


@given(st.permutations(range(6)), st.permutations(range(12)), st.permutations(range(12)), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_a_split_does_not_depend_on_the_order_of_lines(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[int], asked: list[int], rows: list[int], seed: int
) -> None:
    def split(corpus: Iterable[int], asked: Iterable[int], rows: Iterable[int]) -> Split:
        folder = native(
            tmp_path_factory.mktemp("set", numbered=True),
            [files.passage(f"d{n}", doc_id="D", location=str(n)) for n in corpus],
            [files.question(f"q{n:02d}", f"what {n}", type="ab"[n % 2]) for n in asked],
            table(*((f"q{n:02d}", f"d{n // 2}", 1) for n in rows)),
        )
        return make_split(load(folder), name="s", holdout_share=0.4, seed=seed)

    assert split(corpus, asked, rows) == split(range(6), range(12), range(12))


@pytest.mark.parametrize("seed", range(20))
def test_types_and_sizes_are_balanced(seed: int) -> None:
    split = make_split(singles(200, kinds=4), name="s", holdout_share=0.4, seed=seed)
    assert split.audit["share_by_type"] == {f"t{n}": 0.4 for n in range(4)}
    found = clustered([6] * 20 + [1] * 60)
    split = make_split(found, name="s", holdout_share=0.4, seed=seed)
    large = sum(name[1:4] < "020" for name in split.holdout) / 6
    assert 6 <= large <= 10
    assert len(split.holdout) == 72


def test_a_status_is_on_both_sides() -> None:
    found = benchmark(
        [passage(f"d{n}", location=str(n)) for n in range(40)],
        [question(f"q{n:02d}", status=Status.REVIEWED if n < 40 else Status.NO_ANSWER) for n in range(50)],
        [(f"q{n:02d}", f"d{n}", 1) for n in range(40)],
    )
    split = make_split(found, name="s", holdout_share=0.4, seed=0)
    assert sum(name >= "q40" for name in split.holdout) == 4


def test_a_very_large_group_goes_to_the_larger_side() -> None:
    for seed in range(20):
        split = make_split(clustered([60, 10, 10, 10, 10]), name="s", holdout_share=0.25, seed=seed)
        assert len(split.holdout) in (20, 30)


def test_the_audit_says_what_came_of_it() -> None:
    split = make_split(case_25(), name="s", holdout_share=0.25, seed=0)
    assert split.audit == {
        "n": 8,
        "groups": 4,
        "questions_by_side": {"dev": 6, "holdout": 2},
        "groups_by_side": {"dev": 3, "holdout": 1},
        "component_sizes": {"2": 4},
        "share": 0.25,
        "share_by_type": {"single_hop": 0.25},
    }


def test_a_set_of_one_group_is_refused() -> None:
    with pytest.raises(HoldoutError) as caught:
        make_split(clustered([5]), name="s", holdout_share=0.4, seed=0)
    assert str(caught.value) == (
        "no split was written: the holdout side would be empty. Questions that share an answer location or an explicit "
        "group stay together, and the largest of 1 groups holds 5 of 5 questions. "
        "A split needs questions on at least two answer locations"
    )


def test_a_share_that_cannot_be_met_is_refused_with_the_largest_group() -> None:
    with pytest.raises(HoldoutError) as caught:
        make_split(clustered([90, 5, 5]), name="s", holdout_share=0.4, seed=0)
    assert str(caught.value) == (
        "no split was written: the holdout would get 10 of 100 questions (10%) where 40% were asked for. Questions "
        "that share an answer location or an explicit group stay together, and the largest of 3 groups holds 90 of 100 "
        "questions; at most 5 questions off are accepted. Choose a share near 0.10"
    )
    assert len(make_split(clustered([90, 5, 5]), name="s", holdout_share=0.1, seed=0).holdout) == 10


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_a_share_outside_0_and_1_is_refused(share: float) -> None:
    with pytest.raises(HoldoutError, match="the holdout's share must lie between 0 and 1, got"):
        make_split(case_25(), name="s", holdout_share=share, seed=0)


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(HoldoutError, match="the seed must be 0 or more, got -1"):
        make_split(case_25(), name="s", holdout_share=0.5, seed=-1)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", ".hidden", "a\nb", "x" * 61])
def test_a_name_that_is_no_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(HoldoutError, match="a split's name needs letters, digits"):
        make_split(case_25(), name=name, holdout_share=0.5, seed=0)
    with pytest.raises(HoldoutError, match="a split's name needs letters, digits"):
        find_split(tmp_path, tmp_path, "0" * 64, "tiny", name)


def made(seed: int = 0, name: str = "default", found: Benchmark | None = None) -> Split:
    return make_split(found or case_25(), name=name, holdout_share=0.5, seed=seed)


@given(st.integers(2, 12), st.integers(0, 2**63 - 1))
@settings(max_examples=30, deadline=None)
def test_a_split_survives_its_file(tmp_path_factory: pytest.TempPathFactory, count: int, seed: int) -> None:
    split = make_split(singles(count), name="default", holdout_share=0.5, seed=seed)
    file = tmp_path_factory.mktemp("splits") / "new" / "default.json"
    write_split(split, file)
    assert read_split(file) == split
    assert [path.name for path in file.parent.iterdir()] == ["default.json"]


def test_the_file_is_for_people_too(tmp_path: Path) -> None:
    write_split(made(), tmp_path / "default.json")
    text = (tmp_path / "default.json").read_text("utf-8")
    assert '"name": "default",\n  "seed": 0,\n  "holdout_share": 0.5,' in text
    assert f'\n    "{made().dev[0]}": ' in text


def test_the_same_split_may_be_written_again(tmp_path: Path) -> None:
    file = tmp_path / "default.json"
    write_split(made(), file)
    before = file.stat().st_mtime_ns
    write_split(made(), file)
    assert file.stat().st_mtime_ns == before


@pytest.mark.parametrize("old", ["{", None])
def test_a_different_split_is_not_written_over(tmp_path: Path, old: str | None) -> None:
    file = tmp_path / "default.json"
    if old is None:
        write_split(made(), file)
    else:
        file.write_text(old)
    before = file.read_bytes()
    with pytest.raises(HoldoutError, match=r"holds a different split, which stays as it is: choose another name"):
        write_split(made(seed=1), file)
    assert file.read_bytes() == before


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(HoldoutError, match=r"cannot be written: No space left on device"):
        write_split(made(), tmp_path / "default.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"format": 2}, "default.json: format: found 2, expected 1, the form that this version reads"),
        ({"name": "other"}, "default.json: name: found 'other', expected 'default', the name of the file"),
        ({"seed": "0"}, "default.json: seed: found '0', expected a whole number"),
        ({"holdout_share": True}, "default.json: holdout_share: found True, expected a number between 0 and 1"),
        ({"fingerprints": {}}, "default.json: fingerprints: found {}, expected digests of corpus, queries, labels"),
        ({"audit": []}, "default.json: audit: found [], expected an object"),
        ({"dev": {}}, "default.json: dev: found {}, expected question ids with the numbers of their groups"),
        ({"holdout": {"q1": 0.5}}, "default.json: holdout: found {'q1': 0.5}, expected question ids"),
        ({"dev": {"q1": 0}, "holdout": {"q1": 1}}, "default.json: holdout: found 'q1' on both sides, expected each"),
        ({"dev": {"q1": 0}, "holdout": {"q2": 0}}, "default.json: holdout: found group 0 on both sides, expected each"),
    ],
)
def test_a_damaged_split_file_is_refused(tmp_path: Path, edit: dict[str, object], said: str) -> None:
    file = tmp_path / "default.json"
    file.write_text(json.dumps(made().form() | edit))
    with pytest.raises(DataError) as caught:
        read_split(file)
    assert str(caught.value.problems[0]).startswith(said)


@pytest.mark.parametrize(
    ("text", "said"), [("", "no valid JSON"), ("[]", "found list"), ('{"dev": {"q1": 0, "q1": 1}}', "a key twice")]
)
def test_a_file_that_is_no_split_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "default.json"
    file.write_text(text)
    with pytest.raises(DataError, match=said):
        read_split(file)


def test_a_side_holds_its_questions_and_their_groups() -> None:
    found = case_25()
    split = made()
    for name in ("dev", "holdout"):
        part = side(found, split, name)
        assert tuple(found.queries.ids[row] for row in part.query_rows) == split.ids(name)
        assert part.groups.tolist() == [split.groups[query] for query in split.ids(name)]
        assert (part.name, part.split, part.digest) == (name, "default", split.digest())


def test_another_word_for_a_side_is_refused() -> None:
    with pytest.raises(HoldoutError, match="side: found 'test', expected one of: dev, holdout"):
        side(case_25(), made(), "test")


def test_the_whole_set_has_no_split() -> None:
    part = whole(case_25())
    assert (part.name, part.split, part.digest, len(part.query_rows)) == ("none", None, None, 8)
    assert Counter(part.groups.tolist()) == dict.fromkeys(range(4), 2)


def test_added_and_removed_questions_are_named() -> None:
    split = made(found=singles(8))
    with pytest.raises(HoldoutError) as caught:
        side(singles(10), split, "dev")
    assert str(caught.value) == (
        "the split 'default' was made for other data: questions added: q008, q009; labels changed (judgements, answers "
        "or other references). Bring the files back as they were, or make a new split under another name: "
        "rag-ablation data split DIR --name NEW"
    )
    with pytest.raises(HoldoutError, match="questions removed: q007;"):
        side(singles(7), split, "holdout")


def edited(found: Benchmark, **fingerprints: str) -> Benchmark:
    fields = {name: getattr(found, name) for name in Benchmark.__slots__}
    return Benchmark(**(fields | {"fingerprints": {**found.fingerprints, **fingerprints}}))


def test_changed_labels_and_texts_are_told_apart() -> None:
    with pytest.raises(HoldoutError, match=r"other data: labels changed \(judgements"):
        side(edited(case_25(), labels="x"), made(), "dev")
    with pytest.raises(HoldoutError, match=r"other data: texts or metadata of questions changed\."):
        side(edited(case_25(), queries="x"), made(), "dev")


def test_a_changed_corpus_is_said_and_not_refused() -> None:
    found = edited(case_25(), corpus="x")
    assert len(side(found, made(), "dev").query_rows) == 4
    assert split_notices(found, made()) == ("the corpus has changed since the split 'default' was made",)
    assert split_notices(case_25(), made()) == ()


def test_a_corpus_that_joins_both_sides_is_said() -> None:
    now = benchmark(
        [passage(f"d{n:03d}", location="all") for n in range(8)],
        [question(f"q{n:03d}", "t0") for n in range(8)],
        [(f"q{n:03d}", f"d{n:03d}", 1) for n in range(8)],
    )
    said = split_notices(now, made(found=singles(8)))
    assert said[1] == "1 groups of questions with a common answer location now stand on both sides"


DIGEST = "0123456789abcdef" * 4


def test_a_split_is_written_beside_its_dataset(tmp_path: Path) -> None:
    assert splits_folder(tmp_path, tmp_path / "root", DIGEST, "tiny") == tmp_path / "splits"


def test_a_read_only_dataset_has_its_splits_under_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    found = splits_folder(tmp_path, tmp_path / "root", DIGEST, "tiny")
    assert found == tmp_path / "root" / "datasets" / "tiny-0123456789ab" / "splits"


def test_a_dataset_of_the_package_has_its_splits_under_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(split_module, "PACKAGE", tmp_path)
    assert splits_folder(tmp_path / "set", tmp_path / "root", DIGEST, "tiny").is_relative_to(tmp_path / "root")


@pytest.mark.parametrize("name", ["../../etc", "a/b", "..", "c:\\x", "年报 2026"])
def test_a_dataset_name_never_leads_out_of_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    folder = splits_folder(tmp_path, tmp_path / "root", DIGEST, name)
    assert folder.parent.parent == tmp_path / "root" / "datasets"
    assert not set(folder.parent.name) & set("/\\: ")


def test_a_split_is_found_beside_the_dataset_then_under_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    under = root / "datasets" / "tiny-0123456789ab" / "splits"
    write_split(made(seed=1), under / "default.json")
    write_split(made(name="other"), under / "other.json")
    where = (tmp_path, root, DIGEST, "tiny")
    assert find_split(*where, "default").seed == 1
    write_split(made(), tmp_path / "splits" / "default.json")
    assert find_split(*where, "default").seed == 0
    assert existing_splits(*where) == ["default", "other"]


def test_a_missing_split_names_both_ways_on(tmp_path: Path) -> None:
    with pytest.raises(HoldoutError) as caught:
        find_split(tmp_path, tmp_path, DIGEST, "tiny", "default")
    assert f"rag-ablation data split {tmp_path} " in str(caught.value)
    assert str(caught.value).endswith("split=none")
    assert existing_splits(tmp_path, tmp_path, DIGEST, "tiny") == []


def test_where_another_split_stands_the_whole_set_is_not_offered(tmp_path: Path) -> None:
    write_split(made(), tmp_path / "splits" / "default.json")
    with pytest.raises(HoldoutError) as caught:
        find_split(tmp_path, tmp_path, DIGEST, "tiny", "v2")
    assert "there are: default (dataset.split=NAME)" in str(caught.value)
    assert f"rag-ablation data split {tmp_path} --name v2" in str(caught.value)
    assert "split=none" not in str(caught.value)


@pytest.mark.collections
@pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections")
@pytest.mark.parametrize(
    ("name", "n_groups"),
    [
        ("xquad_zh", 240),
        ("xquad_en", 240),
        ("xquad_zh_sentences", 240),
        ("hotpotqa_sample_en", 100),
        ("squad2_en", 131),
    ],
)
def test_real_collections_split_by_location(name: str, n_groups: int) -> None:
    from rag_ablation.data.load import load

    found = load(Path(str(COLLECTIONS)) / name)
    for seed in range(5):
        split = make_split(found, name="s", holdout_share=0.4, seed=seed)
        assert split.audit["groups"] == n_groups
        assert len(split.holdout) / len(found.queries) == pytest.approx(0.4, abs=0.005)
