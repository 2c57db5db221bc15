import math
from collections.abc import Sequence

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.corpus import Passage, Passages, Unit
from rag_ablation.core.errors import ConfigError
from rag_ablation.core.evalset import EvalSet, EvidenceGroups
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Queries, Query, Status
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.visibility import Visibility
from rag_ablation.measures.catalogue import Kind, Ratio, measure, measures, per_question, pooled
from rag_ablation.measures.formulas import find
from rag_ablation.measures.ranking import (
    hits_and_relevant,
    mean,
    question_status,
    recall_parts,
    score,
    score_point,
    slices,
)

CUTOFFS = (1, 2, 3, 5, 10)
N_UNITS = 12


def table(lists: Sequence[Sequence[int]]) -> np.ndarray:
    """Ranked rows, −1 at the right."""
    width = max((len(ranked) for ranked in lists), default=0)
    return np.array([[*ranked, *[-1] * (width - len(ranked))] for ranked in lists], dtype=np.int32).reshape(
        len(lists), width
    )


def judged(labels: Sequence[dict[int, int]], n_units: int = N_UNITS) -> Qrels:
    rows = [(query, unit, grade) for query, units in enumerate(labels) for unit, grade in units.items()]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Qrels.from_rows(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int8), (len(labels), n_units))


def values(lists, labels, name, cutoff, **more) -> list[float]:
    found = find(table(lists), judged(labels), **more)
    status = ["scored" if count else "no_relevant" for count in found.relevant]
    return score(found, status, cutoffs=[cutoff], measures=[name]).per_query[name, cutoff].tolist()


def evalset(
    passages: list[tuple[str, str, str | None]],
    labels: list[dict[int, int]],
    *,
    statuses: list[str] | None = None,
    types: list[str] | None = None,
    removed: list[int] | None = None,
    unit: Unit = Unit.PASSAGE,
    evidence: EvidenceGroups | None = None,
) -> EvalSet:
    n = len(labels)
    rows = tuple(
        Passage(id=name, title="", text=name, doc_id=doc, location=place, metadata={}) for name, doc, place in passages
    )
    corpus = Passages(rows)
    queries = Queries(
        tuple(
            Query(
                id=f"q{i:03}",
                text="?",
                type=(types or ["a"] * n)[i],
                status=Status((statuses or ["reviewed"] * n)[i]),
                metadata={},
            )
            for i in range(n)
        )
    )
    return EvalSet(
        name="tiny",
        language="en",
        split=None,
        side="none",
        passages=corpus,
        queries=queries,
        groups=np.arange(n, dtype=np.int32),
        qrels=judged(labels, len(corpus.units(unit).ids)),
        removed=judged([{0: grade} if grade else {} for grade in removed or [0] * n], len(corpus.units(unit).ids)),
        evidence_groups=evidence or EvidenceGroups.none(),
        label_unit=unit,
        visibility=Visibility(np.zeros(n, dtype=np.int32), np.ones((1, len(rows)), dtype=bool), n),
        fingerprints={},
    )


HANDBOOK = [("a1", "A", "1"), ("a2", "A", "2"), ("a3", "A", "2"), ("b1", "B", "1")]

LISTS = [[3, 0, 7, 1]]
LABELS = [{0: 3, 1: 1, 2: 2, 7: 0}]


@pytest.mark.parametrize(
    ("name", "cutoff", "expected"),
    [
        ("recall", 2, 1 / 3),
        ("recall", 4, 2 / 3),
        ("hit", 1, 0),
        ("hit", 2, 1),
        ("all_hit", 4, 0),
        ("mrr", 1, 0),
        ("mrr", 4, 1 / 2),
        ("precision", 4, 2 / 4),
        ("precision", 10, 2 / 10),
        ("recall_ceiling", 2, 2 / 3),
        ("recall_ceiling", 5, 1),
        ("judged", 4, 3 / 4),
        ("judged", 10, 3 / 4),
        (
            "ndcg",
            4,
            ((2**3 - 1) / math.log2(3) + (2**1 - 1) / math.log2(5))
            / ((2**3 - 1) / math.log2(2) + (2**2 - 1) / math.log2(3) + (2**1 - 1) / math.log2(4)),
        ),
        ("ndcg", 2, (7 / math.log2(3)) / (7 / math.log2(2) + 3 / math.log2(3))),
    ],
)
def test_worked_example(name: str, cutoff: int, expected: float) -> None:
    assert values(LISTS, LABELS, name, cutoff) == [pytest.approx(expected, abs=1e-15)]


