"""The file of people's verdicts: one can only add to it, at the same time as others, and it is whole at every moment."""

import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core import replacing
from rag_ablation.core.answers import Answer, Reference, Word
from rag_ablation.core.errors import DataError, SystemRefusalError
from rag_ablation.core.reviews import Key, Review
from rag_ablation.data import settled
from rag_ablation.data.settled import REVIEWS, Added, add_reviews, read_reviews


def review(n: int = 0, word: Word = Word.CORRECT, note: str = "", by: str | None = None) -> Review:
    key = Key.of(f"question {n}", Answer(text="a"), Reference(answers=("a",)))
    return Review(key=key, word=word, note=note, by=by)


def said(path: Path) -> list[tuple[str, str, str | None]]:
    return [(str(one.word), one.note, one.by) for one in read_reviews(path).latest.values()]


def test_no_file_is_no_verdict(tmp_path: Path) -> None:
    assert not read_reviews(tmp_path / REVIEWS)
    assert add_reviews(tmp_path / REVIEWS, []) == Added(0, 0, 0, 0)
    assert not (tmp_path / REVIEWS).exists()


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from([Word.CORRECT, Word.INCORRECT]), st.text(max_size=9))),
    st.none() | st.text(min_size=1, max_size=5),
)
def test_what_was_added_is_read_back_and_the_last_counts(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, Word, str]], by: str | None
) -> None:
    path = tmp_path_factory.mktemp("reviews") / REVIEWS
    for row in rows:
        add_reviews(path, [review(*row, by=by)])
    last = {row[0]: (str(row[1]), row[2], by) for row in rows}
    assert sorted(said(path)) == sorted(last.values())


def test_each_line_is_of_digests_and_says_what_when_and_who(tmp_path: Path) -> None:
    add_reviews(tmp_path / REVIEWS, [review(note="每晚", by="李")])
    (line,) = (tmp_path / REVIEWS).read_text(encoding="utf-8").splitlines()
    values = json.loads(line)
    assert {name: values[name] for name in ("verdict", "note", "by")} == {
        "verdict": "correct",
        "note": "每晚",
        "by": "李",
    }
    assert (values["question"], values["answer"], values["reference"]) == review().key
    assert datetime.fromisoformat(values["time"]).tzinfo is not None
    assert "每晚" in line
    assert "question 0" not in line


def test_what_is_there_is_not_written_again_and_what_changes_is_counted(tmp_path: Path) -> None:
    path = tmp_path / REVIEWS
    assert add_reviews(path, [review(0), review(1), review(2)]) == Added(new=3, changed=0, repeated=0, known=0)
    before = path.read_bytes()
    assert add_reviews(path, [review(0), review(1)]) == Added(new=0, changed=0, repeated=0, known=2)
    assert path.read_bytes() == before
    given = [review(0, Word.INCORRECT), review(1, note="x"), review(2)]
    assert add_reviews(path, given) == Added(new=0, changed=1, repeated=1, known=1)
    assert path.read_bytes().startswith(before)
    assert path.read_bytes().count(b"\n") == 5


def test_what_was_taken_over_later_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / REVIEWS
    add_reviews(path, [review(0)])
    between = json.loads(path.read_text())["time"]
    add_reviews(path, [review(0, Word.INCORRECT), review(1)])
    assert len(read_reviews(path, before=between)) == 0
    later = json.loads(path.read_text().splitlines()[1])["time"]
    assert said(tmp_path / REVIEWS)[0][0] == "incorrect"
    assert [str(one.word) for one in read_reviews(path, before=later).latest.values()] == ["correct"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("question", "short"),
        ("reference", None),
        ("verdict", "needs_review"),
        ("verdict", ["correct"]),
        ("note", None),
        ("time", "yesterday"),
        ("time", "2026-01-01T00:00:00"),
        ("more", 1),
    ],
)
def test_a_line_that_was_changed_is_named_and_nothing_is_added(tmp_path: Path, field: str, value: Any) -> None:
    path = tmp_path / REVIEWS
    add_reviews(path, [review(0), review(1)])
    lines = path.read_text().splitlines()
    lines[1] = json.dumps({**json.loads(lines[1]), field: value})
    path.write_text("\n".join(lines) + "\n")
    before = path.read_bytes()
    with pytest.raises(DataError, match=f"{REVIEWS}:2: "):
        add_reviews(path, [review(2)])
    assert path.read_bytes() == before


def test_a_line_that_is_cut_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / REVIEWS
    add_reviews(path, [review(0), review(1)])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match=f"{REVIEWS}:2: line: "):
        read_reviews(path)


def _add(path: Path, first: int, start: Any) -> None:
    start.wait()
    for n in range(first, first + 10):
        add_reviews(path, [review(n)])


def test_of_verdicts_that_several_people_bring_at_once_none_is_lost(tmp_path: Path) -> None:
    path, context = tmp_path / REVIEWS, multiprocessing.get_context("spawn")
    start = context.Event()
    people = [context.Process(target=_add, args=(path, 10 * n, start)) for n in range(4)]
    for one in people:
        one.start()
    start.set()
    for one in people:
        one.join()
    assert [one.exitcode for one in people] == [0] * 4
    assert len(path.read_bytes().splitlines()) == len(read_reviews(path)) == 40


def killed(step: str, work: Callable[[], object]) -> int:
    """The exit status of a process that is killed when it comes to a step."""
    child = os.fork()
    if not child:
        real = getattr(os, step)

        def kill(*given: Any, **named: Any) -> Any:
            if any(str(REVIEWS) in str(one) for one in given) or isinstance(given[0], int):
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given, **named)

        setattr(os, step, kill)
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_process_that_is_killed_leaves_the_file_as_it_was_and_the_next_goes_on(tmp_path: Path, step: str) -> None:
    path = tmp_path / REVIEWS
    add_reviews(path, [review(0)])
    before = path.read_bytes()
    assert killed(step, lambda: add_reviews(path, [review(1), review(2)])) == -signal.SIGKILL
    assert path.read_bytes() == before
    assert add_reviews(path, [review(1), review(2)]).new == 2
    assert len(read_reviews(path)) == 3


def test_a_full_disk_is_said_and_the_file_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / REVIEWS
    add_reviews(path, [review(0)])
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(replacing.os, "replace", full)
    with pytest.raises(SystemRefusalError, match="No space left"):
        add_reviews(path, [review(1)])
    assert path.read_bytes() == before


def test_the_time_is_that_of_taking_over_and_not_what_was_handed_over(tmp_path: Path) -> None:
    add_reviews(tmp_path / REVIEWS, [replace(review(), time="1999-01-01T00:00:00+00:00")])
    (one,) = read_reviews(tmp_path / REVIEWS).latest.values()
    assert one.time > "2020"
    assert set(json.loads((tmp_path / REVIEWS).read_text())) == set(settled.FIELDS)
