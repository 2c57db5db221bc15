"""What is searched for instead of a question: joined exactly, recorded, kept, and no change where nothing changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.queries import Queries
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.results import RunResult, StageResult
from rag_ablation.core.visibility import Visibility
from rag_ablation.experiment.experiment import (
    DatasetSettings,
    Experiment,
    LatencySettings,
    Scoring,
    TrackingSettings,
    VariantSettings,
)
from rag_ablation.experiment.latency import measure_latency
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.rewriting import rewriting_table
from rag_ablation.experiment.run import look, run
from rag_ablation.experiment.store import LookingStore, StageStore
from rag_ablation.stages._joining import Wanted, search_texts
from rag_ablation.stages.base import NoCache, Rewritten
from rag_ablation.stages.context import TopContext
from tests.builders import OPEN, evaluation_set, passage, passages, queries
from tests.builders import visibility as visibility_of

CORPUS = passages({f"p{row}": f"text {row}" for row in range(8)})
FOUND: dict[str, Sequence[int]] = {}
"""What a text finds, best first."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A retriever that finds for a text what `FOUND` says, with scores that fall by one."""

    depth: int = 4
    searches: list[tuple[str, ...]] = field(default_factory=list, compare=False)

    libraries = ()

    def fingerprint(self) -> dict[str, object]:
        return {}

    def index(self, corpus, cache):  # type: ignore[no-untyped-def]
        return self

    def search(self, asked: Queries, visible: Visibility) -> StageResult:
        self.searches.append(asked.texts)
        rows = [
            [row for row in FOUND.get(text, ()) if visible.mask(place)[row]][: self.depth]
            for place, text in enumerate(asked.texts)
        ]
        passages_QK = np.array([[*own, *[-1] * (self.depth - len(own))] for own in rows], dtype=np.int32)
        scores_QK = np.where(passages_QK >= 0, 100.0 - np.arange(self.depth), np.nan)
        facts = {"n_queries_seen": len(asked), "n_passages": 8, "warnings": [f"saw {len(asked)}"]}
        return StageResult(Rankings.from_order(passages_QK, scores_QK), facts)


@dataclass(frozen=True, kw_only=True)
class Told:
    """A rewriter that returns what it was told."""

    texts: Mapping[str, tuple[str, ...]]
    remote: bool = False
    complete: bool = True
    asked: list[int] = field(default_factory=list, compare=False)

    libraries = ()

    def fingerprint(self) -> dict[str, object]:
        return {}

    def rewrite(self, questions: Queries, cache: object) -> Rewritten:
        self.asked.append(len(questions))
        texts = tuple(self.texts.get(text, (text,)) for text in questions.texts)
        return Rewritten(texts=texts, facts={"n_made": sum(map(len, texts))}, complete=self.complete)


@pytest.fixture(autouse=True)
def _nothing_found(monkeypatch: pytest.MonkeyPatch) -> None:
    FOUND.clear()


def joined(texts: Sequence[Sequence[str]], depth: int = 4, asked: Sequence[str] | None = None) -> StageResult:
    questions = queries({f"q{place}": text for place, text in enumerate(asked or [own[0] for own in texts])})
    seen = visibility_of(CORPUS, questions, OPEN)
    wanted = Wanted(queries=questions, texts=tuple(map(tuple, texts)), visible=seen)
    return search_texts(Listed(depth=depth), depth, wanted)


def by_hand(lists: Sequence[Sequence[int]], depth: int) -> list[int]:
    """The definition: Σ 1/(60 + rank), exact; then the best single rank, then the id."""
    sums: dict[int, Fraction] = {}
    best: dict[int, int] = {}
    for ranked in lists:
        for rank, row in enumerate(ranked[:depth], start=1):
            sums[row] = sums.get(row, Fraction(0)) + Fraction(1, 60 + rank)
            best[row] = min(rank, best.get(row, rank))
    return sorted(sums, key=lambda row: (-sums[row], best[row], row))[:depth]


def test_two_texts_are_joined_by_exact_sums_of_reciprocal_ranks() -> None:
    FOUND.update({"a": [3, 1, 2], "b": [1, 4]})
    found = joined([("a", "b")]).rankings
    assert found.passages.tolist() == [[1, 3, 4, 2]]
    exact = [Fraction(1, 62) + Fraction(1, 61), Fraction(1, 61), Fraction(1, 62), Fraction(1, 63)]
    np.testing.assert_allclose(found.scores[0], [float(one) for one in exact], rtol=1e-15)


def test_equal_sums_go_to_the_best_rank_and_then_to_the_id() -> None:
    FOUND.update({"a": [5, 2], "b": [4, 2]})
    assert joined([("a", "b")]).rankings.passages.tolist() == [[2, 4, 5, -1]]


def test_a_joined_ranking_is_cut_at_the_depth_of_the_retriever() -> None:
    FOUND.update({"a": [0, 1, 2, 3], "b": [4, 5, 6, 7]})
    assert joined([("a", "b")], depth=2).rankings.passages.tolist() == [[0, 4]]


