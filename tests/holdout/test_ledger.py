"""The ledger: one can only add to it, and anything else shows."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import HoldoutError
from rag_ablation.holdout import ledger as ledger_module
from rag_ablation.holdout.entry import Entry, Kind, Question, question_of
from rag_ablation.holdout.ledger import Ledger, append, read_ledger
from tests.holdout.ledgers import add, filled, questions, words

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from([kind for kind in Kind if kind is not Kind.JOINED])


def file(folder: Path) -> Path:
    return folder / "splits" / "ledger.jsonl"


def test_a_ledger_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert read_ledger(file(tmp_path)) == Ledger(path=file(tmp_path))
    assert not file(tmp_path).parent.exists()


@settings(max_examples=30, deadline=None)
@given(
    added=st.lists(
        st.tuples(KINDS, st.lists(st.builds(Question, TEXT, TEXT, st.integers(0))), st.dictionaries(TEXT, VALUES)),
        max_size=4,
    )
)
def test_what_was_added_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, added: list[tuple[Kind, list[Question], dict[str, object]]]
) -> None:
    path = file(tmp_path_factory.mktemp("ledger"))
    made = [append(path, lambda _, one=one: one)[1] for one in added]  # type: ignore[misc]
    ledger = read_ledger(path)
    assert list(ledger.entries) == made
    assert [(entry.kind, list(entry.questions), entry.details) for entry in ledger.entries] == [
        (kind, sorted(some), details) for kind, some, details in added
    ]
    assert [entry.previous for entry in ledger.entries] == ["", *(entry.digest for entry in ledger.entries)][:-1]
    assert ledger.head == (ledger.entries[-1].digest if added else "")


def test_nothing_is_written_where_nothing_is_to_be_added(tmp_path: Path) -> None:
    path = filled(file(tmp_path), "a")
    before = path.read_bytes()
    ledger, entry = append(path, lambda _: None)
    assert entry is None
    assert ledger == read_ledger(path)
    assert path.read_bytes() == before


def test_what_the_caller_raises_goes_through_and_adds_nothing(tmp_path: Path) -> None:
    path = filled(file(tmp_path), "a")

    def refuse(_: Ledger) -> None:
        message = "spent"
        raise HoldoutError(message)

    with pytest.raises(HoldoutError, match="spent"):
        append(path, refuse)
    add(path, "b")
    assert words(path) == ["a", "b"]


def test_details_that_would_not_be_read_back_as_they_are_are_not_written(tmp_path: Path) -> None:
    path = filled(file(tmp_path), "a")
    before = path.read_bytes()
    with pytest.raises(ValueError, match="digest"):
        append(path, lambda _: (Kind.OPENED, (), {"folds": {2: "b", 10: "a"}}))
    assert path.read_bytes() == before


def test_entries_are_found_by_kind_and_by_digest(tmp_path: Path) -> None:
    path = file(tmp_path)
    first = add(path, "a")
    opened = append(path, lambda _: (Kind.OPENED, (), {}))[1]
    ledger = read_ledger(path)
    assert ledger.of(Kind.OPENED) == (opened,)
    assert ledger.of(Kind.OPENED, Kind.IN_USE) == (first, opened)
    assert ledger.entry(first.digest) == first
    assert ledger.entry("0" * 64) is None


def test_the_text_of_a_question_cannot_be_read_from_its_entry(tmp_path: Path) -> None:
    path = filled(file(tmp_path), "a secret question")
    assert "secret" not in path.read_text().replace('"word":"a secret question"', "")


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Three entries, with characters that JSON has two ways to write."""
    path = file(tmp_path_factory.mktemp("three"))
    return filled(path, "a\u001f", "é", "中").read_bytes()


@settings(max_examples=300, deadline=None)
@given(where=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255))
def test_any_byte_that_is_changed_shows(
    tmp_path_factory: pytest.TempPathFactory, three: bytes, where: float, byte: int
) -> None:
    place = int(where * (len(three) - 1))  # all but the end of the last line, which may be missing
    if three[place] == byte:
        return
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    path.write_bytes(three[:place] + bytes([byte]) + three[place + 1 :])
    with pytest.raises(HoldoutError, match=rf"{path}:\d: "):
        read_ledger(path)


