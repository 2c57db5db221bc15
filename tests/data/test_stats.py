"""`rag-ablation data stats`: what is in a dataset, and what that many questions can show."""

import json
from pathlib import Path
from typing import Any

import pytest

from rag_ablation.cli import main
from rag_ablation.commands._data_power import assumptions, power
from tests.data.folders import native, passage, question, table, twelve_questions


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path / "root"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return twelve_questions(tmp_path / "set")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    status = main(list(words))
    out = capsys.readouterr()
    assert status == 0, out.err
    return out.out


def as_json(capsys: pytest.CaptureFixture[str], folder: Path) -> dict[str, Any]:
    return json.loads(printed(capsys, "data", "stats", str(folder), "--json"), parse_constant=pytest.fail)


def test_stats_without_a_split_count_all(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_json(capsys, folder)
    assert list(found) == ["dataset", "language", "label_unit", "corpus", "splits", "questions", "can_show"]
    assert found["corpus"] == {"passages": 9, "documents": 1, "repeated_texts": {"texts": 3, "occurrences": 6}}
    assert found["splits"] == []
    questions = found["questions"]
    assert (questions["side"], questions["n"]) == ("all", 12)
    assert questions["types"] == {"a": 6, "b": 6}
    assert questions["statuses"] == {"reviewed": 12}
    assert questions["gold_per_question"] == {"questions_by_count": {"1": 12}, "mean": 1.0, "reason": None}
    assert questions["groups"] == {"n": 6, "groups_by_size": {"2": 6}}


def test_stats_state_the_ceiling_of_many_gold_passages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(*(("q1", f"d{n}", 1) for n in range(4)), ("q2", "d0", 1))
    asked = [question("q1"), question("q2"), question("q3", status="no_answer")]
    found = as_json(capsys, native(tmp_path / "many", [passage(f"d{n}") for n in range(4)], asked, rows))["questions"]
    at = found["recall_ceiling"]["at"]
    assert (at["1"], at["3"], at["5"]) == ((1 / 4 + 1) / 2, (3 / 4 + 1) / 2, 1.0)
    assert found["gold_per_question"]["questions_by_count"] == {"1": 1, "4": 1}
    assert found["statuses"] == {"no_answer": 1, "reviewed": 2}


def test_what_is_undefined_is_null_with_a_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = native(tmp_path / "none", queries=[question("q1", status="no_answer")], qrels=table())
    found = as_json(capsys, folder)
    ceiling, gold = found["questions"]["recall_ceiling"], found["questions"]["gold_per_question"]
    assert (set(ceiling["at"].values()), ceiling["reason"]) == ({None}, "no_question_has_gold")
    assert (gold["mean"], gold["reason"]) == (None, "no_question_has_gold")
    shown = found["can_show"]["all"]
    assert (shown["interval_at_80_percent"]["low"], shown["interval_at_80_percent"]["reason"]) == (
        None,
        "no_scored_question",
    )
    assert shown["smallest_difference"] == {"hit": None, "recall": None, "reason": "fewer_than_2_groups"}
    assert "recall ceiling   –   –" in printed(capsys, "data", "stats", str(folder))


def test_stats_are_drawn_as_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [" ".join(line.split()) for line in printed(capsys, "data", "stats", str(folder)).splitlines()]
    assert lines[0] == "tiny (en, labels at unit passage)"
    for expected in (
        "corpus 9 passages in 1 document",
        "corpus texts 3 texts occurring more than once (6 in all)",
        "questions (all questions) 12",
        "types a 6, b 6",
        "gold per question 1 (12×); mean 1.00",
        "groups 6; questions in a group: 2 (6×)",
        "recall ceiling 1.0000 1.0000 1.0000 1.0000 1.0000 1.0000 1.0000",
    ):
        assert expected in lines


def test_stats_tell_of_the_holdout_only_its_size(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "data", "split", str(folder), "--holdout", ".5")
    found = as_json(capsys, folder)
    side = {"questions": 6, "groups": 3}
    assert found["splits"] == [{"name": "default", "fits": True, "dev": side, "holdout": side}]
    assert (found["questions"]["side"], found["questions"]["n"]) == ("dev", 6)
    assert found["questions"]["groups"] == {"n": 3, "groups_by_size": {"2": 3}}
    assert found["can_show"]["all"]["questions"] == 6
    text = printed(capsys, "data", "stats", str(folder))
    assert "dev 6 questions in 3 groups; holdout 6 questions in 3 groups" in text
    assert "SECRET" not in text


def test_thirty_questions_are_a_start() -> None:
    found = power([1] * 30)
    assert str(found["says"]).startswith("30 questions are a start: 24 of 30 right means 63 to 90 % (Wilson); ")
    assert found["shows"] == "a start"


def test_six_questions_of_a_type_can_show_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert str(power([1] * 6)["says"]).startswith(
        "6 questions can show nothing: 5 of 6 right means 44 to 97 % (Wilson)"
    )
    shown = as_json(capsys, folder)["can_show"]["by_type"]
    assert {name: (found["questions"], found["shows"]) for name, found in shown.items()} == {
        "a": (6, "nothing"),
        "b": (6, "nothing"),
    }
    assert "can show nothing by themselves: a, b" in printed(capsys, "data", "stats", str(folder))


def test_questions_in_groups_count_for_less() -> None:
    apart, together = power([1] * 30), power([3] * 10)
    assert together["effective_groups"] == pytest.approx(10)
    assert "30 questions in 10 groups" in str(together["says"])
    assert "(Wilson on 10.0 effective questions)" in str(together["says"])
    assert together["interval_at_80_percent"]["width"] > apart["interval_at_80_percent"]["width"]  # type: ignore[index]


def test_the_advice_is_computed() -> None:
    assert assumptions()["advice"] == (
        "a few hundred, sampled as the business asks, is a plan: with 300, 240 right means 75 to 84 % (Wilson), "
        "and a difference of 0.08 in hit shows"
    )
    assert power([1] * 300)["shows"] == "a plan"


@pytest.mark.parametrize(("sizes", "says"), [([], "no scored question"), ([1], "1 question can show nothing")])
def test_few_questions_are_said_in_words(sizes: list[int], says: str) -> None:
    assert str(power(sizes)["says"]).startswith(says)
