"""The report of a holdout: the rule's decision is the conclusion, and nothing else competes with it."""

import re
from dataclasses import replace

import pytest

from rag_ablation.holdout.marks import About, Mark
from rag_ablation.report.study.content import Ruled, Severity, StudyReport
from rag_ablation.report.study.inputs import PlanNote, StudyResults
from rag_ablation.report.study.markdown import markdown_of, verdict_note
from rag_ablation.report.study.page import page_of
from rag_ablation.report.study.report import report_of
from rag_ablation.report.study.tables import results_table
from rag_ablation.report.study.terminal import board_of
from rag_ablation.report.study.verdict.inputs import Replay
from tests.report.study.build import arm, study
from tests.report.study.holdouts import (
    ALL_MARKS,
    AMENDED,
    CASES,
    HIGH,
    LITTLE,
    LOW,
    TORN,
    adopted,
    few_groups,
    holdout,
    rejected,
    too_small,
    undecided,
)

LANGUAGES = ("en", "zh")


def headline(results: StudyResults, language: str = "en") -> str:
    (said,) = report_of(results).conclusion.sentences
    return said.sentence.plain(language)


def said(report: StudyReport, language: str) -> str:
    """Everything that a terminal, a note and a page show, as text."""
    board = board_of(report, language)
    page = re.sub(r"<(style|script).*?</\1>|<[^>]+>", "", page_of(report, language), flags=re.DOTALL)
    return "\n".join([*board.remarks, markdown_of(report, language), page])


def check(results: StudyResults, name: str) -> tuple[Severity, str]:
    (found,) = [threat for threat in report_of(results).threats.checks if threat.name.plain() == name]
    return found.severity, found.measured.plain()


def test_the_conclusion_of_a_plan_that_passes_is_to_adopt_it_naming_every_baseline() -> None:
    assert headline(adopted()).startswith("Adopt BM25 (X): by the rule of plan v1 it passes A and B")
    assert headline(adopted(), "zh").startswith("采用 BM25（X）：按计划 v1 的规则，它胜过 A 和 B")


def test_the_conclusion_of_a_plan_that_falls_behind_names_the_baseline_that_it_falls_behind() -> None:
    assert headline(rejected()) == "Do not adopt BM25 (X): by the rule of plan v1 it falls behind B."
    assert headline(rejected(), "zh") == "不采用 BM25（X）：按计划 v1 的规则，它落后于 B。"


@pytest.mark.parametrize(
    ("results", "why", "why_zh"),
    [
        (undecided(), "its difference from B may be 0", "它与 B 的差值可能为 0"),
        (too_small(), "its lead over A is smaller than what matters", "领先小于有意义的差异"),
        (few_groups(), "against A: too few groups", "组数太少"),
    ],
)
def test_an_undecided_plan_says_what_leaves_it_open(results: StudyResults, why: str, why_zh: str) -> None:
    assert headline(results).startswith("Undecided: the rule of plan v1 settles neither for nor against BM25 (X); ")
    assert why in headline(results)
    assert why_zh in headline(results, "zh")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_rule_observation_and_conclusion_stand_in_page_note_and_terminal_in_the_words_of_the_plan(
    case: str, language: str
) -> None:
    results = CASES[case]()
    assert results.holdout is not None
    ruling, report = results.holdout.ruling, report_of(results)
    sentences = [
        ruling.rule.words(language).removeprefix("The rule: ").removeprefix("规则："),
        *(one.removeprefix("Observed ") for one in ruling.observations(language)),
        ruling.therefore(language).removeprefix("Therefore: ").removeprefix("因此："),
    ]
    page = re.sub(r"<[^>]+>", "", page_of(report, language))
    note, terminal = markdown_of(report, language), "\n".join(board_of(report, language).remarks)
    for sentence in sentences:
        assert sentence in page
        assert sentence in note
        assert sentence in terminal


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_a_family_and_no_adjusted_p_stand_beside_the_decision(language: str) -> None:
    report = report_of(adopted())
    words = {"en": ("better than", "Holm", "adjusted p", "adj. p"), "zh": ("优于", "Holm", "校正 p", "更好")}
    text = said(report, language)
    assert [word for word in words[language] if word in text] == []
    assert [step.ruled for step in report.ladder.steps()] == [Ruled.PASSES, Ruled.PASSES]
    (table, *_) = board_of(report, language).tables
    word = {"en": "passes", "zh": "通过"}[language]
    assert [row[3].split(" (")[0].split("（")[0] for row in table.rows if row[2] != "–"] == [word, word]


