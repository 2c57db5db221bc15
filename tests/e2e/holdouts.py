"""A small dataset with planted words, a study over its dev side, and commands that run in this process."""

import contextlib
import hashlib
import io
import json
import os
import random
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.cli import ROOT_VARIABLE, main
from rag_ablation.holdout.entry import Entry
from rag_ablation.holdout.freeze import FrozenPlan, read_plan
from rag_ablation.holdout.ledger import read_ledger
from rag_ablation.holdout.split import Split, read_split
from tests.data.folders import native, passage, question, table
from tests.e2e.program import Done, rag_ablation
from tests.e2e.studies import write_definition

N_PASSAGES, N_QUESTIONS = 40, 64
STUDY, PLAN = "tiny", "v1"
TEXT = (
    "amber anchor apple arrow autumn badge basket beacon birch blanket bottle bridge bronze bucket button cabin "
    "candle canyon carpet castle cedar chimney circle clover cobalt copper cotton cradle crystal curtain dagger "
    "daisy desert dragon drawer eagle ember engine falcon feather fence ferry fiddle flame forest fossil garden "
    "garnet ginger glacier goblet granite hammer harbor harvest hazel helmet hollow honey island ivory jacket "
    "jasmine kettle ladder lantern lemon lever lilac linen lizard magnet mantle maple marble meadow mirror mitten "
    "morning needle nickel nutmeg oasis olive orchid oyster paddle parrot pebble pepper pillow pine planet plum "
    "pocket prairie quartz quill rabbit raven ribbon river rocket saddle saffron salmon sapphire shadow silver "
    "spider spruce stable thistle thunder timber tulip tunnel turtle valley velvet violet walnut willow window "
    "winter "
)
WORDS = tuple(TEXT.split())
HELD = "*-holdout-*"
LOCKS = (".lock",)
Snapshot = Mapping[str, str]


def secret(kind: str, name: str) -> str:
    """A string that stands in one place of the whole dataset; `kind` is `answer`, `keypoint` or `text`."""
    return f"planted{kind}{hashlib.sha256(f'{kind}{name}'.encode()).hexdigest()[:10]}"


