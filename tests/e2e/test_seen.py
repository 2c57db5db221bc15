"""What a run looks at is noted before it looks, once, and no run looks at what another split keeps for the end."""

import json
from pathlib import Path

import pytest

from rag_ablation.core.digest import digest_file
from rag_ablation.core.record import ArmRecord
from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Kind, question_of
from rag_ablation.holdout.ledger import Ledger, read_ledger
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import add_entry
from rag_ablation.holdout.split import read_split, write_split
from tests.e2e.interrupting import Waiting, kill, started
from tests.e2e.program import Done, rag_ablation, tiny
from tests.e2e.studies import write_study
from tests.paths import ROOT

ARMS = "hydra.sweeper.arms=['variant=bm25 sparse.k1=1','variant=bm25 sparse.k1=2','variant=oracle']"
PARALLEL = ("hydra/launcher=joblib", "hydra.launcher.n_jobs=2")


def contents(folder: Path) -> dict[str, str]:
    """Digest of every file below a folder, by its name."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): digest_file(path) for path in files}


def divided(folder: Path, root: Path, *words: str) -> Path:
    data = tiny(folder)
    done = rag_ablation(root, "data", "split", str(data), *words)
    assert done.status == 0, done.said
    return data


def run(root: Path, data: Path, *words: str) -> Done:
    return rag_ablation(root, "run", *words, "dataset=folder", f"dataset.path={data}", "tracking=files")


def ledgers(root: Path, data: Path) -> list[Ledger]:
    return [read_ledger(data / "splits" / "ledger.jsonl"), read_ledger(root / "seen.jsonl")]


def noted(root: Path, data: Path) -> list[list[tuple[Kind, list[str]]]]:
    return [
        [(entry.kind, [question.id for question in entry.questions]) for entry in ledger.entries]
        for ledger in ledgers(root, data)
    ]


@pytest.mark.parametrize("first", [(), ("-m", ARMS), ("-m", ARMS, *PARALLEL)], ids=["run", "sweep", "parallel"])
def test_the_first_scored_run_of_a_split_notes_its_dev_questions_and_no_other_run_does(
    tmp_path: Path, first: tuple[str, ...]
) -> None:
    data = divided(tmp_path / "data", tmp_path)
    split = read_split(data / "splits" / "default.json")
    done = run(tmp_path, data, *first)
    assert done.status == 0, done.said
    assert noted(tmp_path, data) == [[(Kind.IN_USE, list(split.dev))]] * 2
    for ledger in ledgers(tmp_path, data):
        assert {question.id: question.group for question in ledger.entries[0].questions} == {
            name: split.groups[name] for name in split.dev
        }
    assert run(tmp_path, data, "sparse.b=0.1").status == 0
    assert noted(tmp_path, data) == [[(Kind.IN_USE, list(split.dev))]] * 2
    assert len(done.records()) == (2 if not first else 4)


def test_a_study_notes_its_dev_questions_once(tmp_path: Path) -> None:
    data = divided(tmp_path / "data", tmp_path)
    study = write_study(tmp_path, data=data)
    done = rag_ablation(tmp_path, "study", "run", str(study), "split=dev")
    assert done.status == 0, done.said
    dev = list(read_split(data / "splits" / "default.json").dev)
    assert noted(tmp_path, data) == [[(Kind.IN_USE, dev)]] * 2


def test_a_run_on_the_whole_set_notes_all_as_seen_and_a_later_split_says_so(tmp_path: Path) -> None:
    data = tiny(tmp_path / "data")
    done = run(tmp_path, data, "split=none")
    assert done.status == 0, done.said
    assert run(tmp_path, data, "-m", "split=none", ARMS, *PARALLEL).status == 0
    assert noted(tmp_path, data) == [[(Kind.SEEN, [f"q{number:02}" for number in range(24)])]] * 2
    made = rag_ablation(tmp_path, "data", "split", str(data))
    split = read_split(data / "splits" / "default.json")
    assert f"holdout {len(split.holdout)} of {len(split.holdout)} questions\n" in made.out
    assert split.audit["seen_before"] == {"dev": len(split.dev), "holdout": len(split.holdout)}
    copied = rag_ablation(tmp_path, "data", "split", str(tiny(tmp_path / "copy")))
    assert "under split=none of data" in copied.out


def test_the_note_is_on_the_disk_before_a_question_is_scored(tmp_path: Path) -> None:
    data = divided(tmp_path / "data", tmp_path)
    waiting = Waiting(tmp_path / "plugin", tmp_path / "conf")
    words = ("--config-dir", str(tmp_path / "conf"), "dataset=folder", f"dataset.path={data}", "tracking=files")
    process = started(tmp_path, "run", *words, "sparse=waiting", more=waiting.environment)
    waiting.until_at_work()
    kill(process)
    dev = list(read_split(data / "splits" / "default.json").dev)
    assert noted(tmp_path, data) == [[(Kind.IN_USE, dev)]] * 2
    assert run(tmp_path, data).status == 0
    assert noted(tmp_path, data) == [[(Kind.IN_USE, dev)]] * 2


def test_a_set_that_ships_is_noted_under_the_root_and_its_files_stay_as_they_are(tmp_path: Path) -> None:
    shipped = ROOT / "data" / "handbook_en"
    before = contents(shipped), sorted(path.name for path in (shipped / "splits").iterdir())
    done = rag_ablation(tmp_path, "run", "dataset=handbook_en", "variant=bm25", "tracking=files")
    assert done.status == 0, done.said
    assert (contents(shipped), sorted(path.name for path in (shipped / "splits").iterdir())) == before
    assert list(tmp_path.glob("datasets/*")) == []  # the ledger that ships has noted its dev side already
    dev = read_split(shipped / "splits" / "default.json").dev
    assert [question.id for question in read_ledger(tmp_path / "seen.jsonl").entries[0].questions] == list(dev)


@pytest.mark.parametrize("file", ["data/splits/ledger.jsonl", "seen.jsonl"])
def test_nothing_is_scored_beside_a_ledger_that_was_tampered_with(tmp_path: Path, file: str) -> None:
    data = divided(tmp_path / "data", tmp_path)
    assert run(tmp_path, data).status == 0
    ledger = tmp_path / file
    ledger.write_bytes(ledger.read_bytes().replace(b'"side":"dev"', b'"side":"Dev"'))
    done = run(tmp_path, data, "sparse.b=0.1")
    assert done.status == 2
    assert f"rag-ablation: {ledger}:1: entry: found digest " in " ".join(done.err.split())
    assert len(done.records()) == 1
    swept = run(tmp_path, data, "-m", ARMS)
    assert swept.status == 2
    assert swept.said.count(f"{ledger}:1: entry") == 1, "told once, before the first arm"
    assert len(swept.records()) == 1


def test_nothing_is_scored_where_the_ledger_cannot_be_written(tmp_path: Path) -> None:
    data = divided(tmp_path / "data", tmp_path)
    (tmp_path / ".seen.jsonl.lock").mkdir()
    done = run(tmp_path, data)
    assert done.status == 2
    assert f"the system refuses: {tmp_path / 'seen.jsonl'}: Is a directory; nothing was noted" in done.err
    assert done.records() == []


@pytest.fixture
def overlapping(tmp_path: Path) -> tuple[Path, list[str]]:
    """A set with two splits, and the dev questions of `mine` that `default` holds out."""
    data = divided(tmp_path / "data", tmp_path)
    other = divided(tmp_path / "other" / "data", tmp_path, "--name", "mine", "--seed", "1")
    mine = read_split(other / "splits" / "mine.json")
    write_split(mine, data / "splits" / "mine.json")
    shared = set(mine.dev) & set(read_split(data / "splits" / "default.json").holdout)
    assert len(shared) > 1
    return data, sorted(shared)


def open_holdout(root: Path, data: Path, names: list[str]) -> None:
    """As a plan does whose split holds out these questions."""
    benchmark = load(data)
    asked = [question_of(query.id, query.text, 0) for query in benchmark.queries.rows if query.id in names]
    details = {"plan": "p", "name": "v1", "study": "tiny"}
    add_entry(Place.of(benchmark, data, root), lambda _: (Kind.OPENED, asked, details))


def test_what_another_split_holds_out_is_looked_at_only_after_it_was_opened(
    tmp_path: Path, overlapping: tuple[Path, list[str]]
) -> None:
    data, shared = overlapping
    n_dev = len(read_split(data / "splits" / "mine.json").dev)
    for opened, n_left in (([], len(shared)), (shared[1:], 1)):
        open_holdout(tmp_path, data, opened)
        done = run(tmp_path, data, "dataset.split=mine")
        assert done.status == 2
        assert f"{n_left} of its {n_dev} dev questions stand in the holdout of split 'default'" in done.err
        assert done.records() == []
    assert not (tmp_path / "seen.jsonl").exists()
    open_holdout(tmp_path, data, shared)
    done = run(tmp_path, data, "dataset.split=mine")
    assert done.status == 0, done.said
    assert len(done.records()) == 1


def test_no_fold_of_its_own_split_is_looked_at_on_dev(tmp_path: Path) -> None:
    data = divided(tmp_path / "data", tmp_path, "--folds", "3", "--holdout", "0.5")
    split = read_split(data / "splits" / "default.json")
    assert run(tmp_path, data).status == 0
    (record,) = records(tmp_path)
    assert record.counts["questions"] == len(split.dev)
    seen = {question.id for ledger in ledgers(tmp_path, data) for question in ledger.entries[0].questions}
    assert seen == set(split.dev)
    assert not seen & {name for fold in (1, 2, 3) for name in split.fold(fold)}


def test_a_split_file_that_puts_a_held_out_question_on_dev_is_refused(tmp_path: Path) -> None:
    data = divided(tmp_path / "data", tmp_path, "--folds", "2", "--holdout", "0.5")
    file = data / "splits" / "default.json"
    form = json.loads(file.read_text())
    name = next(iter(form["holdout"]))
    form["dev"][name] = form["holdout"][name]
    file.write_text(json.dumps(form))
    done = run(tmp_path, data)
    assert done.status == 2
    assert "on both sides" in done.err
    assert not (data / "splits" / "ledger.jsonl").exists()


def records(root: Path) -> list[ArmRecord]:
    return Done(0, "", "", root).records()