def test_relevant_from_governs_what_is_relevant_and_not_the_gains() -> None:
    assert values(LISTS, LABELS, "recall", 4, relevant_from=2) == [1 / 2]
    assert values(LISTS, LABELS, "mrr", 4, relevant_from=3) == [1 / 2]
    assert values(LISTS, LABELS, "ndcg", 4, relevant_from=2) == values(LISTS, LABELS, "ndcg", 4)


def test_an_empty_list_is_a_measured_0_and_its_judged_share_is_undefined() -> None:
    found = find(table([[], [0]]), judged([{0: 1}, {0: 1}]))
    got = score(found, ["scored", "scored"], cutoffs=[3])
    assert got.per_query["recall", 3].tolist() == [0, 1]
    assert got.means["recall", 3].n == 2
    assert got.means["judged", 3].value == 1
    assert got.means["judged", 3].excluded == {"empty_list": 1}
    assert got.means["recall_weighted", 3].reason == "no_weights"
    assert got.means["evidence_hit", 3].reason == "no_evidence_groups"


def test_no_columns_and_no_questions_are_not_0() -> None:
    got = score(find(table([]), judged([])), [], cutoffs=[1])
    for key, value in got.means.items():
        assert value.value is None, key
        assert value.reason == "no_questions"
    assert values([[]], [{0: 1}], "ndcg", 5) == [0]


def test_a_mean_of_nothing_says_why() -> None:
    got = score(find(table([[0], [0]]), judged([{}, {}])), ["unreviewed", "no_answer"], cutoffs=[1])
    for key, value in got.means.items():
        assert (value.value, value.n) == (None, 0), key
        assert value.excluded == {"unreviewed": 1, "no_answer": 1}
        assert value.reason == "no_answer, unreviewed"
    assert all(np.isnan(column).all() for column in got.per_query.values())


def test_evidence_is_hit_when_every_piece_has_a_member_within_the_cut() -> None:
    pieces = EvidenceGroups(
        np.array([0, 0, 0, 1], dtype=np.int32),
        np.array([5, 5, 9, 11], dtype=np.int32),
        np.array([0, 1, 2, 4], dtype=np.int32),
    )
    lists, labels = [[1, 3, 2], [0], [4]], [{0: 1, 1: 1, 2: 1}, {4: 1}, {4: 1}]
    assert values(lists, labels, "evidence_hit", 2, evidence=pieces)[:2] == [0, 0]
    assert values(lists, labels, "evidence_hit", 3, evidence=pieces)[:2] == [1, 0]
    got = score(find(table(lists), judged(labels), evidence=pieces), ["scored"] * 3, cutoffs=[3])
    assert got.means["evidence_hit", 3].value == 1 / 2
    assert got.means["evidence_hit", 3].excluded == {"no_evidence_groups": 1}


def test_pooled_recall_is_hits_over_gold_and_leaves_unscored_questions_out() -> None:
    lists, labels = [[0, 1], [0], [0]], [{0: 1, 1: 1, 2: 1}, {5: 1}, {0: 1}]
    got = score(find(table(lists), judged(labels)), ["scored", "scored", "unreviewed"], cutoffs=[2])
    assert got.means["recall_micro", 2].value == (2 + 0) / (3 + 1)
    assert ("recall_micro", 2) not in got.per_query
    hits, relevant = hits_and_relevant(table(lists), judged(labels), cutoffs=[1, 2])
    assert hits.tolist() == [[1, 2], [0, 0], [1, 1]]
    assert relevant.tolist() == [3, 1, 1]


@pytest.mark.parametrize("bad", [0, -1, True, 2.0, "3", None])
def test_a_cutoff_must_be_a_whole_number(bad: object) -> None:
    found = find(table([[0]]), judged([{0: 1}]))
    with pytest.raises(ValueError, match="cutoffs: found"):
        score(found, ["scored"], cutoffs=[1, bad])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="relevant_from: found"):
        find(table([[0]]), judged([{0: 1}]), relevant_from=bad)  # type: ignore[arg-type]


def test_units_are_collapsed_before_the_cut_and_labels_by_highest_grade() -> None:
    data = evalset(HANDBOOK, [{0: 1, 1: 2, 3: 1}])
    ranked = Rankings.from_order(table([[0, 1, 2, 3]]))
    at = {
        unit: score_point(data, ranked, unit=unit, cutoffs=[2, 3], measures=["recall", "ndcg"]).means for unit in Unit
    }
    assert at[Unit.PASSAGE]["recall", 2].value == 2 / 3
    assert at[Unit.CLAUSE]["recall", 2].value == 2 / 3
    assert at[Unit.CLAUSE]["recall", 3].value == 1
    assert at[Unit.DOCUMENT]["recall", 2].value == 1
    assert at[Unit.DOCUMENT]["ndcg", 2].value == 1