def write_set(folder: Path) -> Path:
    """40 passages in three documents, 64 questions on 32 of them, every label with a word of its own."""
    drawn = random.Random(7)
    texts = [drawn.choices(WORDS, k=drawn.randint(6, 40)) for _ in range(N_PASSAGES)]
    corpus = [
        passage(f"p{n:02}", " ".join(words), doc_id=f"doc{n % 3}", location=str(n)) for n, words in enumerate(texts)
    ]
    asked = []
    for n in range(N_QUESTIONS):
        name = f"q{n:02}"
        words = [*drawn.sample(sorted(set(texts[n // 2])), 2), *drawn.sample(WORDS, 3)]
        asked.append(
            question(
                name,
                f"{' '.join(words)} {secret('text', name)}",
                type=("exact", "plain", "broad")[n % 3],
                answer=secret("answer", name),
                keypoints=[secret("keypoint", name)],
            )
        )
    rows = [(f"q{n:02}", f"p{n // 2:02}", 2) for n in range(N_QUESTIONS)]
    rows += [(f"q{n:02}", f"p{(n // 2 + 1) % 32:02}", 0) for n in range(0, N_QUESTIONS, 5)]
    return native(folder, corpus, asked, table(*rows), "name: made\nlanguage: en\n")


def in_process(root: Path, *words: str) -> Done:
    """A command as a person types it, in this process; slow imports are paid once."""
    out, err = io.StringIO(), io.StringIO()
    cwd, kept = Path.cwd(), dict(os.environ)
    os.environ.update({ROOT_VARIABLE: str(root), "COLUMNS": "160", "HF_HUB_OFFLINE": "1"})
    os.chdir(root)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                status = main(list(words))
            except SystemExit as stop:
                status = stop.code if isinstance(stop.code, int) else 1
    finally:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(kept)
    return Done(status, out.getvalue(), err.getvalue(), root)


@dataclass(frozen=True)
class Bench:
    """A root with the dataset, the study and what came of them; it lies at the same path in every test."""

    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def home(self) -> Path:
        return self.root / "experiments" / STUDY

    @property
    def ledger(self) -> Path:
        return self.data / "splits" / "ledger.jsonl"

    @property
    def seen(self) -> Path:
        return self.root / "seen.jsonl"

    @property
    def split_file(self) -> Path:
        return self.data / "splits" / "default.json"

    @property
    def plan_file(self) -> Path:
        return self.home / "frozen" / f"{PLAN}.json"

    @property
    def split(self) -> Split:
        return read_split(self.split_file)

    @property
    def plan(self) -> FrozenPlan:
        return read_plan(self.plan_file)

    def entries(self) -> tuple[Entry, ...]:
        return read_ledger(self.ledger).entries

    def kinds(self) -> list[str]:
        return [str(entry.kind) for entry in self.entries()]

    def do(self, *words: str) -> Done:
        return in_process(self.root, *words)

    def well(self, *words: str) -> Done:
        """A command that must end well."""
        done = self.do(*words)
        assert done.status == 0, done.said
        return done

    def apart(self, *words: str) -> Done:
        """A command in a process of its own, that must end well: a store that was opened is not opened again."""
        done = rag_ablation(self.root, *words)
        assert done.status == 0, done.said
        return done

    def store_in(self, folder: Path) -> Path:
        """A copy of the tracking store under a name of its own, since what was read once is not read again."""
        shutil.copy(self.root / "mlflow.db", folder / "mlflow.db")
        return folder

    def refused(self, *words: str) -> str:
        """A command that must end with status 2, a reason and no changed file; gives the reason."""
        before = snapshot(self.root)
        done = self.do(*words)
        assert done.status == 2, done.said
        assert snapshot(self.root) == before, changed(before, snapshot(self.root))
        assert "Traceback" not in done.said
        return " ".join(done.said.split())

    def holdout(self, *more: str) -> tuple[str, ...]:
        return ("holdout", "--study", STUDY, "--name", PLAN, *more)

    def freeze(self, *more: str, name: str = PLAN, arm: str = "A2", study: str = STUDY) -> tuple[str, ...]:
        return ("freeze", "--study", study, "--arm", arm, "--name", name, *more)

    def run(self, *more: str) -> tuple[str, ...]:
        return (
            *("run", "variant=bm25", "latency=none", "tracking=files"),
            *("dataset=folder", f"dataset.path={self.data}", *more),
        )

    def runs(self, names: str = "*") -> list[Path]:
        """Run folders, the oldest first; `HELD` are those on a holdout."""
        return sorted(self.root.glob(f"runs/{names}"))


def snapshot(*folders: Path) -> Snapshot:
    """Path to digest of every file, locks and the stage store left out; a folder that is made counts too."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if path.suffix in LOCKS or (folder / "store") in (path, *path.parents):
                continue
            found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
    return found


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Names of what is not as it was."""
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


def replace_in(path: Path, old: str, new: str, count: int = 1) -> None:
    """Edit a file; what is replaced must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {path}"
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def secrets_of(names: Iterable[str], *kinds: str) -> list[str]:
    return [secret(kind, name) for name in names for kind in kinds]


def files_with(words: Iterable[str], *folders: Path, leave_out: Iterable[Path] = ()) -> list[tuple[str, str]]:
    """Every file that holds one of the words, also inside what Parquet compresses, and which."""
    import pyarrow.parquet as pq

    wanted, found, skipped = list(words), [], set(leave_out)
    for folder in folders:
        for path in folder.rglob("*"):
            if not path.is_file() or skipped & {path, *path.parents}:
                continue
            content = path.read_bytes()
            if path.suffix == ".parquet":
                content += json.dumps(pq.read_table(path).to_pydict(), default=str, ensure_ascii=False).encode()
            found += [(str(path), word) for word in wanted if word.encode() in content]
    return found


class Stages:
    """Roots in known states, made once and brought back before each test, always at the same path."""

    def __init__(self, home: Path) -> None:
        self.bench = Bench(home / "root")
        self.kept = home / "kept"

    def at(self, name: str) -> Bench:
        """The root in a state; what leads there is done the first time."""
        there = self.kept / name
        if not there.exists():
            before, make = STATES[name]
            if before is None:
                shutil.rmtree(self.bench.root, ignore_errors=True)
                self.bench.root.mkdir(parents=True)
            else:
                self.at(before)
            make(self.bench)
            shutil.copytree(self.bench.root, there, symlinks=True)
        shutil.rmtree(self.bench.root, ignore_errors=True)
        shutil.copytree(there, self.bench.root, symlinks=True)
        return self.bench


def _split(bench: Bench) -> None:
    write_set(bench.data)
    bench.well("data", "split", str(bench.data), "--holdout", "0.45")
    write_definition(bench.root, bench.data)


def _folded(bench: Bench) -> None:
    write_set(bench.data)
    bench.well("data", "split", str(bench.data), "--holdout", "0.5", "--folds", "2")
    write_definition(bench.root, bench.data)
    bench.well("study", "run", STUDY)


def _tracked(bench: Bench) -> None:
    write_set(bench.data)
    bench.well("data", "split", str(bench.data), "--holdout", "0.45")
    write_definition(bench.root, bench.data, tracking="mlflow")
    for words in (("study", "run", STUDY), bench.freeze("--allow-dirty")):
        bench.apart(*words)


STATES: Mapping[str, tuple[str | None, Callable[[Bench], object]]] = {
    "split": (None, _split),
    "tuned": ("split", lambda bench: bench.well("study", "run", STUDY)),
    "frozen": ("tuned", lambda bench: bench.well(*bench.freeze())),
    "spent": ("frozen", lambda bench: bench.well(*bench.holdout())),
    "folded": (None, _folded),
    "tracked": (None, _tracked),
}
