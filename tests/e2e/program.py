"""The command, run as a person runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rag_ablation.core.record import ArmRecord
from rag_ablation.tracking.files import read_record

PROGRAM = str(Path(sys.executable).parent / "rag-ablation")


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    status: int
    out: str
    err: str
    root: Path

    @property
    def said(self) -> str:
        return self.out + self.err

    def records(self) -> list[ArmRecord]:
        """Arms of the root, oldest first."""
        folders = [path.parent for path in self.root.glob("runs/*/result.json")]
        return [
            read_record(folder)
            for folder in sorted(folders, key=lambda path: (path / "result.json").stat().st_mtime_ns)
        ]


def environment(root: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MLFLOW_")}
    return {**kept, "RAG_ABLATION_ROOT": str(root), "HF_HUB_OFFLINE": "1", "COLUMNS": "160", **more}


def rag_ablation(root: Path, *words: str, cwd: Path | None = None, timeout_s: float = 300, **more: str) -> Done:
    done = subprocess.run(
        [PROGRAM, *words],
        env=environment(root, **more),
        cwd=cwd or root,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout_s,
    )
    return Done(done.returncode, done.stdout, done.stderr, root)


def write_dataset(
    folder: Path, corpus: Mapping[str, str], queries: Mapping[str, str], gold: Mapping[str, Mapping[str, int]]
) -> Path:
    """A native folder of a few lines; every question is reviewed."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        {"_id": id, "title": "", "text": text, "metadata": {"doc_id": "doc", "location": id}}
        for id, text in corpus.items()
    ]
    _write(folder / "corpus.jsonl", lines)
    _write(
        folder / "queries.jsonl",
        [{"_id": id, "text": text, "metadata": {"status": "reviewed"}} for id, text in queries.items()],
    )
    rows = [f"{query}\t{id}\t{grade}" for query, grades in gold.items() for id, grade in grades.items()]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return folder


def tiny(folder: Path, n: int = 24) -> Path:
    """One passage and one question a number; words overlap so that ranks differ."""
    corpus = {f"p{i:02}": f"rule {i} about topic{i} and topic{(i + 1) % n}" for i in range(n)}
    queries = {f"q{i:02}": f"what about topic{i}" for i in range(n)}
    return write_dataset(folder, corpus, queries, {f"q{i:02}": {f"p{i:02}": 1} for i in range(n)})


def whole(folder: Path) -> list[str]:
    """Overrides that take all of a folder."""
    return ["dataset=folder", f"dataset.path={folder}", "split=none"]


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