def test_the_same_values_in_another_form_show(tmp_path: Path, three: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    changes = {"escape": (rb"\u001f", rb"\u001F"), "space": (b'"kind":', b'"kind": ')}
    changes["twice"] = (b'"kind":"in_use"', b'"kind":"opened","kind":"in_use"')
    for old, new in changes.values():
        assert old in three
        path.write_bytes(three.replace(old, new, 1))
        with pytest.raises(HoldoutError, match=r"ledger.jsonl:1: entry: found the values of an entry, in other words"):
            read_ledger(path)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda a, b, c: [b, c], 1),
        (lambda a, b, c: [a, c], 2),
        (lambda a, b, c: [a, a, b, c], 2),
        (lambda a, b, c: [a, b, a, c], 3),
        (lambda a, b, c: [b, a, c], 1),
        (lambda a, b, c: [a, c, b], 2),
        (lambda a, b, c: [c, b, a], 1),
        (lambda a, b, c: [a, b, b"<<<<<<< HEAD\n", c], 3),
        (lambda a, b, c: [a, b"null\n", b, c], 2),
        (lambda a, b, c: [b"[]\n"], 1),
        (lambda a, b, c: [a[:-1], b, c], 1),
    ],
    ids=[
        *("first removed", "middle removed", "doubled", "repeated later", "swapped", "swapped at the end"),
        *("turned round", "mark of a merge", "null", "a list", "joined lines"),
    ],
)
def test_lines_that_are_removed_doubled_or_moved_are_refused(tmp_path: Path, three: bytes, change, line: int) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"".join(change(*three.splitlines(keepends=True))))
    with pytest.raises(HoldoutError, match=rf"{path}:{line}: .*Bring the file back.*holdout join A B"):
        read_ledger(path)
    with pytest.raises(HoldoutError, match=rf"{path}:{line}: "):
        add(path, "d")


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"group":1e999}', b"1" * 5000])
def test_a_line_that_no_reader_can_hold_is_refused_as_well(tmp_path: Path, three: bytes, deep: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(three + deep + b"\n")
    with pytest.raises(HoldoutError, match=r"ledger.jsonl:4: "):
        read_ledger(path)


def test_an_entry_whose_group_is_no_number_is_refused(tmp_path: Path, three: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    for value in (b"1e999", b"0.0", b"false", b"null"):
        path.write_bytes(three.replace(b",0]]", b"," + value + b"]]", 1))
        with pytest.raises(HoldoutError, match=r"ledger.jsonl:1: "):
            read_ledger(path)


def test_entries_that_are_removed_at_the_end_are_missed_by_who_knows_of_them(tmp_path: Path) -> None:
    path = filled(file(tmp_path), "a", "b", "c")
    known = [entry.digest for entry in read_ledger(path).entries]
    lines = path.read_bytes().splitlines(keepends=True)
    assert read_ledger(path).lacks(known) == []
    path.write_bytes(b"".join(lines[:1]))
    assert read_ledger(path).lacks(known) == known[1:]
    path.unlink()
    assert read_ledger(path).lacks([*known, ""]) == known


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"\n", b"\n\n") + b"\n  \n",
        lambda content: content.removesuffix(b"\n"),
        lambda content: content.replace(b"\n", b"\r\n").removesuffix(b"\n"),
    ],
    ids=["byte order mark", "CRLF", "blank lines", "no last line end", "CR at the end"],
)
def test_what_an_editor_does_to_a_file_is_no_damage(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    path = filled(file(tmp_path), "a", "b")
    before = damage(path.read_bytes())
    path.write_bytes(before)
    assert words(path) == ["a", "b"]
    add(path, "c")
    assert words(path) == ["a", "b", "c"]
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("left", [1, 30, -2], ids=["one byte", "thirty", "all but two"])
def test_a_last_line_that_is_cut_off_is_refused_with_what_to_do(tmp_path: Path, left: int) -> None:
    path = filled(file(tmp_path), "a", "b")
    first, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + last[:left])
    said = rf"{path}:2: entry: found a line that is cut off, expected a whole line: .*bring it back from a backup"
    with pytest.raises(HoldoutError, match=said):
        read_ledger(path)
    with pytest.raises(HoldoutError, match=said):
        add(path, "c")
    path.write_bytes(first)
    add(path, "c")
    assert words(path) == ["a", "c"]


