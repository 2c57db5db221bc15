"""A split that is made over questions that were looked at says so, in numbers and never in labels."""

import json
import shutil
from pathlib import Path

import pytest

from rag_ablation.cli import main
from rag_ablation.data.bundled import PREFIX
from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Kind, question_of
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import add_entry, add_to_root
from rag_ablation.holdout.split import read_split
from tests.e2e.program import tiny
from tests.paths import ROOT


def split(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> str:
    assert main(["--root", str(folder.parent / "root"), "data", "split", str(folder), *words]) == 0
    return capsys.readouterr().out


def look_at(folder: Path, names: list[str], *, at_root_alone: bool = False) -> None:
    """As a run under split=none does."""
    benchmark = load(folder)
    place = Place.of(benchmark, folder, folder.parent / "root")
    asked = [question_of(query.id, query.text, 0) for query in benchmark.queries.rows if query.id in names]
    details = {"dataset": "elsewhere", "queries": benchmark.fingerprints["queries"]}
    add_to_root(place.root, lambda _: (Kind.SEEN, asked, details))
    if not at_root_alone:
        add_entry(place, lambda _: (Kind.SEEN, asked, details))


def sides(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[list[str], list[str]]:
    """Dev and holdout of the split as it will be made; nothing of it stays."""
    split(capsys, folder)
    made = read_split(folder / "splits" / "default.json")
    (folder / "splits" / "default.json").unlink()
    return list(made.dev), list(made.holdout)


def test_a_split_of_questions_that_nobody_looked_at_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny(tmp_path / "data")
    assert "seen" not in split(capsys, folder)
    assert "seen" not in (folder / "splits" / "default.json").read_text()


@pytest.mark.parametrize("at_root_alone", [False, True])
def test_the_audit_and_the_lines_count_what_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], at_root_alone: bool
) -> None:
    folder = tiny(tmp_path / "data")
    dev, holdout = sides(folder, capsys)
    look_at(folder, [*dev[:3], *holdout[:2]], at_root_alone=at_root_alone)
    out = split(capsys, folder)
    assert f"seen before: dev 3 of {len(dev)} questions; holdout 2 of {len(holdout)} questions\n" in out
    assert f"notice: holdout: 2 of {len(holdout)} questions seen before: 2 under split=none of elsewhere" in out
    assert "; it cannot be opened without --spend-again --reason\n" in out
    audit = read_split(folder / "splits" / "default.json").audit
    assert audit["seen_before"] == {"dev": 3, "holdout": 2}


def test_dev_questions_that_were_seen_need_no_notice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny(tmp_path / "data")
    dev, holdout = sides(folder, capsys)
    look_at(folder, dev)
    out = split(capsys, folder)
    assert f"seen before: dev {len(dev)} of {len(dev)} questions; holdout 0 of {len(holdout)} questions\n" in out
    assert "spend-again" not in out


def test_making_the_same_split_again_changes_nothing_though_more_was_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tiny(tmp_path / "data")
    _, holdout = sides(folder, capsys)
    file = folder / "splits" / "default.json"
    for seen in (0, 1, 3):
        look_at(folder, holdout[:seen])
        out = split(capsys, folder)
        before = file.read_bytes() if seen else b""
        assert out.startswith("already there" if seen else "written")
        assert (f"holdout {seen} of " in out) == bool(seen)
        assert not seen or file.read_bytes() == before
    assert "seen_before" not in read_split(file).audit
    file.unlink()
    split(capsys, folder)
    assert read_split(file).audit["seen_before"] == {"dev": 0, "holdout": 3}
    shutil.rmtree(tmp_path / "root")
    (folder / "splits" / "ledger.jsonl").unlink()
    before = file.read_bytes()
    assert split(capsys, folder).startswith("already there")
    assert split(capsys, folder, "--extend", "default").startswith("already there")
    assert file.read_bytes() == before


def test_another_split_of_the_same_name_is_still_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny(tmp_path / "data")
    split(capsys, folder)
    look_at(folder, ["q01"])
    assert main(["--root", str(tmp_path / "root"), "data", "split", str(folder), "--seed", "1"]) == 2
    assert "holds a different split, which stays as it is" in capsys.readouterr().err


def test_a_split_that_grows_counts_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny(tmp_path / "data")
    split(capsys, folder)
    made = read_split(folder / "splits" / "default.json")
    look_at(folder, list(made.dev))
    line = {"_id": "new", "text": "an entirely different matter", "metadata": {"status": "no_answer"}}
    with (folder / "queries.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(line) + "\n")
    out = split(capsys, folder, "--extend", "default")
    assert out.startswith("extended")
    assert f"seen before: dev {len(made.dev)} of " in out
    grown = read_split(folder / "splits" / "default.json")
    assert grown.audit["seen_before"] == {"dev": len(made.dev), "holdout": 0}
    assert grown.extends == (made.digest(),)
    assert split(capsys, folder, "--extend", "default").startswith("already there")


def test_each_fold_is_counted_on_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny(tmp_path / "data")
    words = ["--folds", "2", "--holdout", "0.5"]
    split(capsys, folder, *words)
    made = read_split(folder / "splits" / "default.json")
    look_at(folder, [made.fold(2)[0]])
    out = split(capsys, folder, *words)
    n = len(made.fold(2))
    assert f"holdout fold 1 0 of {len(made.fold(1))} questions; holdout fold 2 1 of {n} questions\n" in out
    assert f"notice: holdout fold 2: 1 of {n} questions seen before" in out
    assert "notice: holdout fold 1" not in out


def test_no_label_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tiny(tmp_path / "data")
    look_at(folder, [f"q{number:02}" for number in range(24)])
    said = "\n".join(line for line in split(capsys, folder).splitlines() if "seen" in line)
    assert said
    assert not [name for number in range(24) for name in (f"p{number:02}", f"q{number:02}") if name in said]


@pytest.mark.parametrize("name", sorted(path.parent.parent.name for path in ROOT.glob("data/*/splits/default.json")))
def test_the_splits_that_ship_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    file = ROOT / "data" / name / "splits" / "default.json"
    before = file.read_bytes()
    folder = ROOT / "data" / name
    benchmark = load(folder)
    asked = [question_of(query.id, query.text, 0) for query in benchmark.queries.rows[:9]]
    add_to_root(tmp_path, lambda _: (Kind.SEEN, asked, {"dataset": name}))
    assert main(["--root", str(tmp_path), "data", "split", f"{PREFIX}{name}", "--extend", "default"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"already there: {file}")
    assert "seen before: dev" in out
    assert file.read_bytes() == before
