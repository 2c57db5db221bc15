"""Checks of what the stages and runs recorded: each finds what it is for."""

from typing import Any

import pytest

from rag_ablation.experiment.study import Role, StudyArm, Sweep
from rag_ablation.report.study.checks.times import contains
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.missing import missing_of
from tests.report.study.build import (
    DENSE,
    DIGESTS,
    ENVIRONMENT,
    RERANK,
    RRF,
    arm,
    bracket,
    failed,
    stage,
    study,
    timing,
)
from tests.report.study.test_threats import HIGH, LOW, A, B, N, made, measured, one


def test_arms_that_were_not_reached_are_named_together_with_the_reason() -> None:
    declared = [StudyArm(key=key, role=Role.LADDER, overrides=(), parents=("A",)) for key in ("Y", "Z", "Q")]
    why = "an arm before it failed (study.fail_fast=true)"
    arms, never = (A, failed("B", parents=("A",))), {"undeclared": declared, "not_reached": {"Y": why, "Z": why}}
    each = missing_of(study(*arms, **never))
    assert [text.plain() for text in each] == [
        "B failed: no model",
        "Q was not run",
        f"Y and Z were not reached: {why}",
    ]
    assert each[-1].plain("zh") == f"Y 和 Z 未运行到：{why}"
    assert f"Y and Z were not reached: {why}" in measured(one(made(*arms, **never), "Arms that are missing"))


def test_a_language_mismatch_that_a_stage_recorded_is_high_and_names_the_arms() -> None:
    warning = "dense: language mismatch: the model 'minilm' reads English only"
    wrong = arm("B", HIGH, parents=("A",), settings=DENSE, threats=(warning,))
    found = one(made(A, wrong), "Language of models and corpus")
    assert found.severity is Severity.HIGH
    assert measured(found) == f"B: {warning}"


def test_without_a_warning_it_says_what_reads_the_corpus() -> None:
    found = one(made(A, B), "Language of models and corpus")
    assert found.severity is Severity.CLEAR
    assert "read by e5_small and jieba" in measured(found)


def test_truncated_inputs_are_counted_once_for_arms_that_share_a_stage() -> None:
    cut = stage("rerank", "cross_encoder", n_truncated=41, n_pairs=6350, limit_tokens=512)
    arms = [arm(key, HIGH, settings={**RRF, **RERANK}, stages=(cut,)) for key in ("A", "B")]
    found = one(made(*arms), "Truncated inputs")
    assert found.severity is Severity.LOW
    assert measured(found) == "41 of 6,350 pairs (0.6 %) in rerank of A exceed 512 tokens."


def test_many_truncated_inputs_weigh_more_and_none_is_clear() -> None:
    def with_cut(n: int) -> Threat:
        cut = stage("dense", "sentence_transformers", n_passages_truncated=n, limit_tokens=512)
        return one(made(arm("A", HIGH, settings=DENSE, stages=(cut,))), "Truncated inputs")

    assert with_cut(3).severity is Severity.MEDIUM  # of 40 passages
    assert measured(with_cut(0)) == "0 inputs over the limit of 512 tokens."


@pytest.mark.parametrize(
    ("unknown", "floored", "empty", "severity"),
    [(0, 0, 0, Severity.CLEAR), (3, 0, 0, Severity.LOW), (0, 9, 0, Severity.LOW), (9, 0, 1, Severity.MEDIUM)],
)
def test_query_tokens_without_weight(unknown: int, floored: int, empty: int, severity: Severity) -> None:
    counted = stage(
        "sparse",
        "bm25",
        n_query_tokens=100,
        n_query_tokens_unknown=unknown,
        n_query_tokens_of_zero_or_floored_idf=floored,
        n_queries_without_known_token=empty,
    )
    found = one(made(arm("A", LOW, stages=(counted,))), "Query tokens without weight")
    assert found.severity is severity
    assert f"of 100 query tokens {unknown} (" in measured(found)


def test_an_access_violation_is_high() -> None:
    leaking = arm("A", LOW, counts={"access_violations": 2, "passages": 40, "unrestricted": 20})
    found = one(made(leaking), "Access violations")
    assert found.severity is Severity.HIGH
    assert measured(found) == (
        "40 of 60 questions are filtered by identity, the rest are not; over 1 arm, 2 passages outside identity or "
        "version came back."
    )


@pytest.mark.parametrize(
    ("changes", "severity", "said"),
    [
        ({"digests": {**DIGESTS, "code": "x"}}, Severity.MEDIUM, "not the same on 2 arms: code."),
        ({"environment": {**ENVIRONMENT, "libraries": {"numpy": "1"}}}, Severity.MEDIUM, "libraries"),
        ({"environment": {**ENVIRONMENT, "python": "3.12.1"}}, Severity.MEDIUM, "Python"),
        ({}, Severity.CLEAR, "code 111111111111, libraries, Python and weights are the same on 2 arms."),
    ],
)
def test_code_and_libraries_are_the_same_on_all_arms(changes: dict[str, Any], severity: Severity, said: str) -> None:
    found = one(made(A, arm("B", HIGH, **changes)), "Code and libraries of the arms")
    assert found.severity is severity
    assert said in measured(found)


