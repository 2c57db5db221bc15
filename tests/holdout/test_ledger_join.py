"""Two ledgers of one dataset become one, and nothing that either noted is lost."""

import shutil
from pathlib import Path

import pytest

from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.ledger import append, join, read_ledger
from tests.holdout.ledgers import add, filled, words


@pytest.fixture
def branches(tmp_path: Path) -> tuple[Path, Path]:
    """`a`, then `b` in one and `c` in the other."""
    one, other = filled(tmp_path / "one.jsonl", "a"), tmp_path / "other.jsonl"
    shutil.copy(one, other)
    add(one, "b")
    add(other, "c")
    return one, other


def test_the_entries_of_both_are_read_and_both_heads_are_noted(branches: tuple[Path, Path]) -> None:
    one, other = branches
    heads = [read_ledger(one).head, read_ledger(other).head]
    before = other.read_bytes()
    ledger, entry = join(one, other)
    assert entry is not None
    assert entry.kind is Kind.JOINED
    assert entry.details["heads"] == heads
    assert ledger == read_ledger(one)
    assert words(one) == ["a", "b", "c", "+"]
    assert ledger.goes_on_from(read_ledger(other))
    assert other.read_bytes() == before
    add(one, "d")
    assert words(one) == ["a", "b", "c", "+", "d"]


def test_joining_again_adds_nothing_until_there_is_something_new(branches: tuple[Path, Path]) -> None:
    one, other = branches
    join(one, other)
    before = one.read_bytes()
    assert join(one, other) == (read_ledger(one), None)
    assert join(one, one)[1] is None
    assert one.read_bytes() == before
    add(other, "d")
    join(one, other)
    assert words(one) == ["a", "b", "c", "+", "d", "+"]


def test_each_may_join_the_other_and_no_entry_is_counted_twice(branches: tuple[Path, Path]) -> None:
    one, other = branches
    join(one, other)
    join(other, one)
    assert words(other) == ["a", "c", "b", "+", "+"]
    join(one, other)
    assert words(one) == ["a", "b", "c", "+", "+", "+"]
    for path in branches:
        digests = [entry.digest for entry in read_ledger(path).entries]
        assert len(set(digests)) == len(digests)


def test_a_joined_ledger_is_joined_into_a_third(branches: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = branches
    third = tmp_path / "third.jsonl"
    shutil.copy(other, third)
    add(third, "d")
    join(one, other)
    join(third, one)
    assert words(third) == ["a", "c", "d", "b", "+", "+"]
    add(third, "e")
    assert join(third, other)[1] is None
    assert join(third, one)[1] is None
    join(one, third)
    assert read_ledger(one).goes_on_from(read_ledger(third))


def test_two_clones_that_each_began_a_ledger_of_the_same_questions_are_joined(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one.jsonl", "a"), filled(tmp_path / "other.jsonl", "b")
    join(one, other)
    assert words(one) == ["a", "b", "+"]


def test_the_ledger_of_another_dataset_is_refused(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one.jsonl", "a"), tmp_path / "other.jsonl"
    add(other, "a", queries="fedcba9876543210" * 4)
    before = one.read_bytes()
    with pytest.raises(HoldoutError, match=f"{one} and {other} are ledgers of different datasets"):
        join(one, other)
    assert one.read_bytes() == before


def test_a_ledger_that_is_not_there_is_refused(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one.jsonl", "a"), tmp_path / "other.jsonl"
    for pair in ((one, other), (other, one)):
        with pytest.raises(HoldoutError, match=f"there is no ledger {other}"):
            join(*pair)
    assert not other.exists()


def test_an_empty_ledger_has_nothing_new(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one.jsonl", "a"), tmp_path / "other.jsonl"
    other.touch()
    assert join(one, other)[1] is None


@pytest.mark.parametrize("damaged", [0, 1])
def test_a_damaged_ledger_is_not_joined(branches: tuple[Path, Path], damaged: int) -> None:
    file = branches[damaged]
    file.write_bytes(file.read_bytes().replace(b'"word":"a"', b'"word":"A"'))
    before = [path.read_bytes() for path in branches]
    with pytest.raises(HoldoutError, match=f"{file}:1: "):
        join(*branches)
    assert [path.read_bytes() for path in branches] == before


def test_damage_within_a_joined_branch_is_refused(branches: tuple[Path, Path]) -> None:
    one, other = branches
    join(one, other)
    good = one.read_bytes()
    one.write_bytes(good.replace(b'"word":"c"', b'"word":"C"'))
    with pytest.raises(HoldoutError, match=f"{one}:3: entry: found .*digest"):
        read_ledger(one)


def test_a_joined_entry_that_was_made_up_is_refused(branches: tuple[Path, Path]) -> None:
    """Even where the digest of the line is right: the entries that it took over have digests of their own."""
    one, other = branches
    _, entry = join(one, other)
    assert entry is not None
    lines = one.read_bytes().splitlines(keepends=True)
    inner = dict(entry.details["entries"][0])
    forged = [
        {"heads": entry.details["heads"], "entries": [{**inner, "details": {}}]},
        {"heads": entry.details["heads"], "entries": [{key: inner[key] for key in inner if key != "time"}]},
        {"heads": entry.details["heads"], "entries": ["none"]},
        {"heads": entry.details["heads"], "entries": None},
        {"heads": entry.details["heads"]},
    ]
    for details in forged:
        values = entry.to_json() | {"details": details}
        form = {key: value for key, value in values.items() if key != "digest"}
        made_up = Entry(kind=Kind.JOINED, time=entry.time, previous=entry.previous, questions=(), details=details)
        assert made_up.digest == digest_json(form)
        one.write_bytes(b"".join(lines[:2]) + made_up.line().encode() + b"\n")
        with pytest.raises(HoldoutError, match=f"{one}:3: "):
            read_ledger(one)


def test_what_is_no_joined_entry_may_hold_entries_of_any_kind(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    append(path, lambda _: (Kind.OPENED, (), {"entries": ["a"]}))
    assert len(read_ledger(path).entries) == 1