def test_an_edit_within_one_tick_of_the_file_system_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger that has not changed is not read again; one that changed just now is, though no stamp tells."""
    path = filled(file(tmp_path), "a")
    state = path.stat()
    monkeypatch.setattr(type(path), "stat", lambda *_, **__: state)
    assert words(path) == ["a"]
    with path.open("r+b") as handle:
        handle.write(b" ")
    with pytest.raises(HoldoutError, match=r"ledger.jsonl:1: entry: "):
        read_ledger(path)


def test_a_ledger_that_lies_there_for_a_while_is_read_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled(file(tmp_path), "a")
    monkeypatch.setattr("rag_ablation.holdout.ledger.SETTLED_NS", 0)
    reads: list[Path] = []
    whole = ledger_module.read_whole
    monkeypatch.setattr(ledger_module, "read_whole", lambda path: reads.append(path) or whole(path))
    for _ in range(5):
        assert words(path) == ["a"]
    assert len(reads) == 1
    monkeypatch.undo()
    add(path, "b")
    assert words(path) == ["a", "b"]
    good = path.read_bytes()
    path.write_bytes(good.replace(b"tiny", b"thin"))
    with pytest.raises(HoldoutError, match=r"ledger.jsonl:1: entry: found .*digest"):
        read_ledger(path)


def test_a_first_entry_goes_on_from_another_file_byte_for_byte(tmp_path: Path) -> None:
    shipped = filled(tmp_path / "shipped" / "ledger.jsonl", "a", "b")
    shipped.write_bytes(b"\xef\xbb\xbf" + shipped.read_bytes().replace(b"\n", b"\r\n"))
    before = shipped.read_bytes()
    path = file(tmp_path)
    add(path, "c", start_from=shipped)
    add(path, "d", start_from=shipped)
    assert path.read_bytes().startswith(before)
    assert words(path) == ["a", "b", "c", "d"]
    assert shipped.read_bytes() == before


def test_a_ledger_catches_up_with_the_one_it_began_with(tmp_path: Path) -> None:
    shipped = filled(tmp_path / "shipped" / "ledger.jsonl", "a")
    path = file(tmp_path)
    path.parent.mkdir()
    path.write_bytes(shipped.read_bytes())
    add(shipped, "b")
    add(path, "c", start_from=shipped)
    assert words(path) == ["a", "b", "c"]
    add(shipped, "elsewhere")
    add(path, "d", start_from=shipped)
    assert words(path) == ["a", "b", "c", "d"]


def test_a_beginning_that_is_not_there_or_damaged(tmp_path: Path) -> None:
    add(file(tmp_path), "a", start_from=tmp_path / "none.jsonl")
    damaged = filled(tmp_path / "damaged.jsonl", "a", "b")
    damaged.write_bytes(damaged.read_bytes().splitlines(keepends=True)[1])
    path = tmp_path / "new" / "ledger.jsonl"
    with pytest.raises(HoldoutError, match=rf"{damaged}:1"):
        add(path, "c", start_from=damaged)
    assert not path.exists()


def test_equal_questions_have_one_key_and_others_another() -> None:
    one, other, unlike = questions("How many days?", "please, HOW many   days", "How many weeks?")
    assert one.key == other.key != unlike.key
    assert question_of("q", "請問，住宿標準是多少？", 0).key == question_of("r", "住宿标准是多少", 3).key


def test_an_entry_says_all_of_itself_in_its_digest(tmp_path: Path) -> None:
    entry = add(file(tmp_path), "a")
    others = [
        {"kind": Kind.SEEN},
        {"time": "2026-01-01T00:00:00+00:00"},
        {"previous": "0" * 64},
        {"questions": ()},
        {"details": {}},
    ]
    fields = {name: getattr(entry, name) for name in ("kind", "time", "previous", "questions", "details")}
    assert Entry(**fields).digest == entry.digest
    assert len({Entry(**{**fields, **change}).digest for change in others} | {entry.digest}) == 6
