"""The handbooks ship with a ledger that says which questions are for tuning, and that nobody has opened the rest."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Entry, Kind, text_key
from rag_ablation.holdout.ledger import read_ledger
from rag_ablation.holdout.opening import openings
from rag_ablation.holdout.split import Split, read_split
from tests.e2e.program import Done, rag_ablation
from tests.paths import ROOT

HANDBOOKS = ("handbook_zh", "handbook_en")


def shipped(name: str) -> Path:
    return ROOT / "data" / name / "splits" / "ledger.jsonl"


def split_of(name: str) -> Split:
    return read_split(ROOT / "data" / name / "splits" / "default.json")


@pytest.mark.parametrize("name", HANDBOOKS)
def test_it_names_exactly_the_dev_questions_of_the_shipped_split(name: str) -> None:
    (entry,) = read_ledger(shipped(name)).entries
    split = split_of(name)
    assert (entry.kind, entry.previous) == (Kind.IN_USE, "")
    assert {question.id: question.group for question in entry.questions} == {
        question: split.groups[question] for question in split.dev
    }
    queries = load(ROOT / "data" / name).queries
    texts = dict(zip(queries.ids, queries.texts, strict=True))
    assert all(question.key == text_key(texts[question.id]) for question in entry.questions)


@pytest.mark.parametrize("name", HANDBOOKS)
def test_it_is_unopened(name: str) -> None:
    (entry,) = read_ledger(shipped(name)).entries
    benchmark = load(ROOT / "data" / name)
    assert openings(read_ledger(shipped(name)), entry.questions) == []
    assert not {question.id for question in entry.questions} & set(split_of(name).holdout)
    assert len(entry.questions) + len(split_of(name).holdout) == len(benchmark.queries)


@pytest.mark.parametrize("name", HANDBOOKS)
def test_it_says_nothing_of_the_machine_that_made_it(name: str) -> None:
    (line,) = shipped(name).read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["details"] == {
        "dataset": name,
        "side": "dev",
        "split": "default",
        "identity": split_of(name).digest(),
        "queries": load(ROOT / "data" / name).fingerprints["queries"],
    }


class Installed:
    """A copy of the package with its handbooks, so that it can be mended, and a root with a study of two arms."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "package", folder / "root"
        for part in ("src", "conf", "data"):
            shutil.copytree(ROOT / part, self.home / part, ignore=shutil.ignore_patterns("__pycache__"))
        (self.root / "experiments" / "english").mkdir(parents=True)
        arms = [{"key": "A", "set": "variant=bm25 sparse.b=0"}, {"key": "A2", "set": "variant=bm25", "parents": ["A"]}]
        section = {"question": "?", "primary": "final/ndcg@10", "smallest_difference": 0.02, "strict": True}
        section |= {"fail_fast": False, "latency": None, "arms": arms, "sweeps": [], "watched": [], "arm": None}
        defaults = [{f"override /{name}": chosen} for name, chosen in (("dataset", "handbook_en"), ("latency", "none"))]
        definition = {"defaults": [*defaults, {"override /tracking": "files"}], "study": section}
        text = "# @package _global_\n" + yaml.safe_dump(definition, sort_keys=False)
        (self.root / "experiments" / "english" / "study.yaml").write_text(text, encoding="utf-8")

    def do(self, *words: str, status: int = 0) -> Done:
        done = rag_ablation(self.root, *words, PYTHONPATH=str(self.home / "src"))
        assert done.status == status, done.said
        return done

    def mend(self) -> None:
        """Change the code of the package, and none of its results."""
        with (self.home / "src" / "rag_ablation" / "commands" / "ui.py").open("a", encoding="utf-8") as file:
            file.write("# mended\n")

    @property
    def ledger(self) -> Path:
        (path,) = self.root.glob("datasets/handbook_en-*/splits/ledger.jsonl")
        return path

    def entries(self) -> list[Entry]:
        return list(read_ledger(self.ledger).entries)

    def data(self) -> dict[str, bytes]:
        folder = self.home / "data"
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A root in which the holdout of a shipped handbook was opened."""
    place = Installed(tmp_path_factory.mktemp("shipped"))
    assert "unopened" in place.do("holdout", "status", "bundled:handbook_en").out
    place.do("study", "run", "english")
    place.do("freeze", "--study", "english", "--arm", "A2", "--name", "v1")
    place.do("holdout", "--study", "english", "--name", "v1")
    return place


def test_the_ledger_of_a_root_begins_with_the_shipped_lines_and_data_stays_as_it_was(opened: Installed) -> None:
    assert opened.ledger.read_bytes().startswith(shipped("handbook_en").read_bytes())
    assert [entry.kind for entry in opened.entries()][:3] == [Kind.IN_USE, Kind.OPENED, Kind.CLOSED]
    names = {question.id for question in opened.entries()[1].questions}
    assert names == set(split_of("handbook_en").holdout)
    before = {
        str(path.relative_to(ROOT / "data")): path.read_bytes()
        for path in (ROOT / "data").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert opened.data() == before


def test_a_mended_program_freezes_anew_and_completes_an_opening_that_was_cut_off(opened: Installed) -> None:
    """What the crashed plan opened is its own, so freezing does not call it seen."""
    lines = opened.ledger.read_bytes().splitlines(keepends=True)
    (closed,) = [number for number, entry in enumerate(opened.entries()) if entry.kind is Kind.CLOSED]
    opened.ledger.write_bytes(b"".join(lines[:closed]))
    for result in [*opened.root.glob("runs/*-holdout-*"), opened.root / "studies" / "english" / "holdout"]:
        shutil.rmtree(result)  # it had crashed before anything was written
    opened.mend()
    opened.do("study", "run", "english")
    frozen = opened.do("freeze", "--study", "english", "--arm", "A2", "--name", "v1-mended")
    assert "0 of 53 questions seen before" in frozen.out
    asked = opened.do("holdout", "--study", "english", "--name", "v1-mended", status=2)
    assert '--reason "…" (what was mended)' in asked.err
    done = opened.do("holdout", "--study", "english", "--name", "v1-mended", "--reason", "it had crashed")
    assert "an earlier opening by a plan that differs in the code alone had been cut off" in done.out
    assert [entry.kind for entry in opened.entries()][-2:] == [Kind.REOPENED, Kind.CLOSED]
    assert "spent holdout: opened 1 time " in done.out
