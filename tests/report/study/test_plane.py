"""Quality and latency: who is on the front, what is compared with what, and what is absent and why."""

from collections.abc import Mapping
from dataclasses import replace

from rag_ablation.experiment.study import Role
from rag_ablation.report.study.content import Plane
from rag_ablation.report.study.inputs import ArmResult, StudyResults, Timing
from rag_ablation.report.study.plane import plane_of
from tests.report.study.made import Asked, arm, as_role, bracket, failed, study

ASKED = Asked(gold={f"q{place}": {"a": 1} for place in range(8)})
LOW = arm("A", ASKED, sparse={query: ["x", "y", "z", "a"] for query in ASKED.gold})
MIDDLE = arm("B", ASKED, ("A",), sparse={query: ["x", "a"] for query in ASKED.gold})
HIGH = arm("C", ASKED, ("A", "B"), sparse={query: ["a"] for query in ASKED.gold})


def timed(times: Mapping[str, float], questions: int = 20, absent: Mapping[str, str] | None = None) -> Timing:
    return Timing(
        milliseconds={key: {"end_to_end": {"p50": ms, "mean": ms + 1}} for key, ms in times.items()},
        questions=questions,
        passes=3,
        machine={"cores": 2, "processor": "x86_64"},
        absent=absent or {},
        when="2026-01-01T00:00:00+00:00",
    )


def of(results: StudyResults) -> Plane:
    found = plane_of(results)
    assert found is not None
    return found


def front(*arms: ArmResult, **times: float) -> set[str]:
    return {point.key for point in of(study(*arms, timing=timed(times))).arms if point.front}


def test_the_front_holds_what_no_other_arm_matches_in_both_and_beats_in_one() -> None:
    assert front(LOW, MIDDLE, HIGH, A=5, B=30, C=20) == {"A", "C"}
    assert front(LOW, MIDDLE, HIGH, A=5, B=10, C=20) == {"A", "B", "C"}


def test_of_two_arms_of_one_quality_the_slower_is_not_on_the_front_and_equals_both_are() -> None:
    twin = replace(HIGH, arm=replace(HIGH.arm, key="T"))
    assert front(HIGH, twin, C=20, T=30) == {"C"}
    assert front(HIGH, twin, C=20, T=20) == {"C", "T"}


def test_the_best_arm_is_compared_with_its_better_parent() -> None:
    found = of(study(LOW, MIDDLE, HIGH, timing=timed({"A": 5, "B": 30, "C": 225})))
    assert found.finding.plain().replace("\u00a0", " ") == (
        "C takes 225 ms at p50, B 30 ms: 7.5 times as long (n 20 each) for nDCG@10 +0.369 (+0.369 to +0.369; n 8)."
    )
    assert found.finding.plain("zh").replace("\u00a0", " ") == (
        "C 的 p50 为 225 ms，B 为 30 ms：7.5 倍（各 n 20），换来 nDCG@10 +0.369（+0.369 至 +0.369；n 8）。"
    )


def test_where_no_parent_was_timed_with_the_fastest() -> None:
    orphan = replace(HIGH, arm=replace(HIGH.arm, parents=("elsewhere",)))
    found = of(study(LOW, MIDDLE, orphan, timing=timed({"A": 0.5, "B": 30, "C": 225})))
    assert found.finding.plain().startswith("C takes 225\u00a0ms at p50, A 0.50\u00a0ms: 450 times as long")


def test_arms_that_do_not_compare_stand_with_their_means() -> None:
    other = replace(HIGH, record=replace(HIGH.record, digests={**HIGH.record.digests, "labels": "other"}))
    found = of(study(MIDDLE, other, timing=timed({"B": 30, "C": 225})))
    assert "for nDCG@10 1.000 (n 8) against 0.631 (n 8)." in found.finding.plain().replace("\u00a0", " ")


def test_one_arm_alone_is_compared_with_nothing() -> None:
    found = of(study(HIGH, timing=timed({"C": 2.25})))
    assert found.finding.plain().replace("\u00a0", " ") == (
        "C takes 2.2 ms at p50 (n 20) and has a mean nDCG@10 of 1.000 (n 8)."
    )


def test_a_member_of_a_sweep_is_drawn_but_the_sentence_is_about_the_ladder() -> None:
    member = as_role(replace(HIGH, arm=replace(HIGH.arm, key="S")), Role.SWEEP)
    found = of(study(LOW, MIDDLE, member, timing=timed({"A": 5, "B": 10, "S": 20})))
    assert [(point.key, point.role) for point in found.arms][-1] == ("S", Role.SWEEP)
    assert found.finding.plain().startswith("B takes 10\u00a0ms at p50, A 5.0\u00a0ms: 2.0 times")


def test_percentiles_that_the_sample_is_too_small_for_are_absent_with_the_reason() -> None:
    found = of(study(LOW, timing=timed({"A": 5}, questions=60)))
    assert (found.arms[0].p95, found.arms[0].p99) == (None, None)
    assert any(note.plain() == "Absent (–): p99 needs 500 questions; 60 were timed." for note in found.side)
    enough = of(study(LOW, timing=timed({"A": 5}, questions=500)))
    assert not any("Absent (–)" in note.plain() for note in enough.side)


def test_without_a_median_nobody_is_on_the_front_and_the_sentence_says_why() -> None:
    timing = replace(timed({}, questions=5), milliseconds={"A": {"end_to_end": {"mean": 3.0}}})
    found = of(study(LOW, timing=timing))
    assert not found.arms[0].front
    assert found.finding.plain() == "5 questions were timed; a median needs at least 20."


def test_how_it_was_timed_and_that_there_is_no_cost_stands_in_the_margin() -> None:
    notes = [note.plain() for note in of(study(LOW, timing=timed({"A": 5}))).side]
    assert notes[0].startswith("Serving time: batch 1, warm")
    assert notes[0].endswith("20 questions, timed passes: 3.")
    assert "Measured on 2 cores · x86_64." in notes
    assert "Cost is absent: no price table was given." in notes


def test_an_arm_that_is_not_drawn_is_named_with_its_reason() -> None:
    nothing = arm("N", Asked(gold={"q": {}}), sparse={"q": ["x"]})
    arms = (LOW, MIDDLE, HIGH, failed("F"), nothing, bracket("Oracle", ASKED))
    timing = timed({"A": 5, "N": 3, "F": 1}, absent={"B": "it was switched off"})
    notes = [note.plain() for note in of(study(*arms, timing=timing)).side]
    assert "B is absent: it was switched off." in notes
    assert "C is absent: it was not timed." in notes
    assert "F is absent: failed." in notes
    assert "N is absent: nDCG@10 is undefined: no_answer." in notes
    assert not any(note.startswith("Oracle") for note in notes)


def test_there_is_no_section_where_nothing_was_timed_or_scored() -> None:
    nothing = arm("N", Asked(gold={"q": {}}), sparse={"q": ["x"]})
    assert plane_of(study(LOW)) is None
    assert plane_of(study(LOW, timing=timed({}))) is None
    assert plane_of(study(nothing, timing=timed({"N": 3}))) is None