def test_each_step_has_the_rules_own_judgement() -> None:
    def judged(results: StudyResults) -> dict[str, Ruled | None]:
        return {step.parent: step.ruled for step in report_of(results).ladder.steps()}

    assert judged(rejected()) == {"A": Ruled.TOO_SMALL, "B": Ruled.BEHIND}
    assert judged(undecided()) == {"A": Ruled.PASSES, "B": Ruled.OPEN}
    assert judged(few_groups()) == {"A": Ruled.FEW_GROUPS}
    assert judged(holdout({"A": [None, 0.5]}, [0.5, None])) == {"A": Ruled.NO_INTERVAL}


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_report_says_how_often_its_holdout_was_opened(times: int, language: str) -> None:
    text = said(report_of(adopted(times=times)), language)
    opened = {
        "en": f"spent holdout: opened {times} time{'s' if times > 1 else ''} (plan v1 of study made)",
        "zh": f"已用的留出集：打开过 {times} 次（研究 made 的计划 v1）",
    }
    assert text.count(opened[language]) == 3


@pytest.mark.parametrize("mark", ALL_MARKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mark_stands_on_page_in_note_and_terminal_and_at_the_head_of_the_threats(mark: Mark, language: str) -> None:
    report = report_of(adopted(marks=(mark,), times=3))
    for text in (
        page_of(report, language),
        markdown_of(report, language),
        "\n".join(board_of(report, language).remarks),
    ):
        assert mark.words(language) in text
    threat = next(found for found in report.threats.checks if found.name.plain() == "Marks of the holdout")
    light = mark.about in (About.DIRTY, About.REPLAYED)
    assert threat.severity is (Severity.MEDIUM if light else Severity.HIGH)
    assert mark.words(language) in threat.measured.plain(language)


def test_an_unmarked_holdout_is_clear_and_one_that_was_opened_again_since_says_so() -> None:
    assert check(adopted(), "Marks of the holdout")[0] is Severity.CLEAR
    assert check(adopted(times=2), "Marks of the holdout") == (
        Severity.LOW,
        "none when this plan opened it; by now it was opened 2 times.",
    )


def test_the_reason_for_spending_it_again_stands_with_the_marks() -> None:
    _, measured = check(
        adopted(marks=(Mark(About.USED, 2),), times=2, reason="a typo in the config"), "Marks of the holdout"
    )
    assert "Reason given: a typo in the config." in measured


def test_what_could_have_been_shown_weighs_only_where_nothing_is_decided() -> None:
    name = "What the holdout could show"
    assert check(adopted(), name)[0] is Severity.CLEAR
    assert check(undecided(smallest=0.001), name)[0] is Severity.HIGH
    assert check(undecided(smallest=0.2), name)[0] is Severity.LOW
    assert check(few_groups(), name)[0] is Severity.HIGH
    assert "δ is 0.001" in check(undecided(smallest=0.001), name)[1]


def test_an_undecided_plan_is_told_how_many_groups_it_would_have_taken() -> None:
    follows = [step.plain() for step in report_of(undecided(smallest=0.001)).conclusion.next]
    assert any(
        re.search(r"For a difference of 0\.001 to show in X − B takes about [\d,]+.groups", line) for line in follows
    )
    assert not any("takes about" in line.plain() for line in report_of(adopted()).conclusion.next)


@pytest.mark.parametrize("case", CASES)
def test_what_follows_always_says_that_the_questions_are_spent(case: str) -> None:
    follows = [step.plain() for step in report_of(CASES[case]()).conclusion.next]
    assert follows[-1].startswith("These questions are spent (opened")


def test_dev_results_that_were_flattered_are_said_to_be_and_others_are_not() -> None:
    flattered, honest = report_of(adopted(flattery=0.5)), report_of(adopted())
    assert flattered.holdout is not None
    assert honest.holdout is not None
    assert flattered.holdout.tuning_finding.plain().startswith("Dev flattered X (+0.500), X − A (+0.500)")
    assert honest.holdout.tuning_finding.plain().startswith("No tuning shows")
    assert [row.name for row in honest.holdout.tuning] == ["X", "X − A", "X − B"]
    assert check(adopted(flattery=0.5), "Tuned on dev")[0] is Severity.MEDIUM
    lower = report_of(adopted(flattery=-0.5)).holdout
    assert lower is not None
    assert "came out lower on dev than here" in lower.tuning_finding.plain()


def test_replays_and_libraries_are_facts_and_a_check() -> None:
    replays = (Replay(when="2026-04-03T10:00:00+00:00", differs=0, libraries=()),)
    assert check(adopted(replays=replays), "Libraries and replays") == (
        Severity.CLEAR,
        "libraries as frozen; replayed once, the same to the last bit.",
    )
    other = (Replay(when="2026-04-03T10:00:00+00:00", differs=4, libraries=("numpy 2.0 → 2.1",)),)
    severity, measured = check(adopted(replays=other), "Libraries and replays")
    assert severity is Severity.MEDIUM
    assert "1 of 1 replays came out otherwise" in measured
    assert "numpy 2.0 → 2.1" in said(report_of(adopted(replays=other)), "en")


def test_corrected_labels_are_a_fact_of_the_page_with_reason_and_both_digests() -> None:
    text = said(report_of(adopted(amended=AMENDED)), "en")
    assert "two labels were wrong" in text
    assert f"{'a' * 12} → {'b' * 12}" in text
    assert "The dev results are on the labels as they were before the correction." in text
    assert "before the correction" not in said(report_of(adopted()), "en")


def test_provenance_says_holdout_and_the_page_does_not_speak_of_dev_questions() -> None:
    report = report_of(adopted())
    lines = {name.plain(): content.plain() for name, content in report.provenance}
    assert "no setting was chosen on" in lines["split"]
    assert "dev:" not in lines["split"]
    assert report.side == "holdout"
    assert "30 holdout questions in 30 groups" in said(report, "en")


def test_other_measures_and_slices_are_exploratory_and_stand_in_the_table_of_results() -> None:
    columns = {"final/recall@5": HIGH}
    arms = [arm("A", LOW, columns={"final/recall@5": TORN}, side="holdout")]
    arms.append(arm("X", HIGH, parents=("A",), columns=columns, side="holdout"))
    made = holdout({"A": LOW}, HIGH)
    results = replace(made, arms=tuple(arms))
    report = report_of(results)
    assert report.measures is not None
    assert [row.column for row in report.measures.rows] == ["final/ndcg@10", "final/recall@5"]
    rows = results_table(results, report).to_pylist()
    found = {(row["point"], row["measure"]) for row in rows if row["table"] == "difference"}
    assert found == {("final", "ndcg@10"), ("final", "recall@5")}
    assert report_of(study(*arms)).measures is None


def test_the_table_of_results_holds_decision_marks_and_dev_less_holdout_and_no_adjusted_p() -> None:
    results = adopted(marks=(Mark(About.USED, 2),), times=2)
    rows = results_table(results, report_of(results)).to_pylist()
    (verdict,) = [row for row in rows if row["table"] == "verdict"]
    assert verdict["word"] == "adopt"
    assert verdict["reason"] == (
        "spent holdout: opened 2 times (plan v1 of study made); holdout used 2 times; no longer unseen"
    )
    assert [row["arm"] for row in rows if row["table"] == "dev_less_holdout"] == ["X", "X − A", "X − B"]
    steps = [row for row in rows if row["table"] == "step"]
    assert [(row["word"], row["adjusted_p"]) for row in steps] == [("passes", None)] * 2


def test_the_note_of_a_tracker_is_the_verdict_with_marks_and_both_small_tables() -> None:
    note = verdict_note(report_of(adopted(marks=ALL_MARKS, times=3)))
    assert note.index("Adopt") < note.index("spent holdout") < note.index("▲") < note.index("The rule was")
    assert "| X − A |" in note
    assert "| X − B |" in note
    assert len(note) < 5000


def test_commands_look_at_runs_by_their_own_names_and_never_at_a_study_that_is_not_there() -> None:
    report = report_of(adopted(commands=("rag-ablation freeze show v1 --study made",)))
    typed = [command for group in report.commands for _, command in group]
    assert "rag-ablation compare 20260314-101500-B 20260314-101500-X" in typed
    assert not any("made, holdout" in command for command in typed)
    assert "study run" not in said(report, "en")


def test_text_from_data_is_escaped_in_a_verdict() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    page = page_of(report_of(adopted(plan=hostile, study=hostile, marks=(Mark(About.USED, 2),), reason=hostile)))
    assert "<img" not in page


NOTE = PlanNote(plan="v1", candidate="C", frozen="2026-04-01T08:00:00+00:00", decision=None, n=90, n_groups=40)
RUN = replace(NOTE, decision="adopt", times=2, marks=(Mark(About.USED, 2),), page="x/report.html")


@pytest.mark.parametrize(
    ("note", "en", "zh"),
    [
        (NOTE, "Plan v1 (C) was frozen 2026-04-01 08:00 UTC; its holdout", "尚未打开"),
        (
            RUN,
            "opened 2 times): adopt; see x/report.html. Marked: holdout used 2 times; no longer unseen.",
            "采用；见 x/report.html。标记：留出集已用 2 次，不再是未见过的题",
        ),
        (replace(NOTE, problem="an entry is missing"), "not told: an entry is missing", "不予列出"),
    ],
)
def test_a_study_says_what_became_of_its_plans(note: PlanNote, en: str, zh: str) -> None:
    report = report_of(replace(study(arm("A", LOW), arm("C", LITTLE, parents=("A",))), plans=(note,)))
    for language, words in (("en", en), ("zh", zh)):
        terminal = "\n".join(board_of(report, language).remarks).replace("\u00a0", " ")
        assert words in terminal
        note = markdown_of(report, language).replace("\u00a0", " ").replace("*", "").replace("`", "")
        assert words in note
        page = re.sub(r"<[^>]+>", "", page_of(report, language)).replace("\u00a0", " ")
        assert words in page