def test_a_unit_finer_than_the_labels_is_refused() -> None:
    data = evalset(HANDBOOK, [{0: 1}], unit=Unit.CLAUSE)
    ranked = Rankings.from_order(table([[0]]))
    with pytest.raises(ConfigError, match="clause or coarser"):
        score_point(data, ranked, unit=Unit.PASSAGE, cutoffs=[1])
    assert score_point(data, ranked, unit=Unit.DOCUMENT, cutoffs=[1]).means["recall", 1].value == 1


def test_status_says_why_a_question_is_in_no_mean() -> None:
    data = evalset(
        HANDBOOK,
        [{0: 2}, {}, {1: 1}, {1: 1}, {}, {2: 0}],
        statuses=["reviewed", "no_answer", "unreviewed", "reviewed", "reviewed", "reviewed"],
        removed=[0, 0, 0, 0, 2, 0],
    )
    assert question_status(data, unit=Unit.PASSAGE, relevant_from=2) == (
        "scored",
        "no_answer",
        "unreviewed",
        "no_relevant",
        "not_visible",
        "no_relevant",
    )
    got = score_point(data, Rankings.from_order(table([[1]] * 6)), unit=Unit.CLAUSE, cutoffs=[1])
    assert got.means["recall", 1].value == 1 / 2
    assert got.means["recall", 1].n == 2
    assert sum(got.means["recall", 1].excluded.values()) == 4
    assert np.isnan(got.per_query["recall", 1][2])


def test_draft_labels_reach_no_mean() -> None:
    ranked = Rankings.from_order(table([[0], [1]]))
    means = [
        score_point(
            evalset(HANDBOOK, [{0: 1}, draft], statuses=["reviewed", "unreviewed"]),
            ranked,
            unit=Unit.PASSAGE,
            cutoffs=[1, 3],
        ).means
        for draft in ({}, {1: 1}, {2: 3, 3: 1})
    ]
    assert means[0] == means[1] == means[2]


def test_recall_parts_give_the_pooled_recall_again() -> None:
    data = evalset(HANDBOOK, [{0: 1, 3: 1}, {1: 1}, {2: 1}], statuses=["reviewed", "reviewed", "unreviewed"])
    ranked = Rankings.from_order(table([[0], [0, 1], [2]]))
    parts = recall_parts(data, ranked, unit=Unit.PASSAGE, cutoffs=[1, 2])
    means = score_point(data, ranked, unit=Unit.PASSAGE, cutoffs=[1, 2]).means
    for cutoff, part in parts.items():
        assert part.numerators.sum() / part.denominators.sum() == means["recall_micro", cutoff].value
    assert parts[2].denominators.tolist() == [2, 1, 0]


def test_weights_by_type_leave_unscored_questions_out() -> None:
    data = evalset(
        HANDBOOK,
        [{0: 1, 1: 1}, {2: 1}, {}],
        types=["multi", "single", "no_answer"],
        statuses=["reviewed", "reviewed", "no_answer"],
    )
    ranked = Rankings.from_order(table([[0], [2], [3]]))

    def weighted(weights: dict[str, float]):
        return score_point(data, ranked, unit=Unit.PASSAGE, cutoffs=[2], type_weights=weights).means[
            "recall_weighted", 2
        ]

    assert weighted({"multi": 3, "single": 1}).value == (3 * 1 / 2 + 1 * 1) / (3 + 1)
    assert weighted({"multi": 0, "single": 0}).value is None
    with pytest.raises(ConfigError, match="also for: single"):
        weighted({"multi": 3})
    for bad in (-1, math.nan, math.inf, True):
        with pytest.raises(ConfigError, match="at least 0"):
            weighted({"multi": bad, "single": 1})


def test_evidence_that_the_view_hides_is_no_longer_needed() -> None:
    pieces = EvidenceGroups(
        np.zeros(2, dtype=np.int32), np.array([0, 1], dtype=np.int32), np.array([0, 3], dtype=np.int32)
    )
    ranked = Rankings.from_order(table([[0]]))
    for labels, expected in (({0: 1, 3: 1}, 0), ({0: 1}, 1)):
        data = evalset(HANDBOOK, [labels], evidence=pieces)
        got = score_point(data, ranked, unit=Unit.DOCUMENT, cutoffs=[1], measures=["evidence_hit"])
        assert got.means["evidence_hit", 1].value == expected


