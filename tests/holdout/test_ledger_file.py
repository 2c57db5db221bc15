"""The ledger's file: whole after a kill, a full disk, and many processes at once."""

import json
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag_ablation.core.errors import SystemRefusalError
from rag_ablation.holdout.entry import Kind
from rag_ablation.holdout.ledger import append, read_ledger
from tests.holdout.ledgers import add, filled, process, words

ADDING = """
import sys
from pathlib import Path
from tests.holdout.ledgers import add
path, name = Path(sys.argv[1]), sys.argv[2]
(path.parent / name).touch()
while len(list(path.parent.glob("process-*"))) < 2:
    pass
for number in range(200):
    add(path, f"{name} {number}")
"""
READ_ONLY = """
import sys
from pathlib import Path
from rag_ablation.core.errors import SystemRefusalError
from tests.holdout.ledgers import add
try:
    add(Path(sys.argv[1]), "b")
except SystemRefusalError as error:
    print(error)
"""
FULL_DISK = """
import resource, sys
from pathlib import Path
from rag_ablation.core.errors import SystemRefusalError
from tests.holdout.ledgers import add
path = Path(sys.argv[1])
_, most = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, most))
try:
    add(path, "b")
except SystemRefusalError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
print(path.read_text() == sys.argv[2], sorted(file.name for file in path.parent.iterdir()))
add(path, "c")
"""


def test_two_processes_add_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    both = [process(ADDING, str(path), f"process-{number}") for number in (1, 2)]
    for one in both:
        assert one.communicate(timeout=120)[1] == ""
        assert one.returncode == 0
    found = words(path)
    assert len(found) == 400
    for name in ("process-1", "process-2"):
        assert [word for word in found if word.startswith(name)] == [f"{name} {number}" for number in range(200)]
    assert {word.split()[0] for word in found[:399]} == {"process-1", "process-2"}


def test_threads_of_one_process_add_at_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: add(path, str(number)), range(40)))
    assert sorted(map(int, words(path))) == list(range(40))


def test_who_reads_while_another_adds_never_meets_half_a_line(tmp_path: Path) -> None:
    path = filled(tmp_path / "ledger.jsonl", "first")
    done = threading.Event()

    def read() -> int:
        seen = 0
        while not done.is_set():
            n = len(read_ledger(path).entries)
            assert n >= seen
            seen = n
        return seen

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        for number in range(60):
            details = {"long": "x" * 200_000 if number % 20 == 0 else ""}
            append(path, lambda _, details=details: (Kind.SEEN, (), details))  # type: ignore[misc]
        done.set()
        assert reader.result() > 1


@pytest.mark.skipif(sys.platform == "win32", reason="no fork and no kill -9")
def test_a_process_that_is_killed_at_any_line_leaves_the_entry_or_none(tmp_path: Path) -> None:
    out, err = process(
        "import runpy; runpy.run_module('tests.holdout.killing', run_name='__main__')", str(tmp_path)
    ).communicate(timeout=300)
    assert not err, err
    for states in json.loads(out).values():
        assert states["without"] > 20, out
        assert states["with"] > 5, out


@pytest.mark.skipif(sys.platform == "win32", reason="no limit to the size of files")
def test_a_disk_that_is_full_in_the_middle_of_a_line_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    path = filled(tmp_path / "ledger.jsonl", "a")
    out, err = process(FULL_DISK, str(path), path.read_text()).communicate(timeout=60)
    assert not err, err
    said, left = out.splitlines()
    assert said == (f"the system refuses: {path}: File too large; nothing was noted in this ledger, which is as it was")
    assert left == "True ['.ledger.jsonl.lock', 'ledger.jsonl']"
    assert words(path) == ["a", "c"]


@pytest.mark.parametrize("name", [".ledger.jsonl.lock", ".ledger.jsonl.aside"])
def test_a_file_that_cannot_be_written_is_named_and_the_ledger_is_as_it_was(tmp_path: Path, name: str) -> None:
    path = filled(tmp_path / "ledger.jsonl", "a")
    (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / name / "full").mkdir(parents=True)
    with pytest.raises(SystemRefusalError, match=f"{path}: .*nothing was noted"):
        add(path, "b")
    assert words(path) == ["a"]


def test_a_folder_that_cannot_be_made_or_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SystemRefusalError, match=r"file/splits/ledger.jsonl: "):
        add(tmp_path / "file" / "splits" / "ledger.jsonl", "a")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SystemRefusalError, match=r"folder: Is a directory; without this ledger"):
        read_ledger(tmp_path / "folder")


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is read-only can be written to")
def test_a_folder_that_is_read_only_is_named(tmp_path: Path) -> None:
    path = filled(tmp_path / "ledger.jsonl", "a")
    tmp_path.chmod(0o555)
    try:
        out, err = process(READ_ONLY, str(path), plain=True).communicate(timeout=60)
    finally:
        tmp_path.chmod(0o755)
    assert not err, err
    assert out.startswith(f"the system refuses: {path}: Permission denied; nothing was noted")
    assert words(path) == ["a"]


def test_who_may_read_a_ledger_stays_and_a_link_to_it_stays_a_link(tmp_path: Path) -> None:
    path = filled(tmp_path / "real" / "ledger.jsonl", "a")
    path.chmod(0o664)
    (tmp_path / "ledger.jsonl").symlink_to(path)
    add(tmp_path / "ledger.jsonl", "b")
    assert (tmp_path / "ledger.jsonl").is_symlink()
    assert words(path) == ["a", "b"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
