"""Questions that were looked at are known again: by id and text in their dataset, by text everywhere under the root."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import EvalSet, evalset
from rag_ablation.core.visibility import Access
from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Kind, Question, question_of
from rag_ablation.holdout.ledger import append, join, read_ledger
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import (
    SeenBefore,
    add_entry,
    add_to_root,
    dataset_ledger,
    note_scored,
    root_ledger,
    seen_before,
)
from rag_ablation.holdout.split import SplitSettings, dev_side, make_split, side_of, whole
from tests.e2e.program import write_dataset

SUBJECTS = (
    "annual leave carry over", "hotel ceiling in Shenzhen", "parking badge renewal", "travel advance repayment",
    "laptop replacement cycle", "visitor registration desk", "overtime approval chain", "sick note deadline",
    "remote work equipment", "training budget owner",
)  # fmt: skip
TEXTS = {f"q{number}": f"What is the rule on {subject}?" for number, subject in enumerate(SUBJECTS)}


def dataset(folder: Path, texts: Mapping[str, str] = TEXTS) -> Path:
    corpus = {f"p{name}": f"passage of {text}" for name, text in texts.items()}
    return write_dataset(folder, corpus, texts, {name: {f"p{name}": 1} for name in texts})


def read(folder: Path, root: Path, part: str = "none") -> tuple[Place, EvalSet]:
    """Where a dataset lies, and the questions of a side of its split of seed 0."""
    benchmark = load(folder)
    split = make_split(benchmark, SplitSettings())
    sides = {"none": whole(benchmark), "dev": dev_side(benchmark, split)}
    sides["holdout"] = side_of(benchmark, split, "holdout", split.holdout)
    chosen = sides[part]
    return Place.of(benchmark, folder, root), evalset(benchmark, chosen, Access(identities=benchmark.identities))


def note(folder: Path, root: Path, part: str = "none") -> tuple[Place, EvalSet]:
    place, data = read(folder, root, part)
    note_scored(place, data)
    return place, data


def asked(data: EvalSet) -> list[Question]:
    rows = zip(data.queries.rows, data.groups.tolist(), strict=True)
    return [question_of(query.id, query.text, group) for query, group in rows]


def seen_in(folder: Path, root: Path, part: str = "none") -> SeenBefore:
    place, data = read(folder, root, part)
    return seen_before(place, asked(data))


def test_dev_questions_are_noted_in_use_once_with_their_groups(tmp_path: Path) -> None:
    place, data = note(dataset(tmp_path / "data"), tmp_path, "dev")
    (entry,) = dataset_ledger(place).entries
    assert entry.kind is Kind.IN_USE
    assert list(entry.questions) == asked(data)
    assert entry.details == {
        "dataset": "data",
        "side": "dev",
        "split": "default",
        "identity": data.fingerprints["split"],
        "queries": data.fingerprints["queries"],
    }
    assert root_ledger(tmp_path).entries[0].questions == entry.questions
    files = [place.beside / "ledger.jsonl", tmp_path / "seen.jsonl"]
    before = [file.read_bytes() for file in files]
    note_scored(place, data)
    note_scored(place, data.sample([0, 2]))
    assert [file.read_bytes() for file in files] == before


def test_a_whole_set_is_noted_as_seen_once(tmp_path: Path) -> None:
    place, data = note(dataset(tmp_path / "data"), tmp_path)
    note_scored(place, data)
    for ledger in (dataset_ledger(place), root_ledger(tmp_path)):
        assert [(entry.kind, len(entry.questions)) for entry in ledger.entries] == [(Kind.SEEN, len(TEXTS))]


def test_a_sample_is_noted_as_what_it_is_and_the_rest_when_it_is_looked_at(tmp_path: Path) -> None:
    place, data = read(dataset(tmp_path / "data"), tmp_path)
    note_scored(place, data.sample([1, 3]))
    assert seen_before(place, asked(data)).seen == ("q1", "q3")
    note_scored(place, data)
    assert [len(entry.questions) for entry in dataset_ledger(place).entries] == [2, len(TEXTS)]


def test_no_question_of_the_holdout_is_noted_by_a_run_on_dev(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "data")
    note(folder, tmp_path, "dev")
    found = seen_in(folder, tmp_path, "holdout")
    assert (found.n, found.seen, dict(found.where)) == (4, (), {})
    assert str(found) == "0 of 4 questions seen before"
    assert not found.too_many
    assert seen_in(folder, tmp_path, "dev").n == len(seen_in(folder, tmp_path, "dev").seen) == 6


def test_what_looked_at_a_question_is_said(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "data")
    note(folder, tmp_path)
    found = seen_in(folder, tmp_path, "holdout")
    day = dataset_ledger(read(folder, tmp_path)[0]).entries[0].time[:10]
    assert str(found) == f"4 of 4 questions seen before: 4 under split=none of data, from {day}"
    note(folder, tmp_path, "dev")
    assert f"6 on dev of split 'default' of data, from {day}" in str(seen_in(folder, tmp_path))


def renamed(texts: Mapping[str, str]) -> dict[str, str]:
    return {f"other-{name}": text for name, text in texts.items()}


def turned_round(texts: Mapping[str, str]) -> dict[str, str]:
    return dict(reversed(texts.items()))


def polite(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: f"Hello, could you tell me: {text.upper().rstrip('?')} ... thanks!" for name, text in texts.items()}


def full_width(texts: Mapping[str, str]) -> dict[str, str]:
    wide = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
    return {name: text.translate(wide) for name, text in texts.items()}


@pytest.mark.parametrize("change", [dict, renamed, turned_round, polite, full_width])
def test_a_copy_is_known_again_by_its_texts(
    tmp_path: Path, change: Callable[[Mapping[str, str]], dict[str, str]]
) -> None:
    note(dataset(tmp_path / "data"), tmp_path)
    found = seen_in(dataset(tmp_path / "copy", change(TEXTS)), tmp_path)
    assert len(found.seen) == found.n == len(TEXTS)
    assert found.too_many


def test_other_questions_under_the_same_ids_are_not_known(tmp_path: Path) -> None:
    note(dataset(tmp_path / "data"), tmp_path)
    found = seen_in(dataset(tmp_path / "other", {name: f"Who signs form {name}-7?" for name in TEXTS}), tmp_path)
    assert found.seen == ()


def test_one_question_that_is_the_same_is_known(tmp_path: Path) -> None:
    note(dataset(tmp_path / "data"), tmp_path)
    other = {name: f"Who signs form {name}-7?" for name in TEXTS} | {"mine": TEXTS["q4"]}
    assert seen_in(dataset(tmp_path / "other", other), tmp_path).seen == ("mine",)


def test_another_root_knows_only_what_stands_beside_the_dataset(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "data")
    note(folder, tmp_path / "one")
    assert len(seen_in(folder, tmp_path / "two").seen) == len(TEXTS)
    assert seen_in(dataset(tmp_path / "copy"), tmp_path / "two").seen == ()


def test_a_question_that_was_reworded_is_known_by_its_id_in_its_own_dataset(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "data")
    note(folder, tmp_path)
    dataset(folder, TEXTS | {"q3": "Something else entirely"})
    assert "q3" in seen_in(folder, tmp_path).seen


def test_the_openings_of_a_plan_itself_can_be_left_out(tmp_path: Path) -> None:
    place, data = read(dataset(tmp_path / "data"), tmp_path)
    details = {"plan": "p" * 64, "name": "v1", "study": "tiny", "dataset": "data"}
    for add in (lambda make: add_entry(place, make), lambda make: add_to_root(tmp_path, make)):
        add(lambda _: (Kind.OPENED, asked(data), details))
    assert seen_before(place, asked(data), leave_out=["p" * 64]).seen == ()
    found = seen_before(place, asked(data), leave_out=["other"])
    assert len(found.seen) == len(TEXTS)
    assert "10 on the holdout of data, opened " in str(found)
    assert "by plan 'v1' of study 'tiny'" in str(found)


@pytest.mark.parametrize("kind", [Kind.CLOSED, Kind.REPLAYED, Kind.AMENDED])
def test_entries_that_only_refer_to_an_opening_look_at_nothing(tmp_path: Path, kind: Kind) -> None:
    place, data = read(dataset(tmp_path / "data"), tmp_path)
    add_entry(place, lambda _: (kind, asked(data), {}))
    assert seen_before(place, asked(data)).seen == ()


def test_two_of_a_hundred_are_overlooked_and_three_are_not() -> None:
    def counted(n: int, seen: int) -> bool:
        return SeenBefore(n=n, seen=tuple(map(str, range(seen)))).too_many

    assert not counted(0, 0)
    assert counted(10, 1)
    assert not counted(49, 0)
    assert counted(49, 1)
    for hundredths in range(1, 400):
        assert not counted(50 * hundredths, hundredths)
        assert counted(50 * hundredths, hundredths + 1)
        assert counted(50 * hundredths - 1, hundredths)


def test_a_set_that_ships_has_its_ledger_under_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag_ablation.data.bundled.PACKAGE", tmp_path)
    folder = dataset(tmp_path / "bundled" / "data")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    place, data = note(folder, tmp_path / "root")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert dataset_ledger(place).path == place.under / "ledger.jsonl"
    assert place.under.is_relative_to(tmp_path / "root" / "datasets")
    assert len(seen_before(place, asked(data)).seen) == len(TEXTS)


def test_a_ledger_that_ships_is_only_ever_a_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a later version of the package ships is not held against what was noted since."""
    folder = dataset(tmp_path / "bundled" / "data")
    place, _ = note(folder, tmp_path / "elsewhere", "dev")
    shipped = place.beside / "ledger.jsonl"
    before = shipped.read_bytes()
    monkeypatch.setattr("rag_ablation.data.bundled.PACKAGE", tmp_path)
    place, _ = note(folder, tmp_path / "root")
    assert (place.under / "ledger.jsonl").read_bytes().startswith(before)
    append(shipped, lambda _: (Kind.SEEN, (), {}))
    assert [entry.kind for entry in dataset_ledger(place).entries] == [Kind.IN_USE, Kind.SEEN]
    some_word(place, "later")
    assert len(dataset_ledger(place).entries) == 3