def test_one_text_keeps_the_ranking_and_scores_of_the_retriever_beside_joined_ones() -> None:
    FOUND.update({"a": [3, 1], "b": [1], "c": [7, 6]})
    found = joined([("a", "b"), ("c",)]).rankings
    assert found.passages[1].tolist() == [7, 6, -1, -1]
    assert found.scores[1, :2].tolist() == [100.0, 99.0]
    assert found.scores[0, 0] < 1


def test_a_text_that_replaces_the_question_is_searched_alone() -> None:
    FOUND.update({"asked": [0], "new": [5]})
    assert joined([("new",)], asked=["asked"]).rankings.passages[:, :1].tolist() == [[5]]


def test_texts_that_find_nothing_join_to_nothing() -> None:
    assert joined([("a", "b")]).rankings.lengths.tolist() == [0]


def test_facts_of_questions_count_over_all_searches_and_those_of_the_corpus_once() -> None:
    facts = joined([("a", "b"), ("c",)]).facts
    assert facts == {
        "n_queries_seen": 3,
        "n_passages": 8,
        "warnings": ["saw 2", "saw 1"],
        "n_texts": 3,
        "n_joined": 1,
    }


LISTS = st.lists(st.lists(st.integers(0, 7), unique=True, max_size=6), min_size=1, max_size=4)


@given(LISTS, st.integers(1, 6), st.randoms(use_true_random=False))
def test_joining_follows_the_definition_and_not_the_order_of_the_texts(lists, depth, drawn) -> None:  # type: ignore[no-untyped-def]
    names = [f"t{place}" for place in range(len(lists))]
    FOUND.update(dict(zip(names, lists, strict=True)))
    one = joined([names, ["alone"]], depth, asked=["t0", "alone"]).rankings
    mixed = drawn.sample(names, len(names))
    other = joined([mixed, ["alone"]], depth, asked=["t0", "alone"]).rankings
    assert one.digest() == other.digest()
    assert [row for row in one.passages[0].tolist() if row >= 0] == by_hand(lists, depth)


# --- the walk


def data() -> EvalSet:
    return evaluation_set(CORPUS, queries({"q1": "a", "q2": "b"}), {"q1": {"p1": 1}, "q2": {"p2": 1}})


