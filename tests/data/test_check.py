"""What `data check` finds, and that it reads by the same rules as `load`."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import DataError
from rag_ablation.data import check as check_module
from rag_ablation.data.check import check
from rag_ablation.data.load import load
from rag_ablation.holdout.split import groups
from tests.data.folders import HEADER, beir, jsonl, native, passage, question, table
from tests.paths import CASES

NONE = "language: en"


def notices(folder: Path) -> list[str]:
    found = check(folder)
    assert found.error is None
    return list(found.notices)


def problems(folder: Path) -> list[str]:
    error = check(folder).error
    assert error is not None
    return [str(problem) for problem in error.problems]


# ---- one reading


@pytest.mark.parametrize(
    "case", ["13-ids-with-leading-zeros", "14-bom-crlf-blank-lines", "25-split-by-answer-location"]
)
def test_check_and_load_agree_on_a_case(case: str) -> None:
    found, loaded = check(CASES / case), load(CASES / case)
    assert found.benchmark is not None
    assert found.benchmark.fingerprints == loaded.fingerprints
    assert (found.n_passages, found.n_judgements) == (len(loaded.passages), loaded.qrels.keys.size)
    assert set(loaded.notices) <= set(found.notices)
    assert found.benchmark.language == loaded.language
    assert groups(found.benchmark).tolist() == groups(loaded).tolist()


@given(st.permutations(range(12)), st.sampled_from(["passage", "clause", "document"]), st.booleans())
def test_fingerprints_and_labels_are_those_of_load(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], unit: str, crlf: bool
) -> None:
    corpus = [
        passage(f"d{n}", "x" * n, doc_id=f"D{n // 3}", location=str(n // 2), acl=["a"] if n % 2 else ["b"])
        for n in order
    ]
    gold = {"passage": "d4", "clause": "D1#2", "document": "D1"}[unit]
    text = jsonl(corpus).replace("\n", "\r\n") if crlf else jsonl(corpus)
    folder = native(
        tmp_path_factory.mktemp("set", numbered=True),
        text,
        [question("q1", identity="b", evidence_groups=[[gold]]), question("q2", status="no_answer", asked_about="d7")],
        table(("q1", gold, 1)),
        f"label_unit: {unit}\nname: a",
    )
    found, loaded = check(folder).benchmark, load(folder)
    assert found is not None
    assert found.fingerprints == loaded.fingerprints
    assert found.labels == loaded.labels
    assert groups(found).tolist() == groups(loaded).tolist()
    kept = {row.id for row in found.passages.rows}
    assert [row for row in loaded.passages.rows if row.id in kept] == list(found.passages.rows)


BROKEN = {
    "metadata": {"corpus": [passage("d1", acl=[]), passage("d2", doc_id=3)]},
    "json": {"corpus": '{"_id": "d1", \n' + jsonl([passage("d2")])},
    "repeated": {"corpus": [passage("d1"), passage("d1")]},
    "unknown": {"qrels": table(("q1", "d1", 1), ("q1", "d9", 1), ("q9", "d1", 1))},
    "unseen": {"corpus": [passage("d1", acl=["hr"])], "queries": [question("q1", identity="guest")]},
    "clash": {
        "corpus": [passage("a", doc_id="D#1", location="2"), passage("b", doc_id="D", location="1#2")],
        "about": "unit: clause",
    },
    "empty": {"corpus": "", "queries": "\n", "qrels": HEADER},
    "spans": {"queries": [question("q1", spans=[{"corpus_id": "d9", "start": 0, "text": "x"}, 3])]},
    "two grades": {"qrels": table(("q1", "d1", 1), ("q1", "d1", 2))},
    "negative": {"qrels": table(("q1", "d1", 1), ("q1", "d2", -1))},
    "old mac": {"corpus": jsonl([passage("d1"), passage("d2")]).replace("\n", "\r")},
    "utf-16": {"qrels": table(("q1", "d1", 1)).encode("utf-16")},
    "status": {"queries": [question("q1"), question("q2"), question("q3", status="no_answer")]},
    "encoding": {"corpus": jsonl([passage("d1", "出差住宿每晚不超过三百元")]).encode("gb18030")},
}


@pytest.mark.parametrize("parts", BROKEN.values(), ids=BROKEN)
def test_check_finds_the_problems_that_load_finds(tmp_path: Path, parts: dict[str, object]) -> None:
    folder = native(tmp_path / "set", **parts)  # type: ignore[arg-type]
    with pytest.raises(DataError) as caught:
        load(folder)
    assert str(check(folder).error) == str(caught.value)


def test_a_missing_corpus_is_a_problem_beside_the_others(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", queries=[question("q1", type=3)])
    (folder / "corpus.jsonl").unlink()
    assert [said.split(":")[0] for said in problems(folder)] == ["corpus.jsonl", "queries.jsonl"]


def test_a_beir_folder_is_checked(tmp_path: Path) -> None:
    folder = beir(tmp_path / "set", {"dev": table(("q1", "d1", 1)), "test": table(("q2", "d2", 1))})
    found = check(folder, qrels="test").benchmark
    assert found is not None
    assert found.fingerprints == load(folder, qrels="test").fingerprints


def test_only_passages_that_a_label_names_are_held(tmp_path: Path) -> None:
    folder = native(tmp_path / "set", [passage(f"d{n}") for n in range(9)])
    found = check(folder)
    assert found.benchmark is not None
    assert (found.benchmark.passages.ids, found.n_passages) == (("d1",), 9)


def test_a_corpus_that_changes_meanwhile_is_an_error(tmp_path: Path) -> None:
    folder = native(tmp_path / "set")

    def edit(done: int, size: int) -> None:
        (folder / "corpus.jsonl").write_text(jsonl([passage("d1", "tuxt"), passage("d2")]))

    with pytest.raises(DataError, match="other content than a moment ago"):
        check(folder, on_read=edit)


def test_progress_goes_up_to_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_module, "LINES_BETWEEN", 2)
    folder = native(tmp_path / "set", [passage(f"d{n}") for n in range(6)])
    told: list[tuple[int, int]] = []
    check(folder, on_read=lambda done, size: told.append((done, size)))
    size = (folder / "corpus.jsonl").stat().st_size
    assert told == [(size // 6, size), (size // 2, size), (5 * size // 6, size), (size, size)]


def test_a_file_that_is_wrong_on_every_line_is_counted_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag_ablation.data._report.MOST_KEPT_PER_FILE", 60)
    error = check(native(tmp_path / "set", corpus="x\n" * 100)).error
    assert error is not None
    assert len(error.problems) == 60
    assert "cannot be used: 100 problems" in str(error)
    assert str(error).endswith("  … and 50 more")


# ---- ids and texts


def test_a_plain_folder_gives_no_notice(tmp_path: Path) -> None:
    assert notices(native(tmp_path / "set", [passage("d1", "a"), passage("d2", "b")], about=NONE)) == []


def test_blanks_at_the_ends_are_counted_with_their_lines(tmp_path: Path) -> None:
    corpus = [passage("d1", "a"), passage(" d2", "b"), passage("d3\u3000", " c ")]
    asked = [question("q1", "who?"), question("q2\t", " what?"), question("q3", "when? ")]
    rows = table(("q1", "d1", 1), ("q3", " d2", 1))
    asked[1]["metadata"] = {"status": "unreviewed"}
    assert notices(native(tmp_path / "set", corpus, asked, rows, NONE)) == [
        "corpus.jsonl: 2 ids with blanks at their ends (lines 2, 3)",
        "queries.jsonl: 1 id with blanks at its ends (line 2)",
        "queries.jsonl: 2 question texts with blanks at their ends (lines 2, 3)",
    ]


def test_only_the_first_places_are_listed(tmp_path: Path) -> None:
    corpus = [passage(f"d{n}" + " " * (n > 1), f"text {n}") for n in range(1, 9)]
    [said] = notices(native(tmp_path / "set", corpus, about=NONE))
    assert said == "corpus.jsonl: 7 ids with blanks at their ends (lines 2, 3, 4, 5, 6, …)"


def test_an_id_of_a_question_and_a_passage_is_a_notice_only(tmp_path: Path) -> None:
    folder = native(
        tmp_path / "set", [passage("1", "a"), passage("2", "b")], [question("1")], table(("1", "1", 1)), NONE
    )
    assert notices(folder) == ["queries.jsonl: 1 id that is also the id of a passage (line 1)"]


def test_equal_texts_are_counted(tmp_path: Path) -> None:
    corpus = [passage(f"d{n}", text) for n, text in enumerate(["a", "a", "a", "b", "b", "c"], start=1)]
    asked = [question(f"q{n}", text, status="unreviewed") for n, text in enumerate(["x?", "x? ", "y?"], start=2)]
    found = notices(native(tmp_path / "set", corpus, [question("q1"), *asked], about=NONE))
    assert "corpus.jsonl: 2 texts under more than one id (5 passages)" in found
    assert "queries.jsonl: 1 text under more than one id (2 questions (same identity and date))" in found


def test_one_question_asked_by_two_people_is_not_asked_twice(tmp_path: Path) -> None:
    asked = [question("q1", identity="a"), question("q2", identity="b", status="no_answer")]
    corpus = [passage("d1", "a"), passage("d2", "b")]
    assert notices(native(tmp_path / "set", corpus, asked, about=NONE)) == []


# ---- answers

GREEN = "The 🌲 costs forty euros a night."


def spans_folder(tmp_path: Path, *spans: object, **labels: object) -> Path:
    corpus = [passage("d1", GREEN, doc_id="D"), passage("d2", "Nothing else is paid.", doc_id="D")]
    return native(tmp_path / "set", corpus, [question("q1", spans=list(spans), **labels)], about=NONE)


def span(start: object, text: object = "forty euros", corpus_id: object = "d1") -> dict[str, object]:
    return {"corpus_id": corpus_id, "start": start, "text": text}


@pytest.mark.parametrize("start", [12, None])
def test_a_span_at_its_place_in_code_points_is_right(tmp_path: Path, start: int | None) -> None:
    assert GREEN.index("forty") == 12
    assert notices(spans_folder(tmp_path, span(start))) == []


@pytest.mark.parametrize("start", [13, 15, 0, 1000])
def test_a_wrong_offset_is_a_notice(tmp_path: Path, start: int) -> None:
    assert notices(spans_folder(tmp_path, span(start), span(12))) == [
        "queries.jsonl: 1 question with a span whose text stands elsewhere in its passage than `start` says (line 1)"
    ]


def test_a_span_that_is_not_in_its_passage_is_a_notice(tmp_path: Path) -> None:
    assert notices(spans_folder(tmp_path, span(12, "fifty euros"))) == [
        "queries.jsonl: 1 question with a span whose text is not in its passage (line 1)"
    ]


@pytest.mark.parametrize(
    "bad", [3, "x", span("0"), span(-1), span(True), span(1.0), span(0, ""), span(0, 3), span(0, "x", None)]
)
def test_a_malformed_span_is_a_problem(tmp_path: Path, bad: object) -> None:
    [found] = problems(spans_folder(tmp_path, bad))
    assert found.startswith("queries.jsonl:1: metadata.spans: found ")
    assert found.endswith("expected an object with corpus_id (string), start (whole number from 0, or null) and text")


def test_a_malformed_span_names_what_is_wrong_in_it_and_no_answer(tmp_path: Path) -> None:
    [found] = problems(spans_folder(tmp_path, span(-1, "SECRET")))
    assert found.startswith("queries.jsonl:1: metadata.spans: found an object with start the number -1, expected")


def test_a_span_in_an_unknown_passage_is_a_problem(tmp_path: Path) -> None:
    assert problems(spans_folder(tmp_path, span(0, "x", "d9"))) == [
        "queries.jsonl:1: metadata.spans: found 'd9', expected an id of a passage or of a label unit"
    ]


def test_a_span_that_runs_over_the_end_of_its_passage_is_cut(tmp_path: Path) -> None:
    folder = spans_folder(tmp_path, span(GREEN.index("night"), "night. Nothing else"))
    assert notices(folder) == ["queries.jsonl: 1 reviewed question whose answer is cut by a passage boundary (line 1)"]


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        (["forty euros"], []),
        (["FORTY\n euros"], []),
        (["fifty", "forty euros"], []),
        (["a night. Nothing else"], ["1 reviewed question whose answer is cut by a passage boundary (line 1)"]),
        (["Paris"], ["1 reviewed question with no answer that occurs in its gold (say `computed: true` where answers "
                     "are worked out or put in other words) (line 1)"]),
        ([], []),
    ],
)  # fmt: skip
def test_answers_are_looked_for_in_gold_and_across_its_ends(
    tmp_path: Path, answers: list[str], said: list[str]
) -> None:
    assert notices(spans_folder(tmp_path, answers=answers)) == [f"queries.jsonl: {text}" for text in said]


def test_a_computed_answer_need_not_occur(tmp_path: Path) -> None:
    assert notices(spans_folder(tmp_path, answers=["80 euros for two"], computed=True)) == []


def test_an_answer_in_parts_may_stand_part_by_part(tmp_path: Path) -> None:
    parts = {"answers": ["forty euros a night, with an invoice"], "keypoints": ["forty euros", "a night"]}
    assert notices(spans_folder(tmp_path / "all", **parts)) == []
    [said] = notices(spans_folder(tmp_path / "some", **parts | {"keypoints": ["forty euros", "an invoice"]}))
    assert "no answer that occurs in its gold" in said


def test_passages_of_other_documents_are_no_neighbours(tmp_path: Path) -> None:
    corpus = [passage("d1", "forty", doc_id="D"), passage("d2", " euros", doc_id="E"), passage("d3", "euros")]
    [said] = notices(native(tmp_path / "set", corpus, [question("q1", answers=["forty euros"])], about=NONE))
    assert "no answer that occurs in its gold" in said


def test_an_answer_in_gold_of_a_larger_unit_is_found(tmp_path: Path) -> None:
    corpus = [passage("d1", "forty", doc_id="D"), passage("d2", "euros", doc_id="D")]
    about = f"{NONE}\nlabel_unit: document"
    assert (
        notices(native(tmp_path / "set", corpus, [question("q1", answers=["euros"])], table(("q1", "D", 1)), about))
        == []
    )


def test_unreviewed_questions_have_no_gold_to_look_in(tmp_path: Path) -> None:
    asked = [question("q1"), question("q2", "who?", status="unreviewed", answers=["nobody"])]
    assert notices(native(tmp_path / "set", [passage("d1", "a")], asked, about=NONE)) == []


def test_no_notice_repeats_a_label(tmp_path: Path) -> None:
    labels = {"answers": ["SECRET"], "spans": [span(3, "SECRET")]}
    asked = [question("q1", **labels), question("q2", "what? ", **labels)]
    folder = native(tmp_path / "set", [passage("d1", "a")], asked, table(("q1", "d1", 1), ("q2", "d1", 1)))
    assert "SECRET" not in json.dumps(check(folder).notices)
