"""A file is whole or as it was."""

from contextlib import suppress
from pathlib import Path

import pytest

from rag_ablation.core.replacing import link_or_copy, replace_text, replacing


def test_a_file_stays_as_it_was_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with replacing(path) as aside:
        aside.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert [file.name for file in tmp_path.iterdir()] == ["file.txt"]


def test_a_file_stays_as_it_was_where_writing_breaks_off(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    with suppress(KeyboardInterrupt), replacing(path) as aside:
        aside.write_text("ne")
        raise KeyboardInterrupt
    assert path.read_text() == "old"


def test_a_full_disk_says_in_which_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    (tmp_path / "file.txt.aside").symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"No space left on device: .*file\.txt"):
        replace_text(path, "new")
    assert not path.exists()


def test_a_second_place_of_a_file_is_replaced_and_not_written_into(tmp_path: Path) -> None:
    first, second, place = tmp_path / "first", tmp_path / "second", tmp_path / "to" / "place"
    first.write_text("first")
    second.write_text("second")
    link_or_copy(first, place)
    link_or_copy(second, place)
    assert place.read_text() == "second"
    assert first.read_text() == "first"
    link_or_copy(second, place)
    assert place.samefile(second)
    assert [file.name for file in place.parent.iterdir()] == ["place"]
