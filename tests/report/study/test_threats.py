"""Every check finds what it is for, and says what it looked at where it finds nothing."""

from typing import Any

import pytest

from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.study.content import Severity, Threat, Threats, Unjudged, UnjudgedStep
from rag_ablation.report.study.threats import threats_of
from rag_ablation.report.study.words import Text
from tests.report.study.build import (
    DENSE,
    DIGESTS,
    RERANK,
    RRF,
    arm,
    failed,
    skipped,
    study,
    timing,
    ups,
)
from tests.report.study.test_conclusion import found_of

N = 60
LOW, HIGH = ups(0, N), ups(45, N)
A = arm("A", LOW)
B = arm("B", HIGH, parents=("A",), settings=DENSE)


def made(*arms: Any, unjudged: Unjudged | None = None, **declared: Any) -> Threats:
    return threats_of(found_of(study(*arms, **declared), unjudged))


def one(threats: Threats, name: str) -> Threat:
    (found,) = [check for check in threats.checks if check.name.plain() == name]
    return found


def measured(threat: Threat, language: str = "en") -> str:
    return threat.measured.plain(language).replace("\u00a0", " ")


def test_cleared_checks_are_listed_with_what_was_looked_at() -> None:
    threats = made(A, B, timing=timing({"A": 1.0, "B": 2.0}))
    clear = {check.name.plain(): measured(check) for check in threats.checks if check.severity is Severity.CLEAR}
    assert clear["Confounded steps"] == "more than one factor changes in 0 of 1 step."
    assert clear["Few groups"] == "60 scored questions in 60 groups."
    assert clear["Arms that are missing"] == "2 arms declared, all finished."
    assert clear["Collapsed split"] == "largest group: 1 of 60 scored questions (1.7 %)."
    assert clear["Better by less than matters"] == "the one step called better gains 0.02 or more."
    assert clear["Arms timed apart"] == "interleaved in one process, 20 questions × 1 pass."
    assert clear["Access violations"].startswith("60 of 60 questions are filtered by identity")
    assert clear["Access violations"].endswith("over 2 arms, 0 passages outside identity or version came back.")
    assert clear["Sweep chosen on these questions"] == "nothing was swept."
    assert all(check.act is None for check in threats.checks if check.severity is Severity.CLEAR)


def test_worst_comes_first_and_the_finding_counts() -> None:
    threats = made(A, B, failed("F", parents=("A",)), skipped("D"))
    order = [list(Severity).index(check.severity) for check in threats.checks]
    assert order == sorted(order)
    high = threats.count(Severity.HIGH)
    assert high == 1
    assert threats.finding.plain().replace("\u00a0", " ").startswith(f"{len(threats.checks)} checks: {high} high, ")


def test_a_confounded_step_of_the_conclusion_is_high() -> None:
    found = one(made(A, arm("B", HIGH, parents=("A",), settings={**DENSE, **RERANK})), "Confounded steps")
    assert found.severity is Severity.HIGH
    assert "1 of 1 step: B − A (retrievers {bm25} → {sentence_transformers}; rerank none → cross_encoder)" in measured(
        found
    )


def test_a_step_that_does_not_compare_is_high() -> None:
    found = one(made(A, arm("B", HIGH, parents=("A",), digests={**DIGESTS, "split": "x"})), "Steps that do not compare")
    assert found.severity is Severity.HIGH
    assert measured(found) == "B − A: not comparable: split differ."


def test_failed_arms_are_high_and_skipped_ones_medium() -> None:
    name = "Arms that are missing"
    broken, gone = one(made(A, failed("F")), name), one(made(A, skipped("D")), name)
    assert (broken.severity, gone.severity) == (Severity.HIGH, Severity.MEDIUM)
    assert measured(broken) == "F failed: no model."
    assert measured(gone) == "D was skipped: its model cannot be had."
    assert broken.act is not None
    assert broken.act.plain() == "mend and run again: rag-ablation study run made"


@pytest.mark.parametrize(
    ("n_groups", "severity"), [(5, Severity.HIGH), (6, Severity.MEDIUM), (19, Severity.MEDIUM), (20, Severity.CLEAR)]
)
def test_few_groups(n_groups: int, severity: Severity) -> None:
    groups = [place % n_groups for place in range(N)]
    threats = made(arm("A", LOW, groups=groups), arm("B", HIGH, groups=groups, parents=("A",)))
    assert one(threats, "Few groups").severity is severity


def test_few_groups_count_scored_questions_only() -> None:
    values = [0.5] * 10 + [None] * 50
    assert one(made(arm("A", values)), "Few groups").severity is Severity.MEDIUM


def test_few_groups_in_slices_name_those_that_are_under_six() -> None:
    types = ["many"] * 55 + ["rare"] * 5
    found = one(made(arm("A", LOW, types=types), arm("B", HIGH, types=types)), "Few groups in slices")
    assert found.severity is Severity.MEDIUM
    assert measured(found) == "1 of 2 scored types have under 20 groups; rare has 5 groups, under 6."


def test_a_collapsed_split_names_the_command_for_a_weaker_linkage() -> None:
    groups = [0] * 13 + list(range(1, 48))
    found = one(made(arm("A", LOW, groups=groups)), "Collapsed split")
    assert found.severity is Severity.HIGH
    assert measured(found) == "largest group: 13 of 60 scored questions (21.7 %)."
    assert found.act is not None
    assert "rag-ablation data split data/made --linkage primary_gold" in found.act.plain()