def test_slices_count_what_they_leave_out() -> None:
    got = slices(np.array([1.0, 0.0, np.nan, 0.5]), ["x", "x", "x", "y"], ["scored", "scored", "no_answer", "scored"])
    assert list(got) == ["x", "y"]
    assert (got["x"].value, got["x"].n, got["x"].excluded) == (1 / 2, 2, {"no_answer": 1})
    assert got["y"].value == 0.5


def test_the_catalogue_explains_every_measure_and_refuses_two_of_one_name() -> None:
    known = measures()
    assert list(known) == [
        "recall",
        "recall_micro",
        "recall_weighted",
        "hit",
        "all_hit",
        "evidence_hit",
        "mrr",
        "ndcg",
        "precision",
        "recall_ceiling",
        "judged",
    ]
    assert {name for name, entry in known.items() if entry.kind is Kind.POOLED} == {"recall_micro", "recall_weighted"}
    assert all(entry.explanation.endswith(".") and entry.formula for entry in known.values())
    assert "2^grade − 1" in known["ndcg"].formula
    with pytest.raises(LookupError, match="available: recall, recall_micro"):
        measure("map")
    with pytest.raises(ValueError, match="'recall'"):
        per_question("recall", "Again.", formula="")(lambda found, cutoff: np.zeros(0))
    with pytest.raises(ValueError, match="'ndcg'"):
        pooled("ndcg", "Again.", formula="", absent="")(lambda found, cutoff: Ratio(np.zeros(0), np.zeros(0)))


def rankings_and_labels(min_questions: int = 1):
    question = st.tuples(
        st.permutations(range(N_UNITS)).flatmap(
            lambda order: st.integers(0, N_UNITS).map(lambda length: order[:length])
        ),
        st.dictionaries(st.integers(0, N_UNITS - 1), st.integers(0, 4), max_size=6),
    )
    return st.lists(question, min_size=min_questions, max_size=8)


def scored(data, cutoffs: Sequence[int] = CUTOFFS):
    lists, labels = [list(ranked) for ranked, _ in data], [units for _, units in data]
    found = find(table(lists), judged(labels))
    status = ["scored" if count else "no_relevant" for count in found.relevant]
    return found, status, score(found, status, cutoffs=cutoffs)


@given(rankings_and_labels())
def test_values_lie_between_0_and_1_and_grow_with_the_cutoff_where_they_must(data) -> None:
    _, _, got = scored(data)
    for name in ("recall", "hit", "all_hit", "mrr", "recall_ceiling"):
        columns = np.array([got.per_query[name, cutoff] for cutoff in CUTOFFS])
        assert np.all(np.diff(columns, axis=0)[:, ~np.isnan(columns[0])] >= 0), name
    for key, column in got.per_query.items():
        there = column[~np.isnan(column)]
        assert np.all((there >= 0) & (there <= 1)), key
    for cutoff in CUTOFFS:
        recall, ceiling = got.per_query["recall", cutoff], got.per_query["recall_ceiling", cutoff]
        assert np.all((recall <= ceiling)[~np.isnan(recall)])


@given(rankings_and_labels())
def test_pooled_recall_is_recall_weighted_by_the_number_of_relevant_units(data) -> None:
    found, status, got = scored(data)
    keep = np.array([word == "scored" for word in status])
    for cutoff in CUTOFFS:
        pooled_mean = got.means["recall_micro", cutoff].value
        if not keep.any():
            assert pooled_mean is None
            continue
        recall = got.per_query["recall", cutoff][keep]
        assert pooled_mean == pytest.approx(np.average(recall, weights=found.relevant[keep]), abs=1e-12)


@given(rankings_and_labels(2), st.randoms(use_true_random=False))
def test_the_order_of_questions_changes_no_bit_of_a_mean(data, random) -> None:
    shuffled = list(data)
    random.shuffle(shuffled)
    assert scored(data)[2].means == scored(shuffled)[2].means


@given(rankings_and_labels(), st.randoms(use_true_random=False))
def test_reranking_a_pool_keeps_its_recall(data, random) -> None:
    depth = 5
    pools = [(list(ranked)[:depth], units) for ranked, units in data]
    reranked = [(random.sample(ranked, len(ranked)), units) for ranked, units in pools]
    for name in ("recall", "hit", "all_hit", "judged"):
        before, after = scored(pools)[2], scored(reranked)[2]
        assert before.means[name, depth] == after.means[name, depth]