def unwritable(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    access = os.access
    monkeypatch.setattr(
        "os.access",
        lambda path, mode: not Path(path).is_relative_to(folder) and access(path, mode),
    )


def test_a_dataset_that_cannot_be_written_to_has_its_ledger_under_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = dataset(tmp_path / "data")
    unwritable(monkeypatch, folder)
    place, data = note(folder, tmp_path)
    note_scored(place, data)
    assert not place.beside.exists()
    assert len(read_ledger(place.under / "ledger.jsonl").entries) == 1


def test_a_ledger_under_the_root_goes_on_from_the_one_beside_the_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = dataset(tmp_path / "data")
    place, _ = note(folder, tmp_path, "dev")
    before = (place.beside / "ledger.jsonl").read_bytes()
    unwritable(monkeypatch, folder)
    note(folder, tmp_path, "dev")
    assert not place.under.exists()
    note(folder, tmp_path)
    assert (place.beside / "ledger.jsonl").read_bytes() == before
    assert (place.under / "ledger.jsonl").read_bytes().startswith(before)
    assert [entry.kind for entry in dataset_ledger(place).entries] == [Kind.IN_USE, Kind.SEEN]


def some_word(place: Place, word: str) -> None:
    add_entry(place, lambda _: (Kind.CLOSED, (), {"word": word, "queries": place.queries}))


def said(place: Place) -> list[object]:
    return [entry.details.get("word", "+") for entry in dataset_ledger(place).entries]


@pytest.fixture
def both(tmp_path: Path) -> Place:
    """A ledger beside the dataset and a copy of it under the root."""
    place, _ = read(dataset(tmp_path / "data"), tmp_path / "root")
    some_word(place, "a")
    shutil.copytree(place.beside, place.under)
    return place


def test_of_two_ledgers_the_one_that_goes_on_from_the_other_counts(both: Place, tmp_path: Path) -> None:
    some_word(both, "b")
    assert said(both) == ["a", "b"]
    assert len(read_ledger(both.under / "ledger.jsonl").entries) == 2
    longer = Place(folder=both.folder, root=tmp_path / "elsewhere", queries=both.queries, name=both.name)
    some_word(longer, "c")
    with pytest.raises(HoldoutError, match="two ledgers"):
        said(both)


def test_the_longer_one_may_stand_beside_the_dataset(
    both: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Place(folder=both.folder, root=tmp_path / "elsewhere", queries=both.queries, name=both.name)
    some_word(elsewhere, "b")
    assert said(both) == ["a", "b"]
    some_word(both, "c")
    assert len(read_ledger(both.beside / "ledger.jsonl").entries) == 3
    unwritable(monkeypatch, both.folder)
    some_word(both, "d")
    assert said(both) == ["a", "b", "c", "d"]
    assert len(read_ledger(both.beside / "ledger.jsonl").entries) == 3
    assert len(read_ledger(both.under / "ledger.jsonl").entries) == 4


def test_two_that_diverge_are_an_error_until_they_are_joined(both: Place, tmp_path: Path) -> None:
    some_word(both, "b")
    some_word(Place(folder=both.folder, root=tmp_path / "x", queries=both.queries, name=both.name), "c")
    under, beside = both.under / "ledger.jsonl", both.beside / "ledger.jsonl"
    command = f"rag-ablation holdout join {under} {beside}"
    for use in (lambda: dataset_ledger(both), lambda: some_word(both, "d")):
        with pytest.raises(HoldoutError) as refusal:
            use()
        assert str(refusal.value).endswith(command)
    join(under, beside)
    assert said(both) == ["a", "b", "c", "+"]
    some_word(both, "d")
    assert said(both) == ["a", "b", "c", "+", "d"]


@pytest.mark.parametrize("damaged", ["data/splits/ledger.jsonl", "seen.jsonl"])
def test_nothing_is_noted_and_nothing_scored_beside_a_ledger_that_was_tampered_with(
    tmp_path: Path, damaged: str
) -> None:
    place, data = note(dataset(tmp_path / "data"), tmp_path, "dev")
    file = tmp_path / damaged
    file.write_bytes(file.read_bytes().replace(b'"dev"', b'"dew"'))
    with pytest.raises(HoldoutError, match=f"{file}:1: entry: "):
        note_scored(place, data)
    with pytest.raises(HoldoutError, match=f"{file}:1: entry: "):
        seen_before(place, asked(data))
