"""An evaluation set whose passages are cut: who is asked, what is gold, at which unit."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.corpus import Passages, Unit
from rag_ablation.core.errors import ConfigError
from rag_ablation.core.evalset import EvalSet, EvidenceGroups
from rag_ablation.core.visibility import Access
from rag_ablation.data.load import load
from rag_ablation.experiment.chunking import Cutter, chunked, chunking_notices, chunking_threats
from rag_ablation.experiment.gold import passage_gold
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.holdout.split import whole
from rag_ablation.measures.ranking import NOT_COVERED, question_status
from rag_ablation.stages.bm25 import Bm25
from rag_ablation.stages.chunking import FixedChunker
from tests.builders import evaluation_set, passage, queries
from tests.experiment.test_run import experiment

COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")
CORPUS = Passages(
    (
        passage("a", "AAAAA BBBB", doc_id="d1", location="1"),
        passage("b", "CCCCC DDDD", doc_id="d1", location="2", acl=["hr"]),
        passage("c", "EEEEE FFFF", doc_id="d2", location="1"),
    )
)
QUESTIONS = queries({"q1": "?", "q2": "?"})
GOLD = {"q1": {"a": 2, "c": 1}, "q2": {"c": 1}}
SPANS: Mapping[str, Mapping[str, object]] = {
    "q1": {"spans": [{"corpus_id": "a", "start": 6, "text": "BBBB"}, {"corpus_id": "c", "start": 0, "text": "EEEEE"}]},
    "q2": {"spans": [{"corpus_id": "c", "text": "FFFF"}]},
}


def source(access: Access | None = None) -> EvalSet:
    return evaluation_set(CORPUS, QUESTIONS, GOLD, *([access] if access else []))


def cut(
    data: EvalSet, unit: Unit | None, labels: Mapping[str, Mapping[str, object]] = SPANS, **settings: object
) -> EvalSet:
    chunker = FixedChunker(**{"size": 5, **settings})  # type: ignore[arg-type]
    return chunked(data, labels, Cutter("fixed", chunker), unit)


def gold(data: EvalSet) -> dict[tuple[str, str], int]:
    units, qrels = data.label_units().ids, data.qrels
    rows = zip(qrels.query_rows.tolist(), qrels.unit_rows.tolist(), qrels.grades.tolist(), strict=True)
    return {(data.queries.ids[query], units[unit]): grade for query, unit, grade in rows}


def test_at_the_passage_the_chunks_that_hold_the_spans_are_gold() -> None:
    data = cut(source(), Unit.PASSAGE)
    assert data.passages.ids == ("a@0-5", "a@5-10", "b@0-5", "b@5-10", "c@0-5", "c@5-10")
    assert gold(data) == {("q1", "a@5-10"): 2, ("q1", "c@0-5"): 1, ("q2", "c@5-10"): 1}


@pytest.mark.parametrize("unit", [Unit.CLAUSE, Unit.DOCUMENT])
def test_labels_at_a_clause_or_document_are_those_of_the_uncut_set(unit: Unit) -> None:
    data, uncut = cut(source(), unit, labels={}), source()
    larger = uncut.passages.units(unit)
    expected = uncut.qrels.project(larger.rows, len(larger.ids))
    assert data.label_units().ids == larger.ids
    assert data.qrels.keys.tolist() == expected.keys.tolist()
    assert data.qrels.grades.tolist() == expected.grades.tolist()


def test_without_a_unit_it_is_the_clause_where_all_have_a_location_else_the_document() -> None:
    data = cut(source(), None)
    assert data.label_unit is Unit.CLAUSE
    assert any("scored at the unit clause" in said for said in chunking_notices(data))
    rows = (*CORPUS.rows[:2], replace(CORPUS.rows[2], location=None))
    bare = evaluation_set(Passages(rows), QUESTIONS, GOLD)
    assert cut(bare, None).label_unit is Unit.DOCUMENT


def test_a_cut_gold_passage_without_a_span_is_refused_at_the_passage_and_named() -> None:
    with pytest.raises(ConfigError, match=r"unit: found 'passage'.*q2 → c.*without_spans=whole"):
        cut(source(), Unit.PASSAGE, labels={"q1": SPANS["q1"]})


def test_by_setting_all_chunks_of_such_a_passage_are_gold() -> None:
    data = cut(source(), Unit.PASSAGE, labels={"q1": SPANS["q1"]}, without_spans="whole")
    assert {unit for query, unit in gold(data) if query == "q2"} == {"c@0-5", "c@5-10"}
    assert any("1 without a usable span" in said for said in chunking_notices(data))


def test_labels_of_a_document_say_nothing_about_its_clauses() -> None:
    uncut = source()
    documents = uncut.passages.units(Unit.DOCUMENT)
    coarse = replace(uncut, qrels=uncut.qrels.project(documents.rows, 2), label_unit=Unit.DOCUMENT)
    with pytest.raises(ConfigError, match="document or coarser"):
        cut(coarse, Unit.CLAUSE)
    assert cut(coarse, None).label_unit is Unit.DOCUMENT


def test_access_is_inherited_from_the_source_passage() -> None:
    access = Access(identity="staff", identities={})
    data = cut(source(access), None)
    assert data.visibility.mask(0).tolist() == [True, True, False, False, True, True]
    assert data.fingerprints["visibility"] == source(access).visibility.digest()


def test_questions_groups_and_fingerprints_are_those_of_the_uncut_set() -> None:
    uncut = source()
    one, two = cut(uncut, None), cut(uncut, None, size=4)
    for data in (one, two):
        assert data.queries is uncut.queries
        assert data.groups is uncut.groups
        assert {name: data.fingerprints[name] for name in uncut.fingerprints} == uncut.fingerprints
    assert one.fingerprints["chunks"] != two.fingerprints["chunks"]
    assert one.fingerprints["mapping"] == "span-coverage/1"


def test_a_question_whose_span_no_chunk_covers_is_excluded_with_the_reason() -> None:
    data = cut(source(), Unit.PASSAGE, size=2, coverage=0.8)
    status = question_status(data, unit=Unit.PASSAGE)
    assert status == (NOT_COVERED, NOT_COVERED)
    assert chunking_threats(data, np.array([False, False]))[0].startswith(
        "chunking fixed 2/0: 2 questions are in no mean"
    )
    assert question_status(cut(source(), Unit.CLAUSE, size=2, coverage=0.8), unit=Unit.CLAUSE) == ("scored", "scored")


def test_a_group_is_met_by_the_chunk_that_covers_its_member() -> None:
    rows = np.array([0, 0], dtype=np.int32)
    groups = EvidenceGroups(rows, np.array([0, 1], dtype=np.int32), np.array([0, 2], dtype=np.int32))
    data = cut(replace(source(), evidence_groups=groups), Unit.PASSAGE)
    ids = data.passages.ids
    members = zip(data.evidence_groups.group_rows.tolist(), data.evidence_groups.unit_rows.tolist(), strict=True)
    assert {(group, ids[unit]) for group, unit in members} == {(0, "a@5-10"), (1, "c@0-5")}
    at_clause = cut(replace(source(), evidence_groups=groups), Unit.CLAUSE)
    assert {at_clause.label_units().ids[unit] for unit in at_clause.evidence_groups.unit_rows} == {"d1#1", "d2#1"}


def test_the_oracle_is_handed_the_chunks_with_the_evidence_at_any_unit() -> None:
    for unit in (Unit.PASSAGE, Unit.DOCUMENT):
        data = cut(source(), unit)
        found = passage_gold(data)
        assert {data.passages.ids[row] for row in found.unit_rows} == {"a@5-10", "c@0-5", "c@5-10"}


def test_a_sample_keeps_its_own_counts() -> None:
    data = cut(source(), Unit.PASSAGE)
    assert data.relabelling is not None
    assert data.relabelling.counts()["spans"] == 3
    one = data.sample([1])
    assert one.relabelling is not None
    assert one.relabelling.counts()["spans"] == 1
    assert {one.passages.ids[row] for row in passage_gold(one).unit_rows} == {"c@5-10"}


def test_another_chunking_is_another_key_of_the_store(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    pipeline = Pipeline(
        names={"sparse": "bm25", "chunking": "fixed"}, sparse=Bm25(analyser="words"), chunking=FixedChunker(size=5)
    )
    reused = [
        run(experiment(pipeline), cut(source(), None, size=size), store, lambda output: None).outputs[0].reused
        for size in (5, 4, 5)
    ]
    assert reused == [False, False, True]


def test_chunking_counts_are_in_the_record(tmp_path: Path) -> None:
    pipeline = Pipeline(
        names={"sparse": "bm25", "chunking": "fixed"}, sparse=Bm25(analyser="words"), chunking=FixedChunker(size=8)
    )
    data = cut(source(), Unit.PASSAGE, size=8)
    counts = run(experiment(pipeline), data, StageStore(tmp_path), lambda output: None).counts
    assert (counts["passages"], counts["chunking_sources"]) == (6, 3)
    assert (counts["chunking_spans"], counts["chunking_spans_split"], counts["chunking_gold_lost"]) == (3, 2, 0)


@pytest.mark.collections
@pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections")
@pytest.mark.parametrize(("name", "size", "n_split"), [("xquad_zh", 128, 42), ("xquad_en", 256, 67)])
def test_fixed_windows_split_as_many_answers_as_the_collections_notes_say(name: str, size: int, n_split: int) -> None:
    from rag_ablation.core.evalset import evalset

    benchmark = load(Path(str(COLLECTIONS)) / name)
    data = evalset(benchmark, whole(benchmark), Access(identities={}))
    labels = dict(zip(benchmark.queries.ids, benchmark.labels, strict=True))
    found = cut(data, Unit.PASSAGE, labels, size=size).relabelling
    assert found is not None
    counts = found.counts()
    assert (counts["spans"], counts["spans_split"], counts["spans_not_located"]) == (1190, n_split, 0)
    assert counts["gold_lost"] == 0