def test_one_model_of_two_weights_is_high_and_uncommitted_changes_are_low() -> None:
    def with_model(key: str, weights: str) -> Any:
        models = {"dense": {"name": "small", "weights": weights}}
        return arm(key, HIGH, settings=DENSE, environment={**ENVIRONMENT, "models": models})

    name = "Code and libraries of the arms"
    two = one(made(with_model("A", "1"), with_model("B", "2")), name)
    assert two.severity is Severity.HIGH
    assert "weights of small" in measured(two)
    dirty = one(made(arm("A", LOW, environment={**ENVIRONMENT, "dirty": True})), name)
    assert dirty.severity is Severity.LOW


def test_times_that_were_not_taken_together_do_not_compare() -> None:
    apart = one(made(A, B), "Arms timed apart")
    assert apart.severity is Severity.LOW
    assert apart.act is not None
    assert apart.act.plain() == "rag-ablation latency made"
    partly = one(made(A, B, bracket("Oracle", N), timing=timing({"A": 1.0})), "Arms timed apart")
    assert partly.severity is Severity.LOW
    assert "without a time: B" in measured(partly)


def timed(b: float, c: float, *, questions: int = 20) -> Any:
    arms = (arm("B", HIGH, settings=DENSE), arm("C", LOW, settings=RRF))
    return made(*arms, timing=timing({"B": b, "C": c}, questions=questions))


@pytest.mark.parametrize(
    ("b", "c", "severity"), [(16.0, 12.0, Severity.MEDIUM), (16.0, 15.9, Severity.LOW), (16.0, 17.0, Severity.CLEAR)]
)
def test_an_arm_that_contains_another_and_is_timed_faster_shows_the_noise(
    b: float, c: float, severity: Severity
) -> None:
    found = one(timed(b, c), "Noise of the times")
    assert found.severity is severity
    if severity is Severity.MEDIUM:
        assert measured(found) == (
            "C contains every stage of B and was still timed 4.0 ms faster at the median (12 ms against 16 ms; n 20): "
            "a difference of that size is noise here."
        )


LATE = {"rerank": {"name": "late_interaction", "model": "e5_small", "depth": 50}}


@pytest.mark.parametrize(
    ("whole", "part", "expected"),
    [
        (RRF, DENSE, True),
        (DENSE, RRF, False),
        (DENSE, DENSE, False),
        ({**DENSE, **RERANK}, DENSE, True),
        ({**RRF, "dense": {**DENSE["dense"], "depth": 50}}, DENSE, False),
        ({**RRF, **LATE}, {**DENSE, **LATE}, False),
        ({**RRF, **LATE}, RRF, True),
    ],
)
def test_what_contains_what(whole: dict[str, Any], part: dict[str, Any], expected: bool) -> None:
    assert contains(whole, part) is expected


@pytest.mark.parametrize(("questions", "severity"), [(20, Severity.LOW), (59, Severity.LOW), (60, Severity.CLEAR)])
def test_a_small_sample_of_times_shows_orders_of_magnitude_only(questions: int, severity: Severity) -> None:
    found = one(timed(16.0, 17.0, questions=questions), "Sample of the times")
    assert found.severity is severity
    assert ("orders of magnitude only" in measured(found)) == (severity is Severity.LOW)


@pytest.mark.parametrize(("ladder", "severity"), [(60, Severity.MEDIUM), (1, Severity.LOW)])
def test_a_swept_setting_that_the_ladder_uses_may_flatter_its_step(ladder: int, severity: Severity) -> None:
    def setting(constant: int, key: str, role: Role) -> Any:
        fusion = {"name": "rrf", "rank_constant": constant, "window": 100}
        return arm(key, HIGH if constant == 60 else LOW, settings={**RRF, "fusion": fusion}, role=role)

    own, other = setting(ladder, "C", Role.LADDER), setting(61 - ladder, "C other", Role.SWEEP)
    sweep = Sweep(arm="C", axes=("fusion.rank_constant",), members=("C", "C other"))
    found = one(made(own, other, sweeps=(sweep,)), "Sweep chosen on these questions")
    assert found.severity is severity
    assert "C: the best of 2 settings is the best on these 60 questions" in measured(found)


def test_what_the_runs_recorded_is_never_lost() -> None:
    own = "chunking: 12 gold units were cut in two"
    covered = (
        "few groups: the 3 scored questions form only 3 groups",
        "dense: 3 passages were cut at the model's limit of 5 tokens",
    )
    first, second = arm("A", LOW, threats=(own, *covered)), arm("B", HIGH, threats=(own,))
    lines = [measured(check) for check in made(first, second).checks if check.name.plain() == "Recorded by the runs"]
    assert lines == [f"A, B: {own}"]


def test_a_study_of_which_nothing_finished_is_checked_without_figures() -> None:
    threats = made(failed("A"), failed("B", parents=("A",)))
    assert one(threats, "Arms that are missing").severity is Severity.HIGH
    assert not [check for check in threats.checks if "nan" in measured(check)]
    assert all(check.name.zh for check in threats.checks)
