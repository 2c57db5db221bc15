"""Unjudged passages: scoring again gives what was recorded, and more labels give what they should."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.measures.evaluate import evaluate
from rag_ablation.measures.uncertainty import paired_difference
from rag_ablation.report.study.content import Unjudged
from rag_ablation.report.study.inputs import ArmResult, Row, StudyResults
from rag_ablation.report.study.unjudged import Heads, unjudged_of
from tests.report.study.made import PRIMARY, Asked, arm, bracket, failed, ladder, study

ASKED = Asked(gold={"q1": {"a": 2, "b": 1, "n": 0}, "q2": {"c": 1}, "q3": {}})
A = arm("A", ASKED, sparse={"q1": ["n", "a", "u"], "q2": ["c"], "q3": ["x"]})
C = arm("C", ASKED, ("A",), sparse={"q1": ["a", "v", "w", "b"], "q2": ["x", "y", "c"], "q3": ["x"]})


def of(results: StudyResults) -> Unjudged:
    found = unjudged_of(results, ladder(results))
    assert found is not None
    return found


def enlarged(child: ArmResult, parent: ArmResult, asked: Asked, lists: Sequence[Mapping[str, Sequence[str]]]) -> float:
    """The difference with every unjudged result of either head relevant, by the measures for plain lists."""
    gold = {
        query: {**{name: 1 for own in lists for name in own[query][:10]}, **grades} if grades else {}
        for query, grades in asked.gold.items()
    }
    values = []
    for own in lists:
        found = evaluate(
            [
                {"id": query, "status": "reviewed" if grades else "no_answer", "gold": grades, "ranked": own[query]}
                for query, grades in sorted(gold.items())
            ],
            cutoffs=[10],
        )
        values.append(
            np.array([found.per_query.get(query, {}).get(("ndcg", 10), np.nan) for query in sorted(gold)], dtype=float)
        )
    mean = paired_difference(values[0], values[1], child.groups).mean
    assert mean is not None
    return mean


def test_shares_of_judged_results_of_both_arms_and_whether_they_differ_by_more_than_the_limit() -> None:
    found = of(study(A, C))
    (step,) = found.steps
    assert (step.label, found.cutoff, found.n) == ("C − A", 10, 2)
    assert step.child == pytest.approx((2 / 4 + 1 / 3) / 2)
    assert step.parent == pytest.approx((2 / 3 + 1) / 2)
    assert step.warned
    assert not of(study(A, replace(A, arm=C.arm))).steps[0].warned


def test_as_scored_is_the_recorded_difference() -> None:
    (step,) = of(study(A, C)).steps
    assert step.as_scored == paired_difference(C.values[PRIMARY], A.values[PRIMARY], C.groups)


def test_scoring_again_on_the_same_labels_gives_the_recorded_values_to_the_last_bit() -> None:
    heads = Heads(PRIMARY)
    for made in (A, C):
        head = heads.of(made)
        assert head is not None
        assert np.array_equal(head.values(head.labels), made.values[PRIMARY], equal_nan=True)


NAMES = [f"p{place}" for place in range(16)]
LISTS = st.lists(st.permutations(NAMES).map(lambda order: order[:12]), min_size=3, max_size=3)


@settings(max_examples=25, deadline=None)
@given(LISTS, LISTS, st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3)), min_size=3, max_size=3))
def test_the_other_reading_is_what_the_measures_give_on_the_enlarged_labels(
    one: list[list[str]], other: list[list[str]], grades: list[dict[str, int]]
) -> None:
    gold = {f"q{place}": own if max(own.values(), default=0) else {} for place, own in enumerate(grades)}
    asked = Asked(gold={**gold, "q9": {"p0": 1}})
    lists = [{f"q{place}": ranked for place, ranked in enumerate(own)} | {"q9": ["p1"]} for own in (one, other)]
    child, parent = arm("C", asked, ("A",), sparse=lists[0]), arm("A", asked, sparse=lists[1])
    (step,) = of(study(parent, child)).steps
    assert step.all_relevant is not None
    assert step.all_relevant.mean == pytest.approx(enlarged(child, parent, asked, lists), abs=1e-12)


def test_where_all_results_are_judged_the_two_readings_are_one() -> None:
    asked = Asked(gold={"q1": {"a": 1, "n": 0, "m": 0}})
    parent = arm("A", asked, sparse={"q1": ["n", "a"]})
    child = arm("C", asked, ("A",), sparse={"q1": ["a", "m"]})
    (step,) = of(study(parent, child)).steps
    assert step.all_relevant == step.as_scored


@pytest.mark.parametrize(
    ("primary", "why"),
    [("final/ndcg@50", "only ten results are recorded"), ("final/evidence_hit@10", "labels alone do not hold groups")],
)
def test_what_recorded_results_cannot_answer_stays_open(primary: str, why: str) -> None:
    made = study(*(replace(own, values={**own.values, primary: own.values[PRIMARY]}) for own in (A, C)))
    found = unjudged_of(replace(made, study=replace(made.study, primary=primary)), ladder(made))
    assert found is not None, why
    assert found.steps[0].all_relevant is None, why


def test_clauses_stay_open_since_a_clause_has_several_passages() -> None:
    asked = Asked(gold={"q1": {"d#1": 1}}, clause_of={"p1": "d#1", "p2": "d#2"})
    parent = arm("A", asked, sparse={"q1": ["p2", "p1"]})
    child = arm("C", asked, ("A",), sparse={"q1": ["p1", "p2"]})
    assert of(study(parent, child)).steps[0].all_relevant is None


def test_results_that_do_not_give_the_recorded_values_are_not_built_upon() -> None:
    damaged = replace(C, values={**C.values, PRIMARY: C.values[PRIMARY] * 0.999})
    assert of(study(A, damaged)).steps[0].all_relevant is None
    assert of(study(damaged, replace(A, arm=replace(C.arm, key="D", parents=("C",))))).steps[0].all_relevant is None


def test_arms_scored_on_different_labels_are_not_scored_on_one() -> None:
    asked = Asked(gold={**ASKED.gold, "q2": {"c": 1, "x": 0}})
    other = arm("C", asked, ("A",), sparse={"q1": ["a"], "q2": ["c"], "q3": ["x"]})
    assert of(study(A, other)).steps[0].all_relevant is None


def test_the_files_of_an_arm_are_read_once() -> None:
    reads: Counter[str] = Counter()

    def counting(made: ArmResult) -> ArmResult:
        def rows(name: str, query: str | None) -> Sequence[Row]:
            reads[f"{made.key} {name}"] += 1
            return made.rows(name, query)

        return replace(made, rows=rows)

    more = [replace(C, arm=replace(C.arm, key=f"C{place}")) for place in range(4)]
    of(study(*map(counting, (A, *more))))
    assert set(reads.values()) == {1}
    assert len(reads) == 5


def test_the_sentence_says_how_much_is_judged_and_where_the_arms_differ_most() -> None:
    one = of(study(A, C)).finding
    assert one.plain().replace("\u00a0", " ") == (
        "Across arms judged@10 runs from 0.417 to 0.833; what is not judged counts as not relevant. "
        "The two arms differ by more than 0.05 on C − A, 0.417 against 0.833 (n 2)."
    )
    assert one.plain("zh").replace("\u00a0", " ") == (
        "各方案的 judged@10 为 0.417 至 0.833；未判定的按不相关计。两方案相差超过 0.05：C − A，0.417 对 0.833（n 2）。"
    )
    same = replace(A, arm=replace(C.arm, key="B"))
    assert "on 1 of 2\u00a0steps; most on C − A" in of(study(A, same, C)).finding.plain()
    twice = replace(same, arm=replace(same.arm, key="E"))
    assert "on none of 2\u00a0steps; most on B − A" in of(study(A, same, twice)).finding.plain()


def test_there_is_no_section_without_a_step_that_can_be_read() -> None:
    nothing = Asked(gold={"q": {}})
    unscored = (arm("A", nothing, sparse={"q": ["x"]}), arm("C", nothing, ("A",), sparse={"q": ["y"]}))
    for made in (study(A), study(A, failed("C", ("A",))), study(A, bracket("Oracle", ASKED)), study(*unscored)):
        assert unjudged_of(made, ladder(made)) is None


def test_there_is_no_section_where_judged_shares_were_not_measured() -> None:
    def without(made: ArmResult) -> ArmResult:
        points = {
            point: {name: mean for name, mean in means.items() if not name.startswith("judged")}
            for point, means in made.record.points.items()
        }
        return replace(made, record=replace(made.record, points=points))

    made = study(without(A), without(C))
    assert unjudged_of(made, ladder(made)) is None