def test_a_verdict_near_the_line_and_a_step_that_just_missed_are_both_named() -> None:
    near = ups(6, N)  # six groups that all gain: p = 2 / 64
    found = one(made(A, arm("B", near, parents=("A",))), "A verdict near the line")
    assert found.severity is Severity.MEDIUM
    assert measured(found) == "against 0.05: B − A adjusted p = 0.031, from all sign flips of 6 groups that differ."
    missed = made(A, arm("B", ups(5, N), parents=("A",)))  # p = 2 / 32 = .0625, past 1.2 × .05
    assert one(missed, "A verdict near the line").severity is Severity.CLEAR


def test_better_by_less_than_matters() -> None:
    found = one(made(A, arm("B", ups(45, N, by=0.012), parents=("A",))), "Better by less than matters")
    assert found.severity is Severity.MEDIUM
    assert measured(found) == "B − A +0.009; the study calls 0.02 the smallest difference that matters."


def test_few_differing_groups_weigh_more_under_a_verdict() -> None:
    name = "Few groups differ at all"
    decided, undecided = (one(made(A, arm("B", ups(n, N), parents=("A",))), name) for n in (19, 2))
    assert (decided.severity, undecided.severity) == (Severity.MEDIUM, Severity.LOW)
    assert measured(decided) == "under 20: B − A 19 of 60 groups."
    assert decided.act is not None
    assert decided.act.plain().endswith("rag-ablation compare made:A made:B")


def interval(mean: float, half: float) -> Interval:
    return Interval(
        mean=mean,
        low=mean - half,
        high=mean + half,
        standard_error=half / 2,
        n=N,
        n_groups=N,
        dropped=0,
        confidence=0.95,
    )


def shares(child: float, parent: float, bound: Interval | None) -> Unjudged:
    step = UnjudgedStep(
        label="B − A",
        child=child,
        parent=parent,
        as_scored=interval(0.3, 0.1),
        all_relevant=bound,
        warned=abs(child - parent) > 0.05,
    )
    return Unjudged(finding=Text((), ()), cutoff=10, n=N, steps=(step,), limit=0.05)


@pytest.mark.parametrize(
    ("found", "severity", "said"),
    [
        (
            shares(0.85, 0.93, interval(0.4, 0.1)),
            Severity.HIGH,
            "It differs, B − A by 0.080 (limit 0.05).",
        ),
        (
            shares(0.91, 0.93, interval(0.05, 0.1)),
            Severity.HIGH,
            "B − A would be +0.050 (−0.050 to +0.150), not +0.300, and its verdict would not hold.",
        ),
        (shares(0.91, 0.93, interval(-0.4, 0.1)), Severity.HIGH, "B − A would be −0.400"),
        (shares(0.15, 0.17, interval(0.2, 0.1)), Severity.MEDIUM, "judged@10 is 0.150 to 0.170 (n 60)"),
        (shares(0.15, 0.17, None), Severity.MEDIUM, "judged@10 is 0.150 to 0.170 (n 60)"),
        (
            shares(0.91, 0.93, interval(0.4, 0.1)),
            Severity.CLEAR,
            "The two arms of a step differ by 0.05 at most. If all unjudged results were relevant, B − A would be +0.400",
        ),
        (shares(0.91, 0.93, None), Severity.CLEAR, "judged@10 is 0.910 to 0.930"),
        (None, Severity.LOW, "could not be computed"),
    ],
)
def test_unjudged_passages(found: Unjudged | None, severity: Severity, said: str) -> None:
    threat = one(made(A, B, unjudged=found), "Unjudged passages")
    assert threat.severity is severity
    assert said in measured(threat)


def test_a_step_outside_the_conclusion_that_hangs_on_unjudged_passages_is_medium() -> None:
    high = arm("C", ups(50, N), parents=("A",), settings=RRF)
    threat = one(made(A, B, high, unjudged=shares(0.91, 0.93, interval(0.05, 0.1))), "Unjudged passages")
    assert threat.severity is Severity.MEDIUM
    assert "its verdict would not hold" in measured(threat)


def test_what_unjudged_passages_could_do_is_said() -> None:
    threat = one(made(A, B, unjudged=shares(0.85, 0.93, interval(0.4, 0.1))), "Unjudged passages")
    assert "If all unjudged results were relevant, B − A would be +0.400 (+0.300 to +0.500), not +0.300." in measured(
        threat
    )
    assert threat.act is not None
    assert threat.act.plain() == "rag-ablation judge pool made"


TYPES = ["code"] * 30 + ["hop"] * 30


def mixed(values: list[float]) -> Threat:
    child = arm("B", values, types=TYPES, parents=("A",), settings=DENSE)
    return one(made(arm("A", LOW, types=TYPES), child), "Mix of question types")


def test_a_step_that_one_type_alone_makes_hangs_on_the_mix() -> None:
    found = mixed([0.7] * 30 + [0.2] * 30)
    assert found.severity is Severity.MEDIUM
    assert measured(found).startswith("code makes more than half of B − A (+0.250 of +0.250).")
    assert "On the other questions B − A is 0.000" in measured(found)
    assert "The mix is the dataset's, not that of any traffic." in measured(found)


def test_a_step_that_stands_without_its_largest_type_is_low_and_an_even_one_clear() -> None:
    uneven = mixed([0.7] * 30 + [0.3 + 0.01 * (place % 3) for place in range(30)])
    assert uneven.severity is Severity.LOW
    assert "On the other questions" not in measured(uneven)
    even = mixed([0.5] * 60)
    assert even.severity is Severity.CLEAR
    assert "no type makes more than half of any of 1 step decided" in measured(even)


def test_without_types_or_without_a_decided_step_the_mix_is_not_checked() -> None:
    assert not [check for check in made(A, B).checks if check.name.plain() == "Mix of question types"]
    open_ = made(arm("A", LOW, types=TYPES), arm("B", LOW, types=TYPES, parents=("A",)))
    assert not [check for check in open_.checks if check.name.plain() == "Mix of question types"]