@given(rankings_and_labels(), st.permutations(range(N_UNITS)))
def test_the_numbering_of_units_means_nothing(data, number) -> None:
    renamed = [
        ([number[unit] for unit in ranked], {number[unit]: grade for unit, grade in units.items()})
        for ranked, units in data
    ]
    before, after = scored(data)[2], scored(renamed)[2]
    assert before.means == after.means


@given(rankings_and_labels())
def test_the_gold_in_order_of_grade_is_perfect(data) -> None:
    ideal = [(sorted(units, key=lambda unit: -units[unit]), units) for _, units in data]
    _, _, got = scored(ideal)
    for cutoff in CUTOFFS:
        assert got.means["ndcg", cutoff].value in (1, None)
        assert got.means["recall", cutoff].value == got.means["recall_ceiling", cutoff].value


def random_run(seed: int) -> tuple[list[list[int]], list[dict[int, int]]]:
    rng = np.random.default_rng(seed)
    lists, labels = [], []
    for _ in range(40):
        order = rng.permutation(N_UNITS * 3)[: rng.integers(1, 25)]
        gold = rng.permutation(N_UNITS * 3)[: rng.integers(1, 8)]
        grades = rng.integers(0, 4, size=gold.size)
        grades[0] = 1 + rng.integers(0, 3)
        lists.append(order.tolist())
        labels.append(dict(zip(gold.tolist(), grades.tolist(), strict=True)))
    return lists, labels


@pytest.mark.parametrize("seed", range(5))
def test_two_other_evaluators_agree(seed: int) -> None:
    lists, labels = random_run(seed)
    found = find(table(lists), judged(labels, N_UNITS * 3))
    got = score(found, ["scored"] * len(lists), cutoffs=CUTOFFS)
    cuts = ",".join(map(str, CUTOFFS))
    run = {f"q{i}": {f"d{d}": float(100 - rank) for rank, d in enumerate(ranked)} for i, ranked in enumerate(lists)}
    plain = {f"q{i}": {f"d{d}": grade for d, grade in units.items()} for i, units in enumerate(labels)}
    gains = {q: {d: 2**grade - 1 for d, grade in units.items()} for q, units in plain.items()}
    wanted = {f"recall.{cuts}", f"P.{cuts}", f"success.{cuts}"}
    theirs = pytrec_eval.RelevanceEvaluator(plain, wanted).evaluate(run)
    graded = pytrec_eval.RelevanceEvaluator(gains, {f"ndcg_cut.{cuts}"}).evaluate(run)
    for cutoff in CUTOFFS:
        cut = {q: dict(list(items.items())[:cutoff]) for q, items in run.items()}
        first = pytrec_eval.RelevanceEvaluator(plain, {"recip_rank"}).evaluate(cut)
        named = [ir_measures.RR @ cutoff, ir_measures.Judged @ cutoff, ir_measures.R @ cutoff]
        other = {
            (str(value.measure), value.query_id): value.value for value in ir_measures.iter_calc(named, plain, run)
        }
        for i in range(len(lists)):
            q = f"q{i}"
            expected = {
                "recall": theirs[q][f"recall_{cutoff}"],
                "precision": theirs[q][f"P_{cutoff}"],
                "hit": theirs[q][f"success_{cutoff}"],
                "ndcg": graded[q][f"ndcg_cut_{cutoff}"],
                "mrr": first[q]["recip_rank"],
            }
            for name, value in expected.items():
                assert got.per_query[name, cutoff][i] == pytest.approx(value, abs=1e-9), (name, cutoff, q)
            assert got.per_query["mrr", cutoff][i] == pytest.approx(other[f"RR@{cutoff}", q], abs=1e-9)
            assert got.per_query["recall", cutoff][i] == pytest.approx(other[f"R@{cutoff}", q], abs=1e-9)
            if len(lists[i]) >= cutoff:  # theirs divides by K, not by what was returned
                assert got.per_query["judged", cutoff][i] == pytest.approx(other[f"Judged@{cutoff}", q], abs=1e-9)


def test_a_mean_is_rounded_once() -> None:
    numbers = np.array([0.1] * 10 + [1e16, 1.0, -1e16])
    assert mean(numbers, ["scored"] * 13).value == 2.0 / 13