def experiment(rewriter: Told | None, retriever: Listed | None = None) -> Experiment:
    names = {"sparse": "listed", "context": "top", **({} if rewriter is None else {"rewrite": "told"})}
    pipeline = Pipeline(
        names=names,
        rewrite=rewriter,
        sparse=retriever or Listed(),  # type: ignore[arg-type]
        context=TopContext(depth=2),
    )
    return Experiment(
        variant=VariantSettings(name="made"),
        pipeline=pipeline,
        dataset=DatasetSettings(path="x"),
        side="none",
        identity=None,
        as_of=None,
        versions="all",  # type: ignore[arg-type]
        scoring=Scoring(cutoffs=(1, 2), measures=("recall", "mrr")),
        latency=None,
        tracking=TrackingSettings(),
    )


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the stages of this file are what tells them apart, their diaries are not."""

    def settings(self: Pipeline) -> dict[str, dict[str, object]]:
        told = {} if self.rewrite is None else {"rewrite": {"name": "told", "texts": dict(self.rewrite.texts)}}  # type: ignore[attr-defined]
        return {**told, "sparse": {"name": "listed"}, "context": {"name": "top"}}

    monkeypatch.setattr(Pipeline, "settings", settings)


def walked(folder: Path, rewriter: Told | None, retriever: Listed | None = None) -> RunResult:
    return run(experiment(rewriter, retriever), data(), StageStore(folder), lambda output: None)


def test_the_rewriter_is_recorded_with_its_facts_and_texts(tmp_path: Path) -> None:
    FOUND.update({"a": [3, 1], "b": [2], "x": [1]})
    found = walked(tmp_path, Told(texts={"a": ("a", "x")}))
    assert found.rewriting is not None
    stage = found.rewriting.stage
    assert (stage.slot, stage.name, stage.point, stage.reused) == ("rewrite", "told", "rewrite", False)
    assert stage.facts == {"n_made": 3}
    assert rewriting_table(data(), found.rewriting) == {
        "query_id": ["q1", "q1", "q2"],
        "place": [1, 2, 1],
        "text": ["a", "x", "b"],
    }
    assert found.outputs[0].result.rankings.passages[:, :2].tolist() == [[1, 3], [2, -1]]
    assert found.points["sparse"].means["recall", 1].value == 1.0


def test_where_nothing_changes_rankings_are_the_same_to_the_bit_and_come_from_the_same_entry(tmp_path: Path) -> None:
    FOUND.update({"a": [3, 1], "b": [2]})
    plain, same = walked(tmp_path, None), walked(tmp_path, Told(texts={}))
    assert [one.digest for one in same.outputs] == [one.digest for one in plain.outputs]
    assert all(one.reused for one in same.outputs)


def test_a_question_that_is_not_rewritten_beside_one_that_is_keeps_its_row_to_the_bit(tmp_path: Path) -> None:
    FOUND.update({"a": [3, 1], "b": [2], "x": [1, 5]})
    plain, other = walked(tmp_path, None), walked(tmp_path, Told(texts={"a": ("x",)}))
    before, after = (one.outputs[0].result.rankings for one in (plain, other))
    np.testing.assert_array_equal(before.passages[1], after.passages[1])
    np.testing.assert_array_equal(before.scores[1], after.scores[1])
    assert after.passages[0, :2].tolist() == [1, 5]


def test_the_questions_as_asked_are_searched_once_for_all_arms(tmp_path: Path) -> None:
    FOUND.update({"a": [3], "b": [2], "x": [1]})
    retriever = Listed()
    walked(tmp_path, None, retriever)
    walked(tmp_path, Told(texts={"a": ("a", "x")}), retriever)
    assert retriever.searches == [("a", "b"), ("x",)]


def test_texts_and_rankings_come_from_the_store_the_second_time(tmp_path: Path) -> None:
    FOUND.update({"a": [3], "b": [2], "x": [1]})
    rewriter = Told(texts={"a": ("a", "x")})
    walked(tmp_path, rewriter)
    again = walked(tmp_path, rewriter)
    assert rewriter.asked == [2]
    assert again.rewriting is not None
    assert again.rewriting.stage.reused
    assert all(one.reused for one in again.outputs)


def test_texts_that_stand_in_for_others_are_not_kept(tmp_path: Path) -> None:
    rewriter = Told(texts={}, complete=False)
    walked(tmp_path, rewriter)
    walked(tmp_path, rewriter)
    assert rewriter.asked == [2, 2]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((), "rewrite, question 'q1': found an empty text or none"),
        ((" ",), "rewrite, question 'q1': found an empty text or none"),
        (("x", "x"), "rewrite, question 'q1': found a text twice"),
    ],
)
def test_what_is_no_text_to_search_for_fails_the_arm(tmp_path: Path, texts: tuple[str, ...], said: str) -> None:
    with pytest.raises(StageError, match=said):
        walked(tmp_path, Told(texts={"a": texts}))


def test_a_passage_that_may_not_be_seen_is_found_by_no_text(tmp_path: Path) -> None:
    corpus = replace(CORPUS, rows=(passage("p0", "secret", acl=["hr"]), *CORPUS.rows[1:]))
    FOUND.update({"a": [0, 1], "x": [0, 2]})
    asked = queries({"q1": "a"}, identity="staff")
    seen = evaluation_set(corpus, asked, {"q1": {"p1": 1}})
    found = run(experiment(Told(texts={"a": ("a", "x")})), seen, StageStore(tmp_path), lambda output: None)
    assert found.outputs[0].result.rankings.passages[:, :3].tolist() == [[1, 2, -1]]
    assert found.counts["access_violations"] == 0


def looked(folder: Path, rewriter: Told) -> dict[str, bool]:
    return {one.slot: one.reused for one in look(experiment(rewriter), data(), LookingStore(folder))}


def test_a_plan_lets_a_local_rewriter_work_and_finds_what_is_stored(tmp_path: Path) -> None:
    rewriter = Told(texts={"a": ("a", "x")})
    assert looked(tmp_path / "none", rewriter) == {"rewrite": False, "sparse": False, "context": False}
    assert not list((tmp_path / "none").rglob("*.json"))
    walked(tmp_path, rewriter)
    assert looked(tmp_path, rewriter) == {"rewrite": True, "sparse": True, "context": True}


def test_a_plan_asks_no_server_and_says_that_the_texts_are_not_in_the_store(tmp_path: Path) -> None:
    rewriter = Told(texts={}, remote=True)
    walked(tmp_path, None)
    assert looked(tmp_path, rewriter) == {"rewrite": False, "sparse": False, "context": False}
    assert rewriter.asked == []
    walked(tmp_path, rewriter)
    assert looked(tmp_path, rewriter) == {"rewrite": True, "sparse": True, "context": True}


# --- serving time


def served(rewriter: Told, retriever: Listed):  # type: ignore[no-untyped-def]
    many = evaluation_set(CORPUS, queries({f"q{row:02}": f"t{row}" for row in range(20)}), {})
    FOUND.update({f"t{row}": [row % 8] for row in range(20)})
    return measure_latency(experiment(rewriter, retriever).pipeline, many, LatencySettings(), NoCache())


def test_rewriting_is_a_step_of_the_timed_answer_and_every_text_is_searched() -> None:
    retriever, rewriter = Listed(), Told(texts={"t0": ("t0", "x", "y")})
    found = served(rewriter, retriever)
    assert list(found.milliseconds) == ["rewrite", "sparse", "context", "end_to_end"]
    assert rewriter.asked == [1] * 40
    assert retriever.searches[:4] == [("t0",), ("x",), ("y",), ("t1",)]


def test_what_asks_a_server_has_no_serving_time_and_says_why() -> None:
    retriever = Listed()
    found = served(Told(texts={}, remote=True), retriever)
    assert found.milliseconds == {}
    assert found.reason == "rewrite=told asks a server, whose time is not this machine's"
    assert retriever.searches == []
