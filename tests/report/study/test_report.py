"""The report as a whole: every end of a study, both languages, and nothing that is not so."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.experiment.study import Sweep, Watched
from rag_ablation.report.study.commands import most_moved
from rag_ablation.report.study.content import Severity
from rag_ablation.report.study.inputs import ArmResult, Skipped, Source, StudyResults
from rag_ablation.report.study.ladder import ladder_of
from rag_ablation.report.study.report import report_of
from tests.report.study.build import BM25, DENSE, RERANK, RRF, arm, bracket, failed, skipped, study, timing, ups
from tests.report.study.texts import said, texts

N = 30
LOW, HIGH = ups(0, N), ups(20, N)
STRANGE = re.compile(r"\bnan\b|\bNone\b(?! of)|[{}]|\binf\b|(?<!\d)-\d|  ")
NAMES = ("A", "B", "C", "A+D", "D′")
KINDS = (DENSE, RRF, {**RRF, **RERANK}, {**DENSE, **RERANK})


def names_in(results: StudyResults) -> list[str]:
    return [line for _, content in report_of(results).provenance for line in content.plain().split(" · ")]


def test_all_sections_of_a_finished_study() -> None:
    results = study(
        arm("A", LOW, types=["x", "y"] * 15, evidence={"counts": {"kept": 3, "ranked_low": 2}}),
        arm("B", HIGH, types=["x", "y"] * 15, parents=("A",), settings=DENSE),
        bracket("Oracle", N),
        timing=timing({"A": 1.0, "B": 2.0}),
        commands=("rag-ablation study run made", "rag-ablation report made", "ls"),
    )
    report = report_of(results)
    assert (report.study, report.side, report.date) == ("made", "dev", "2026-03-15")
    assert report.types is not None
    assert report.threats.count(Severity.HIGH) == 0
    repeat, closer = report.commands
    assert [command for _, command in repeat] == list(results.commands)
    assert [None if comment is None else comment.plain() for comment, _ in repeat] == [
        "finished arms are reused by digest; resume=false runs all of them again",
        "writes this file",
        None,
    ]
    assert [command for _, command in closer] == [
        "rag-ablation compare made:A made:B",
        "rag-ablation explain made:A q001",
    ]


def test_closer_looks_name_the_runs_and_the_question_that_moved_most() -> None:
    moved = [value + (0.2 if place == 4 else 0) for place, value in enumerate(HIGH)]
    evidence = {"counts": {"kept": 30, "lost_in_fusion": 2, "ranked_low": 5, "not_visible": 9}}
    first, second = (
        arm("A", LOW, evidence=evidence),
        arm("B b", moved, parents=("A",), settings=DENSE, evidence=evidence),
    )
    ((*_, one, other),) = report_of(study(first, second, commands=())).commands
    assert one[1] == "rag-ablation explain made:A q005", "the evidence was lost in the arm that is lower"
    assert other[1] == "rag-ablation explain 'made:B b' --fate ranked_low"


def test_a_question_that_lost_is_opened_in_the_child() -> None:
    lost = [value - (0.2 if place == 4 else 0) for place, value in enumerate(LOW)]
    evidence = {"counts": {"kept": 30}}
    results = study(arm("A", LOW, evidence=evidence), arm("B", lost, parents=("A",), evidence=evidence))
    commands = [command for group in report_of(results).commands for _, command in group]
    assert "rag-ablation explain made:B q005" in commands


def test_to_the_last_bit_is_claimed_of_committed_code_only() -> None:
    clean, dirty = (report_of(study(arm("A", LOW, environment={"dirty": dirty}))).repeats for dirty in (False, True))
    assert clean is not None
    assert dirty is not None
    assert "to the last bit" in clean.plain()
    assert "逐位复现" in clean.plain("zh")
    assert "last bit" not in dirty.plain()
    assert "changes that were not committed" in dirty.plain()


def test_the_data_say_what_they_are_and_what_side_was_read() -> None:
    source = Source(n_documents=4, description="Rules of a made-up firm.", licence="CC0", origin="written for a test")
    lines = {
        name.plain(): content.plain() for name, content in report_of(study(arm("A", LOW), source=source)).provenance
    }
    assert lines["data"] == "Rules of a made-up firm. · licence CC0 · source: written for a test"
    assert "the holdout side was not read" in lines["split"]
    whole = study(arm("A", LOW, side="none"))
    lines = {name.plain(): content.plain() for name, content in report_of(whole).provenance}
    assert "data" not in lines
    assert "holdout" not in lines["split"]


def test_the_glossary_says_what_each_key_stands_for() -> None:
    late = {"rerank": {"name": "late_interaction", "model": "e5_small", "depth": 50}}
    results = study(
        arm("A", LOW),
        arm("C", LOW, settings=RRF),
        arm("D′", LOW, settings={**RRF, **late}),
        arm("B+D′", LOW, settings={**DENSE, **late}),
        arm("A+D′", LOW, settings={**BM25, **late}),
        skipped("D"),
        bracket("Oracle", N),
    )
    name, meaning = report_of(results).glossary[0]
    assert name.plain() == "arms"
    assert meaning.plain() == (
        "A = BM25; C = fusion of BM25 and dense retrieval; "
        "D′ = fusion of BM25 and dense retrieval, with late interaction (MaxSim over the dense model's token vectors); "
        "B+D′ = dense retrieval with late interaction (MaxSim over the dense model's token vectors); "
        "A+D′ = BM25 with late interaction (MaxSim over token vectors of e5_small); "
        "D = rerank, reranked with a cross-encoder, not run; Oracle = gold evidence put straight into the context"
    )


def test_no_question_moved() -> None:
    results = study(arm("A", LOW), arm("B", LOW, parents=("A",)))
    (step,) = ladder_of(results).steps()
    assert most_moved(results, step) is None


def test_provenance_holds_what_must_agree_between_two_reports() -> None:
    models = {"dense": {"name": "small", "weights": "ab" * 32}, "rerank": {"name": "small", "weights": "ab" * 32}}
    environment = {"python": "3.11.7", "libraries": {"rag-ablation": "0.1.0", "numpy": "2"}, "models": models}
    results = study(arm("A", LOW), arm("B", HIGH, parents=("A",), settings=DENSE, environment=environment))
    names = [name.plain() for name, _ in report_of(results).provenance]
    assert names[:5] == ["study", "split", "corpus", "questions", "labels"]
    assert "model: dense, rerank" in names
    found = names_in(results)
    assert "sha256 222222222222" in found
    assert "weights sha256 abababababab" in found
    assert "rag-ablation 0.1.0" in found
    assert "A 20260314-101500-A" in found
    assert "Holm over 1\u00a0step" in found


def test_provenance_of_nothing_finished_is_the_study_alone() -> None:
    assert [name.plain() for name, _ in report_of(study(failed("A"))).provenance] == ["study"]


def test_markup_in_names_and_errors_stays_text() -> None:
    results = study(arm("<b>", LOW), failed("{x}", "<script>{boom}", parents=("<b>",)))
    alone = report_of(results).conclusion.alone
    assert alone is not None
    assert alone.plain() == "{x} failed: <script>{boom}"


VALUES = st.one_of(st.none(), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@st.composite
def studies(draw: st.DrawFn) -> StudyResults:
    n = draw(st.integers(1, 26))
    groups = draw(st.lists(st.integers(0, 24), min_size=n, max_size=n))
    types = draw(st.lists(st.sampled_from(["x", "y"]), min_size=n, max_size=n))
    scored = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    arms: list[ArmResult | Skipped] = []
    for place in range(draw(st.integers(1, len(NAMES)))):
        parents = tuple(name for name in NAMES[:place] if draw(st.booleans()))
        end = draw(st.sampled_from(["finished", "finished", "finished", "failed", "skipped"]))
        if end != "finished":
            arms.append((failed if end == "failed" else skipped)(NAMES[place], parents=parents))
            continue
        drawn = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=n, max_size=n))
        values = [value if there else None for value, there in zip(drawn, scored, strict=True)]
        arms.append(
            arm(
                NAMES[place],
                values,
                parents=parents,
                settings=draw(st.sampled_from(KINDS)),
                groups=groups,
                types=types,
                evidence={"unit": "passage", "counts": {"kept": 1, "ranked_low": draw(st.integers(0, 2))}},
            )
        )
    sweep = Sweep(arm=NAMES[0], axes=("fusion.rank_constant",), members=tuple(NAMES))
    watched = Watched(child=NAMES[1], parent=NAMES[0], type="x")
    return study(*arms, bracket("Oracle", n), sweeps=(sweep,), watched=(watched,))


@given(studies())
@settings(max_examples=60, deadline=None)
def test_however_a_study_ends_the_report_is_whole(results: StudyResults) -> None:
    report = report_of(results)
    steps = report.ladder.steps()
    gone = {skip.arm.key for skip in results.skipped}
    assert [(step.child, step.parent) for step in steps] == [
        pair for pair in results.study.steps() if not gone & set(pair)
    ]
    assert all((step.comparison is None) != (step.refused is None) for step in steps)
    for row in report.ladder.rows:
        several = [step for step in row.steps if step.better_parent]
        assert len(several) <= 1
    denominators = report.conclusion.denominators
    if denominators.asked and denominators.excluded:
        assert denominators.scored + sum(denominators.excluded.values()) == denominators.asked
    assert 1 <= len(report.conclusion.sentences) <= 2
    assert len(report.conclusion.next) <= 4
    assert len(report.ladder.shown) <= 3


@given(studies())
@settings(max_examples=60, deadline=None)
def test_every_text_is_there_in_both_languages_and_reads_as_text(results: StudyResults) -> None:
    report = report_of(results)
    for text in texts(report):
        assert bool(text.en) == bool(text.zh)
    for section in (report.conclusion, report.ladder, report.types, report.sweeps, report.threats):
        for language in ("en", "zh"):
            words = said(section, language).replace("retrievers {", "").replace("}", "").replace("{", "")
            assert not STRANGE.search(words), words
    exploratory = said((report.types, report.sweeps))
    assert "better" not in exploratory
    assert "worse" not in exploratory
